"""Files that commands write: refused early, written whole."""

import csv
import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from io import BytesIO, StringIO
from itertools import product
from pathlib import Path
from typing import Any

import click

from s2fs._utils.files import check_writable, write_atomic
from s2fs._utils.messages import make_printable
from s2fs._utils.optional import need
from s2fs.cli.terminal import note
from s2fs.report import check_destination

#: Columns of a table by name, all of one length.
Columns = Mapping[str, Sequence[Any]]
OUTPUT_SUFFIXES = (".csv", ".tsv", ".json", ".parquet", ".xlsx")
#: Cells that begin with one of these are formulas to a spreadsheet.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def check_output(_: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    """Refuse an output that cannot be written before any work is done."""
    if path is None:
        return None
    option = max(param.opts, key=len)  # the long name
    check_writable(path, option, OUTPUT_SUFFIXES)
    if path.suffix.lower() == ".parquet":
        need("pyarrow", extra="parquet", purpose=f"{option} to a Parquet file")
    if path.suffix.lower() == ".xlsx":
        need("openpyxl", extra="excel", purpose=f"{option} to a workbook")
    return path


def check_report(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a report that cannot be written before any work is done."""
    return None if path is None else check_destination(path)


def reject_input_as_output(inputs: Sequence[Path], **outputs: Path | None) -> None:
    """Raise if an output would take the place of a file that is read."""
    for (option, output), file in product(outputs.items(), inputs):
        if output is not None and output.exists() and file.exists() and output.samefile(file):
            role = "the data itself" if file == inputs[0] else "a file that is read"
            raise ValueError(f"--{option} is {str(output)!r}, {role}; choose another name.")


def write_table(path: Path, columns: Columns) -> None:
    """Write a table as the suffix says: the whole file or, if anything fails, nothing."""
    write_atomic(path, encode_table(columns, path.suffix))
    note(f"Wrote {path}.")


def encode_table(columns: Columns, suffix: str) -> bytes:
    """A table in the format of a suffix."""
    encoders: dict[str, Callable[[Columns], bytes]] = {
        ".csv": as_text,
        ".tsv": partial(as_text, delimiter="\t"),
        ".json": _as_json,
        ".parquet": _as_parquet,
        ".xlsx": _as_workbook,
    }
    return encoders[suffix.lower()](columns)


def as_text(columns: Columns, delimiter: str = ",") -> bytes:
    """A table as delimited text in UTF-8, without cells that a spreadsheet would run."""
    text = StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(map(_as_safe_cell, columns))
    writer.writerows(zip(*map(_as_safe_cells, columns.values()), strict=True))
    return text.getvalue().encode()


def _as_safe_cells(cells: Sequence[Any]) -> Sequence[Any]:
    """A column that a spreadsheet does not run."""
    if set(map(type, cells)) <= {int, float}:
        return cells
    return [
        _as_safe_cell(cell) if isinstance(cell, str) and _is_unsafe(cell) else cell
        for cell in cells
    ]


def _is_unsafe(text: str) -> bool:
    """Whether a spreadsheet may run a text, or a terminal may be steered by it."""
    return text[:1] in _FORMULA or not text.isprintable()


def _as_safe_cell(cell: Any) -> Any:
    """A cell that a spreadsheet does not run, and that does not steer a terminal.

    Text that may be a formula gets an apostrophe, numbers stay numbers; control characters are
    written as escapes.
    """
    if not isinstance(cell, str):
        return cell
    if not cell.startswith(_FORMULA):
        return make_printable(cell)
    with suppress(ValueError):
        float(cell.replace(",", "."))
        return cell
    return make_printable(f"'{cell}")


def as_read(name: str, names: Collection[str]) -> str:
    """The name of a column that was written as such a cell, if it is one of ``names``."""
    if name in names or (not name.startswith("'") and "\\" not in name):
        return name
    return next((known for known in names if _as_safe_cell(known) == name), name)


def _as_json(columns: Columns) -> bytes:
    return (json.dumps(as_records(columns), ensure_ascii=False, indent=2) + "\n").encode()


def as_records(columns: Columns) -> list[dict[str, Any]]:
    """A dict for each row; JSON has neither infinity nor NaN: these become None."""
    finite = {name: [_none_if_infinite(cell) for cell in cells] for name, cells in columns.items()}
    return [dict(zip(finite, row, strict=True)) for row in zip(*finite.values(), strict=True)]


def _none_if_infinite(cell: Any) -> Any:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def _as_parquet(columns: Columns) -> bytes:
    buffer = BytesIO()
    table = need("pyarrow", extra="parquet").table(dict(columns))
    need("pyarrow.parquet", extra="parquet").write_table(table, buffer)
    return buffer.getvalue()


def _as_workbook(columns: Columns) -> bytes:
    """A workbook of one sheet; text is text, whatever it begins with."""
    openpyxl = need("openpyxl", extra="excel")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Sheet1")

    def as_cell(value: Any) -> Any:
        if not isinstance(value, str):
            return _none_if_infinite(value)
        cell = openpyxl.cell.WriteOnlyCell(sheet, make_printable(value))
        cell.data_type = "s"  # also one that begins with =
        return cell

    for row in (list(columns), *zip(*columns.values(), strict=True)):
        sheet.append([as_cell(value) for value in row])
    buffer = BytesIO()
    book.save(buffer)
    return buffer.getvalue()
