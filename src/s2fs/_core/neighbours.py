"""Nearest neighbours on the first 1, 2, … features of a ranking, in plain NumPy."""

import numpy as np
from numpy.typing import NDArray

from s2fs._criterion import EQUAL

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Distances held at a time.
_BLOCK = 1 << 20


def predict(A: Floats, codes: Indices, B: Floats, sizes: Indices, n_neighbors: int) -> Indices:
    """Classes of the rows of B by the nearest rows of A, on the first columns of each size.

    Of rows equally far, up to rounding, the earlier ones are nearer; equal votes go to the smaller
    class. Where A has fewer rows than ``n_neighbors``, all of them vote.

    Parameters
    ----------
    A, B : ndarray of shape (n_train, n_features) and (n_test, n_features)
        Training and test rows, columns in ranked order.
    codes : ndarray of shape (n_train,)
        Class of each training row.
    sizes : ndarray of shape (n_sizes,)
        Increasing numbers of first columns to use.
    n_neighbors : int
        How many rows vote.

    Returns
    -------
    ndarray of shape (n_sizes, n_test)
        Predicted classes.

    Examples
    --------
    >>> import numpy as np
    >>> from s2fs._core.neighbours import predict
    >>> A = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> predict(A, np.array([0, 1, 1]), np.array([[0.1, 0.0]]), np.array([1, 2]), 1)
    array([[0],
           [1]])
    """
    k, p = min(n_neighbors, len(A)), int(codes.max()) + 1
    predictions = np.empty((len(sizes), len(B)), dtype=np.intp)
    is_class = (codes[:, None] == np.arange(p)).astype(np.intp)
    step = max(1, _BLOCK // len(A))
    for start in range(0, len(B), step):
        rows = slice(start, start + step)
        D, done = np.zeros((len(B[rows]), len(A))), 0
        for size, prediction in zip(sizes, predictions[:, rows], strict=True):
            for f in range(done, size):
                D += (B[rows, f, None] - A[:, f]) ** 2
            done = size
            last = np.partition(D, k - 1, axis=1)[:, k - 1, None]
            low, high = last * (1 - EQUAL), last * (1 + EQUAL)
            nearer = np.less(D, low)
            equal = np.less_equal(D, high) & ~nearer
            places = k - nearer.sum(axis=1, keepdims=True)
            voters = nearer | (equal & (np.cumsum(equal, axis=1) <= places))
            prediction[:] = (voters @ is_class).argmax(axis=1)
    return predictions
