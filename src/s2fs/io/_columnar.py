"""Tables that are not delimited text: ARFF, Excel sheets, Parquet and Feather files."""

import csv
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import StringIO
from typing import Any

import numpy as np

from s2fs._utils.arguments import Argument
from s2fs._utils.cells import as_numbers
from s2fs._utils.messages import did_you_mean, format_count, format_names
from s2fs._utils.optional import need
from s2fs._utils.types import Floats
from s2fs.io._delimited import Delimited
from s2fs.io._errors import UnreadableError, reader_errors
from s2fs.io._frame import Frame, unique_names
from s2fs.io._options import ReadOptions
from s2fs.io._orange import is_orange, orange_table
from s2fs.io._remarks import warn_reader
from s2fs.io._source import Source
from s2fs.io._worker import WorkerResult
from s2fs.io.memory import check_size
from s2fs.io.parquet_folder import ArrowTable, open_parquet, read_parquet_folder

_ARFF_ATTRIBUTE = re.compile(
    r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(\S.*)""", re.IGNORECASE
)
#: KEEL also says which attributes are inputs, and which one is to be predicted.
_ARFF_OUTPUT = re.compile(r"^@outputs?\s+([^\s,]+)\s*$", re.IGNORECASE | re.MULTILINE)
_ARFF_KEYWORDS = ("@relation", "@input", "@inputs", "@output", "@outputs")
#: A cell up to the comma behind it, in either kind of quotation marks or in none.
_ARFF_CELL = re.compile(
    r"""(\s*'(?:[^'\\]|\\.)*'\s*|\s*"(?:[^"\\]|\\.)*"\s*|[^,'"][^,]*|)(?=,|$)"""
)
#: How much more memory the objects made of a piece of XML take than the piece.
_XML_TO_OBJECTS = 4
#: No file of Excel has more cells than this in a row.
_MOST_COLUMNS = 16_384
#: Among so many rows the header of a sheet is looked for.
_HEADER_ROWS = 20


def arff(data: bytes, source: str, options: ReadOptions) -> Delimited:
    """A dense ARFF file as delimited text; nominal and string values are text.

    SciPy's reader is not used: it refuses string attributes and labels beyond ASCII, and cuts rows
    that are too long without a word.
    """
    text = data.decode()
    rows = _arff_rows(text, source)
    outputs = _ARFF_OUTPUT.findall(text)
    declared = {_unquoted(outputs[0]): "class"} if len(outputs) == 1 else {}
    plain = replace(options, header=True)
    return as_delimited([next(rows), *rows], source, plain, declared)


def _arff_rows(text: str, source: str) -> Iterator[list[str]]:
    """The names of the attributes, then the cells of each row."""
    names: list[str] = []
    lines = (
        (i, line)
        for i, raw in enumerate(text.split("\n"), start=1)
        if (line := raw.strip()) and not line.startswith("%")
    )
    for i, line in lines:
        keyword = line.split(maxsplit=1)[0].lower()
        if keyword == "@data":
            break
        if attribute := _ARFF_ATTRIBUTE.match(line):
            names.append(_unquoted(attribute[1]))
        elif keyword not in _ARFF_KEYWORDS:
            raise UnreadableError(
                f"{source} is not an ARFF file this reader knows: line {i} starts with "
                f"{keyword[:40]!r} instead of @relation, @attribute or @data."
            )
    if not names:
        raise UnreadableError(f"{source} is empty; @attribute lines and data are needed.")
    yield names
    for i, line in lines:
        if line.startswith("{"):
            raise UnreadableError(
                f"{source} is a sparse ARFF file (line {i}), which is not supported; save it as a "
                "dense one."
            )
        row = _arff_cells(line)
        if len(row) != len(names):
            raise UnreadableError(
                f"{source} has {format_count(len(row), 'cell')} in line {i} where {len(names)} are "
                "expected; give every row the same number of cells."
            )
        yield row


def _arff_cells(line: str) -> list[str]:
    """The cells of a row; either quotation mark may be around one, and stand inside the other."""
    cells: list[str] = []
    end = 0
    while end <= len(line):
        cell = _ARFF_CELL.match(line, end)
        if cell is None:  # a mark that is never closed
            return [*cells, line[end:].strip()]
        cells.append(_unquoted(cell[1].strip()))
        end = cell.end() + 1  # behind the comma
    return cells


