"""``s2fs select``: rank the features of a file."""

import re
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import click

import s2fs
from s2fs import report
from s2fs._core.criterion import PERFECT
from s2fs._util.files import check_place
from s2fs._util.inputs import Columns
from s2fs.cli._scheduler import fit_there, refuse, scheduler_option
from s2fs.cli._shared import (
    INTERRUPTED,
    CriterionArguments,
    DataArguments,
    checked_output,
    checked_report,
    collected,
    criterion_arguments,
    data_arguments,
    note,
    print_table,
    reject_input_as_output,
    write_table,
)

if TYPE_CHECKING:
    from s2fs.datasets import Dataset

Table = dict[str, list[Any]]
NumberOfFeatures = int | float | Literal["auto"]


@dataclass(frozen=True)
class _Search:
    """What to search for, as given on the command line."""

    n_features: NumberOfFeatures
    tune: bool
    stability: int | None
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    search: Literal["forward", "floating", "beam"]
    class_weight: Literal["balanced"] | None
    n_jobs: int | None


@dataclass(frozen=True)
class _Files:
    """What to write, as given on the command line."""

    output: Path | None
    save: Path | None
    report: Path | None
    image_shape: tuple[int, int] | None
    image_order: Literal["C", "F"]

    def check(self) -> None:
        """Raise if the options contradict each other."""
        if self.image_shape is not None and self.report is None:
            raise ValueError("--image-shape is for the report; add --report FILE.html.")
        save, output = self.save, self.output
        if save is not None and output is not None and save.resolve() == output.resolve():
            raise ValueError(f"--save and --output are both {str(save)!r}; give two names.")

    def check_pictures(self, m: int) -> None:
        """Raise if ``m`` features are not the pixels of such pictures."""
        if self.image_shape is not None and self.image_shape[0] * self.image_shape[1] != m:
            raise ValueError(
                f"--image-shape is {self.image_shape[0]}x{self.image_shape[1]}, but there are {m} "
                "features; give the shape of one picture."
            )


def _number_of_features(ctx: click.Context, param: click.Parameter, value: str) -> NumberOfFeatures:
    """A number of features, a fraction of them, or the word that leaves it open."""
    if value == "auto":
        return "auto"
    with suppress(ValueError):
        if (count := int(value)) >= 1:
            return count
    with suppress(ValueError):
        if 0 < (fraction := float(value)) <= 1:
            return fraction
    raise click.BadParameter(
        f"{value!r}; give a whole number from 1, a fraction up to 1.0 such as 0.1, or auto.",
        ctx,
        param,
    )


