"""Nearest neighbours for every prefix of a ranking.

The features of a prefix are those of the one before and one more, so squared distances grow by one
term per feature and all sizes come from one running matrix.
"""

import numpy as np

from s2fs._util.types import Floats, Indices

#: How many neighbours vote.
N_NEIGHBORS = 5


def knn(A: Floats, codes: Indices, B: Floats, sizes: Indices) -> Indices:
    """Predict with the five nearest neighbours; equal votes go to the smaller label.

    Of training rows equally far, up to rounding, the earlier ones are nearer. Scikit-learn leaves
    that choice to rounding, to the order of its heap and to the number of threads; where no such
    tie decides, the predictions are those of ``KNeighborsClassifier(5, algorithm="brute")``.

    Parameters
    ----------
    A : ndarray of shape (n_train, n_ranked)
        The training rows, with columns in ranked order.
    codes : ndarray of shape (n_train,)
        Their classes, as 0, 1, ….
    B : ndarray of shape (n_test, n_ranked)
        The test rows.
    sizes : ndarray of shape (n_sizes,)
        How many of the first columns to use, increasing.

    Returns
    -------
    ndarray of shape (n_sizes, n_test)
        The predicted classes.
    """
    from s2fs._engine.distances import vote_of_nearest

    test, train = np.ascontiguousarray(B.T), np.ascontiguousarray(A.T)
    D, p = np.zeros((len(B), len(A))), int(codes.max()) + 1
    near = np.full((len(B), N_NEIGHBORS + 1), -1)
    predictions, done = np.empty((len(sizes), len(B)), dtype=np.intp), 0
    for k, prediction in zip(sizes, predictions, strict=True):
        new = slice(done, k)
        vote_of_nearest(D, test[new], train[new], near, codes, p, prediction)
        done = k
    return predictions
