"""Files that hold a table of named columns: delimited text, ARFF and Parquet."""

import bz2
import codecs
import csv
import gzip
import lzma
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from s2fs._util.messages import some_of

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
    """Columns as found in a file: text, or float64 where the format has types.

    Attributes
    ----------
    names : list of str
        One name for each column.
    columns : list of sequences
        The cells, one sequence for each column, all of one length.
    """

    names: list[str]
    columns: list[Any]


def read_columns(path: Path, suffix: str, transpose: bool) -> Table:
    """Read the table of a file of one of these kinds."""
    if suffix == ".parquet":
        table = read_parquet(path)
    elif suffix == ".arff":
        table = read_arff(path)
    else:
        table = read_delimited(path, suffix)
    return transposed(table) if transpose else table


def read_delimited(path: Path, suffix: str) -> Table:
    """Read delimited text with a header line."""
    text = _decode(path)
    delimiter = _sniff(text, DELIMITERS[suffix])
    lines = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows = ((lines.line_num, row) for row in lines if row)
    try:
        _, header = next(rows, (0, None))
        if header is None:
            raise ValueError(f"{path} is empty; a header line and data are needed.")
        names = [name.strip() for name in header]
        return Table(names, _columns(path, rows, len(names)))
    except csv.Error as error:
        raise ValueError(
            f"{path} cannot be split into cells at line {lines.line_num} ({error}); "
            "check the quotation marks."
        ) from None


def read_arff(path: Path) -> Table:
    """Read a dense ARFF file; nominal and string values come as text.

    SciPy's reader is not used: it refuses string attributes and labels beyond ASCII, and cuts rows
    that are too long without a word.
    """
    lines = enumerate(StringIO(_decode(path), newline=None), start=1)
    content = ((i, s) for i, line in lines if (s := line.strip()) and not s.startswith("%"))
    names = []
    for i, line in content:
        keyword = line.split(maxsplit=1)[0].lower()
        if keyword == "@data":
            break
        if attribute := _ARFF_ATTRIBUTE.match(line):
            names.append(_unquote(attribute[1]))
        elif keyword != "@relation":
            raise ValueError(
                f"{path} is not an ARFF file this reader knows: line {i} starts with "
                f"{keyword!r} instead of @relation, @attribute or @data."
            )
    if not names:
        raise ValueError(f"{path} is empty; @attribute lines and data are needed.")
    return Table(names, _columns(path, _arff_rows(path, content), len(names)))


def read_parquet(path: Path) -> Table:
    """Read a Parquet file; numbers come as float64 with NaN for null, the rest as text."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ValueError(
            f"{path} is a Parquet file, which needs pyarrow: pip install 's2fs[parquet]'."
        ) from None
    try:
        with parquet.ParquetFile(path) as file:
            table = file.read()
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ValueError(f"{path} cannot be read as Parquet ({reason}).") from None
    if not table.num_columns or not table.num_rows:
        raise ValueError(f"{path} has no data rows.")
    return Table(table.column_names, [_parquet_column(column) for column in table.columns])


def transposed(table: Table) -> Table:
    """Turn a table with features in rows: its first column names the columns of the result."""
    names, *samples = table.columns
    return Table(
        [str(name).strip() for name in names], [*zip(*samples, strict=True)] if samples else []
    )


def _decode(path: Path) -> str:
    """The text of a file, which must be UTF-8, with or without a byte order mark."""
    with COMPRESSED.get(path.suffix.lower(), open)(path, "rb") as file:
        try:
            data = file.read()
        except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
            raise ValueError(f"{path} cannot be read ({error}).") from None
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path} is not UTF-8 text: byte 0x{data[error.start]:02x} in line {line}; "
            "save it again as UTF-8."
        ) from None
    if not text.strip():
        raise ValueError(f"{path} is empty; a header line and data are needed.")
    return str(text)


def _sniff(text: str, delimiters: str) -> str:
    """The delimiter that splits the first line into the most cells, the first among equals."""
    header = StringIO(text.lstrip(), newline=None).readline()
    return max(delimiters, key=lambda d: len(next(csv.reader([header], delimiter=d))))


def _columns(
    path: Path, rows: Iterator[tuple[int, list[str]]], width: int
) -> list[tuple[str, ...]]:
    """Turn numbered rows into columns; every row must have ``width`` cells."""
    kept = []
    for line, row in rows:
        if len(row) != width:
            raise ValueError(
                f"{path} has {len(row)} cell(s) in line {line} where {width} are expected; "
                "give every row the same number of cells."
            )
        kept.append(row)
    if not kept:
        raise ValueError(f"{path} has a header but no data rows.")
    return list(zip(*kept, strict=True))


def _arff_rows(path: Path, content: Iterator[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    for i, line in content:
        if line.startswith("{"):
            raise ValueError(
                f"{path} is a sparse ARFF file (line {i}), which is not supported; save it as a "
                "dense one."
            )
        quote = '"' if '"' in line and "'" not in line else "'"
        cells = csv.reader([line], quotechar=quote, escapechar="\\", skipinitialspace=True)
        yield i, [cell.strip() for cell in next(cells)]


def _unquote(name: str) -> str:
    if name[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", name[1:-1])
    return name


def _parquet_column(column: Any) -> Any:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_boolean(kind) or pa.types.is_decimal(kind):
        column = column.cast(pa.float64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return ["" if cell is None else str(cell) for cell in column.to_pylist()]
    return np.asarray(column.to_numpy(), dtype=np.float64)


def reject_duplicates(path: Path, names: list[str]) -> None:
    """Raise if two columns share a name, and say which."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{path} has more than one column named {some_of(twice)}; rename them.")
