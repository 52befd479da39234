"""``s2fs select`` at work: read, select, write and print, evaluate, write and print again."""

import shlex
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from scipy.sparse import issparse
from sklearn.utils import get_tags

from s2fs import Panel, io, report
from s2fs._utils.types import Indices
from s2fs.cli._fit import fit_selector, make_tuner, tune_selector
from s2fs.cli._panel import fetch_panel, make_panel
from s2fs.cli._ranking import (
    Table,
    describe_on_these_samples,
    print_ranking,
    ranking_columns,
)
from s2fs.cli._result import encode_files, write_files
from s2fs.cli._select import NumberOfFeatures, Select, list_what_needs_samples
from s2fs.cli._verdict import check_positive, check_result, evaluate, print_verdict
from s2fs.cli.app import INTERRUPTED, NOT_BETTER
from s2fs.cli.command import arguments_of
from s2fs.cli.data import read_data
from s2fs.cli.database import (
    FOR_LARGE_FILES,
    NO_VERDICT_ELSEWHERE,
    Elsewhere,
    fit_beyond_memory,
    fit_in_database,
)
from s2fs.cli.features import find_features, list_features
from s2fs.cli.messages import get_words, print_note
from s2fs.cli.methods import S2FS, name_scale, reject_option
from s2fs.cli.terminal import note
from s2fs.evaluation import SELECTORS
from s2fs.evaluation.samples import fill_by_medians
from s2fs.evaluation.standing_out import find_telling_columns
from s2fs.io.large_parquet import list_parquet_files
from s2fs.selectors.base import set_feature_groups

if TYPE_CHECKING:
    from s2fs.io import Dataset


