import json

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_selection import RFE, SelectKBest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import minmax_scale
from sklearn.tree import DecisionTreeClassifier

from s2fs import S2FS, compare
from s2fs.baselines import AnovaF
from s2fs.evaluation import stratified_folds

X, Y = load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def several():
    tree = RFE(DecisionTreeClassifier(random_state=0))
    return compare(X, Y, k=[1, 2, 4], selectors=[S2FS(), SelectKBest(), tree])


def test_each_size_is_the_comparison_of_that_size_alone(several):
    assert several.sizes == [1, 2, 4]
    for k in several.sizes:
        tree = RFE(DecisionTreeClassifier(random_state=0))
        alone = compare(X, Y, k=k, selectors=[S2FS(), SelectKBest(), tree])
        assert alone.sizes == []
        for name, accuracies in several.at(k).accuracies.items():
            np.testing.assert_array_equal(accuracies, alone.accuracies[name])
            np.testing.assert_array_equal(several.at(k).predictions[name], alone.predictions[name])
        assert [row["n_features"] for row in several.at(k).rows] == [k, k, k, 13, 0]
    assert [row["accuracy"] for row in several.rows] == [
        row["accuracy"] for row in several.at(4).rows
    ]


def test_predictions_are_those_of_the_fold_that_had_not_seen_the_sample(several):
    folds = list(stratified_folds(Y, 5, random_state=0))
    predicted = np.full(len(Y), -1)
    for train, test in folds:
        chosen = S2FS(2).fit(X[train], Y[train]).indices_
        low, high = X[train].min(axis=0), X[train].max(axis=0)
        scaled = ((X - low) / (high - low))[:, chosen]
        model = KNeighborsClassifier(5).fit(scaled[train], Y[train])
        predicted[test] = model.predict(scaled[test])
    assert several.at(2).predictions["S2FS"].tolist() == predicted.tolist()
    shares = [(predicted[test] == Y[test]).mean() for _, test in folds]
    assert several.at(2).accuracies["S2FS"].tolist() == shares


def test_where_the_first_stands():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    noise = rng.normal(size=(60, 30))
    told_apart = np.column_stack([noise, y + rng.normal(scale=0.1, size=60)])
    result = compare(minmax_scale(told_apart), y, k=1, selectors=[S2FS(), AnovaF()])
    assert result.standing("chance") == "ahead of"
    assert result.standing("AnovaF") == "level with"
    against = compare(told_apart, y, k=1, selectors={"blind": SelectKBest(lambda X, y: -X.std(0))})
    mean, margin = against.difference("blind", "chance")
    expected = "level with" if abs(mean) <= margin else "ahead of" if mean > 0 else "behind"
    assert against.standing("chance") == expected
    assert json.loads(json.dumps(result.to_dict())) == result.to_dict()


@pytest.mark.parametrize("k", [0, [2, 2], [3, 1], [], "3", 1.5])
def test_wrong_numbers_of_features_are_refused(k):
    with pytest.raises(ValueError, match="whole number from 1, increasing ones, or None"):
        compare(X, Y, k=k, selectors=[AnovaF()])


def test_sizes_beyond_the_features_are_all_of_them():
    result = compare(X, Y, k=[1, 13, 40], selectors=[AnovaF()])
    assert result.sizes == [1, 13]
    with pytest.raises(ValueError, match="k is 40, but these sizes were compared: 1, 13"):
        result.at(40)
