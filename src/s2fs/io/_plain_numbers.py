"""Numbers in lines of text, many cells at a time.

The native library reads lines whose cells are numbers, missing or text where text is known to be.
Python reads the cells that are none of these, and all other lines; and everything where there is no
native library. Numbers are those of ``float`` either way.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from s2fs._native.plain_numbers import ParsedLines, has_parser, parse_lines
from s2fs._utils.types import Floats
from s2fs.io._dialect import BLANK, Dialect

#: How many characters are read at once: what is made of them stays in the cache of the processor.
_PIECE = 1 << 18


class PlainBlock(NamedTuple):
    """Some lines of a table.

    Attributes
    ----------
    stop : int
        Where the lines end.
    numbers : ndarray of shape (n_lines, n_numbers)
        The columns of numbers.
    text : list of list of str
        The other columns.
    unread : set of int
        Columns of numbers that have text here.
    """

    stop: int
    numbers: Floats
    text: list[list[str]]
    unread: set[int]


class PlainReader:
    """Reads the lines of a table as blocks.

    Parameters
    ----------
    data : bytes
        UTF-8 text.
    dialect : Dialect
        How its cells are written.
    n_cells : int
        How many cells a line has.
    text_columns : sequence of int
        The columns that are not read as numbers.
    longest_quoted : int
        How long a cell in quotation marks may be; 0 if there are none.
    """

    def __init__(
        self,
        data: bytes,
        dialect: Dialect,
        n_cells: int,
        text_columns: Sequence[int],
        longest_quoted: int,
    ) -> None:
        self._data, self._dialect, self._longest = data, dialect, longest_quoted
        self._bytes = np.frombuffer(data, np.uint8)
        self._is_text = np.zeros(n_cells, bool)
        self._is_text[list(text_columns)] = True

    def end_of_piece(self, start: int) -> int:
        """Where a piece of whole lines ends."""
        end = self._data.find(b"\n", min(start + _PIECE, len(self._data)) - 1) + 1
        return end or len(self._data)

    def read(self, start: int, end: int) -> PlainBlock:
        """The lines of a piece up to one of another kind."""
        piece = self._bytes[start:end]
        if piece[-1] != ord("\n"):
            piece = np.append(piece, np.uint8(ord("\n")))
        parsed = parse_lines(
            piece,
            self._is_text,
            delimiter=self._dialect.delimiter,
            decimal=self._dialect.number_format.decimal,
            longest_quoted=self._longest,
        )
        text = [
            [self._cell(start, *place) for place in parsed.places[:, j].tolist()]
            for j in range(parsed.places.shape[1])
        ]
        unread = self._read_others(start, parsed)
        if self._dialect.missing_numbers:
            is_missing_number = np.isin(parsed.numbers, self._dialect.missing_numbers)
            parsed.numbers[is_missing_number] = np.nan
        return PlainBlock(min(start + parsed.n_bytes, end), parsed.numbers, text, unread)

    def _cell(self, start: int, begin: int, end: int) -> str:
        cell = self._data[start + begin : start + end].decode()
        if self._longest and cell.startswith('"'):
            return cell[1:-1].replace('""', '"')
        return cell

    def _read_others(self, start: int, parsed: ParsedLines) -> set[int]:
        """Put the cells that are numbers for Python into their place; the columns with others."""
        lines, columns, *_ = parsed.others.T
        cells = [self._cell(start, *place) for place in parsed.others[:, 2:].tolist()]
        if not cells:
            return set()
        values = self._dialect.numbers(cells)
        if values is not None:
            place_of = np.cumsum(~self._is_text) - 1
            parsed.numbers[lines, place_of[columns]] = values
            return set()
        of_column: dict[int, list[str]] = {}
        for column, cell in zip(columns.tolist(), cells, strict=True):
            of_column.setdefault(column, []).append(cell)
        numbers: Callable[[list[str]], Floats | None] = self._dialect.numbers
        return {column for column, own in of_column.items() if numbers(own) is None}


def has_plain_lines(dialect: Dialect, n_cells: int) -> bool:
    """Whether lines that are written so can be read as blocks."""
    mark, how = dialect.delimiter, dialect.number_format
    in_numbers = mark.isalnum() or mark in ("+", "-", how.decimal)
    is_mark = len(mark) == 1 and mark.isascii() and not in_numbers and mark not in (BLANK, '"')
    return is_mark and how.thousands is None and n_cells > 1 and has_parser()
