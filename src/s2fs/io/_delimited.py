"""Delimited text as people have it: find out how it is written, then read it.

The native library reads what is plain numbers (``_plain_numbers.py``), and Python splits the other
lines; ``bench/studies/reading.py`` sets this beside pandas, polars and pyarrow. These fill up short
rows, or round the last digit, without a word.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from io import BytesIO
from itertools import islice
from typing import Any

import numpy as np

from s2fs._utils.arguments import Argument
from s2fs._utils.cells import is_counter
from s2fs._utils.messages import format_count, format_named, truncate_middle
from s2fs.io._dialect import BLANK, BLANKS, WIDE_BLANK, Dialect, sniff_delimiter, split_blanks
from s2fs.io._errors import UnreadableError
from s2fs.io._frame import Frame, unique_names
from s2fs.io._header import count_header_lines, count_title_lines, is_data, read_flags
from s2fs.io._number_format import Evidence, NumberFormat
from s2fs.io._options import ReadOptions
from s2fs.io._plain_numbers import PlainBlock, PlainReader, has_plain_lines
from s2fs.io._remarks import warn_reader
from s2fs.io.memory import check_size

#: What a line may begin with that is not part of the table.
_COMMENT = "#"
#: A longer cell in quotation marks is taken for one that was never closed.
_LONGEST_CELL = 1 << 17
#: How many rows, and how many characters, are looked at to find out how a file is written.
_SAMPLE_ROWS, _SAMPLE_SIZE = 100, 1 << 22
#: A comma inside a number, where commas do not separate cells, and where they do.
_COMMA_IN_NUMBER, _COMMA_IN_QUOTES = re.compile(rb"\d,\d"), re.compile(rb'"[\s+-]*[\d.]*,\d')
#: A quotation mark inside a quotation, as programming languages write it; one behind a blank.
_ESCAPED_QUOTE, _QUOTE_BEHIND_BLANK = re.compile(rb'\\"(?=[\w ])'), re.compile(rb'[,;|] +"')


def _is_comment(row: list[str], n_cells: int) -> bool:
    """Whether a row is a comment that stands between the header and the data."""
    return row[0].startswith(_COMMENT) and len(row) < n_cells


class Delimited:
    """A text of rows of cells, below a header whose cells are ``names``.

    The ``suffix`` of its name hints at the delimiter, and a first line that holds the name of the
    target is a header. With features in rows the first column holds their names, and those at
    ``beside`` describe them, as far as that is known; the ``annotation`` describes the samples.
    The roles of some columns may be ``declared`` by the file.
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
        sample_names: frozenset[str] = frozenset(),
        declared: dict[str, str] | None = None,
    ) -> None:
        self._data, self._source, self._options = data, source, options
        self._beside, self._annotation = beside, annotation or {}
        self._known_samples, self._declared = sample_names, declared or {}
        self._n_dropped = 0
        self._start = self._first_line()
        sample = self._skip_title(self._sample_lines(), suffix)
        delimiter = options.delimiter or sniff_delimiter(sample, suffix)
        self._quoted = b'"' in data and delimiter != WIDE_BLANK
        self._has_escapes = self._quoted and _ESCAPED_QUOTE.search(data) is not None
        self._skips_blanks = delimiter == BLANK or (
            self._quoted and _QUOTE_BEHIND_BLANK.search(data) is not None
        )
        self.dialect = Dialect(delimiter, options.missing_words)
        self._start = self._header_in_comment(sample[0])
        rows = [cells for _, cells in islice(self._split_rows(), len(sample))]
        if self._is_count_line(rows):
            self._drop_count_line(rows.pop(0))
        header = rows[0]
        body = [row for row in rows[1:] if not _is_comment(row, len(header))]
        self.dialect = replace(self.dialect, number_format=self._number_format(rows))
        self._has_header = options.header
        if self._has_header is None:
            self._has_header = not is_data(header, body, self.dialect, options, source)
            if not self._has_header:
                warn_reader(
                    f"{source} has no header: its first line is data, so the columns are called "
                    "x0, x1, …; if that line is a header, say ",
                    Argument("header", True),
                    ".",
                    kind="no header",
                )
        if self._has_header and (
            n_lines := count_header_lines(header, body, self.dialect, options)
        ):
            self._drop_header_lines(n_lines, body)
            body = body[n_lines:]
        self._layout(header, body if self._has_header else rows)

    def _drop_header_lines(self, n_lines: int, body: list[list[str]]) -> None:
        """Leave out lines below the header that say what is in the columns."""
        shown = next(cell for cell in body[0] if cell.strip()).strip()
        what = "a second line" if n_lines == 1 else f"{n_lines} more lines"
        warn_reader(
            f"{self._source} has {what} of header, beginning with {truncate_middle(shown, 40)!r}; "
            "left out.",
            kind="second header",
        )
        ends = [number for number, _ in islice(self._split_rows(), n_lines + 1)]
        start = self._place_of_line(ends[0])
        self._data = self._data[:start] + self._data[self._place_of_line(ends[-1]) :]
        self._n_dropped = ends[-1] - ends[0]

    def _place_of_line(self, number: int) -> int:
        """Where a line of the table begins, counted from 0."""
        place = self._start
        for _ in range(number):
            place = self._data.index(b"\n", place) + 1
        return place

    def _skip_title(self, lines: list[str], suffix: str) -> list[str]:
        """The lines from the header on, without a title or notes above it."""
        n_skipped = count_title_lines(lines, self._options.delimiter, suffix)
        if not n_skipped or self._options.header is False:
            return lines
        shown = lines[0].strip().strip("\t;,|")[:60]
        warn_reader(
            f"{self._source} has {format_count(n_skipped, 'line')} above the table, beginning with "
            f"{shown!r}; left out.",
            kind="title",
        )
        for _ in range(n_skipped):
            self._start = self._next_line()
        return lines[n_skipped:]

    def _next_line(self) -> int:
        """Where the next line begins that is neither blank nor a comment."""
        start = self._data.index(b"\n", self._start) + 1
        while True:
            end = self._data.find(b"\n", start)
            line = self._data[start:end].strip() if end >= 0 else b"last"
            if line and not line.startswith(_COMMENT.encode()):
                return start
            start = end + 1

    def _is_count_line(self, rows: list[list[str]]) -> bool:
        """Whether the first line gives the numbers of samples and features below it."""
        if len(rows) < 3 or self._options.header is not None:
            return False
        width = Counter(map(len, rows[1:])).most_common(1)[0][0]
        if [cell.strip() for cell in rows[0][1:2]] != [str(width - 1)]:
            return False
        n_rows = sum(1 for line in self._lines() if line.strip()) - 1
        return rows[0][0].strip() == str(n_rows)

    def _drop_count_line(self, first: list[str]) -> None:
        """Leave out a first line that counts samples and features, as scikit-learn's files have."""
        warn_reader(
            f"{self._source} begins with the numbers of samples and features, {first[0].strip()} "
            f"and {first[1].strip()}; that line is left out.",
            kind="title",
        )
        self._start = self._next_line()

    def _number_format(self, rows: list[list[str]]) -> NumberFormat:
        """How numbers are written, as said or as found in the first rows or, if need be, in all."""
        self._has_mixed_marks = False
        if (said := self._options.number_format) is not None:
            return said
        evidence = Evidence()
        has_commas = self.dialect.delimiter != "," or self._quoted  # inside of cells
        for row in rows[1:]:
            evidence.add(row)
            is_point = evidence.is_certain and evidence.number_format().decimal == "."
            if is_point and not has_commas:
                break
        if not evidence.is_certain:  # names may be numbers with another mark, such as wavelengths
            evidence.add(rows[0])
        commas = _COMMA_IN_QUOTES if self.dialect.delimiter == "," else _COMMA_IN_NUMBER
        is_open = has_commas and not evidence.number_format().thousands
        if is_open and commas.search(self._data, self._start):
            for _, row in islice(self._split_rows(), len(rows), None):
                evidence.add(row)
                if evidence.is_certain and evidence.number_format().decimal == ",":
                    break
        self._has_mixed_marks = evidence.is_mixed
        found = evidence.number_format()
        if found.thousands is not None:
            warn_reader(
                f"{self._source} separates thousands, as in {evidence.thousands_example()!r} (",
                Argument("thousands", found.thousands),
                ").",
                kind="thousands",
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
        """Where the header begins; it may be among the lines above that look like comments."""
        place = self._start
        while self._options.comment is None and place > 0:
            place = self._data.rfind(b"\n", 0, place - 1) + 1
            line = self._data[place : self._data.index(b"\n", place)].decode().strip()
            if not line.startswith(_COMMENT):
                break
            if self._may_be_header(self._split(line.lstrip("# ")), self._split(first)):
                return place
        return self._start

    def _may_be_header(self, cells: list[str], below: list[str]) -> bool:
        """Whether the cells of a comment may be the names of columns."""
        if len(cells) != len(below) or len(cells) < 2:
            return False
        # A sentence has commas and blanks, but hardly as many tabs as a row has.
        is_tabular = self.dialect.delimiter in "\t;|"
        if not is_tabular and not any(map(self.dialect.is_number, below)):
            return False
        if not any(map(self.dialect.is_number, cells)):
            return True
        # Names of samples may be numbers, but hardly equal ones, and not all names are.
        are_different = len(set(cells)) == len(cells)
        return is_tabular and are_different and not self.dialect.is_number(cells[0])

    def _split(self, line: str) -> list[str]:
        """The cells of one line."""
        delimiter = self.dialect.delimiter
        if '"' in line and delimiter != WIDE_BLANK:
            return next(self._csv(iter([line])), [])
        return split_blanks(line, delimiter) if delimiter in BLANKS else line.split(delimiter)

    def _csv(self, lines: Iterator[str]) -> Any:
        blank = self.dialect.delimiter == BLANK
        return csv.reader(
            (line.replace("\t", " ").strip() for line in lines) if blank else lines,
            delimiter=self.dialect.delimiter,
            skipinitialspace=self._skips_blanks,
            escapechar="\\" if self._has_escapes else None,
            strict=True,
        )

    def _lines(self, start: int | None = None, stop: int | None = None) -> Iterator[str]:
        """The lines of the table, or those between two places."""
        start = self._start if start is None else start
        file = BytesIO(self._data if stop is None else self._data[start:stop])
        file.seek(start if stop is None else 0)
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

    def _split_rows(
        self, start: int | None = None, stop: int | None = None
    ) -> Iterator[tuple[int, list[str]]]:
        """The rows that are not blank, each with the number of its line, counted from ``start``.

        They are those of the whole table, the header among them, or those between two places.
        """
        if not self._quoted:
            for number, line in enumerate(self._lines(start, stop), start=1):
                if line and not line.isspace():
                    yield number, self._split(line)
            return
        # Lines keep their ends: a quotation may run over several.
        reader = self._csv(f"{line}\n" for line in self._lines(start, stop))
        try:
            for row in reader:
                # The limit of the csv module is one for all of a process, and others change it.
                if max(map(len, row), default=0) > _LONGEST_CELL:
                    raise csv.Error(f"a cell of more than {_LONGEST_CELL} characters")
                if len(row) > 1 or (row and row[0].strip()):
                    yield reader.line_num, row
        except csv.Error as error:
            first = self._start if start is None else start
            line = self._n_lines_before(first) + reader.line_num
            raise UnreadableError(
                f"{self._source} cannot be split into cells at line {line} "
                f"({error}); check the quotation marks."
            ) from None

    def _n_lines_before(self, place: int) -> int:
        n_dropped = self._n_dropped if place >= self._start else 0
        return self._data.count(b"\n", 0, place) + n_dropped

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
        if self.dialect.delimiter in BLANKS and header[0] == _COMMENT:
            header = header[1:]
        names = [
            name.strip().lstrip("#") if j == 0 else name.strip() for j, name in enumerate(header)
        ]
        if all(len(name) > 2 and name[0] == name[-1] == "'" for name in names):
            names = [name[1:-1] for name in names]
        if len(names) == width + (not ends_empty) and not names[-1]:
            names = names[:-1]  # a delimiter at the end of the header
        elif len(names) == width - 1 and not ends_empty and not self._has_words(body):
            self._has_row_names = True  # as R's write.table has it
        self.names, flagged = read_flags(names) if self._has_header else (names, {})
        self._declared |= flagged

    def rows(self) -> Iterator[list[str]]:
        """Start over and yield the cells of each row of data."""
        found = False
        rows = self._split_rows()
        if self._has_header:
            next(rows)
        for row in self._check_rows(rows, self._start):
            found = True
            yield row
        if not found:
            raise UnreadableError(f"{self._source} has a header but no data rows.")

    def _check_rows(self, rows: Iterable[tuple[int, list[str]]], start: int) -> Iterator[list[str]]:
        """The rows without comments, each with as many cells as there are names."""
        m = len(self.names) + self._has_row_names
        mark = self._options.comment or _COMMENT
        strict = self._options.comment is not None
        for line, row in rows:
            if row[0].startswith(mark) and (strict or len(row) != m):
                continue
            if len(row) == m + 1 and not row[-1].strip():
                row.pop()
            if len(row) < m and self._ends_early:
                row += [""] * (m - len(row))
            elif len(row) > m and self.dialect.delimiter == BLANK:
                row = self._join_words(row, m)
            if len(row) != m:
                line += self._n_lines_before(start)
                raise UnreadableError(
                    f"{self._source} has {format_count(len(row), 'cell')} in line {line} where {m} "
                    f"are expected: {truncate_middle(row[0], 30)!r}; begin the line with # if it "
                    "is no data, give every row the same number of cells, or say what separates "
                    "them with ",
                    Argument("delimiter"),
                    ".",
                )
            yield row

    @cached_property
    def _ends_early(self) -> bool:
        """Whether rows may lack their last cells, because what wrote them left out empty ones.

        No row ends with an empty cell then, and short ones fit the columns as far as they go.
        """
        header_and_rows = self._split_rows()
        if self._has_header:
            next(header_and_rows)
        m = len(self.names) + self._has_row_names
        rows = [row for _, row in header_and_rows if not row[0].startswith(_COMMENT)]
        short = [row for row in rows if len(row) < m]
        whole = [row for row in rows if len(row) == m] or short
        if len(short) < 2 or not all(row[-1].strip() and len(row) <= m for row in rows):
            return False
        some = whole[:_SAMPLE_ROWS]
        columns = [[row[j] for row in some] for j in range(len(min(some, key=len)))]
        kinds = [
            self.dialect.numbers(column) is not None and any(map(self.dialect.is_number, column))
            for column in columns
        ]
        fits = all(
            here or not kind
            for row in short[:_SAMPLE_ROWS]
            for here, kind in zip(self.dialect.are_numbers(row), kinds, strict=False)
        )
        if fits and any(kinds):
            warn_reader(
                f"{self._source} has {format_count(len(short), 'row')} that "
                f"{'ends' if len(short) == 1 else 'end'} early; what they lack counts as empty.",
                kind="short rows",
            )
            return True
        return False

    def _has_words(self, body: list[list[str]]) -> bool:
        """Whether rows split at blanks have different widths, as names of several words give."""
        return self.dialect.delimiter == BLANK and len(set(map(len, body))) > 1

    def _join_words(self, row: list[str], m: int) -> list[str]:
        """A row split at blanks with the words of its first or last cell in one, if that is it."""
        n_more = len(row) - m
        is_number = self.dialect.are_numbers(row)
        first_is_text = not any(is_number[: n_more + 1]) and is_number[n_more + 1]
        last_is_text = not any(is_number[-n_more - 1 :]) and is_number[-n_more - 2]
        if first_is_text == last_is_text:
            return row
        if first_is_text:
            return [" ".join(row[: n_more + 1]), *row[n_more + 1 :]]
        return [*row[: -n_more - 1], " ".join(row[-n_more - 1 :])]

    def _blocks(
        self, text_columns: Sequence[int], *, finds_text: bool
    ) -> Iterator[PlainBlock | list[list[str]]]:
        """Start over and yield the rows of data, many at once; rows with odd cells as they are.

        A block of plain lines says which columns of numbers have text, or is given as rows, too.
        """
        start = self._start_of_plain_lines()
        if start is None:
            yield from ([row] for row in self.rows())
            return
        longest = _LONGEST_CELL if self._quoted else 0
        n_cells = len(self.names) + self._has_row_names
        reader = PlainReader(self._data, self.dialect, n_cells, text_columns, longest)
        while start < len(self._data):
            end = reader.end_of_piece(start)
            block = reader.read(start, end)
            if block.unread and not finds_text:
                yield list(self._check_rows(self._split_rows(start, block.stop), start))
            else:
                yield block
            start = block.stop
            if start < end:
                # Behind an odd line with quotation marks only Python knows where lines begin.
                end = len(self._data) if self._quoted else end
                yield from ([row] for row in self._check_rows(self._split_rows(start, end), start))
                start = end

    def _start_of_plain_lines(self) -> int | None:
        """Where the data begin, if they can be read as blocks."""
        start = self._start
        if self._has_header:
            start = self._data.find(b"\n", start) + 1 or len(self._data)
            if self._data.count(b'"', self._start, start) % 2 and self._quoted:
                return None  # the header runs over several lines
        if not has_plain_lines(self.dialect, len(self.names) + self._has_row_names):
            return None
        if self._has_escapes or (self._skips_blanks and self._quoted):
            return None
        comment = self._options.comment
        if comment is not None and self._data.find(f"\n{comment}".encode(), start - 1) >= 0:
            return None
        return start

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
            return self._read_transposed(as_text)
        self.names = unique_names(self.names, self._source)
        m, named = len(self.names), int(self._has_row_names)
        kept_text = as_text(self.names) | {
            j for j, name in enumerate(self.names) if self._declared.get(name) == "class"
        }
        first = self.dialect.are_numbers(next(self.rows())[named:])
        is_number = [here and j not in kept_text for j, here in enumerate(first)]
        while True:
            text = [j for j in range(m) if not is_number[j]]
            number_columns = [j for j in range(m) if is_number[j]]
            positions = [0] * named + [j + named for j in text]
            width = len(number_columns)
            numbers = np.empty((self._most_rows(width), width))
            text_columns: list[list[str]] = [[] for _ in positions]
            n = 0
            for block in self._blocks(positions, finds_text=True):
                if isinstance(block, PlainBlock):
                    numbers[n : n + len(block.numbers)] = block.numbers
                    n += len(block.numbers)
                    for column, cells in zip(text_columns, block.text, strict=True):
                        column += cells
                    for j in block.unread:
                        is_number[j - named] = False
                    continue
                for row in block:
                    for position, column in zip(positions[::-1], text_columns[::-1], strict=True):
                        column.append(row.pop(position))
                    values = self.dialect.numbers(row)
                    if values is None:
                        for j, here in zip(
                            number_columns, self.dialect.are_numbers(row), strict=True
                        ):
                            is_number[j] &= here
                    else:
                        numbers[n] = values
                    n += 1
            # A column that began with numbers may have text below, and the cells above were not
            # kept as text. All such columns are known now: start over.
            if sum(is_number) == width:
                break
        row_names = [name.strip() for name in text_columns.pop(0)] if named else None
        cells_of = dict(zip(text, text_columns, strict=True))
        frame = Frame(self._source, self.names, numbers[:n], cells_of, row_names)
        frame.declared = self._declared
        return self._with_dialect(frame)

    def _read_transposed(self, as_text: Callable[[list[str]], set[int]]) -> Frame:
        """Read a table with features in rows: the header is its first column, then the rows are."""
        beside = self._descriptions() if self._beside is None else self._beside
        samples = [name for j, name in enumerate(self._sample_names()) if j not in beside and j > 0]
        from_first = [0, *sorted(beside)]
        which = from_first.index(self._place_of_names(from_first))
        names, text = [self._sample_names()[0]], {0: samples}
        numbers = np.empty((self._most_rows(len(samples)), len(samples)))
        n = 0
        for block in self._blocks(from_first, finds_text=False):
            if isinstance(block, PlainBlock):
                names += [name.strip() for name in block.text[which]]
                numbers[n : n + len(block.numbers)] = block.numbers
                n += len(block.numbers)
                continue
            for row in block:
                name = row[from_first[which]]
                for j in reversed(from_first):
                    del row[j]
                position = len(names)
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
        frame = Frame(self._source, names, numbers[:n].T, text, samples, about, transposed=True)
        for position in as_text(names) - set(text):
            row = next(islice(self.rows(), position - 1, None))
            for j in reversed(from_first):
                del row[j]
            place = frame.place_of(position)
            frame.numbers = np.delete(frame.numbers, place, axis=1)
            frame.cells[position] = row
        return self._with_dialect(frame)

    def _place_of_names(self, places: list[int]) -> int:
        """The column that names the features: the first, or the next if that only counts them."""
        sample = list(islice(self.rows(), _SAMPLE_ROWS))
        columns = {j: [row[j].strip() for row in sample] for j in places}
        if self._sample_names()[0] or len(sample) < 2 or not is_counter(columns[0]):
            return 0
        named = (j for j in places[1:] if len(set(columns[j]) - {""}) == len(sample))
        return next(named, 0)

    def _with_dialect(self, frame: Frame) -> Frame:
        """The frame, which also knows how the cells of its text are written."""
        frame.parse, frame.has_mixed_marks = self.dialect.numbers, self._has_mixed_marks
        return frame

    def _sample_names(self) -> list[str]:
        """The header over all columns, that of the names of features among them."""
        return ["", *self.names] if self._has_row_names else self.names

    def _descriptions(self) -> set[int]:
        """Columns beside the names that describe the features: text, or not among the samples."""
        header = self._sample_names()
        if self._known_samples:
            beside = {j for j in range(1, len(header)) if header[j] not in self._known_samples}
            if beside:
                shown = format_named("column", [header[j] for j in sorted(beside)])
                warn_reader(
                    f"{self._source} has {shown} beside the samples that the second file names; "
                    "left out.",
                    kind="descriptions",
                )
            return beside
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
            shown = format_named("column", [header[j] for j in sorted(found)])
            warn_reader(
                f"{self._source} describes the features in {shown}; left out.", kind="descriptions"
            )
        return found