def run(asked: Select) -> None:
    """Select as asked, and show, write and evaluate the selection."""
    selector = make_selector(asked)
    if asked.table is not None:
        _select_in_database(selector, asked)
        return
    try:
        table = _read_table(selector, asked)
    except io.UnreadableError as error:
        if error.reason != "memory":
            raise
        _select_beyond_memory(selector, asked, error)
        return
    check_positive(asked.positive, table.class_names)
    n_features = _limit_to_columns(selector, table, asked)
    set_feature_groups(selector, table.feature_groups)
    fitted = _fit(selector, n_features, table, asked)
    names = table.feature_names
    panel = None if asked.save is None else make_panel(fitted.selector, table, asked)
    written = encode_files(
        fitted.selector, names, fitted.ranking, asked, table.remarks, panel=panel
    )
    write_files(written)
    print_ranking(fitted.selector, fitted.ranking, fitted.lines, asked, table)
    is_better = False
    # Without a selected feature, of which a note has told, there is nothing to evaluate.
    if fitted.ranking["rank"] and not (asked.no_verdict and asked.report is None):
        try:
            is_better = _evaluate(fitted, table, asked, written, panel)
        except KeyboardInterrupt:
            click.echo(f"Stopped before the verdict; {_describe_rest(asked)}", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None
    if asked.fail_if_not_better and not is_better:
        raise click.exceptions.Exit(NOT_BETTER)


class _Fitted(NamedTuple):
    """A selection, and what the rest of the command needs to know of it."""

    selector: Any
    as_run: Any  # what a fold of the verdict repeats: the selector, or the search that tuned it
    n_features: NumberOfFeatures
    ranking: Table
    columns: Indices  # for each feature the column that tells the classes apart best
    lines: list[str]  # sentences below the ranking
    seconds: float


def make_selector(asked: Select) -> Any:
    """The selector asked for; an option that it does not have is refused."""
    make = SELECTORS[asked.method]
    parameters, given = make().get_params(), arguments_of(asked.selector)
    del given["include"], given["exclude"]  # set once the columns are known
    given["scale"] = name_scale(given["scale"])
    for name, value in [*given.items()]:
        if value is None:
            del given[name]
        elif name not in parameters:
            reject_option(f"--{name.replace('_', '-')}", asked.method)
    if asked.selector.scale == "none":
        given["scale"] = None
    given |= {"n_jobs": asked.n_jobs, "random_state": 0}
    n_features = _count_wanted(asked)
    if n_features != "auto" or "tol" in parameters:  # others leave it to --tune
        given["n_features_to_select"] = n_features
    return make(**{name: value for name, value in given.items() if name in parameters})


def _count_wanted(asked: Select) -> NumberOfFeatures:
    """How many features to select, as asked or by default."""
    if asked.n_features is not None:
        return asked.n_features
    return "auto" if asked.tune and asked.method not in S2FS else 10


def _select_in_database(selector: Any, asked: Select) -> None:
    """Select where the samples are, in a database; there is no verdict then."""
    fitted = fit_in_database(
        selector, asked.data, str(asked.table), str(asked.data.target), _get_limits(asked)
    )
    _show_without_samples(selector, fitted, asked)


def _select_beyond_memory(selector: Any, asked: Select, error: io.UnreadableError) -> None:
    """Select from Parquet files where they are; any other file too large is refused."""
    file, method = asked.data.file, asked.method
    if not list_parquet_files(file):
        raise io.UnreadableError(
            error.message,
            " From a Parquet file of that size, or a table of a DuckDB database, PairCover selects "
            "without reading it whole.",
            reason="memory",
        )
    if method != "paircover":
        raise io.UnreadableError(
            error.message,
            f" Beyond memory there is --method paircover; {method} needs all samples in one place, "
            "or S2FS in Python a Dask cluster.",
            reason="memory",
        )
    for flag, is_given in list_what_needs_samples(asked, FOR_LARGE_FILES):
        if is_given:
            raise io.UnreadableError(
                error.message, f" Beyond memory {flag} does not work; leave it out.",
                reason="memory",
            )  # fmt: skip
    if asked.data.target is None:
        raise ValueError(f"--target is missing: say which column of {file} holds the classes.")
    fitted = fit_beyond_memory(selector, asked.data, _get_limits(asked))
    _show_without_samples(selector, fitted, asked)


def _show_without_samples(selector: Any, fitted: Elsewhere, asked: Select) -> None:
    """Write and print a selection from samples that were not read."""
    names, relation, target = fitted
    ranking = ranking_columns(selector, names)
    panel = None if asked.save is None else fetch_panel(selector, relation, target, names, asked)
    write_files(encode_files(selector, names, ranking, asked, panel=panel))
    print_ranking(selector, ranking, [], asked)
    if not asked.no_verdict:
        click.echo(f"No verdict: {NO_VERDICT_ELSEWHERE}.", err=True)


def _read_table(selector: Any, asked: Select) -> "Dataset":
    """Read the file as the selector can take it: with missing values, sparse, or neither."""
    tags = get_tags(selector).input_tags
    table = read_data(asked.data, takes_missing=tags.allow_nan)
    if issparse(table.X) and not tags.sparse:
        table = table._replace(X=table.X.toarray())
    if asked.image_shape is not None:
        height, width, order = asked.image_shape
        if height * width != table.X.shape[1]:
            raise ValueError(
                f"--image-shape is {height}x{width}, but there are {table.X.shape[1]} features; "
                "give the shape of one picture."
            )
        table.image_shape = (height, width)
        table.image_order = order or table.image_order
    return table


def _limit_to_columns(selector: Any, table: "Dataset", asked: Select) -> NumberOfFeatures:
    """The number of features, at most that of the table; find --include and --exclude in it."""
    m, n_features = list_features(table)[0].n, _count_wanted(asked)
    if isinstance(n_features, int) and n_features > m:
        if asked.n_features is not None:
            print_note(f"-k is {n_features}, but there are {m} features; all are selected.")
        n_features = m
        selector.set_params(n_features_to_select=m)
    for name, wanted in _get_limits(asked).items():
        features = find_features(table, wanted, name, asked.data.file)
        selector.set_params(**{name: [f for columns in features for f in columns]})
    return n_features


def _get_limits(asked: Select) -> dict[str, tuple[str, ...]]:
    """The features to include and to exclude, as far as any are given."""
    limits = {"include": asked.selector.include, "exclude": asked.selector.exclude}
    return {name: features for name, features in limits.items() if features}


def _fit(selector: Any, n_features: NumberOfFeatures, table: "Dataset", asked: Select) -> _Fitted:
    """Tune if asked to, and select."""
    lines, as_run = [], selector
    if asked.tune:
        as_run = make_tuner(selector, n_features, asked.n_jobs)
        selector, line = tune_selector(as_run, selector, table)
        lines.append(line)
    start = perf_counter()
    selector = fit_selector(selector, table)
    seconds = perf_counter() - start
    features, _ = list_features(table)
    ranking = ranking_columns(selector, table.columns, features)
    if asked.names is not None:
        labels = report.read_feature_labels(asked.names)
        names = ranking["feature"]
        ranking["symbol"] = [labels[name].symbol if name in labels else name for name in names]
    columns = find_telling_columns(fill_by_medians(table.X), table.y, features, selector.indices_)
    ranking |= describe_on_these_samples(table, columns)
    return _Fitted(selector, as_run, n_features, ranking, columns, lines, seconds)


def _evaluate(
    fitted: _Fitted,
    table: "Dataset",
    asked: Select,
    written: dict[Path, bytes],
    panel: Panel | None,
) -> bool:
    """Evaluate the selection, put what that says into the files, and print the verdict.

    Returns whether the selection is better than guessing.
    """
    selector = fitted.selector
    note("Evaluating on held-out samples … (Ctrl-C keeps the ranking)")
    evaluation = evaluate(fitted.as_run, table, asked, len(fitted.ranking["rank"]))
    page = None if asked.report is None else _make_report(fitted, table, asked, evaluation)
    checks = None
    if page is not None and evaluation is not None:
        checks = page.summary["checks"]
    elif evaluation is not None:
        checks = check_result(fitted.columns, table, evaluation)
    if evaluation is not None:
        fitted.ranking["selected in"] = evaluation.count_selections(fitted.columns)
    contents = encode_files(
        selector,
        table.feature_names,
        fitted.ranking,
        asked,
        table.remarks,
        evaluation,
        checks,
        panel,
    )
    if page is not None and asked.report is not None:
        contents[asked.report] = page.html.encode()
    write_files({path: new for path, new in contents.items() if new != written.get(path)})
    if evaluation is not None and checks is not None and not asked.no_verdict:
        print_verdict(evaluation, checks, asked, fitted.n_features, table)
    return evaluation is not None and evaluation.beats_majority


def _make_report(
    fitted: _Fitted, table: "Dataset", asked: Select, evaluation: Any
) -> "report.Report":
    """The page of a selection."""
    return report.Report(
        fitted.selector,
        table,
        title=asked.data.file.name,
        origin=report.Origin(shlex.join(["s2fs", *get_words()]), fitted.seconds),
        feature_labels=None if asked.names is None else report.read_feature_labels(asked.names),
        comparison=evaluation,
        n_jobs=asked.n_jobs,
    )


def _describe_rest(asked: Select) -> str:
    """What there is without the verdict, and what is not."""
    rest = ["the ranking is complete."]
    if asked.output is not None:
        is_whole_run = asked.output.suffix.lower() == ".json"
        lacking = "accuracies" if is_whole_run else "column selected_in"
        rest.append(f"{asked.output} has no {lacking}.")
    if asked.report is not None:
        rest.append(f"{asked.report} was not written.")
    return " ".join(rest)
