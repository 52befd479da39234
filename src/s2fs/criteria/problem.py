"""What stays fixed during a search: scaled columns, classes and centroids."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._utils.messages import format_named
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.separability import ON_CENTROID, Scale

#: How many numbers a temporary array may hold; work is cut into blocks of this size.
BLOCK = 1 << 18
#: Differences and means of values in a smaller range are denormal numbers, which lose digits.
LEAST_EXTENT = 1e-305
#: Or this many, where the work on a block is little beside asking the system for its memory.
SMALL_BLOCK = 1 << 15


class Scaling(NamedTuple):
    """What all rows of a table have in common, and chunks of them need to know.

    Attributes
    ----------
    lower, width : ndarray of shape (n_features,)
        A scaled value is ``(x - lower) / width``.
    unit : float
        What a distance of 1 between scaled columns stands for; 1 if every feature has the range 1.
    varying : ndarray of shape (n_features,)
        Mask of the features that are not constant.
    on_centroid : ndarray of shape (n_features,)
        Differences to a centroid up to this size are rounding and count as 0.
    centroids : ndarray of shape (n_features, n_classes)
        Weighted class means of the scaled columns.
    total_weight : float
        The weight of all rows.
    """

    lower: Floats
    width: Floats
    unit: float
    varying: NDArray[np.bool_]
    on_centroid: Floats
    centroids: Floats
    total_weight: float

    @classmethod
    def from_means(
        cls,
        value_range: tuple[Floats, Floats],
        weight_of_class: Floats,
        scale: Scale,
        means: Floats,
        squares: Floats,
    ) -> "Scaling":
        """The scaling of a table.

        Parameters
        ----------
        value_range : tuple of ndarray of shape (n_features,)
            The smallest and the largest value of each feature.
        weight_of_class : ndarray of shape (n_classes,)
            The weight of the rows of each class.
        scale : {"standard", "minmax", None}
            As for :class:`Problem`.
        means : ndarray of shape (n_classes, n_features)
            The class means of the differences to ``lower``; they are changed.
        squares : ndarray of shape (n_features,)
            Weighted sums over all rows of the squared differences to the mean, in units of the
            extent, or of 1 for a constant feature.
        """
        (lower, upper), total = value_range, float(weight_of_class.sum())
        extent = _check_extent(lower, upper, weight_of_class)
        varying = extent > 0
        unit = 1.0
        width = np.where(varying, extent, 1.0)
        if scale == "standard":
            # In units of the extent no square is lost. The columns are scaled to ranges of at most
            # 1, and what is missing to a standard deviation of 1 is put back with the unit.
            deviation = np.sqrt(squares / total)
            deviation[~varying] = 1.0
            unit = float((1 / deviation).max())
            width *= deviation * unit
        elif scale is None:
            unit = float(extent.max()) or 1.0
            width = np.full_like(extent, unit)
        too_near = np.flatnonzero(width < LEAST_EXTENT)
        if len(too_near):
            raise ValueError(
                f"X has values too near to each other in {format_named('column', too_near)}; "
                "multiply them by a power of ten."
            )
        means /= width
        centroids = np.ascontiguousarray(means.T)
        return cls(lower, width, unit, varying, ON_CENTROID * extent / width, centroids, total)


class Problem:
    """Instances, classes and features of one selection.

    The input is never copied as a whole: :meth:`columns` scales the columns asked for, and only
    those become dense if the input is sparse.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        Finite numbers; sparse input in CSC format.
    codes : ndarray of shape (n_samples,)
        Class of each sample, 0 … n_classes − 1, each class present.
    scale : {"standard", "minmax", None}
        ``"standard"`` divides every feature by its standard deviation, ``"minmax"`` by its range,
        and ``None`` keeps the units. The columns start at 0, since a common offset changes no
        difference. Without "minmax" they are also divided by one common ``unit``, so that no range
        is above 1; it is put back into distances.
    sample_weight : ndarray of shape (n_samples,), optional
        How much each sample counts, positive; a sample of weight 2 is two equal samples.
    scaling : Scaling, optional
        If it is known already, or that of a larger table of which these rows are a part; ``scale``
        is not used then, and a class may be missing.

    Attributes
    ----------
    n_samples, n_features, n_classes : int
        The sizes, called n, m and p in the documentation.
    codes : ndarray of shape (n_samples,)
        Class of each sample.
    scaling : Scaling
        Ranges and centroids. Those that the loops ask for are also attributes of the problem:
        ``lower``, ``width``, ``unit``, ``varying``, ``on_centroid`` and ``centroids``.
    """

    def __init__(
        self,
        X: Any,
        codes: Indices,
        scale: Scale = "minmax",
        sample_weight: Floats | None = None,
        *,
        scaling: Scaling | None = None,
    ) -> None:
        self.X = X
        self.is_sparse = issparse(X)
        self.codes = codes
        self.n_samples, self.n_features = X.shape
        self._sample_weight = sample_weight  # None is 1 each, and saves the multiplications
        if scaling is None:
            scaling = find_scaling(X, codes, scale, sample_weight)
        self.scaling = scaling
        self.lower, self.width, self.unit, self.varying, self.on_centroid, self.centroids, _ = (
            scaling
        )
        self.n_classes = self.centroids.shape[1]

    @property
    def weight(self) -> Floats:
        """How much each sample counts, summing to 1 over the whole table."""
        total = self.scaling.total_weight
        if self._sample_weight is None:
            return np.full(self.n_samples, 1 / total)
        return self._sample_weight / total

    def mean(self, values: Floats) -> Floats:
        """Weighted mean over the samples, the last axis of ``values``."""
        if self._sample_weight is not None:
            values = values * self._sample_weight
        return values.sum(axis=-1) / self.scaling.total_weight

    def columns(self, features: Indices) -> Floats:
        """Scaled columns, one per row: shape ``(len(features), n_samples)``."""
        columns = self.X[:, features]
        columns = (columns.toarray() if self.is_sparse else columns).T.astype(np.float64, order="C")
        columns -= self.lower[features, None]
        columns /= self.width[features, None]
        return columns

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


def find_scaling(
    X: Any, codes: Indices, scale: Scale, sample_weight: Floats | None = None
) -> Scaling:
    """The scaling of a whole table."""
    lower, upper = find_range(X)
    weight_of_class = np.bincount(codes, sample_weight).astype(np.float64)
    extent = _check_extent(lower, upper, weight_of_class)
    means = np.zeros((len(weight_of_class), len(lower)))
    # With a second pass over what is left the mean of equal values is exactly that value.
    for _ in range(2):
        rest = compute_class_sums(X, codes, lower, means, sample_weight)
        rest /= weight_of_class[:, None]
        means += rest
    del rest  # the centroids may have its place
    centre = weight_of_class @ means / float(weight_of_class.sum())
    unit = np.where(extent > 0, extent, 1.0)
    squares = compute_squares(X, lower, centre, unit, sample_weight)
    return Scaling.from_means((lower, upper), weight_of_class, scale, means, squares)


def _check_extent(lower: Floats, upper: Floats, weight_of_class: Floats) -> Floats:
    """The range of each feature, if all samples can be summed."""
    with np.errstate(over="ignore"):
        extent = upper - lower
        too_wide = np.flatnonzero(~np.isfinite(extent * weight_of_class.sum()))
    if len(too_wide):
        raise ValueError(
            f"X has values too far apart to be summed in {format_named('column', too_wide)}; "
            "divide them by a power of ten."
        )
    return extent


def find_range(X: Any) -> tuple[Floats, Floats]:
    """Smallest and largest value of each feature."""
    lower, upper = X.min(axis=0), X.max(axis=0)
    if issparse(X):
        lower, upper = lower.toarray().ravel(), upper.toarray().ravel()
    return lower.astype(np.float64), upper.astype(np.float64)


def compute_class_sums(
    X: Any, codes: Indices, lower: Floats, centre: Floats, sample_weight: Floats | None = None
) -> Floats:
    """Weighted sums over each class of the differences to ``lower + centre``."""
    sums = np.zeros_like(centre)
    for q in range(len(centre)):
        for values, rows, features in _pieces_of(X, np.flatnonzero(codes == q)):
            differences = values - lower[features]
            differences -= centre[q, features]
            if sample_weight is not None:
                differences *= sample_weight[rows, None]
            sums[q, features] += differences.sum(axis=0)
    return sums


def compute_squares(
    X: Any, lower: Floats, centre: Floats, extent: Floats, sample_weight: Floats | None = None
) -> Floats:
    """Weighted sums of the squared differences to ``lower + centre``, in units of ``extent``."""
    if issparse(X):
        return _sparse_squares(X, lower, centre, extent, sample_weight)
    squares = np.zeros(X.shape[1])
    for rows in blocks(np.arange(X.shape[0]), X.shape[1], SMALL_BLOCK):
        differences = X[rows] - lower
        differences -= centre
        differences /= extent
        np.square(differences, out=differences)
        if sample_weight is not None:
            differences *= sample_weight[rows, None]
        squares += differences.sum(axis=0)
    return squares


def _sparse_squares(
    X: Any, lower: Floats, centre: Floats, extent: Floats, sample_weight: Floats | None
) -> Floats:
    """The same of a sparse table in CSC format; only its entries are looked at."""
    n, m = X.shape
    weight = np.ones(n) if sample_weight is None else sample_weight
    column = np.repeat(np.arange(m), np.diff(X.indptr))
    of_entry = weight[X.indices]
    differences = (X.data - lower[column] - centre[column]) / extent[column]
    stored = np.bincount(column, of_entry * differences**2, m)
    # The weight of what is not stored is a difference of sums, and must not be below 0.
    of_zeros = np.maximum(weight.sum() - np.bincount(column, of_entry, m), 0.0)
    return stored + of_zeros * ((lower + centre) / extent) ** 2


def _pieces_of(X: Any, rows: Indices) -> Iterator[tuple[NDArray[Any], Indices, Any]]:
    """Dense pieces of some rows as they are, each with the rows and features it covers."""
    if issparse(X) and len(rows):
        X = X[rows]
        for some in blocks(np.arange(X.shape[1]), len(rows)):
            yield X[:, some].toarray(), rows, some
    elif len(rows):  # a class may be missing in part of a table
        for some in blocks(rows, X.shape[1], SMALL_BLOCK):
            yield X[some], some, slice(None)


def blocks(indices: Indices, size_of_one: int, most: int | None = None) -> list[Indices]:
    """Cut ``indices`` so that each block takes ``most`` (BLOCK) numbers, or is a single one."""
    size = max(1, (BLOCK if most is None else most) // size_of_one)
    return [indices[i : i + size] for i in range(0, len(indices), size)]
