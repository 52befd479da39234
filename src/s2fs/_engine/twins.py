"""Which features say almost the same as a given one, by their correlation over all rows."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._core.pairs import Moments
from s2fs._engine.copies import ROUNDING_OF_R
from s2fs._engine.native_pairs import dense_residual_products, moments_of
from s2fs._engine.pairs import (
    BLOCK,
    checked,
    common_offset,
    shifted_moments,
    without_offsets,
)
from s2fs._util.types import Floats, Indices

#: Rounding may move a correlation by this much; it decides nothing.
ROUNDING = 1e-9
#: An offset of this many times the range takes no digits that matter.
MOST_OFFSET = 1e3
#: Gives for a feature its correlation with every feature.
CorrelationsOf = Callable[[int], Floats]


class Twins:
    """The features whose |r| with a given one is above a limit.

    Parameters
    ----------
    correlations : callable
        Gives for a feature its correlation with every feature; it is asked for each only once.
    limit : float
        The largest |r| that is no twin.
    """

    def __init__(self, correlations: CorrelationsOf, limit: float) -> None:
        self._correlations, self._limit = correlations, limit
        self._known: dict[int, Indices] = {}

    def __call__(self, feature: int) -> Indices:
        """The twins of ``feature``, increasing, without itself."""
        if feature not in self._known:
            above = np.abs(self._correlations(feature)) > self._limit + ROUNDING
            above[feature] = False
            self._known[feature] = np.flatnonzero(above)
        return self._known[feature]


class Whole(NamedTuple):
    """What all rows of a table have in common, and its parts need to know for correlations.

    Attributes
    ----------
    offset : ndarray of shape (n_features,)
        What values are taken from before all else, see :func:`~s2fs._engine.pairs.common_offset`.
    mean : ndarray of shape (n_features,)
        The mean of what is left of each feature.
    norm : ndarray of shape (n_features,)
        The root of its summed squared differences to the mean; 0 for a constant feature.
    weight : ndarray of shape (n_features,)
        The weight of the known values.
    missing : bool
        Whether values are missing.
    """

    offset: Floats
    mean: Floats
    norm: Floats
    weight: Floats
    missing: bool

    @classmethod
    def of(cls, known: Moments, again: Callable[[Floats], Moments]) -> "Whole":
        """From the moments of all rows as one class.

        Means and squares around a large offset have lost digits: ``again`` gives the moments of the
        values less an offset of each feature.
        """
        offset = common_offset(known.lower, known.upper)
        offset[np.abs(offset) <= MOST_OFFSET * (known.upper - known.lower)] = 0.0
        if offset.any():
            known = again(offset)
        norm = np.where(known.varying, np.sqrt(checked(known).squares), 0.0)
        return cls(offset, known.mean[0], norm, known.counts[0], bool(known.missing.any()))

    def of_columns(self, columns: Indices) -> "Whole":
        """The same of some columns."""
        offset, mean, norm, weight = (field[columns] for field in self[:4])
        return Whole(offset, mean, norm, weight, self.missing)

    def copies(self, sums: Floats, feature: int) -> NDArray[np.bool_]:
        """Which features have |r| = 1 with one, up to rounding; values miss in the same rows."""
        same = np.abs(self.correlations(sums, feature)) >= 1 - ROUNDING_OF_R
        if self.missing:
            both, own = sums[0], self.weight[feature]
            same &= np.abs(both - self.weight) <= ROUNDING * self.weight
            same &= np.abs(both - own) <= ROUNDING * own
        return same

    def correlations(self, sums: Floats, feature: int) -> Floats:
        """From the sums over all rows, see :meth:`OverallCorrelations.sums`."""
        if not self.missing:
            above, below = sums[0], self.norm * self.norm[feature]
            varies = below > 0
        else:
            n, totals, squares, own, own_squares, products = sums
            n = np.where(n > 0, n, 1.0)
            spread = np.maximum(squares - totals**2 / n, 0.0)
            spread *= np.maximum(own_squares - own**2 / n, 0.0)
            # What is left of two sums that cancel is no spread.
            varies = spread > (ROUNDING**2) * squares * own_squares
            above, below = products - own * totals / n, np.sqrt(spread)
        r = np.divide(above, below, out=np.zeros_like(above), where=varies)
        return np.clip(r, -1.0, 1.0)


class OverallCorrelations:
    """Pearson's r of one feature with every feature, over all rows, each with its weight.

    With missing values it is taken over the rows that have both. A constant feature has r = 0 with
    any other. One feature costs one product of the table with a column.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        The table, or some rows of it; sparse input in CSC format. NaN is missing.
    sample_weight : ndarray of shape (n_samples,), optional
        How much each row counts.
    whole : Whole, optional
        Needed for some rows of a table: what all of them have in common.
    """

    def __init__(
        self, X: Any, sample_weight: Floats | None = None, whole: Whole | None = None
    ) -> None:
        n = X.shape[0]
        self._X = X
        self._weight = np.ones(n) if sample_weight is None else sample_weight
        if whole is None:
            one = np.zeros(n, dtype=np.intp)
            whole = Whole.of(
                moments_of(X, one, 1, self._weight),
                lambda offset: shifted_moments(X, one, 1, self._weight, offset),
            )
        self._whole = whole
        self._stored = without_offsets(X, whole.offset) if issparse(X) else X

    def __call__(self, feature: int) -> Floats:
        """The correlation of ``feature`` with every feature."""
        return self._whole.correlations(self.sums(feature), feature)

    def copies(self, feature: int) -> NDArray[np.bool_]:
        """Mask of the features that are the same as ``feature`` up to sign, scale and offset."""
        return self._whole.copies(self.sums(feature), feature)

    def sums(self, feature: int) -> Floats:
        """What the correlations of ``feature`` are made of; the sums of parts of a table add up."""
        column = _dense(self._X[:, [feature]]).ravel().astype(np.float64)
        column = (column - self._whole.offset[feature]) - self._whole.mean[feature]
        if self._whole.missing:
            return self._of_rows_with_both(column)
        return self._products(column * self._weight)[None]

    def _products(self, residual: Floats) -> Floats:
        """Of residuals with every column."""
        if issparse(self._X):  # zeros stay zeros
            return self._stored.T @ residual - residual.sum() * self._whole.mean
        codes, mean = np.zeros(len(residual), dtype=np.intp), self._whole.offset + self._whole.mean
        return dense_residual_products(self._X, codes, mean[None], residual)

    def _of_rows_with_both(self, column: Floats) -> Floats:
        """Over the rows with a value in both columns: n, sums, squares and products."""
        sums = np.zeros((6, self._X.shape[1]))
        has = ~np.isnan(column)
        column = np.where(has, column, 0.0)
        for rows in self._blocks():
            values = (_dense(self._X[rows]) - self._whole.offset) - self._whole.mean
            there = ~np.isnan(values)
            values = np.where(there, values, 0.0)
            weight, mine = self._weight[rows] * has[rows], self._weight[rows] * column[rows]
            of_own = mine @ there, (mine * column[rows]) @ there
            sums += [weight @ there, weight @ values, weight @ values**2, *of_own, mine @ values]
        return sums

    def _blocks(self) -> list[slice]:
        n, m = self._X.shape
        step = max(1, BLOCK // m)
        return [slice(start, start + step) for start in range(0, n, step)]


def are_copies(
    X: Any, sample_weight: Floats | None, feature: int, others: Indices
) -> NDArray[np.bool_]:
    """Which columns of a table repeat one of them; only these columns are looked at."""
    is_copy = np.zeros(len(others), dtype=bool)
    step = max(1, BLOCK // X.shape[0])
    for start in range(0, len(others), step):
        some = others[start : start + step]
        columns = _dense(X[:, np.append(feature, some)])
        is_copy[start : start + step] = OverallCorrelations(columns, sample_weight).copies(0)[1:]
    return is_copy


def _dense(X: Any) -> NDArray[Any]:
    return X.toarray() if issparse(X) else X
