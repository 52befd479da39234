"""Delimited text as people have it: find out how it is written, then read it.

Python splits the lines and NumPy keeps the numbers; ``benchmarks/reading.py`` sets this beside
pandas, polars and pyarrow. These fill up short rows, or round the last digit, without a word.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO
from itertools import islice
from typing import Any

import numpy as np

from s2fs._util.inputs import as_numbers, is_missing
from s2fs.datasets._errors import UnreadableError
from s2fs.datasets._frame import Frame, unique_names
from s2fs.datasets._number_format import PLAIN, Evidence, NumberFormat
from s2fs.datasets._source import ReadOptions, check_size, remark

#: Between cells, in the order they are preferred; a blank is a run of blanks.
_DELIMITERS = ("\t", ";", "|", ",")
_BLANK = " "
#: What a line may begin with that is not part of the table.
_COMMENT = "#"
#: A longer cell in quotation marks is taken for one that was never closed.
_LONGEST_CELL = 1 << 17
#: How many rows, and how many characters, are looked at to find out how a file is written.
_SAMPLE_ROWS, _SAMPLE_SIZE = 100, 1 << 22
#: A comma inside a number, where commas do not separate cells, and where they do.
_COMMA_IN_NUMBER, _COMMA_IN_QUOTES = re.compile(rb"\d,\d"), re.compile(rb'"[\s+-]*[\d.]*,\d')


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
        return [self.numbers([cell]) is not None for cell in cells]

    def is_number(self, cell: str) -> bool:
        """Whether a cell is a number, and not missing."""
        return not is_missing(cell, self.missing) and self.numbers([cell]) is not None


class Delimited:
    """A text of rows of cells, below a header whose cells are ``names``.

    The ``suffix`` of its name hints at the delimiter, and a first line that holds the name of the
    target is a header. With features in rows the first column holds their names, and those at
    ``beside`` describe them, as far as that is known; the ``annotation`` describes the samples.
    """

    names: list[str]

    def __init__(
        self,
        data: bytes,
        source: str,
        suffix: str,
        options: ReadOptions,
        beside: set[int] | None = None,
        annotation: dict[str, list[str]] | None = None,
    ) -> None:
        self._data, self._source, self._options = data, source, options
        self._beside, self._annotation = beside, annotation or {}
        self._quoted = b'"' in data
        self._start = self._first_line()
        sample = self._sample_lines()
        delimiter = options.delimiter or _sniffed_delimiter(sample, suffix)
        self.dialect = Dialect(delimiter, options.missing_words)
        self._start = self._header_in_comment(sample[0])
        rows = [cells for _, cells in islice(self._split_rows(), len(sample))]
        header, body = rows[0], rows[1:]
        self.dialect = replace(self.dialect, number_format=self._number_format(rows))
        self._has_header = options.header
        if self._has_header is None:
            self._has_header = not self._is_data(header, body)
            if not self._has_header:
                remark(
                    f"{source} has no header: its first line is data, so the columns are called "
                    "x0, x1, …; if that line is a header, say `header=True`."
                )
        self._layout(header, body if self._has_header else rows)

    def _number_format(self, rows: list[list[str]]) -> NumberFormat:
        """How numbers are written, as said or as found in the first rows or, if need be, in all."""
        self._has_mixed_marks = False
        if (said := self._options.number_format) is not None:
            return said
        evidence = Evidence()
        for row in rows:
            evidence.add(row)
        commas = _COMMA_IN_QUOTES if self.dialect.delimiter == "," else _COMMA_IN_NUMBER
        if not evidence.number_format().thousands and commas.search(self._data, self._start):
            for _, row in islice(self._split_rows(), len(rows), None):
                evidence.add(row)
                if evidence.is_certain and evidence.number_format().decimal == ",":
                    break
        self._has_mixed_marks = evidence.is_mixed
        found = evidence.number_format()
        if found.thousands is not None:
            remark(
                f"{self._source} separates thousands, as in {evidence.thousands_example()!r} "
                f"(`thousands={found.thousands!r}`).",
                "thousands",
            )
        return found

    def _first_line(self) -> int:
        """Where the first line begins that is neither blank nor a comment."""
        mark, start = (self._options.comment or _COMMENT).encode(), 0
        for line in BytesIO(self._data):
            if line.strip() and not line.strip().startswith(mark):
                return start
            start += len(line)
        raise UnreadableError(
            f"{self._source} holds comments only; a header line and data are needed."
        )

    def _header_in_comment(self, first: str) -> int:
        """Where the header begins; it may be the last of the lines that look like comments."""
        if self._options.comment is not None or self._start == 0:
            return self._start
        before = self._data.rfind(b"\n", 0, self._start - 1) + 1
        line = self._data[before : self._start].decode().strip()
        if not line.startswith(_COMMENT):
            return self._start
        cells, below = self._split(line.lstrip("# ")), self._split(first)
        # A sentence has commas and blanks, but hardly as many tabs as a row has.
        is_split = self.dialect.delimiter in "\t;|" or any(map(self.dialect.is_number, below))
        has_names = not any(map(self.dialect.is_number, cells))
        is_header = len(cells) == len(below) > 1 and is_split and has_names
        return before if is_header else self._start

    def _split(self, line: str) -> list[str]:
        """The cells of one line."""
        if '"' in line:
            return next(self._csv(iter([line])), [])
        return line.split(None if self.dialect.delimiter == _BLANK else self.dialect.delimiter)

    def _csv(self, lines: Iterator[str]) -> Any:
        blank = self.dialect.delimiter == _BLANK
        return csv.reader(
            (line.strip() for line in lines) if blank else lines,
            delimiter=self.dialect.delimiter,
            skipinitialspace=blank,
            strict=True,
        )

    def _lines(self) -> Iterator[str]:
        file = BytesIO(self._data)
        file.seek(self._start)
        for line in file:
            yield line.decode().removesuffix("\n")

    def _sample_lines(self) -> list[str]:
        """The first lines of the table that are not blank; at least two, if there are two."""
        found: list[str] = []
        size = 0
        for line in self._lines():
            if line.strip() and not (found and line.startswith(_COMMENT)):
                found.append(line)
                size += len(line)
            if len(found) > _SAMPLE_ROWS or (size > _SAMPLE_SIZE and len(found) > 1):
                break
        return found

    def _split_rows(self) -> Iterator[tuple[int, list[str]]]:
        """The rows that are not blank, the header among them, each with the number of its line."""
        before = self._data.count(b"\n", 0, self._start)
        if not self._quoted:
            for number, line in enumerate(self._lines(), start=before + 1):
                if line and not line.isspace():
                    yield number, self._split(line)
            return
        # Lines keep their ends: a quotation may run over several.
        reader = self._csv(f"{line}\n" for line in self._lines())
        try:
            for row in reader:
                # The limit of the csv module is one for all of a process, and others change it.
                if max(map(len, row), default=0) > _LONGEST_CELL:
                    raise csv.Error(f"a cell of more than {_LONGEST_CELL} characters")
                if len(row) > 1 or (row and row[0].strip()):
                    yield before + reader.line_num, row
        except csv.Error as error:
            raise UnreadableError(
                f"{self._source} cannot be split into cells at line {before + reader.line_num} "
                f"({error}); check the quotation marks."
            ) from None

    def _is_data(self, first: list[str], body: list[list[str]]) -> bool:
        """Whether the first line looks like those below it, and not like names."""
        target = self._options.target
        if not body or (isinstance(target, str) and target in (cell.strip() for cell in first)):
            return False
        width = min(len(first), *map(len, body))
        numbers: list[int] = []  # the columns of numbers
        n_text = n_again = 0
        for j in range(int(self._options.transpose), width):
            below = [row[j] for row in body if not is_missing(row[j], self.dialect.missing)]
            if not below or is_missing(first[j], self.dialect.missing):
                if first[j].strip() == "":
                    return False  # an unnamed column
                continue
            if self.dialect.numbers(below) is not None:
                if not self.dialect.is_number(first[j]):
                    return False
                numbers.append(j)
            else:
                n_text += 1
                n_again += first[j] in below
        if not numbers:  # words of categories, all of which come again
            return 1 < n_text == n_again
        if n_text or len(numbers) < 2:
            return n_again > 0
        return not self._counts_columns([first[j] for j in numbers], body, numbers)

    def _counts_columns(
        self, first: list[str], body: list[list[str]], positions: list[int]
    ) -> bool:
        """Whether a first line of numbers is a header, such as 0, 1, 2, … or wavelengths.

        It rises or falls all along, which hardly any of the rows below does. A remark says so.
        """
        steps = np.diff(self.dialect.numbers(first))
        is_counted = bool((np.abs(steps) == 1).all())
        is_rising = len(steps) > 2 and bool((steps > 0).all() or (steps < 0).all())
        if not (is_counted or is_rising):
            return False
        n_alike = 0
        for row in body:
            below = self.dialect.numbers([row[j] for j in positions])
            same = below is not None and np.sign(np.diff(below)).tolist() == np.sign(steps).tolist()
            n_alike += bool(same)
        if not is_counted and n_alike > len(body) / 10:
            return False
        starts = float(self.dialect.numbers(first[:1])[0])
        if len(first) > 3 and starts in (0, 1) and bool((steps == 1).all()):
            return True  # as pandas and R number columns; no row is likely to be so
        shown = ", ".join(cell.strip() for cell in first[:3])
        remark(
            f"{self._source} begins with {shown}, …, which is taken for a header as it counts, "
            "rises or falls; if it is data, say `header=False`.",
            "header of numbers",
        )
        return True

    def _layout(self, header: list[str], body: list[list[str]]) -> None:
        """Set the names, and which cells of a row are none: row names and trailing delimiters."""
        if not body:
            raise UnreadableError(f"{self._source} has a header but no data rows.")
        width = Counter(map(len, body)).most_common(1)[0][0]
        fitting = [row for row in body if len(row) == width]
        ends_empty = width > 1 and not any(row[-1].strip() for row in fitting)
        self._has_row_names = False
        if not self._has_header:
            width -= ends_empty
            header = [f"x{j}" for j in range(width)]
        names = [
            name.strip().lstrip("#") if j == 0 else name.strip() for j, name in enumerate(header)
        ]
        if len(names) == width + (not ends_empty) and not names[-1]:
            names = names[:-1]  # a delimiter at the end of the header
        elif len(names) == width - 1 and not ends_empty:
            self._has_row_names = True  # as R's write.table has it
        self.names = names

    def rows(self) -> Iterator[list[str]]:
        """Start over and yield the cells of each row of data."""
        m = len(self.names) + self._has_row_names
        mark = self._options.comment or _COMMENT
        strict = self._options.comment is not None
        found = False
        rows = self._split_rows()
        if self._has_header:
            next(rows)
        for line, row in rows:
            if row[0].startswith(mark) and (strict or len(row) != m):
                continue
            if len(row) == m + 1 and not row[-1].strip():
                row.pop()
            if len(row) != m:
                raise UnreadableError(
                    f"{self._source} has {len(row)} cell(s) in line {line} where {m} are expected; "
                    "give every row the same number of cells, or say what separates them with "
                    "`delimiter`."
                )
            found = True
            yield row
        if not found:
            raise UnreadableError(f"{self._source} has a header but no data rows.")

    def _most_rows(self, width: int) -> int:
        """How many rows there can be, at most: every cell takes a character."""
        size = len(self._data) - self._start
        lines = self._data.count(b"\n", self._start) + 1
        rows = min(lines, size // max(width, 1) + 1)
        check_size(rows * width * 8, self._options.limit, self._source)
        return rows

    def frame(self, as_text: Callable[[list[str]], set[int]]) -> Frame:
        """A column is float64 if every cell is a number or missing, else text.

        ``as_text`` says of names which columns stay as they are written.
        """
        if self._options.transpose:
            return self._turned(as_text)
        self.names = unique_names(self.names, self._source)
        m, named, written = len(self.names), int(self._has_row_names), as_text(self.names)
        first = self.dialect.are_numbers(next(self.rows())[named:])
        is_number = [here and j not in written for j, here in enumerate(first)]
        while True:
            text = [j for j in range(m) if not is_number[j]]
            from_last = [j + named for j in reversed(text)] + [0] * named
            numbers = np.empty((self._most_rows(m - len(text)), m - len(text)))
            others: list[list[str]] = []
            complete = True
            for n, row in enumerate(self.rows()):
                cells = [row.pop(j) for j in from_last]
                values = self.dialect.numbers(row)
                if values is None:
                    # A column that began with numbers has text here, and the cells above were not
                    # kept as text. Find all such columns, then start over.
                    complete = False
                    here = iter(self.dialect.are_numbers(row))
                    is_number = [above and next(here) for above in is_number]
                    for j, cell in zip(from_last, cells, strict=True):
                        row.insert(j, cell)
                elif complete:
                    numbers[n] = values
                    others.append(cells)
            if complete:
                break
        turned = list(zip(*others, strict=True))[::-1]
        row_names = [name.strip() for name in turned.pop(0)] if named else None
        cells_of = dict(zip(text, map(list, turned), strict=True))
        frame = Frame(self._source, self.names, numbers[: len(others)], cells_of, row_names)
        return self._with_dialect(frame)

    def _turned(self, as_text: Callable[[list[str]], set[int]]) -> Frame:
        """Read a table with features in rows: the header is its first column, then the rows are."""
        beside = self._descriptions() if self._beside is None else self._beside
        samples = [name for j, name in enumerate(self._sample_names()) if j not in beside and j > 0]
        from_last = [*sorted(beside, reverse=True), 0]
        names, text = [self._sample_names()[0]], {0: samples}
        numbers = np.empty((self._most_rows(len(samples)), len(samples)))
        n = 0
        for position, row in enumerate(self.rows(), start=1):
            *_, name = (row.pop(j) for j in from_last)
            names.append(name.strip())
            values = self.dialect.numbers(row)
            if values is None:
                text[position] = row
            else:
                numbers[n] = values
                n += 1
        names = unique_names(names, self._source)
        about = {
            key: cells for key, cells in self._annotation.items() if len(cells) == len(samples)
        }
        frame = Frame(self._source, names, numbers[:n].T, text, samples, about, turned=True)
        for position in as_text(names) - set(text):
            row = next(islice(self.rows(), position - 1, None))
            for j in from_last:
                row.pop(j)
            place = frame.place_of(position)
            frame.numbers = np.delete(frame.numbers, place, axis=1)
            frame.cells[position] = row
        return self._with_dialect(frame)

    def _with_dialect(self, frame: Frame) -> Frame:
        """The frame, which also knows how the cells of its text are written."""
        frame.parse, frame.has_mixed_marks = self.dialect.numbers, self._has_mixed_marks
        return frame

    def _sample_names(self) -> list[str]:
        """The header over all columns, that of the names of features among them."""
        return ["", *self.names] if self._has_row_names else self.names

    def _descriptions(self) -> set[int]:
        """Columns of text beside the names, such as a description of each gene."""
        sample = list(islice(self.rows(), _SAMPLE_ROWS))
        kinds = [self.dialect.are_numbers(row[1:]) for row in sample]
        genes = [
            (row, kind)
            for row, kind in zip(sample, kinds, strict=True)
            if sum(kind) > len(kind) / 2
        ]
        found = {
            j
            for j in range(1, len(sample[0]))
            if not any(kind[j - 1] and row[j].strip() for row, kind in genes)
            and any(not kind[j - 1] for _, kind in genes)
        }
        if found:
            shown = ", ".join(repr(self._sample_names()[j]) for j in sorted(found)[:5])
            remark(f"{self._source} describes the features in column(s) {shown}; left out.")
        return found


def _sniffed_delimiter(lines: list[str], suffix: str) -> str:
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
    counts = {len(line.split()) for line in body}
    if len(counts) == 1 and min(counts) > 1 and abs(len(header.split()) - min(counts)) <= 1:
        return _BLANK
    return max(preferred, key=header.count)
