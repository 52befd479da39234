"""Selectors in wide use, as thin baselines: tests of single features, mRMR, weights of models."""

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax
from scipy.stats import rankdata
from sklearn.utils._param_validation import Interval

from s2fs._util.optional import need
from s2fs._util.types import Floats, HowMany, Indices
from s2fs.baselines.base import Baseline, Ranked
from s2fs.baselines.reference import ScoreRanker, f_statistics

#: The smallest redundancy that mRMR divides by, as in the package mrmr-selection.
_LEAST_REDUNDANCY = 1e-3
#: Each penalty of the L1 path over the one before, and the last one over the first.
_PENALTY_STEP, _LAST_PENALTY = 0.9, 0.01
#: No slope is off by more than this share of the penalty, unless that takes more steps than these.
_SLOPE_TOLERANCE, _MAX_STEPS = 1e-3, 500


class FisherScore(ScoreRanker):
    """Features by the variance of the class means over the variance within the classes.

    Status: {status}; the order is that of :class:`AnovaF`, on another scale.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        Their Fisher scores.
    {ranking_}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.baselines import FisherScore
    >>> X, y = load_iris(return_X_y=True)
    >>> FisherScore(n_features_to_select=4).fit(X, y).indices_
    array([2, 3, 0, 1])
    """

    citation: ClassVar[str] = (
        "R.O. Duda, P.E. Hart, D.G. Stork, Pattern Classification, 2nd edition, 2001"
    )

    def _feature_scores(self, X: Floats, codes: Indices) -> Floats:
        p, n = int(codes.max()) + 1, len(codes)
        # F is the Fisher score times a constant: (n - p) / (p - 1).
        return f_statistics(X, codes) * ((p - 1) / max(n - p, 1))


class _OneVsRest(Baseline):
    """Base of the rankers that test each class against the rest.

    Classes take turns: first the best feature of every class, then the second best, and so on.
    """

    status: ClassVar[str] = "wrapper"
    _ranks_all: ClassVar[bool] = True

    @abstractmethod
    def _statistics(self, X: Floats, codes: Indices) -> Floats:
        """How clearly each feature tells each class from the rest: classes × features."""

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        scores = self._statistics(X, codes)
        order = np.argsort(-scores, axis=1, kind="stable")
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.arange(X.shape[1])[None], axis=1)
        turn = rank.min(axis=0)
        score = np.where(rank == turn, scores, 0.0).max(axis=0)
        best = np.lexsort((-score, turn))[:k]
        return Ranked(best, score[best], k)


class OneVsRestT(_OneVsRest):
    """Features by Welch's t of each class against the rest; the classes take turns.

    Status: {status}; the statistic of scanpy's ``rank_genes_groups(method="t-test")``, without its
    sign. A feature that is constant in a class and in the rest counts as the best there is.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        The absolute t of each feature in the class it was chosen for.
    {ranking_}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.baselines import OneVsRestT
    >>> X, y = load_iris(return_X_y=True)
    >>> OneVsRestT(n_features_to_select=2).fit(X, y).indices_
    array([2, 3])
    """

    citation: ClassVar[str] = (
        "B.L. Welch, \"The generalization of Student's problem when several different population "
        'variances are involved", Biometrika 34, 1947; as in scanpy'
    )

    def _statistics(self, X: Floats, codes: Indices) -> Floats:
        scores = np.empty((int(codes.max()) + 1, X.shape[1]))
        for q in range(len(scores)):
            own, rest = X[codes == q], X[codes != q]
            gap = np.abs(own.mean(axis=0) - rest.mean(axis=0))
            # A class of one row has no variance of its own; that of the rest is all there is.
            error = sum(
                part.var(axis=0, ddof=1) / len(part) if len(part) > 1 else 0.0
                for part in (own, rest)
            )
            scores[q] = _ratio(gap, np.sqrt(error))
        return scores


