"""How samples are split into folds."""

import warnings
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from s2fs._utils.messages import format_names
from s2fs._utils.types import Indices


def stratified_folds(
    y: ArrayLike, cv: int = 10, *, random_state: int = 0
) -> Iterator[tuple[Indices, Indices]]:
    """Split samples into shuffled folds with the classes in equal shares.

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
        Positions of the samples, increasing.

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
            f"y has a single member of class {format_names(classes[[counts.argmin()]])}; "
            "cross-validation needs two, so merge or drop that class."
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
