"""``s2fs transform``: apply a saved selection to a new table."""

import re
from pathlib import Path
from typing import Any

import click
import numpy as np

from s2fs import Selection, io
from s2fs._utils.columns import Columns
from s2fs._utils.types import Floats
from s2fs.cli.help import Command
from s2fs.cli.options import FILE, PATH, TEXT_OPTIONS, output_option, raw_text_option
from s2fs.cli.outputs import as_text, reject_input_as_output, write_table
from s2fs.cli.terminal import note


@click.command(
    cls=Command,
    params=[
        click.Argument(["model"], type=PATH),
        FILE,
        click.Option(
            ["--keep"],
            metavar="A,B",
            multiple=True,
            help="Columns to keep in front of the selected ones, such as an identifier, by name or "
            "position.",
        ),
        click.Option(
            ["--transpose"],
            is_flag=True,
            help="The table has features in rows, with their names in the first column.",
        ),
        *TEXT_OPTIONS,
    ],
    epilog="\b\nExample:\n"
    "  s2fs select tumours.csv --target diagnosis --drop patient -k 20 --save genes.json\n"
    "  s2fs transform genes.json new.csv --keep patient --output new20.csv",
)
@output_option(
    help="Write to a .csv, .tsv, .json, .parquet or .xlsx file instead of printing "
    "comma-separated text.",
)
@raw_text_option
def transform(
    *,
    model: Path,
    file: Path,
    keep: tuple[str, ...],
    transpose: bool,
    output: Path | None,
    raw_text: bool,
    **options: Any,
) -> None:
    """Keep the columns of FILE that were selected, as saved in MODEL.

    MODEL is a .json file that 's2fs select --save' wrote. The columns of FILE are found by name:
    their order is free, others may be there and are left out, and no target is needed. They come
    out in the order of the table the selection was made on, cell by cell as they are; what is
    missing stays missing. A column that was encoded from text is encoded again.
    """
    reject_input_as_output([file, model], output=output)
    selection = Selection.load(model)
    table = io.read_unlabelled(file, transpose=transpose, **options)
    names, columns = [*table.names], [*table.columns]
    n_columns = len(names)
    for name in selection.columns:
        encoded = None if name in names else _encode_again(name, names, columns)
        if encoded is not None:
            names.append(name)
            columns.append(encoded)
    selected = selection.positions_in(names, str(file))
    in_front = Columns.of_file(names, file).positions(keep, "--keep")
    has_types = output is not None and output.suffix.lower() not in (".csv", ".tsv")
    checked = {}
    for f in selected:
        numbers = table.numbers(f) if f < n_columns else np.array(columns[f])
        if numbers is None:
            raise ValueError(_describe_text(file, names[f], table.first_text(f)))
        checked[f] = _check_column(columns[f], numbers, names[f], file, has_types=has_types)
    positions = dict.fromkeys([*in_front, *selected])
    result = {names[f]: checked.get(f) or list(columns[f]) for f in positions}
    note(f"{n_columns - len(positions)} of {n_columns} columns left out")
    if output is None:
        click.echo(as_text(result, raw_text=raw_text), nl=False)
    else:
        write_table(output, result, raw_text=raw_text)


def _encode_again(name: str, names: list[str], columns: list[Any]) -> list[float] | None:
    """A column such as ``colour=red``, made from one of text as ``select --encode`` does."""
    for split in (i for i, c in enumerate(name) if c == "="):
        if (source := name[:split]) in names:
            cells = columns[names.index(source)]
            return [float(str(cell).strip() == name[split + 1 :]) for cell in cells]
    return None


def _describe_text(file: Path, name: str, cell: str) -> str:
    """Why a selected column cannot be used, and which option helps."""
    start = f"{file} has text in the selected column {name!r}, such as {cell!r}; "
    if re.fullmatch(r"[\s\d.,'+-]*\d[\s\d.,'+-]*", cell):
        return f"{start}say how numbers are written with --thousands or --decimal."
    return (
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
