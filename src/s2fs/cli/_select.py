"""``s2fs select``: rank the features of a file."""

import math
import re
import shlex
import sys
from contextlib import suppress
from time import perf_counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click
from scipy.sparse import issparse
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from s2fs import report
from s2fs._utils.columns import Columns
from s2fs._utils.files import check_writable
from s2fs.baselines.registry import explain_unknown
from s2fs.cli._fit import fit_selector, make_tuner, tune_selector
from s2fs.cli._ranking import Table, print_ranking, ranking_columns
from s2fs.cli._result import write_files
from s2fs.cli._verdict import (
    INTERRUPTED_EVALUATION,
    check_positive,
    check_result,
    evaluate,
    positive_option,
    print_verdict,
    scoring_option,
)
from s2fs.cli.app import INTERRUPTED
from s2fs.cli.data import DataArguments
from s2fs.cli.database import (
    DATABASE_OPTIONS,
    NO_VERDICT_ELSEWHERE,
    OPTIONAL_FILE,
    check_place_of_data,
    fit_in_database,
    reject_options,
)
from s2fs.cli.help import Command
from s2fs.cli.messages import ARGUMENTS, print_note
from s2fs.cli.options import (
    CRITERION_OPTIONS,
    DATA_OPTIONS,
    PATH,
    check_scale,
    n_jobs_option,
    output_option,
    pop_options,
    raw_text_option,
    report_option,
)
from s2fs.cli.outputs import reject_input_as_output
from s2fs.cli.terminal import note
from s2fs.evaluation import SELECTORS

if TYPE_CHECKING:
    from s2fs.io import Dataset

NumberOfFeatures = int | float | Literal["auto", "all"]
#: The options that are parameters of some selectors.
OF_SELECTORS = (
    *(str(option.name) for option in CRITERION_OPTIONS),
    *("class_weight", "max_correlation", "min_per_class", "include", "exclude"),
)
COMMANDLINE = click.core.ParameterSource.COMMANDLINE
#: What ``--tune`` decides itself when it searches the weights of S²FS.
DECIDED_BY_TUNE = ("alpha", "beta")


def _read_number_of_features(_: click.Context, __: click.Parameter, value: str) -> NumberOfFeatures:
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


def _check_method(_: click.Context, __: click.Parameter, value: str) -> str:
    """The name of a selector, in lower case."""
    if (method := value.lower()) in SELECTORS:
        return method
    raise click.BadParameter(f"{value!r}{explain_unknown(value, SELECTORS)}")


