"""Ranks in place of values: what is left of a feature when only the order of its samples counts."""

from typing import Any

import numpy as np
from scipy.sparse import csc_array, issparse

from s2fs._utils.types import Floats

#: How many values are sorted at a time: 256 KB.
_VALUES = 1 << 15


def rank_features(X: Any, sample_weight: Floats | None = None) -> Any:
    """Replace the values of every feature by their ranks.

    Equal values share the mean of their ranks, and missing values stay missing. A sample of weight
    2 takes two ranks. In a sparse table the rank of zero is subtracted, so that zeros stay zeros.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        Numbers; sparse input in CSC format.
    sample_weight : ndarray of shape (n_samples,), optional
        How much each sample counts, positive.

    Returns
    -------
    ndarray or sparse array of shape (n_samples, n_features)
        The ranks, up to a constant for each feature.
    """
    if issparse(X):
        return _rank_sparse(X, sample_weight)
    is_missing = np.isnan(X)
    if sample_weight is None and not is_missing.any():
        return _rank_complete(X)
    weight = np.ones(len(X)) if sample_weight is None else sample_weight
    ranks = np.full(X.shape, np.nan)
    for f in range(X.shape[1]):
        there = ~is_missing[:, f]
        ranks[there, f] = _weighted_ranks(X[there, f], weight[there])
    return ranks


def _rank_complete(X: Floats) -> Floats:
    """SciPy's ``rankdata``, some columns at a time, so that they are sorted in the cache."""
    n_samples, n_features = X.shape
    ranks = np.empty((n_samples, n_features), order="F")
    step = max(1, _VALUES // n_samples)
    for start in range(0, n_features, step):
        some = np.ascontiguousarray(X[:, start : start + step].T)
        place = np.argsort(some, axis=1)
        place += n_samples * np.arange(len(some))[:, None]
        some.sort(axis=1)
        is_new = np.ones(some.shape, dtype=bool)
        np.not_equal(some[:, 1:], some[:, :-1], out=is_new[:, 1:])
        first = np.flatnonzero(is_new)
        n_equal = np.diff(first, append=some.size)
        of_some = np.empty(some.size)
        of_some[place.ravel()] = np.repeat(first % n_samples + (n_equal + 1) / 2, n_equal)
        ranks[:, start : start + step] = of_some.reshape(some.shape).T
    return ranks


def _rank_sparse(X: Any, sample_weight: Floats | None) -> Any:
    """The same of a sparse table, whose zeros are never written out."""
    weight = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    data = np.empty(X.nnz)
    for f in range(X.shape[1]):
        stored = slice(X.indptr[f], X.indptr[f + 1])
        values, of_value = X.data[stored], weight[X.indices[stored]]
        is_missing = np.isnan(values)
        # All zeros that are not stored are one more value, with their weight together.
        of_zeros = max(weight.sum() - of_value.sum(), 0.0)
        ranks = _weighted_ranks(
            np.append(values[~is_missing], 0.0), np.append(of_value[~is_missing], of_zeros)
        )
        column = np.full(len(values), np.nan)
        column[~is_missing] = ranks[:-1] - ranks[-1]
        data[stored] = column
    return csc_array((data, X.indices, X.indptr), shape=X.shape)


def _weighted_ranks(values: Floats, weight: Floats) -> Floats:
    """The weight of all smaller values and half that of equal ones."""
    distinct, place = np.unique(values, return_inverse=True)
    of_value = np.bincount(place, weight, len(distinct))
    return np.asarray((np.cumsum(of_value) - of_value / 2)[place])
