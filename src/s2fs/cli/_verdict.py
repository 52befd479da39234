"""How good a selection is on held-out samples, and what to look at, below a ranking."""

import shlex
import warnings
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

import s2fs
from s2fs._utils.arguments import Argument
from s2fs._utils.messages import make_printable
from s2fs._utils.types import Indices
from s2fs.cli._fit import make_quiet
from s2fs.cli.messages import get_words
from s2fs.cli.tables import print_table
from s2fs.cli.terminal import print_line
from s2fs.evaluation import evaluate_selector
from s2fs.evaluation.checks import SelectionChecks, as_dicts, count_passed
from s2fs.evaluation.samples import fill_by_medians
from s2fs.report.next_commands import PANEL, write_prediction

if TYPE_CHECKING:
    from s2fs.cli._select import NumberOfFeatures, Select
    from s2fs.io import Dataset


def check_positive(positive: str | None, class_names: Sequence[str]) -> None:
    """Raise if the positive class is not one of two."""
    if positive is None:
        return
    if len(class_names) != 2:
        raise ValueError(
            f"--positive is {positive!r}, but there are {len(class_names)} classes; leave it out."
        )
    if positive not in class_names:
        one, other = class_names
        raise ValueError(f"--positive is {positive!r}; choose {one!r} or {other!r}.")


def evaluate(as_run: Any, table: "Dataset", asked: "Select", k: int) -> Any:
    """Evaluate what was run on held-out samples; None, with the reason, where that cannot be."""
    X, imputer = table.for_folds()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # already warned about
            found = evaluate_selector(
                make_quiet(as_run),
                X,
                table.y,
                n_selected=k,
                scoring=asked.scoring,
                positive=asked.positive,
                groups=table.groups,
                covariates=table.covariates,
                feature_groups=table.feature_groups,
                imputer=imputer,
                n_jobs=asked.n_jobs,
                verbose=1,
                class_names=table.class_names,
                sample_names=table.sample_ids,
            )
    except ValueError as error:
        click.echo(f"No verdict: {error}", err=True)
        return None
    return replace(found, group_name=str(asked.data.group or ""))


def check_result(
    columns: Indices, data: "Dataset", evaluation: s2fs.Comparison
) -> list[dict[str, Any]]:
    """The checks of a selection that has no report, by a column of each feature."""
    checks = SelectionChecks(
        fill_by_medians(data.X),
        data.y,
        columns,
        feature_names=data.columns,
        class_names=data.class_names,
        sample_names=data.sample_ids or [f"row {i + 1}" for i in range(len(data.y))],
        comparison=evaluation,
        incomplete=data.X if data.imputer is None else data.incomplete,
        covariates=data.covariates,
        remarks=data.repeated_subjects,
    )
    return as_dicts(checks.at())


def print_verdict(
    evaluation: s2fs.Comparison,
    checks: list[dict[str, Any]],
    asked: "Select",
    n_features: "NumberOfFeatures",
    data: "Dataset",
) -> None:
    """The table, the verdict and what to look at; no times, so equal runs print alike."""
    print_line(evaluation.title)
    click.echo()
    columns = evaluation.columns()
    print_table(columns, numbers=list(columns)[1:])
    for line in evaluation.lines():
        print_line(_name_options(line))
    if n_features == "auto" and not asked.tune:
        print_line(
            "auto answers another question: how many features do better than chance; a "
            "difference in spread counts, too."
        )
    click.echo()
    for check in checks:
        if not check["passed"]:
            text = _name_options(check["text"])
            click.echo(fill(f"! {text}", 79, subsequent_indent="  "))
    click.echo(f"✓ {count_passed(checks)}")
    if evaluation.has_intervals and evaluation.sentences.kind == "not shown":
        return  # there is nothing to go on with
    if next_command := _write_next_command(asked, data):
        click.echo(f"\nNext: {make_printable(next_command)}")


def _name_options(text: str) -> str:
    """A check in the words of the command line."""
    text = text.replace('PairCover(scale="rank")', "--scale rank")
    return text.replace("belong together by groups.", "belong together by --group COLUMN.")


def _write_next_command(asked: "Select", data: "Dataset") -> str:
    """Predict new samples with the panel; without one the same with a panel and a page.

    A group that a note has advised is added.
    """
    has_model = not asked.data.covariates
    if asked.save is not None and has_model:
        return write_prediction(str(asked.save))
    if asked.report is not None or not (find_spec("matplotlib") and find_spec("jinja2")):
        return ""
    words = get_words()
    advised = [
        str(part.value)
        for remark in data.remarks
        for part in getattr(remark.text, "parts", ())
        if isinstance(part, Argument) and part.name == "group" and part.value is not None
    ]
    if data.groups is None and len(advised) == 1:  # of several columns the user has to choose
        words = [*words, "--group", *advised]
    if has_model and asked.save is None:
        words = [*words, "--save", PANEL]
    return shlex.join(["s2fs", *words, "--report", "report.html"])
