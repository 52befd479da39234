"""Where the classes are: means, distances, directions and memberships, and who stands out."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from s2fs._core.criterion import cosine, memberships, nearest
from s2fs._util.types import Floats, Indices


class StandsOut(NamedTuple):
    """In which class each feature stands out, and whether it is high there or low."""

    class_: Indices
    high: NDArray[np.bool_]


def class_means(X: Floats, codes: Indices) -> Floats:
    """The mean of each class in each feature."""
    return np.array([X[codes == q].mean(axis=0) for q in range(int(codes.max()) + 1)])


def stands_out(X: Floats, codes: Indices) -> StandsOut:
    """Find the class whose mean is furthest above the next, or below; of equal gaps the upper."""
    means = class_means(X, codes)
    order = np.argsort(means, axis=0, kind="stable")
    ordered = np.sort(means, axis=0)
    high = ordered[-1] - ordered[-2] >= ordered[1] - ordered[0]
    return StandsOut(np.where(high, order[-1], order[0]), high)


def pair_distances(X: Floats, codes: Indices) -> Floats:
    """Distance of every two class means in each feature, in units of the spread inside the classes.

    0 for a feature that is constant; infinite where classes differ without any spread.
    """
    means = class_means(X, codes)
    freedom = max(1, len(X) - len(means))
    spread = np.sqrt(((X - means[codes]) ** 2).sum(axis=0) / freedom)
    apart = np.abs(means[:, None] - means[None])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(apart > 0, apart / spread, 0.0)


class ClassGeometry(NamedTuple):
    """Where the classes are and how the instances lie between them.

    Attributes
    ----------
    centroids : ndarray of shape (n_classes, n_features)
        The mean of each class.
    distances : ndarray of shape (n_classes, n_classes)
        How far the centroids are apart.
    near : ndarray of shape (n_classes,)
        For each class the one with the nearest centroid.
    cosines : ndarray of shape (n_classes, n_classes)
        For class q and r the cosine between the directions from the centroid of q to the nearest
        other one and to that of r; NaN for q itself.
    spread : ndarray of shape (n_classes,)
        Mean distance of the members of each class to its centroid.
    memberships : ndarray of shape (n_samples, n_classes)
        Fuzzy membership of each instance in each class (Eq. 12).
    codes : ndarray of shape (n_samples,)
        The class of each instance.
    """

    centroids: Floats
    distances: Floats
    near: Indices
    cosines: Floats
    spread: Floats
    memberships: Floats
    codes: Indices

    @property
    def separation(self) -> Floats:
        """Distance of each two centroids over the mean spread of the two classes."""
        tightness = (self.spread[:, None] + self.spread[None, :]) / 2
        apart = np.where(self.distances > 0, np.inf, 0.0)
        return np.divide(self.distances, tightness, out=apart, where=tightness > 0)

    @property
    def own_share(self) -> Floats:
        """Membership in the own class over that in the own and the strongest other one.

        Below one half, an instance is nearer to the centroid of another class.
        """
        rows = np.arange(len(self.codes))
        own = self.memberships[rows, self.codes]
        total = own + self.memberships[rows, self.nearest_other]
        return np.divide(own, total, out=np.zeros_like(own), where=total > 0)

    @property
    def nearest_other(self) -> Indices:
        """For each instance the class other than its own with the largest membership."""
        others = self.memberships.copy()
        others[np.arange(len(self.codes)), self.codes] = -1
        return others.argmax(axis=1)


def class_geometry(X: ArrayLike, y: ArrayLike) -> ClassGeometry:
    """Measure the classes in given features.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The instances in the features to look at; not scaled here.
    y : array-like of shape (n_samples,)
        Class labels, at least two distinct ones.

    Returns
    -------
    ClassGeometry
        Arrays with the classes in sorted order.

    Examples
    --------
    >>> from s2fs.plotting import class_geometry
    >>> geometry = class_geometry([[0, 0], [0, 2], [4, 0], [4, 2]], ["a", "a", "b", "b"])
    >>> geometry.distances[0, 1], geometry.separation[0, 1]
    (np.float64(4.0), np.float64(4.0))
    >>> geometry.memberships[0].round(3)
    array([0.944, 0.056])
    """
    values = np.asarray(X, dtype=np.float64)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    p = len(classes)
    if p < 2:
        raise ValueError("y has one class only; at least two are needed.")
    C = class_means(values, codes)
    D = np.array([np.linalg.norm(values - c, axis=1) for c in C]).T
    distances = np.array([np.linalg.norm(C - c, axis=1) for c in C])
    near = nearest(distances + np.diag(np.full(p, np.inf)))

    # One class at a time: all differences at once would be classes × classes × features.
    cosines = np.array([cosine(C[near[q]] - C[q], C - C[q]) for q in range(p)])
    rows = np.arange(p)  # the direction to the nearest is its own measure, free of rounding
    cosines[rows, near] = np.where(distances[rows, near] > 0, 1, 0)
    np.fill_diagonal(cosines, np.nan)

    spread = np.array([D[codes == q, q].mean() for q in range(p)])
    return ClassGeometry(C, distances, near, cosines, spread, memberships(D), codes)
