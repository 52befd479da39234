"""What each bound of the S²FS engine buys: how many candidates it leaves, and the time it saves.

Run ``S2FS_DATA=folder python bench/studies/bounds.py``. In every step of a forward search all
candidates are refined to each level, and those whose bound reaches the best score are counted. The
next level, and in the end double precision, has to look at these. The second table is the processor
time of a whole search without a level over that with all of them, in turns: what the level would
have ruled out goes to the next one. What a step prepares for all candidates is still prepared.
"""

import argparse
from functools import partial

import numpy as np
from timing import PAPER, medians_in_turns, paper_data, table

from s2fs._native.subset import LEVELS, NativeState
from s2fs.criteria.problem import Problem

Weights = tuple[float, float]


def count_left(problem: Problem, k: int, weights: Weights) -> np.ndarray:
    """The mean number of candidates, first of all of them, then of those each level leaves."""
    state, left = NativeState(problem), np.flatnonzero(problem.varying)
    n_left = np.zeros((k, len(LEVELS) + 1))
    for step in range(k):
        feature, best, _ = state.best(left, weights)
        bounds = [state.upper_bounds(left, weights, level) for level in LEVELS]
        n_left[step] = len(left), *(np.count_nonzero(of_level >= best) for of_level in bounds)
        state.add(feature)
        left = left[left != feature]
    return n_left.mean(axis=0)


def search(problem: Problem, k: int, weights: Weights, without: str | None = None) -> list[int]:
    """The first k features, with all levels or without one."""
    state, left = NativeState(problem), np.flatnonzero(problem.varying)
    if without is not None:
        state.skip(without)
    selected = []
    for _ in range(k):
        feature, _, _ = state.add_best(left, weights)
        selected.append(feature)
        left = left[left != feature]
    return selected


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", type=int, default=30)
    parser.add_argument("--weights", type=float, nargs=2, default=(0.0316, 0.0316))
    parser.add_argument("--scale", default="standard", choices=["standard", "minmax"])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--datasets", nargs="*", default=PAPER)
    args = parser.parse_args()
    counts, savings = [], []
    for name in args.datasets:
        X, y = paper_data(name)
        problem, weights = Problem(X, y, args.scale), tuple(args.weights)
        counts.append([name, *(f"{n:.0f}" for n in count_left(problem, args.k, weights))])
        runs = [partial(search, problem, args.k, weights, without) for without in (None, *LEVELS)]
        if any(run() != runs[0]() for run in runs):
            raise SystemExit(f"{name}: a level changes what is selected")
        whole, *others = medians_in_turns(runs, args.turns)
        ratios = (f"{time / whole:.1f}" for time in others)
        savings.append([name, f"{1e3 * whole:.1f} ms", *ratios])
        print(*savings[-1], flush=True)
    print(table(["data", "features", *LEVELS], counts), end="\n\n")
    print(table(["data", "all levels", *(f"without {level}" for level in LEVELS)], savings))


if __name__ == "__main__":
    main()
