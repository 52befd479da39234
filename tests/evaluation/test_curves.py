import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from s2fs.baselines import AnovaF
from s2fs.evaluation import FoldResult, evaluate_fold, pool_folds, prefix_curves, stratified_folds


class NeedsNames(AnovaF):
    def fit(self, X, y):
        assert list(X.columns) == list("abcd")
        return super().fit(X, y)


@pytest.fixture(scope="module")
def noise():
    rng = np.random.default_rng(5)
    return rng.normal(size=(60, 2000)), np.repeat([0, 1], 30)


def test_selection_before_the_split_flatters_noise(noise):
    sizes = [1, 2, 4, 8, 12, 16, 20]
    honest = prefix_curves(*noise, AnovaF(20), sizes=sizes)
    leaky = prefix_curves(*noise, AnovaF(20), sizes=sizes, protocol="before")
    assert (honest.leaky, leaky.leaky) == (False, True)
    for learner in ("cart", "knn", "svm"):
        # Nested sizes of 60 rows: the mean keeps the spread of one size, about 0.065.
        assert 0.3 < honest[learner].ave < 0.7
    assert abs(np.mean([honest[c].ave for c in ("cart", "knn", "svm")]) - 0.5) < 0.13
    for learner in ("knn", "svm"):
        assert leaky[learner].ave > 0.75
        assert leaky[learner].max >= 0.8
        assert leaky[learner].ave > honest[learner].ave + 0.25


def test_curves_equal_a_pipeline_in_cross_validation():
    X, y = make_classification(120, 12, n_informative=4, n_classes=3, random_state=0)
    names = np.array(["c", "a", "b"])[y]  # labels need not be numbers, nor sorted like the codes
    result = prefix_curves(X, names, AnovaF(6), learners=["svm", "knn"], cv=5, random_state=3)
    for size in (1, 4, 6):
        truth, svm, knn = [], [], []
        splits = StratifiedKFold(5, shuffle=True, random_state=3).split(X, names)
        for train, test in splits:
            selected = AnovaF(6).fit(X[train], names[train]).indices_[:size]
            for model, into in ((SVC(C=10), svm), (KNeighborsClassifier(5), knn)):
                model = make_pipeline(MinMaxScaler(), model)
                model.fit(X[train][:, selected], names[train])
                into.extend(model.predict(X[test][:, selected]))
            truth.extend(names[test])
        for learner, predicted in (("svm", svm), ("knn", knn)):
            scores = {name: values[size - 1] for name, values in result[learner].scores.items()}
            assert scores["accuracy"] == pytest.approx(accuracy_score(truth, predicted))
            assert scores["balanced_accuracy"] == pytest.approx(
                balanced_accuracy_score(truth, predicted)
            )
            assert scores["macro_f1"] == pytest.approx(f1_score(truth, predicted, average="macro"))


def test_scores_of_a_class_that_is_never_predicted():
    truth = np.array([0, 0, 1, 1, 2])
    predicted = np.array([[0, 1, 1, 1, 1], [0, 0, 0, 0, 0]])
    fold = FoldResult(np.array([1, 2]), np.array([4, 5]), truth, {"cart": predicted}, {})
    curve = pool_folds([fold])["cart"]
    for row in range(2):
        assert curve.scores["balanced_accuracy"][row] == pytest.approx(
            balanced_accuracy_score(truth, predicted[row])
        )
        assert curve.scores["macro_f1"][row] == pytest.approx(
            f1_score(truth, predicted[row], average="macro", zero_division=0)
        )
    assert (curve.max, curve.ave) == (pytest.approx(0.6), pytest.approx(0.5))


def test_accuracy_is_pooled_over_folds_of_unequal_size():
    sizes, ranking = np.array([1]), np.array([0])
    folds = [
        FoldResult(
            sizes, ranking, np.zeros(3), {"knn": np.zeros((1, 3))}, {"kmeans": np.array([0.2])}
        ),
        FoldResult(
            sizes, ranking, np.ones(1), {"knn": np.zeros((1, 1))}, {"kmeans": np.array([0.4])}
        ),
    ]
    curves = pool_folds(folds)
    assert curves["knn"].values == pytest.approx([3 / 4])
    assert curves["kmeans"].values == pytest.approx([0.3])


