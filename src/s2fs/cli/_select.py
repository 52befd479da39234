"""``s2fs select``: rank the features of a file."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from s2fs.cli._options import count_or_fraction, data_and_criterion
from s2fs.cli._output import checked_output, note, print_table, write_table

if TYPE_CHECKING:
    from s2fs import S2FS


@click.command(
    epilog="\b\nExample:\n"
    "  s2fs select tumours.csv --target diagnosis --drop patient -k 20 --output ranking.csv"
)
@data_and_criterion
@click.option(
    "-k",
    "--n-features",
    metavar="NUMBER",
    callback=count_or_fraction,
    default="10",
    show_default=True,
    help="How many features to select: a number, or a fraction such as 0.1.",
)
@click.option("--n-jobs", type=int, help="Number of threads; -1 is all cores.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    callback=checked_output,
    help="Also write the ranking to a .csv, .json or .parquet file.",
)
def select(
    *,
    file: Path,
    target: str | None,
    drop: tuple[str, ...],
    transpose: bool,
    alpha: float,
    beta: float,
    centroid_membership: Literal["printed", "normalized"],
    no_scale: bool,
    n_features: int | float,
    n_jobs: int | None,
    output: Path | None,
) -> None:
    """Rank the features of FILE by how well they tell the classes apart.

    FILE is a .csv, .tsv, .txt, .parquet, .npz, .mat or .arff file. The table shows, for each
    feature in order of choice, the criterion Sep of the features so far, its gain, and its four
    components: compactness (theta, smaller is better) and separation (lambda, larger is better)
    by distance and by direction.
    """
    from s2fs import S2FS
    from s2fs.datasets import read_table

    data = read_table(file, target, drop=drop, transpose=transpose)
    if output is not None and output.exists() and output.samefile(file):
        raise ValueError(f"--output is {str(output)!r}, the data itself; choose another name.")
    n, m = data.X.shape
    note(f"{n} samples, {m} features, {len(data.class_names)} classes")
    selector = S2FS(
        n_features,
        alpha=alpha,
        beta=beta,
        scale=None if no_scale else "minmax",
        centroid_membership=centroid_membership,
        n_jobs=n_jobs,
        verbose=int(sys.stderr.isatty()),
    ).fit(data.X, data.y)
    table = ranking_columns(selector, data.feature_names)
    print_table(table)
    if output is not None:
        write_table(output, table)


def ranking_columns(selector: "S2FS", feature_names: list[str]) -> dict[str, list[Any]]:
    """The path of a fitted selector as columns, with the features by name."""
    from s2fs import Components

    path = selector.path_
    return {
        "rank": list(range(1, len(path) + 1)),
        "feature": [feature_names[f] for f in path["feature"]],
        **{name: path[name].tolist() for name in ("sep", "gain", *Components._fields)},
    }
