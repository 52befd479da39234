"""Files that hold a table of named columns: delimited text, ARFF and Parquet."""

import bz2
import codecs
import csv
import gzip
import lzma
import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from io import BytesIO, TextIOWrapper
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from s2fs._util.inputs import as_numbers, repeated
from s2fs._util.messages import some_of
from s2fs._util.optional import need

#: The delimiters a file of each kind may use; the one that splits the header most is taken.
DELIMITERS = {".csv": ",;", ".tsv": "\t", ".tab": "\t", ".txt": "\t,;"}
#: Delimited text may also be compressed, as in ``expression.tsv.gz``.
COMPRESSED: dict[str, Callable[[Path, Any], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
_ARFF_ATTRIBUTE = re.compile(
    r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(\S.*)""", re.IGNORECASE
)


class Table(NamedTuple):
    """Columns as found in a file.

    Attributes
    ----------
    names : list of str
        One name for each column.
    columns : list
        The cells, one sequence for each column, all of one length: a float64 array, or text.
    """

    names: list[str]
    columns: list[Any]


def read_columns(
    path: Path, suffix: str, *, transpose: bool = False, as_text: bool = False
) -> Table:
    """Read the table of a file of one of these kinds.

    Parameters
    ----------
    path : Path
        The file.
    suffix : str
        Its kind.
    transpose : bool, default=False
        The features are in rows; the first column holds their names.
    as_text : bool, default=False
        Leave the cells of a text file as they are written.

    Returns
    -------
    Table
        The names and columns.
    """
    if suffix == ".parquet":
        table = _read_parquet(path)
        return _transposed(table) if transpose else table
    file = _Arff(path) if suffix == ".arff" else _Delimited(path, DELIMITERS[suffix])
    if transpose:
        table = Table([], [])
        for name, *cells in file.rows():
            table.names.append(name.strip())
            numbers = None if as_text else as_numbers(cells)
            table.columns.append(cells if numbers is None else numbers)
        return table
    columns = list(zip(*file.rows(), strict=True)) if as_text else file.columns()
    return Table(file.names, columns)


def reject_duplicates(path: Path, names: list[str]) -> None:
    """Raise if two columns share a name, and say which."""
    if twice := repeated(names):
        raise ValueError(f"{path} has more than one column named {some_of(twice)}; rename them.")


class _TextFile(ABC):
    """A file of lines: a header that names the columns, and rows of as many cells."""

    names: list[str]

    def __init__(self, path: Path) -> None:
        self._path = path
        self._data = _read_bytes(path)

    @abstractmethod
    def _numbered_rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows below the header, each with the number of its line."""

    def rows(self) -> Iterator[list[str]]:
        """Start over and yield the cells of each row."""
        row = None
        for line, row in self._numbered_rows():
            if len(row) != len(self.names):
                raise ValueError(
                    f"{self._path} has {len(row)} cell(s) in line {line} where {len(self.names)} "
                    "are expected; give every row the same number of cells."
                )
            yield row
        if row is None:
            raise ValueError(f"{self._path} has a header but no data rows.")

    def columns(self) -> list[Any]:
        """All columns: float64 where every cell is a number or missing, else text."""
        is_number = _are_numbers(next(self.rows()))
        complete = False
        while not complete:
            is_text = [not number for number in is_number]
            numbers, text, complete = [], [], True
            for row in self.rows():
                values = as_numbers(list(compress(row, is_number)))
                if values is None:
                    # A column that began with numbers has text here, and the cells above were not
                    # kept as text. Find all such columns, then start over.
                    complete = False
                    pairs = zip(is_number, _are_numbers(row), strict=True)
                    is_number = [above and here for above, here in pairs]
                elif complete:
                    numbers.append(values)
                    text.append(list(compress(row, is_text)))
        of_kind = iter(zip(*text, strict=True)), iter(np.array(numbers).T)
        return [next(of_kind[number]) for number in is_number]


class _Delimited(_TextFile):
    """Text with a header line and a delimiter between the cells.

    Python's own reader is used. That of pyarrow takes more time and memory for tables with many
    columns; those of pandas and polars fill up short rows without a word.
    """

    def __init__(self, path: Path, delimiters: str) -> None:
        super().__init__(path)
        header = next(line for line in TextIOWrapper(BytesIO(self._data), "utf-8") if line.strip())
        unquoted = re.sub('"[^"]*"', "", header)
        self._delimiter = max(delimiters, key=unquoted.count)  # the first among equals
        _, header_row = next(self._all_rows())
        self.names = [name.strip() for name in header_row]

    def _all_rows(self) -> Iterator[tuple[int, list[str]]]:
        text = TextIOWrapper(BytesIO(self._data), "utf-8", newline="")
        lines = csv.reader(text, delimiter=self._delimiter, strict=True)
        try:
            for row in lines:
                if row:
                    yield lines.line_num, row
        except csv.Error as error:
            raise ValueError(
                f"{self._path} cannot be split into cells at line {lines.line_num} ({error}); "
                "check the quotation marks."
            ) from None

    def _numbered_rows(self) -> Iterator[tuple[int, list[str]]]:
        rows = self._all_rows()
        next(rows)
        return rows


class _Arff(_TextFile):
    """A dense ARFF file; nominal and string values are text.

    SciPy's reader is not used: it refuses string attributes and labels beyond ASCII, and cuts rows
    that are too long without a word.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.names = []
        for i, line in self._lines():
            keyword = line.split(maxsplit=1)[0].lower()
            if keyword == "@data":
                break
            if attribute := _ARFF_ATTRIBUTE.match(line):
                self.names.append(_unquoted(attribute[1]))
            elif keyword != "@relation":
                raise ValueError(
                    f"{path} is not an ARFF file this reader knows: line {i} starts with "
                    f"{keyword!r} instead of @relation, @attribute or @data."
                )
        if not self.names:
            raise ValueError(f"{path} is empty; @attribute lines and data are needed.")

    def _lines(self) -> Iterator[tuple[int, str]]:
        """The lines that are neither blank nor comments, each with its number."""
        for i, line in enumerate(TextIOWrapper(BytesIO(self._data), "utf-8"), start=1):
            if (content := line.strip()) and not content.startswith("%"):
                yield i, content

    def _numbered_rows(self) -> Iterator[tuple[int, list[str]]]:
        lines = self._lines()
        for _, line in lines:
            if line.lower().startswith("@data"):
                break
        for i, line in lines:
            if line.startswith("{"):
                raise ValueError(
                    f"{self._path} is a sparse ARFF file (line {i}), which is not supported; save "
                    "it as a dense one."
                )
            quote = '"' if '"' in line and "'" not in line else "'"
            cells = csv.reader([line], quotechar=quote, escapechar="\\", skipinitialspace=True)
            yield i, [cell.strip() for cell in next(cells)]


def _read_bytes(path: Path) -> bytes:
    """The content of a text file, which must be UTF-8, without a byte order mark."""
    with COMPRESSED.get(path.suffix.lower(), open)(path, "rb") as file:
        try:
            data: bytes = file.read()
        except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
            raise ValueError(f"{path} cannot be read ({error}).") from None
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path} is not UTF-8 text: byte 0x{data[error.start]:02x} in line {line}; "
            "save it again as UTF-8."
        ) from None
    if not data.strip():
        raise ValueError(f"{path} is empty; a header line and data are needed.")
    return data


def _are_numbers(cells: list[str]) -> list[bool]:
    """For each cell, whether it is a number or missing."""
    return [as_numbers([cell]) is not None for cell in cells]


def _unquoted(name: str) -> str:
    if name[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", name[1:-1])
    return name


def _read_parquet(path: Path) -> Table:
    """Read a Parquet file; numbers come as float64 with NaN for null, the rest as text."""
    arrow = need("pyarrow", extra="parquet", purpose=f"Reading {path}")
    parquet = need("pyarrow.parquet", extra="parquet", purpose=f"Reading {path}")
    try:
        with parquet.ParquetFile(path) as file:
            table = file.read()
    except (arrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ValueError(f"{path} cannot be read as Parquet ({reason}).") from None
    if not table.num_columns or not table.num_rows:
        raise ValueError(f"{path} has no data rows.")
    return Table(table.column_names, [_from_arrow(column, arrow.types) for column in table.columns])


def _from_arrow(column: Any, types: Any) -> Any:
    """A column as float64, or as text if it is neither numbers nor truth values."""
    kind = column.type
    if types.is_boolean(kind) or types.is_decimal(kind):
        column = column.cast("float64")
    elif not (types.is_integer(kind) or types.is_floating(kind)):
        return ["" if cell is None else str(cell) for cell in column.to_pylist()]
    return np.asarray(column.to_numpy(), dtype=np.float64)


def _transposed(table: Table) -> Table:
    """Turn a table with features in rows: its first column names the columns of the result."""
    names, *samples = table.columns
    return Table(
        [str(name).strip() for name in names], [*zip(*samples, strict=True)] if samples else []
    )
