"""Nearest neighbours for every prefix of a ranking, by the native library."""

import numpy as np

from s2fs._native.border import Array, Function, Int, Length, Real
from s2fs._native.library import load, slices
from s2fs._utils.types import Floats, Indices
from s2fs.criteria import neighbours
from s2fs.criteria.neighbours import N_NEIGHBORS
from s2fs.criteria.separability import EQUAL

#: With this many features or more, one size alone is quicker by matrix products.
_MANY = 64
#: How many rows may be about equally far before products are of no use, and distances at a time.
_MOST_NEAR, _BLOCK = 32, 1 << 20

_nearest_neighbours = Function(
    "s2fs_nearest_neighbours",
    train=Array(np.float64, "n_features", "n_train"),
    n_features=Length(),
    n_train=Length(),
    codes=Array(np.int64, "n_train"),
    test=Array(np.float64, "n_test", "n_features"),
    n_test=Length(),
    sizes=Array(np.int64, "n_sizes"),
    n_sizes=Length(),
    n_classes=Int(),
    n_neighbors=Int(),
    equal=Real(),
    first=Int(),
    last=Int(),
    predictions=Array(np.int64, "n_sizes", "n_test", writable=True),
)


def knn(A: Floats, codes: Indices, B: Floats, sizes: Indices) -> Indices:
    """As :func:`s2fs.criteria.neighbours.knn`, by the native library where there is one."""
    if len(sizes) == 1 and sizes[0] >= _MANY:
        predicted = _by_products(A, codes, B, sizes[0])
        if predicted is not None:
            return predicted
    if load() is None:
        return neighbours.knn(A, codes, B, sizes)
    n_train, n_features = A.shape
    train = np.ascontiguousarray(A.T, dtype=np.float64)
    test = np.ascontiguousarray(B, dtype=np.float64)
    # The native library takes 64 bits everywhere; NumPy's own indices have 32 on some machines.
    long_codes, long_sizes = (np.ascontiguousarray(a, dtype=np.int64) for a in (codes, sizes))
    predictions = np.empty((len(sizes), len(test)), dtype=np.int64)
    n_classes, n_neighbors = int(codes.max()) + 1, min(N_NEIGHBORS, n_train)
    for first, last in slices(len(test), n_train * n_features):
        _nearest_neighbours(
            train, long_codes, test, long_sizes, n_classes, n_neighbors, EQUAL,
            first, last, predictions,
        )  # fmt: skip
    return predictions.astype(np.intp, copy=False)


def _by_products(A: Floats, codes: Indices, B: Floats, size: int) -> Indices | None:
    """The same for one size, by matrix products; None if too many rows are equally far.

    1. ‖b − a‖² = ‖b‖² + ‖a‖² − 2 a·b is quick, and wrong by some units of rounding of the largest
       norms. The rows within that margin of the last voter are candidates.
    2. Their distances are then summed feature by feature, and the rule for equal ones is applied.
    """
    middle = A[:, :size].mean(axis=0)  # a large offset would eat the digits
    train, test = A[:, :size] - middle, B[:, :size] - middle
    n_neighbors = min(N_NEIGHBORS, len(train))
    norm, norm_test = (train**2).sum(axis=1), (test**2).sum(axis=1)
    is_class = np.eye(int(codes.max()) + 1, dtype=np.intp)[codes]
    predictions = np.empty((1, len(test)), dtype=np.intp)
    step = max(1, _BLOCK // len(train))
    for start in range(0, len(test), step):
        rows = slice(start, start + step)
        D = norm + norm_test[rows, None] - 2 * (test[rows] @ train.T)
        last = np.partition(D, n_neighbors - 1, axis=1)[:, n_neighbors - 1, None]
        margin = 1e-12 * size * (norm.max() + norm_test[rows, None])
        near = np.less_equal(D, last * (1 + 2 * EQUAL) + 2 * margin)
        most = int(near.sum(axis=1).max())
        if most > _MOST_NEAR:
            return None
        # The candidates of each row by increasing position; the places left over are further ones.
        D[near] = -np.inf
        order = np.sort(np.argpartition(D, most - 1, axis=1)[:, :most], axis=1)
        exact = ((test[rows, None, :] - train[order]) ** 2).sum(axis=2)
        predictions[0, rows] = neighbours.vote(exact, is_class[order], n_neighbors)
    return predictions
