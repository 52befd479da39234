"""Where the time of a fit might jump: hard cases over the ordinary one, and sparse tables.

Run ``python bench/studies/cases.py``. Fits take turns with the ordinary case, one thread each, and
processor time is compared. The ordinary case is a table of classes in noise in C order.
"""

import argparse
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import random_array
from timing import classes_in_noise, machine, medians_in_turns, table

from s2fs import S2FS

SHAPE = (500, 2_000, 5)
K = 20


def hard_cases() -> dict[str, tuple[Any, np.ndarray, dict[str, Any]]]:
    """The table, the classes and the options of each case."""
    import pandas as pd

    X, y = classes_in_noise(*SHAPE)
    rng = np.random.default_rng(1)
    outlier = X.copy()
    outlier[0] *= 100
    heavy = X + rng.standard_t(1.5, size=X.shape)
    decades = X * 10.0 ** rng.uniform(-2.5, 2.5, X.shape[1])
    return {
        "an outlier row": (outlier, y, {}),
        "heavy tails": (heavy, y, {}),
        "`scale=None`, units over five decades": (decades, y, {"scale": None}),
        "Fortran order": (np.asfortranarray(X), y, {}),
        "a pandas frame": (pd.DataFrame(X), y, {}),
    }


def sparse_table(n: int, m: int) -> tuple[Any, np.ndarray]:
    """A table with one value in a hundred stored, some of which depend on the class."""
    rng = np.random.default_rng(0)
    X = random_array((n, m), density=0.01, format="csc", rng=rng)
    y = np.arange(n) % 5
    X.data *= 1 + (y[X.indices] == 0) * (rng.random(len(X.data)) < 0.5)
    return X, y


def fit(X: Any, y: np.ndarray, k: int, options: dict[str, Any]) -> S2FS:
    return S2FS(k, n_jobs=1, **options).fit(X, y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    args = parser.parse_args()
    print(machine("pandas"), end="\n\n")
    ordinary = partial(fit, *classes_in_noise(*SHAPE), K, {})
    rows = []
    for name, (X, y, options) in hard_cases().items():
        usual, hard = medians_in_turns([ordinary, partial(fit, X, y, K, options)], args.turns)
        rows.append([name, f"{1e3 * hard:.0f} ms", f"{hard / usual:.1f}"])
    print(table(["case", "time", "over the ordinary case"], rows), end="\n\n")

    rows = []
    for n_classes in (40, 200):
        X, y = classes_in_noise(2_000, 500, n_classes)
        (time,) = medians_in_turns([partial(fit, X, y, K, {})], 1)
        rows.append([n_classes, time])
    exponent = np.log(rows[1][1] / rows[0][1]) / np.log(5)
    cells = [[n_classes, f"{time:.2f} s"] for n_classes, time in rows]
    print(table(["classes, 2000 × 500", "time"], cells), f"\n\nexponent {exponent:.2f}\n")

    rows = []
    for n in (20_000, 50_000, 100_000):
        (time,) = medians_in_turns([partial(fit, *sparse_table(n, 3_000), 10, {})], 1)
        rows.append([f"{n} × 3000", f"{time:.1f} s", f"{1e6 * time / n:.0f} µs"])
    print(table(["sparse, k = 10", "time", "for each sample"], rows))


if __name__ == "__main__":
    main()
