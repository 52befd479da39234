"""Score the prefixes of several rankings on held-out samples, and choose one of them."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import check_scoring
from sklearn.preprocessing import MinMaxScaler

from s2fs._utils.features import Features
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.logistic import decide_classes, logistic
from s2fs.criteria.separability import EQUAL

#: Scores of prefixes, from training samples and labels, test samples and labels, and the sizes.
PrefixScorer = Callable[[Floats, NDArray[Any], Floats, NDArray[Any], Indices], Floats]


class Split(NamedTuple):
    """A table that is not scaled, its labels, and which samples are for training and testing.

    If ``features`` are not said, every column is one.
    """

    X: Any
    y: NDArray[Any]
    train: Indices
    test: Indices
    features: Features | None = None


def make_prefix_scorer(estimator: Any = None, scoring: Any = "accuracy") -> PrefixScorer:
    """Make a function that scores prefixes with an estimator.

    Parameters
    ----------
    estimator : estimator, callable, list of these, or None
        The learner; a callable predicts for all sizes at once, as
        :func:`s2fs.criteria.logistic.logistic` does, which is None. The score of a list is the mean
        of its scores.
    scoring : str or callable, default="accuracy"
        As in scikit-learn.
    """
    if isinstance(estimator, list):
        if not estimator:
            raise ValueError("estimator is an empty list; give at least one classifier.")
        scorers = [make_prefix_scorer(one, scoring) for one in estimator]
        return lambda *split: np.mean([score(*split) for score in scorers], axis=0)
    if estimator is None or not hasattr(estimator, "fit"):
        return _make_shared_scorer(logistic if estimator is None else estimator, scoring)
    scorer = check_scoring(estimator, scoring=scoring)

    def by_estimator(
        A: Floats, y: NDArray[Any], B: Floats, truth: NDArray[Any], sizes: Indices
    ) -> Floats:
        scores = np.empty(len(sizes))
        for i, k in enumerate(sizes):
            fitted = clone(estimator).fit(A[:, :k], y)
            scores[i] = scorer(fitted, B[:, :k], truth)
        return scores

    return by_estimator


def _make_shared_scorer(predict: Callable[..., Any], scoring: Any) -> PrefixScorer:
    """A function that scores what a learner predicts for all sizes at once."""
    # The checks of scikit-learn's accuracy take longer than a fit of a few features.
    scorer = None
    if scoring != "accuracy":
        scorer = check_scoring(_PrecomputedPredictions(), scoring=scoring)

    def by_predictions(
        A: Floats, y: NDArray[Any], B: Floats, truth: NDArray[Any], sizes: Indices
    ) -> Floats:
        classes, codes = np.unique(y, return_inverse=True)
        answers = predict(A, codes, B, sizes)
        if scorer is None:
            return (classes[decide_classes(answers)] == truth).mean(axis=1)
        return np.array(
            [scorer(_PrecomputedPredictions(classes, of_size), B, truth) for of_size in answers]
        )

    return by_predictions


class _PrecomputedPredictions(ClassifierMixin, BaseEstimator):
    """Predictions made before, in the form that scikit-learn's scorers ask for."""

    def __init__(self, classes: Any = None, answers: Any = None) -> None:
        self.classes_ = classes
        self.answers = answers

    def fit(self, X: Any, y: Any) -> "_PrecomputedPredictions":
        """Nothing to learn; scikit-learn expects the method of anything it scores."""
        return self

    def predict(self, X: Any) -> Any:
        """The predicted classes, which belong to the samples ``X``."""
        return self.classes_[decide_classes(self.answers)]

    def predict_proba(self, X: Any) -> Any:
        """The probabilities of the classes, which belong to the samples ``X``."""
        return self.answers


def score_prefixes(
    split: Split, rankings: Indices, sizes: Indices, *, scorer: PrefixScorer, scale: bool
) -> Floats:
    """Score the prefixes of rankings on test samples; a prefix that several rankings share, once.

    Parameters
    ----------
    split : Split
        The data; only the features of the rankings become dense.
    rankings : ndarray of shape (n_rankings, n_ranked)
        Features in order of choice, from the training samples; -1 after the end of a shorter one.
    sizes : ndarray of shape (n_sizes,)
        The lengths of prefix, increasing.
    scorer : callable
        What :func:`make_prefix_scorer` made.
    scale : bool
        Whether to scale each feature to [0, 1] on the training samples.

    Returns
    -------
    ndarray of shape (n_rankings, n_sizes)
        The scores; of a size beyond the end of a ranking, that of the whole ranking.
    """
    X, y, train, test, features = split
    features = Features(X.shape[1]) if features is None else features
    ranked, _ = features.expand(np.unique(rankings[rankings >= 0]))
    place_of = np.zeros(X.shape[1], dtype=np.intp)
    place_of[ranked] = np.arange(len(ranked))
    ends = (rankings >= 0).sum(axis=1)
    A, B = _to_dense(X, train, ranked), _to_dense(X, test, ranked)
    if scale:
        scaler = MinMaxScaler().set_output(transform="default").fit(A)
        A, B = scaler.transform(A), scaler.transform(B)
    scores = np.empty((len(rankings), len(sizes)))
    for i, (earlier, shared) in enumerate(find_shared_prefixes(rankings, sizes)):
        scores[i, shared] = scores[earlier, shared]
        if not shared.all():
            of_ranking, n_columns = features.expand(rankings[i, : ends[i]])
            columns = place_of[of_ranking]
            own, places = np.unique(np.minimum(sizes[~shared], ends[i]), return_inverse=True)
            own_scores = scorer(A[:, columns], y[train], B[:, columns], y[test], n_columns[own])
            scores[i, ~shared] = own_scores[places]
    return scores


def find_shared_prefixes(
    rankings: Indices, sizes: Indices
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """For each ranking the earlier one that starts like it longest, and the sizes they share."""
    yield 0, np.zeros(len(sizes), dtype=bool)
    for i in range(1, len(rankings)):
        common = (rankings[:i] == rankings[i]).cumprod(axis=1).sum(axis=1)
        earlier = int(common.argmax())
        yield earlier, sizes <= common[earlier]


def choose_prefix(mean: Floats, standard_error: Floats | None = None) -> tuple[int, int]:
    """Choose a ranking (row) and a number of features (column) by a table of mean scores.

    Of equal scores, up to rounding, the fewest features win, then the earliest ranking. With a
    standard error, the fewest features within one standard error of the best score win, on the
    best ranking only: the best of many rankings would reach that limit by luck with too few.
    """
    size, ranking = np.argwhere(_reaches(mean, mean.max()).T)[0]
    if standard_error is not None:
        limit = mean[ranking, size] - standard_error[ranking, size]
        size = _reaches(mean[ranking], limit).argmax()
    return int(ranking), int(size)


def _reaches(mean: Floats, limit: float) -> NDArray[np.bool_]:
    """Whether scores are as large as a limit; means of the same scores differ by rounding."""
    return mean >= limit - EQUAL * max(1.0, abs(limit))


def _to_dense(X: Any, samples: Indices, features: Indices) -> Floats:
    part = X[samples][:, features]
    return np.asarray(part.toarray() if issparse(part) else part, dtype=np.float64)