def _checked_model(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    return None if path is None else check_place(path, "--save", (".json",))


def _shape(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """Height and width, as in 32x32."""
    if value is None:
        return None
    if match := re.fullmatch(r"\s*([1-9]\d*)\s*[x×]\s*([1-9]\d*)\s*", value):
        return int(match[1]), int(match[2])
    raise click.BadParameter(f"{value!r}; give height and width as in 32x32.", ctx, param)


_search_arguments = collected(
    "wanted",
    _Search,
    click.option(
        "-k",
        "--n-features",
        metavar="NUMBER",
        callback=_number_of_features,
        default="10",
        show_default=True,
        help="How many features to select: a number, a fraction such as 0.1, or auto for as many "
        "as do better than chance (with --tune, as many as cross-validation asks for).",
    ),
    click.option(
        "--tune",
        is_flag=True,
        help="Choose alpha and beta, and with -k auto the number of features, by 5-fold "
        "cross-validation with 5 nearest neighbours.",
    ),
    click.option(
        "--stability",
        metavar="N",
        type=click.IntRange(min=2),
        help="Select on N random halves of the samples, too, and show how often each feature "
        "comes back.",
    ),
    click.option(
        "--include",
        metavar="FEATURE",
        multiple=True,
        help="Feature that is in from the start, by name or position; may be repeated.",
    ),
    click.option(
        "--exclude",
        metavar="FEATURE",
        multiple=True,
        help="Feature that is never chosen, by name or position; may be repeated.",
    ),
    click.option(
        "--search",
        type=click.Choice(["forward", "floating", "beam"]),
        default="forward",
        show_default=True,
        help="Add one feature after the other, also drop and swap, or follow several sets at once.",
    ),
    click.option(
        "--class-weight",
        type=click.Choice(["balanced"]),
        help="Let every class count as much as another, however few samples it has.",
    ),
    click.option("--n-jobs", type=int, help="Number of threads; -1 is all cores."),
)
_file_arguments = collected(
    "files",
    _Files,
    click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        callback=checked_output,
        help="Also write the ranking to a .csv, .json or .parquet file.",
    ),
    click.option(
        "--save",
        metavar="MODEL.json",
        type=click.Path(path_type=Path),
        callback=_checked_model,
        help="Also save the selection, for 's2fs transform' to apply it to new tables.",
    ),
    click.option(
        "--report",
        type=click.Path(path_type=Path),
        callback=checked_report,
        help="Also write a page to look at, with figures and cross-validated accuracies, to an "
        ".html file.",
    ),
    click.option(
        "--image-shape",
        metavar="HEIGHTxWIDTH",
        callback=_shape,
        help="The features are the pixels of pictures of this shape; the report shows them.",
    ),
    click.option(
        "--image-order",
        type=click.Choice(["C", "F"]),
        default="C",
        show_default=True,
        help="Pixels are laid out row after row (C), or column after column as in MATLAB (F).",
    ),
)


@click.command(
    epilog="\b\nExample:\n"
    "  s2fs select tumours.csv --target diagnosis --drop patient -k 20 --output ranking.csv\n"
    "  s2fs select tumours.csv --target diagnosis --drop patient -k auto --tune --stability 50"
)
@data_arguments
@criterion_arguments
@_search_arguments
@scheduler_option(
    "FILE is a directory or a pattern of Parquet files, or a Zarr group, that the workers of the "
    "Dask cluster at this address read, such as tcp://host:8786.",
)
@_file_arguments
@click.pass_context
def select(
    ctx: click.Context,
    *,
    data: DataArguments,
    criterion: CriterionArguments,
    wanted: _Search,
    scheduler: str | None,
    files: _Files,
) -> None:
    """Rank the features of FILE by how well they tell the classes apart.

    FILE is a .csv, .tsv, .txt, .parquet, .npz, .mat, .arff or .h5ad file. The table shows, for each
    feature in order of choice, the criterion Sep of the features so far, its gain, and its four
    components: compactness (theta, smaller is better) and separation (lambda, larger is better)
    by distance and by direction. Ctrl-C prints what was found so far.
    """
    files.check()
    if wanted.tune:
        _reject_beside_tune(ctx, "alpha", "beta", "search")
    options: dict[str, Any] = {
        "class_weight": wanted.class_weight,
        "scale": criterion.scale,
        "centroid_membership": criterion.centroid_membership,
        "n_jobs": wanted.n_jobs,
        "verbose": int(sys.stderr.isatty()),
    }
    chosen: dict[str, Any] = {
        "n_features_to_select": wanted.n_features,
        "alpha": criterion.alpha,
        "beta": criterion.beta,
        "search": wanted.search,
    }
    limits = {"include": wanted.include, "exclude": wanted.exclude}
    if scheduler is not None:
        refuse({"--transpose": data.transpose, "--layer": data.layer, "--report": files.report})
        refuse({"--tune": wanted.tune, "--stability": wanted.stability})
        selector = s2fs.S2FS(**options, **chosen)
        names = fit_there(selector, scheduler, data, limits)
        _deliver(selector, names, ranking_columns(selector, names), [], files)
        return
    table = data.read()
    reject_input_as_output(files.output, data.file)
    if files.report is not None:
        table = report.made_dense(table)
    n, m = table.X.shape
    files.check_pictures(m)
    note(f"{n} samples, {m} features, {len(table.class_names)} classes")
    columns = Columns.of_file(table.feature_names, data.file)
    for name, features in limits.items():
        options[name] = columns.positions(features, f"--{name}") or None
    lines = []
    start = perf_counter()
    if wanted.tune:
        chosen, line = _tuned(table, wanted.n_features, options)
        lines.append(line)
    selector = _fitted({**options, **chosen}, table)
    ranking = ranking_columns(selector, table.feature_names)
    if wanted.stability is not None:
        stable = _stability({**options, **chosen}, table, wanted.stability, ranking)
        ranking["frequency"] = stable.frequencies_[selector.indices_].tolist()
        lines.append(_stability_line(stable))
    seconds = perf_counter() - start
    _deliver(selector, table.feature_names, ranking, lines, files)
    if files.report is not None:
        table.image_shape, table.image_order = files.image_shape, files.image_order
        report.selection_report(
            table,
            selector,
            files.report,
            title=data.file.name,
            seconds=seconds,
            n_jobs=wanted.n_jobs,
        )
        note(f"Wrote {files.report}.")


def ranking_columns(selector: "s2fs.S2FS", feature_names: list[str]) -> Table:
    """The path of a fitted selector as columns, with the features by name."""
    path = selector.path_
    measures = [name for name in path.dtype.names or () if name != "feature"]
    return {
        "rank": list(range(1, len(path) + 1)),
        "feature": [feature_names[f] for f in path["feature"]],
        **{name: path[name].tolist() for name in measures},
    }


class _Latest:
    """A callback of scikit-learn that keeps what a search has found so far."""

    selector: Any = None

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing to prepare."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing to clear away."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """A step alone does not matter before it is done."""

    def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any) -> None:
        """Keep the selector as it would be if the search ended here."""
        self.selector = fitted_estimator


