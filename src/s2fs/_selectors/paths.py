"""All greedy paths of a grid of weights at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from s2fs._core.criterion import PAPER_GRID, CentroidMembership, Compactness
from s2fs._core.problem import Scale
from s2fs._core.weights import ClassWeight
from s2fs._search.grid import forward_grid
from s2fs._selectors.s2fs import S2FS
from s2fs._util.types import Floats, HowMany


@dataclass(frozen=True)
class Paths:
    """The greedy paths of a grid of weights.

    Attributes
    ----------
    alphas, betas : ndarray
        The weights.
    indices : ndarray of shape (n_alphas, n_betas, n_features)
        The features in order of choice, for each pair of weights; -1 after the end of a path that
        ``max_correlation`` has left with fewer.
    scores : ndarray of shape (n_alphas, n_betas, n_features)
        Sep after each choice; NaN after the end of a path.
    """

    alphas: Floats
    betas: Floats
    indices: NDArray[np.intp]
    scores: Floats


def s2fs_paths(
    X: Any,
    y: Any,
    n_features: HowMany,
    alphas: Sequence[float] = PAPER_GRID,
    betas: Sequence[float] = PAPER_GRID,
    *,
    sample_weight: ArrayLike | None = None,
    covariates: Any = None,
    class_weight: ClassWeight = None,
    include: Iterable[str | int] | None = None,
    exclude: Iterable[str | int] | None = None,
    max_correlation: float | None = None,
    scale: Scale = "minmax",
    centroid_membership: CentroidMembership = "printed",
    compactness: Compactness = "mean",
    n_jobs: int | None = None,
) -> Paths:
    """Select features for every pair of a grid of weights, as fits of :class:`S2FS` would.

    The searches go in lockstep: pairs that have chosen the same features so far share one
    evaluation of all candidates, so the grid costs far less than its number of fits.

    Parameters
    ----------
    X : array-like, sparse array or data frame of shape (n_samples, n_features)
        Numeric features without missing values.
    y : array-like of shape (n_samples,)
        Class labels, at least two distinct ones.
    n_features : int, float or "all"
        Length of each path: a number, a fraction of the features in (0, 1], or all of them.
    alphas, betas : sequence of float, default=the grid of the paper
        The weights; every alpha is combined with every beta.
    sample_weight : array-like of shape (n_samples,), default=None
        As for :meth:`S2FS.fit`.
    covariates : array-like or data frame, default=None
        As for :meth:`S2FS.fit`.
    class_weight : "balanced" or dict, default=None
        As for :class:`S2FS`.
    include, exclude : sequence of str or int, default=None
        As for :class:`S2FS`.
    max_correlation : float, default=None
        As for :class:`S2FS`, for each path by itself.
    scale : {"minmax", None}, default="minmax"
        As for :class:`S2FS`.
    centroid_membership : {"printed", "normalized"}, default="printed"
        As for :class:`S2FS`.
    compactness : {"mean", "rms"}, default="mean"
        As for :class:`S2FS`.
    n_jobs : int, default=None
        As for :class:`S2FS`.

    Returns
    -------
    Paths
        ``indices`` and ``scores`` of shape ``(len(alphas), len(betas), n_features)``; a path that
        ends early is filled up with -1 and NaN.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import s2fs_paths
    >>> X, y = load_wine(return_X_y=True)
    >>> paths = s2fs_paths(X, y, 3, alphas=[0.0316, 1.0], betas=[0.0316])
    >>> paths.indices[:, 0].tolist()
    [[6, 0, 9], [6, 0, 9]]
    >>> paths.scores[:, 0].round(4).tolist()
    [[2.4267, 2.501, 2.4971], [0.4991, 1.0269, 1.2122]]
    """
    weights = [(alpha, beta) for alpha in alphas for beta in betas]
    if str(n_features) == "auto":
        raise ValueError(
            "n_features is 'auto'; the paths of a grid need one length, so give a number."
        )
    selector = S2FS(
        n_features,
        include=include,
        exclude=exclude,
        max_correlation=max_correlation,
        class_weight=class_weight,
        scale=scale,
        centroid_membership=centroid_membership,
        compactness=compactness,
        n_jobs=n_jobs,
    )
    for alpha, beta in weights:  # the checks are those of the estimator
        selector.set_params(alpha=alpha, beta=beta)._validate_params()
    samples, choices, k = selector._prepare(X, y, sample_weight, covariates)
    state = selector._state(samples.adjusted, samples.codes, samples.sample_weight)
    indices, scores = np.full((len(weights), k), -1), np.full((len(weights), k), np.nan)
    for row, steps in enumerate(forward_grid(state, k, weights, choices)):
        for pair, step in steps.items():
            indices[pair, row], scores[pair, row] = step.feature, step.score
    selector._warn_of_too_few(int((indices >= 0).sum(axis=1).min()), k)
    shape = len(alphas), len(betas), k
    return Paths(np.array(alphas), np.array(betas), indices.reshape(shape), scores.reshape(shape))
