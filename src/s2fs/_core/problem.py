"""What stays fixed during a search: scaled columns, classes and centroids."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._core.criterion import ON_CENTROID
from s2fs._util.messages import some_of
from s2fs._util.types import Floats, Indices

Scale = Literal["minmax"] | None

#: How many numbers a temporary array may hold; work is cut into blocks of this size.
BLOCK = 1 << 18
#: Or this many, where the work on a block is little beside asking the system for its memory.
SMALL_BLOCK = 1 << 15


class Problem:
    """Instances, classes and features of one selection.

    The input is never copied as a whole: :meth:`columns` scales the columns asked for, and only
    those become dense if the input is sparse.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        Finite numbers; sparse input in CSC format.
    codes : ndarray of shape (n_samples,)
        Class of each instance, 0 … n_classes − 1, each class present.
    scale : {"minmax", None}
        ``"minmax"`` maps every feature to [0, 1]. ``None`` keeps the units; the columns are then
        moved to start at 0 and divided by one common ``unit``, which is put back into distances.
    sample_weight : ndarray of shape (n_samples,), optional
        How much each instance counts, positive; an instance of weight 2 is two equal instances.

    Attributes
    ----------
    n_samples, n_features, n_classes : int
        The sizes, called n, m and p in the documentation.
    codes : ndarray of shape (n_samples,)
        Class of each instance.
    weight : ndarray of shape (n_samples,)
        How much each instance counts, summing to 1.
    unit : float
        What a distance of 1 between scaled columns stands for; 1 if every feature is scaled.
    centroids : ndarray of shape (n_features, n_classes)
        Weighted class means of the scaled columns.
    on_centroid : ndarray of shape (n_features,)
        Differences to a centroid up to this size are rounding and count as 0.
    varying : ndarray of shape (n_features,)
        Mask of the features that are not constant.
    all_vary : bool
        Whether no feature is constant.
    """

    def __init__(
        self,
        X: Any,
        codes: Indices,
        scale: Scale = "minmax",
        sample_weight: Floats | None = None,
    ) -> None:
        self.X = X
        self.is_sparse = issparse(X)
        self.codes = codes
        self.n_samples, self.n_features = X.shape
        self._mass = sample_weight  # None is 1 each, and saves the multiplications
        self._class_mass = np.bincount(codes, sample_weight).astype(np.float64)
        self._total = self._class_mass.sum()
        self.weight = (
            np.ones(len(codes)) if sample_weight is None else sample_weight
        ) / self._total
        self.n_classes = len(self._class_mass)
        self.lower, upper = self._range()
        with np.errstate(over="ignore"):
            extent = upper - self.lower
            too_wide = np.flatnonzero(~np.isfinite(extent * self._total))
        if len(too_wide):
            raise ValueError(
                f"X has values too far apart to be summed in column(s) {some_of(too_wide)}; divide "
                "them by a power of ten."
            )
        self.varying = extent > 0
        self.all_vary = bool(self.varying.all())
        self.unit = 1.0 if scale == "minmax" else float(extent.max()) or 1.0
        minmax = np.where(self.varying, extent, 1.0)
        self.width = minmax if scale == "minmax" else np.full(self.n_features, self.unit)
        self.on_centroid = ON_CENTROID * extent / self.width

        mass = self._class_mass[:, None]
        means = self._class_sums(np.zeros((self.n_classes, self.n_features))) / mass
        # A second pass over what is left makes the mean of equal values that very value.
        means += self._class_sums(means) / mass
        self.centroids = np.ascontiguousarray((means / self.width).T)

    def mean(self, values: Floats) -> Floats:
        """Weighted mean over the instances, the last axis of ``values``."""
        if self._mass is not None:
            values = values * self._mass
        return values.sum(axis=-1) / self._total

    def columns(self, features: Indices) -> Floats:
        """Scaled columns, one per row: shape ``(len(features), n_samples)``."""
        columns = self.X[:, features]
        columns = (columns.toarray() if self.is_sparse else columns).T.astype(np.float64, order="C")
        columns -= self.lower[features, None]
        columns /= self.width[features, None]
        return columns

    def rows(self, start: int, stop: int) -> Floats:
        """Scaled instances of a dense problem: shape ``(stop - start, n_features)``."""
        rows = self.X[start:stop] - self.lower
        rows /= self.width
        return rows

    def offsets(self, features: Indices) -> Floats:
        """Differences x_i − c_r: shape ``(len(features), n_samples, n_classes)``."""
        offsets = self.columns(features)[:, :, None] - self.centroids[features, None, :]
        offsets[np.abs(offsets) <= self.on_centroid[features, None, None]] = 0
        return offsets

    def centroid_gaps(self, features: Indices) -> Floats:
        """Differences c_q − c_r: shape ``(len(features), n_classes, n_classes)``."""
        C = self.centroids[features]
        gaps = C[:, :, None] - C[:, None, :]
        gaps[np.abs(gaps) <= self.on_centroid[features, None, None]] = 0
        return gaps

    def _range(self) -> tuple[Floats, Floats]:
        """Smallest and largest value of each feature."""
        lower, upper = self.X.min(axis=0), self.X.max(axis=0)
        if self.is_sparse:
            lower, upper = lower.toarray().ravel(), upper.toarray().ravel()
        return lower.astype(np.float64), upper.astype(np.float64)

    def _class_sums(self, centre: Floats) -> Floats:
        """Weighted sums over each class of the differences to ``lower + centre``."""
        sums = np.zeros((self.n_classes, self.n_features))
        for q in range(self.n_classes):
            for values, rows, features in self._pieces_of(np.flatnonzero(self.codes == q)):
                differences = values - self.lower[features]
                differences -= centre[q, features]
                if self._mass is not None:
                    differences *= self._mass[rows, None]
                sums[q, features] += differences.sum(axis=0)
        return sums

    def _pieces_of(self, rows: Indices) -> Iterator[tuple[NDArray[Any], Indices, Any]]:
        """Dense pieces of some rows as they are, each with the rows and features it covers."""
        if self.is_sparse:
            X = self.X[rows]
            for some in blocks(np.arange(self.n_features), len(rows)):
                yield X[:, some].toarray(), rows, some
        else:
            for some in blocks(rows, self.n_features, SMALL_BLOCK):
                yield self.X[some], some, slice(None)


def blocks(indices: Indices, size_of_one: int, most: int | None = None) -> list[Indices]:
    """Cut ``indices`` so that each block takes ``most`` (BLOCK) numbers, or is a single one."""
    size = max(1, (BLOCK if most is None else most) // size_of_one)
    return [indices[i : i + size] for i in range(0, len(indices), size)]
