"""Time of S²FS against its peers on the same data, in one process, as ratios.

Run ``S2FS_DATA=folder python benchmarks/peers.py``; the extra ``bench`` installs the peers, and
those that are missing are left out. ``--literal`` adds Algorithm 1 word for word.
"""

import argparse
import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.feature_selection import (
    RFE,
    SequentialFeatureSelector,
    f_classif,
    mutual_info_classif,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import minmax_scale
from sklearn.svm import LinearSVC
from timing import PAPER, classes_in_noise, machine, paper_data, seconds, table

from s2fs import S2FS, separability

Run = Callable[[np.ndarray, np.ndarray, int], object]
SYNTHETIC = ((100, 2_000, 3), (1_000, 2_000, 3), (100, 20_000, 3), (1_000, 2_000, 10))


def fastcan_on_labels(X, y, k):
    from fastcan import FastCan

    return FastCan(k, verbose=0).fit(X, y.astype(float))


def fastcan_on_indicators(X, y, k):
    from fastcan import FastCan

    return FastCan(k, verbose=0).fit(X, np.eye(y.max() + 1)[y])


def mrmr(X, y, k):
    import pandas as pd
    from mrmr import mrmr_classif

    return mrmr_classif(pd.DataFrame(X), pd.Series(y), K=k, n_jobs=1, show_progress=False)


def fast_select_relief(X, y, k):
    from fast_select import ReliefF

    return ReliefF(n_features_to_select=k, backend="cpu", n_jobs=2).fit(X, y)


def skrebate_relief(X, y, k):
    from skrebate import ReliefF

    return ReliefF(n_features_to_select=k, n_neighbors=10).fit(X, y)


PEERS: dict[str, Run] = {
    "fastcan, class indicators": fastcan_on_indicators,
    "fastcan, label numbers": fastcan_on_labels,
    "f_classif": lambda X, y, k: f_classif(X, y),
    "mutual_info_classif": lambda X, y, k: mutual_info_classif(X, y, random_state=0),
    "mrmr_classif": mrmr,
    "fast_select.ReliefF": fast_select_relief,
    "RFE, linear SVM, 10 % a step": lambda X, y, k: RFE(
        LinearSVC(), n_features_to_select=k, step=0.1
    ).fit(minmax_scale(X), y),
}
SLOW: dict[str, Run] = {"skrebate.ReliefF": skrebate_relief}


def literal(X, y, k):
    """Algorithm 1 with the criterion recomputed from scratch for each candidate."""
    scaled = minmax_scale(X)
    chosen: list[int] = []
    for _ in range(k):
        left = [f for f in range(X.shape[1]) if f not in chosen]
        seps = [separability(scaled[:, [*chosen, f]], y) for f in left]
        chosen.append(left[int(np.argmax(seps))])
    return chosen


def quiet(run, *arguments):
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        return run(*arguments)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", type=int, nargs="+", default=[30, 150])
    parser.add_argument("--datasets", nargs="*", default=PAPER)
    parser.add_argument("--peers", nargs="*", default=[*PEERS], choices=[*PEERS, *SLOW])
    parser.add_argument("--no-synthetic", action="store_true")
    parser.add_argument("--literal", action="store_true", help="Algorithm 1 on SRBCT at k = 50")
    parser.add_argument("--n-jobs", type=int, default=2, help="threads of S²FS")
    args = parser.parse_args()

    print(machine("fastcan", "mrmr-selection", "fast-select", "skrebate"), end="\n\n")
    peers = {name: (PEERS | SLOW)[name] for name in args.peers}
    data = [(name, *paper_data(name)) for name in args.datasets]
    if not args.no_synthetic:
        data += [(f"noise, {p} classes", *classes_in_noise(n, m, p)) for n, m, p in SYNTHETIC]
    for k in args.k:
        rows = []
        for name, X, y in data:
            own = seconds(S2FS(k, n_jobs=args.n_jobs).fit, X, y)
            row = [name, f"{X.shape[0]} × {X.shape[1]}", len(np.unique(y)), f"{own * 1e3:.0f} ms"]
            for run in peers.values():
                try:
                    taken = seconds(quiet, run, X, y, k, repeats=3)
                    row.append(f"{taken / own:.1f}")
                except ImportError:
                    row.append("not installed")
                except Exception as error:  # a peer may not allow this k
                    row.append(type(error).__name__)
            rows.append(row)
            print(f"k = {k}: {name} done", flush=True, file=sys.stderr)
        print(f"### k = {k}: time of each peer over the time of S²FS\n")
        print(table(["data", "n × m", "classes", "S²FS", *peers], rows), end="\n\n")

    X, y = paper_data("srbct")
    one = seconds(S2FS(1, n_jobs=args.n_jobs).fit, X, y)
    greedy = SequentialFeatureSelector(KNeighborsClassifier(), n_features_to_select=1, cv=5)
    step = seconds(greedy.fit, X, y, repeats=1)
    print(f"SequentialFeatureSelector with kNN on SRBCT, k = 1: {step:.1f} s, {step / one:.0f}×\n")
    if args.literal:
        own = seconds(S2FS(50, n_jobs=args.n_jobs).fit, X, y)
        words = seconds(literal, X, y, 50, repeats=1)
        print(f"Algorithm 1 word for word on SRBCT, k = 50: {words:.1f} s, {words / own:.0f}×")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    main()
