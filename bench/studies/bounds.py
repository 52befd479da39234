"""What each bound of the S²FS engine buys: how many candidates it leaves, and what that saves.

Run ``S2FS_DATA=folder python bench/studies/bounds.py``. In every step of a forward search all
candidates are refined to each level, and those whose bound reaches the best score are counted. The
next level, and in the end double precision, has to look at these. The second table is the time of a
step without a level over that with all of them, from these counts and from the processor time that
each level takes for a candidate: what the level would have ruled out goes to the next one. What a
step prepares for all candidates counts for every level.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from timing import PAPER, paper_data, table

from s2fs._native.subset import LEVELS, NativeState
from s2fs.criteria.problem import Problem


def least_time(run: Callable[..., Any], *arguments: Any) -> float:
    """Processor time of a call, the least of three."""
    times = []
    for _ in range(3):
        start = time.process_time()
        run(*arguments)
        times.append(time.process_time() - start)
    return min(times)


def measure_levels(
    X: np.ndarray, y: np.ndarray, k: int, weights: tuple[float, float], scale: str
) -> tuple[np.ndarray, np.ndarray, float]:
    """The mean number of candidates that each level leaves, and its seconds for a candidate.

    The first count is that of all candidates, and the last time that of double precision. The
    last number is what a step prepares, in seconds.
    """
    state, left = NativeState(Problem(X, y, scale)), np.arange(X.shape[1])
    left = left[state.problem.varying]
    n_left, seconds = np.zeros((k, len(LEVELS) + 1)), np.zeros((k, len(LEVELS) + 1))
    prepared = np.zeros(k)
    for step in range(k):
        feature, best, _ = state.best(left, weights)
        n_left[step, 0] = len(left)
        prepared[step] = least_time(state.upper_bounds, left[:1], weights, LEVELS[0])
        for i, level in enumerate(LEVELS):
            whole = least_time(state.upper_bounds, left, weights, level)
            seconds[step, i] = (whole - prepared[step]) / len(left)
            bounds = state.upper_bounds(left, weights, level)
            n_left[step, i + 1] = np.count_nonzero(bounds >= best)
        copied = state.copy()  # which knows no score yet
        seconds[step, -1] = least_time(copied.score, left[:100]) / len(left[:100])
        state.add(feature)
        left = left[left != feature]
    of_levels = np.median(seconds, axis=0)
    of_levels[1:-1] = np.maximum(np.diff(of_levels[:-1]), 0)  # those before it are not its own
    return n_left.mean(axis=0), of_levels, float(np.median(prepared))


def time_of_step(
    n_left: np.ndarray, seconds: np.ndarray, prepared: float, without: int | None = None
) -> float:
    """Seconds of a step, with all levels or without one."""
    levels = [i for i in range(len(seconds)) if i != without]
    before = [n_left[max((j + 1 for j in levels if j < i), default=0)] for i in levels]
    return prepared + float(sum(n * seconds[i] for n, i in zip(before, levels, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", type=int, default=30)
    parser.add_argument("--weights", type=float, nargs=2, default=(0.0316, 0.0316))
    parser.add_argument("--scale", default="standard", choices=["standard", "minmax"])
    args = parser.parse_args()
    counts, savings = [], []
    for name in PAPER:
        X, y = paper_data(name)
        n_left, seconds, prepared = measure_levels(X, y, args.k, tuple(args.weights), args.scale)
        counts.append([name, *(f"{n:.0f}" for n in n_left)])
        whole = time_of_step(n_left, seconds, prepared)
        ratios = (time_of_step(n_left, seconds, prepared, i) / whole for i in range(len(LEVELS)))
        micro = (f"{1e6 * s:.2f}" for s in seconds)
        savings.append(
            [name, *(f"{ratio:.1f}" for ratio in ratios), f"{1e6 * prepared:.0f}", *micro]
        )
    print(table(["data", "features", *LEVELS], counts), end="\n\n")
    times = [f"{name}, µs" for name in ("prepared", *LEVELS, "double precision")]
    print(table(["data", *(f"without {level}" for level in LEVELS), *times], savings))


if __name__ == "__main__":
    main()
