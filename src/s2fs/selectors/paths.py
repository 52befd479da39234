"""All greedy paths of a grid of weightings at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from s2fs._utils.docstrings import substitute
from s2fs._utils.public import set_module
from s2fs._utils.types import Floats, HowMany
from s2fs.criteria.separability import PAPER_GRID, CentroidMembership, Compactness, Scale
from s2fs.criteria.weights import ClassWeight
from s2fs.search.grid import forward_grid
from s2fs.selectors.base import check_parameters
from s2fs.selectors.s2fs import S2FS
from s2fs.selectors.search_selector import prepare_search
from s2fs.selectors.shared_docs import SHARED_DOCS


@set_module("s2fs")
@dataclass(frozen=True)
class Paths:
    """The greedy paths of a grid of weightings.

    Attributes
    ----------
    alphas, betas : ndarray
        The weights.
    indices : ndarray of shape (n_alphas, n_betas, n_features)
        The features in order of selection, for each weighting; -1 after the end of a path that
        ``max_correlation`` has left with fewer.
    scores : ndarray of shape (n_alphas, n_betas, n_features)
        Sep after each selection; NaN after the end of a path.
    """

    alphas: Floats
    betas: Floats
    indices: NDArray[np.intp]
    scores: Floats


@set_module("s2fs")
@substitute(SHARED_DOCS)
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
    scale: Scale = "standard",
    centroid_membership: CentroidMembership = "published",
    compactness: Compactness = "mean",
    n_jobs: int | None = None,
) -> Paths:
    """Select features for every weighting of a grid, as fits of :class:`S2FS` would.

    The searches go in lockstep: weightings that have selected the same features so far share one
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
    scale : {"standard", "minmax", None}, default="standard"
        As for :class:`S2FS`.
    {centroid_membership}
    {compactness}
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
    [[2.6694, 2.5738, 2.5164], [1.4041, 1.956, 2.0522]]
    """
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
    return find_paths(selector, X, y, alphas, betas, sample_weight, covariates)


def find_paths(
    selector: S2FS,
    X: Any,
    y: Any,
    alphas: Sequence[float],
    betas: Sequence[float],
    sample_weight: Any = None,
    covariates: Any = None,
    *,
    warn: bool = True,
) -> Paths:
    """The paths of a selector for every weighting of a grid in place of its own."""
    if selector.n_features_to_select == "auto":
        raise ValueError(
            "n_features is 'auto'; the paths of a grid need one length, so give a number."
        )
    weightings = [(alpha, beta) for alpha in alphas for beta in betas]
    for name, weights in (("alpha", alphas), ("beta", betas)):
        for weight in weights:  # the checks are those of the estimator
            check_parameters(selector.set_params(**{name: weight}))
    with prepare_search(selector, X, y, sample_weight, covariates) as search:
        k = search.k
        shape = len(weightings), k
        indices, scores = np.full(shape, -1), np.full(shape, np.nan)
        state = search.make_criterion().state
        for row, steps in enumerate(forward_grid(state, k, weightings, search.constraints)):
            for w, step in steps.items():
                indices[w, row], scores[w, row] = step.feature, step.score
    if warn:
        search.warn_if_short(int((indices >= 0).sum(axis=1).min()))
    grid = len(alphas), len(betas), k
    return Paths(np.array(alphas), np.array(betas), indices.reshape(grid), scores.reshape(grid))
