"""``--table``: a table that its database sums up; no sample is read here."""

from typing import Any

import click

from s2fs._utils.arguments import Argument
from s2fs._utils.columns import Columns
from s2fs._utils.messages import format_named
from s2fs._utils.optional import need
from s2fs.cli.options import DataOptions
from s2fs.io import name_identifiers

#: How many values of a table are looked at for what its columns mean, and rows at least.
MOST_VALUES, FEWEST_ROWS = 4_000_000, 100
#: Why a selection of samples that are elsewhere has no accuracy on held-out samples.
NO_VERDICT_ELSEWHERE = (
    "the accuracy on held-out samples needs the samples in one place; run 's2fs compare' on some "
    "of them"
)


def fit_in_database(
    selector: Any, data: DataOptions, name: str, target: str, limits: dict[str, tuple[str, ...]]
) -> tuple[list[str], Any, str]:
    """Fit to the table of a database that has a name.

    Returned are the names of the features, the table, and the name of its target.

    The ``limits`` are columns to include or exclude, by name or position.
    """
    duckdb = need("duckdb", extra="duckdb", purpose="--table")
    try:
        return _fit(selector, data, name, target, limits)
    except duckdb.Error as error:  # a damaged file, or a view that cannot be computed
        reason = str(error).splitlines()[0].rstrip(".")
        raise ValueError(
            f"{data.file} cannot give its table {name!r} ({reason}); check the file and its views."
        ) from None


def _fit(
    selector: Any, data: DataOptions, name: str, target: str, limits: dict[str, tuple[str, ...]]
) -> tuple[list[str], Any, str]:
    """The same; a failure of DuckDB is its own error."""
    from s2fs.lazy.databases import open_table
    from s2fs.lazy.frames import select_columns, take_first_rows

    table = open_table(f"duckdb:{data.file}", name)
    columns = Columns.of_file(table.columns, name)
    insisted = [table.columns[f] for f in columns.positions(data.keep, Argument("keep"))]
    _, features, text = select_columns(table, target, data.drop, name)
    n_rows = max(FEWEST_ROWS, MOST_VALUES // len(table.columns))
    first = take_first_rows(table, [*features, *text], n_rows)
    identifiers = name_identifiers(
        f"{data.file.name}, {name}",
        {column: values for column, values in first.items() if column not in insisted},
    )
    drop = [*data.drop, *identifiers]
    frame, features, text = select_columns(table, target, drop, name)
    if text:
        click.echo(f"Note: Left out {format_named('column', text)}: not numbers.", err=True)
    columns = Columns.of_file(features, name)
    for argument, wanted in limits.items():
        selector.set_params(**{argument: columns.positions(wanted, argument) or None})
    if selector.correlation != 0:
        selector.set_params(correlation=0)
        click.echo(
            "Note: correlations between features are not counted (correlation=0): they need the "
            "samples, which stay in the database.",
            err=True,
        )
    position = Columns.of_file(table.columns, name).position(target, "target")
    selector.fit(frame, y=table.columns[position])
    return features, frame, table.columns[position]
