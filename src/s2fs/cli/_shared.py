"""What the commands share: arguments, and how results are shown and written."""

import csv
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import wraps
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

from s2fs import datasets, report
from s2fs._util.files import check_place, write_whole
from s2fs._util.optional import need

Command = TypeVar("Command", bound=Callable[..., Any])
#: Columns of a table by name, all of one length.
Columns = Mapping[str, Sequence[Any]]

#: What a shell expects of a command that Ctrl-C has ended.
INTERRUPTED = 130
OUTPUT_SUFFIXES = (".csv", ".json", ".parquet")


class Group(click.Group):
    """A group of commands that shows its help when none of them is given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, with ``--help`` in the place of nothing."""
        return super().parse_args(ctx, args or ["--help"])


@dataclass(frozen=True)
class DataArguments:
    """Which data to read, as given on the command line."""

    file: Path
    target: str | None
    drop: tuple[str, ...]
    transpose: bool
    layer: str | None

    def read(self) -> "datasets.Dataset":
        """Read the data."""
        return datasets.read_table(
            self.file, self.target, drop=self.drop, transpose=self.transpose, layer=self.layer
        )


@dataclass(frozen=True)
class CriterionArguments:
    """The criterion, as given on the command line."""

    alpha: float
    beta: float
    centroid_membership: Literal["printed", "normalized"]
    no_scale: bool

    @property
    def scale(self) -> Literal["minmax"] | None:
        """How to scale the features."""
        return None if self.no_scale else "minmax"


def collected(name: str, kind: type, *options: Callable[..., Any]) -> Callable[[Command], Command]:
    """Add options to a command, which gets their values as one object.

    Parameters
    ----------
    name : str
        The argument of the command that takes the object.
    kind : type
        A dataclass with a field for each of the options.
    *options : callable
        What ``click.option`` and ``click.argument`` return.

    Returns
    -------
    callable
        The decorator of the command.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def collect(*args: Any, **given: Any) -> Any:
            own = {field.name: given.pop(field.name) for field in fields(kind)}
            return command(*args, **given, **{name: kind(**own)})

        for add in reversed(options):
            collect = add(collect)
        return collect  # type: ignore[return-value]

    return decorate


def _weight(ctx: click.Context, param: click.Parameter, value: str) -> float:
    """A finite number that is not negative."""
    with suppress(ValueError):
        if 0 <= (weight := float(value)) < math.inf:
            return weight
    raise click.BadParameter(f"{value!r}; give a finite number that is not negative.", ctx, param)


data_arguments = collected(
    "data",
    DataArguments,
    click.argument("file", type=click.Path(path_type=Path)),
    click.option(
        "-t",
        "--target",
        metavar="COLUMN",
        help="Column with the classes, by name or position (0 is the first, -1 the last); of obs "
        "in an .h5ad file. Not needed for .npz and .mat with X and y.",
    ),
    click.option(
        "--drop",
        metavar="COLUMN",
        multiple=True,
        help="Column to leave out, such as an identifier; may be repeated.",
    ),
    click.option(
        "--transpose",
        is_flag=True,
        help="The table has features in rows: names in the first column, classes in the row "
        "named by --target.",
    ),
    click.option("--layer", metavar="NAME", help="Layer of an .h5ad file to read instead of X."),
)
criterion_arguments = collected(
    "criterion",
    CriterionArguments,
    click.option(
        "--alpha",
        metavar="NUMBER",
        callback=_weight,
        default="0.0316",
        show_default=True,
        help="Weight of direction in the compactness of the classes.",
    ),
    click.option(
        "--beta",
        metavar="NUMBER",
        callback=_weight,
        default="0.0316",
        show_default=True,
        help="Weight of direction in the separation of the classes.",
    ),
    click.option(
        "--centroid-membership",
        type=click.Choice(["printed", "normalized"]),
        default="printed",
        show_default=True,
        help="Variant of the paper's Eq. 20.",
    ),
    click.option(
        "--no-scale",
        is_flag=True,
        help="Take the features as they are instead of scaling each to [0, 1].",
    ),
)


def checked_output(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Refuse an output that cannot be written before any work is done."""
    if path is None:
        return None
    check_place(path, "--output", OUTPUT_SUFFIXES)
    if path.suffix.lower() == ".parquet":
        need("pyarrow", extra="parquet", purpose="--output to a Parquet file")
    return path


def checked_report(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a report that cannot be written before any work is done."""
    return None if path is None else report.check_destination(path)


def reject_input_as_output(output: Path | None, file: Path) -> None:
    """Raise if the output would take the place of the data."""
    if output is not None and output.exists() and output.samefile(file):
        raise ValueError(f"--output is {str(output)!r}, the data itself; choose another name.")


def note(message: str) -> None:
    """Say something beside the result, if there is a user to see it."""
    if sys.stderr.isatty():
        click.echo(message, err=True)


def print_table(columns: Columns) -> None:
    """Print a table: drawn on a terminal, aligned plain text otherwise."""
    rows = [[_shown(cell) for cell in row] for row in zip(*columns.values(), strict=True)]
    text = [isinstance(cells[0], str) for cells in columns.values()]
    if sys.stdout.isatty():
        table = need("rich.table", extra="cli").Table()
        for name, is_text in zip(columns, text, strict=True):
            table.add_column(name, justify="left" if is_text else "right")
        as_text = need("rich.text", extra="cli").Text  # so that brackets in a name are no markup
        for row in rows:
            table.add_row(*map(as_text, row))
        need("rich.console", extra="cli").Console().print(table)
        return
    lines = [list(columns), *rows]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    for line in lines:
        cells = [
            cell.ljust(width) if is_text else cell.rjust(width)
            for cell, width, is_text in zip(line, widths, text, strict=True)
        ]
        click.echo("  ".join(cells).rstrip())


def _shown(cell: Any) -> str:
    """A cell as printed: short numbers, and names in one line."""
    return f"{cell:.6g}" if isinstance(cell, float) else " ".join(str(cell).split())


def write_table(path: Path, columns: Columns) -> None:
    """Write a table as the suffix says: the whole file or, if anything fails, nothing."""
    encode = {".csv": as_csv, ".json": _as_json, ".parquet": _as_parquet}[path.suffix.lower()]
    write_whole(path, encode(columns))
    note(f"Wrote {path}.")


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
    buffer = BytesIO()
    table = need("pyarrow", extra="parquet").table(dict(columns))
    need("pyarrow.parquet", extra="parquet").write_table(table, buffer)
    return buffer.getvalue()
