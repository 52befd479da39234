"""Reference rankers for comparison: chance, and well-known scores of single features."""

from abc import abstractmethod
from collections.abc import Iterable
from numbers import Integral
from typing import Any, ClassVar, cast

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from s2fs._native.class_moments import compute_class_moments
from s2fs._utils.types import Floats, HowMany, Indices
from s2fs.baselines.base import Baseline, Ranked, ScaledColumns
from s2fs.criteria.class_moments import ClassMoments, squares_between

#: Two ways to compute F differ by less than this share of it.
_ROUNDING = 1e-8
#: What is left within the classes of a feature with a larger F is rounding.
MOST_CERTAIN_F = 1e7


class ScoreRanker(Baseline):
    """Base of the rankers that sort features by a score of each alone.

    A subclass implements :meth:`_feature_scores`. Nothing stops early: ``peak_`` is the number of
    ranked features that are not constant.
    """

    status: ClassVar[str] = "wrapper"
    _ranks_all: ClassVar[bool] = True

    @abstractmethod
    def _feature_scores(self, X: Floats, codes: Indices) -> Floats:
        """Score every feature; larger is better."""

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        scores = self._feature_scores(X, codes)
        best = np.argsort(-scores, kind="stable")[:k]
        return Ranked(best, scores[best], k)