def _fitted(options: dict[str, Any], data: "Dataset") -> "s2fs.S2FS":
    """Fit a selector; if that is interrupted, print the features it has found so far and exit."""
    latest, selector = _Latest(), s2fs.S2FS(**options)
    followed = hasattr(selector, "set_callbacks")
    if followed:
        selector.set_callbacks(latest)
    try:
        return selector.fit(data.X, data.y)
    except KeyboardInterrupt:
        if not followed:
            _stop("before the end; with scikit-learn 1.9 you would see the features found so far")
        if latest.selector is None:
            _stop("before a feature was chosen")
        found = ranking_columns(latest.selector, data.feature_names)
        wanted = options["n_features_to_select"]
        of = f" of {wanted}" if isinstance(wanted, int) else ""
        _stop(f"after {len(found['rank'])}{of} features; this ranking is partial", found)


def _tuned(
    data: "Dataset", n_features: NumberOfFeatures, options: dict[str, Any]
) -> tuple[dict[str, Any], str]:
    """Choose weights, and the number of features if open; and a line that says which."""
    found = s2fs.S2FSCV(n_features, **options).fit(data.X, data.y)
    best = found.best_params_
    return best, (
        f"Chosen by {found.n_splits_}-fold cross-validation: alpha {best['alpha']:g}, "
        f"beta {best['beta']:g}, {best['n_features_to_select']} feature(s); accuracy of 5 nearest "
        f"neighbours {found.best_score_:.1%}, optimistic as the best of many."
    )


def _stability(
    options: dict[str, Any], data: "Dataset", n_resamples: int, table: Table
) -> "s2fs.StabilitySelector":
    """Select again on halves; if that is interrupted, print the complete ranking and exit."""
    shown = {name: options[name] for name in ("n_jobs", "verbose")}
    alone = s2fs.S2FS(**{**options, "n_jobs": None, "verbose": 0})
    try:
        return s2fs.StabilitySelector(selector=alone, n_resamples=n_resamples, **shown).fit(
            data.X, data.y
        )
    except KeyboardInterrupt:
        _stop("before the stability was known; the ranking is complete", table)


def _stability_line(stable: "s2fs.StabilitySelector") -> str:
    """The stability of the selected sets in words."""
    n, index = len(stable.selected_), stable.stability_
    if index is None:
        return f"All features were selected on all {n} halves, so there is no stability to measure."
    return (
        f"Stability of the selections on {n} random halves (Nogueira): {index.value:.3f}, "
        f"{index.confidence:.0%} interval {index.low:.3f} to {index.high:.3f}."
    )


def _deliver(
    selector: "s2fs.S2FS", feature_names: list[str], table: Table, lines: list[str], files: _Files
) -> None:
    """Print a ranking, below it what else there is to say, and write the files asked for."""
    print_table(table)
    if n_perfect := sum(sep >= PERFECT for sep in table["sep"]):
        lines = [
            f"The first {n_perfect} feature(s) are constant inside every class: they separate "
            "perfectly the classes in which they differ.",
            *lines,
        ]
    for line in lines:
        click.echo(f"\n{line}")
    if files.output is not None:
        write_table(files.output, table)
    if files.save is not None:
        s2fs.Selection.of(selector, feature_names).save(files.save)
        note(f"Wrote {files.save}.")


def _stop(when: str, table: Table | None = None) -> NoReturn:
    """Say on standard error what a result on standard output is, and that no file was written."""
    click.echo(f"Stopped {when}. No file was written.", err=True)
    if table is not None:
        print_table(table)
    raise click.exceptions.Exit(INTERRUPTED)


def _reject_beside_tune(ctx: click.Context, *names: str) -> None:
    """Raise if an option was given that ``--tune`` decides itself."""
    for name in names:
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise ValueError(
                f"--{name} and --tune contradict each other: it tries alpha and beta in forward "
                "searches; leave one of them out."
            )
