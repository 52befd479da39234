"""Tables for the eye, for a pipe, and for a file."""

import csv
import json
import math
import sys
from collections.abc import Mapping, Sequence
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import click

from s2fs._util.files import check_place, write_whole

#: Columns of a table by name, all of one length.
Columns = Mapping[str, Sequence[Any]]

#: What a shell expects of a command that Ctrl-C has ended.
INTERRUPTED = 130
OUTPUT_SUFFIXES = (".csv", ".json", ".parquet")


def print_table(columns: Columns) -> None:
    """Print a table: drawn on a terminal, aligned plain text otherwise."""
    rows = [[_shown(cell) for cell in row] for row in zip(*columns.values(), strict=True)]
    text = [isinstance(cells[0], str) for cells in columns.values()]
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table()
        for name, is_text in zip(columns, text, strict=True):
            table.add_column(name, justify="left" if is_text else "right")
        for row in rows:
            table.add_row(*map(Text, row))  # as Text, brackets in a name are no markup
        Console().print(table)
        return
    lines = [list(columns), *rows]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    for line in lines:
        cells = [
            cell.ljust(width) if is_text else cell.rjust(width)
            for cell, width, is_text in zip(line, widths, text, strict=True)
        ]
        click.echo("  ".join(cells).rstrip())


def note(message: str) -> None:
    """Tell the user something beside the result, if there is a user to see it."""
    if sys.stderr.isatty():
        click.echo(message, err=True)


def checked_output(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Refuse an output that cannot be written before any work is done."""
    if path is None:
        return None
    check_place(path, "--output", OUTPUT_SUFFIXES)
    if path.suffix.lower() == ".parquet":
        _parquet()
    return path


def reject_input_as_output(output: Path | None, file: Path) -> None:
    """Raise if the output would take the place of the data."""
    if output is not None and output.exists() and output.samefile(file):
        raise ValueError(f"--output is {str(output)!r}, the data itself; choose another name.")


def write_table(path: Path, columns: Columns) -> None:
    """Write a table as the suffix says: the whole file or, if anything fails, nothing."""
    encode = {".csv": as_csv, ".json": _as_json, ".parquet": _as_parquet}[path.suffix.lower()]
    write_whole(path, encode(columns))
    note(f"Wrote {path}.")


def _shown(cell: Any) -> str:
    """A cell as printed: short numbers, and names in one line."""
    return f"{cell:.6g}" if isinstance(cell, float) else " ".join(str(cell).split())


def as_csv(columns: Columns) -> bytes:
    """A table as comma-separated text in UTF-8."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()


def _as_json(columns: Columns) -> bytes:
    """A list with an object for each row; JSON has no infinity, so that becomes null."""
    rows = [
        {
            name: None if isinstance(cell, float) and not math.isfinite(cell) else cell
            for name, cell in zip(columns, row, strict=True)
        }
        for row in zip(*columns.values(), strict=True)
    ]
    return (json.dumps(rows, ensure_ascii=False, indent=2) + "\n").encode()


def _as_parquet(columns: Columns) -> bytes:
    arrow, parquet = _parquet()
    buffer = BytesIO()
    parquet.write_table(arrow.table(dict(columns)), buffer)
    return buffer.getvalue()


def _parquet() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise ValueError(
            "--output is a Parquet file, which needs pyarrow: pip install 's2fs[parquet]'."
        ) from None
    return pyarrow, parquet