class RandomOrder(ScoreRanker):
    """Features in random order: what a selector must beat.

    Status: {status}; there is nothing to it.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}
    random_state : int, RandomState instance or None, default=None
        Seed of the order; give a number for the same order each time.

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        Random numbers in descending order.
    {ranking_}

    Examples
    --------
    >>> from s2fs.baselines.reference import RandomOrder
    >>> X = [[0, 1, 2, 3], [1, 2, 3, 5]]
    >>> selector = RandomOrder(n_features_to_select=4, random_state=0).fit(X, [0, 1])
    >>> sorted(selector.indices_.tolist())
    [0, 1, 2, 3]
    """

    citation: ClassVar[str] = "None: chance"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select: HowMany = 10,
        *,
        max_correlation: float | None = None,
        feature_groups: Iterable[Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups
        self.random_state = random_state

    def _feature_scores(self, X: Floats, codes: Indices) -> Floats:
        return np.asarray(check_random_state(self.random_state).uniform(size=X.shape[1]))


class AnovaF(ScoreRanker):
    """Features by the F statistic of a one-way analysis of variance.

    Status: {status}; scikit-learn's ``f_classif``. A feature that is constant within every class
    scores 1e100.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        Their F statistics.
    {ranking_}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.baselines.reference import AnovaF
    >>> X, y = load_iris(return_X_y=True)
    >>> AnovaF(n_features_to_select=4).fit(X, y).indices_
    array([2, 3, 0, 1])
    """

    _accept_sparse: ClassVar[str | bool] = "csc"
    citation: ClassVar[str] = (
        "R.A. Fisher, Statistical Methods for Research Workers, 1925; as in scikit-learn"
    )

    def _feature_scores(self, X: Floats, codes: Indices) -> Floats:
        return f_statistics(X, codes)

    def _make_table(self, X: Any, codes: Indices) -> ScaledColumns:
        return _MeasuredColumns(X, compute_class_moments(X, codes, int(codes.max()) + 1))

    def _rank_columns(self, table: ScaledColumns, codes: Indices, k: int) -> Ranked:
        """Rank by the last digits of ``f_classif`` those alone that can be among the first.

        It copies what it is given several times, and few features are asked for.
        """
        screened = _screen_f_statistics(cast(_MeasuredColumns, table).moments)[table.varying]
        if not np.isfinite(screened).all():  # squares have overflowed, or there is no F
            return super()._rank_columns(table, codes, k)
        least = np.partition(screened, -k)[-k] * (1 - _ROUNDING)
        candidates = np.flatnonzero(screened >= least)
        ranked = self._rank_varying(table.scaled(candidates), codes, k)
        others = np.delete(screened, candidates)
        if others.max(initial=-np.inf) > ranked.scores[-1] * (1 - _ROUNDING):
            return super()._rank_columns(table, codes, k)
        return ranked._replace(indices=candidates[ranked.indices])


class _MeasuredColumns(ScaledColumns):
    """Columns with their class moments: one pass over the table also knows their ranges."""

    def __init__(self, X: Any, moments: ClassMoments) -> None:
        super().__init__(X, (moments.lower, moments.upper))
        self.moments = moments


def _screen_f_statistics(moments: ClassMoments) -> Floats:
    """The F statistics from class moments, up to rounding; 1e100 where this may decide."""
    scores = compute_f_statistics(moments)
    return np.where(scores > MOST_CERTAIN_F, 1e100, scores)


def compute_f_statistics(moments: ClassMoments) -> Floats:
    """The F statistic of each feature, NaN where every class has a single sample."""
    n_classes, n = (moments.counts > 0).sum(axis=0), moments.counts.sum(axis=0)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        between = squares_between(moments) / np.maximum(n_classes - 1, 1)
        within = moments.within_squares / (n - n_classes)
        scores = np.where(n > n_classes, between / within, np.nan)
    return np.asarray(scores)


def f_statistics(X: Floats, codes: Indices) -> Floats:
    """The F statistic of each feature; 1e100 where no class varies."""
    # Zero variance within all classes is a division by zero: the best there can be. As many
    # classes as samples leave no degree of freedom: nothing can be said.
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = f_classif(X, codes)[0]
    return np.minimum(np.nan_to_num(scores, nan=0.0), 1e100)


class MutualInformation(ScoreRanker):
    """Features by their mutual information with the label, estimated from nearest neighbours.

    Status: {status}; scikit-learn's ``mutual_info_classif``.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}
    n_neighbors : int, default=3
        Neighbours of the estimate.
    random_state : int, RandomState instance or None, default=None
        Seed of the small noise that breaks equal values; give a number for the same ranking each
        time.

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        Their mutual information with the label, in nats.
    {ranking_}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.baselines.reference import MutualInformation
    >>> X, y = load_iris(return_X_y=True)
    >>> MutualInformation(n_features_to_select=2, random_state=0).fit(X, y).get_support()
    array([False, False,  True,  True])
    """

    citation: ClassVar[str] = (
        'B.C. Ross, "Mutual Information between Discrete and Continuous Data Sets", PLoS ONE 9(2), '
        "2014; as in scikit-learn"
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select: HowMany = 10,
        *,
        max_correlation: float | None = None,
        feature_groups: Iterable[Any] | None = None,
        n_neighbors: int = 3,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def _feature_scores(self, X: Floats, codes: Indices) -> Floats:
        if np.bincount(codes).max() < 2:
            raise ValueError(
                "y has no class with two samples, so there are no neighbours to estimate mutual "
                "information from; merge classes."
            )
        scores = mutual_info_classif(
            X, codes, n_neighbors=self.n_neighbors, random_state=self.random_state
        )
        return np.asarray(scores)


class ReliefF(ScoreRanker):
    """Features by how they differ between near samples of other classes and of the same.

    Status: {status}; written here, and compared with scikit-rebate. Differences count in units of
    a feature's range, and misses of a class by its share of the samples of other classes.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}
    n_neighbors : int, default=10
        Neighbours of each sample per class; all where a class has fewer.

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        Their weights.
    {ranking_}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.baselines.reference import ReliefF
    >>> X, y = load_iris(return_X_y=True)
    >>> ReliefF(n_features_to_select=2).fit(X, y).get_support()
    array([False, False,  True,  True])
    """

    status: ClassVar[str] = "confirmed"
    citation: ClassVar[str] = (
        'I. Kononenko, "Estimating attributes: Analysis and extensions of RELIEF", ECML 1994'
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: HowMany = 10,
        *,
        max_correlation: float | None = None,
        feature_groups: Iterable[Any] | None = None,
        n_neighbors: int = 10,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups
        self.n_neighbors = n_neighbors

    def _feature_scores(self, X: Floats, codes: Indices) -> Floats:
        X = np.ascontiguousarray(X)
        distances = squareform(pdist(X, "cityblock"))
        np.fill_diagonal(distances, np.inf)  # a sample is no neighbour of itself
        members = [np.flatnonzero(codes == q) for q in range(int(codes.max()) + 1)]
        scores = np.zeros(X.shape[1])
        for i, own in enumerate(codes):
            for q, of_class in enumerate(members):
                k = min(self.n_neighbors, len(of_class) - (q == own))
                if k == 0:  # the only sample of its class has no hits
                    continue
                near = of_class[np.argsort(distances[i, of_class], kind="stable")[:k]]
                share = -1.0 if q == own else len(of_class) / (len(codes) - len(members[own]))
                scores += share / k * np.abs(X[near] - X[i]).sum(axis=0)
        return scores / len(codes)
