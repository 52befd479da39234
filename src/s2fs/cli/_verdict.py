"""The accuracy on held-out samples, and what to look at, below a ranking."""

import shlex
import sys
import warnings
from importlib.util import find_spec
from textwrap import fill
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

import s2fs
from s2fs._utils.messages import make_printable
from s2fs.cli._fit import make_quiet
from s2fs.cli.messages import without_options
from s2fs.cli.tables import print_table
from s2fs.cli.terminal import open_pipe, print_line
from s2fs.evaluation import evaluate_selector
from s2fs.evaluation.checks import as_dicts, check_selection
from s2fs.evaluation.samples import fill_by_medians

if TYPE_CHECKING:
    from s2fs.io import Dataset

#: What is trained on the selected features for the verdict.
LEARNER = "5 nearest neighbours"
#: Stands for an evaluation that Ctrl-C has ended.
INTERRUPTED_EVALUATION = object()
#: The verdict is left out where its nearest neighbours would take more multiplications than this.
LARGEST_VERDICT = 2 * 10**10


def evaluate(as_run: Any, data: "Dataset", asked: SimpleNamespace, k: int) -> Any:
    """Evaluate what was run on held-out samples; None, with the reason, where that cannot be."""
    if reason := _no_verdict(data, asked):
        click.echo(f"No verdict: {reason}.", err=True)
        return None
    X, imputer = data.for_folds()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # already warned about
            return evaluate_selector(
                make_quiet(as_run),
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
    if n * n * m > LARGEST_VERDICT and asked.report is None:
        return f"{LEARNER} among {n} samples with {m} features take long; 's2fs compare' gives it"
    return ""


def check_result(
    selector: Any, data: "Dataset", evaluation: s2fs.Comparison, stable: Any
) -> list[dict[str, Any]]:
    """The checks of a selection that has no report."""
    index = None if stable is None else stable.stability_
    return as_dicts(
        check_selection(
            fill_by_medians(data.X),
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


def print_verdict(
    evaluation: s2fs.Comparison, checks: list[dict[str, Any]], asked: SimpleNamespace
) -> None:
    """Accuracies, the verdict and what to look at; no times, so equal runs print alike."""
    with open_pipe():
        print_line(evaluation.title)
        click.echo()
        columns = evaluation.columns()
        print_table(columns, numbers=list(columns)[1:])
        print_line(evaluation.verdict)
        for line in evaluation.notes:
            print_line(line)
        if asked.n_features == "auto" and not asked.tune:
            print_line(
                "auto tells how many features do better than chance, not how many are enough."
            )
        worries = [_name_scale(check["text"]) for check in checks if not check["passed"]]
        if worries:
            click.echo()
            for text in worries:
                click.echo(fill(f"! {text}", 79, subsequent_indent="  "))
        if asked.report is None:
            click.echo(f"\nNext: {make_printable(_next_command(evaluation, asked))}")


def _name_scale(text: str) -> str:
    """A check in the words of the command line."""
    return text.replace('PairCover(scale="rank")', "--scale rank")


def _next_command(evaluation: s2fs.Comparison, asked: SimpleNamespace) -> str:
    """The same command with the recommended number of features, and a page to look at."""
    flags = () if asked.method.startswith("s2fs") else ("--tune",)  # it would choose the number
    words = without_options(asked.arguments, ("-k", "--n-features", "--save"), flags)
    recommendation = evaluation.recommendation
    number = asked.n_features
    if recommendation is not None:
        number = recommendation.size
        if recommendation.still_rising:
            number = min(2 * recommendation.best, evaluation.n_features_in)
    words += ["-k", str(number)]
    if find_spec("matplotlib") and find_spec("jinja2"):
        words += ["--report", "report.html"]
    return shlex.join(["s2fs", *words])
