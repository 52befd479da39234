"""The work behind ``s2fs select``, which Ctrl-C may end at any moment."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import click

from s2fs.cli._output import INTERRUPTED, note, print_table, write_table

if TYPE_CHECKING:
    from s2fs import S2FS, StabilitySelector
    from s2fs.datasets import Dataset

Table = dict[str, list[Any]]


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


def fitted(options: dict[str, Any], data: "Dataset") -> "S2FS":
    """Fit a selector; if that is interrupted, print the features it has found so far and exit."""
    from s2fs import S2FS

    latest, selector = _Latest(), S2FS(**options)
    if hasattr(selector, "set_callbacks"):
        selector.set_callbacks(latest)
    try:
        return selector.fit(data.X, data.y)
    except KeyboardInterrupt:
        if latest.selector is None:
            _stop("before a feature was chosen")
        found = ranking_columns(latest.selector, data.feature_names)
        wanted = options["n_features_to_select"]
        of = f" of {wanted}" if isinstance(wanted, int) else ""
        _stop(f"after {len(found['rank'])}{of} features; this ranking is partial", found)


def tuned(
    data: "Dataset", n_features: int | float | Literal["auto"], options: dict[str, Any]
) -> tuple[dict[str, Any], str]:
    """Choose weights, and the number of features if open; and a line that tells the choice."""
    from s2fs import S2FSCV

    found = S2FSCV(n_features, **options).fit(data.X, data.y)
    best = found.best_params_
    return best, (
        f"Chosen by {found.n_splits_}-fold cross-validation: alpha {best['alpha']:g}, "
        f"beta {best['beta']:g}, {best['n_features_to_select']} feature(s); accuracy of 5 nearest "
        f"neighbours {found.best_score_:.1%}, optimistic as the best of many."
    )


def stability_of(
    options: dict[str, Any], data: "Dataset", n_resamples: int, table: Table
) -> "StabilitySelector":
    """Select again on halves; if that is interrupted, print the complete ranking and exit."""
    from s2fs import S2FS, StabilitySelector

    shown = {name: options[name] for name in ("n_jobs", "verbose")}
    alone = S2FS(**{**options, "n_jobs": None, "verbose": 0})
    try:
        return StabilitySelector(selector=alone, n_resamples=n_resamples, **shown).fit(
            data.X, data.y
        )
    except KeyboardInterrupt:
        _stop("before the stability was known; the ranking is complete", table)


def stability_line(stable: "StabilitySelector") -> str:
    """The stability of the selected sets in words."""
    n, index = len(stable.selected_), stable.stability_
    if index is None:
        return f"All features were selected on all {n} halves, so there is no stability to tell."
    return (
        f"Stability of the selections on {n} random halves (Nogueira): {index.value:.3f}, "
        f"{index.confidence:.0%} interval {index.low:.3f} to {index.high:.3f}."
    )


def deliver(
    selector: "S2FS",
    feature_names: list[str],
    table: Table,
    lines: Sequence[str],
    output: Path | None,
    save: Path | None,
) -> None:
    """Print a ranking, below it what else there is to say, and write the files asked for."""
    print_table(table)
    for line in lines:
        click.echo(f"\n{line}")
    if output is not None:
        write_table(output, table)
    if save is not None:
        from s2fs import Selection

        Selection.of(selector, feature_names).save(save)
        note(f"Wrote {save}.")


def ranking_columns(selector: "S2FS", feature_names: list[str]) -> Table:
    """The path of a fitted selector as columns, with the features by name."""
    from s2fs import Components

    path = selector.path_
    return {
        "rank": list(range(1, len(path) + 1)),
        "feature": [feature_names[f] for f in path["feature"]],
        **{name: path[name].tolist() for name in ("sep", "gain", *Components._fields)},
    }


def _stop(when: str, table: Table | None = None) -> NoReturn:
    """Say on standard error what a result on standard output is, and that no file was written."""
    click.echo(f"Stopped {when}. No file was written.", err=True)
    if table is not None:
        print_table(table)
    raise click.exceptions.Exit(INTERRUPTED)
