"""Nearest neighbours for every prefix of a ranking."""

import numpy as np
from scipy.spatial.distance import cdist

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
    n_neighbors, n_classes = min(N_NEIGHBORS, len(A)), int(codes.max()) + 1
    predictions = np.empty((len(sizes), len(B)), dtype=np.intp)
    step = max(1, _BLOCK // len(A))
    for start in range(0, len(B), step):
        rows = slice(start, start + step)
        D, done = np.zeros((len(B[rows]), len(A))), 0
        for size, prediction in zip(sizes, predictions[:, rows], strict=True):
            D += cdist(B[rows, done:size], A[:, done:size], "sqeuclidean")
            done = size
            votes = codes[_find_nearest(D, n_neighbors)]
            prediction[:] = (votes[:, :, None] == np.arange(n_classes)).sum(axis=1).argmax(axis=1)
    return predictions


def _find_nearest(squares: Floats, n_neighbors: int) -> Indices:
    """The nearest rows of each test sample, by squared distances: (n_test, n_neighbors)."""
    last = np.partition(squares, n_neighbors - 1, axis=1)[:, n_neighbors - 1, None]
    nearer = squares < last * (1 - EQUAL)
    equal = (squares <= last * (1 + EQUAL)) & ~nearer
    places = n_neighbors - nearer.sum(axis=1, keepdims=True)
    nearest = nearer | (equal & (np.cumsum(equal, axis=1) <= places))
    return np.nonzero(nearest)[1].reshape(len(squares), n_neighbors)
