r"""Join new results of the paper's experiments with older ones that a change has left as they were.

    git show <commit>:bench/results/paper.npz > old.npz
    S2FS_DATA=<folder of .npz files> python bench/studies/kept.py old.npz paper.sqlite \
        --out bench/results/paper.npz

A full run of S²FS over its 81 pairs of weights takes hours, and a change of the code often leaves
most rankings alone. This script ranks the first 20 features again, in every fold of every dataset
that ``old.npz`` has, with every α and every β, and compares the scores of 5-NN at each size with
those stored. Results of S²FS with one β are kept if all agree, and if no two centroids coincide in
any of these sets of 20 features: what a coincidence counts, which β weighs, is all that has changed
in the criterion, so later steps are the same too.

Results of a baseline are kept if the new file has it on at least two datasets, and if there every
score of every size is the one stored. Everything else must come from the new results file.

With ``--same-code`` nothing is ranked again: what the new file does not have is kept as it is.
"""

import argparse
import json
import tempfile
from collections import defaultdict
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from s2fs import s2fs_paths
from s2fs.evaluation import FoldResult, evaluate_fold, pool_folds, stratified_folds
from s2fs_bench import (
    PAPER_LEARNERS,
    Archive,
    Ledger,
    Result,
    Run,
    find_dataset,
    load_dataset,
    write_archive,
)

N_STEPS = 20
LEARNERS = {"knn": PAPER_LEARNERS["knn"]}
#: Stored values have single precision; k-means on one feature also ends in ties by rounding.
CLOSE = {"knn": 2e-6, "kmeans": 1e-4}


class Joined:
    """Results of two files, as one that can be archived."""

    def __init__(self, new: Archive, kept: dict[int, Result], old: Archive) -> None:
        self.path = new.path
        self.results = [*new.results, *kept.values()]
        by_run = {id(old.results[i].run): result.run for i, result in kept.items()}
        self._entries = new.entries() + [
            entry._replace(run=by_run[id(entry.run)])
            for entry in old.entries()
            if id(entry.run) in by_run
        ]

    def entries(self) -> list:  # type: ignore[type-arg]
        """The finished runs of both."""
        return self._entries


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", help="archive with the older results")
    parser.add_argument("new", help="results file with the new ones")
    parser.add_argument("--checked", help="JSON file for the β that are kept, read if it is there")
    parser.add_argument("--same-code", action="store_true", help="keep all that is not new")
    parser.add_argument("--out", required=True, help="archive to write")
    options = parser.parse_args()
    old = Archive(options.old)
    with tempfile.TemporaryDirectory() as folder, Ledger(options.new) as ledger:
        new = Archive(write_archive(ledger, Path(folder, "new.npz")))
        # What a run of today is called, be it done or waiting.
        stamps = {stamp_key(entry.run): entry.run for entry in ledger.entries()}
    there = {identity(result) for result in new.results}
    rest = {i: r for i, r in enumerate(old.results) if identity(r) not in there}
    kept = rest if options.same_code else kept_of_s2fs(rest, stamps, options.checked)
    if not options.same_code:
        kept |= baselines_as_before(old, new, stamps)
    write_archive(Joined(new, kept, old), options.out)  # type: ignore[arg-type]
    print(f"{options.out}: {len(new.results)} new results, {len(kept)} kept")


def kept_of_s2fs(
    rest: dict[int, Result], stamps: dict[str, Run], path: str | None
) -> dict[int, Result]:
    """Older results of S²FS that are what it gives today."""
    wanted = {
        i: result
        for i, result in rest.items()
        if not is_baseline(result) and stamp_key(result.run) in stamps
    }
    kept = {}
    checked: dict[str, list[float]] = {}
    if path and Path(path).exists():
        checked = json.loads(Path(path).read_text("utf-8"))
    for dataset in dict.fromkeys(result.run.dataset for result in wanted.values()):
        group = {i: result for i, result in wanted.items() if result.run.dataset == dataset}
        if dataset not in checked:
            checked[dataset] = sorted(unchanged(dataset, group))
            if path:
                Path(path).write_text(json.dumps(checked), "utf-8")
        betas = set(checked[dataset])
        same = {i for i, result in group.items() if betas_of(result) <= betas}
        kept |= {i: stamped(group[i], stamps) for i in same}
        print(f"{dataset}: {len(same)} of {len(group)} older results kept; β", *sorted(betas))
    return kept


