"""Selectors in wide use, as thin baselines: tests of single features, mRMR, weights of models."""

import warnings
from abc import abstractmethod
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.stats import rankdata
from sklearn.utils._param_validation import Interval

from s2fs._native.correlations import OverallCorrelations
from s2fs._utils.optional import need
from s2fs._utils.types import Floats, HowMany, Indices
from s2fs.baselines.base import Baseline, Ranked
from s2fs.baselines.reference import ScoreRanker, f_statistics

#: The smallest redundancy that mRMR divides by, as in the package mrmr-selection.
_LEAST_REDUNDANCY = 1e-3
#: Each penalty of the lasso's path over the one before, and the last one over the first.
_PENALTY_STEP, _LAST_PENALTY = 0.9, 0.01


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
    {feature_groups}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        The absolute t of each feature in the class it was selected for.
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
            error = np.zeros(X.shape[1])
            for part in (own, rest):
                if len(part) > 1:  # a class of one sample has no variance of its own
                    error += part.var(axis=0, ddof=1) / len(part)
            scores[q] = _divide(gap, np.sqrt(error))
        return scores


class Wilcoxon(_OneVsRest):
    """Features by the rank sum of each class against the rest; the classes take turns.

    Status: {status}; the statistic of scanpy's ``rank_genes_groups(method="wilcoxon",
    tie_correct=True)``, without its sign.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        The absolute z of each feature in the class it was selected for.
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
        return _divide(np.abs(sums - size * (n + 1) / 2), np.sqrt(variance))


class MRMR(Baseline):
    """Features by relevance over redundancy, one after the other (mRMR).

    Status: {status}; the F statistic over the mean absolute correlation with the features selected
    before, the form that the package mrmr-selection uses.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        The quotient of each feature when it was selected; of the first its F.
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
        correlations = OverallCorrelations(X)
        redundancy, free = np.zeros(X.shape[1]), np.ones(X.shape[1], dtype=bool)
        indices, scores = np.empty(k, dtype=np.intp), np.empty(k)
        score = relevance
        for step in range(k):
            f = int(np.argmax(np.where(free, score, -np.inf)))
            indices[step], scores[step], free[f] = f, score[f], False
            redundancy += np.abs(correlations(f))
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
    {feature_groups}
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
        feature_groups: Iterable[Any] | None = None,
        C: float = 1.0,
        step: float = 0.2,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups
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


class GroupLasso(Baseline):
    """Features in the order in which they enter a lasso on the indicators of the classes.

    Status: {status}; scikit-learn's ``lasso_path`` with several targets, on standardised features.
    The weights of a feature for all classes come in together (group lasso). An L1 penalty on each
    weight alone would first spend its features on the one class that is easiest to tell. The
    penalty is loosened in steps of a tenth, from the largest that matters to a hundredth of it. Of
    features that enter together the one with the largest weights goes first. What never enters
    follows in the order of its correlation with what the model leaves unexplained.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        The penalty at which each feature entered, as a share of the largest that matters.
    {ranking_}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.baselines import GroupLasso
    >>> X, y = load_iris(return_X_y=True)
    >>> GroupLasso(n_features_to_select=2).fit(X, y).indices_
    array([2, 3])
    """

    status: ClassVar[str] = "wrapper"
    citation: ClassVar[str] = (
        'M. Yuan, Y. Lin, "Model selection and estimation in regression with grouped variables", '
        "Journal of the Royal Statistical Society B 68(1), 2006; with scikit-learn"
    )

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import lasso_path

        X = np.asfortranarray((X - X.mean(axis=0)) / X.std(axis=0))
        Y = np.eye(int(codes.max()) + 1)[codes]
        Y -= Y.mean(axis=0)
        weights = np.zeros((Y.shape[1], X.shape[1]), order="F")
        largest = _compute_slopes(X, Y).max()
        has_entered = np.zeros(X.shape[1], dtype=bool)
        indices, scores = np.empty(0, dtype=np.intp), np.empty(0)
        share = 1.0
        while len(indices) < k and share > _LAST_PENALTY and largest > 0:
            share *= _PENALTY_STEP
            with warnings.catch_warnings():
                # With more features than samples the last digits of weights take long to settle.
                warnings.simplefilter("ignore", ConvergenceWarning)
                _, path, _ = lasso_path(
                    X, Y, alphas=[share * largest], coef_init=weights, max_iter=300, tol=1e-3
                )
            weights = np.asfortranarray(path[:, :, 0])
            size = np.linalg.norm(weights, axis=0)
            new = np.flatnonzero((size > 0) & ~has_entered)
            new = new[np.argsort(-size[new], kind="stable")]
            has_entered[new] = True
            indices = np.append(indices, new)
            scores = np.append(scores, np.full(len(new), share))
        slopes = _compute_slopes(X, Y - X @ weights.T) / (largest or 1.0)
        rest = np.flatnonzero(~has_entered)
        rest = rest[np.argsort(-slopes[rest], kind="stable")]
        # Where the solver stopped early a slope may be above the penalty.
        left = np.minimum(slopes[rest], share)
        return Ranked(np.append(indices, rest)[:k], np.append(scores, left)[:k], k)


