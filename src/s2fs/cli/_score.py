"""``s2fs score``: judge a given subset of the features of a file."""

import csv
from pathlib import Path
from typing import Literal

import click

from s2fs.cli._options import data_and_criterion
from s2fs.cli._output import print_table


@click.command(
    epilog="\b\nExample:\n  s2fs score tumours.csv --target diagnosis --features TP53,MYC,ALK"
)
@data_and_criterion
@click.option(
    "-f",
    "--features",
    required=True,
    metavar="A,B,C",
    help="Indices to score together, by name or position, separated by commas; put a name that "
    "contains a comma in double quotes, as in --features '\"a,b\",c'.",
)
def score(
    *,
    file: Path,
    target: str | None,
    drop: tuple[str, ...],
    transpose: bool,
    layer: str | None,
    alpha: float,
    beta: float,
    centroid_membership: Literal["printed", "normalized"],
    no_scale: bool,
    features: str,
) -> None:
    """Show the criterion and its four components for given features of FILE.

    Positions count the features alone, without the target and the dropped columns.
    """
    import numpy as np

    from s2fs import components
    from s2fs._core.problem import Problem
    from s2fs._util.columns import column_position
    from s2fs.datasets import read_table

    data = read_table(file, target, drop=drop, transpose=transpose, layer=layer)
    wanted = [name.strip() for name in next(csv.reader([features]), [])]
    if not wanted:
        raise ValueError("--features is empty; give at least one feature.")
    chosen = [column_position(w, data.feature_names, "--features", file) for w in wanted]
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"--features is {features!r}, which has a feature twice; give each once.")
    # The selector's own scaling, so that a subset scores here what it scored when selected.
    problem = Problem(data.X, data.y, None if no_scale else "minmax")
    columns = problem.columns(np.array(chosen)).T * problem.unit
    parts = components(columns, data.y, centroid_membership=centroid_membership)
    print_table(
        {
            "n_features": [len(chosen)],
            "sep": [float(parts.separability(alpha, beta))],
            **{name: [value] for name, value in parts._asdict().items()},
        }
    )
