"""The spatially-aware separability criterion, equation by equation.

Plain NumPy written for reading: it builds every difference vector explicitly and is the truth the
fast forms are tested against. Equation numbers are those of the S²FS paper (arXiv 2509.25841).
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_X_y

from s2fs._utils.labels import check_labels
from s2fs._utils.public import set_module
from s2fs._utils.types import Floats
from s2fs.criteria.weights import check_sample_weight

CentroidMembership = Literal["published", "normalized"]
Compactness = Literal["mean", "rms"]
Scale = Literal["standard", "minmax"] | None

#: A value nearer to a centroid than this share of its feature's range lies on the centroid: a mean
#: is only known up to rounding, and a direction made of rounding noise must not count.
#: For the same reason the mean distance from the centroids is never less than this share
#: of the widest range: a feature that is constant inside every class is very good, not infinitely.
ON_CENTROID = 1e-12
#: Sep of this size is reached only by features that are constant inside every class.
PERFECT = 1e9
#: Two quantities that differ by less than this, relatively, are equal: ties are then broken by
#: index, not by the order in which a sum happened to be taken.
EQUAL = 1e-10

#: The values of alpha and beta the paper searches.
PAPER_GRID = (0.0100, 0.0178, 0.0316, 0.0562, 0.1000, 0.1778, 0.3162, 0.5623, 1.0000)


@set_module("s2fs")
class Components(NamedTuple):
    """The four parts of the criterion: numbers for one subset, arrays for many.

    Attributes
    ----------
    theta_dis : float
        Compactness by distance (Eq. 7, or its root mean square), smaller is better. At least 1e-12
        of the range of the widest feature, which is what features that are constant inside every
        class have: the more their classes differ, the larger is their Sep.
    theta_dir : float
        Compactness by direction (Eq. 13), smaller is better.
    lambda_dis : float
        Separation by distance (Eq. 16), larger is better.
    lambda_dir : float
        Separation by direction (Eq. 21), larger is better.
    """

    theta_dis: Any
    theta_dir: Any
    lambda_dis: Any
    lambda_dir: Any

    def separability(self, alpha: float, beta: float) -> Any:
        """Sep (Eq. 23).

        Parameters
        ----------
        alpha, beta : float
            The weights of the two components of direction.

        Returns
        -------
        float or ndarray
            One number for each subset.
        """
        compactness = self.theta_dis + alpha * self.theta_dir
        return (self.lambda_dis + beta * self.lambda_dir) / compactness


@set_module("s2fs")
def components(
    X: ArrayLike,
    y: ArrayLike,
    *,
    centroid_membership: CentroidMembership = "published",
    compactness: Compactness = "mean",
    sample_weight: ArrayLike | None = None,
    scale: Scale = None,
) -> Components:
    """Compute the four components of the separability of classes ``y`` in the features ``X``.

    The features are taken as they are unless ``scale`` is given; :class:`S2FS` scales them.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples, restricted to the feature subset to score.
    y : array-like of shape (n_samples,)
        Class labels, at least two distinct ones.
    centroid_membership : {"published", "normalized"}, default="published"
        Which variant of Eq. 20 to use. The formula as published has a leading 1 in the denominator;
        without it the memberships sum to one, as the paper's text says.
    compactness : {"mean", "rms"}, default="mean"
        Whether theta_dis is the mean of the distances to the own centroid, as published, or their
        root mean square.
    sample_weight : array-like of shape (n_samples,), optional
        How much each sample counts in the centroids (Eq. 5) and in the means of Eqs. 7 and 13:
        weight 2 is two equal samples, weight 0 is none.
    scale : {"standard", "minmax", None}, default=None
        Divide every feature by its standard deviation or by its range first, or take it as it is.

    Returns
    -------
    Components
        Named tuple ``(theta_dis, theta_dir, lambda_dis, lambda_dir)``.

    Examples
    --------
    >>> from s2fs import components
    >>> X = [[0, 0], [1, 0], [0, 1], [4, 4], [5, 4], [4, 5], [0, 4], [1, 5], [1, 4]]
    >>> y = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    >>> parts = components(X, y)
    >>> round(parts.theta_dis, 4), round(parts.lambda_dis, 4)
    (0.654, 3.7824)
    """
    if centroid_membership not in ("published", "normalized"):
        raise ValueError(
            f"centroid_membership is {centroid_membership!r}; use 'published' or 'normalized'."
        )
    if compactness not in ("mean", "rms"):
        raise ValueError(f"compactness is {compactness!r}; use 'mean' or 'rms'.")
    values, labels = check_X_y(X, check_labels(y), dtype=np.float64)
    check_classification_targets(labels)
    omega = check_sample_weight(sample_weight, len(labels))
    values, labels, omega = values[omega > 0], labels[omega > 0], omega[omega > 0]
    values = scale_features(values, scale, omega)
    classes, own = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y has one class only ({classes[0]}); at least two are needed.")

    unit = _power_of_two(values)  # squares of very large or very small numbers leave the range
    values = values / unit
    values = values - values.min(axis=0)  # subtract the minimum first: avoids cancellation
    extent = values.max(axis=0)
    on_centroid = ON_CENTROID * extent
    members = [own == q for q in range(len(classes))]
    C = np.array([np.average(values[of_q], axis=0, weights=omega[of_q]) for of_q in members])
    theta_dis, theta_dir = _compactness(values, C, own, omega, on_centroid, compactness)
    lambda_dis, lambda_dir = _separation(C, on_centroid, centroid_membership)
    least = ON_CENTROID * (float(extent.max()) or 1 / unit)
    return Components(unit * max(theta_dis, least), theta_dir, unit * lambda_dis, lambda_dir)


def scale_features(values: Floats, scale: Scale, sample_weight: Floats) -> Floats:
    """Divide every feature by its standard deviation or its range; constant ones stay."""
    if scale not in ("standard", "minmax", None):
        raise ValueError(f"scale is {scale!r}; use 'standard', 'minmax' or None.")
    if scale is None:
        return values
    extent = values.max(axis=0) - values.min(axis=0)
    is_constant = extent == 0
    shares = (values - values.min(axis=0)) / np.where(is_constant, 1.0, extent)
    if scale == "minmax":
        return shares
    mean = np.average(shares, axis=0, weights=sample_weight)
    variance = np.average((shares - mean) ** 2, axis=0, weights=sample_weight)
    return shares / np.where(is_constant, 1.0, np.sqrt(variance))


def _power_of_two(values: Floats) -> float:
    """About the size of the widest feature; dividing by it rounds nothing."""
    extent = float((values.max(axis=0) / 2 - values.min(axis=0) / 2).max())
    if extent == 0:
        return 1.0
    _, exponent = np.frexp(extent)
    return float(np.ldexp(1.0, int(np.clip(exponent, -1000, 1000))))


@set_module("s2fs")
def separability(
    X: ArrayLike,
    y: ArrayLike,
    alpha: float = 0.0316,
    beta: float = 0.0316,
    *,
    centroid_membership: CentroidMembership = "published",
    compactness: Compactness = "mean",
    sample_weight: ArrayLike | None = None,
    scale: Scale = None,
) -> float:
    """Compute Sep, how far apart the classes are over how compact they are.

    ``Sep = (lambda_dis + beta * lambda_dir) / (theta_dis + alpha * theta_dir)`` (Eq. 23).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples, restricted to the feature subset to score.
    y : array-like of shape (n_samples,)
        Class labels, at least two distinct ones.
    alpha, beta : float, default=0.0316
        Weights of direction in compactness and in separation, not negative.
    centroid_membership : {"published", "normalized"}, default="published"
        Which variant of Eq. 20 to use, see :func:`components`.
    compactness : {"mean", "rms"}, default="mean"
        What theta_dis is of the distances, see :func:`components`.
    sample_weight : array-like of shape (n_samples,), optional
        How much each sample counts, see :func:`components`.
    scale : {"standard", "minmax", None}, default=None
        How the features are scaled first, see :func:`components`.

    Returns
    -------
    float
        The criterion; larger is better. Above 1e9 if every class is a single point and the classes
        differ, 0 if nothing differs.

    Examples
    --------
    >>> from s2fs import separability
    >>> X = [[0, 0], [1, 0], [0, 1], [4, 4], [5, 4], [4, 5], [0, 4], [1, 5], [1, 4]]
    >>> y = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    >>> round(separability(X, y, alpha=0.1, beta=0.2), 4)
    5.784
    """
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not (isinstance(value, int | float | np.number) and 0 <= value < np.inf):
            raise ValueError(f"{name} is {value!r}; give a finite number that is not negative.")
    parts = components(
        X,
        y,
        centroid_membership=centroid_membership,
        compactness=compactness,
        sample_weight=sample_weight,
        scale=scale,
    )
    return float(parts.separability(alpha, beta))


def nearest(distances: Floats) -> NDArray[np.intp]:
    """Index of the smallest entry along the last axis, the first one among equals.

    The diagonal of the caller's distance table must already be infinite.
    """
    smallest = distances.min(axis=-1, keepdims=True)
    return np.argmax(distances <= smallest * (1 + EQUAL), axis=-1)


def cosine(u: Floats, v: Floats) -> Floats:
    """Cosine along the last axis; 0 with a zero vector."""
    norms = np.linalg.norm(u, axis=-1) * np.linalg.norm(v, axis=-1)
    dot = (u * v).sum(axis=-1)
    return np.clip(np.divide(dot, norms, out=np.zeros_like(dot), where=norms > 0), -1, 1)


def memberships(distances: Floats) -> Floats:
    """Membership of each sample in each class by its distances to the centroids (Eq. 12).

    A sample on centroids belongs to those alone, in equal shares.
    """
    at_centroid = distances == 0
    touching = at_centroid.any(axis=1)
    shares = np.where(at_centroid, 1.0, 0.0)
    shares[~touching] = 1 / distances[~touching] ** 2
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _compactness(
    X: Floats,
    C: Floats,
    own: NDArray[np.intp],
    omega: Floats,
    on_centroid: Floats,
    compactness: Compactness,
) -> tuple[float, float]:
    """Θ_dis and Θ_dir (Eqs. 7 and 13)."""
    V = C[None, :, :] - X[:, None, :]  # V[i, q] = c_q − φ(x_i)
    V[np.abs(V) <= on_centroid] = 0
    distance = np.linalg.norm(V, axis=2)
    rows = np.arange(len(X))
    V_own, distance_own = V[rows, own], distance[rows, own]
    if compactness == "mean":
        theta_dis = np.average(distance_own, weights=omega)  # Eq. 7
    else:
        theta_dis = np.sqrt(np.average(distance_own**2, weights=omega))

    turned = memberships(distance) * (1 - cosine(V_own[:, None, :], V))
    turned[rows, own] = 0
    turned[distance_own == 0] = 0
    theta_dir = np.average(turned.sum(axis=1), weights=omega)  # Eq. 13
    return float(theta_dis), float(theta_dir)


def _separation(
    C: Floats, on_centroid: Floats, centroid_membership: CentroidMembership
) -> tuple[float, float]:
    """Λ_dis and Λ_dir (Eqs. 16 and 21)."""
    p = len(C)
    V = C[None, :, :] - C[:, None, :]  # V[q, r] = c_r − c_q
    V[np.abs(V) <= on_centroid] = 0
    distance = np.linalg.norm(V, axis=2)
    near = nearest(distance + np.diag(np.full(p, np.inf)))
    lambda_dis = distance[np.arange(p), near].mean()  # Eq. 16

    lambda_dir = 0.0
    for q in range(p):
        a = near[q]
        for r in set(range(p)) - {q, a}:
            # Eq. 20: membership of centroid a in class r
            ratios = [_ratio(distance[a, r], distance[a, s]) ** 2 for s in range(p) if s != a]
            membership = 1 / (sum(ratios) + (1 if centroid_membership == "published" else 0))
            if distance[q, a] > 0 and distance[q, r] > 0:  # a vector of length 0 tells no direction
                lambda_dir += membership * (1 - float(cosine(V[q, a], V[q, r])))
    return float(lambda_dis), float(lambda_dir / p)  # Eq. 21


def _ratio(a: float, b: float) -> float:
    """``a / b`` with 0/0 = 1 and a/0 = ∞."""
    if b > 0:
        return a / b
    return 1.0 if a == 0 else np.inf
