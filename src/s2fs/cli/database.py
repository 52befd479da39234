"""Samples that stay where they are: a table of a database, or Parquet files beyond memory."""

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import click

from s2fs import io
from s2fs._utils.arguments import Argument
from s2fs._utils.columns import Columns
from s2fs._utils.messages import format_named
from s2fs._utils.optional import need
from s2fs.cli.messages import print_note
from s2fs.cli.options import DataOptions
from s2fs.io.large_parquet import LargeParquet, LargeTable

#: How many values of a table are looked at for what its columns mean, and rows at least.
MOST_VALUES, FEWEST_ROWS = 4_000_000, 100
#: Why a selection of samples that are elsewhere has no accuracy on held-out samples.
NO_VERDICT_ELSEWHERE = (
    "the accuracy on held-out samples needs the samples in one place; run 's2fs compare' on some "
    "of them"
)
#: What was said about the data that goes with Parquet files beyond memory.
FOR_LARGE_FILES = ("target", "drop", "keep", "id", "numeric_only", "max_memory")
#: The features to include and to exclude, by name or position.
Limits = Mapping[str, tuple[str, ...]]


class Elsewhere(NamedTuple):
    """What was fitted to: the names of the features, the lazy frame, and the name of its target."""

    names: list[str]
    frame: Any
    target: str


def fit_in_database(
    selector: Any, data: DataOptions, name: str, target: str, limits: Limits
) -> Elsewhere:
    """Fit to the table of a database that has a name."""
    duckdb = need("duckdb", extra="duckdb", purpose="--table")
    try:
        return _fit_table(selector, data, name, target, limits)
    except duckdb.Error as error:  # a damaged file, or a view that cannot be computed
        reason = str(error).splitlines()[0].rstrip(".")
        raise ValueError(
            f"{data.file} cannot give its table {name!r} ({reason}); check the file and its views."
        ) from None


def _fit_table(
    selector: Any, data: DataOptions, name: str, target: str, limits: Limits
) -> Elsewhere:
    """The same; a failure of DuckDB is its own error."""
    from s2fs.lazy.databases import open_table
    from s2fs.lazy.frames import select_columns, take_first_rows

    table = open_table(f"duckdb:{data.file}", name)
    columns = Columns.of_file(table.columns, name)
    insisted = [table.columns[f] for f in columns.positions(data.keep, Argument("keep"))]
    _, features, text = select_columns(table, target, data.drop, name)
    n_rows = max(FEWEST_ROWS, MOST_VALUES // len(table.columns))
    first = take_first_rows(table, [*features, *text], n_rows)
    identifiers = io.name_identifiers(
        f"{data.file.name}, {name}",
        {column: values for column, values in first.items() if column not in insisted},
    )
    drop = [*data.drop, *identifiers]
    frame, features, text = select_columns(table, target, drop, name)
    if text:
        click.echo(f"Note: Left out {format_named('column', text)}: not numbers.", err=True)
    label = table.columns[columns.position(target, "target")]
    found = Elsewhere(features, frame, label)
    _fit_elsewhere(selector, found, limits, name, "the database")
    return found


def fit_beyond_memory(selector: Any, data: DataOptions, limits: Limits) -> Elsewhere:
    """Fit to Parquet files where they are."""
    duckdb = need("duckdb", extra="duckdb", purpose=f"Selecting from {data.file} beyond memory")
    try:
        return _fit_files(selector, data, limits)
    except duckdb.Error as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ValueError(f"{data.file} cannot be read ({reason}); check the file.") from None


def _fit_files(selector: Any, data: DataOptions, limits: Limits) -> Elsewhere:
    """The same; a failure of DuckDB is its own error."""
    import duckdb

    from s2fs.lazy.databases import open_parquet

    with warnings.catch_warnings():  # remarks follow as notes
        warnings.simplefilter("ignore", io.ReadWarning)
        parquet = LargeParquet(
            data.file,
            target=data.target,
            drop=data.drop,
            keep=data.keep,
            id=data.id,
            max_memory=data.text.max_memory,
        )
        table = open_parquet(parquet.files, parquet.limit)

        def are_distinct(positions: list[int]) -> list[bool]:
            names = [_quoted(table.columns[f]) for f in positions]
            return _ask(table, [f"count(DISTINCT {name}) = count(*)" for name in names])

        found = parquet.find_columns(are_distinct)
    print_note(
        f"{data.file} takes more memory than is allowed and stays on disk: DuckDB sums it up."
    )
    for remark in found.remarks:
        print_note(remark.text, shorten=data.file)
    label = _column_of(table, found, found.target)
    frame = table.filter(f"{_quoted(label)} IS NOT NULL")
    n_without, n = _ask(table, [f"count(*) - count({_quoted(label)})", "count(*)"])
    if n_without > n / 2:
        raise ValueError(
            f"{data.file} has no label in {n_without} of {n} rows; label them, or filter them."
        )
    if n_without:
        print_note(f"{data.file} has no label in {n_without} of {n} rows, which are left out.")
    columns = [_column_of(table, found, f) for f in (*found.features, found.target)]
    frame = frame.select(*map(duckdb.ColumnExpression, columns))
    names = [found.names[f] for f in found.features]
    fitted = Elsewhere(names, frame, label)
    _fit_elsewhere(selector, fitted, limits, str(data.file), "the files")
    return fitted


def _fit_elsewhere(
    selector: Any, samples: Elsewhere, limits: Limits, source: str, where: str
) -> None:
    """Fit without the samples, which stay ``where`` they are."""
    columns = Columns.of_file(samples.names, source)
    for argument, wanted in limits.items():
        selector.set_params(**{argument: columns.positions(wanted, argument) or None})
    if selector.correlation != 0:
        selector.set_params(correlation=0)
        print_note(
            "correlations between features are not counted (correlation=0): they need the "
            f"samples, which stay in {where}."
        )
    selector.fit(samples.frame, y=samples.target)


def _ask(table: Any, questions: list[str]) -> list[Any]:
    """The answers to questions about a whole table, each an expression of SQL."""
    return list(table.aggregate(", ".join(questions)).fetchall()[0])


def _column_of(table: Any, found: LargeTable, position: int) -> str:
    """What DuckDB calls a column, which differs where names differ by case only."""
    name = found.names[position]
    return name if position >= found.n_in_files else table.columns[position]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