def betas_of(result: Result) -> set[float]:
    """The β that a result rests on: of a pair its own, of a choice all that were to choose from."""
    return set(result.selector.betas) if result.weights is None else {result.weights[1]}


def stamp_key(run: Run) -> str:
    """A selector by what decides its result: a baseline by its name, S²FS with its weights too."""
    return repr(run.selector) if run.selector.method == "S2FS" else run.selector.name


def baselines_as_before(old: Archive, new: Archive, stamps: dict[str, Run]) -> dict[int, Result]:
    """Older results of baselines that give the same scores wherever they were run again."""
    again = {(r.selector.name, r.run.dataset): r for r in new.results if is_baseline(r)}
    before = {(r.selector.name, r.run.dataset): i for i, r in enumerate(old.results)}
    kept = {}
    for name in dict.fromkeys(name for name, _ in again):
        both = [key for key in again if key[0] == name and key in before]
        same = [key for key in both if same_scores(again[key], old.results[before[key]])]
        print(f"{name}: the same scores on {len(same)} of {len(both)} datasets run again")
        if len(both) >= 2 and same == both:
            kept |= {
                i: stamped(old.results[i], stamps)
                for key, i in before.items()
                if key[0] == name and key not in again
            }
    return kept


def is_baseline(result: Result) -> bool:
    """Whether it is of another selector than S²FS."""
    return result.selector.method != "S2FS"


def same_scores(one: Result, other: Result) -> bool:
    """Whether all learners score the same at all sizes, to the precision that is stored."""
    return all(
        np.allclose(curve.values, other.curves[name].values, rtol=0, atol=CLOSE.get(name, 2e-6))
        for name, curve in one.curves.items()
    )


def identity(result: Result) -> tuple[object, ...]:
    """What a result is of, without the code that computed it."""
    return result.selector.name, result.how, result.run.dataset, result.weights


def stamped(result: Result, stamps: dict[str, Run]) -> Result:
    """The result with the parameters and versions that a run of today has."""
    run = stamps[stamp_key(result.run)]
    names = ("selector", "parameters", "algorithm", "settings", "status")
    return replace(result, run=replace(result.run, **{name: getattr(run, name) for name in names}))


def unchanged(dataset: str, group: dict[int, Result]) -> set[float]:
    """The β for which S²FS gives the older scores today, with every α."""
    if find_dataset(dataset) is None:
        return set()
    data = load_dataset(dataset)
    X, y = np.asarray(data.X, dtype=np.float64), np.asarray(data.y)
    stored = {r.weights: r for r in group.values() if r.weights is not None and r.weights[0]}
    alphas, betas = (sorted({pair[i] for pair in stored if pair[i]}) for i in (0, 1))
    run = next(iter(group.values())).run
    folds: dict[tuple[float, float], list[FoldResult]] = defaultdict(list)
    same = dict.fromkeys(betas, True)
    for train, test in stratified_folds(y, run.n_folds, random_state=run.seed):
        chosen = s2fs_paths(X[train], y[train], N_STEPS, alphas, betas, scale="minmax").indices
        for (i, alpha), (j, beta) in product(enumerate(alphas), enumerate(betas)):
            path = chosen[i, j]
            same[beta] &= centroids_differ(X[train][:, path], y[train])
            folds[alpha, beta].append(
                evaluate_fold(
                    X[train], y[train], X[test], y[test], path, learners=LEARNERS, sizes=N_STEPS
                )
            )
    for (alpha, beta), parts in folds.items():
        for name, curve in pool_folds(parts).items():
            before = stored[alpha, beta].curves[name].values[:N_STEPS]
            same[beta] &= np.allclose(curve.values, before, rtol=0, atol=CLOSE[name])
    # Without a weight on directions between classes, their rule does not count.
    return {0.0} | {beta for beta, as_before in same.items() if as_before}


def centroids_differ(X: np.ndarray, y: np.ndarray) -> bool:
    """Whether all class centroids are apart."""
    centroids = np.array([X[y == q].mean(axis=0) for q in np.unique(y)])
    apart = np.abs(centroids[:, None] - centroids).max(axis=2) > 1e-9 * np.ptp(X)
    return bool(apart[np.triu_indices(len(centroids), 1)].all())


if __name__ == "__main__":
    main()
