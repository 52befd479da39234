"""How good the prefixes of several rankings are, judged by a classifier on unseen rows."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from s2fs._core.criterion import EQUAL
from s2fs._core.problem import Scale
from s2fs._engine.neighbours import knn
from s2fs._util.types import Floats, Indices

#: Scores of prefixes, from training rows, their labels, test rows, their labels and the sizes.
Judge = Callable[[Floats, NDArray[Any], Floats, NDArray[Any], Indices], Floats]


def make_judge(estimator: Any, scoring: Any) -> Judge:
    """What scores the prefixes: an estimator, or 5 nearest neighbours if that is None."""
    from sklearn.metrics import check_scoring

    if estimator is not None:
        scorer = check_scoring(estimator, scoring=scoring)

        def by_estimator(
            A: Floats, y: NDArray[Any], B: Floats, truth: NDArray[Any], sizes: Indices
        ) -> Floats:
            fits = ((clone(estimator).fit(A[:, :k], y), B[:, :k]) for k in sizes)
            return np.array([scorer(fitted, rows, truth) for fitted, rows in fits])

        return by_estimator

    # Scikit-learn's accuracy takes longer for its checks than the neighbours take to be found.
    scorer = None if scoring == "accuracy" else check_scoring(_Known(), scoring=scoring)

    def by_neighbours(
        A: Floats, y: NDArray[Any], B: Floats, truth: NDArray[Any], sizes: Indices
    ) -> Floats:
        classes, codes = np.unique(y, return_inverse=True)
        predictions = classes[knn(A, codes, B, sizes)]
        if scorer is None:
            return (predictions == truth).mean(axis=1)
        try:
            return np.array([scorer(_Known(classes, said), B, truth) for said in predictions])
        except AttributeError:
            raise ValueError(
                f"scoring is {scoring!r}, which needs more than predicted classes; give an "
                "estimator that has it, such as KNeighborsClassifier()."
            ) from None

    return by_neighbours


class _Known(ClassifierMixin, BaseEstimator):
    """Predictions that are known already, in the form scikit-learn's scorers ask for."""

    def __init__(self, classes: Any = None, predictions: Any = None) -> None:
        self.classes_ = classes
        self.predictions = predictions

    def fit(self, X: Any, y: Any) -> "_Known":
        """Nothing to learn; scikit-learn expects the method of anything it scores."""
        return self

    def predict(self, X: Any) -> Any:
        """The predictions, which belong to the rows ``X``."""
        return self.predictions


def judge_prefixes(
    X: Any,
    y: NDArray[Any],
    train: Indices,
    test: Indices,
    rankings: Indices,
    sizes: Indices,
    *,
    judge: Judge,
    scale: Scale,
) -> Floats:
    """Score the prefixes of rankings on test rows; a prefix that several rankings share, once.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        All features, not scaled; only those of the rankings become dense.
    y : ndarray of shape (n_samples,)
        Class labels.
    train, test : ndarray of int
        The rows to learn from, and those to judge on.
    rankings : ndarray of shape (n_rankings, n_ranked)
        Indices in order of choice, from the training rows.
    sizes : ndarray of shape (n_sizes,)
        The lengths of prefix, increasing.
    judge : callable
        What :func:`make_judge` made.
    scale : {"minmax", None}
        Whether to scale each feature to [0, 1] on the training rows.

    Returns
    -------
    ndarray of shape (n_rankings, n_sizes)
        The scores.
    """
    from sklearn.preprocessing import MinMaxScaler

    features, ranked = np.unique(rankings, return_inverse=True)
    ranked = ranked.reshape(rankings.shape)
    A, B = (_dense(X, rows, features) for rows in (train, test))
    if scale == "minmax":
        scaler = MinMaxScaler().set_output(transform="default").fit(A)
        A, B = scaler.transform(A), scaler.transform(B)
    scores = np.empty((len(rankings), len(sizes)))
    for i, ranking in enumerate(ranked):
        known = np.zeros(len(sizes), dtype=bool)
        if i:
            # How long each earlier ranking goes the same way, and the one that does so longest.
            common = (ranked[:i] == ranking).cumprod(axis=1).sum(axis=1)
            twin = int(common.argmax())
            known = sizes <= common[twin]
            scores[i, known] = scores[twin, known]
        if not known.all():
            scores[i, ~known] = judge(
                A[:, ranking], y[train], B[:, ranking], y[test], sizes[~known]
            )
    return scores


def choose(mean: Floats, standard_error: Floats, one_standard_error: bool) -> tuple[int, int]:
    """Choose a row (pair of weights) and a column (number of features) of a table of mean scores.

    Among equals, up to rounding, the smallest number goes first, then the earliest pair. One
    standard error is given away on the path of the best pair only: the best of many pairs would
    reach the limit by luck with too few features.
    """
    pair, size = _first_largest(mean)
    if one_standard_error:
        limit = mean[pair, size] - standard_error[pair, size]
        size = int(_reaches(mean[pair], limit).argmax())
    return pair, size


def _first_largest(mean: Floats) -> tuple[int, int]:
    size, pair = np.argwhere(_reaches(mean, mean.max()).T)[0]
    return int(pair), int(size)


def _reaches(mean: Floats, limit: float) -> NDArray[np.bool_]:
    """Whether scores are as large as a limit; means of the same scores differ by rounding."""
    return mean >= limit - EQUAL * max(1.0, abs(limit))


def _dense(X: Any, rows: Indices, columns: Indices) -> Floats:
    part = X[rows][:, columns]
    return np.asarray(part.toarray() if issparse(part) else part, dtype=np.float64)