def test_nothing_of_the_test_rows_reaches_the_training():
    X, y = load_iris(return_X_y=True)
    train, test = next(stratified_folds(y))
    before = evaluate_fold(X[train], y[train], X[test], y[test], [2, 3, 0])
    outlier = X[test].copy()
    outlier[0] = 1e6
    after = evaluate_fold(X[train], y[train], outlier, y[test], [2, 3, 0])
    for learner in ("cart", "knn", "svm"):
        np.testing.assert_array_equal(
            before.predictions[learner][:, 1:], after.predictions[learner][:, 1:]
        )


def test_same_answer_in_parallel():
    X, y = load_iris(return_X_y=True)
    one = prefix_curves(X, y, AnovaF(3), cv=4)
    with parallel_config("threading"):
        two = prefix_curves(X, y, AnovaF(3), cv=4, n_jobs=2)
    for learner, curve in one.curves.items():
        np.testing.assert_array_equal(curve.values, two[learner].values)


def test_sizes():
    X, y = load_iris(return_X_y=True)
    all_sizes = prefix_curves(X, y, AnovaF(3), learners=["knn"], cv=3)
    assert all_sizes["knn"].sizes.tolist() == [1, 2, 3]
    some = prefix_curves(X, y, AnovaF(3), learners=["knn"], cv=3, sizes=[1, 3])
    np.testing.assert_array_equal(some["knn"].values, all_sizes["knn"].values[[0, 2]])
    assert len(prefix_curves(X, y, AnovaF(3), learners=["knn"], cv=3, sizes=2)["knn"].values) == 2


def test_small_classes_stay_in_every_training_fold():
    y = np.repeat([0, 1, 2, 3], [38, 21, 4, 9])  # as in ALL-AML-4
    folds = list(stratified_folds(y, 10))
    assert len(folds) == 10
    assert all(len(np.unique(y[train])) == 4 for train, _ in folds)
    assert sum((y[test] == 2).any() for _, test in folds) == 4
    np.testing.assert_array_equal(np.sort(np.concatenate([t for _, t in folds])), np.arange(72))


def test_no_more_folds_than_members_of_the_largest_class():
    assert len(list(stratified_folds([0] * 4 + [1] * 3, 10))) == 4


def test_the_selector_sees_a_data_frame():
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=list("abcd"))
    named = prefix_curves(frame, y, NeedsNames(2), learners=["cart"], cv=3)
    plain = prefix_curves(X, y, AnovaF(2), learners=["cart"], cv=3)
    np.testing.assert_array_equal(named["cart"].values, plain["cart"].values)


def test_bundled_data_gives_sensible_scores():
    X, y = load_iris(return_X_y=True)
    result = prefix_curves(X, y, AnovaF(2))
    assert result.n_splits == len(result.rankings) == 10
    for curve in result.curves.values():
        assert 0.75 < curve.ave <= curve.max <= 1


class Unranked(BaseEstimator):
    def fit(self, X, y):
        return self


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"protocol": "after"}, "protocol is 'after'"),
        ({"learners": ["svn"]}, "did you mean 'svm'"),
        ({"sizes": [1, 9]}, "sizes goes up to 9"),
        ({"sizes": [2, 1]}, "sizes is"),
        ({"sizes": 0}, "sizes is 0"),
        ({"cv": 1}, "cv is 1"),
        ({"y": [0] * 149 + [1]}, "single member"),
        ({"y": [0] * 150}, "one class only"),
        ({"y": [0, 1]}, "inconsistent numbers"),
        ({"selector": Unranked()}, "no indices_"),
    ],
)
def test_errors(change, message):
    X, y = load_iris(return_X_y=True)
    arguments = {"X": X, "y": y, "selector": AnovaF(2), "cv": 3, **change}
    with pytest.raises((ValueError, TypeError), match=message):
        prefix_curves(**arguments)


def test_too_few_rows_for_five_neighbours():
    X = np.arange(8.0).reshape(4, 2)
    with pytest.raises(ValueError, match="fewer than the 5 neighbours"):
        evaluate_fold(X, [0, 0, 1, 1], X, [0, 0, 1, 1], [0, 1])


def test_folds_run_differently_are_not_pooled():
    X, y = load_iris(return_X_y=True)
    a = evaluate_fold(X, y, X, y, [0, 1], learners=["cart"])
    b = evaluate_fold(X, y, X, y, [0], learners=["cart"])
    with pytest.raises(ValueError, match="differ"):
        pool_folds([a, b])
    with pytest.raises(ValueError, match="empty"):
        pool_folds([])
