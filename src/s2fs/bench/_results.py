"""From the units of a ledger to curves: folds pooled, one result per ranking."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from s2fs.bench._ledger import Ledger
from s2fs.bench._methods import reconstruction
from s2fs.bench._paper_data import PAPER_DATASETS
from s2fs.bench._plan import BUNDLED, SelectorSpec
from s2fs.bench._run import Outcome, Unit
from s2fs.evaluation import Curve, pool_folds, stability

if TYPE_CHECKING:
    from s2fs.bench._archive import Archive

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
    unit : Unit
        One of its units; all agree but in the fold.
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

    unit: Unit
    weights: tuple[float, float] | None
    chosen: tuple[tuple[float, float], ...]
    curves: dict[str, Curve]
    stability: float

    @property
    def selector(self) -> SelectorSpec:
        """What ranked the features."""
        return self.unit.selector

    @property
    def how(self) -> str:
        """How alpha and beta were set: "fixed", "grid" or "inside"."""
        if self.chosen:
            return "inside"
        return "fixed" if self.weights is None else "grid"

    def identity(self) -> dict[str, Any]:
        """What was run, as the first columns of an export."""
        unit, spec = self.unit, self.selector
        alpha, beta = self.weights or ("", "")
        values = (
            unit.dataset,
            spec.name,
            spec.method,
            reconstruction(spec.method) or "confirmed",
            json.dumps(dict(spec.parameters), sort_keys=True),
            self.how,
            alpha,
            beta,
            unit.protocol,
            unit.protocol == "before",
            unit.n_folds,
            unit.seed,
            unit.version,
        )
        return dict(zip(_IDENTITY, values, strict=True))


def results(ledger: "Ledger | Archive") -> Iterator[Result]:
    """Pool the folds of every cross-validation that is complete.

    Parameters
    ----------
    ledger : Ledger or Archive
        Where the units, or their results, are.

    Yields
    ------
    Result
        In the order the units were added; of a grid, one per pair of weights.
    """
    if not isinstance(ledger, Ledger):
        yield from ledger.results
        return
    groups: dict[str, list[Unit]] = {}
    for entry in ledger.entries():
        if entry.state == "done":
            groups.setdefault(replace(entry.unit, fold=0).key, []).append(entry.unit)
    for units in groups.values():
        if len(units) == units[0].n_folds:
            yield from _pooled(ledger, sorted(units, key=lambda unit: unit.fold))


def dataset_title(name: str) -> str:
    """The name of a dataset as the paper prints it."""
    return "SRBCT (bundled)" if name == BUNDLED else PAPER_DATASETS[name].title


def export_rows(ledger: "Ledger | Archive") -> list[dict[str, Any]]:
    """One row for each result and learner: the best and the average score over the sizes."""
    rows = []
    for result in results(ledger):
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


def export_curves(ledger: "Ledger | Archive") -> list[dict[str, Any]]:
    """One row for each result, learner and size."""
    return _sorted(
        [
            {**result.identity(), "learner": learner, "size": int(size), "score": float(score)}
            for result in results(ledger)
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


def _pooled(ledger: Ledger, units: list[Unit]) -> Iterator[Result]:
    unit, spec = units[0], units[0].selector
    outcomes = [Outcome.from_bytes(ledger.result(unit.key)) for unit in units]
    for i, (alpha, beta) in enumerate(outcomes[0].weights.tolist()):
        folds = [outcome.fold_result(i, unit.sizes) for outcome in outcomes]
        chosen = spec.tune == "inside"
        yield Result(
            unit=unit,
            weights=(alpha, beta) if spec.alphas and not chosen else None,
            chosen=tuple(tuple(o.weights[0].tolist()) for o in outcomes) if chosen else (),
            curves=pool_folds(folds),
            stability=_stability([fold.ranking for fold in folds], unit.dataset),
        )


def _stability(rankings: list[Any], dataset: str) -> float:
    m = PAPER_DATASETS["srbct" if dataset == BUNDLED else dataset].n_features
    if len(rankings[0]) == m:
        return float("nan")
    return stability(rankings, m).value
