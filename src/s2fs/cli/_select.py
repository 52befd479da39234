"""``s2fs select``: rank the features of a file."""

import json
import math
import re
import shlex
import sys
import warnings
from contextlib import suppress
from textwrap import fill
from time import perf_counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import click
import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

import s2fs
from s2fs import report
from s2fs._core.criterion import PERFECT
from s2fs._util.files import check_place, write_whole
from s2fs._util.inputs import Columns, inner_fit
from s2fs._util.messages import did_you_mean
from s2fs._util.values import plain
from s2fs.cli._scheduler import fit_there, refuse, scheduler_option
from s2fs.cli._shared import (
    CRITERION_OPTIONS,
    DATA_OPTIONS,
    INTERRUPTED,
    PATH,
    DataArguments,
    as_records,
    n_jobs_option,
    note,
    open_pipe,
    output_option,
    print_table,
    raw_text_option,
    reject_input_as_output,
    report_option,
    taken,
    write_table,
)
from s2fs.evaluation import SELECTORS, evaluate_selector
from s2fs.evaluation.checks import as_dicts, check_selection

if TYPE_CHECKING:
    from s2fs.datasets import Dataset

#: The columns of a ranking that are printed without ``--details``.
SHOWN = {"rank", "feature", "score", "gain", "p_value", "selected in", "q_value"}
Table = dict[str, list[Any]]
NumberOfFeatures = int | float | Literal["auto", "all"]

#: The options that are parameters of selectors, not of each.
OF_SELECTORS = (
    *(str(option.name) for option in CRITERION_OPTIONS),
    *("search", "class_weight", "max_correlation", "include", "exclude"),
)
COMMANDLINE = click.core.ParameterSource.COMMANDLINE
#: What ``--tune`` decides itself, or cannot serve, when it searches the weights of S²FS.
DECIDED_BY_TUNE = ("alpha", "beta", "search")
#: What is trained on the selected features for the verdict.
LEARNER = "5 nearest neighbours"
#: Stands for an evaluation that Ctrl-C has ended.
INTERRUPTED_EVALUATION = object()
#: The verdict is left out where its nearest neighbours would take more multiplications than this,
#: or a sparse table would have more numbers.
LARGEST_VERDICT, LARGEST_DENSE = 2 * 10**10, 2**28


def _number_of_features(_: click.Context, __: click.Parameter, value: str) -> NumberOfFeatures:
    """A number of features, a fraction of them, or the word for all or for leaving it open."""
    if value in ("auto", "all"):
        return value  # type: ignore[return-value]
    with suppress(ValueError):
        if (count := int(value)) >= 1:
            return count
    with suppress(ValueError):
        if 0 < (fraction := float(value)) <= 1:
            return fraction
    raise click.BadParameter(
        f"{value!r}; give a whole number from 1, a fraction up to 1.0 such as 0.1, all, or auto."
    )


def _checked_method(_: click.Context, __: click.Parameter, value: str) -> str:
    """The name of a selector, in lower case."""
    if (method := value.lower()) in SELECTORS:
        return method
    raise click.BadParameter(
        f"{value!r}{did_you_mean(method, SELECTORS)}; choose from {', '.join(SELECTORS)}."
    )


