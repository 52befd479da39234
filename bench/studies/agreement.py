"""Whether the native engine chooses the features that plain NumPy in double precision does.

Run ``python bench/studies/agreement.py -n 10000``: seeded random problems with near-ties,
duplicated and constant columns, outliers, fill values, weights over many decades, sparse input,
features of very different extents, features constant inside every class, classes of one row and
equal rows; prints the number of problems whose paths differ. ``--pairs`` does the same for pair
cover, with missing values too.
"""

import argparse
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from s2fs._native.class_moments import compute_class_moments
from s2fs._native.correlations import WithinClassCorrelations
from s2fs._native.pair_cover import make_pair_cover
from s2fs._native.reference import SubsetState
from s2fs._native.separability import separability_of
from s2fs._native.subset import NativeState
from s2fs.criteria.class_moments import (
    ClassMoments,
    check_squares,
    degrees_of_freedom,
    within_sd,
)
from s2fs.criteria.class_moments import compute_class_moments as compute_in_numpy
from s2fs.criteria.pair_cover import PairCoverCriterion
from s2fs.criteria.problem import Problem
from s2fs.search.constraints import Constraints
from s2fs.search.forward import forward


def table(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Classes in noise, with ties and near-ties among the columns."""
    p = int(rng.integers(2, 9)) if rng.random() < 0.8 else int(rng.integers(9, 30))
    n = p if rng.random() < 0.03 else int(rng.integers(p, p + 80))  # each row may be a class
    m = int(rng.integers(1, 60))
    y = np.concatenate([np.arange(p), rng.integers(0, p, n - p)])
    X = rng.normal(size=(n, m)) + rng.normal(size=(p, m))[y] * rng.choice([0.0, 0.5, 2.0])
    if rng.random() < 0.4:  # coarse values tie
        X = np.round(X * rng.choice([1, 2, 4]))
    for f in range(1, m):
        source, kind = int(rng.integers(f)), rng.random()
        if kind < 0.05:
            X[:, f] = X[:, source]
        elif kind < 0.08:
            X[:, f] = 1 - X[:, source]
        elif kind < 0.16:  # nearly the same column
            X[:, f] = X[:, source] * (1 + 10.0 ** -rng.integers(3, 15) * rng.normal(size=n))
        elif kind < 0.18:
            X[:, f] = 1.0
    return X, y


def spoil(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> None:
    """Put in what real tables hold: outliers, fill values, features of very different extents.

    And what has no spread: equal rows, and features that are constant inside every class.
    """
    n, m = X.shape
    kind = rng.random()
    if kind < 0.15:
        X[rng.integers(n), rng.integers(m)] = 10.0 ** rng.integers(2, 16)
    elif kind < 0.25:
        X[rng.random(X.shape) < 0.02] = rng.choice([-999.0, 1e20, -1e300])
    elif kind < 0.35:
        X *= 10.0 ** rng.integers(-12, 4, m)
    elif kind < 0.4:
        X *= 10.0 ** rng.integers(-60, 1, m)
    elif kind < 0.45:
        X[:] = X[0]
    elif kind < 0.55:
        X[:, : m // 2] = rng.normal(size=(y.max() + 1, m // 2))[y]


def row_weights(n: int, rng: np.random.Generator) -> np.ndarray | None:
    kind = rng.random()
    if kind < 0.6:
        return None
    return 10.0 ** rng.uniform(-1, 1, n) if kind < 0.85 else 10.0 ** rng.uniform(-7, 7, n)


def as_stored(X: np.ndarray, rng: np.random.Generator) -> Any:
    forms = (np.ascontiguousarray, np.asfortranarray, np.float32, csc_array)
    return forms[rng.integers(len(forms))](X)


def pair_paths(rng: np.random.Generator) -> list[list[int]] | None:
    """The paths of PairCover in NumPy and in the native library; None if values are too far."""
    X, y = table(rng)
    spoil(X, y, rng)
    with np.errstate(over="ignore"):
        X = as_stored(X, rng)
    values = X.data if hasattr(X, "indptr") else X
    if not np.isfinite(values).all():
        return None
    if rng.random() < 0.3:
        values[rng.random(values.shape) < 0.1] = np.nan
        if values.ndim == 2 and rng.random() < 0.5:
            values[y == rng.integers(y.max() + 1), : X.shape[1] // 2] = np.nan
    weight, correlation = row_weights(len(y), rng), float(rng.choice([0, 0.25, 0.5, 1]))
    k, ahead = min(X.shape[1], int(rng.integers(1, 25))), bool(rng.random() < 0.5)
    n_classes, n_threads = y.max() + 1, int(rng.choice([1, 2, 4]))
    try:
        moments = check_squares(compute_in_numpy(X, y, n_classes, weight))
    except ValueError:
        return None
    expected = PairCoverCriterion(moments, correlation, literal_correlations(X, y, moments, weight))
    moments = compute_class_moments(X, y, n_classes, weight, n_threads)
    rows = WithinClassCorrelations(X, y, moments, weight, n_threads)
    native = make_pair_cover(moments, correlation, rows, n_threads=n_threads)
    return [
        [step.feature for step in forward(expected, k)],
        [step.feature for step in forward(native, k, in_batches=ahead)],
    ]


def literal_correlations(X: Any, y: Any, moments: ClassMoments, weight: Any) -> Any:
    """Correlations inside the classes from the whole matrix of residuals."""
    X = X.toarray() if hasattr(X, "indptr") else X
    sd = within_sd(moments)
    units = np.sqrt(degrees_of_freedom(moments)) * np.where(sd > 0, sd, 1.0)
    residuals = np.nan_to_num(X - moments.means[y]) / units
    W = (residuals if weight is None else residuals * weight[:, None]).T @ residuals
    np.fill_diagonal(W, 1.0)
    return lambda feature: W[feature]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=1000, help="number of problems")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pairs", action="store_true", help="PairCover instead of S²FS")
    args = parser.parse_args()
    differ = n_left_out = 0
    for number in range(args.n):
        rng = np.random.default_rng([args.seed, number])
        if args.pairs:
            found = pair_paths(rng)
            n_left_out += found is None
            if found is not None and found[0] != found[1]:
                differ += 1
                print(f"problem {number}: NumPy {found[0]}, native {found[1]}")
            continue
        X, y = table(rng)
        spoil(X, y, rng)
        weights = rng.choice([0, 0.01, 0.0316, 0.1778, 1.0], 2)
        options = rng.choice(["published", "normalized"]), rng.choice(["mean", "rms"])
        scale = rng.choice(["minmax", None])
        extent = np.ptp(X, axis=0)
        if (extent[extent > 0] < 1e-12 * extent.max()).any():
            scale = "minmax"  # unscaled, such features tie up to the rounding of the widest one
        with np.errstate(over="ignore"):  # float32 does not hold every fill value
            X = as_stored(X, rng)
        if not np.isfinite(X.data if hasattr(X, "indptr") else X).all():
            X = np.zeros(X.shape)
        data = Problem(X, y, scale, row_weights(len(y), rng))
        n_threads, ahead = int(rng.choice([1, 2, 4])), bool(rng.random() < 0.5)
        states = SubsetState(data, *options), NativeState(data, *options, n_threads)
        choices, k = (
            Constraints.unconstrained(X.shape[1]),
            min(X.shape[1], int(rng.integers(1, 25))),
        )
        paths = [
            [
                step.feature
                for step in forward(separability_of(s, *weights), k, choices, in_batches=ahead)
            ]
            for s in states
        ]
        if paths[0] != paths[1]:
            differ += 1
            print(f"problem {number}: NumPy {paths[0]}, native {paths[1]}")
    print(f"{args.n - n_left_out} problems, {differ} with different paths")


if __name__ == "__main__":
    main()