class Wilcoxon(_OneVsRest):
    """Features by the rank sum of each class against the rest; the classes take turns.

    Status: {status}; the statistic of scanpy's ``rank_genes_groups(method="wilcoxon",
    tie_correct=True)``, without its sign.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        The absolute z of each feature in the class it was chosen for.
    {ranking_}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.baselines import Wilcoxon
    >>> X, y = load_iris(return_X_y=True)
    >>> Wilcoxon(n_features_to_select=3).fit(X, y).indices_
    array([3, 1, 2])
    """

    citation: ClassVar[str] = (
        'F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1, 1945; as '
        "in scanpy"
    )

    def _statistics(self, X: Floats, codes: Indices) -> Floats:
        n, size = len(codes), np.bincount(codes)[:, None]
        ranks = rankdata(X, axis=0)
        sums = np.array([ranks[codes == q].sum(axis=0) for q in range(len(size))])
        # The variance of ranks as they are, ties included, is what the correction for ties gives.
        variance = size * (n - size) / n * ranks.var(axis=0, ddof=1)
        return _ratio(np.abs(sums - size * (n + 1) / 2), np.sqrt(variance))


class MRMR(Baseline):
    """Features by relevance over redundancy, one after the other (mRMR).

    Status: {status}; the F statistic over the mean absolute correlation with the features chosen
    before, the form that the package mrmr-selection uses.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        The quotient of each feature when it was chosen; of the first its F.
    {ranking_}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.baselines import MRMR
    >>> X, y = load_iris(return_X_y=True)
    >>> MRMR(n_features_to_select=2).fit(X, y).indices_
    array([2, 3])
    """

    status: ClassVar[str] = "wrapper"
    citation: ClassVar[str] = (
        'C. Ding, H. Peng, "Minimum redundancy feature selection from microarray gene expression '
        'data", Journal of Bioinformatics and Computational Biology 3(2), 2005'
    )

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        # Perfect features have an infinite F, among which redundancy could not decide.
        relevance = f_statistics(X, codes)
        unit = X - X.mean(axis=0)
        unit /= np.linalg.norm(unit, axis=0)
        redundancy, free = np.zeros(X.shape[1]), np.ones(X.shape[1], dtype=bool)
        indices, scores = np.empty(k, dtype=np.intp), np.empty(k)
        score = relevance
        for step in range(k):
            f = int(np.argmax(np.where(free, score, -np.inf)))
            indices[step], scores[step], free[f] = f, score[f], False
            redundancy += np.abs(unit[:, f] @ unit)
            score = relevance / np.maximum(redundancy / (step + 1), _LEAST_REDUNDANCY)
        return Ranked(indices, scores, k)


