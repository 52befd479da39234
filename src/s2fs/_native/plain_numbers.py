"""Lines of delimited text as numbers and places of text, by the native library."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._native.border import Array, Function, Int, Length
from s2fs._native.library import load
from s2fs._utils.types import Floats

_parse_lines = Function(
    "s2fs_parse_lines",
    text=Array(np.uint8, "bytes"),
    bytes=Length(),
    delimiter=Int(),
    decimal=Int(),
    longest=Int(),
    is_text=Array(np.bool_, "cells"),
    cells=Length(),
    numbers=Array(np.float64, "lines", "columns", writable=True),
    lines=Length(),
    columns=Length(),
    places=Array(np.int64, "lines", "texts", 2, writable=True),
    texts=Length(),
    others=Array(np.int64, "room", 4, writable=True),
    room=Length(),
    found=Array(np.int64, 3, writable=True),
)


class ParsedLines(NamedTuple):
    """What was read of some lines.

    Attributes
    ----------
    n_bytes : int
        How far they were read: up to a line of another kind, which is left to Python.
    numbers : ndarray of shape (n_lines, n_numbers)
        The columns of numbers, NaN where a value is missing or the cell is another one.
    places : ndarray of shape (n_lines, n_texts, 2)
        Where the cells of the columns of text begin and end.
    others : ndarray of shape (n_others, 4)
        The cells that are no plain numbers: line, column, where they begin and end.
    """

    n_bytes: int
    numbers: Floats
    places: NDArray[np.int64]
    others: NDArray[np.int64]


def has_parser() -> bool:
    """Whether there is a native library."""
    return load() is not None


def parse_lines(
    text: NDArray[np.uint8],
    is_text: NDArray[np.bool_],
    *,
    delimiter: str,
    decimal: str,
    longest_quoted: int,
) -> ParsedLines:
    """Read whole lines that have a cell for every column.

    Parameters
    ----------
    text : ndarray of uint8
        UTF-8 text that ends with a line.
    is_text : ndarray of bool of shape (n_cells,)
        The columns that are not read as numbers; at least two columns.
    delimiter : str
        One ASCII character between cells, neither a blank nor a quotation mark.
    decimal : {".", ","}
        The decimal mark.
    longest_quoted : int
        How long a cell in quotation marks may be; 0 if a quotation mark is a letter like others.
    """
    most_lines = int(np.count_nonzero(text == ord("\n")))
    n_texts = int(is_text.sum())
    n_numbers = len(is_text) - n_texts
    numbers: Any = np.empty((most_lines, n_numbers))
    places = np.empty((most_lines, n_texts, 2), np.int64)
    others = np.empty((most_lines * n_numbers // 2 + 1, 4), np.int64)
    found = np.zeros(3, np.int64)
    _parse_lines(
        text, ord(delimiter), ord(decimal), longest_quoted, is_text, numbers, places, others, found
    )
    n_lines, n_others, n_bytes = found.tolist()
    return ParsedLines(n_bytes, numbers[:n_lines], places[:n_lines], others[:n_others])
