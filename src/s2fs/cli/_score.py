"""``s2fs score``: the criterion of given features of a file."""

import csv

import click
import numpy as np

from s2fs import components
from s2fs._core.problem import Problem
from s2fs._util.inputs import Columns
from s2fs.cli._shared import (
    CriterionArguments,
    DataArguments,
    criterion_arguments,
    data_arguments,
    print_table,
)


@click.command(
    epilog="\b\nExample:\n  s2fs score tumours.csv --target diagnosis --features TP53,MYC,ALK"
)
@data_arguments
@criterion_arguments
@click.option(
    "-f",
    "--features",
    required=True,
    metavar="A,B,C",
    help="Features to score together, by name or position, separated by commas; put a name that "
    "contains a comma in double quotes, as in --features '\"a,b\",c'.",
)
def score(*, data: DataArguments, criterion: CriterionArguments, features: str) -> None:
    """Show the criterion and its four components for given features of FILE.

    Positions count the features alone, without the target and the dropped columns.
    """
    table = data.read()
    wanted = [name.strip() for name in next(csv.reader([features]), [])]
    if not wanted:
        raise ValueError("--features is empty; give at least one feature.")
    chosen = Columns.of_file(table.feature_names, data.file).positions(wanted, "--features")
    # The selector's own scaling, so that a subset scores here what it scored when selected.
    problem = Problem(table.X, table.y, criterion.scale)
    columns = problem.columns(np.array(chosen)).T * problem.unit
    parts = components(columns, table.y, centroid_membership=criterion.centroid_membership)
    print_table(
        {
            "n_features": [len(chosen)],
            "sep": [float(parts.separability(criterion.alpha, criterion.beta))],
            **{name: [value] for name, value in parts._asdict().items()},
        }
    )
