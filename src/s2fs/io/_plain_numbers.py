"""Numbers in lines of text, many cells at a time.

Python takes some 100 ns to cut out a cell and to read it as a number, most of it for the objects
it makes. Here the digits of all cells of a piece of text are gathered place by place, so that the
work is done by NumPy. The numbers are those of ``float``: up to 15 digits make an exact integer,
powers of ten up to 10²² are exact, and the quotient of two exact numbers is rounded once. Anything
else, such as an exponent, a missing value or a blank, is left to Python, cell by cell.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.types import Floats, Indices

#: How many characters are read at once: their arrays stay in the cache of the processor.
_PIECE = 1 << 17
#: So many digits are an exact number in double precision.
_MOST_DIGITS = 15
_POWERS = 10.0 ** np.arange(_MOST_DIGITS + 1)
_LINE_FEED, _MINUS, _PLUS, _ZERO = b"\n-+0"
#: A point, counted from "0" in eight bits.
_POINT = (ord(".") - _ZERO) % 256


class PlainBlock(NamedTuple):
    """Some lines of a table.

    Attributes
    ----------
    numbers : ndarray of shape (n_lines, n_numbers)
        The columns of numbers.
    text : list of list of str
        The other cells, line by line.
    """

    numbers: Floats
    text: list[list[str]]


def cut_into_pieces(data: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Where pieces of whole lines begin and end, from ``start`` on."""
    while start < len(data):
        end = data.find(b"\n", min(start + _PIECE, len(data)) - 1) + 1
        end = end or len(data)
        yield start, end
        start = end


def parse_lines(
    lines: bytes,
    delimiter: str,
    n_cells: int,
    text_columns: Sequence[int],
    parse: Callable[[list[str]], Floats | None],
) -> PlainBlock | None:
    """Read lines of ``n_cells`` cells each; None if they are not of that kind.

    Parameters
    ----------
    lines : bytes
        Whole lines of UTF-8 text without quotation marks.
    delimiter : str
        One ASCII character, not a blank.
    n_cells : int
        How many cells every line has.
    text_columns : sequence of int
        The columns that stay as they are written, in the order in which they are wanted.
    parse : callable
        Reads cells that are not plain numbers, and gives None if one of them is text.
    """
    if not lines.endswith(b"\n"):
        lines += b"\n"
    buffer = np.frombuffer(lines, dtype=np.uint8)
    is_end = buffer == ord(delimiter)
    is_end |= buffer == _LINE_FEED
    ends = np.flatnonzero(is_end)
    if len(ends) % n_cells:
        return None
    is_last = (buffer[ends] == _LINE_FEED).reshape(-1, n_cells)
    if not is_last[:, -1].all() or is_last[:, :-1].any():
        return None
    # The places where cells begin and end, line by line.
    begin = np.concatenate([[0], ends[:-1] + 1]).reshape(-1, n_cells)
    end = ends.reshape(-1, n_cells)
    text = [
        [lines[begin[i, j] : end[i, j]].decode() for j in text_columns] for i in range(len(end))
    ]
    if len(text_columns):
        begin, end = (np.delete(places, text_columns, axis=1) for places in (begin, end))
    shape = begin.shape
    starts, ends = begin.ravel(), end.ravel()
    numbers, is_plain = _parse_plain(buffer, starts, ends)
    # Python is quicker with lines that have few plain numbers, and knows what a blank line is.
    if not is_plain.reshape(shape).any(axis=1).all() or 2 * is_plain.sum() < len(starts):
        return None
    if not is_plain.all():
        others = np.flatnonzero(~is_plain)
        values = parse([lines[starts[i] : ends[i]].decode() for i in others.tolist()])
        if values is None:
            return None
        numbers[others] = values
    return PlainBlock(numbers.reshape(shape), text)


def _parse_plain(
    buffer: NDArray[Any], starts: Indices, ends: Indices
) -> tuple[Floats, NDArray[np.bool_]]:
    """The cells that are a sign, digits and a point as numbers, and which of them are so."""
    first = np.take(buffer, starts, mode="clip")
    is_negative = first == _MINUS
    starts = starts + (is_negative | (first == _PLUS))
    width = ends - starts
    is_plain = width <= _MOST_DIGITS + 1
    n_digits, n_points, n_decimals = np.zeros((3, len(starts)), dtype=np.int8)
    number = np.zeros(len(starts))
    for place in range(int(width[is_plain].max(initial=0))):
        # "0" to "9" are 0 to 9, and all else is more: eight bits wrap around.
        digit = np.take(buffer, starts + place, mode="clip") - np.uint8(_ZERO)
        is_inside = place < width
        is_digit = (digit <= 9) & is_inside
        is_point = (digit == _POINT) & is_inside
        is_plain &= is_digit | is_point | ~is_inside
        np.multiply(number, 10, out=number, where=is_digit)
        np.add(number, digit, out=number, where=is_digit)
        n_digits += is_digit
        n_decimals += is_digit & (n_points > 0)
        n_points += is_point
    is_plain &= (n_digits > 0) & (n_digits <= _MOST_DIGITS) & (n_points <= 1)
    number /= _POWERS[np.minimum(n_decimals, _MOST_DIGITS)]
    return np.where(is_negative, -number, number), is_plain
