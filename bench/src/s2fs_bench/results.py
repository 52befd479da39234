"""From the runs of a results file to curves: folds pooled, one result per ranking."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from s2fs._utils.stability import prefix_stability, stability
from s2fs._utils.types import Floats, Indices
from s2fs.evaluation import Curve, pool_folds
from s2fs_bench.exchange import RANKINGS
from s2fs_bench.ledger import Ledger
from s2fs_bench.plan import SelectorSpec
from s2fs_bench.run import Outcome, Run

if TYPE_CHECKING:
    from s2fs_bench.archive import Archive
    from s2fs_bench.joined import Joined

ResultsFile: TypeAlias = "Ledger | Archive | Joined"


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
    stabilities : ndarray of shape (n_sizes,)
        For each size, the agreement of the features selected in the folds, see
        :func:`s2fs.evaluation.stability`; NaN if every feature was selected.
    redundancies : ndarray of shape (n_sizes,)
        For each size the mean |r| of two selected features; NaN for one feature.
    seconds : float or None
        Processor time of the search in one fold, the mean over the folds; of a grid, of all its
        weightings, see :attr:`selection_seconds`. None if it was not recorded.
    lengths : tuple of int
        How many features the selector itself gave in each fold; empty if it gave as many as the
        largest size.
    """

    run: Run
    weights: tuple[float, float] | None
    chosen: tuple[tuple[float, float], ...]
    curves: dict[str, Curve]
    stabilities: Floats
    redundancies: Floats
    seconds: float | None
    lengths: tuple[int, ...] = ()

    @property
    def selection_seconds(self) -> float | None:
        """Processor time of a single selection: of a grid, the share of one weighting.

        The weightings of a grid are searched together, which is faster than one by one.
        """
        if self.seconds is None or self.how != "grid":
            return self.seconds
        return self.seconds / (len(self.selector.alphas) * len(self.selector.betas))

    @property
    def stability(self) -> float:
        """The agreement at the largest size."""
        return float(self.stabilities[-1])

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
        return {
            "dataset": run.dataset,
            "data_hash": run.data_hash,
            "selector": spec.name,
            "method": spec.method,
            "algorithm": run.algorithm,
            "status": run.status,
            "parameters": json.dumps(dict(run.parameters), sort_keys=True),
            "weights": self.how,
            "alpha": alpha,
            "beta": beta,
            "protocol": run.protocol,
            "leaky": run.protocol == "before",
            "folds": run.n_folds,
            "seed": run.seed,
            "version": run.version,
        }


def iter_results(results_file: ResultsFile) -> Iterator[Result]:
    """Pool the folds of every cross-validation that is complete.

    Of a selector whose algorithm has changed, only the results of the newest version are given.

    Parameters
    ----------
    results_file : Ledger or Archive
        Where the runs, or their results, are.

    Yields
    ------
    Result
        In the order the runs were added; of a grid, one per weighting.

    Raises
    ------
    ValueError
        If different data, or different selectors, have the same name.
    """
    if not isinstance(results_file, Ledger):
        check_names(results_file.path, [result.run for result in results_file.results])
        yield from results_file.results
        return
    groups: dict[str, list[Run]] = {}
    done = [entry.run for entry in results_file.entries() if entry.state == "done"]
    for run in keep_newest(done):
        groups.setdefault(run.cross_validation, []).append(run)
    check_names(results_file.path, [runs[0] for runs in groups.values()])
    for runs in groups.values():
        if len(runs) == runs[0].n_folds:
            yield from _pool_folds(results_file, sorted(runs, key=lambda run: run.fold))


def _describe_request(run: Run) -> str:
    """What a plan asked a selector for, under the name it gave it."""
    return json.dumps(asdict(run.selector), sort_keys=True)


def keep_newest(runs: list[Run]) -> list[Run]:
    """Without runs of older versions of a selector's algorithm, and of older evaluations."""

    def version(run: Run) -> tuple[int, int]:
        number = int(run.algorithm) if run.algorithm.isdecimal() else 0
        return int(run.settings.get("version", 0)), number

    newest: dict[str, tuple[int, int]] = {}
    for run in runs:
        request = _describe_request(run)
        newest[request] = max(version(run), newest.get(request, (0, 0)))
    return [run for run in runs if version(run) == newest[_describe_request(run)]]


def check_names(path: Path, runs: Iterable[Run]) -> None:
    """Raise if one name stands for different data, or for different selectors."""
    data: dict[str, str] = {}
    selectors: dict[tuple[str, str], tuple[str, str]] = {}
    rankings: dict[tuple[str, str, int], str] = {}
    for run in runs:
        if data.setdefault(run.dataset_title, run.data_hash) != run.data_hash:
            raise ValueError(
                f"{path} has results of different data under the name {run.dataset_title!r}, which "
                "no table can show side by side; run each in a results file of its own."
            )
        spec = run.selector
        # Of a grid every weighting is a result of its own, so grids may differ.
        asked = replace(spec, alphas=(), betas=()) if spec.weights == "grid" else spec
        of_files = run.settings.get(RANKINGS, "")
        split = (spec.name, run.dataset, run.seed)
        if rankings.setdefault(split, of_files) != of_files:
            raise ValueError(
                f"{path} has other rankings of {spec.name!r} on {run.dataset!r} than its files "
                "hold now; give them a name of their own in the plan, or another results file."
            )
        same = (repr(asked), run.algorithm)
        if selectors.setdefault((spec.name, spec.weights), same) != same:
            raise ValueError(
                f"{path} has results of {spec.name!r} with different parameters or code, which no "
                "table can show under one name; give each a name of its own in the plan, or run it "
                "in another results file."
            )


