"""``s2fs select``: rank the features of a file."""

import re
import sys
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import click

from s2fs._util.files import check_place
from s2fs.cli._options import data_and_criterion, number_of_features
from s2fs.cli._output import checked_output, note, reject_input_as_output
from s2fs.cli._scheduler import fit_there, refuse, scheduler_option
from s2fs.cli._selecting import (
    deliver,
    fitted,
    ranking_columns,
    stability_line,
    stability_of,
    tuned,
)


def checked_report(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a report that cannot be written before any work is done."""
    if path is None:
        return None
    from s2fs.report import check_destination

    return check_destination(path)


def _checked_model(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    return None if path is None else check_place(path, "--save", (".json",))


def _shape(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """Height and width, as in 32x32."""
    if value is None:
        return None
    if match := re.fullmatch(r"\s*([1-9]\d*)\s*[x×]\s*([1-9]\d*)\s*", value):
        return int(match[1]), int(match[2])
    raise click.BadParameter(f"{value!r}; give height and width as in 32x32.", ctx, param)


@click.command(
    epilog="\b\nExample:\n"
    "  s2fs select tumours.csv --target diagnosis --drop patient -k 20 --output ranking.csv\n"
    "  s2fs select tumours.csv --target diagnosis --drop patient -k auto --tune --stability 50"
)
@data_and_criterion
@click.option(
    "-k",
    "--n-features",
    metavar="NUMBER",
    callback=number_of_features,
    default="10",
    show_default=True,
    help="How many features to select: a number, a fraction such as 0.1, or auto for as many as do "
    "better than chance (with --tune, as many as cross-validation asks for).",
)
@click.option(
    "--tune",
    is_flag=True,
    help="Choose alpha and beta, and with -k auto the number of features, by 5-fold "
    "cross-validation with 5 nearest neighbours.",
)
@click.option(
    "--stability",
    metavar="N",
    type=click.IntRange(min=2),
    help="Select on N random halves of the samples, too, and tell how often each feature comes "
    "back.",
)
@click.option(
    "--include",
    metavar="FEATURE",
    multiple=True,
    help="Feature that is in from the start, by name or position; may be repeated.",
)
@click.option(
    "--exclude",
    metavar="FEATURE",
    multiple=True,
    help="Feature that is never chosen, by name or position; may be repeated.",
)
@click.option(
    "--search",
    type=click.Choice(["forward", "floating", "beam"]),
    default="forward",
    show_default=True,
    help="Add one feature after the other, also drop and swap, or follow several sets at once.",
)
@click.option(
    "--class-weight",
    type=click.Choice(["balanced"]),
    help="Let every class count as much as another, however few samples it has.",
)
@click.option("--n-jobs", type=int, help="Number of threads; -1 is all cores.")
@scheduler_option(
    "FILE is a directory or a pattern of Parquet files, or a Zarr group, that the workers of the "
    "Dask cluster at this address read, such as tcp://host:8786.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    callback=checked_output,
    help="Also write the ranking to a .csv, .json or .parquet file.",
)
@click.option(
    "--save",
    metavar="MODEL.json",
    type=click.Path(path_type=Path),
    callback=_checked_model,
    help="Also save the selection, for 's2fs transform' to apply it to new tables.",
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
@click.pass_context
def select(
    ctx: click.Context,
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
    n_features: int | float | Literal["auto"],
    tune: bool,
    stability: int | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    search: Literal["forward", "floating", "beam"],
    class_weight: Literal["balanced"] | None,
    n_jobs: int | None,
    scheduler: str | None,
    output: Path | None,
    save: Path | None,
    report: Path | None,
    image_shape: tuple[int, int] | None,
    image_order: Literal["C", "F"],
) -> None:
    """Rank the features of FILE by how well they tell the classes apart.

    FILE is a .csv, .tsv, .txt, .parquet, .npz, .mat, .arff or .h5ad file. The table shows, for each
    feature in order of choice, the criterion Sep of the features so far, its gain, and its four
    components: compactness (theta, smaller is better) and separation (lambda, larger is better)
    by distance and by direction. Ctrl-C prints what was found so far.
    """
    from s2fs import S2FS
    from s2fs._util.columns import column_position
    from s2fs.datasets import read_table

    if image_shape is not None and report is None:
        raise ValueError("--image-shape is for the report; add --report FILE.html.")
    if save is not None and output is not None and save.resolve() == output.resolve():
        raise ValueError(f"--save and --output are both {str(save)!r}; give two names.")
    if tune:
        _reject_beside_tune(ctx, "alpha", "beta", "search")
    options: dict[str, Any] = {
        "class_weight": class_weight,
        "scale": None if no_scale else "minmax",
        "centroid_membership": centroid_membership,
        "n_jobs": n_jobs,
        "verbose": int(sys.stderr.isatty()),
    }
    chosen: dict[str, Any] = {
        "n_features_to_select": n_features,
        "alpha": alpha,
        "beta": beta,
        "search": search,
    }
    if scheduler is not None:
        refuse({"--transpose": transpose, "--layer": layer, "--report": report})
        refuse({"--tune": tune, "--stability": stability})
        selector = S2FS(**options, **chosen)
        limits = {"include": include, "exclude": exclude}
        names = fit_there(selector, scheduler, file, target, drop, limits)
        deliver(selector, names, ranking_columns(selector, names), [], output, save)
        return
    data = read_table(file, target, drop=drop, transpose=transpose, layer=layer)
    reject_input_as_output(output, file)
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
    for name, wanted in (("include", include), ("exclude", exclude)):
        positions = [column_position(w, data.feature_names, f"--{name}", file) for w in wanted]
        options[name] = positions or None
    lines = []
    start = perf_counter()
    if tune:
        chosen, line = tuned(data, n_features, options)
        lines.append(line)
    selector = fitted({**options, **chosen}, data)
    table = ranking_columns(selector, data.feature_names)
    if stability is not None:
        stable = stability_of({**options, **chosen}, data, stability, table)
        table["frequency"] = stable.frequencies_[selector.indices_].tolist()
        lines.append(stability_line(stable))
    seconds = perf_counter() - start
    deliver(selector, data.feature_names, table, lines, output, save)
    if report is not None:
        from s2fs.report import selection_report

        data.image_shape, data.image_order = image_shape, image_order
        selection_report(data, selector, report, title=file.name, seconds=seconds, n_jobs=n_jobs)
        note(f"Wrote {report}.")


def _reject_beside_tune(ctx: click.Context, *names: str) -> None:
    """Raise if an option was given that ``--tune`` decides itself."""
    for name in names:
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise ValueError(
                f"--{name} and --tune contradict each other: it tries alpha and beta in forward "
                "searches; leave one of them out."
            )
