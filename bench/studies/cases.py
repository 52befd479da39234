"""Where the time of a fit might jump: hard cases over the ordinary one, and sparse tables.

Run ``python bench/studies/cases.py``. Fits take turns with the ordinary case, one thread each, and
processor time is compared. The ordinary case is a table of classes in noise in C order; of the
others, other tables and options, the time over that of the ordinary one is printed.
"""

import argparse
import warnings
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import random_array
from timing import classes_in_noise, machine, medians_in_turns, table

from s2fs import S2FS, PairCover
from s2fs.selectors.base import RankingSelector

SHAPE = (500, 2_000, 5)
K = 20
ORDINARY, DECADES = "ordinary", "units over five decades"
#: Options of both selectors.
OPTIONS: dict[str, dict[str, Any]] = {
    "groups of four": {"feature_groups": np.arange(SHAPE[1]) // 4},
    "max_correlation 0.9": {"max_correlation": 0.9},
}
RANKS, COVARIATES = "ranks", "two covariates"


def tables_of_cases() -> dict[str, tuple[Any, np.ndarray]]:
    """The ordinary table, and those that may be hard."""
    import pandas as pd

    X, y = classes_in_noise(*SHAPE)
    rng = np.random.default_rng(1)
    outlier, far, odd, a_hundredfold = X.copy(), X.copy(), X.copy(), X.copy()
    outlier[0] *= 1e6
    far[0] *= 1e9
    odd[rng.integers(0, len(X), X.shape[1]), np.arange(X.shape[1])] = 1e9
    a_hundredfold[0] *= 100
    heavy = X + rng.standard_t(1.5, size=X.shape)
    best = X[:, PairCover(1).fit(X, y).indices_]
    named = pd.DataFrame(X, columns=[f"g{f}" for f in range(X.shape[1])])
    copies = X.copy()
    copies[:, ::2] = 2 - 3 * best
    return {
        ORDINARY: (X, y),
        "a row times 100": (a_hundredfold, y),
        "a row times 1,000,000": (outlier, y),
        "a row times 1,000,000,000": (far, y),
        "one cell of each column": (odd, y),
        "heavy tails": (heavy, y),
        DECADES: (X * 10.0 ** rng.uniform(-2.5, 2.5, X.shape[1]), y),
        "Fortran order": (np.asfortranarray(X), y),
        "a pandas frame": (named, y),
        "columns of Arrow": (named.astype("double[pyarrow]"), y),
        **dict.fromkeys((*OPTIONS, RANKS, COVARIATES), (X, y)),
        "half copies of the best": (copies, y),
        "copies of one feature": (np.repeat(best, X.shape[1], axis=1), y),
    }


def sparse_table(n: int, m: int) -> tuple[Any, np.ndarray]:
    """A table with one value in a hundred stored, some of which depend on the class."""
    rng = np.random.default_rng(0)
    X = random_array((n, m), density=0.01, format="csc", rng=rng)
    y = np.arange(n) % 5
    X.data *= 1 + (y[X.indices] == 0) * (rng.random(len(X.data)) < 0.5)
    return X, y


def selectors_of(case: str, k: int) -> dict[str, RankingSelector]:
    """What is fitted to the table of a case, by name."""
    selectors = {
        "S²FS": S2FS(k, n_jobs=1),
        "S²FS, minmax": S2FS(k, scale="minmax", n_jobs=1),
        "PairCover": PairCover(k, n_jobs=1),
    }
    if case in (ORDINARY, DECADES):  # elsewhere it is like the first one
        selectors["S²FS, scale=None"] = S2FS(k, scale=None, n_jobs=1)
    for selector in selectors.values():
        selector.set_params(**OPTIONS.get(case, {}))
    if case == RANKS:
        return {"PairCover": PairCover(k, scale="rank", n_jobs=1)}
    return selectors


def fit(selector: RankingSelector, case: str, X: Any, y: np.ndarray) -> RankingSelector:
    """Fit a selector as a case has it."""
    if case == COVARIATES:
        return selector.fit(X, y, covariates=np.random.default_rng(2).normal(size=(len(y), 2)))
    return selector.fit(X, y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # of few samples that decide, as they do here
    print(machine("pandas"), end="\n\n")
    tables = tables_of_cases()
    ordinary = selectors_of(ORDINARY, K)
    rows = []
    for case, (X, y) in tables.items():
        row = [case]
        for name, selector in ordinary.items():
            if name not in selectors_of(case, K):
                row.append("")
                continue
            other = selectors_of(case, K)[name]
            runs = [partial(selector.fit, *tables[ORDINARY]), partial(fit, other, case, X, y)]
            usual, hard = medians_in_turns(runs, args.turns)
            is_usual = case == ORDINARY
            row.append(f"{1e3 * usual:.0f} ms" if is_usual else f"{hard / usual:.1f}")
        rows.append(row)
    print(table(["case", *ordinary], rows), end="\n\n")

    rows = []
    for n_classes in (40, 200):
        X, y = classes_in_noise(2_000, 500, n_classes)
        (time,) = medians_in_turns([partial(S2FS(K, n_jobs=1).fit, X, y)], 1)
        rows.append([n_classes, time])
    exponent = np.log(rows[1][1] / rows[0][1]) / np.log(5)
    cells = [[n_classes, f"{time:.2f} s"] for n_classes, time in rows]
    print(table(["classes, 2000 × 500", "time"], cells), f"\n\nexponent {exponent:.2f}\n")

    rows = []
    for n in (20_000, 50_000, 100_000):
        (time,) = medians_in_turns([partial(S2FS(10, n_jobs=1).fit, *sparse_table(n, 3_000))], 1)
        rows.append([f"{n} × 3000", f"{time:.1f} s", f"{1e6 * time / n:.0f} µs"])
    print(table(["sparse, k = 10", "time", "for each sample"], rows))


if __name__ == "__main__":
    main()
