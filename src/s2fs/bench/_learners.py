"""The four learners of the paper, in forms that share work between the sizes of prefix.

Squared distances grow by one term per feature, so the Gaussian kernel of every size comes from one
running matrix, and trees share all nodes that a new feature does not change.
"""

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from s2fs._util.types import Floats, Indices
from s2fs.evaluation import LEARNERS

#: The penalty of the support vector machine; its kernel width is scikit-learn's "scale".
SVM_PENALTY = 10.0


def cart(A: Floats, codes: Indices, B: Floats, sizes: Indices) -> Indices:
    """Predict with classification trees grown until every leaf is pure (Gini impurity).

    Of splits equally good the one by the earlier feature of the ranking is taken, then the one at
    the lower value. Scikit-learn draws at random among features; where no such tie decides, the
    predictions are those of ``DecisionTreeClassifier()``.
    """
    from s2fs.bench import _tree  # compiled by numba, when it is first used

    return _tree.predict(A, codes, B, sizes)


def svm(A: Floats, codes: Indices, B: Floats, sizes: Indices) -> Indices:
    """Predict as ``SVC(C=10, gamma="scale")`` does, from the running distances.

    The solver follows the same path as scikit-learn's, up to rounding.
    """
    from s2fs.bench import _svm  # compiled by numba, when it is first used

    return _svm.predict(A, codes, B, sizes, SVM_PENALTY)


class EvenlySpacedKMeans(ClusterMixin, BaseEstimator):
    """k-means with as many clusters as classes, started from evenly spaced rows.

    One thread, so that sums are always taken in the same order.
    """

    def fit(self, X: Floats, y: Indices) -> "EvenlySpacedKMeans":
        """Cluster the rows ``X``; of their classes ``y`` only the number counts."""
        p = int(y.max()) + 1
        rows = initial_rows(len(X), p)
        with warnings.catch_warnings(), threadpool_limits(1):
            # A few discrete features may take fewer than p distinct values; clusters stay empty.
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.labels_ = KMeans(p, init=X[rows], n_init=1).fit_predict(X)
        return self

    def fit_predict(self, X: Floats, y: Any = None) -> Indices:
        """Cluster the rows and return their clusters."""
        return self.fit(X, y).labels_


def initial_rows(n: int, p: int) -> Indices:
    """The p evenly spaced rows of n that are the first centroids, counted from 0."""
    step = (n - 1) // (p - 1)
    start = (n - (p - 1) * step + 1) // 2
    return start - 1 + step * np.arange(p)


#: The learners of the paper: three classifiers, and k-means scored by mutual information.
PAPER_LEARNERS: dict[str, Any] = {
    "cart": cart,
    "knn": LEARNERS["knn"],
    "svm": svm,
    "kmeans": EvenlySpacedKMeans(),
}
#: What tables and figures call them.
LEARNER_TITLES = {"cart": "CART", "knn": "5-NN", "svm": "SVM", "kmeans": "k-means"}
#: Their settings, which are part of what identifies a run.
LEARNER_SETTINGS: dict[str, dict[str, Any]] = {
    "cart": {},
    "knn": {"n_neighbors": 5},
    "svm": {"C": SVM_PENALTY, "gamma": "scale"},
    "kmeans": {"init": "fixed"},
}


def score_name(learner: str) -> str:
    """What a learner of the paper is scored by."""
    return "mutual information" if learner == "kmeans" else "accuracy"
