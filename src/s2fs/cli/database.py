"""``--database``: a table that its database sums up; no sample is read here."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from s2fs import PairCover
from s2fs._utils.columns import Columns
from s2fs._utils.messages import format_named
from s2fs.cli.data import DataArguments

#: The table to read, which may be in a database instead.
OPTIONAL_FILE = click.Argument(
    ["file"], type=click.Path(path_type=Path, allow_dash=True), required=False
)
#: Why a selection of samples that are elsewhere has no accuracy on held-out samples.
NO_VERDICT_ELSEWHERE = (
    "the accuracy on held-out samples needs the samples in one place; run 's2fs compare' on some "
    "of them"
)
DATABASE_OPTIONS = (
    click.Option(
        ["--database"],
        metavar="KIND:FILE",
        help="Select from a table of a database, which does the sums itself, such as "
        "duckdb:visits.duckdb; with --table in the place of FILE.",
    ),
    click.Option(["--table"], metavar="NAME", help="Table or view of --database."),
)


def check_place_of_data(data: DataArguments, asked: SimpleNamespace) -> None:
    """Raise unless either a file or a table of a database is given; that counts as a file."""
    if asked.database is None and asked.table is not None:
        raise ValueError("--table is a table of a database; add --database duckdb:FILE.")
    if asked.database is None and data.file is None:
        raise click.UsageError("Missing argument 'FILE'; give a file, or --database and --table.")
    if asked.database is None:
        return
    if data.file is not None:
        raise ValueError(
            f"Both FILE ({str(data.file)!r}) and --database are given; leave one of them out."
        )
    if asked.table is None:
        raise ValueError("--table is missing: say which table of --database holds the samples.")
    if data.target is None:
        raise ValueError("--target is missing: say which column of --table holds the classes.")
    data.file = Path(asked.database.partition(":")[2])


def reject_options(data: DataArguments, asked: SimpleNamespace) -> None:
    """Raise if an option is given that needs all samples in one place."""
    options = data.read_in_one_place
    options |= {f"--{name}": getattr(asked, name) for name in ("report", "tune")}
    options["-k auto"] = asked.n_features == "auto"
    options["--max-correlation"] = asked.max_correlation is not None
    for name, value in options.items():
        if value:
            raise ValueError(
                f"{name} needs all samples in one place and does not go with --database; leave "
                "one of them out."
            )


def fit_in_database(
    selector: Any, data: DataArguments, asked: SimpleNamespace, limits: dict[str, tuple[str, ...]]
) -> list[str]:
    """Fit to a table of a database; returns the names of the features.

    The ``limits`` are columns to include or exclude, by name or position.
    """
    from s2fs.lazy.databases import open_table
    from s2fs.lazy.frames import select_columns

    if not isinstance(selector, PairCover):
        raise ValueError(
            f"--method {asked.method} needs the samples and does not go with --database; use "
            "--method paircover."
        )
    table = open_table(asked.database, asked.table)
    frame, features, text = select_columns(table, data.target, data.drop, asked.table)
    if text:
        click.echo(f"Note: Left out {format_named('column', text)}: not numbers.", err=True)
    columns = Columns.of_file(features, asked.table)
    for name, wanted in limits.items():
        selector.set_params(**{name: columns.positions(wanted, f"--{name}") or None})
    if selector.correlation != 0:
        selector.set_params(correlation=0)
        click.echo(
            "Note: correlations between features are not counted (correlation=0): they need the "
            "samples, which stay in the database.",
            err=True,
        )
    target = Columns.of_file(table.columns, asked.table).position(data.target, "--target")
    selector.fit(frame, y=table.columns[target])
    return features
