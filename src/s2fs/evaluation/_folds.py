"""One fold, the unit of work of an evaluation: how it is cut and what the learners make of it."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from s2fs._base import nearest_name
from s2fs.evaluation import _learners

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: The learners of the paper: three classifiers, and k-means judged by mutual information.
LEARNERS = ("cart", "knn", "svm", "kmeans")


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
    nmi : ndarray of shape (n_sizes,) or None
        Normalised mutual information of the k-means clusters of the training rows with their
        labels, if k-means was asked for.
    """

    sizes: Indices
    ranking: Indices
    y_test: NDArray[Any]
    predictions: Mapping[str, NDArray[Any]]
    nmi: Floats | None


def stratified_folds(
    y: ArrayLike, cv: int = 10, *, random_state: int = 0
) -> Iterator[tuple[Indices, Indices]]:
    """Split rows into shuffled folds with the classes in equal shares.

    A class with fewer members than folds is spread over as many test folds as it has members and
    stays in every training fold. If no class has ``cv`` members there are only as many folds as
    the largest class has members.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Class labels; each class needs at least two members, or it would be missing when training.
    cv : int, default=10
        The number of folds, at least two.
    random_state : int, default=0
        Seed of the shuffle.

    Yields
    ------
    train, test : ndarray
        Row indices of a fold, increasing.

    Examples
    --------
    >>> from s2fs.evaluation import stratified_folds
    >>> for train, test in stratified_folds([0, 0, 0, 0, 1, 1], cv=10):
    ...     print(len(train), len(test))
    4 2
    4 2
    5 1
    5 1
    """
    from sklearn.model_selection import StratifiedKFold

    labels = np.asarray(y)
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2:
        raise ValueError("y has one class only; at least two are needed.")
    if counts.min() < 2:
        raise ValueError(
            f"y has a single member of class {classes[counts.argmin()]!r}; cross-validation needs "
            "two, so merge or drop that class."
        )
    if cv < 2:
        raise ValueError(f"cv is {cv!r}; give at least two folds.")
    splitter = StratifiedKFold(
        min(int(cv), int(counts.max())), shuffle=True, random_state=random_state
    )
    with warnings.catch_warnings():
        # Small classes are meant to be absent from some test folds.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        splits = list(splitter.split(np.zeros(len(labels)), labels))
    yield from splits


def evaluate_fold(
    X_train: ArrayLike,
    y_train: ArrayLike,
    X_test: ArrayLike,
    y_test: ArrayLike,
    ranking: ArrayLike,
    *,
    learners: Sequence[str] = LEARNERS,
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
    learners : sequence of {"cart", "knn", "svm", "kmeans"}, default=all four
        The learners to run.
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
    >>> fold = evaluate_fold(X[::2], y[::2], X[1::2], y[1::2], [1, 0], learners=["svm", "kmeans"])
    >>> fold.predictions["svm"][1]
    array(['a', 'a', 'a', 'b', 'b', 'b'], dtype='<U1')
    >>> fold.nmi
    array([1., 1.])
    """
    from sklearn.preprocessing import MinMaxScaler
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    for learner in learners:
        if learner not in LEARNERS:
            hint = nearest_name(str(learner), LEARNERS)
            raise ValueError(f"learners has {learner!r}{hint}; choose from {', '.join(LEARNERS)}.")
    order = np.asarray(ranking, dtype=np.intp)
    steps = _resolve_sizes(sizes, len(order))
    columns = order[: steps[-1]]
    scaler = MinMaxScaler()
    A = np.asfortranarray(scaler.fit_transform(np.asarray(X_train, np.float64)[:, columns]))
    B = np.asfortranarray(scaler.transform(np.asarray(X_test, np.float64)[:, columns]))
    classes, codes = np.unique(np.asarray(y_train), return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y_train has one class only ({classes[0]!r}); at least two are needed.")
    if "knn" in learners and len(A) < _learners.N_NEIGHBORS:
        raise ValueError(
            f"X_train has {len(A)} row(s), fewer than the {_learners.N_NEIGHBORS} neighbours of "
            "kNN; use more rows or leave out 'knn'."
        )

    predictions, nmi = {}, None
    # One thread, so that sums are always taken in the same order; folds run side by side instead.
    with threadpool_limits(1):
        for learner in learners:
            if learner == "kmeans":
                nmi = _learners.kmeans(A, codes, steps)
            else:
                predictions[learner] = classes[getattr(_learners, learner)(A, codes, B, steps)]
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
