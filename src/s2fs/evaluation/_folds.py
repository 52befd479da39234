"""One fold of an evaluation: the learners on the prefixes of a ranking."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_clusterer
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import _safe_indexing

from s2fs._util.types import Floats, Indices
from s2fs.evaluation._learners import (
    check_rows,
    is_plain,
    mutual_information,
    predict_prefixes,
    resolve_learners,
)


@dataclass(frozen=True, eq=False)
class FoldResult:
    """Predictions and clusters of the learners in one fold, before any score is taken.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        How many of the first features were used.
    ranking : ndarray
        The features in order of choice.
    y_test : ndarray of shape (n_test,)
        The labels of the test rows.
    predictions : dict of str to ndarray of shape (n_sizes, n_test)
        Per classifier the predicted labels.
    nmi : dict of str to ndarray of shape (n_sizes,)
        Per clusterer the normalised mutual information of its clusters of the training rows with
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
    """Train the learners on some rows and test them on others, for every prefix of a ranking.

    Each feature is scaled to [0, 1] on the training rows; test rows follow that scale.

    Parameters
    ----------
    X_train : array-like of shape (n_train, n_features)
        All features of the training rows, not scaled.
    y_train : array-like of shape (n_train,)
        Class labels of the training rows.
    X_test : array-like of shape (n_test, n_features)
        All features of the test rows, not scaled.
    y_test : array-like of shape (n_test,)
        Class labels of the test rows, which are only kept for the scores.
    ranking : array-like of int
        The features in order of choice.
    learners : sequence of {"knn", "svm", "cart", "logistic"} or dict, default=the first three
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
    check_rows(learners, len(X_train))
    predictions, nmi = {}, {}
    for name, learner in learners.items():
        if not is_plain(learner) and is_clusterer(learner):
            nmi[name] = mutual_information(learner, X_train, codes, every_size)
        else:
            predicted = predict_prefixes(learner, X_train, codes, X_test, every_size)
            predictions[name] = classes[predicted]
    return FoldResult(every_size, ranking, np.asarray(y_test), predictions, nmi)


def filled(X: Any, train: Indices, imputer: Any) -> Any:
    """The table as it is in one fold: missing values filled in by what the training rows say."""
    if imputer is None:
        return X
    return clone(imputer).fit(_safe_indexing(X, train)).transform(X)


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
            f"sizes goes up to {steps[-1]}, but the ranking has {n_ranked} feature(s); let the "
            "selector choose more."
        )
    return steps
