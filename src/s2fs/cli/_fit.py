"""Fitting what ``s2fs select`` was asked for, so that Ctrl-C leaves what was selected so far."""

from typing import TYPE_CHECKING, Any, NoReturn

import click
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

import s2fs
from s2fs._utils.messages import format_count
from s2fs._utils.progress import ProgressCallback
from s2fs.cli._ranking import Table, ranking_columns
from s2fs.cli.app import INTERRUPTED
from s2fs.cli.features import list_features
from s2fs.cli.tables import print_table

if TYPE_CHECKING:
    from s2fs.io import Dataset


class _Latest:
    """A callback of scikit-learn that keeps the features selected so far."""

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


def _get_fit_arguments(selector: Any, data: "Dataset") -> dict[str, Any]:
    """What ``fit`` of a selector gets beside the table and the classes."""
    given = {"covariates": data.covariates, "groups": data.groups}
    return {
        name: value
        for name, value in given.items()
        if value is not None and has_fit_parameter(selector, name)
    }


def fit_selector(selector: Any, data: "Dataset") -> Any:
    """Fit a selector; if that is interrupted, print the features selected so far and exit."""
    latest, takes_callbacks = _Latest(), hasattr(selector, "set_callbacks")
    _add_progress(selector, "Selecting", latest)
    try:
        return selector.fit(data.named_X(), data.y, **_get_fit_arguments(selector, data))
    except KeyboardInterrupt:
        if not takes_callbacks:
            stop("before the end")
        if latest.selector is None:
            stop("before a feature was selected")
        ranking = ranking_columns(latest.selector, data.columns, list_features(data)[0])
        wanted = selector.n_features_to_select
        of_wanted = f" of {wanted}" if isinstance(wanted, int) else ""
        n_selected = len(ranking["rank"])
        stop(f"after {n_selected}{of_wanted} features; this ranking is partial", ranking)


def make_tuner(selector: Any, n_features: Any, n_jobs: int | None) -> s2fs.SelectorCV:
    """The search for the number of features, and for the weights of S²FS."""
    return s2fs.SelectorCV(n_features, selector=make_quiet(selector), n_jobs=n_jobs)


def tune_selector(tuner: s2fs.SelectorCV, selector: Any, data: "Dataset") -> tuple[Any, str]:
    """The selector with the parameters that the search has chosen, and a line that names them."""
    covariates = {} if data.covariates is None else {"covariates": data.covariates}
    search = _add_progress(clone(tuner), "Tuning")
    search.fit(data.named_X(), data.y, groups=data.groups, **covariates)
    best = search.best_params_
    weights = "".join(f"{name} {best[name]:g}, " for name in ("alpha", "beta") if name in best)
    features = format_count(best["n_features_to_select"], "feature")
    line = (
        f"Chosen by {search.n_splits_}-fold cross-validation: {weights}{features}. The verdict "
        "makes this choice again in every fold."
    )
    return clone(selector).set_params(**best), line


def make_quiet(selector: Any) -> Any:
    """The same selector for one of several fits side by side: on one thread, not followed."""
    quiet = clone(selector)
    if hasattr(quiet, "set_callbacks"):
        quiet.set_callbacks()
    return quiet.set_params(n_jobs=None) if "n_jobs" in quiet.get_params() else quiet


def _add_progress(selector: Any, label: str, *callbacks: Any) -> Any:
    """The selector with a progress bar and other callbacks, where scikit-learn has callbacks."""
    if hasattr(selector, "set_callbacks"):
        selector.set_callbacks(*callbacks, ProgressCallback(label))
    return selector


def stop(when: str, table: Table | None = None) -> NoReturn:
    """Say on standard error what a result on standard output is, and that no file was written."""
    click.echo(f"Stopped {when}. No file was written.", err=True)
    if table is not None:
        print_table(table)
    raise click.exceptions.Exit(INTERRUPTED)