class RandomForestImportance(ScoreRanker):
    """Features by how much they lower the impurity in the trees of a random forest.

    Status: {status}; scikit-learn's ``RandomForestClassifier``.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}
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
        feature_groups: Iterable[Any] | None = None,
        n_estimators: int = 300,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _feature_scores(self, X: Floats, codes: Indices) -> Floats:
        from sklearn.ensemble import RandomForestClassifier

        forest = RandomForestClassifier(self.n_estimators, random_state=self.random_state)
        return np.asarray(forest.fit(X, codes).feature_importances_)


class LightGBMGain(ScoreRanker):
    """Features by how much they lower the loss of boosted trees (gain of LightGBM).

    Status: {status}; the package lightgbm (extra ``lightgbm``) with its defaults, on one thread.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}
    n_estimators : int, default=100
        The number of rounds.
    random_state : int, RandomState instance or None, default=None
        Seed of the trees; give a number for the same ranking each time.

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        The sum of the gains of all splits by each feature.
    {ranking_}
    """

    package: ClassVar[str | None] = "lightgbm"
    citation: ClassVar[str] = (
        'G. Ke et al., "LightGBM: a highly efficient gradient boosting decision tree", NeurIPS 30, '
        "2017; as in lightgbm"
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
        feature_groups: Iterable[Any] | None = None,
        n_estimators: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _feature_scores(self, X: Floats, codes: Indices) -> Floats:
        lightgbm = need("lightgbm", extra="lightgbm", purpose="LightGBMGain")
        model = lightgbm.LGBMClassifier(
            n_estimators=self.n_estimators,
            random_state=self.random_state,
            importance_type="gain",
            n_jobs=1,
            deterministic=True,
            force_row_wise=True,
            verbose=-1,
        )
        return np.asarray(model.fit(X, codes).feature_importances_, dtype=np.float64)


class FastCan(Baseline):
    """Features by the canonical correlation of the set with the classes, one after the other.

    Status: {status}; the package fastcan (extra ``fastcan``) on one indicator per class. With
    one feature less than samples everything is explained; the others follow by their F statistic,
    with the score 0.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        How much each feature adds to the sum of squared canonical correlations.
    {ranking_}
    """

    package: ClassVar[str | None] = "fastcan"
    status: ClassVar[str] = "wrapper"
    citation: ClassVar[str] = (
        'S. Zhang, Z.Q. Lang, "Orthogonal least squares based fast feature selection for linear '
        'classification", Pattern Recognition 123, 2022; as in fastcan'
    )

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        fastcan = need("fastcan", extra="fastcan", purpose="FastCan")
        # Centred samples span one dimension less than there are: beyond it, rounding is ranked.
        n_explained = min(k, len(X) - 1)
        indicators = np.eye(int(codes.max()) + 1)[codes]
        indices, scores = np.empty(0, dtype=np.intp), np.empty(0)
        while n_explained:
            try:
                fitted = fastcan.FastCan(n_explained, verbose=0).fit(X, indicators)
                indices, scores = np.asarray(fitted.indices_, dtype=np.intp), fitted.scores_
                break
            except RuntimeError:  # columns that follow from others, or add nothing: it gives up
                rank = int(np.linalg.matrix_rank(X - X.mean(axis=0)))
                n_explained = min(n_explained - 1, rank)
        by_relevance = np.argsort(-f_statistics(X, codes), kind="stable")
        rest = by_relevance[~np.isin(by_relevance, indices)][: k - n_explained]
        return Ranked(np.append(indices, rest), np.append(scores, np.zeros(len(rest))), n_explained)


def _compute_slopes(X: Floats, residual: Floats) -> Floats:
    """How steeply the squared error falls with the weights of each feature."""
    return np.asarray(np.linalg.norm(X.T @ residual, axis=1) / len(X))


def _divide(above: Floats, below: Floats) -> Floats:
    """A quotient that is 0 where both parts are, and the largest number where only one is."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.nan_to_num(above / below, nan=0.0, posinf=np.finfo(np.float64).max)
