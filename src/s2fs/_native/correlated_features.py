"""Which features say almost the same as a given one, and which are exact copies of it.

Copies have the same values up to sign, scale and offset, so they have the same share of their
variance between the classes, which is known of every feature. So samples are looked at for few
candidates only, and only of features that are selected.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2fs._native.correlations import (
    COPY_ROUNDING,
    ROUNDING,
    CorrelationsOf,
    OverallCorrelations,
    correlate_sums,
    to_dense,
)
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.class_moments import BLOCK, ClassMoments, squares_between

#: Two unit vectors whose r is within 1e-11 of 1 differ by at most √(2e-11), and their shares of
#: the variance by at most twice that; this leaves room for the rounding of the shares.
SHARE_ROUNDING = 1e-5
#: Gives for a feature and some others a mask of those that repeat it.
IsCopy = Callable[[int, Indices], NDArray[np.bool_]]


class CorrelatedFeatures:
    """The features whose |r| with a given one is above a limit.

    Parameters
    ----------
    correlations : callable
        Gives for a feature its correlation with every feature; it is asked for each only once.
    limit : float
        The largest |r| of features that may be selected together.
    """

    def __init__(self, correlations: CorrelationsOf, limit: float) -> None:
        self._correlations, self._limit = correlations, limit
        self._cache: dict[int, Indices] = {}

    def __call__(self, feature: int) -> Indices:
        """The features too much correlated with ``feature``, increasing, without itself."""
        if feature not in self._cache:
            is_above = np.abs(self._correlations(feature)) > self._limit + ROUNDING
            is_above[feature] = False
            self._cache[feature] = np.flatnonzero(is_above)
        return self._cache[feature]


class ExactCopies:
    """The exact copies of each feature of a table.

    Parameters
    ----------
    moments : ClassMoments
        What one pass over the samples tells.
    is_copy : callable
        Compares a feature with some others on the samples.
    """

    def __init__(self, moments: ClassMoments, is_copy: IsCopy) -> None:
        self._is_copy = is_copy
        between = squares_between(moments)
        total = between + moments.within_squares
        # The share of the variance between the classes; a constant feature is no copy of any.
        self._shares = np.full(len(total), np.nan)
        np.divide(between, total, out=self._shares, where=moments.is_varying & (total > 0))

    def of(self, feature: int) -> Indices:
        """The copies of ``feature``, increasing, without itself."""
        return self.among(feature, np.arange(len(self._shares)))

    def among(self, feature: int, others: Indices) -> Indices:
        """The copies of ``feature`` among some others."""
        is_close = np.abs(self._shares[others] - self._shares[feature]) <= SHARE_ROUNDING
        others = others[is_close & (others != feature)]
        return others[self._is_copy(feature, others)] if len(others) else others


def find_copies(
    X: Any, sample_weight: Floats | None, feature: int, others: Indices
) -> NDArray[np.bool_]:
    """Which columns of a table repeat one of them; only these columns are looked at."""
    is_copy = np.zeros(len(others), dtype=bool)
    step = max(1, BLOCK // X.shape[0])
    for start in range(0, len(others), step):
        some = others[start : start + step]
        columns = to_dense(X[:, np.append(feature, some)])
        alike = np.flatnonzero(OverallCorrelations(columns, sample_weight).is_copy(0)[1:])
        if len(alike):
            one_row = are_made_by_one_row(columns[:, 0], columns[:, 1 + alike], sample_weight)
            is_copy[start + alike] = ~one_row
    return is_copy


def stay_copies(lower: Floats, upper: Floats, sums: Floats) -> NDArray[np.bool_]:
    """Which pairs of columns are copies without the row that has the largest share in their r.

    As :func:`are_made_by_one_row`, where the samples are elsewhere.

    Parameters
    ----------
    lower, upper : ndarray of shape (2, n_pairs)
        The ranges of both columns over all other rows.
    sums : ndarray of shape (6, n_pairs)
        What their correlations over these rows are made of, see
        :func:`~s2fs._native.correlations.correlate_sums`.
    """
    is_constant = lower == upper
    is_same = np.abs(correlate_sums(sums)) >= 1 - COPY_ROUNDING
    return np.where(is_constant.any(axis=0), is_constant.all(axis=0), is_same)


def are_made_by_one_row(x: Floats, Z: Floats, sample_weight: Floats | None) -> NDArray[np.bool_]:
    """Which columns correlate with another because of one row, such as one with a fill value.

    The rows equal to the one with the largest share in the correlation are left out. Two columns
    that are constant then, such as those of words found in one text, are copies for all that.

    Parameters
    ----------
    x : ndarray of shape (n_samples,)
        A column.
    Z : ndarray of shape (n_samples, n_columns)
        Others with |r| = 1, which miss values (NaN) in the same rows.
    sample_weight : ndarray of shape (n_samples,) or None
        How much each sample counts.
    """
    weight = np.ones(len(x)) if sample_weight is None else sample_weight
    is_known = ~np.isnan(x)
    x, Z, weight = x[is_known], Z[is_known], weight[is_known]
    own_share = weight * np.abs(x - np.average(x, weights=weight))
    share = own_share[:, None] * np.abs(Z - np.average(Z, axis=0, weights=weight))
    row = share.argmax(axis=0)
    is_other = (x[:, None] != x[row]) | (np.take_along_axis(Z, row[None], axis=0) != Z)
    stay = np.zeros(Z.shape[1], dtype=bool)
    left = np.arange(Z.shape[1])
    while len(left):  # mostly once: copies leave out the same rows
        rows = is_other[:, left[0]]
        has_same_rows = (is_other[:, left] == rows[:, None]).all(axis=0)
        some = left[has_same_rows]
        others = np.column_stack([x[rows], Z[np.ix_(rows, some)]])
        is_constant = (others == others[:1]).all(axis=0)
        if is_constant[0]:
            stay[some] = is_constant[1:]
        else:
            stay[some] = OverallCorrelations(others, weight[rows]).is_copy(0)[1:]
        left = left[~has_same_rows]
    return ~stay