def complete_results(results_file: ResultsFile) -> list[Result]:
    """All results, of which there must be at least one."""
    found = list(iter_results(results_file))
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
        score = "" if run.score == "accuracy" else f"-{run.score.replace('_', '-')}"
        split.setdefault(f"{run.protocol}-{run.n_folds}-folds-{sizes}{score}", []).append(result)
    return split


def setting_folders(
    results_file: ResultsFile, folder: str | PathLike[str]
) -> Iterator[tuple[Path, list[Result]]]:
    """The results of each setting with a folder for it: of its own, if there are several."""
    split = by_setting(complete_results(results_file))
    for name, group in split.items():
        place = Path(folder) if len(split) == 1 else Path(folder) / name
        place.mkdir(parents=True, exist_ok=True)
        yield place, group


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
            extra: dict[str, float] = {}
            for name in ("balanced_accuracy", "macro_f1"):
                values = curve.scores.get(name, np.array([np.nan]))
                extra |= {f"{name}_max": float(values.max()), f"{name}_ave": float(values.mean())}
            rows.append(
                {
                    **result.identity(),
                    "learner": learner,
                    "score": next(iter(curve.scores)),
                    "n_sizes": len(curve.sizes),
                    "max": curve.max,
                    "ave": curve.ave,
                    "best_size": int(curve.sizes[curve.values.argmax()]),
                    **extra,
                    "stability": result.stability,
                }
            )
    return _sort_rows(rows)


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
    return _sort_rows(
        [
            {**result.identity(), "learner": learner, "size": int(size), "score": float(score)}
            for result in complete_results(results_file)
            for learner, curve in result.curves.items()
            for size, score in zip(curve.sizes, curve.values, strict=True)
        ]
    )


def _sort_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """In an order that does not depend on which plan was run first."""

    def order(row: dict[str, Any]) -> list[tuple[bool, Any]]:
        ran = takewhile(lambda item: item[0] != "score", row.items())
        # Empty weights come before numbers, which text and numbers could not be compared for.
        return [(value != "", value) for _, value in ran]

    return sorted(rows, key=order)


def _pool_folds(ledger: Ledger, runs: list[Run]) -> Iterator[Result]:
    run, spec = runs[0], runs[0].selector
    outcomes = [_load_outcome(ledger, run) for run in runs]
    for i, (alpha, beta) in enumerate(outcomes[0].weights.tolist()):
        folds = [outcome.fold_result(i, run.sizes) for outcome in outcomes]
        chosen = spec.tune == "inside"
        curves = pool_folds(folds).items()
        lengths = tuple(int(outcome.lengths[i]) for outcome in outcomes)
        yield Result(
            run=run,
            weights=(alpha, beta) if spec.alphas and not chosen else None,
            chosen=tuple(tuple(o.weights[0].tolist()) for o in outcomes) if chosen else (),
            curves={learner: with_main_score(curve, run.score) for learner, curve in curves},
            stabilities=_compute_stabilities([fold.ranking for fold in folds], run),
            redundancies=np.mean([outcome.redundancy[i] for outcome in outcomes], axis=0),
            seconds=float(np.mean([outcome.seconds for outcome in outcomes])),
            lengths=lengths if min(lengths) < run.sizes[-1] else (),
        )


def _load_outcome(ledger: Ledger, run: Run) -> Outcome:
    try:
        return Outcome.from_bytes(ledger.result(run.key), run)
    except KeyError:
        raise ValueError(
            f"{ledger.path} is damaged (a result is not found by its key); run the plan in a new "
            "results file."
        ) from None
    except ValueError as error:
        raise ValueError(
            f"{ledger.path}: the result of {run.selector.name!r} on {run.dataset!r}, fold "
            f"{run.fold}, is damaged ({error}); run the plan in a new results file."
        ) from None


def _compute_stabilities(rankings: list[Indices], run: Run) -> Floats:
    """The agreement of the folds at each size; a list that has ended stays as it is."""
    if min(map(len, rankings)) == run.sizes[-1]:
        return prefix_stability(np.array(rankings), run.n_features)[np.array(run.sizes) - 1]
    stabilities = np.full(len(run.sizes), np.nan)
    for i, size in enumerate(run.sizes):
        selected = [ranking[:size] for ranking in rankings]
        if any(len(features) < run.n_features for features in selected):
            stabilities[i] = stability(selected, run.n_features).value
    return stabilities


def with_main_score(curve: Curve, score: str) -> Curve:
    """The same curve with a score in the first place, if it has it."""
    if score not in curve.scores:
        return curve
    return Curve(curve.learner, curve.sizes, {score: curve.scores[score], **curve.scores})
