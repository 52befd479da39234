"""Learners: what is trained on the top 1, 2, … features of a ranking."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_clusterer
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from s2fs._utils.messages import did_you_mean, format_count
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.logistic import logistic
from s2fs.criteria.neighbours import N_NEIGHBORS, knn
from s2fs.criteria.weights import ClassWeight

#: For each size the predicted classes, of shape (n_sizes, n_test), or the probabilities of all
#: classes, of shape (n_sizes, n_test, n_classes); from training samples with columns in ranked
#: order, their classes as 0, 1, …, test samples, and the sizes.
PredictPrefixes = Callable[[Floats, Indices, Floats, Indices], Indices | Floats]

#: The learners that have a name: ridge logistic regression, 5 nearest neighbours, a support vector
#: machine, a decision tree.
LEARNERS: dict[str, Any] = {
    "logistic": logistic,
    "knn": knn,
    "svm": SVC(C=10.0),
    "cart": DecisionTreeClassifier(random_state=0),
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
        is_estimator = hasattr(learner, "get_params") and not isinstance(learner, type)
        if is_estimator:
            is_learner = is_classifier(learner) or is_clusterer(learner)
        else:
            is_learner = is_plain(learner)
        if not is_learner:
            raise ValueError(
                f"learners has {learner!r} under {name!r}; give a classifier or a clusterer."
            )
    return dict(learners)


def resolve_learner(learner: Any) -> tuple[str, Any]:
    """The name of a classifier, and what predicts with it."""
    if isinstance(learner, str) and learner in LEARNERS:
        return learner, LEARNERS[learner]
    if isinstance(learner, str) or not is_classifier(learner):
        hint = did_you_mean(learner, LEARNERS) if isinstance(learner, str) else ""
        raise ValueError(
            f"learner is {learner!r}{hint}; choose from {', '.join(LEARNERS)}, or give a "
            "classifier."
        )
    return type(learner).__name__, learner


def find_class_weight(learner: Any) -> ClassWeight:
    """How much each class counts for a classifier, or for the last step of a pipeline."""
    last = learner.steps[-1][1] if isinstance(learner, Pipeline) else learner
    return getattr(last, "class_weight", None)


def is_plain(learner: Any) -> bool:
    """Whether a learner is a :data:`PredictPrefixes` and not an estimator."""
    return callable(learner) and not hasattr(learner, "get_params")


def check_n_train(learners: Mapping[str, Any], n_train: int) -> None:
    """Raise if there are too few training samples for the neighbours."""
    if knn in learners.values() and n_train < N_NEIGHBORS:
        raise ValueError(
            f"X_train has {format_count(n_train, 'sample')}, fewer than the {N_NEIGHBORS} "
            "neighbours of kNN; use more samples or leave out 'knn'."
        )


def predict_prefixes(
    learner: Any, X_train: Floats, codes: Indices, X_test: Floats, sizes: Indices
) -> Indices | Floats:
    """For each size what a learner says of the test samples: classes, or probabilities of all.

    The classes of the training samples are 0, 1, …; each is there. A classifier of scikit-learn
    says probabilities if it can. See :data:`PredictPrefixes`;
    :func:`s2fs.criteria.logistic.decide_classes` makes classes of either.
    """
    if is_plain(learner):
        predict: PredictPrefixes = learner
        return predict(X_train, codes, X_test, sizes)
    return np.array(
        [_predict(clone(learner).fit(X_train[:, :k], codes), X_test[:, :k]) for k in sizes]
    )


def _predict(fitted: Any, X_test: Floats) -> Indices | Floats:
    """The classes that a classifier predicts, or their probabilities if it has these."""
    if not hasattr(fitted, "predict_proba"):
        return np.asarray(fitted.predict(X_test), dtype=np.intp)
    return np.asarray(fitted.predict_proba(X_test), dtype=np.float64)


def score_clusters(clusterer: Any, X: Floats, codes: Indices, sizes: Indices) -> Floats:
    """Cluster the samples for each size; score by mutual information with their classes."""
    clusters = (clone(clusterer).fit_predict(X[:, :k], codes) for k in sizes)
    return np.array([compute_mutual_information(codes, labels) for labels in clusters])


def compute_mutual_information(codes: Indices, clusters: Indices) -> float:
    """The mutual information of classes and clusters over the mean of their entropies.

    As in scikit-learn, whose checks take longer than the clustering of a small dataset.
    """
    labels, clusters = np.unique(clusters, return_inverse=True)  # some call an outlier -1
    p, c = int(codes.max()) + 1, len(labels)
    joint = np.bincount(codes * c + clusters, minlength=p * c).reshape(p, c) / len(codes)
    by_class, by_cluster = _compute_entropy(joint.sum(axis=1)), _compute_entropy(joint.sum(axis=0))
    shared = by_class + by_cluster - _compute_entropy(joint.ravel())
    return max(0.0, 2 * shared / (by_class + by_cluster))


def _compute_entropy(shares: Floats) -> float:
    shares = shares[shares > 0]
    return -float(shares @ np.log(shares))
