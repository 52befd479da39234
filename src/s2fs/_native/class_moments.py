"""Class moments by the native library, where there is one."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import issparse

from s2fs._native.border import Array, Function, Given, Int, Length
from s2fs._native.library import load
from s2fs._native.table import make_table
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.class_moments import ClassMoments
from s2fs.criteria.class_moments import compute_class_moments as compute_in_numpy

#: Values that one call looks at: Python hears Ctrl-C between two calls, and this is a few
#: hundredths of a second.
VALUES_PER_CALL = 1 << 24

_class_moments = Function(
    "s2fs_class_moments",
    table=Given("table", changed=False),
    codes=Array(np.int64, "samples"),
    weight=Array(np.float64, "samples"),
    classes=Length(),
    first=Int(),
    last=Int(),
    n_threads=Int(),
    counts=Array(np.float64, "classes", "features", writable=True),
    means=Array(np.float64, "classes", "features", writable=True),
    within_squares=Array(np.float64, "features", writable=True),
    lower=Array(np.float64, "features", writable=True),
    upper=Array(np.float64, "features", writable=True),
    has_missing=Array(np.bool_, "features", writable=True),
)


def compute_class_moments(
    X: Any, codes: Indices, n_classes: int, sample_weight: Floats | None = None, n_threads: int = 1
) -> ClassMoments:
    """The class moments of a dense or sparse table.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        The table; sparse input in CSC format. NaN is missing.
    codes : ndarray of shape (n_samples,)
        The class of each sample as 0, 1, …
    n_classes : int
        How many classes there are.
    sample_weight : ndarray of shape (n_samples,), optional
        How much each sample counts.
    n_threads : int, default=1
        The features are shared out to that many threads.
    """
    if load() is None:
        return compute_in_numpy(X, codes, n_classes, sample_weight)
    n_samples, n_features = X.shape
    weight = np.ones(n_samples) if sample_weight is None else sample_weight
    weight = np.require(weight, np.float64, ["C", "A"])
    table, codes = make_table(X), np.ascontiguousarray(codes, np.int64)
    counts, means = np.empty((2, n_classes, n_features))
    within_squares, lower, upper = np.empty((3, n_features))
    has_missing = np.empty(n_features, dtype=bool)
    for first, last in feature_ranges(X):
        _class_moments(
            table, codes, weight, first, last, n_threads,
            counts, means, within_squares, lower, upper, has_missing,
        )  # fmt: skip
    if has_missing.any():
        sizes = np.bincount(codes, weight, n_classes).astype(np.float64)
    else:  # one column of counts is that of all
        sizes = counts[:, 0].copy()
        counts = np.broadcast_to(sizes[:, None], counts.shape)
    return ClassMoments(counts, means, within_squares, lower, upper, has_missing, sizes)


def feature_ranges(X: Any) -> Iterator[tuple[int, int]]:
    """Ranges of features that one call each looks at."""
    n_features = X.shape[1]
    n_values = X.nnz if issparse(X) else X.size
    step = max(1, VALUES_PER_CALL * n_features // max(n_values, 1))
    for first in range(0, n_features, step):
        yield first, min(first + step, n_features)
