"""Class moments: what one pass over the samples tells about every class and feature.

Counts, means and squared differences to the class mean, each sample with its weight, and the range
of each feature. Missing values (NaN) are left out, feature by feature and class by class. This is
the plain NumPy form; :mod:`s2fs._native.class_moments` has the same in C++.
"""

from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._utils.messages import format_named
from s2fs._utils.types import Floats, Indices

#: The within-class s.d. is never less than this share of the feature's range, so that a
#: feature that is constant inside every class is very good, not infinitely good.
MIN_RELATIVE_SD = 0.01
#: How many numbers of a table are taken at once.
BLOCK = 1 << 18
#: Smaller squares of a range would lose the digits of the differences.
_MIN_SQUARE = 1e-250


class ClassMoments(NamedTuple):
    """What one pass over the samples tells about every class and feature.

    Attributes
    ----------
    counts : ndarray of shape (n_classes, n_features)
        The weight of the values that are not missing.
    means : ndarray of shape (n_classes, n_features)
        The class means.
    within_squares : ndarray of shape (n_features,)
        The weighted sum of squared differences to the own class mean.
    lower, upper : ndarray of shape (n_features,)
        The smallest and the largest value.
    has_missing : ndarray of shape (n_features,)
        Mask of the features with missing values.
    sizes : ndarray of shape (n_classes,)
        The weight of the samples of each class: what a feature without missing values counts.
    """

    counts: Floats
    means: Floats
    within_squares: Floats
    lower: Floats
    upper: Floats
    has_missing: NDArray[np.bool_]
    sizes: Floats

    @property
    def is_varying(self) -> NDArray[np.bool_]:
        """Mask of the features that are not constant."""
        return self.upper > self.lower

    @property
    def distinct_counts(self) -> Floats:
        """The counts, or their first column if it is that of all features."""
        return self.counts if self.has_missing.any() else self.counts[:, :1]


def degrees_of_freedom(moments: ClassMoments) -> Floats:
    """Of each feature inside the classes: known values, less one for each class that has some."""
    counts = moments.distinct_counts
    freedom = counts.sum(axis=0) - (counts > 0).sum(axis=0)
    return np.broadcast_to(np.maximum(freedom, 1.0), moments.lower.shape)


def within_sd(moments: ClassMoments) -> Floats:
    """The pooled s.d. of each feature inside the classes, at least a share of its range."""
    least = MIN_RELATIVE_SD * (moments.upper - moments.lower)
    return np.maximum(np.sqrt(moments.within_squares / degrees_of_freedom(moments)), least)


def squares_between(moments: ClassMoments) -> Floats:
    """Weighted sum of squared differences of the class means to the mean of all, per feature."""
    counts = moments.distinct_counts
    total = np.maximum(counts.sum(axis=0), 1.0)
    grand_mean = (counts * moments.means).sum(axis=0) / total
    return np.asarray((counts * (moments.means - grand_mean) ** 2).sum(axis=0))


