"""One fold of an evaluation: what the learners make of the prefixes of a ranking."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_clusterer
from sklearn.preprocessing import MinMaxScaler

from s2fs._util.types import Floats, Indices
from s2fs.evaluation._learners import (
    LEARNERS,
    check_rows,
    mutual_information,
    predict_prefixes,
    resolve_learners,
)


@dataclass(frozen=True, eq=False)
class FoldResult:
    """What the learners did with one fold, before any score is taken.

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
    learners: Sequence[str] | Mapping[str, Any] = tuple(LEARNERS),
    sizes: int | Sequence[int] = 150,
) -> FoldResult:
    """Run the learners on every prefix of a ranking, trained on one part and tried on another.

    Each feature is scaled to [0, 1] on the training rows; test rows follow that scale.

    Parameters
    ----------
    X_train, X_test : array-like of shape (n_train, n_features) and (n_test, n_features)
        All features, not scaled.
    y_train, y_test : array-like of shape (n_train,) and (n_test,)
        Class labels; those of the test rows are only kept for the scores.
    ranking : array-like of int
        The features in order of choice.
    learners : sequence of {"knn", "svm", "cart"} or dict, default=all three
        The learners to run: some of those that have a name, or a dict of your own names and
        scikit-learn classifiers. Clusterers are scored by mutual information with the labels.
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
    chosen = resolve_learners(learners)
    order = np.asarray(ranking, dtype=np.intp)
    steps = _resolve_sizes(sizes, len(order))
    columns = order[: steps[-1]]
    scaler = MinMaxScaler()
    A = np.asfortranarray(scaler.fit_transform(np.asarray(X_train, np.float64)[:, columns]))
    B = np.asfortranarray(scaler.transform(np.asarray(X_test, np.float64)[:, columns]))
    classes, codes = np.unique(np.asarray(y_train), return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y_train has one class only ({classes[0]!r}); at least two are needed.")
    check_rows(chosen, len(A))
    predictions, nmi = {}, {}
    for name, learner in chosen.items():
        if not callable(learner) and is_clusterer(learner):
            nmi[name] = mutual_information(learner, A, codes, steps)
        else:
            predictions[name] = classes[predict_prefixes(learner, A, codes, B, steps)]
    return FoldResult(steps, order, np.asarray(y_test), predictions, nmi)


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
