"""``s2fs transform`` at work."""

import re
from pathlib import Path
from typing import Any

import click
import numpy as np

from s2fs import Selection, io
from s2fs._utils.columns import Columns
from s2fs._utils.types import Floats
from s2fs.cli._transform import Transform
from s2fs.cli.command import arguments_of
from s2fs.cli.outputs import as_read, as_text, write_table
from s2fs.cli.terminal import note


def run(asked: Transform) -> None:
    """Print or write the columns that were selected."""
    selection, file = Selection.load(asked.model), asked.file
    options = arguments_of(asked.text)
    table = io.read_unlabelled(file, transpose=asked.transpose, **options)
    names = [as_read(name, selection.columns) for name in table.names]
    columns = [*table.columns]
    n_columns = len(names)
    for name in selection.columns:
        encoded = None if name in names else _encode_again(name, names, columns)
        if encoded is not None:
            names.append(name)
            columns.append(encoded)
    selected = selection.positions_in(names, str(file))
    in_front = Columns.of_file(names, file).positions(asked.keep, "keep")
    has_types = asked.output is not None and asked.output.suffix.lower() not in (".csv", ".tsv")
    checked = {}
    for f in selected:
        numbers = table.numbers(f) if f < n_columns else np.array(columns[f])
        if numbers is None:
            raise _about_text(file, names[f], table.first_text(f))
        checked[f] = _check_column(columns[f], numbers, names[f], file, has_types=has_types)
    positions = dict.fromkeys([*in_front, *selected])
    result = {names[f]: checked.get(f) or list(columns[f]) for f in positions}
    note(f"{n_columns - len(positions)} of {n_columns} columns left out")
    if asked.output is None:
        click.echo(as_text(result), nl=False)
    else:
        write_table(asked.output, result)


def _encode_again(name: str, names: list[str], columns: list[Any]) -> list[float] | None:
    """A column such as ``colour=red``, made from one of text as ``select`` does."""
    for split in (i for i, c in enumerate(name) if c == "="):
        if (source := name[:split]) in names:
            cells = columns[names.index(source)]
            return [float(str(cell).strip() == name[split + 1 :]) for cell in cells]
    return None


def _about_text(file: Path, name: str, cell: str) -> ValueError:
    """Why a selected column cannot be used, and which option helps."""
    start = f"{file} has text in the selected column {name!r}, such as {cell!r}; "
    if re.fullmatch(r"[\s\d.,'+-]*\d[\s\d.,'+-]*", cell):
        return ValueError(f"{start}say how numbers are written with --thousands or --decimal.")
    return ValueError(
        f"{start}give numbers, as in the table the selection was made on, or say what is missing "
        "with --missing."
    )


def _check_column(
    column: Any, numbers: Floats, name: str, file: Path, *, has_types: bool
) -> list[Any]:
    """The cells of a selected column, numbers or missing: as numbers, or as they are written."""
    if np.isinf(numbers).any():
        raise ValueError(
            f"{file} has infinite values in the selected column {name!r}, the first in data row "
            f"{int(np.isinf(numbers).argmax()) + 1}; fix them, or leave the rows out."
        )
    if has_types:
        return [None if np.isnan(value) else value for value in numbers.tolist()]
    if isinstance(column, np.ndarray):
        return ["" if np.isnan(value) else value for value in numbers.tolist()]
    return list(column)
