"""How good the prefixes of several rankings are on unseen rows, and which of them to choose."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import check_scoring
from sklearn.preprocessing import MinMaxScaler

from s2fs._core.criterion import EQUAL
from s2fs._core.problem import Scale
from s2fs._engine.neighbours import knn
from s2fs._util.types import Floats, Indices

#: Scores of prefixes, from training rows, their labels, test rows, their labels and the sizes.
PrefixScorer = Callable[[Floats, NDArray[Any], Floats, NDArray[Any], Indices], Floats]


class Split(NamedTuple):
    """A table that is not scaled, its labels, the rows to learn from and those to score on."""

    X: Any
    y: NDArray[Any]
    train: Indices
    test: Indices


def prefix_scorer(estimator: Any = None, scoring: Any = "accuracy") -> PrefixScorer:
    """What scores the prefixes: an estimator, or 5 nearest neighbours if that is None."""
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


def score_prefixes(
    split: Split, rankings: Indices, sizes: Indices, *, scorer: PrefixScorer, scale: Scale
) -> Floats:
    """Score the prefixes of rankings on test rows; a prefix that several rankings share, once.

    Parameters
    ----------
    split : Split
        The data; only the features of the rankings become dense.
    rankings : ndarray of shape (n_rankings, n_ranked)
        Features in order of choice, from the training rows; -1 after the end of a shorter one.
    sizes : ndarray of shape (n_sizes,)
        The lengths of prefix, increasing.
    scorer : callable
        What :func:`prefix_scorer` made.
    scale : {"minmax", None}
        Whether to scale each feature to [0, 1] on the training rows.

    Returns
    -------
    ndarray of shape (n_rankings, n_sizes)
        The scores; of a size beyond the end of a ranking, that of the whole ranking.
    """
    X, y, train, test = split
    features = np.unique(rankings[rankings >= 0])
    ends = (rankings >= 0).sum(axis=1)
    A, B = (_dense(X, rows, features) for rows in (train, test))
    if scale == "minmax":
        scaler = MinMaxScaler().set_output(transform="default").fit(A)
        A, B = scaler.transform(A), scaler.transform(B)
    scores = np.empty((len(rankings), len(sizes)))
    for i, (twin, shared) in enumerate(shared_prefixes(rankings, sizes)):
        scores[i, shared] = scores[twin, shared]
        if not shared.all():
            columns = features.searchsorted(rankings[i, : ends[i]])
            own, places = np.unique(np.minimum(sizes[~shared], ends[i]), return_inverse=True)
            found = scorer(A[:, columns], y[train], B[:, columns], y[test], own)
            scores[i, ~shared] = found[places]
    return scores


def shared_prefixes(rankings: Indices, sizes: Indices) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """For each ranking the earlier one that starts like it longest, and the sizes they share."""
    yield 0, np.zeros(len(sizes), dtype=bool)
    for i in range(1, len(rankings)):
        common = (rankings[:i] == rankings[i]).cumprod(axis=1).sum(axis=1)
        twin = int(common.argmax())
        yield twin, sizes <= common[twin]


def choose(mean: Floats, standard_error: Floats | None = None) -> tuple[int, int]:
    """Choose a row (pair of weights) and a column (number of features) of a table of mean scores.

    Among equals, up to rounding, the smallest number goes first, then the earliest pair. With a
    standard error, the smallest number within one of the best score is taken, on the path of the
    best pair only: the best of many pairs would reach the limit by luck with too few features.
    """
    size, pair = np.argwhere(_reaches(mean, mean.max()).T)[0]
    if standard_error is not None:
        limit = mean[pair, size] - standard_error[pair, size]
        size = _reaches(mean[pair], limit).argmax()
    return int(pair), int(size)


def _reaches(mean: Floats, limit: float) -> NDArray[np.bool_]:
    """Whether scores are as large as a limit; means of the same scores differ by rounding."""
    return mean >= limit - EQUAL * max(1.0, abs(limit))


def _dense(X: Any, rows: Indices, columns: Indices) -> Floats:
    part = X[rows][:, columns]
    return np.asarray(part.toarray() if issparse(part) else part, dtype=np.float64)
