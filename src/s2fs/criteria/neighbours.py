"""Nearest neighbours for every prefix of a ranking, in plain NumPy."""

import numpy as np

from s2fs._utils.types import Floats, Indices
from s2fs.criteria.separability import EQUAL

#: How many neighbours vote.
N_NEIGHBORS = 5
#: Distances held at a time.
_BLOCK = 1 << 20


def knn(A: Floats, codes: Indices, B: Floats, sizes: Indices) -> Indices:
    """Predict with the five nearest neighbours; equal votes go to the smaller label.

    Of training samples equally far, up to rounding, the earlier ones are nearer. Scikit-learn
    leaves that choice to rounding, to the order of its heap and to the number of threads; where no
    such tie decides, the predictions are those of ``KNeighborsClassifier(5, algorithm="brute")``.

    Parameters
    ----------
    A : ndarray of shape (n_train, n_ranked)
        The training samples, with columns in ranked order; if they are fewer than five, all vote.
    codes : ndarray of shape (n_train,)
        Their classes, as 0, 1, ….
    B : ndarray of shape (n_test, n_ranked)
        The test samples.
    sizes : ndarray of shape (n_sizes,)
        How many of the first columns to use, increasing.

    Returns
    -------
    ndarray of shape (n_sizes, n_test)
        The predicted classes.

    Examples
    --------
    >>> import numpy as np
    >>> from s2fs.criteria.neighbours import knn
    >>> A = np.array([[0, 0], [0, 0], [0, 1], [1, 3], [1, 3], [1, 3]])
    >>> knn(A, np.array([0, 0, 0, 1, 1, 1]), np.array([[0.4, 3]]), np.array([1, 2]))
    array([[0],
           [1]])
    """
    n_neighbors = min(N_NEIGHBORS, len(A))
    is_class = (codes[:, None] == np.arange(codes.max() + 1)).astype(np.intp)
    predictions = np.empty((len(sizes), len(B)), dtype=np.intp)
    step = max(1, _BLOCK // len(A))
    for start in range(0, len(B), step):
        rows = slice(start, start + step)
        D, done = np.zeros((len(B[rows]), len(A))), 0
        for size, prediction in zip(sizes, predictions[:, rows], strict=True):
            for f in range(done, size):
                D += (B[rows, f, None] - A[:, f]) ** 2
            done = size
            prediction[:] = vote(D, is_class, n_neighbors)
    return predictions


def vote(D: Floats, is_class: Indices, n_neighbors: int) -> Indices:
    """The class with most votes of the nearest rows, the first of equals.

    Parameters
    ----------
    D : ndarray of shape (n_test, n_rows)
        Squared distances; of rows equally far the earlier ones are nearer.
    is_class : ndarray of shape (n_rows, n_classes) or (n_test, n_rows, n_classes)
        1 for the class of each sample, of all test samples or of each.
    n_neighbors : int
        How many vote.

    Returns
    -------
    ndarray of shape (n_test,)
        The predicted classes.
    """
    last = np.partition(D, n_neighbors - 1, axis=1)[:, n_neighbors - 1, None]
    nearer = np.less(D, last * (1 - EQUAL))
    equal = np.less_equal(D, last * (1 + EQUAL)) & ~nearer
    places = n_neighbors - nearer.sum(axis=1, keepdims=True)
    voters = nearer | (equal & (np.cumsum(equal, axis=1) <= places))
    if is_class.ndim == 2:
        return (voters @ is_class).argmax(axis=1)
    return np.einsum("ij,ijq->iq", voters.astype(np.intp), is_class).argmax(axis=1)
