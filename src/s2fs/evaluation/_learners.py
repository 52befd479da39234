"""The four learners of the paper, each run on the top 1, 2, … features of a ranking.

The features of a prefix are those of the one before and one more, so squared distances grow by one
term per feature: kNN and the Gaussian kernel take every size from one running matrix, and trees
share all nodes that the new feature does not change. All functions take the training rows ``A``
and the test rows ``B`` with columns in ranked order.
"""

import warnings

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

N_NEIGHBORS = 5
#: The penalty of the support vector machine; its kernel width is scikit-learn's "scale".
SVM_PENALTY = 10.0


def cart(A: Floats, codes: Indices, B: Floats, sizes: Indices) -> Indices:
    """Predict with classification trees grown until every leaf is pure (Gini impurity).

    Of splits equally good the one by the earlier feature of the ranking is taken, then the one at
    the lower value. Scikit-learn draws lots among features; where no such tie decides, the
    predictions are those of ``DecisionTreeClassifier()``.
    """
    from s2fs.evaluation import _tree

    return _tree.predict(A, codes, B, sizes)


def knn(A: Floats, codes: Indices, B: Floats, sizes: Indices) -> Indices:
    """Predict with the five nearest neighbours; equal votes go to the smaller label.

    Of training rows equally far, up to rounding, the earlier ones are nearer. Scikit-learn leaves
    that choice to rounding, to the order of its heap and to the number of threads; where no such
    tie decides, the predictions are those of ``KNeighborsClassifier(5, algorithm="brute")``.
    """
    from s2fs.evaluation import _kernels

    test, train = np.ascontiguousarray(B.T), np.ascontiguousarray(A.T)
    D, p = np.zeros((len(B), len(A))), int(codes.max()) + 1
    near = np.full((len(B), N_NEIGHBORS + 1), -1)
    predictions, done = np.empty((len(sizes), len(B)), dtype=np.intp), 0
    for k, prediction in zip(sizes, predictions, strict=True):
        new = slice(done, k)
        _kernels.vote_of_nearest(D, test[new], train[new], near, codes, p, prediction)
        done = k
    return predictions


def svm(A: Floats, codes: Indices, B: Floats, sizes: Indices) -> Indices:
    """Predict as ``SVC(C=10, gamma="scale")`` does, from the running distances.

    The solver follows the same path as scikit-learn's, up to rounding.
    """
    from s2fs.evaluation import _svm

    return _svm.predict(A, codes, B, sizes, SVM_PENALTY)


def kmeans(A: Floats, codes: Indices, sizes: Indices) -> Floats:
    """Cluster the training rows into as many clusters as classes; score by NMI with the labels."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    p = int(codes.max()) + 1
    rows = initial_rows(len(A), p)
    scores = []
    with warnings.catch_warnings():
        # A few discrete features may take fewer than p distinct values; clusters then stay empty.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for k in sizes:
            clusters = KMeans(p, init=A[rows, :k], n_init=1).fit_predict(A[:, :k])
            scores.append(normalised_mutual_information(codes, clusters))
    return np.array(scores)


def normalised_mutual_information(codes: Indices, clusters: Indices) -> float:
    """Mutual information of classes and clusters over the mean of their entropies.

    As in scikit-learn, whose checks take longer than the clustering of a small dataset.
    """
    p, c = int(codes.max()) + 1, int(clusters.max()) + 1
    joint = np.bincount(codes * c + clusters, minlength=p * c).reshape(p, c) / len(codes)
    by_class, by_cluster = _entropy(joint.sum(axis=1)), _entropy(joint.sum(axis=0))
    shared = by_class + by_cluster - _entropy(joint.ravel())
    return max(0.0, 2 * shared / (by_class + by_cluster))


def _entropy(shares: Floats) -> float:
    shares = shares[shares > 0]
    return -float(shares @ np.log(shares))


def initial_rows(n: int, p: int) -> Indices:
    """The p evenly spaced rows of n that are the first centroids, counted from 0."""
    step = (n - 1) // (p - 1)
    start = (n - (p - 1) * step + 1) // 2
    return start - 1 + step * np.arange(p)