def compute_class_moments(
    X: Any, codes: Indices, n_classes: int, sample_weight: Floats | None = None
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
    """
    weight = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    with np.errstate(over="ignore", invalid="ignore"):
        if issparse(X):
            return _sparse_moments(X, codes, n_classes, weight)
        parts = (
            _block_moments(X[rows], codes[rows], n_classes, weight[rows]) for rows in _row_blocks(X)
        )
        return reduce(merge_moments, parts)


def compute_shifted_moments(
    X: Any, codes: Indices, n_classes: int, weight: Floats, offset: Floats
) -> ClassMoments:
    """The class moments of a table less an offset of each column, see :func:`common_offset`."""
    if issparse(X):
        return _sparse_moments(subtract_offsets(X, offset), codes, n_classes, weight)
    parts = (
        _block_moments(X[rows] - offset, codes[rows], n_classes, weight[rows])
        for rows in _row_blocks(X)
    )
    return reduce(merge_moments, parts)


def merge_moments(one: ClassMoments, other: ClassMoments) -> ClassMoments:
    """The moments of two sets of samples together."""
    count = one.counts + other.counts
    total = np.where(count > 0, count, 1.0)
    shift = other.means - one.means
    between = (shift**2 * one.counts * other.counts / total).sum(axis=0)
    return ClassMoments(
        count,
        one.means + shift * (other.counts / total),
        one.within_squares + other.within_squares + between,
        np.fmin(one.lower, other.lower),
        np.fmax(one.upper, other.upper),
        one.has_missing | other.has_missing,
        one.sizes + other.sizes,
    )


def count_samples(moments: ClassMoments, samples_per_weight: Floats) -> ClassMoments:
    """The moments of weighted samples, with counts of samples in place of sums of weights.

    The weights decide how much each sample counts in the variance inside the classes, and what is
    left of them in the counts is how many samples a weight of 1 stands for in each class.
    """
    weights = moments.distinct_counts
    counts = weights * samples_per_weight[:, None]
    total = weights.sum(axis=0)
    share = np.divide(counts.sum(axis=0), total, out=np.ones_like(total), where=total > 0)
    return moments._replace(
        counts=np.broadcast_to(counts, moments.counts.shape),
        within_squares=moments.within_squares * share,
        sizes=moments.sizes * samples_per_weight,
    )


def check_squares(moments: ClassMoments) -> ClassMoments:
    """The same moments, if the values of every feature could be squared without loss."""
    with np.errstate(over="ignore"):
        extent = moments.upper - moments.lower
        squares = np.square(extent) * moments.distinct_counts.sum(axis=0)
    is_lost = (extent > 0) & ~((squares > _MIN_SQUARE) & (squares < np.inf))
    if is_lost.any():
        raise ValueError(
            "X has values too far apart, or too near to each other, to be squared in "
            f"{format_named('column', np.flatnonzero(is_lost))}; divide or multiply them by a "
            "power of ten."
        )
    return moments


def common_offset(lower: Floats, upper: Floats) -> Floats:
    """What all values of a feature share: the one nearest to 0 where all have one sign, else 0.

    Every value of such a feature is stored in a sparse table, so to subtract it keeps the zeros of
    the others. What is left has all the digits of the differences.
    """
    offset = np.where(lower > 0, lower, np.where(upper < 0, upper, 0.0))
    return np.where(lower <= upper, offset, 0.0)  # a feature without any value has none


def subtract_offsets(X: Any, offset: Floats) -> Any:
    """A sparse table in CSC format less :func:`common_offset` of its columns."""
    if not offset.any():
        return X
    data = X.data - np.repeat(offset, np.diff(X.indptr))
    return type(X)((data, X.indices, X.indptr), shape=X.shape)


def _row_blocks(X: Any) -> list[slice]:
    step = max(1, BLOCK // X.shape[1])
    return [slice(start, start + step) for start in range(0, X.shape[0], step)]


def _block_moments(X: NDArray[Any], codes: Indices, n_classes: int, weight: Floats) -> ClassMoments:
    """The moments of a few samples; sums over classes are products with the class indicators."""
    lower, upper = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    indicator = np.zeros((n_classes, len(X)))
    indicator[codes, np.arange(len(X))] = weight
    # From the smallest value on: a large offset would eat the digits of the means.
    offset = np.nan_to_num(lower.astype(np.float64))
    values = X - offset
    is_missing = np.isnan(values) if np.isnan(values.sum()) else None
    sizes = indicator.sum(axis=1)
    if is_missing is None:
        count = np.broadcast_to(sizes[:, None], (n_classes, X.shape[1]))
        has_missing = np.zeros(X.shape[1], dtype=bool)
    else:
        values[is_missing] = 0.0
        count = indicator @ ~is_missing
        has_missing = is_missing.any(axis=0)
    means = (indicator @ values) / np.where(count > 0, count, 1.0)
    values -= means[codes]
    if is_missing is not None:
        values[is_missing] = 0.0
    np.square(values, out=values)
    ends = lower.astype(np.float64), upper.astype(np.float64)
    return ClassMoments(count, means + offset, weight @ values, *ends, has_missing, sizes)


def _sparse_moments(X: Any, codes: Indices, n_classes: int, weight: Floats) -> ClassMoments:
    """The moments of a sparse table in CSC format; only its stored values are looked at."""
    total = np.bincount(codes, weight, n_classes).astype(np.float64)[:, None]
    step = max(1, BLOCK * X.shape[1] // max(X.nnz, 1))
    parts = [
        _columns_moments(X[:, start : start + step], codes, total, weight)
        for start in range(0, X.shape[1], step)
    ]
    return parts[0]._replace(
        **{
            name: np.concatenate([getattr(part, name) for part in parts], axis=-1)
            for name in ClassMoments._fields
            if name != "sizes"
        }
    )


def _columns_moments(X: Any, codes: Indices, total: Floats, weight: Floats) -> ClassMoments:
    """The moments of a few sparse columns, with the weight of each class in ``total``."""
    (n, m), p = X.shape, len(total)
    column = np.repeat(np.arange(m), np.diff(X.indptr))
    row, data = X.indices, X.data.astype(np.float64)
    is_missing = np.isnan(data)
    cell = codes[row] * m + column  # class and feature of each stored value

    def class_sums(values: Floats) -> Floats:
        return np.bincount(cell, values, p * m).astype(np.float64).reshape(p, m)

    count = total - class_sums(weight[row] * is_missing)
    known_weight = weight[row] * ~is_missing
    lower, upper = _sparse_range(column, data, ~is_missing, n, m)
    offset = common_offset(lower, upper)
    data = np.where(is_missing, 0.0, data - offset[column])
    means = class_sums(known_weight * data) / np.where(count > 0, count, 1.0)
    # The weight of what is not stored; it is rounded, and must not make squares negative.
    zeros = np.where(offset == 0, np.maximum(count - class_sums(known_weight), 0.0), 0.0)
    squares = class_sums(known_weight * (data - means.ravel()[cell]) ** 2) + zeros * means**2
    has_missing = np.bincount(column, is_missing, m) > 0
    sizes = total[:, 0]
    return ClassMoments(
        count, means + offset, squares.sum(axis=0), lower, upper, has_missing, sizes
    )


def _sparse_range(
    column: Indices, data: Floats, is_known: NDArray[np.bool_], n: int, m: int
) -> tuple[Floats, Floats]:
    """The smallest and largest value of each column, zeros that are not stored among them."""
    is_full = np.bincount(column, minlength=m) == n
    lower, upper = np.where(is_full, np.inf, 0.0), np.where(is_full, -np.inf, 0.0)
    np.minimum.at(lower, column[is_known], data[is_known])
    np.maximum.at(upper, column[is_known], data[is_known])
    return lower, upper
