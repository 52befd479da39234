"""Where the classes are: means, distances, directions and memberships."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.preprocessing import minmax_scale

from s2fs._native.class_moments import compute_class_moments
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.problem import blocks
from s2fs.criteria.separability import cosine, memberships, nearest
from s2fs.evaluation.samples import take_columns


def class_means(X: Floats, codes: Indices) -> Floats:
    """The mean of each class in each feature."""
    return compute_class_moments(X, codes, int(codes.max()) + 1).means


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
    """Where the classes are and how the samples lie between them.

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
        Fuzzy membership of each sample in each class (Eq. 12).
    codes : ndarray of shape (n_samples,)
        The class of each sample.
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
        return _relative_distances(self.distances, self.spread)

    @property
    def own_share(self) -> Floats:
        """Membership in the own class over that in the own and the strongest other one.

        Below one half, a sample is nearer to the centroid of another class.
        """
        rows = np.arange(len(self.codes))
        own = self.memberships[rows, self.codes]
        total = own + self.memberships[rows, self.nearest_other]
        return np.divide(own, total, out=np.zeros_like(own), where=total > 0)

    @property
    def nearest_other(self) -> Indices:
        """For each sample the class other than its own with the largest membership."""
        others = self.memberships.copy()
        others[np.arange(len(self.codes)), self.codes] = -1
        return others.argmax(axis=1)


def _relative_distances(distances: Floats, spread: Floats) -> Floats:
    tightness = (spread[:, None] + spread[None, :]) / 2
    apart = np.where(distances > 0, np.inf, 0.0)
    return np.divide(distances, tightness, out=apart, where=tightness > 0)


def scaled_separation(values: Any, codes: Indices) -> Floats:
    """The separation of every two classes by features scaled to [0, 1], a few of them at a time.

    Parameters
    ----------
    values : ndarray or csc_array of shape (n_samples, n_features)
        The table, complete and not scaled.
    codes : ndarray of shape (n_samples,)
        The class of each sample as 0, 1, …

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        As ``class_geometry(minmax_scale(values), codes).separation``, without copies of the table.
    """
    n, m = values.shape
    p = int(codes.max()) + 1
    squares, own_squares = np.zeros((p, p)), np.zeros(n)
    for columns in blocks(np.arange(m), max(n, p * p)):
        part = minmax_scale(take_columns(values, None, columns))
        centroids = class_means(part, codes)
        squares += ((centroids[:, None] - centroids[None]) ** 2).sum(axis=2)
        part -= centroids[codes]
        own_squares += np.einsum("ij,ij->i", part, part)
    own = np.sqrt(own_squares)
    spread = np.array([own[codes == q].mean() for q in range(p)])
    return _relative_distances(np.sqrt(squares), spread)


def class_geometry(X: ArrayLike, y: ArrayLike) -> ClassGeometry:
    """Measure the classes in given features.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples in the features to look at; not scaled here.
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
