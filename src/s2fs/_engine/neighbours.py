"""Nearest neighbours for every prefix of a ranking, by the native library."""

import ctypes
from ctypes import POINTER, c_double, c_int64, c_void_p
from functools import cache

import numpy as np

from s2fs._core import neighbours
from s2fs._core.criterion import EQUAL
from s2fs._core.neighbours import N_NEIGHBORS
from s2fs._engine.library import address, load, slices
from s2fs._util.types import Floats, Indices

#: With this many features or more, one size alone is quicker by matrix products.
_MANY = 64
#: How many rows may be about equally far before products are of no use, and distances at a time.
_MOST_NEAR, _BLOCK = 32, 1 << 20
#: As in native/s2fs.h.
_LANES = _TOGETHER = 8


class _Neighbours(ctypes.Structure):
    """S2fsNeighbours of native/s2fs.h."""

    _fields_ = (
        *((name, c_void_p) for name in ("train", "test", "codes", "sizes")),
        *((name, c_int64) for name in ("n_train", "n_padded", "n_test", "n_features")),
        *((name, c_int64) for name in ("n_classes", "n_sizes", "n_neighbors")),
        ("equal", c_double),
        *((name, c_void_p) for name in ("predictions", "distances", "near", "found", "votes")),
    )


def knn(A: Floats, codes: Indices, B: Floats, sizes: Indices) -> Indices:
    """As :func:`s2fs._core.neighbours.knn`, by the native library where there is one."""
    if len(sizes) == 1 and sizes[0] >= _MANY:
        predicted = _by_products(A, codes, B, sizes[0])
        if predicted is not None:
            return predicted
    library = load()
    if library is None:
        return neighbours.knn(A, codes, B, sizes)
    n_train, n_features = A.shape
    n_padded = -(-n_train // _LANES) * _LANES
    n_neighbors, n_classes = min(N_NEIGHBORS, n_train), int(codes.max()) + 1
    train = np.zeros((n_features, n_padded))
    train[:, :n_train] = A.T
    test = np.ascontiguousarray(B, dtype=np.float64)
    # The native library takes 64 bits everywhere; NumPy's own indices have 32 on some machines.
    long_codes, long_sizes = (np.ascontiguousarray(a, dtype=np.int64) for a in (codes, sizes))
    predictions = np.empty((len(sizes), len(test)), dtype=np.int64)
    distances = np.empty((_TOGETHER, n_padded))
    near = np.empty((_TOGETHER, n_neighbors + 1), dtype=np.int64)
    found, votes = np.empty(n_neighbors + 1), np.empty(n_classes, dtype=np.int64)
    of = _Neighbours(
        train=address(train, np.float64),
        test=address(test, np.float64),
        codes=address(long_codes, np.int64),
        sizes=address(long_sizes, np.int64),
        n_train=n_train,
        n_padded=n_padded,
        n_test=len(test),
        n_features=n_features,
        n_classes=n_classes,
        n_sizes=len(sizes),
        n_neighbors=n_neighbors,
        equal=EQUAL,
        predictions=address(predictions, np.int64),
        distances=address(distances, np.float64),
        near=address(near, np.int64),
        found=address(found, np.float64),
        votes=address(votes, np.int64),
    )
    run = _declared(library).s2fs_neighbours
    for start, stop in slices(len(test), n_train * n_features):
        run(of, start, stop)
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


@cache
def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    library.s2fs_neighbours.argtypes = [POINTER(_Neighbours), c_int64, c_int64]
    library.s2fs_neighbours.restype = None
    return library
