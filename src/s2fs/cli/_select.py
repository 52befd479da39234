"""``s2fs select``: rank the features of a file."""

import re
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

import click

from s2fs.cli._options import count_or_fraction, data_and_criterion
from s2fs.cli._output import checked_output, note, print_table, write_table
from s2fs.cli._scheduler import fit_there, refuse, scheduler_option

if TYPE_CHECKING:
    from s2fs import S2FS


def checked_report(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a report that cannot be written before any work is done."""
    if path is None:
        return None
    from s2fs.report import check_destination

    return check_destination(path)


def _shape(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """Height and width, as in 32x32."""
    if value is None:
        return None
    if match := re.fullmatch(r"\s*([1-9]\d*)\s*[x×]\s*([1-9]\d*)\s*", value):
        return int(match[1]), int(match[2])
    raise click.BadParameter(f"{value!r}; give height and width as in 32x32.", ctx, param)


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
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    callback=checked_report,
    help="Also write a page to look at, with figures and cross-validated accuracies, to an .html "
    "file.",
)
@click.option(
    "--image-shape",
    metavar="HEIGHTxWIDTH",
    callback=_shape,
    help="The features are the pixels of pictures of this shape; the report shows them.",
)
@click.option(
    "--image-order",
    type=click.Choice(["C", "F"]),
    default="C",
    show_default=True,
    help="Pixels are laid out row after row (C), or column after column as in MATLAB (F).",
)
@scheduler_option(
    "FILE is a directory or a pattern of Parquet files, or a Zarr group, that the workers of the "
    "Dask cluster at this address read, such as tcp://host:8786.",
)
def select(
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
    n_features: int | float,
    n_jobs: int | None,
    output: Path | None,
    report: Path | None,
    image_shape: tuple[int, int] | None,
    image_order: Literal["C", "F"],
    scheduler: str | None,
) -> None:
    """Rank the features of FILE by how well they tell the classes apart.

    FILE is a .csv, .tsv, .txt, .parquet, .npz, .mat, .arff or .h5ad file. The table shows, for each
    feature in order of choice, the criterion Sep of the features so far, its gain, and its four
    components: compactness (theta, smaller is better) and separation (lambda, larger is better)
    by distance and by direction.
    """
    from s2fs import S2FS
    from s2fs.datasets import read_table

    if image_shape is not None and report is None:
        raise ValueError("--image-shape is for the report; add --report FILE.html.")
    selector = S2FS(
        n_features,
        alpha=alpha,
        beta=beta,
        scale=None if no_scale else "minmax",
        centroid_membership=centroid_membership,
        n_jobs=n_jobs,
        verbose=int(sys.stderr.isatty()),
    )
    if scheduler is not None:
        refuse({"--transpose": transpose, "--layer": layer, "--report": report})
        names = fit_there(selector, scheduler, file, target, drop)
        table = ranking_columns(selector, names)
        print_table(table)
        if output is not None:
            write_table(output, table)
        return
    data = read_table(file, target, drop=drop, transpose=transpose, layer=layer)
    if output is not None and output.exists() and output.samefile(file):
        raise ValueError(f"--output is {str(output)!r}, the data itself; choose another name.")
    if report is not None:
        from s2fs.report._summary import made_dense

        data = made_dense(data)
    n, m = data.X.shape
    if image_shape is not None and image_shape[0] * image_shape[1] != m:
        raise ValueError(
            f"--image-shape is {image_shape[0]}x{image_shape[1]}, but there are {m} features; "
            "give the shape of one picture."
        )
    note(f"{n} samples, {m} features, {len(data.class_names)} classes")
    start = perf_counter()
    selector.fit(data.X, data.y)
    seconds = perf_counter() - start
    table = ranking_columns(selector, data.feature_names)
    print_table(table)
    if output is not None:
        write_table(output, table)
    if report is not None:
        from s2fs.report import selection_report

        data.image_shape, data.image_order = image_shape, image_order
        selection_report(data, selector, report, title=file.name, seconds=seconds, n_jobs=n_jobs)
        note(f"Wrote {report}.")


def ranking_columns(selector: "S2FS", feature_names: list[str]) -> dict[str, list[Any]]:
    """The path of a fitted selector as columns, with the features by name."""
    from s2fs import Components

    path = selector.path_
    return {
        "rank": list(range(1, len(path) + 1)),
        "feature": [feature_names[f] for f in path["feature"]],
        **{name: path[name].tolist() for name in ("sep", "gain", *Components._fields)},
    }
