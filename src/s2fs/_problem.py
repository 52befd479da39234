"""What stays fixed during a search: scaled columns, classes and centroids."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from s2fs._criterion import ON_CENTROID, Floats

Scale = Literal["minmax"] | None

#: How many numbers a temporary array may hold; blocks of features are cut to this size.
BLOCK = 1 << 18


class Problem:
    """Instances, classes and features of one selection, with features read column by column.

    The input is never copied as a whole: :meth:`columns` scales the columns asked for.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite numbers.
    codes : ndarray of shape (n_samples,)
        Class of each instance, 0 … n_classes − 1, each class present.
    scale : {"minmax", None}
        ``"minmax"`` maps every feature to [0, 1]; ``None`` keeps the units, and only moves each
        feature to start at 0, which no distance or direction notices.

    Attributes
    ----------
    n_samples, n_features, n_classes : int
        The sizes, called n, m and p in the documentation.
    codes : ndarray of shape (n_samples,)
        Class of each instance.
    centroids : ndarray of shape (n_features, n_classes)
        Class means of the scaled columns.
    on_centroid : ndarray of shape (n_features,)
        Differences to a centroid up to this size are rounding and count as 0.
    varying : ndarray of shape (n_features,)
        Mask of the features that are not constant.
    """

    def __init__(self, X: NDArray[Any], codes: NDArray[np.intp], scale: Scale = "minmax") -> None:
        self._X = X
        self.codes = codes
        self.n_samples, self.n_features = X.shape
        counts = np.bincount(codes)
        self.n_classes = len(counts)
        self._lower = X.min(axis=0).astype(np.float64)
        extent = X.max(axis=0) - self._lower
        self.varying = extent > 0
        self._width = np.where(self.varying, extent, 1.0) if scale == "minmax" else None
        self.on_centroid = ON_CENTROID * (self.varying if scale == "minmax" else extent)

        by_class = np.argsort(codes, kind="stable")
        starts = np.concatenate([[0], counts.cumsum()[:-1]])
        self.centroids = np.empty((self.n_features, self.n_classes))
        for block in self.blocks(np.arange(self.n_features), self.n_samples):
            columns = self.columns(block)[:, by_class]
            means = np.add.reduceat(columns, starts, axis=1) / counts
            # A second pass over what is left makes the mean of equal values that very value.
            columns -= np.repeat(means, counts, axis=1)
            self.centroids[block] = means + np.add.reduceat(columns, starts, axis=1) / counts

    def columns(self, features: NDArray[np.intp]) -> Floats:
        """Scaled columns, one per row: shape ``(len(features), n_samples)``."""
        columns = self._X[:, features].T.astype(np.float64, order="C")
        columns -= self._lower[features, None]
        if self._width is not None:
            columns /= self._width[features, None]
        return columns

    def offsets(self, features: NDArray[np.intp]) -> Floats:
        """Differences x_i − c_r: shape ``(len(features), n_samples, n_classes)``."""
        offsets = self.columns(features)[:, :, None] - self.centroids[features, None, :]
        offsets[np.abs(offsets) <= self.on_centroid[features, None, None]] = 0
        return offsets

    def centroid_gaps(self, features: NDArray[np.intp]) -> Floats:
        """Differences c_q − c_r: shape ``(len(features), n_classes, n_classes)``."""
        C = self.centroids[features]
        gaps = C[:, :, None] - C[:, None, :]
        gaps[np.abs(gaps) <= self.on_centroid[features, None, None]] = 0
        return gaps

    @staticmethod
    def blocks(features: NDArray[np.intp], per_feature: int) -> list[NDArray[np.intp]]:
        """Cut ``features`` so that a block takes ``BLOCK`` numbers, or is one feature."""
        size = max(1, BLOCK // per_feature)
        return [features[i : i + size] for i in range(0, len(features), size)]
