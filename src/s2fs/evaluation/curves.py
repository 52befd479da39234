"""Prefix curves: how good the top 1, 2, … features of a ranking are on held-out samples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_clusterer
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import _safe_indexing, check_consistent_length

from s2fs._utils.folds import stratified_folds
from s2fs._utils.messages import format_count
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.logistic import decide_classes
from s2fs.evaluation.learners import (
    check_n_train,
    is_plain,
    predict_prefixes,
    resolve_learners,
    score_clusters,
)
from s2fs.evaluation.samples import fill_missing
from s2fs.selectors.base import fit_selector

Protocol = Literal["inside", "before"]


@dataclass(frozen=True, eq=False)
class FoldResult:
    """Predictions and clusters of the learners in one fold, before any score is taken.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        How many of the first features were used.
    ranking : ndarray
        The features in order of selection.
    y_test : ndarray of shape (n_test,)
        The labels of the test samples.
    predictions : dict of str to ndarray of shape (n_sizes, n_test)
        Per classifier the predicted labels.
    nmi : dict of str to ndarray of shape (n_sizes,)
        Per clusterer the normalised mutual information of its clusters of the training samples with
        their labels.
    """

    sizes: Indices
    ranking: Indices
    y_test: NDArray[Any]
    predictions: Mapping[str, NDArray[Any]]
    nmi: Mapping[str, Floats]


def evaluate_fold(
    X_train: ArrayLike,
    y_train: ArrayLike,
    X_test: ArrayLike,
    y_test: ArrayLike,
    ranking: ArrayLike,
    *,
    learners: Sequence[str] | Mapping[str, Any] = ("knn", "svm", "cart"),
    sizes: int | Sequence[int] = 150,
) -> FoldResult:
    """Train the learners on some samples and test them on others, for every prefix of a ranking.

    Each feature is scaled to [0, 1] on the training samples; test samples follow that scale.

    Parameters
    ----------
    X_train : array-like of shape (n_train, n_features)
        All features of the training samples, not scaled.
    y_train : array-like of shape (n_train,)
        Class labels of the training samples.
    X_test : array-like of shape (n_test, n_features)
        All features of the test samples, not scaled.
    y_test : array-like of shape (n_test,)
        Class labels of the test samples, which are only kept for the scores.
    ranking : array-like of int
        The features in order of selection.
    learners : sequence of {"logistic", "knn", "svm", "cart"} or dict, default=the last three
        The learners to run: some of those that have a name, or a dict from names of your own to
        scikit-learn classifiers and clusterers. Clusterers are scored by their mutual information
        with the labels.
    sizes : int or sequence of int, default=150
        The sizes of prefix, as in :func:`prefix_curves`.

    Returns
    -------
    FoldResult
        Predictions per learner and size, to be scored by :func:`pool_folds`.

    Examples
    --------
    >>> import numpy as np
    >>> from s2fs.evaluation import evaluate_fold
    >>> X, y = np.arange(24.0).reshape(12, 2), np.repeat(["a", "b"], 6)
    >>> fold = evaluate_fold(X[::2], y[::2], X[1::2], y[1::2], [1, 0], learners=["svm"])
    >>> fold.predictions["svm"][1]
    array(['a', 'a', 'a', 'b', 'b', 'b'], dtype='<U1')
    """
    learners = resolve_learners(learners)
    ranking = np.asarray(ranking, dtype=np.intp)
    every_size = _resolve_sizes(sizes, len(ranking))
    columns = ranking[: every_size[-1]]
    scaler = MinMaxScaler()
    X_train = np.asfortranarray(scaler.fit_transform(np.asarray(X_train, np.float64)[:, columns]))
    X_test = np.asfortranarray(scaler.transform(np.asarray(X_test, np.float64)[:, columns]))
    classes, codes = np.unique(np.asarray(y_train), return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y_train has one class only ({classes[0]!r}); at least two are needed.")
    check_n_train(learners, len(X_train))
    predictions, nmi = {}, {}
    for name, learner in learners.items():
        if not is_plain(learner) and is_clusterer(learner):
            nmi[name] = score_clusters(learner, X_train, codes, every_size)
        else:
            answers = predict_prefixes(learner, X_train, codes, X_test, every_size)
            predictions[name] = classes[decide_classes(answers)]
    return FoldResult(every_size, ranking, np.asarray(y_test), predictions, nmi)


@dataclass(frozen=True, eq=False)
class Curve:
    """Scores of one learner over the sizes.

    Attributes
    ----------
    learner : str
        The name of the learner.
    sizes : ndarray of shape (n_sizes,)
        How many of the first features were used.
    scores : dict of str to ndarray of shape (n_sizes,)
        "accuracy", "balanced_accuracy" and "macro_f1" of a classifier, "nmi" of a clusterer; the
        first is what ``values``, ``max`` and ``ave`` are about.
    """

    learner: str
    sizes: Indices
    scores: Mapping[str, Floats]

    @property
    def values(self) -> Floats:
        """The main score: accuracy, or mutual information for a clusterer."""
        return next(iter(self.scores.values()))

    @property
    def max(self) -> float:
        """The best main score over the sizes."""
        return float(self.values.max())

    @property
    def ave(self) -> float:
        """The mean main score over the sizes."""
        return float(self.values.mean())


@dataclass(frozen=True, eq=False)
class PrefixCurves:
    """The curves of one selector on one dataset.

    Attributes
    ----------
    curves : dict of str to Curve
        One curve per learner; ``result["knn"]`` is short for ``result.curves["knn"]``.
    rankings : tuple of ndarray
        The ranking that was scored in each fold.
    protocol : {"inside", "before"}
        Where the features were selected.
    n_splits : int
        The number of folds used.
    """

    curves: Mapping[str, Curve]
    rankings: tuple[Indices, ...]
    protocol: Protocol
    n_splits: int

    @property
    def leaky(self) -> bool:
        """Whether the selector saw the test samples, so that the scores are too good."""
        return self.protocol == "before"

    def __getitem__(self, learner: str) -> Curve:
        return self.curves[learner]


def prefix_curves(
    X: Any,
    y: ArrayLike,
    selector: Any,
    *,
    learners: Sequence[str] | Mapping[str, Any] = ("knn", "svm", "cart"),
    sizes: int | Sequence[int] = 150,
    cv: int = 10,
    protocol: Protocol = "inside",
    random_state: int = 0,
    n_jobs: int | None = None,
    imputer: Any = None,
) -> PrefixCurves:
    """Score the prefixes of a selector's ranking by cross-validation.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Numeric features, not scaled; without missing values unless there is an ``imputer``.
    y : array-like of shape (n_samples,)
        Class labels; each class needs at least two members.
    selector : estimator
        Any estimator with ``indices_``, the features in order of selection, after ``fit``. It
        should select as many features as the largest size.
    learners : sequence of {"logistic", "knn", "svm", "cart"} or dict, default=the last three
        The learners to run: some of those that have a name, or a dict from names of your own to
        scikit-learn classifiers and clusterers. Clusterers are scored by their mutual information
        with the labels.
    sizes : int or sequence of int, default=150
        The numbers of first features to use: all from 1 to this number, or to the length of the
        ranking if that is shorter; or just those in an increasing sequence.
    cv : int, default=10
        The number of folds, see :func:`stratified_folds`.
    protocol : {"inside", "before"}, default="inside"
        Select features from the training samples of each fold, or once from all samples before the
        split. The latter lets the test samples leak into the ranking, so that scores are too good;
        it is here to show by how much, and the result says ``leaky``. Scaling is learnt inside the
        fold in both.
    random_state : int, default=0
        Seed of the folds.
    n_jobs : int, optional
        How many folds to run at once, as in joblib.
    imputer : transformer, optional
        What fills in missing values, such as scikit-learn's ``SimpleImputer``; fitted on the
        training samples of each fold.

    Returns
    -------
    PrefixCurves
        Scores per learner and size, and the rankings of the folds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.feature_selection import RFE
    >>> from sklearn.linear_model import LinearRegression
    >>> from s2fs.evaluation import prefix_curves
    >>> class ByElimination(RFE):
    ...     @property
    ...     def indices_(self):
    ...         return self.ranking_.argsort()
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = ByElimination(LinearRegression(), n_features_to_select=1)
    >>> result = prefix_curves(X, y, selector, learners=["knn"], cv=5)
    >>> result["knn"].sizes, result.leaky
    (array([1, 2, 3, 4]), False)
    >>> result["knn"].values[-1] > 0.9
    np.True_
    """
    if protocol not in ("inside", "before"):
        raise ValueError(f"protocol is {protocol!r}; use 'inside' or 'before'.")
    labels = np.asarray(y)
    check_consistent_length(X, labels)
    folds = list(stratified_folds(labels, cv, random_state=random_state))
    ranking = None
    if protocol == "before":
        ranking = _rank_features(selector, fill_missing(X, np.arange(len(labels)), imputer), labels)
    results = Parallel(n_jobs=n_jobs)(
        delayed(_run_fold)(
            fill_missing(X, fold[0], imputer), labels, fold, selector, ranking, learners, sizes
        )
        for fold in folds
    )
    return PrefixCurves(
        curves=pool_folds(results),
        rankings=tuple(result.ranking for result in results),
        protocol=protocol,
        n_splits=len(folds),
    )


def pool_folds(folds: Sequence[FoldResult]) -> dict[str, Curve]:
    """Score the folds of one cross-validation together.

    Predictions are pooled over the folds before a score is taken, so that an accuracy is a share
    of all samples; mutual information is averaged over the training folds.

    Parameters
    ----------
    folds : sequence of FoldResult
        The folds, all with the same learners and sizes.

    Returns
    -------
    dict of str to Curve
        One curve per learner.
    """
    if not folds:
        raise ValueError("folds is empty; give the result of at least one fold.")
    sizes, learners = folds[0].sizes, list(folds[0].predictions)
    for fold in folds:
        same_learners = list(fold.predictions) == learners
        if not (same_learners and np.array_equal(fold.sizes, sizes)):
            raise ValueError("folds differ in their learners or sizes; run all folds alike.")
    y_test = np.concatenate([fold.y_test for fold in folds])
    curves = {}
    for learner in learners:
        predicted = np.concatenate([fold.predictions[learner] for fold in folds], axis=1)
        curves[learner] = Curve(learner, sizes, _compute_scores(y_test, predicted))
    for learner in folds[0].nmi:
        nmi = np.mean([fold.nmi[learner] for fold in folds], axis=0)
        curves[learner] = Curve(learner, sizes, {"nmi": nmi})
    return curves


def _compute_scores(y_test: NDArray[Any], predicted: NDArray[Any]) -> dict[str, Floats]:
    """Accuracy, balanced accuracy and macro-F1 of each row of predictions."""
    classes = np.unique(y_test)
    is_class = y_test == classes[:, None]  # class × sample
    is_predicted = predicted[:, None, :] == classes[:, None]  # size × class × sample
    hits = (is_predicted & is_class).sum(axis=2)
    # 2 TP / (2 TP + FP + FN): twice the hits over how often the class is true or predicted.
    f1 = 2 * hits / (is_class.sum(axis=1) + is_predicted.sum(axis=2))
    return {
        "accuracy": (predicted == y_test).mean(axis=1),
        "balanced_accuracy": (hits / is_class.sum(axis=1)).mean(axis=1),
        "macro_f1": f1.mean(axis=1),
    }


def _run_fold(
    X: Any,
    y: NDArray[Any],
    fold: tuple[Indices, Indices],
    selector: Any,
    ranking: Indices | None,
    learners: Sequence[str] | Mapping[str, Any],
    sizes: int | Sequence[int],
) -> FoldResult:
    """Select, unless a ranking is given, and evaluate."""
    train, test = fold
    X_train = _safe_indexing(X, train)  # keeps the column names of a data frame for the selector
    if ranking is None:
        ranking = _rank_features(selector, X_train, y[train])
    return evaluate_fold(
        X_train,
        y[train],
        _safe_indexing(X, test),
        y[test],
        ranking,
        learners=learners,
        sizes=sizes,
    )


def _rank_features(selector: Any, X: Any, y: NDArray[Any]) -> Indices:
    fitted = fit_selector(clone(selector), X, y)
    if not hasattr(fitted, "indices_"):
        raise TypeError(
            f"selector is a {type(selector).__name__}, which has no indices_ after fit; give one "
            "that ranks features, such as S2FS."
        )
    return np.asarray(fitted.indices_, dtype=np.intp)


def _resolve_sizes(sizes: int | Sequence[int], n_ranked: int) -> Indices:
    """The sizes as an increasing array within the length of the ranking."""
    if isinstance(sizes, Integral):
        steps = np.arange(1, min(int(sizes), n_ranked) + 1)
    else:
        steps = np.asarray(sizes, dtype=np.intp)
    if len(steps) == 0 or steps[0] < 1 or (np.diff(steps) < 1).any():
        raise ValueError(f"sizes is {sizes!r}; give a positive number or increasing numbers.")
    if steps[-1] > n_ranked:
        raise ValueError(
            f"sizes goes up to {steps[-1]}, but the ranking has "
            f"{format_count(n_ranked, 'feature')}; let the selector select more."
        )
    return steps
