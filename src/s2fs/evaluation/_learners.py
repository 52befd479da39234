"""The four learners of the paper, each run on the top 1, 2, … features of a ranking.

The features of a prefix are those of the one before and one more, so squared distances grow by one
term per feature: kNN and the Gaussian kernel take every size from one running matrix. All
functions take the training rows ``A`` and the test rows ``B`` with columns in ranked order.
"""

import warnings
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from s2fs._criterion import EQUAL

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

N_NEIGHBORS = 5
#: The penalty of the support vector machine; its kernel width is scikit-learn's "scale".
SVM_PENALTY = 10.0


def cart(A: Floats, codes: Indices, B: Floats, sizes: Indices, random_state: int) -> Indices:
    """Predict with a classification tree grown afresh for each size."""
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(random_state=random_state)
    return np.array([tree.fit(A[:, :k], codes).predict(B[:, :k]) for k in sizes])


def knn(A: Floats, codes: Indices, B: Floats, sizes: Indices) -> Indices:
    """Predict with the five nearest neighbours; equal votes go to the smaller label.

    Of training rows equally far, up to rounding, the earlier ones are nearer. Scikit-learn leaves
    that choice to rounding, to the order of its heap and to the number of threads; where no such
    tie decides, the predictions are those of ``KNeighborsClassifier(5, algorithm="brute")``.
    """
    return np.array([_vote(D, codes) for _, D in running_squared_distances(B, A, sizes)])


def svm(A: Floats, codes: Indices, B: Floats, sizes: Indices) -> Indices:
    """Predict as ``SVC(C=10, gamma="scale")`` does, from the running kernel."""
    from sklearn.svm import SVC

    machine = SVC(C=SVM_PENALTY, kernel="precomputed")
    predictions = []
    within = running_squared_distances(A, A, sizes)
    across = running_squared_distances(B, A, sizes)
    for (k, train), (_, test) in zip(within, across, strict=True):
        gamma = scale_gamma(A[:, :k])
        machine.fit(np.exp(-gamma * train), codes)
        predictions.append(machine.predict(np.exp(-gamma * test)))
    return np.array(predictions)


def kmeans(A: Floats, codes: Indices, sizes: Indices) -> Floats:
    """Cluster the training rows into as many clusters as classes; score by NMI with the labels."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.metrics import normalized_mutual_info_score

    p = int(codes.max()) + 1
    rows = initial_rows(len(A), p)
    scores = []
    with warnings.catch_warnings():
        # A few discrete features may take fewer than p distinct values; clusters then stay empty.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for k in sizes:
            clusters = KMeans(p, init=A[rows, :k], n_init=1).fit_predict(A[:, :k])
            scores.append(normalized_mutual_info_score(codes, clusters))
    return np.array(scores)


def initial_rows(n: int, p: int) -> Indices:
    """The p evenly spaced rows of n that are the first centroids, counted from 0."""
    step = (n - 1) // (p - 1)
    start = (n - (p - 1) * step + 1) // 2
    return start - 1 + step * np.arange(p)


def scale_gamma(A: Floats) -> float:
    """Kernel width by scikit-learn's rule: 1 over the number of features times their variance."""
    variance = float(A.var())
    return 1 / (A.shape[1] * variance) if variance > 0 else 1.0


def running_squared_distances(
    rows: Floats, columns: Floats, sizes: Indices
) -> Iterator[tuple[int, Floats]]:
    """Yield each size with the squared distances between rows on that many features.

    The matrix is the same one each time: use it before asking for the next.
    """
    D = np.zeros((len(rows), len(columns)))
    term = np.empty_like(D)
    done = 0
    for k in map(int, sizes):
        for f in range(done, k):
            np.subtract.outer(rows[:, f], columns[:, f], out=term)
            term *= term
            D += term
        done = k
        yield k, D


def _vote(D: Floats, codes: Indices) -> Indices:
    """Majority among the nearest columns of each row."""
    n, p = len(D), int(codes.max()) + 1
    if D.shape[1] == N_NEIGHBORS:
        neighbours = np.broadcast_to(np.arange(N_NEIGHBORS), D.shape)
    else:
        nearest = np.argpartition(D, N_NEIGHBORS, axis=1)[:, : N_NEIGHBORS + 1]
        neighbours, next_one = nearest[:, :-1], nearest[:, -1:]
        furthest = np.take_along_axis(D, neighbours, axis=1).max(axis=1)
        beyond = np.take_along_axis(D, next_one, axis=1)[:, 0]
        for row in np.flatnonzero(beyond <= furthest * (1 + EQUAL)):
            neighbours[row] = _first_among_equals(D[row], furthest[row])
    votes = np.bincount(
        (np.arange(n)[:, None] * p + codes[neighbours]).ravel(), minlength=n * p
    ).reshape(n, p)
    return votes.argmax(axis=1)


def _first_among_equals(distances: Floats, furthest: float) -> Indices:
    """The neighbours where several rows lie as far as the last one: the earlier of those."""
    nearer = np.flatnonzero(distances < furthest * (1 - EQUAL))
    at_distance = np.abs(distances - furthest) <= furthest * EQUAL
    return np.concatenate([nearer, np.flatnonzero(at_distance)[: N_NEIGHBORS - len(nearer)]])