def _read_shape(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """Height and width, as in 32x32."""
    if value is None:
        return None
    if match := re.fullmatch(r"\s*([1-9]\d*)\s*[x×]\s*([1-9]\d*)\s*", value):
        return int(match[1]), int(match[2])
    raise click.BadParameter(f"{value!r}; give height and width as in 32x32.")


@click.command(
    cls=Command,
    params=[OPTIONAL_FILE, *DATA_OPTIONS[1:], *DATABASE_OPTIONS, *CRITERION_OPTIONS],
    epilog="\b\nExample:\n"
    "  s2fs select tumours.csv --target diagnosis --drop patient -k 20 --output ranking.csv\n"
    "  s2fs select tumours.csv --target diagnosis --drop patient -k auto --tune",
)
@click.option(
    "--method",
    metavar="NAME",
    default="paircover",
    callback=_check_method,
    help="What selects: paircover (which also takes missing values), s2fs (as published), s2fs-rms "
    "(the same with root mean square distances), or a baseline such as anovaf, relieff or sfss.",
)
@click.option(
    "-k",
    "--n-features",
    metavar="NUMBER",
    callback=_read_number_of_features,
    default="10",
    help="How many features to select: a number, a fraction such as 0.1, all, or auto for as "
    "many as do better than chance (with --tune, as many as cross-validation asks for).",
)
@click.option(
    "--tune",
    is_flag=True,
    help="Choose by 5-fold cross-validation with logistic regression: the number of features, "
    "or with --method s2fs alpha and beta, and with -k auto the number, too.",
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
    "--min-per-class",
    metavar="N",
    type=click.IntRange(min=1),
    help="Select at least N features for each class: those that tell it best from all others.",
)
@click.option(
    "--class-weight",
    type=click.Choice(["balanced"]),
    help="Let every class count as much as another, however few samples it has.",
)
@scoring_option
@positive_option
@n_jobs_option
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
    "--names",
    metavar="NAMES.csv",
    type=PATH,
    help="Symbols for the report: a table of feature, symbol and description.",
)
@click.option(
    "--image-shape",
    metavar="HEIGHTxWIDTH",
    callback=_read_shape,
    help="The features are the pixels of pictures of this shape; the report shows them.",
)
@click.option(
    "--image-order",
    type=click.Choice(["C", "F"]),
    default="C",
    help="Pixels are laid out row after row (C), or column after column as in MATLAB (F).",
)
@click.pass_context
def select(ctx: click.Context, /, **given: Any) -> None:
    """Rank the features of FILE by how well they tell the classes apart.

    FILE is delimited text, compressed or not, or an .xlsx, .parquet, .feather, .npz, .npy, .mat,
    .arff, .json, .gct or .h5ad file, or a GEO series matrix; - is standard input. The table shows,
    for each feature in order of selection, the criterion of the features so far and its gain.
    Below it stands how good such a selection is on held-out samples.
    Ctrl-C prints the features selected so far.
    """
    data, asked = DataArguments(**pop_options(DATA_OPTIONS, given)), SimpleNamespace(**given)
    asked.file = data.file
    asked.arguments = ctx.find_root().meta.get(ARGUMENTS, [])
    check_place_of_data(data, asked)
    _check_outputs(asked, data)
    selector = _make_selector(ctx, asked)
    _reject_covariates(selector, data, asked)
    if asked.database is not None:
        _select_in_database(selector, data, asked)
        return
    table = _read_table(selector, data, asked)
    _check_image_shape(asked, table)
    check_positive(asked.positive, table.class_names)
    _limit_to_columns(ctx, selector, table, asked)
    _set_feature_groups(selector, table, data, asked)
    fitted = _fit(selector, table, asked)
    print_ranking(fitted.selector, fitted.ranking, fitted.lines, asked, table)
    _evaluate_and_write(fitted, table, data, asked)


class _Fitted(NamedTuple):
    """A selection, and what the rest of the command needs to know of it."""

    selector: Any
    as_run: Any  # what a fold of the verdict repeats: the selector, or the search that tuned it
    ranking: Table
    lines: list[str]  # sentences below the ranking
    seconds: float


def _select_in_database(selector: Any, data: DataArguments, asked: SimpleNamespace) -> None:
    """Select where the samples are, in a database; there is no verdict then."""
    reject_options(data, asked)
    names = fit_in_database(selector, data, asked, _get_limits(asked))
    ranking = ranking_columns(selector, names)
    print_ranking(selector, ranking, [], asked)
    if asked.verdict:
        click.echo(f"No verdict: {NO_VERDICT_ELSEWHERE}.", err=True)
    write_files(selector, names, ranking, asked)


def _read_table(selector: Any, data: DataArguments, asked: SimpleNamespace) -> "Dataset":
    """Read the file as the selector can take it: with missing values, sparse, or neither."""
    tags = get_tags(selector).input_tags
    table = data.read(takes_missing=tags.allow_nan)
    asked.remarks = table.remarks
    if issparse(table.X) and not tags.sparse:
        return table._replace(X=table.X.toarray())
    return table


def _check_image_shape(asked: SimpleNamespace, table: "Dataset") -> None:
    """Raise if the pictures do not have as many pixels as there are features."""
    m = table.X.shape[1]
    if asked.image_shape is not None and math.prod(asked.image_shape) != m:
        raise ValueError(
            f"--image-shape is {asked.image_shape[0]}x{asked.image_shape[1]}, but there are {m} "
            "features; give the shape of one picture."
        )


