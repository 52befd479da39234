"""From the runs of a results file to curves: folds pooled, one result per ranking."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from s2fs.bench._datasets import BUNDLED, PAPER_DATASETS
from s2fs.bench._ledger import Ledger
from s2fs.bench._methods import reconstruction
from s2fs.bench._plan import SelectorSpec
from s2fs.bench._run import Outcome, Run
from s2fs.evaluation import Curve, pool_folds, stability

if TYPE_CHECKING:
    from s2fs.bench._archive import Archive

ResultsFile: TypeAlias = "Ledger | Archive"

#: The columns of :func:`export_rows` and :func:`export_curves` that say what was run.
_IDENTITY = (
    "dataset",
    "selector",
    "method",
    "status",
    "parameters",
    "weights",
    "alpha",
    "beta",
    "protocol",
    "leaky",
    "folds",
    "seed",
    "version",
)


@dataclass(frozen=True, eq=False)
class Result:
    """A complete cross-validation of one ranking method on one dataset.

    Attributes
    ----------
    run : Run
        One of its runs; all agree but in the fold.
    weights : tuple of float or None
        Alpha and beta, if the result is one of a grid.
    chosen : tuple of tuple of float
        Alpha and beta chosen in each fold, if they were chosen inside.
    curves : dict of str to Curve
        One curve per learner.
    stability : float
        Agreement of the features selected in the folds, see :func:`s2fs.evaluation.stability`; NaN
        if every feature was selected.
    """

    run: Run
    weights: tuple[float, float] | None
    chosen: tuple[tuple[float, float], ...]
    curves: dict[str, Curve]
    stability: float

    @property
    def selector(self) -> SelectorSpec:
        """What ranked the features."""
        return self.run.selector

    @property
    def how(self) -> str:
        """How alpha and beta were set: "fixed", "grid" or "inside"."""
        if self.chosen:
            return "inside"
        return "fixed" if self.weights is None else "grid"

    def identity(self) -> dict[str, Any]:
        """What was run, as the first columns of an export.

        Returns
        -------
        dict
            The values by the names of the columns.
        """
        run, spec = self.run, self.selector
        alpha, beta = self.weights or ("", "")
        values = (
            run.dataset,
            spec.name,
            spec.method,
            reconstruction(spec.method) or "confirmed",
            json.dumps(dict(spec.parameters), sort_keys=True),
            self.how,
            alpha,
            beta,
            run.protocol,
            run.protocol == "before",
            run.n_folds,
            run.seed,
            run.version,
        )
        return dict(zip(_IDENTITY, values, strict=True))


def results(results_file: ResultsFile) -> Iterator[Result]:
    """Pool the folds of every cross-validation that is complete.

    Parameters
    ----------
    results_file : Ledger or Archive
        Where the runs, or their results, are.

    Yields
    ------
    Result
        In the order the runs were added; of a grid, one per pair of weights.
    """
    if not isinstance(results_file, Ledger):
        yield from results_file.results
        return
    groups: dict[str, list[Run]] = {}
    for entry in results_file.entries():
        if entry.state == "done":
            groups.setdefault(entry.run.cross_validation, []).append(entry.run)
    for runs in groups.values():
        if len(runs) == runs[0].n_folds:
            yield from _pooled(results_file, sorted(runs, key=lambda run: run.fold))


def complete_results(results_file: ResultsFile) -> list[Result]:
    """All results, of which there must be at least one."""
    found = list(results(results_file))
    if not found:
        raise ValueError(
            f"{results_file.path} has no complete cross-validation yet; run more of it."
        )
    return found


def by_setting(found: Iterable[Result]) -> dict[str, list[Result]]:
    """Split results by how they were obtained: protocol, folds and sizes must agree."""
    split: dict[str, list[Result]] = {}
    for result in found:
        run = result.run
        dense = len(run.sizes) == run.sizes[-1]
        sizes = f"top-1-to-{run.sizes[-1]}" if dense else f"{len(run.sizes)}-sizes"
        split.setdefault(f"{run.protocol}-{run.n_folds}-folds-{sizes}", []).append(result)
    return split


def setting_folders(
    results_file: ResultsFile, folder: str | PathLike[str]
) -> Iterator[tuple[Path, list[Result]]]:
    """The results of each setting with a folder for it: of its own, if there are several."""
    split = by_setting(complete_results(results_file))
    for name, alike in split.items():
        place = Path(folder) if len(split) == 1 else Path(folder) / name
        place.mkdir(parents=True, exist_ok=True)
        yield place, alike


def export_rows(results_file: ResultsFile) -> list[dict[str, Any]]:
    """One row for each result and learner: the best and the average score over the sizes.

    Parameters
    ----------
    results_file : Ledger or Archive
        Where the runs, or their results, are.

    Returns
    -------
    list of dict
        The rows, each with the values by the names of the columns.
    """
    rows = []
    for result in complete_results(results_file):
        for learner, curve in result.curves.items():
            extra = {
                f"{name}_{kind}": float(value)
                for name in ("balanced_accuracy", "macro_f1")
                for kind, value in _both(curve, name).items()
            }
            best = int(curve.sizes[curve.values.argmax()])
            rows.append(
                {
                    **result.identity(),
                    "learner": learner,
                    "score": next(iter(curve.scores)),
                    "n_sizes": len(curve.sizes),
                    "max": curve.max,
                    "ave": curve.ave,
                    "best_size": best,
                    **extra,
                    "stability": result.stability,
                }
            )
    return _sorted(rows)


def export_curves(results_file: ResultsFile) -> list[dict[str, Any]]:
    """One row for each result, learner and size.

    Parameters
    ----------
    results_file : Ledger or Archive
        Where the runs, or their results, are.

    Returns
    -------
    list of dict
        The rows, each with the values by the names of the columns.
    """
    return _sorted(
        [
            {**result.identity(), "learner": learner, "size": int(size), "score": float(score)}
            for result in complete_results(results_file)
            for learner, curve in result.curves.items()
            for size, score in zip(curve.sizes, curve.values, strict=True)
        ]
    )


def _sorted(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """In an order that does not depend on which plan was run first."""

    def order(row: dict[str, Any]) -> list[tuple[bool, Any]]:
        columns = (*_IDENTITY, "learner", "size")
        # Empty weights come before numbers, which text and numbers could not be compared for.
        return [(row.get(name, "") != "", row.get(name, "")) for name in columns]

    return sorted(rows, key=order)


def _both(curve: Curve, name: str) -> dict[str, Any]:
    if name not in curve.scores:
        return {"max": float("nan"), "ave": float("nan")}
    return {"max": curve.scores[name].max(), "ave": curve.scores[name].mean()}


def _pooled(ledger: Ledger, runs: list[Run]) -> Iterator[Result]:
    run, spec = runs[0], runs[0].selector
    outcomes = [Outcome.from_bytes(ledger.result(run.key)) for run in runs]
    for i, (alpha, beta) in enumerate(outcomes[0].weights.tolist()):
        folds = [outcome.fold_result(i, run.sizes) for outcome in outcomes]
        chosen = spec.tune == "inside"
        yield Result(
            run=run,
            weights=(alpha, beta) if spec.alphas and not chosen else None,
            chosen=tuple(tuple(o.weights[0].tolist()) for o in outcomes) if chosen else (),
            curves=pool_folds(folds),
            stability=_stability([fold.ranking for fold in folds], run.dataset),
        )


def _stability(rankings: list[Any], dataset: str) -> float:
    m = PAPER_DATASETS["srbct" if dataset == BUNDLED else dataset].n_features
    if len(rankings[0]) == m:
        return float("nan")
    return stability(rankings, m).value
