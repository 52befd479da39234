"""Learners, each run on the top 1, 2, … features of a ranking."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_clusterer
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from s2fs._core.neighbours import N_NEIGHBORS
from s2fs._engine.neighbours import knn
from s2fs._util.messages import did_you_mean
from s2fs._util.types import Floats, Indices

#: Predicted classes for each size, from training rows with columns in ranked order, their classes
#: as 0, 1, …, test rows, and the sizes.
PredictPrefixes = Callable[[Floats, Indices, Floats, Indices], Indices]

#: The learners that have a name: 5 nearest neighbours, a support vector machine, a decision tree,
#: logistic regression.
LEARNERS: dict[str, Any] = {
    "knn": knn,
    "svm": SVC(C=10.0),
    "cart": DecisionTreeClassifier(random_state=0),
    "logistic": LogisticRegression(max_iter=1000),
}


def resolve_learners(learners: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """The learners by name; in a dict each is an estimator or a :data:`PredictPrefixes`."""
    if not isinstance(learners, Mapping):
        unknown = [name for name in learners if name not in LEARNERS]
        if unknown:
            hint = did_you_mean(str(unknown[0]), LEARNERS)
            raise ValueError(
                f"learners has {unknown[0]!r}{hint}; choose from {', '.join(LEARNERS)}, or give a "
                "dict of names and scikit-learn estimators."
            )
        return {name: LEARNERS[name] for name in learners}
    for name, learner in learners.items():
        estimator = hasattr(learner, "get_params") and not isinstance(learner, type)
        known = is_classifier(learner) or is_clusterer(learner) if estimator else is_plain(learner)
        if not known:
            raise ValueError(
                f"learners has {learner!r} under {name!r}; give a classifier or a clusterer."
            )
    return dict(learners)


def is_plain(learner: Any) -> bool:
    """Whether a learner is a :data:`PredictPrefixes` and not an estimator."""
    return callable(learner) and not hasattr(learner, "get_params")


def check_rows(learners: Mapping[str, Any], n_train: int) -> None:
    """Raise if there are too few training rows for the neighbours."""
    if knn in learners.values() and n_train < N_NEIGHBORS:
        raise ValueError(
            f"X_train has {n_train} row(s), fewer than the {N_NEIGHBORS} neighbours of kNN; use "
            "more rows or leave out 'knn'."
        )


def predict_prefixes(
    learner: Any, X_train: Floats, codes: Indices, X_test: Floats, sizes: Indices
) -> Indices:
    """The predicted classes of the test rows for each size."""
    if is_plain(learner):
        predict: PredictPrefixes = learner
        return predict(X_train, codes, X_test, sizes)
    return np.array(
        [clone(learner).fit(X_train[:, :k], codes).predict(X_test[:, :k]) for k in sizes]
    )


def mutual_information(clusterer: Any, X: Floats, codes: Indices, sizes: Indices) -> Floats:
    """Cluster the rows for each size; score by mutual information with their classes."""
    clusters = (clone(clusterer).fit_predict(X[:, :k], codes) for k in sizes)
    return np.array([normalised_mutual_information(codes, found) for found in clusters])


def normalised_mutual_information(codes: Indices, clusters: Indices) -> float:
    """Mutual information of classes and clusters over the mean of their entropies.

    As in scikit-learn, whose checks take longer than the clustering of a small dataset.
    """
    found, clusters = np.unique(clusters, return_inverse=True)  # some call an outlier -1
    p, c = int(codes.max()) + 1, len(found)
    joint = np.bincount(codes * c + clusters, minlength=p * c).reshape(p, c) / len(codes)
    by_class, by_cluster = _entropy(joint.sum(axis=1)), _entropy(joint.sum(axis=0))
    shared = by_class + by_cluster - _entropy(joint.ravel())
    return max(0.0, 2 * shared / (by_class + by_cluster))


def _entropy(shares: Floats) -> float:
    shares = shares[shares > 0]
    return -float(shares @ np.log(shares))