def _shape(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """Height and width, as in 32x32."""
    if value is None:
        return None
    if match := re.fullmatch(r"\s*([1-9]\d*)\s*[x×]\s*([1-9]\d*)\s*", value):
        return int(match[1]), int(match[2])
    raise click.BadParameter(f"{value!r}; give height and width as in 32x32.")


@click.command(
    params=[*DATA_OPTIONS, *CRITERION_OPTIONS],
    epilog="\b\nExample:\n"
    "  s2fs select tumours.csv --target diagnosis --drop patient -k 20 --output ranking.csv\n"
    "  s2fs select tumours.csv --target diagnosis --drop patient -k auto --tune --stability 50",
)
@click.option(
    "--method",
    metavar="NAME",
    default="paircover",
    callback=_checked_method,
    help="What selects: paircover (which also takes missing values), s2fs (as published), s2fs-rms "
    "(the same with root mean square distances), or a baseline such as anovaf, relieff or sfss.",
)
@click.option(
    "-k",
    "--n-features",
    metavar="NUMBER",
    callback=_number_of_features,
    default="10",
    help="How many features to select: a number, a fraction such as 0.1, all, or auto for as "
    "many as do better than chance (with --tune, as many as cross-validation asks for).",
)
@click.option(
    "--tune",
    is_flag=True,
    help="Choose by 5-fold cross-validation with 5 nearest neighbours: the number of features, "
    "or with --method s2fs alpha and beta, and with -k auto the number, too.",
)
@click.option(
    "--stability",
    metavar="N",
    type=click.IntRange(min=2),
    help="Select on N random halves of the samples, too, and show how often each feature is "
    "selected there.",
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
    help="Feature that is never selected, by name or position; may be repeated.",
)
@click.option(
    "--max-correlation",
    metavar="R",
    type=click.FloatRange(0, 1),
    help="Leave out features that correlate more than this with a selected one, as 0.9.",
)
@click.option(
    "--search",
    type=click.Choice(["forward", "floating", "beam"]),
    default="forward",
    help="Add one feature after the other, also drop and swap, or follow several sets at once.",
)
@click.option(
    "--class-weight",
    type=click.Choice(["balanced"]),
    help="Let every class count as much as another, however few samples it has.",
)
@n_jobs_option
@scheduler_option(
    help="FILE is a directory or a pattern of Parquet files, or a Zarr group, that the workers of "
    "the Dask cluster at this address read, such as tcp://host:8786.",
)
@click.option(
    "--details",
    is_flag=True,
    help="Also print what the criterion is made of; --output has it always.",
)
@click.option(
    "--verdict/--no-verdict",
    default=True,
    help="End with the accuracy on held-out samples, beside other selectors, all, random and no "
    "features; selects again in 5 × 5 folds.",
)
@output_option(help="Also write the ranking to a .csv, .tsv, .json, .parquet or .xlsx file.")
@raw_text_option
@click.option("--force", is_flag=True, help="Let --save replace a file that exists.")
@click.option(
    "--save",
    metavar="MODEL.json",
    type=PATH,
    help="Also save the selection, for 's2fs transform' to apply it to new tables.",
)
@report_option(
    help="Also write a page to look at, with figures and cross-validated accuracies, to an "
    ".html file.",
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
    help="Pixels are laid out row after row (C), or column after column as in MATLAB (F).",
)
@click.pass_context
def select(ctx: click.Context, /, *, scheduler: str | None, **given: Any) -> None:
    """Rank the features of FILE by how well they tell the classes apart.

    FILE is delimited text, compressed or not, or an .xlsx, .parquet, .feather, .npz, .npy, .mat,
    .arff, .gct or .h5ad file, or a GEO series matrix; - is standard input. The table shows, for
    each feature in order of selection, the criterion of the features so far and its gain. Below it
    stands how accurate nearest neighbours with such a selection are on held-out samples.
    Ctrl-C prints what was found so far.
    """
    data, asked = DataArguments(**taken(DATA_OPTIONS, given)), SimpleNamespace(**given)
    _check_outputs(asked, data)
    selector = _selector(ctx, asked)
    limits = {name: given[name] for name in ("include", "exclude") if given[name]}
    _reject_covariates(selector, data, asked)
    if scheduler is not None:
        alone = {f"--{name}": given[name] for name in ("report", "tune", "stability")}
        refuse({**data.read_in_one_place, **alone})
        names = fit_there(selector, scheduler, data, limits)
        ranking = ranking_columns(selector, names)
        _print_ranking(selector, ranking, [], asked)
        _write_files(selector, names, ranking, asked)
        return
    takes_missing = get_tags(selector).input_tags.allow_nan
    table = data.read(takes_missing=takes_missing)
    if asked.report is not None:
        table = report.made_dense(table)
    m = table.X.shape[1]
    if asked.image_shape is not None and math.prod(asked.image_shape) != m:
        raise ValueError(
            f"--image-shape is {asked.image_shape[0]}x{asked.image_shape[1]}, but there are {m} "
            "features; give the shape of one picture."
        )
    columns = Columns.of_file(table.feature_names, data.file)
    for name, features in limits.items():
        selector.set_params(**{name: columns.positions(features, f"--{name}")})
    if table.feature_groups is not None:
        if "feature_groups" not in selector.get_params():
            raise ValueError(
                f"--encode makes groups of features, which are not for --method {asked.method}; "
                "leave text out with --numeric-only, or use --method s2fs or paircover."
            )
        selector.set_params(feature_groups=table.feature_groups)
    lines, as_run = [], selector
    if asked.tune:
        as_run = _tuner(selector, asked)
        selector, line = _tuned(as_run, selector, table)
        lines.append(line)
    start = perf_counter()
    selector = _fitted(selector, table)
    seconds = perf_counter() - start
    ranking = ranking_columns(selector, table.feature_names)
    stable = None
    if asked.stability is not None and ranking["rank"]:
        stable = _stability(selector, table, asked.stability, ranking)
        ranking["selected in"] = stable.frequencies_[selector.indices_].tolist()
        ranking["q_value"] = stable.q_values_[selector.indices_].tolist()
        lines.append(_stability_line(stable))
        asked.q_value_floor = stable.q_value_floor_
    _print_ranking(selector, ranking, lines, asked)
    if not ranking["rank"]:  # a note has said so
        _write_files(selector, table.feature_names, ranking, asked)
        return
    evaluation = None
    if asked.verdict or asked.report is not None:
        evaluation = _evaluate(as_run, table, asked, len(selector.indices_))
    if evaluation is INTERRUPTED_EVALUATION:
        _write_files(selector, table.feature_names, ranking, asked)
        raise click.exceptions.Exit(INTERRUPTED)
    page = None
    if asked.report is not None:
        if asked.image_shape is not None:
            table.image_shape, table.image_order = asked.image_shape, asked.image_order
        page = report.Report(
            selector,
            table,
            title=data.file.name,
            origin=report.Origin(shlex.join(["s2fs", *sys.argv[1:]]), seconds),
            stable=stable,
            comparison=evaluation,
            n_jobs=asked.n_jobs,
        )
    checks = None
    if evaluation is not None:
        checks = page.summary["checks"] if page else _check(selector, table, evaluation, stable)
        if asked.verdict:
            _print_verdict(evaluation, checks, asked)
    _write_files(selector, table.feature_names, ranking, asked, evaluation, checks)
    if page is not None:
        note(f"Wrote {page.save(asked.report)}.")


def _check_outputs(asked: SimpleNamespace, data: DataArguments) -> None:
    """Raise if a file cannot be written as asked, before any work is done."""
    save, output = asked.save, asked.output
    if asked.image_shape is not None and asked.report is None:
        raise ValueError("--image-shape is for the report; add --report FILE.html.")
    if save is not None:
        if save.is_file() and not asked.force:
            raise ValueError(f"--save is {str(save)!r}, which exists; add --force to replace it.")
        check_place(save, "--save", (".json",))
        if output is not None and save.resolve() == output.resolve():
            raise ValueError(f"--save and --output are both {str(save)!r}; give two names.")
    reject_input_as_output(data.inputs, output=output, save=save, report=asked.report)


def _selector(ctx: click.Context, asked: SimpleNamespace) -> Any:
    """The selector asked for; an option that it does not have is refused."""
    make = SELECTORS[asked.method]
    has = make().get_params()
    weights = asked.tune and "alpha" in has
    for option in ctx.command.params:
        name, flag = str(option.name), option.opts[0]
        if name not in OF_SELECTORS or ctx.get_parameter_source(name) is not COMMANDLINE:
            continue
        if weights and name in DECIDED_BY_TUNE:
            raise ValueError(
                f"{flag} and --tune contradict each other: --tune tries alpha and beta in forward "
                "searches; leave one of them out."
            )
        if name not in has:
            fit = [m for m in ("s2fs", "paircover") if name in SELECTORS[m]().get_params()]
            raise ValueError(
                f"{flag} is not for --method {asked.method}; leave it out, or use --method "
                f"{' or '.join(fit)}."
            )
    if asked.tune and not weights and ctx.get_parameter_source("n_features") is not COMMANDLINE:
        asked.n_features = "auto"
    if asked.tune and not weights and asked.n_features != "auto":
        raise ValueError(
            f"--tune chooses the number of features for --method {asked.method}, but --n-features "
            f"is {asked.n_features}; add -k auto, or leave --tune out."
        )
    if asked.n_features == "auto" and not asked.tune and "tol" not in has:
        raise ValueError(
            f"--n-features is auto, which --method {asked.method} cannot decide alone; give a "
            "number, or add --tune to choose one by cross-validation."
        )
    values = {name: value for name, value in vars(asked).items() if name in OF_SELECTORS}
    values |= {"n_jobs": asked.n_jobs, "verbose": int(sys.stderr.isatty()), "random_state": 0}
    values |= {"include": None, "exclude": None}  # once the columns are known
    if asked.n_features != "auto" or "tol" in has:
        values["n_features_to_select"] = asked.n_features
    return make(**{name: value for name, value in values.items() if name in has})


def _reject_covariates(selector: Any, data: DataArguments, asked: SimpleNamespace) -> None:
    """Raise if the selector would leave covariates out of account."""
    if data.covariates and not has_fit_parameter(selector, "covariates"):
        raise ValueError(
            f"--covariate is not for --method {asked.method}; leave it out, or use --method "
            "paircover or s2fs."
        )


def ranking_columns(selector: Any, feature_names: list[str]) -> Table:
    """The ranking of a fitted selector as columns, with the features by name."""
    columns: Table = {
        "rank": list(range(1, len(selector.indices_) + 1)),
        "feature": [feature_names[f] for f in selector.indices_],
        "score": selector.scores_.tolist(),
    }
    if hasattr(selector, "path_"):
        _, _, *others = selector.path_.dtype.names
        columns |= {name: selector.path_[name].tolist() for name in others}
    return columns


class _Latest:
    """A callback of scikit-learn that keeps what a search has found so far."""

    selector: Any = None

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing to prepare."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing to clear away."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Nothing to do before the step is done."""

    def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any) -> None:
        """Keep the selector as it would be if the search ended here."""
        self.selector = fitted_estimator


def _beside(selector: Any, data: "Dataset") -> dict[str, Any]:
    """What ``fit`` of a selector gets beside the table and the classes."""
    given = {"covariates": data.covariates, "groups": data.groups}
    return {
        name: value
        for name, value in given.items()
        if value is not None and has_fit_parameter(selector, name)
    }


def _fitted(selector: Any, data: "Dataset") -> Any:
    """Fit a selector; if that is interrupted, print the features it has found so far and exit."""
    latest, followed = _Latest(), hasattr(selector, "set_callbacks")
    if followed:
        selector.set_callbacks(latest)
    try:
        return selector.fit(data.named_X(), data.y, **_beside(selector, data))
    except KeyboardInterrupt:
        if not followed:
            _stop("before the end")
        if latest.selector is None:
            _stop("before a feature was chosen")
        found = ranking_columns(latest.selector, data.feature_names)
        wanted = selector.n_features_to_select
        of = f" of {wanted}" if isinstance(wanted, int) else ""
        _stop(f"after {len(found['rank'])}{of} features; this ranking is partial", found)


def _tuner(selector: Any, asked: SimpleNamespace) -> s2fs.SelectorCV:
    """The search for the weights of S²FS, or for the number of features of another selector."""
    if not isinstance(selector, s2fs.S2FS):
        return s2fs.SelectorCV(
            asked.n_features,
            selector=_alone(selector),
            n_jobs=asked.n_jobs,
            verbose=int(sys.stderr.isatty()),
        )
    shared = s2fs.SelectorCV().get_params().keys() & selector.get_params().keys()
    return s2fs.SelectorCV(**{name: getattr(selector, name) for name in shared})


def _tuned(tuner: s2fs.SelectorCV, selector: Any, data: "Dataset") -> tuple[Any, str]:
    """The selector with what the search has chosen, and a line that says what that is."""
    covariates = {} if data.covariates is None else {"covariates": data.covariates}
    found = clone(tuner).fit(data.named_X(), data.y, groups=data.groups, **covariates)
    best = found.best_params_
    weights = "".join(f"{name} {best[name]:g}, " for name in ("alpha", "beta") if name in best)
    k = best["n_features_to_select"]
    return clone(selector).set_params(**best), (
        f"Chosen by {found.n_splits_}-fold cross-validation: {weights}{k} "
        f"feature{'' if k == 1 else 's'}. The verdict makes this choice again in every fold."
    )


def _alone(selector: Any) -> Any:
    """The same selector for one of several fits side by side: one thread, no progress bar."""
    quiet = {"n_jobs": None, "verbose": 0}
    has = selector.get_params()
    return clone(selector).set_params(**{n: v for n, v in quiet.items() if n in has})


def _stability(
    selector: Any, data: "Dataset", n_resamples: int, table: Table
) -> s2fs.StabilitySelector:
    """Select again on halves; if that is interrupted, print the complete ranking and exit."""
    stable = s2fs.StabilitySelector(
        selector=_alone(selector),
        n_resamples=n_resamples,
        n_permutations=min(5, -(-20 // len(table["rank"]))),  # short lists take more of them
        n_jobs=getattr(selector, "n_jobs", None),
        verbose=int(sys.stderr.isatty()),
    )
    try:
        with inner_fit():  # what is to say of the features was said of the selection
            covariates = {} if data.covariates is None else {"covariates": data.covariates}
            return stable.fit(data.named_X(), data.y, groups=data.groups, **covariates)
    except KeyboardInterrupt:
        _stop("before the stability was known; the ranking is complete", table)


def _evaluate(as_run: Any, data: "Dataset", asked: SimpleNamespace, k: int) -> Any:
    """Evaluate what was run on held-out samples; None, with the reason, where that cannot be."""
    if reason := _no_verdict(data, asked):
        click.echo(f"No verdict: {reason}.", err=True)
        return None
    X, imputer = data.for_folds()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # already warned about
            return evaluate_selector(
                _alone(as_run),
                X,
                data.y,
                n_selected=k,
                groups=data.groups,
                covariates=data.covariates,
                imputer=imputer,
                n_jobs=asked.n_jobs,
                verbose=int(sys.stderr.isatty()),
                class_names=data.class_names,
            )
    except KeyboardInterrupt:
        click.echo("Stopped before the verdict; the ranking is complete.", err=True)
        return INTERRUPTED_EVALUATION
    except ValueError as error:
        click.echo(f"No verdict: {error}", err=True)
        return None


def _no_verdict(data: "Dataset", asked: SimpleNamespace) -> str:
    """Why the accuracy on held-out samples cannot be had, or nothing."""
    n, m = data.X.shape
    too_large = n * n * m > LARGEST_VERDICT or (issparse(data.X) and n * m > LARGEST_DENSE)
    if too_large and asked.report is None:
        return f"{LEARNER} among {n} samples with {m} features take long; 's2fs compare' gives it"
    return ""


def _check(
    selector: Any, data: "Dataset", evaluation: s2fs.Comparison, stable: Any
) -> list[dict[str, Any]]:
    """The checks of a selection that has no report."""
    X = data.X.toarray() if issparse(data.X) else data.X
    if np.isnan(X).any():
        X = SimpleImputer(strategy="median", keep_empty_features=True).fit_transform(X)
    index = None if stable is None else stable.stability_
    return as_dicts(
        check_selection(
            X,
            data.y,
            selector.indices_,
            feature_names=data.feature_names,
            class_names=data.class_names,
            sample_names=data.sample_ids or [f"row {i + 1}" for i in range(len(data.y))],
            comparison=evaluation,
            stability=None if index is None else index.value,
            remarks=data.repeated_subjects,
        )
    )


def _print_verdict(
    evaluation: s2fs.Comparison, checks: list[dict[str, Any]], asked: SimpleNamespace
) -> None:
    """Accuracies, the verdict and what to look at; no times, so equal runs print alike."""
    with open_pipe():
        _print_line(evaluation.title)
        click.echo()
        columns = evaluation.columns()
        print_table(columns, numbers=list(columns)[1:])
        _print_line(evaluation.verdict)
        found = evaluation.recommendation
        if found is not None and found.still_rising:
            _print_line(f"Try -k {2 * found.best}.")
        for line in evaluation.notes:
            _print_line(line)
        if asked.n_features == "auto" and not asked.tune:
            _print_line(
                "auto tells how many features do better than chance, not how many are enough."
            )
        if worries := [check["text"] for check in checks if not check["passed"]]:
            click.echo()
            for text in worries:
                click.echo(fill(f"! {text}", 79, subsequent_indent="  "))


def _print_line(text: str) -> None:
    """Print an empty line and a sentence that fits a terminal."""
    click.echo(f"\n{fill(text, 79)}")


def _stability_line(stable: s2fs.StabilitySelector) -> str:
    """The stability of the selected sets in words."""
    n, index = len(stable.selected_), stable.stability_
    if index is None:
        return f"All features were selected on all {n} halves, so there is no stability to measure."
    return (
        f"Stability of the selections on {n} random halves (Nogueira): {index.value:.3f}, "
        f"{index.confidence:.0%} interval {index.low:.3f} to {index.high:.3f}."
    )


def _print_ranking(selector: Any, table: Table, lines: list[str], asked: SimpleNamespace) -> None:
    """Print a ranking, and below it what else there is to say."""
    printed = dict(table)
    if not asked.details:
        printed = {name: values for name, values in table.items() if name in SHOWN}
    if "selected in" in printed:
        printed["selected in"] = [f"{share:.0%}" for share in printed["selected in"]]
        printed["q_value"] = [_show_q_value(q, asked.q_value_floor) for q in printed["q_value"]]
    is_s2fs = isinstance(selector, s2fs.S2FS)
    if n_perfect := is_s2fs and sum(sep >= PERFECT for sep in table["score"]):
        lines = [
            f"The first {n_perfect} feature(s) are constant inside every class: they separate "
            "perfectly the classes in which they differ.",
            *lines,
        ]
    with open_pipe():
        print_table(printed, numbers={"selected in", "q_value"})
        for line in lines:
            _print_line(line)


def _show_q_value(q_value: float, floor: float) -> str:
    """A q-value; the smallest there can be is only known to be at most that."""
    return f"≤{q_value:.2g}" if q_value <= floor * (1 + 1e-9) else f"{q_value:.2g}"


def _write_files(
    selector: Any,
    feature_names: list[str],
    table: Table,
    asked: SimpleNamespace,
    evaluation: s2fs.Comparison | None = None,
    checks: list[dict[str, Any]] | None = None,
) -> None:
    """Write the ranking and the selection where they were asked for."""
    if asked.output is not None:
        columns = {name.replace(" ", "_"): values for name, values in table.items()}
        if asked.output.suffix.lower() == ".json":
            result = _as_result(selector, columns, asked, evaluation, checks)
            write_whole(
                asked.output, (json.dumps(result, ensure_ascii=False, indent=2) + "\n").encode()
            )
            note(f"Wrote {asked.output}.")
        else:
            write_table(asked.output, columns, raw_text=asked.raw_text)
    if asked.save is not None:
        s2fs.Selection.of(selector, feature_names).save(asked.save)
        note(f"Wrote {asked.save}.")


def _as_result(
    selector: Any,
    columns: Table,
    asked: SimpleNamespace,
    evaluation: s2fs.Comparison | None,
    checks: list[dict[str, Any]] | None,
) -> dict[str, Any]:
    """All that a run found, as plain values."""
    return {
        "s2fs_version": s2fs.__version__,
        "method": asked.method,
        "parameters": {name: plain(value) for name, value in selector.get_params().items()},
        "rows": as_records(columns),
        "evaluation": None if evaluation is None else evaluation.to_dict(),
        "checks": checks,
    }


def _stop(when: str, table: Table | None = None) -> NoReturn:
    """Say on standard error what a result on standard output is, and that no file was written."""
    click.echo(f"Stopped {when}. No file was written.", err=True)
    if table is not None:
        print_table(table)
    raise click.exceptions.Exit(INTERRUPTED)