def _unquoted(name: str) -> str:
    if name and name[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", name[1:-1])
    return name


def excel(source: Source, options: ReadOptions) -> Delimited:
    """A sheet of an Excel file as delimited text; the first one if none is named."""
    openpyxl = need("openpyxl", extra="excel", purpose=f"Reading {source.name}")
    with source.open() as file, warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="openpyxl")  # about what is not read anyway
        _check_workbook(file, source)
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        try:
            sheet = book[_choose_sheet(book, options, source.name)]
            if hasattr(sheet, "reset_dimensions"):
                sheet.reset_dimensions()  # what a file declares need not be true
            rows, size = [], 0
            for row in sheet.iter_rows(values_only=True):  # not filled up to the widest row
                rows.append([_shown(cell) for cell in row[:_MOST_COLUMNS]])
                size += sum(map(len, rows[-1])) + 64 * len(row)
                check_size(size, source.limit, source.name)
        finally:
            book.close()
        filled = {j for row in rows for j, cell in enumerate(row) if cell}
        first, used = min(filled, default=0), max(filled, default=-1) + 1
        rows = [(row + [""] * used)[first:used] for row in rows if any(row)]
        if not rows:
            raise UnreadableError(
                f"{source.name} has an empty sheet; choose another with ", Argument("sheet"), "."
            )
        return as_delimited(rows, source.name, options)


def list_sheets(source: Source, target: str | int) -> tuple[list[str], list[str]]:
    """The names of the sheets of a workbook, and of those that have the target in a header."""
    openpyxl = need("openpyxl", extra="excel", purpose=f"Reading {source.name}")
    with reader_errors(source.name, ".xlsx"), source.open() as file, warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="openpyxl")  # about what is not read anyway
        _check_workbook(file, source)
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        try:
            names = list(book.sheetnames)
            return names, [name for name in names if _has_cell(book[name], target)]
        finally:
            book.close()


def _check_workbook(file: Any, source: Source) -> None:
    """Raise if the parts that are read at once would take more memory than they may.

    Sheets are read row by row; the text of all cells, styles and the like are not.
    """
    with zipfile.ZipFile(file) as archive:
        size = sum(
            info.file_size
            for info in archive.infolist()
            if info.filename.endswith(".xml") and not info.filename.startswith("xl/worksheets/")
        )
    check_size(_XML_TO_OBJECTS * size, source.limit, source.name)
    file.seek(0)


def _choose_sheet(book: Any, options: ReadOptions, source: str) -> str:
    """The sheet that was named, else the first that has the target among its first rows."""
    names, wanted = book.sheetnames, options.sheet
    if wanted is None:
        chosen = names[0]
        if len(names) > 1:
            with_target = [name for name in names if _has_cell(book[name], options.target)]
            chosen = (with_target or names)[0]
            warn_reader(
                f"{source} has the sheets {format_names(names)}; {chosen!r} is read (",
                Argument("sheet"),
                ").",
                kind="sheet",
            )
        return chosen
    if wanted not in names:
        raise UnreadableError(
            Argument("sheet"),
            f" is {wanted!r}, but {source} has {format_names(names)}{did_you_mean(wanted, names)}.",
        )
    return wanted


def _has_cell(sheet: Any, wanted: str | int | None) -> bool:
    """Whether a word stands in one of the first rows of a sheet, where its header may be."""
    if wanted is None or not hasattr(sheet, "iter_rows"):
        return False
    rows = sheet.iter_rows(max_row=_HEADER_ROWS, values_only=True)
    return any(str(cell).strip() == str(wanted) for row in rows for cell in row)


