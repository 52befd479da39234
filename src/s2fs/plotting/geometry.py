"""Where the classes are: means, distances, directions and memberships, and who stands out."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.preprocessing import minmax_scale

from s2fs._native.class_moments import compute_class_moments
from s2fs._utils.labels import are_numbers
from s2fs._utils.messages import join_words
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.problem import blocks
from s2fs.criteria.separability import cosine, memberships, nearest
from s2fs.evaluation.samples import take_columns

#: More classes than this are not all named beside a feature.
MOST_NAMED = 4


class StandsOut(NamedTuple):
    """Which classes a feature is high or low in, by ranks: one sample cannot turn it round.

    Attributes
    ----------
    members : ndarray of bool, shape (n_features, n_classes)
        The classes on the smaller side of the split; of equal sides the upper one.
    high : ndarray of bool, shape (n_features,)
        Whether the feature is high in them, or low.
    class_ : ndarray of int, shape (n_features,)
        The class among them that is furthest from the others.
    auc : ndarray of shape (n_features,)
        The chance that a sample of the upper side has the larger value, averaged over the pairs of
        classes; 0.5 says nothing, 1 never fails.
    """

    members: NDArray[np.bool_]
    high: NDArray[np.bool_]
    class_: Indices
    auc: Floats

    def in_words(self, feature: int, class_names: Sequence[str]) -> str:
        """Return ``high in BL``, ``low in classes 0 and 2``, or how many if there are many."""
        word = "high" if self.high[feature] else "low"
        named = [str(class_names[int(q)]) for q in np.flatnonzero(self.members[feature])]
        if len(named) > MOST_NAMED:
            return f"{word} in {len(named)} of {len(class_names)} classes"
        noun = ""
        if are_numbers(class_names):
            noun = "class " if len(named) == 1 else "classes "
        return f"{word} in {noun}{join_words(named)}"


def class_means(X: Floats, codes: Indices) -> Floats:
    """The mean of each class in each feature."""
    return compute_class_moments(X, codes, int(codes.max()) + 1).means


def stands_out(X: Floats, codes: Indices) -> StandsOut:
    """Split the classes of every feature where the values of both sides overlap least.

    The classes are put in order by how often their samples have the larger value, and cut where
    the mean AUC of the pairs of classes across the cut is largest.
    """
    p = int(codes.max()) + 1
    members, high, extreme, auc = [], [], [], []
    for column in X.T:
        wins = pairwise_auc(column, codes)
        order = np.argsort(wins.sum(axis=1), kind="stable")  # low classes first
        across = [wins[np.ix_(order[cut:], order[:cut])].mean() for cut in range(1, p)]
        cut = 1 + int(np.argmax(np.round(across, 12)))
        is_high = p - cut <= cut
        side = order[cut:] if is_high else order[:cut]
        members.append(np.isin(np.arange(p), side))
        high.append(is_high)
        extreme.append(order[-1] if is_high else order[0])
        auc.append(across[cut - 1])
    return StandsOut(
        np.array(members, dtype=bool).reshape(-1, p),
        np.array(high, dtype=bool),
        np.array(extreme, dtype=np.intp),
        np.array(auc, dtype=np.float64),
    )


def pairwise_auc(values: Floats, codes: Indices) -> Floats:
    """For classes a and b the chance that a sample of a has the larger value; ties count half."""
    p = int(codes.max()) + 1
    levels, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place * p + codes, minlength=len(levels) * p).reshape(-1, p)
    below = np.cumsum(counts, axis=0) - counts  # per level and class
    sizes = counts.sum(axis=0)
    wins = counts.T @ (below + counts / 2)
    return wins / np.maximum(np.outer(sizes, sizes), 1)


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
