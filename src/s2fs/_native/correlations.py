"""The correlations of one feature with all features, inside the classes and over all samples."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._native.border import Array, Function, Given, Handle, Int, Length
from s2fs._native.class_moments import compute_class_moments, feature_ranges
from s2fs._native.library import load
from s2fs._native.table import make_table
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.class_moments import (
    BLOCK,
    ClassMoments,
    check_squares,
    common_offset,
    compute_shifted_moments,
    degrees_of_freedom,
    within_sd,
)

#: Gives for a feature its correlation with every feature.
CorrelationsOf = Callable[[int], Floats]
#: Two features with |r| above 1 less this are copies, which leaves room for rounding.
COPY_ROUNDING = 1e-11
#: Rounding may move a correlation by this much; it decides nothing.
ROUNDING = 1e-9
#: An offset of this many times the range, or the within-class s.d., takes no digits that matter.
MAX_OFFSET = 1e3

_correlations = Function(
    "s2fs_correlations",
    table=Given("table", changed=False),
    codes=Array(np.int64, "samples"),
    weight=Array(np.float64, "samples"),
    means=Array(np.float64, "classes", "features"),
    classes=Length(),
    offsets=Array(np.float64, "features"),
    units=Array(np.float64, "features"),
    has_missing=Int(),
    is_shifted=Int(),
    feature=Int(),
    first=Int(),
    last=Int(),
    n_threads=Int(),
    correlations=Array(np.float64, "features", writable=True),
)

_residuals = Function(
    "s2fs_residuals",
    table=Given("table", changed=False),
    codes=Array(np.int64, "samples"),
    weight=Array(np.float64, "samples"),
    means=Array(np.float64, "classes", "features"),
    classes=Length(),
    units=Array(np.float64, "features"),
    chosen=Array(np.int64, "n_chosen"),
    n_chosen=Length(),
    first=Int(),
    n_block=Length(),
    residuals=Array(np.float64, "n_block", "n_chosen", writable=True),
)


class FeatureProducts:
    """The products of one feature with every feature, both as differences to their class means.

    A missing value adds nothing. The products of parts of a table add up to those of the whole.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        The table; sparse input in CSC format. NaN is missing.
    codes : ndarray of shape (n_samples,)
        The class of each sample.
    weight : ndarray of shape (n_samples,)
        How much each sample counts.
    means : ndarray of shape (n_classes, n_features)
        The class means of the values less the offsets.
    offsets, units : ndarray of shape (n_features,)
        What values are taken from, and what differences are divided by.
    has_missing : bool
        Whether values are missing.
    n_threads : int, default=1
        The features are shared out to that many threads.
    is_shifted : bool, default=True
        Whether values are taken from a class mean on, as large means take digits.
    """

    def __init__(
        self,
        X: Any,
        codes: Indices,
        weight: Floats,
        means: Floats,
        offsets: Floats,
        units: Floats,
        has_missing: bool,
        n_threads: int = 1,
        is_shifted: bool = True,
    ) -> None:
        self._X, self._has_missing, self._n_threads = X, has_missing, n_threads
        self._is_shifted = is_shifted
        self._codes = np.ascontiguousarray(codes, np.int64)
        self._weight, self._means, self._offsets, self._units = (
            np.require(array, np.float64, ["C", "A"]) for array in (weight, means, offsets, units)
        )
        self._table = self._make_table()

    def __call__(self, feature: int) -> Floats:
        """The products of ``feature`` with every feature."""
        if self._table is None:
            return self._compute_in_numpy(feature)
        products = np.empty(len(self._units))
        for first, last in feature_ranges(self._X):
            _correlations(
                self._table, self._codes, self._weight, self._means, self._offsets, self._units,
                self._has_missing, self._is_shifted, feature, first, last, self._n_threads,
                products,
            )  # fmt: skip
        return products

    def among(self, features: Indices) -> Floats:
        """The products of some features with each other; values have no offsets."""
        n_samples, chosen = len(self._codes), np.ascontiguousarray(features, np.int64)
        products = np.zeros((len(chosen), len(chosen)))
        step = max(1, BLOCK // max(len(chosen), 1))
        for first in range(0, n_samples, step):
            rows = slice(first, min(first + step, n_samples))
            if self._table is None:
                residuals = self._residuals(rows, chosen) * np.sqrt(self._weight[rows])[:, None]
            else:
                residuals = np.empty((rows.stop - first, len(chosen)))
                _residuals(
                    self._table, self._codes, self._weight, self._means, self._units, chosen,
                    first, residuals,
                )  # fmt: skip
            products += residuals.T @ residuals  # of one array with itself: half the work
        return products

    def _compute_in_numpy(self, feature: int) -> Floats:
        residual = self._residuals(slice(None), [feature])[:, 0] * self._weight
        products = np.zeros(len(self._units))
        step = max(1, BLOCK // len(products))
        for start in range(0, len(residual), step):
            rows = slice(start, start + step)
            products += residual[rows] @ self._residuals(rows, slice(None))
        return products

    def _residuals(self, rows: slice, columns: Any) -> Floats:
        """Differences to the class means, in their units; 0 for missing values."""
        block = to_dense(self._X[rows][:, columns]) - self._offsets[columns]
        block -= self._means[self._codes[rows]][:, columns]
        if self._has_missing:
            block[np.isnan(block)] = 0.0
        block /= self._units[columns]
        return block

    def _make_table(self) -> Handle | None:
        return None if load() is None else make_table(self._X)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the handle, which stays in its process."""
        return {**vars(self), "_table": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._table = self._make_table()


class WithinClassCorrelations:
    """Correlations inside the classes of one feature with all others.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        The table, or some samples of it.
    codes : ndarray of shape (n_samples,)
        The classes.
    moments : ClassMoments
        The moments of the whole table.
    sample_weight : ndarray of shape (n_samples,), optional
        How much each sample counts.
    n_threads : int, default=1
        The features are shared out to that many threads.
    """

    def __init__(
        self,
        X: Any,
        codes: Indices,
        moments: ClassMoments,
        sample_weight: Floats | None = None,
        n_threads: int = 1,
    ) -> None:
        weight = np.ones(X.shape[0]) if sample_weight is None else sample_weight
        sd = within_sd(moments)
        units = np.sqrt(degrees_of_freedom(moments)) * np.where(sd > 0, sd, 1.0)
        has_missing = bool(moments.has_missing.any())
        is_shifted = bool((np.abs(moments.means[0]) > MAX_OFFSET * sd)[sd > 0].any())
        self._products = FeatureProducts(
            X, codes, weight, moments.means, np.zeros(len(sd)), units, has_missing, n_threads,
            is_shifted,
        )  # fmt: skip

    def __call__(self, feature: int) -> Floats:
        """The correlations of ``feature`` with every feature, 1 with itself."""
        correlations = self._products(feature)
        correlations[feature] = 1.0
        return correlations

    def among(self, features: Indices) -> Floats:
        """The correlations of some features with each other."""
        return self._products.among(features)


class OverallMoments(NamedTuple):
    """What all samples of a table have in common, and its parts need to know for correlations.

    Attributes
    ----------
    offset : ndarray of shape (n_features,)
        What values are taken from before all else, see
        :func:`~s2fs.criteria.class_moments.common_offset`.
    mean : ndarray of shape (n_features,)
        The mean of what is left of each feature.
    norm : ndarray of shape (n_features,)
        The root of its summed squared differences to the mean; 0 for a constant feature.
    weight : ndarray of shape (n_features,)
        The weight of the known values.
    has_missing : bool
        Whether values are missing.
    """

    offset: Floats
    mean: Floats
    norm: Floats
    weight: Floats
    has_missing: bool

    @classmethod
    def from_moments(
        cls, moments: ClassMoments, compute_shifted: Callable[[Floats], ClassMoments]
    ) -> "OverallMoments":
        """From the moments of all samples as one class.

        Means and squares around a large offset have lost digits: ``compute_shifted`` gives the
        moments of the values less an offset of each feature.
        """
        offset = common_offset(moments.lower, moments.upper)
        offset[np.abs(offset) <= MAX_OFFSET * (moments.upper - moments.lower)] = 0.0
        if offset.any():
            moments = compute_shifted(offset)
        squares = check_squares(moments).within_squares
        norm = np.where(moments.is_varying, np.sqrt(squares), 0.0)
        has_missing = bool(moments.has_missing.any())
        return cls(offset, moments.means[0], norm, moments.counts[0], has_missing)

    def of_columns(self, columns: Indices) -> "OverallMoments":
        """The same of some columns."""
        offset, mean, norm, weight = (field[columns] for field in self[:4])
        return OverallMoments(offset, mean, norm, weight, self.has_missing)

    def is_copy(self, sums: Floats, feature: int) -> NDArray[np.bool_]:
        """Which features have |r| = 1 with one, up to rounding, and miss values where it does."""
        is_same = np.abs(self.correlations(sums, feature)) >= 1 - COPY_ROUNDING
        if self.has_missing:
            both, own = sums[0], self.weight[feature]
            is_same &= np.abs(both - self.weight) <= ROUNDING * self.weight
            is_same &= np.abs(both - own) <= ROUNDING * own
        return is_same

    def correlations(self, sums: Floats, feature: int) -> Floats:
        """From the sums over all samples, see :meth:`OverallCorrelations.sums`."""
        if self.has_missing:
            return correlate_sums(sums)
        norms = self.norm * self.norm[feature]
        r = np.divide(sums[0], norms, out=np.zeros_like(norms), where=norms > 0)
        return np.clip(r, -1.0, 1.0)


def correlate_sums(sums: Floats) -> Floats:
    """Pearson's r of pairs of columns, by n, sums, squares of both and products.

    Parameters
    ----------
    sums : ndarray of shape (6, n_pairs)
        Over the samples with both values: their weight, sum and squares of the one column, sum and
        squares of the other, and the products; of differences to a number near the values.
    """
    n, totals, squares, own, own_squares, products = sums
    n = np.where(n > 0, n, 1.0)
    spread = np.maximum(squares - totals**2 / n, 0.0)
    spread *= np.maximum(own_squares - own**2 / n, 0.0)
    # What is left of two sums that cancel is no spread.
    is_varying = spread > (ROUNDING**2) * squares * own_squares
    products, norms = products - own * totals / n, np.sqrt(spread)
    r = np.divide(products, norms, out=np.zeros_like(products), where=is_varying)
    return np.clip(r, -1.0, 1.0)


class OverallCorrelations:
    """Pearson's r of one feature with every feature, over all samples, each with its weight.

    With missing values it is taken over the samples that have both. A constant feature has r = 0
    with any other. One feature costs one product of the table with a column.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        The table, or some samples of it; sparse input in CSC format. NaN is missing.
    sample_weight : ndarray of shape (n_samples,), optional
        How much each sample counts.
    moments : OverallMoments, optional
        Needed for some samples of a table: what all of them have in common.
    """

    def __init__(
        self, X: Any, sample_weight: Floats | None = None, moments: OverallMoments | None = None
    ) -> None:
        n_samples = X.shape[0]
        self._X = X
        self._weight = np.ones(n_samples) if sample_weight is None else sample_weight
        codes = np.zeros(n_samples, dtype=np.intp)
        if moments is None:
            moments = OverallMoments.from_moments(
                compute_class_moments(X, codes, 1, self._weight),
                lambda offset: compute_shifted_moments(X, codes, 1, self._weight, offset),
            )
        self._moments = moments
        self._products: FeatureProducts | None = None
        if not moments.has_missing:
            self._products = FeatureProducts(
                X, codes, self._weight, moments.mean[None], moments.offset,
                np.ones(len(moments.mean)), False,
            )  # fmt: skip

    def __call__(self, feature: int) -> Floats:
        """The correlation of ``feature`` with every feature."""
        return self._moments.correlations(self.sums(feature), feature)

    def is_copy(self, feature: int) -> NDArray[np.bool_]:
        """Mask of the features that are the same as ``feature`` up to sign, scale and offset."""
        return self._moments.is_copy(self.sums(feature), feature)

    def sums(self, feature: int) -> Floats:
        """What the correlations of ``feature`` are made of; the sums of parts of a table add up."""
        if self._products is not None:
            return self._products(feature)[None]
        return self._sums_over_both(feature)

    def _sums_over_both(self, feature: int) -> Floats:
        """Over the samples with a value in both columns: n, sums, squares and products."""
        offset, mean = self._moments.offset, self._moments.mean
        column = to_dense(self._X[:, [feature]]).ravel().astype(np.float64)
        column = (column - offset[feature]) - mean[feature]
        has_value = ~np.isnan(column)
        column = np.where(has_value, column, 0.0)
        n_samples, n_features = self._X.shape
        sums = np.zeros((6, n_features))
        step = max(1, BLOCK // n_features)
        for start in range(0, n_samples, step):
            rows = slice(start, start + step)
            values = (to_dense(self._X[rows]) - offset) - mean
            is_known = ~np.isnan(values)
            values = np.where(is_known, values, 0.0)
            weight, own = self._weight[rows] * has_value[rows], self._weight[rows] * column[rows]
            sums += [
                weight @ is_known,
                weight @ values,
                weight @ values**2,
                own @ is_known,
                (own * column[rows]) @ is_known,
                own @ values,
            ]
        return sums


def to_dense(X: Any) -> NDArray[Any]:
    """A dense or sparse table as an array."""
    return X.toarray() if issparse(X) else X
