"""The table of samples × features as the native library reads it: where it is, without a copy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._native.border import Buffer, Function, Handle, Int, New

#: The types that are read as they are, in the order of src/table.h: floats, and small integers of
#: dense tables, such as genotypes, which take up to eight times the memory as float64.
SMALL_INTEGERS = (np.int8, np.uint8, np.int16)
_TYPES = tuple(map(np.dtype, (np.float64, np.float32, *SMALL_INTEGERS)))

_dense = Function(
    "s2fs_table_dense",
    values=Buffer(),
    samples=Int(),
    features=Int(),
    row_step=Int(),
    column_step=Int(),
    type=Int(),
    table=New("table"),
)
_sparse = Function(
    "s2fs_table_sparse",
    values=Buffer(),
    rows=Buffer(),
    starts=Buffer(),
    samples=Int(),
    features=Int(),
    stored=Int(),
    is_single=Int(),
    has_long_indices=Int(),
    table=New("table"),
)


def make_table(X: Any) -> Handle:
    """A table of the native library; it reads ``X`` and keeps it alive.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        Numbers; of any memory order. Sparse input is read by columns (CSC). What is of another
        type, or does not begin where a number may stand, is copied first.
    """
    if issparse(X):
        return _make_sparse(X)
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        raise TypeError("X must be a sparse array or a NumPy array with two dimensions.")
    X = _as_readable(X, _TYPES)
    row_step, column_step = (stride // X.itemsize for stride in X.strides)
    handle = _dense(X, *X.shape, row_step, column_step, _TYPES.index(X.dtype))
    assert handle is not None  # for mypy # nosec B101
    # Other arguments know these as numbers of the table, not of how it is stored.
    handle.lengths = {"samples": X.shape[0], "features": X.shape[1]}
    return handle


def _make_sparse(X: Any) -> Handle:
    X = X.tocsc()
    if not X.has_canonical_format:  # stored twice, or unsorted
        X = X.copy()
        X.sum_duplicates()
    values, rows, starts = _as_readable(X.data, _TYPES[:2]), X.indices, X.indptr
    index_type = np.int32 if rows.dtype == starts.dtype == np.int32 else np.int64
    rows, starts = (np.require(part, index_type, ["C", "A"]) for part in (rows, starts))
    n_samples, n_features = X.shape
    if len(starts) != n_features + 1 or len(rows) != len(values):
        raise ValueError("the sparse table has parts that do not fit each other.")
    handle = _sparse(
        values, rows, starts, n_samples, n_features, len(values),
        values.dtype == np.float32, index_type == np.int64,
    )  # fmt: skip
    assert handle is not None  # for mypy # nosec B101
    handle.lengths = {"samples": n_samples, "features": n_features}
    return handle


def _as_readable(values: NDArray[Any], types: tuple[np.dtype[Any], ...]) -> NDArray[Any]:
    """The same numbers in one of the types, aligned and a whole number of them apart."""
    is_whole = all(stride % values.itemsize == 0 for stride in values.strides)
    if values.dtype not in types or not is_whole:
        values = values.astype(np.float64)
    if values.ndim == 1:
        return np.require(values, None, ["C", "A"])
    return np.require(values, None, "A")