def _limit_to_columns(
    ctx: click.Context, selector: Any, table: "Dataset", asked: SimpleNamespace
) -> None:
    """Cap the number of features at that of the table; find --include and --exclude in it."""
    m = table.X.shape[1]
    if isinstance(asked.n_features, int) and asked.n_features > m:
        if ctx.get_parameter_source("n_features") is COMMANDLINE:
            print_note(f"-k is {asked.n_features}, but there are {m} features; all are selected.")
        asked.n_features = m
        selector.set_params(n_features_to_select=m)
    columns = Columns.of_file(table.feature_names, asked.file)
    for name, features in _get_limits(asked).items():
        selector.set_params(**{name: columns.positions(features, f"--{name}")})


def _get_limits(asked: SimpleNamespace) -> dict[str, tuple[str, ...]]:
    """The features to include and to exclude, as far as any are given."""
    limits = {"include": asked.include, "exclude": asked.exclude}
    return {name: features for name, features in limits.items() if features}


def _set_feature_groups(
    selector: Any, table: "Dataset", data: DataArguments, asked: SimpleNamespace
) -> None:
    """Let columns that were encoded from one of text be selected together."""
    if table.feature_groups is None:
        return
    if "feature_groups" in selector.get_params():
        selector.set_params(feature_groups=table.feature_groups)
    elif data.encode:
        raise ValueError(
            f"--encode makes groups of features, which are not for --method {asked.method}; "
            "leave text out with --numeric-only, or use --method s2fs or paircover."
        )


def _fit(selector: Any, table: "Dataset", asked: SimpleNamespace) -> _Fitted:
    """Tune if asked to, and select."""
    lines, as_run = [], selector
    if asked.tune:
        as_run = make_tuner(selector, asked)
        selector, line = tune_selector(as_run, selector, table)
        lines.append(line)
    start = perf_counter()
    selector = fit_selector(selector, table)
    seconds = perf_counter() - start
    ranking = ranking_columns(selector, table.feature_names)
    return _Fitted(selector, as_run, ranking, lines, seconds)


def _evaluate_and_write(
    fitted: _Fitted, table: "Dataset", data: DataArguments, asked: SimpleNamespace
) -> None:
    """Evaluate the selection, print the verdict, and write the files that were asked for."""
    selector, ranking = fitted.selector, fitted.ranking
    evaluation = None
    # Without a selected feature, of which a note has told, there is nothing to evaluate.
    if ranking["rank"] and (asked.verdict or asked.report is not None):
        evaluation = evaluate(fitted.as_run, table, data, asked, len(selector.indices_))
    if evaluation is INTERRUPTED_EVALUATION:
        write_files(selector, table.feature_names, ranking, asked)
        raise click.exceptions.Exit(INTERRUPTED)
    page = None
    if ranking["rank"] and asked.report is not None:
        page = _make_report(fitted, table, data, asked, evaluation)
    checks = None
    if evaluation is not None:
        checks = _get_checks(fitted, table, evaluation, page)
        if asked.verdict:
            print_verdict(evaluation, checks, asked)
    if evaluation is not None:
        ranking["selected in"] = evaluation.count_selections(selector.indices_)
    write_files(selector, table.feature_names, ranking, asked, evaluation, checks)
    if page is not None:
        note(f"Wrote {page.save(asked.report)}.")


def _get_checks(
    fitted: _Fitted, table: "Dataset", evaluation: Any, page: "report.Report | None"
) -> list[dict[str, Any]]:
    """What to look at before the selection is trusted; a page has made its checks already."""
    if page is not None:
        return page.summary["checks"]
    return check_result(fitted.selector, table, evaluation)


def _make_report(
    fitted: _Fitted, table: "Dataset", data: DataArguments, asked: SimpleNamespace, evaluation: Any
) -> "report.Report":
    """The page of a selection, which is written once the other files are."""
    if asked.image_shape is not None:
        table.image_shape, table.image_order = asked.image_shape, asked.image_order
    return report.Report(
        fitted.selector,
        table,
        title=data.file.name,
        origin=report.Origin(shlex.join(["s2fs", *sys.argv[1:]]), fitted.seconds),
        feature_labels=asked.names and report.read_feature_labels(asked.names),
        comparison=evaluation,
        n_jobs=asked.n_jobs,
    )