class SVMRFE(Baseline):
    """Features by recursive elimination with a linear support vector machine (SVM-RFE).

    Status: {status}; scikit-learn's ``SVC(kernel="linear")``, one against one. The features with
    the smallest sums of squared weights are dropped, and the machine is trained again on the rest.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    C : float, default=1.0
        The penalty of the machine.
    step : float, default=0.2
        The share of the features left that is dropped at once, at least one.

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        For each feature the number of times it was kept.
    {ranking_}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.baselines import SVMRFE
    >>> X, y = load_iris(return_X_y=True)
    >>> SVMRFE(n_features_to_select=2).fit(X, y).indices_
    array([3, 2])
    """

    status: ClassVar[str] = "wrapper"
    citation: ClassVar[str] = (
        'I. Guyon, J. Weston, S. Barnhill, V. Vapnik, "Gene selection for cancer classification '
        'using support vector machines", Machine Learning 46, 2002; with scikit-learn'
    )
    _ranks_all: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "step": [Interval(Real, 0, 1, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: HowMany = 10,
        *,
        max_correlation: float | None = None,
        C: float = 1.0,
        step: float = 0.2,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.C = C
        self.step = step

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        from sklearn.svm import SVC

        left = np.arange(X.shape[1])
        dropped: list[Indices] = []
        rounds: list[Floats] = []
        while len(left):
            machine = SVC(C=self.C, kernel="linear").fit(np.ascontiguousarray(X[:, left]), codes)
            weight = np.square(machine.coef_).sum(axis=0)
            n_dropped = max(1, int(self.step * len(left)))
            # Of equal weights the larger index goes first.
            worst_first = np.lexsort((-left, weight))
            dropped.append(left[worst_first[:n_dropped]])
            rounds.append(np.full(n_dropped, float(len(rounds))))
            left = np.sort(left[worst_first[n_dropped:]])
        best_first = np.concatenate(dropped)[::-1][:k]
        return Ranked(best_first, np.concatenate(rounds)[::-1][:k], k)


class L1Logistic(Baseline):
    """Features in the order in which they enter an L1-penalised logistic regression.

    Status: {status}; a multinomial model on standardised features, whose penalty is loosened in
    steps of a tenth, from the largest that matters to a hundredth of it. A feature enters when it
    has a weight for some class; of those that enter together the largest weight goes first. What
    never enters follows in the order of the slopes at the last penalty.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        The penalty at which each feature entered, as a share of the largest that matters.
    {ranking_}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.baselines import L1Logistic
    >>> X, y = load_iris(return_X_y=True)
    >>> L1Logistic(n_features_to_select=2).fit(X, y).indices_
    array([2, 3])
    """

    status: ClassVar[str] = "wrapper"
    citation: ClassVar[str] = (
        'J. Friedman, T. Hastie, R. Tibshirani, "Regularization paths for generalized linear '
        'models via coordinate descent", Journal of Statistical Software 33(1), 2010'
    )

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        Y = np.eye(int(codes.max()) + 1)[codes]
        m, (n, p) = X.shape[1], Y.shape
        intercept, weights = np.log(Y.mean(axis=0)), np.zeros((m, p))
        slope = X.T @ (Y.mean(axis=0) - Y) / n
        largest = penalty = float(np.abs(slope).max())
        entered = np.zeros(m, dtype=bool)
        indices, scores = np.empty(0, dtype=np.intp), np.empty(0)
        while len(indices) < k and penalty > _LAST_PENALTY * largest > 0:
            previous, penalty = penalty, penalty * _PENALTY_STEP
            # Only features whose slope may reach the penalty take part (the strong rule), and what
            # it wrongly left out joins.
            used = (np.abs(slope).max(axis=1) >= 2 * penalty - previous) | (weights != 0).any(
                axis=1
            )
            while True:
                solution = _solve(X[:, used], Y, penalty, intercept, weights[used])
                intercept, weights[used] = solution
                slope = X.T @ (softmax(X[:, used] @ weights[used] + intercept, axis=1) - Y) / n
                violated = (np.abs(slope).max(axis=1) > penalty * (1 + _SLOPE_TOLERANCE)) & ~used
                if not violated.any():
                    break
                used |= violated
            weight = np.abs(weights).max(axis=1)
            new = np.flatnonzero((weight > 0) & ~entered)
            new = new[np.argsort(-weight[new], kind="stable")]
            entered[new] = True
            indices = np.append(indices, new)
            scores = np.append(scores, np.full(len(new), penalty / largest))
        steepness = np.abs(slope).max(axis=1) / (largest or 1.0)
        rest = np.flatnonzero(~entered)
        rest = rest[np.argsort(-steepness[rest], kind="stable")]
        indices = np.append(indices, rest)[:k]
        return Ranked(indices, np.append(scores, steepness[rest])[:k], k)


class RandomForestImportance(ScoreRanker):
    """Features by how much they lower the impurity in the trees of a random forest.

    Status: {status}; scikit-learn's ``RandomForestClassifier``.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    n_estimators : int, default=300
        The number of trees.
    random_state : int, RandomState instance or None, default=None
        Seed of the forest; give a number for the same ranking each time.

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        Their importances, which sum to 1 over all features.
    {ranking_}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.baselines import RandomForestImportance
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestImportance(n_features_to_select=2, n_estimators=50, random_state=0)
    >>> sorted(forest.fit(X, y).indices_.tolist())
    [2, 3]
    """

    citation: ClassVar[str] = (
        'L. Breiman, "Random forests", Machine Learning 45, 2001; as in scikit-learn'
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select: HowMany = 10,
        *,
        max_correlation: float | None = None,
        n_estimators: int = 300,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _feature_scores(self, X: Floats, codes: Indices) -> Floats:
        from sklearn.ensemble import RandomForestClassifier

        forest = RandomForestClassifier(self.n_estimators, random_state=self.random_state)
        return np.asarray(forest.fit(X, codes).feature_importances_)


class FastCan(Baseline):
    """Features by the canonical correlation of the set with the classes, one after the other.

    Status: {status}; the package fastcan (extra ``fastcan``) on one indicator per class. With
    one feature less than rows everything is explained; the others follow by their F statistic,
    with the score 0.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        How much each feature adds to the sum of squared canonical correlations.
    {ranking_}
    """

    status: ClassVar[str] = "wrapper"
    citation: ClassVar[str] = (
        'S. Zhang, Z.Q. Lang, "Orthogonal least squares based fast feature selection for linear '
        'classification", Pattern Recognition 123, 2022; as in fastcan'
    )

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        fastcan = need("fastcan", extra="fastcan", purpose="FastCan")
        # Centred rows span one dimension less than there are: beyond it, it ranks rounding errors.
        n_explained = min(k, len(X) - 1)
        indicators = np.eye(int(codes.max()) + 1)[codes]
        indices, scores = np.empty(0, dtype=np.intp), np.empty(0)
        while n_explained:
            try:
                found = fastcan.FastCan(n_explained, verbose=0).fit(X, indicators)
                indices, scores = np.asarray(found.indices_, dtype=np.intp), found.scores_
                break
            except RuntimeError:  # columns that follow from others, or add nothing: it gives up
                rank = int(np.linalg.matrix_rank(X - X.mean(axis=0)))
                n_explained = min(n_explained - 1, rank)
        by_relevance = np.argsort(-f_statistics(X, codes), kind="stable")
        rest = by_relevance[~np.isin(by_relevance, indices)][: k - n_explained]
        return Ranked(np.append(indices, rest), np.append(scores, np.zeros(len(rest))), n_explained)


def _solve(
    X: Floats, Y: Floats, penalty: float, intercept: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """Intercepts and weights at one penalty, by accelerated proximal steps (FISTA)."""
    n = len(X)
    # The intercepts are the weights of a column of ones, without a penalty.
    X = np.column_stack([np.ones(n), X])
    here = np.vstack([intercept, weights])
    threshold = np.full((len(here), 1), penalty)
    threshold[0] = 0.0
    # A step of one over the largest curvature is safe; softmax has at most half that of a square.
    rate = 2 * n / np.linalg.eigvalsh(X @ X.T if n < X.shape[1] else X.T @ X)[-1]
    ahead, momentum = here, 1.0
    for _ in range(_MAX_STEPS):
        target = ahead - rate * (X.T @ (softmax(X @ ahead, axis=1) - Y) / n)
        new = np.sign(target) * np.maximum(np.abs(target) - rate * threshold, 0)
        change = new - ahead
        if np.abs(change).max() <= rate * _SLOPE_TOLERANCE * penalty:
            here = new
            break
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        pull = (momentum - 1) / following
        if (change * (new - here)).sum() < 0:  # momentum that leads uphill is dropped
            following, pull = 1.0, 0.0
        ahead = new + pull * (new - here)
        here, momentum = new, following
    return here[0], here[1:]


def _ratio(above: Floats, below: Floats) -> Floats:
    """A quotient that is 0 where both parts are, and the largest number where only one is."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.nan_to_num(above / below, nan=0.0, posinf=np.finfo(np.float64).max)
