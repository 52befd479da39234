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
    library = load()
    if library is None:
        return neighbours.knn(A, codes, B, sizes)
    n_train, n_features = A.shape
    n_padded = -(-n_train // _LANES) * _LANES
    n_neighbors, n_classes = min(N_NEIGHBORS, n_train), int(codes.max()) + 1
    train = np.zeros((n_features, n_padded))
    train[:, :n_train] = A.T
    test = np.ascontiguousarray(B, dtype=np.float64)
    codes, sizes = (np.ascontiguousarray(array, dtype=np.intp) for array in (codes, sizes))
    predictions = np.empty((len(sizes), len(test)), dtype=np.intp)
    distances = np.empty((_TOGETHER, n_padded))
    near = np.empty((_TOGETHER, n_neighbors + 1), dtype=np.intp)
    found, votes = np.empty(n_neighbors + 1), np.empty(n_classes, dtype=np.intp)
    of = _Neighbours(
        train=address(train, np.float64),
        test=address(test, np.float64),
        codes=address(codes, np.intp),
        sizes=address(sizes, np.intp),
        n_train=n_train,
        n_padded=n_padded,
        n_test=len(test),
        n_features=n_features,
        n_classes=n_classes,
        n_sizes=len(sizes),
        n_neighbors=n_neighbors,
        equal=EQUAL,
        predictions=address(predictions, np.intp),
        distances=address(distances, np.float64),
        near=address(near, np.intp),
        found=address(found, np.float64),
        votes=address(votes, np.intp),
    )
    run = _declared(library).s2fs_neighbours
    for start, stop in slices(len(test), n_train * n_features):
        run(of, start, stop)
    return predictions


@cache
def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    library.s2fs_neighbours.argtypes = [POINTER(_Neighbours), c_int64, c_int64]
    library.s2fs_neighbours.restype = None
    return library