def _check_outputs(asked: SimpleNamespace, data: DataArguments) -> None:
    """Raise if a file cannot be written as asked, before any work is done."""
    save, output = asked.save, asked.output
    if asked.names is not None:
        if asked.report is None:
            raise ValueError("--names is for the report; add --report FILE.html.")
        report.read_feature_labels(asked.names)  # a file that cannot be read is refused early
    if asked.image_shape is not None and asked.report is None:
        raise ValueError("--image-shape is for the report; add --report FILE.html.")
    if save is not None:
        if save.is_file() and not asked.force:
            raise ValueError(f"--save is {str(save)!r}, which exists; add --force to replace it.")
        check_writable(save, "--save", (".json",))
        if output is not None and save.resolve() == output.resolve():
            raise ValueError(f"--save and --output are both {str(save)!r}; give two names.")
    reject_input_as_output(data.inputs, output=output, save=save, report=asked.report)


def _make_selector(ctx: click.Context, asked: SimpleNamespace) -> Any:
    """The selector asked for; an option that it does not have is refused."""
    make = SELECTORS[asked.method]
    parameters = make().get_params()
    tunes_weights = asked.tune and "alpha" in parameters
    _reject_options_of_others(ctx, asked, parameters, tunes_weights=tunes_weights)
    if asked.tune and not tunes_weights:
        _leave_number_to_tune(ctx, asked)
    can_decide = "tol" in parameters
    if asked.n_features == "auto" and not asked.tune and not can_decide:
        raise ValueError(
            f"--n-features is auto, which --method {asked.method} cannot decide alone; give a "
            "number, or add --tune to choose one by cross-validation."
        )
    values = {name: value for name, value in vars(asked).items() if name in OF_SELECTORS}
    values |= {"n_jobs": asked.n_jobs, "random_state": 0}
    values |= {"include": None, "exclude": None}  # once the columns are known
    if asked.scale is None:
        del values["scale"]  # each selector has a default of its own
    else:
        values["scale"] = check_scale(asked.scale, asked.method)
    if asked.n_features != "auto" or can_decide:
        values["n_features_to_select"] = asked.n_features
    return make(**{name: value for name, value in values.items() if name in parameters})


def _reject_options_of_others(
    ctx: click.Context, asked: SimpleNamespace, parameters: dict[str, Any], *, tunes_weights: bool
) -> None:
    """Raise if an option was given that is no parameter of the selector, or that --tune decides."""
    for option in ctx.command.params:
        name, flag = str(option.name), option.opts[0]
        if name not in OF_SELECTORS or ctx.get_parameter_source(name) is not COMMANDLINE:
            continue
        if tunes_weights and name in DECIDED_BY_TUNE:
            raise ValueError(
                f"{flag} and --tune contradict each other: --tune tries alpha and beta; "
                "leave one of them out."
            )
        if name not in parameters:
            methods = [m for m in ("s2fs", "paircover") if name in SELECTORS[m]().get_params()]
            raise ValueError(
                f"{flag} is not for --method {asked.method}; leave it out, or use --method "
                f"{' or '.join(methods)}."
            )


def _leave_number_to_tune(ctx: click.Context, asked: SimpleNamespace) -> None:
    """Let --tune choose the number of features; raise if another one was given."""
    if ctx.get_parameter_source("n_features") is not COMMANDLINE:
        asked.n_features = "auto"
    if asked.n_features != "auto":
        raise ValueError(
            f"--tune chooses the number of features for --method {asked.method}, but --n-features "
            f"is {asked.n_features}; add -k auto, or leave --tune out."
        )


def _reject_covariates(selector: Any, data: DataArguments, asked: SimpleNamespace) -> None:
    """Raise if the selector would ignore covariates."""
    if data.covariates and not has_fit_parameter(selector, "covariates"):
        raise ValueError(
            f"--covariate is not for --method {asked.method}; leave it out, or use --method "
            "paircover or s2fs."
        )
