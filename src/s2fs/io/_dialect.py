"""How the cells of a text are separated, and how numbers are written in them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from s2fs._utils.cells import as_numbers, is_missing
from s2fs.io._number_format import PLAIN, NumberFormat

#: Between cells, in the order they are preferred; a blank is a run of blanks.
_DELIMITERS = ("\t", ";", "|", ",")
BLANK = " "
#: Columns that are aligned by two or more blanks, so that cells may hold single ones.
WIDE_BLANK = "  "
BLANKS = (BLANK, WIDE_BLANK)


@dataclass(frozen=True)
class Dialect:
    """How the cells of a text are written."""

    delimiter: str
    missing: frozenset[str]
    number_format: NumberFormat = PLAIN

    def numbers(self, cells: Sequence[Any]) -> Any:
        """The cells as float64, NaN where one is missing; None if one of them is text."""
        if not self.number_format.is_plain:
            cells = self._as_plain(cells)
        values = as_numbers(cells, self.missing)
        if values is not None and self.missing_numbers:
            values[np.isin(values, self.missing_numbers)] = np.nan
        return values

    def _as_plain(self, cells: Sequence[Any]) -> list[Any]:
        """Cells as Python reads them; those that are missing, or no text, stay as they are."""
        if self.number_format.thousands is None and "." not in "".join(map(str, cells)):
            return [cell.replace(",", ".") if isinstance(cell, str) else cell for cell in cells]
        as_plain = self.number_format.as_plain
        return [
            as_plain(cell) if isinstance(cell, str) and not is_missing(cell, self.missing) else cell
            for cell in cells
        ]

    @cached_property
    def missing_numbers(self) -> list[float]:
        """Numbers that stand for "not known", such as -999."""
        values = (as_numbers([word], frozenset()) for word in self.missing)
        return [float(v[0]) for v in values if v is not None and np.isfinite(v[0])]

    def are_numbers(self, cells: Sequence[str]) -> list[bool]:
        """For each cell, whether it is a number or missing."""
        if self.numbers(cells) is not None:
            return [True] * len(cells)
        return [self.numbers([cell]) is not None for cell in cells]

    def is_number(self, cell: str) -> bool:
        """Whether a cell is a number, and not missing."""
        return not is_missing(cell, self.missing) and self.numbers([cell]) is not None


def sniff_delimiter(lines: list[str], suffix: str) -> str:
    """The character that splits all lines alike, and most often."""
    bare = [re.sub('"[^"]*"', "x", line) for line in lines]
    header, body = bare[0], bare[1:] or bare
    preferred = (
        sorted(_DELIMITERS, key=lambda c: c != "\t")
        if suffix in (".tsv", ".tab")
        else (",", *(c for c in _DELIMITERS if c != ","))
    )
    alike = {}
    for mark in preferred:
        counts = {line.count(mark) for line in body}
        n = header.count(mark)
        if len(counts) == 1 and n and abs(n - min(counts)) <= 1 and min(counts):
            alike[mark] = min(counts)
    if (
        len(alike) > 1
        and "," in alike
        and all(re.search(r"(?<!\d),|,(?!\d)", line) is None for line in body)
    ):
        del alike[","]  # every comma stands between digits: it is a decimal one
    if alike:
        return max(alike, key=lambda mark: alike[mark])  # the first among equals
    # The header may be one short, as R writes it, if no way of splitting gives equal numbers.
    for most_missing in (0, 1):
        for mark in BLANKS:
            counts = {len(split_blanks(line, mark)) for line in body}
            n_missing = abs(len(split_blanks(header, mark)) - min(counts))
            if len(counts) == 1 and min(counts) > 1 and n_missing <= most_missing:
                return mark
    if not any(mark in header for mark in preferred) and _are_words_and_numbers(header, body):
        return BLANK  # names of rows may hold blanks, too
    return max(preferred, key=header.count)


def _are_words_and_numbers(header: str, body: list[str]) -> bool:
    """Whether lines have at least as many words as the header, and most words are numbers."""
    words = [line.split() for line in body]
    numbers = [sum(as_numbers([word]) is not None for word in line) for line in words]
    width = len(header.split())
    is_wide = width > 2 and all(len(line) >= width for line in words)
    return is_wide and all(2 * n > width for n in numbers)


def split_blanks(line: str, delimiter: str) -> list[str]:
    """The cells of a line that are separated by blanks or tabs, by at least two if it says so."""
    if delimiter == WIDE_BLANK:
        return re.split(r"\s{2,}|\t", line.strip())
    return line.split()