def _shown(cell: Any) -> str:
    """A cell of a sheet as text; Excel holds whole numbers as floats."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(int(cell))
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def as_delimited(
    rows: list[list[str]],
    source: str,
    options: ReadOptions,
    declared: dict[str, str] | None = None,
) -> Delimited:
    """Rows of cells as delimited text; the roles of some columns may be declared."""
    text = StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows(rows)
    plain = replace(options, delimiter="\t", comment="\0")
    data = text.getvalue().encode()
    if is_orange(data):
        return orange_table(data, source, plain)
    return Delimited(data, source, ".tsv", plain, declared=declared)


def arrow_frame(
    source: Source, as_text: Callable[[list[str]], set[int]], *, transpose: bool
) -> Frame:
    """A Parquet or Feather file; numbers come as float64 with NaN for null."""
    arrow = need("pyarrow", extra="parquet", purpose=f"Reading {source.name}")
    if source.is_folder:
        with reader_errors(source.name, source.suffix):
            parts = read_parquet_folder(source)
        return arrow_to_frame(source.name, parts, as_text, transpose=transpose)
    with reader_errors(source.name, source.suffix), source.open() as file:
        if source.suffix == ".parquet":
            content = open_parquet(file, source)
        else:  # its parts declare how long they are when decompressed
            stream = arrow.ipc.open_stream(WorkerResult("feather", source).content)
            content = ArrowTable.whole(stream.read_all())
        return arrow_to_frame(source.name, content, as_text, transpose=transpose)


def arrow_to_frame(
    source: str, table: ArrowTable, as_text: Callable[[list[str]], set[int]], *, transpose: bool
) -> Frame:
    """An Arrow table as a frame."""
    types = need("pyarrow", extra="parquet").types
    if not table.schema.names or not table.n_rows:
        raise UnreadableError(f"{source} has no data rows.")
    if transpose:
        columns = [_from_arrow(column, types) for column in table.columns]
        return _read_transposed(source, table.schema.names, columns, as_text)
    names = unique_names([name.strip() for name in table.schema.names], source)
    kept_text = as_text(names)
    is_number = [j not in kept_text and _is_number(kind, types)
                 for j, kind in enumerate(table.schema.types)]  # fmt: skip
    numbers = np.empty((sum(is_number), table.n_rows))
    rows, cells = iter(numbers), {}
    for j, column in enumerate(table.columns):
        if is_number[j]:
            _copy_numbers(column, next(rows), types)
        else:  # whole numbers that are kept as text stay whole
            cells[j] = _cells(column, types) if j in kept_text else _from_arrow(column, types)
    return Frame(source, names, numbers.T, cells, is_text=False, partitions=table.partitions)


def _is_number(kind: Any, types: Any) -> bool:
    """Whether values of a type are numbers or truth values; those of a categorical may be, too."""
    if types.is_dictionary(kind):
        kind = kind.value_type
    is_plain = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
    return bool(is_plain or types.is_decimal(kind))


def _copy_numbers(column: Any, numbers: Floats, types: Any) -> None:
    """Put a column where its numbers are wanted, piece by piece; NaN for null."""
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if types.is_boolean(column.type) or types.is_decimal(column.type):
        column = column.cast("float64")
    start = 0
    for chunk in column.chunks:
        numbers[start : start + len(chunk)] = chunk.to_numpy(zero_copy_only=False)
        start += len(chunk)


def _cells(column: Any, types: Any) -> list[Any]:
    """The cells of a column as objects; text that comes again is one object."""
    if types.is_string(column.type) or types.is_large_string(column.type):
        column = column.dictionary_encode()
    if not types.is_dictionary(column.type):
        return column.to_pylist()
    cells: list[Any] = []
    for chunk in column.chunks:
        words = chunk.dictionary.to_pylist()
        cells += [None if code is None else words[code] for code in chunk.indices.to_pylist()]
    return cells


def _from_arrow(column: Any, types: Any) -> Any:
    """A column as float64, or as text if it is neither numbers nor truth values."""
    if not _is_number(column.type, types):
        return ["" if cell is None else str(cell) for cell in _cells(column, types)]
    numbers = np.empty(len(column))
    _copy_numbers(column, numbers, types)
    return numbers


def _read_transposed(
    source: str, header: list[str], columns: list[Any], as_text: Callable[[list[str]], set[int]]
) -> Frame:
    """A table with features in rows: the header is the first column, then the rows are."""
    first, *samples = columns
    if not samples:
        raise UnreadableError(f"{source} has names in rows but no samples beside them.")
    names = unique_names([header[0], *(str(name).strip() for name in first)], source)
    rows: list[Any] = [header[1:]]
    for row in zip(*samples, strict=True):
        numbers = as_numbers(row)
        rows.append(list(row) if numbers is None else numbers)
    for j in as_text(names):
        rows[j] = list(rows[j])
    return Frame.of_columns(source, names, rows, row_names=header[1:], transposed=True)
