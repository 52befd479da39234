"""Learners on prefixes: against scikit-learn, fitted from scratch on every prefix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, KMeans
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import normalized_mutual_info_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from prefixes import SIZES, continuous_rows, from_scratch, split
from s2fs.criteria.logistic import decide_classes
from s2fs.evaluation import LEARNERS, evaluate_fold, prefix_curves
from s2fs.evaluation.learners import predict_prefixes
from strategies import examples

knn = LEARNERS["knn"]


def neighbours_may_vote(X_train, codes, b, answer, slack=1e-9):
    """Whether some choice among equally far training rows makes the answer a first majority.

    Rows are equally far if their squared distances differ by no more than the rounding of
    scikit-learn's expansion |a|² + |b|² − 2ab, hence a slack on the scale of the norms.
    """
    p = codes.max() + 1
    d = ((X_train - b) ** 2).sum(axis=1)
    slack = slack * (1 + d.max() + (b**2).sum())
    last = np.sort(d)[4]
    sure = np.bincount(codes[d < last - slack], minlength=p)
    open_rows = np.bincount(codes[np.abs(d - last) <= slack], minlength=p)
    places = 5 - sure.sum()
    # Give the answer as many of the open places as there are, then spread the rest.
    given_to_answer = min(open_rows[answer], places)
    best = sure[answer] + given_to_answer
    room = sum(
        min(open_rows[c], max(0, best - sure[c] - (c < answer))) for c in range(p) if c != answer
    )
    beaten = any(sure[c] >= best + (c > answer) for c in range(p) if c != answer)
    return not beaten and room >= places - given_to_answer


def clear_cut(X_train, codes, b):
    """Whether no tie at the last place decides: the sixth neighbour is clearly further."""
    d = np.sort(((X_train - b) ** 2).sum(axis=1))
    return len(d) == 5 or d[5] - d[4] > 1e-9 * (1 + d[-1] + (b**2).sum())


def assert_knn_is_scikit_learns(X_train, codes, X_test, sizes):
    """Equal predictions, but where a tie decides; returns the share that is equal."""
    ours = knn(X_train, codes, X_test, sizes)
    theirs = from_scratch(KNeighborsClassifier(5, algorithm="brute"), X_train, codes, X_test, sizes)
    for step, row in zip(*np.nonzero(ours != theirs), strict=True):
        k = sizes[step]
        assert not clear_cut(X_train[:, :k], codes, X_test[row, :k])
        for answer in (ours[step, row], theirs[step, row]):
            assert neighbours_may_vote(X_train[:, :k], codes, X_test[row, :k], answer)
    return (ours == theirs).mean()


class ByPosition(BaseEstimator):
    """Ranks the columns as they come."""

    def fit(self, X, y):
        self.indices_ = np.arange(X.shape[1])
        return self


class Given(ClusterMixin, BaseEstimator):
    """Clusters that are known before."""

    def __init__(self, clusters):
        self.clusters = clusters

    def fit_predict(self, X, y=None):
        return self.clusters


@pytest.fixture(scope="module")
def continuous():
    return continuous_rows()


def test_knn_without_ties(continuous):
    X_train, codes, X_test = continuous
    ours = knn(X_train, codes, X_test, SIZES)
    theirs = from_scratch(KNeighborsClassifier(5, algorithm="brute"), X_train, codes, X_test, SIZES)
    np.testing.assert_array_equal(ours, theirs)


@examples(60)
@given(st.integers(5, 40), st.integers(2, 4), st.integers(1, 5), st.integers(0, 10**6))
def test_knn_with_many_ties(n, p, levels, seed):
    rng = np.random.default_rng(seed)
    X_train = rng.integers(0, levels + 1, (n, 6)) / levels
    X_test = rng.integers(0, levels + 1, (15, 6)) / levels
    codes = np.r_[np.arange(p), rng.integers(0, p, n - p)]
    assert_knn_is_scikit_learns(X_train, codes, X_test, np.arange(1, 7))


def test_knn_ties_go_to_the_earlier_row_and_the_smaller_label():
    # Seven rows as far from the test row as each other: the first five vote 2, 2, 0, 0, 1.
    X_train = np.array([[0.0], [1.0]])[[0, 1, 0, 1, 0, 1, 0]]
    codes = np.array([2, 2, 0, 0, 1, 1, 1])
    assert knn(X_train, codes, np.array([[0.5]]), np.array([1])).tolist() == [[0]]


def test_sizes_may_skip(continuous):
    X_train, codes, X_test = continuous
    some = np.array([2, 3, 17])
    every = knn(X_train, codes, X_test, SIZES)
    np.testing.assert_array_equal(knn(X_train, codes, X_test, some), every[some - 1])


def test_named_learners_are_scikit_learns(continuous):
    X_train, codes, X_test = continuous
    fold = evaluate_fold(X_train, codes, X_test, codes[: len(X_test)], np.arange(5))
    assert list(fold.predictions) == ["knn", "svm", "cart"]
    fold = evaluate_fold(
        X_train, codes, X_test, codes[: len(X_test)], np.arange(5), learners=list(LEARNERS)
    )
    scaler = MinMaxScaler().fit(X_train)
    rows = scaler.transform(X_train), codes, scaler.transform(X_test), SIZES[:5]
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10, max_iter=10_000)),
        "knn": KNeighborsClassifier(5),
        "svm": SVC(C=10.0),
        "cart": DecisionTreeClassifier(random_state=0),
    }
    for name, model in models.items():
        np.testing.assert_array_equal(fold.predictions[name], from_scratch(model, *rows))


def test_what_learners_answer(continuous):
    """Probabilities of all classes where a learner has them, else classes."""
    X_train, codes, X_test = continuous
    sizes, p = np.array([2, 7]), codes.max() + 1
    for learner in (LEARNERS["logistic"], GaussianNB(), SVC(C=10.0), LEARNERS["knn"]):
        answers = predict_prefixes(learner, X_train, codes, X_test, sizes)
        has_probabilities = learner is LEARNERS["logistic"] or hasattr(learner, "predict_proba")
        assert answers.shape == (2, len(X_test), p)[: 3 if has_probabilities else 2]
        classes = decide_classes(answers)
        if has_probabilities:
            np.testing.assert_allclose(answers.sum(axis=2), 1)
            np.testing.assert_array_equal(classes, answers.argmax(axis=2))
        if not callable(learner):
            np.testing.assert_array_equal(
                classes, from_scratch(learner, X_train, codes, X_test, sizes)
            )


def test_of_equal_probabilities_the_first_class():
    answers = np.array([[[0.2, 0.4, 0.4], [0.4 - 1e-15, 0.2, 0.4], [0.3, 0.3, 0.4]]])
    assert decide_classes(answers).tolist() == [[1, 0, 2]]
    assert decide_classes(np.array([[2, 0]])).tolist() == [[2, 0]]


def test_any_classifier_can_be_given(continuous):
    X_train, codes, X_test = continuous
    labels = np.array(list("edcba"))[codes]
    learners = {"bayes": GaussianNB(), "pipeline": make_pipeline(StandardScaler(), GaussianNB())}
    fold = evaluate_fold(X_train, labels, X_test, [], np.arange(30), learners=learners)
    scaler = MinMaxScaler().fit(X_train)
    rows = scaler.transform(X_train), labels, scaler.transform(X_test), SIZES
    for name, model in learners.items():
        np.testing.assert_array_equal(fold.predictions[name], from_scratch(model, *rows))
    assert not fold.nmi


def test_any_clusterer_can_be_given(continuous):
    X, codes, _ = continuous
    learners = {"kmeans": KMeans(5, n_init=1, random_state=0), "dbscan": DBSCAN(eps=0.1)}
    result = prefix_curves(X, codes, ByPosition(), learners=learners, cv=2, sizes=[1, 2])
    fold = evaluate_fold(X, codes, X, codes, [0, 1], learners=learners)
    scaled = MinMaxScaler().fit_transform(X)
    for name, model in learners.items():
        assert list(result[name].scores) == ["nmi"]
        for k in (1, 2):
            clusters = model.fit_predict(scaled[:, :k])
            theirs = normalized_mutual_info_score(codes, clusters)
            assert fold.nmi[name][k - 1] == pytest.approx(theirs)
    assert -1 in clusters  # DBSCAN's outliers
    assert not fold.predictions


def test_a_function_sees_the_columns_in_ranked_order():
    X = np.array([[0.0, 5], [1, 6], [2, 7], [4, 9]])

    def first_column(X_train, codes, X_test, sizes):
        np.testing.assert_array_equal(X_train, MinMaxScaler().fit_transform(X[:, [1, 0]]))
        return np.array([(X_test[:, 0] > 0.3).astype(int) for _ in sizes])

    fold = evaluate_fold(X, list("aabb"), X, [], [1, 0], learners={"own": first_column})
    assert fold.predictions["own"].tolist() == [list("aabb")] * 2


@pytest.mark.parametrize("learner", [LinearRegression(), GaussianNB, MinMaxScaler(), "knn", None])
def test_what_is_no_learner_is_refused(learner):
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(ValueError, match=r"under 'mine'; give a classifier or a clusterer"):
        evaluate_fold(X, [0, 1] * 3, X, [0, 1] * 3, [0, 1], learners={"mine": learner})


@examples(60)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=30))
def test_mutual_information(pairs):
    labels, clusters = np.array([*pairs, (0, 0), (1, 0)]).T
    X = np.zeros((len(labels), 1))
    learners = {"given": Given(clusters)}
    ours = evaluate_fold(X, labels, X, labels, [0], learners=learners).nmi["given"]
    assert ours == pytest.approx(normalized_mutual_info_score(labels, clusters), abs=1e-12)


@pytest.mark.parametrize(
    "name", ["all_aml_4", "glioma", "isolet", "orl", "srbct", "warpar10p", "yale"]
)
def test_real_data(paper_data, name):
    rows = split(*paper_data(name), 150)
    sizes = np.array([1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 150])
    # Grey levels are small integers, so that a few of them leave many rows equally far.
    assert assert_knn_is_scikit_learns(*rows, sizes) > 0.9
