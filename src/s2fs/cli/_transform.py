"""``s2fs transform``: apply a saved selection to a new table."""

from pathlib import Path
from typing import Any

import click
import numpy as np

from s2fs import Selection, datasets
from s2fs._util.inputs import Columns, as_numbers, first_text
from s2fs.cli._shared import as_csv, checked_output, note, reject_input_as_output, write_table


@click.command(
    epilog="\b\nExample:\n"
    "  s2fs select tumours.csv --target diagnosis --drop patient -k 20 --save genes.json\n"
    "  s2fs transform genes.json new.csv --keep patient --output new20.csv"
)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--keep",
    metavar="COLUMN",
    multiple=True,
    help="Column to keep in front of the selected ones, such as an identifier, by name or "
    "position; may be repeated.",
)
@click.option(
    "--transpose",
    is_flag=True,
    help="The table has features in rows, with their names in the first column.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    callback=checked_output,
    help="Write to a .csv, .json or .parquet file instead of printing comma-separated text.",
)
def transform(
    *, model: Path, file: Path, keep: tuple[str, ...], transpose: bool, output: Path | None
) -> None:
    """Keep the columns of FILE that were selected, as saved in MODEL.

    MODEL is a .json file that 's2fs select --save' wrote. The columns of FILE are found by name:
    their order is free, others may be there and are left out, and no target is needed. They come
    out in the order of the table the selection was made on.
    """
    selection = Selection.load(model)
    names, columns = datasets.read_unlabelled(file, transpose=transpose)
    reject_input_as_output(output, file)
    selected = selection.positions_in(names, str(file))
    kept = Columns.of_file(names, file).positions(keep, "--keep")
    typed = output is not None and output.suffix.lower() != ".csv"
    checked = {f: _checked(columns[f], names[f], file, typed=typed) for f in selected}
    chosen = dict.fromkeys([*kept, *selected])
    result = {names[f]: checked.get(f) or list(columns[f]) for f in chosen}
    note(f"{len(names) - len(chosen)} of {len(names)} columns left out")
    if output is None:
        click.echo(as_csv(result), nl=False)
    else:
        write_table(output, result)


def _checked(column: Any, name: str, file: Path, *, typed: bool) -> list[Any]:
    """The cells of a selected column, all numbers; as numbers, or as they are in the file."""
    numbers = as_numbers(column)
    if numbers is None:
        text = first_text(column)
        raise ValueError(
            f"{file} has text in the selected column {name!r}, such as {text!r}; give numbers, as "
            "in the table the selection was made on."
        )
    for what, bad in (("missing", np.isnan(numbers)), ("infinite", np.isinf(numbers))):
        if bad.any():
            raise ValueError(
                f"{file} has {what} values in the selected column {name!r}, the first in data row "
                f"{int(bad.argmax()) + 1}; fill them in or leave the rows out."
            )
    return numbers.tolist() if typed or isinstance(column, np.ndarray) else list(column)
