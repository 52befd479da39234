"""What the bound of S²FS on a cluster buys: fits with it against fits that score all candidates.

Run ``python bench/studies/cluster_bound.py``; it takes two minutes. Two workers with one thread
each, samples already on them, and the best of three fits. Both must select the same features.
"""

import time

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from sklearn.datasets import load_digits

from s2fs import S2FS
from s2fs.criteria.protocol import Weights, may_be_best
from s2fs.dask.separability import ClusterState
from s2fs.datasets import load_srbct

N_FITS = 3
WITH_BOUND = ClusterState.shortlists


def score_all(
    state: ClusterState, candidates: np.ndarray, weights: list[Weights], n_best: int = 1
) -> list[np.ndarray]:
    """The shortlists without the bound: one map and one reduction over all candidates."""
    parts = state.score(candidates)
    scores = np.array([parts.separability(alpha, beta) for alpha, beta in weights])
    return [candidates[is_best] for is_best in may_be_best(scores, scores, n_best)]


def make_table(n: int, m: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes that differ by another amount in each feature."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % p
    return rng.normal(size=(n, m)) + rng.normal(size=(p, m))[y] * rng.random(m), y


def measure(shortlists: object, X: da.Array, y: np.ndarray, k: int) -> tuple[float, list[int]]:
    """Seconds of the fastest fit, and the features it selects."""
    ClusterState.shortlists = shortlists  # type: ignore[assignment,method-assign]
    seconds = []
    for _ in range(N_FITS):
        start = time.perf_counter()
        selected = S2FS(k).fit(X, y).indices_.tolist()
        seconds.append(time.perf_counter() - start)
    return min(seconds), selected


def main() -> None:
    """Measure all tables and print one line for each."""
    srbct = load_srbct()
    digits, digit = load_digits(return_X_y=True)
    tables = {
        "20000 × 1000, 5 classes, k = 10": (*make_table(20_000, 1000, 5), 10),
        "4000 × 5000, 8 classes, k = 10": (*make_table(4000, 5000, 8), 10),
        "SRBCT, 20 times, k = 20": (np.tile(srbct.X, (20, 1)), np.tile(srbct.y, 20), 20),
        "digits, 10 times, k = 20": (np.tile(digits, (10, 1)), np.tile(digit, 10), 20),
    }
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        for name, (X, y, k) in tables.items():
            chunked = da.from_array(X, chunks=(-(-len(X) // 4), X.shape[1])).persist()
            bounded, selected = measure(WITH_BOUND, chunked, y, k)
            unbounded, expected = measure(score_all, chunked, y, k)
            if selected != expected:
                raise SystemExit(f"{name}: {selected} with the bound, {expected} without.")
            saved = 1 - bounded / unbounded
            times = f"{bounded:.2f} s with the bound, {unbounded:.2f} s without"
            print(f"{name}: {times} ({saved:.0%} saved)")


if __name__ == "__main__":
    main()
