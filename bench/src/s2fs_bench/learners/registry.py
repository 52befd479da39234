"""The learners of the bench: the paper's, in forms that share work between sizes, and others.

Squared distances grow by one term per feature, so the Gaussian kernel of every size comes from one
running matrix, and trees share all nodes that a new feature does not change.
"""

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from s2fs._utils.threads import use_one_thread
from s2fs._utils.types import Floats, Indices
from s2fs.evaluation import LEARNERS

#: The penalty of the support vector machine; its kernel width is scikit-learn's "scale".
SVM_PENALTY = 10.0
#: The number of trees of the random forest.
FOREST_TREES = 100


def cart(A: Floats, codes: Indices, B: Floats, sizes: Indices) -> Indices:
    """Predict with classification trees grown until every leaf is pure (Gini impurity).

    Of splits equally good the one by the earlier feature of the ranking is taken, then the one at
    the lower value. Scikit-learn draws at random among features; where no such tie decides, the
    predictions are those of ``DecisionTreeClassifier()``.
    """
    from s2fs_bench.learners import tree  # compiled by numba, when it is first used

    return tree.predict(A, codes, B, sizes)


def svm(
    A: Floats, codes: Indices, B: Floats, sizes: Indices, *, gamma: str | float = "scale"
) -> Indices:
    """Predict as ``SVC(C=10, gamma=gamma)`` does, from the running distances.

    The solver follows the same path as scikit-learn's, up to rounding.
    """
    from s2fs_bench.learners import svm  # compiled by numba, when it is first used

    return svm.predict(A, codes, B, sizes, SVM_PENALTY, gamma)


def forest(A: Floats, codes: Indices, B: Floats, sizes: Indices) -> Indices:
    """Predict as ``RandomForestClassifier(100)`` does, with random numbers of its own."""
    from s2fs_bench.learners import forest  # compiled by numba, when it is first used

    return forest.predict(A, codes, B, sizes, n_trees=FOREST_TREES)


class EvenlySpacedKMeans(ClusterMixin, BaseEstimator):
    """k-means with as many clusters as classes, started from evenly spaced samples.

    One thread, so that sums are always taken in the same order.
    """

    def fit(self, X: Floats, y: Indices) -> "EvenlySpacedKMeans":
        """Cluster the samples ``X``; of their classes ``y`` only the number counts."""
        p = int(y.max()) + 1
        rows = find_initial_samples(len(X), p)
        with warnings.catch_warnings(), use_one_thread():
            # A few discrete features may take fewer than p distinct values; clusters stay empty.
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.labels_ = KMeans(p, init=X[rows], n_init=1).fit_predict(X)
        return self

    def fit_predict(self, X: Floats, y: Any = None) -> Indices:
        """Cluster the samples and return their clusters."""
        return self.fit(X, y).labels_


def find_initial_samples(n: int, p: int) -> Indices:
    """The p evenly spaced samples of n that are the first centroids, counted from 0."""
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
#: Every learner that a plan can name: the paper's, and three more.
BENCH_LEARNERS: dict[str, Any] = {
    **PAPER_LEARNERS,
    "logistic": LogisticRegression(max_iter=1000),
    "forest": forest,
    "bayes": GaussianNB(),
}
#: What tables and figures call them.
LEARNER_TITLES = {
    "cart": "CART",
    "knn": "5-NN",
    "svm": "SVM",
    "kmeans": "k-means",
    "logistic": "logistic regression",
    "forest": "random forest",
    "bayes": "naive Bayes",
}
#: The scores a plan can ask for, and what tables call them.
SCORES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "macro_f1": "macro F1",
}
_SETTINGS: dict[str, dict[str, Any]] = {
    "cart": {},
    "knn": {"n_neighbors": 5},
    "svm": {"C": SVM_PENALTY, "gamma": "scale"},
    "kmeans": {"init": "fixed"},
    "forest": {"n_estimators": FOREST_TREES},
}


def learner_settings(name: str) -> dict[str, Any]:
    """The settings of a learner, which are part of what identifies a run."""
    if name in _SETTINGS:
        return _SETTINGS[name]
    learner = BENCH_LEARNERS[name]
    # What is spelt out here; scikit-learn adds parameters to its classes from time to time.
    default = type(learner)().get_params()
    return {k: v for k, v in learner.get_params().items() if v != default[k]}


def score_name(learner: str, score: str = "accuracy") -> str:
    """What a learner is scored by."""
    return "mutual information" if learner == "kmeans" else SCORES[score]
