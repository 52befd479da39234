import json

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import minmax_scale

from s2fs import S2FS
from s2fs.baselines import FDM
from s2fs.datasets import Dataset, load_srbct
from s2fs.evaluation import stratified_folds
from s2fs.report import suggested_size, summarise_selection
from s2fs.report._summary import scaled_columns


@pytest.fixture(scope="module")
def srbct():
    data = load_srbct()
    selector = S2FS(8).fit(data.X, data.y)
    return data, selector, summarise_selection(data, selector)


def test_is_plain(srbct):
    summary = srbct[-1]
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_ranking_is_the_path(srbct):
    data, selector, summary = srbct
    assert [row["rank"] for row in summary["ranking"]] == list(range(1, 9))
    for row, step in zip(summary["ranking"], selector.path_, strict=True):
        assert row["feature"] == data.feature_names[step["feature"]]
        for name in ("sep", "gain", "theta_dis", "theta_dir", "lambda_dis", "lambda_dir"):
            assert row[name] == step[name]


def test_describes_the_data(srbct):
    summary = srbct[-1]
    assert summary["data"]["n_samples"] == 83
    assert summary["data"]["n_features"] == 2308
    sizes = {one["name"]: one["size"] for one in summary["data"]["classes"]}
    assert sizes == {"BL": 11, "EWS": 29, "NB": 18, "RMS": 25}
    assert summary["data"]["largest_share"] == 29 / 83
    assert summary["parameters"]["alpha"] == 0.0316


def test_pairs_by_definition(srbct):
    data, selector, summary = srbct
    scaled = minmax_scale(data.X)

    def apart(features, q, r):
        one, other = (scaled[data.y == c][:, features] for c in (q, r))
        spread = [np.linalg.norm(Z - Z.mean(axis=0), axis=1).mean() for Z in (one, other)]
        return np.linalg.norm(one.mean(axis=0) - other.mean(axis=0)) / np.mean(spread)

    rows = summary["pairs"]["rows"]
    assert len(rows) == summary["pairs"]["total"] == 6
    assert [row["after"] for row in rows] == sorted(row["after"] for row in rows)
    chosen = selector.indices_[: summary["suggested"]]
    for row in rows:
        q, r = data.class_names.index(row["one"]), data.class_names.index(row["other"])
        assert row["before"] == pytest.approx(apart(slice(None), q, r))
        assert row["after"] == pytest.approx(apart(chosen, q, r))


def test_samples_between_classes_by_definition(srbct):
    data, selector, summary = srbct
    Z = minmax_scale(data.X)[:, selector.indices_[: summary["suggested"]]]
    centroids = np.array([Z[data.y == q].mean(axis=0) for q in range(4)])
    closeness = 1 / ((Z[:, None] - centroids) ** 2).sum(axis=2)
    expected = {}
    for i, own in enumerate(data.y):
        strongest = max(closeness[i, q] for q in range(4) if q != own)
        share = closeness[i, own] / (closeness[i, own] + strongest)
        if share < 0.6:
            expected[i + 1] = pytest.approx(share)
    found = {row["row"]: row["share"] for row in summary["between"]["rows"]}
    assert found == expected
    assert len(found) == summary["between"]["total"] > 0
    assert list(found.values()) == sorted(found.values())
    below = [row["nearer_to_other"] for row in summary["between"]["rows"]]
    assert summary["between"]["nearer_to_other"] == sum(below)


def test_curves_select_inside_the_folds(srbct):
    data, _, summary = srbct
    curves = summary["curves"]
    assert curves["sizes"] == [1, 2, 3, 4, 5, 7, 8]
    assert curves["n_folds"] == 10
    right = np.zeros(len(curves["sizes"]))
    for train, test in stratified_folds(data.y):
        ranking = S2FS(8).fit(data.X[train], data.y[train]).indices_
        low, high = data.X[train].min(axis=0), data.X[train].max(axis=0)
        scaled = (data.X - low) / (high - low)
        for i, k in enumerate(curves["sizes"]):
            model = KNeighborsClassifier(5).fit(scaled[train][:, ranking[:k]], data.y[train])
            right[i] += (model.predict(scaled[test][:, ranking[:k]]) == data.y[test]).sum()
    knn = curves["learners"][0]
    assert knn["name"] == "5 nearest neighbours"
    assert knn["accuracy"] == (right / 83).tolist()
    assert knn["best"] == max(knn["accuracy"])
    assert knn["best_size"] == curves["sizes"][int(np.argmax(knn["accuracy"]))]


def test_accuracy_on_noise_is_that_of_guessing():
    """A leak would show as far better than the one third of chance."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 500)), np.arange(60) % 3
    data = Dataset(X, y, [f"x{f}" for f in range(500)], ["a", "b", "c"])
    learners = summarise_selection(data, S2FS(10).fit(X, y))["curves"]["learners"]
    assert max(np.mean(learner["accuracy"]) for learner in learners) < 0.5


def test_data_that_cannot_be_cross_validated_are_told():
    X, y = np.random.default_rng(0).random((9, 4)), np.array([0, 0, 0, 0, 1, 1, 1, 1, 2])
    data = Dataset(X, y, list("abcd"), ["p", "q", "r"])
    curves = summarise_selection(data, S2FS(2).fit(X, y))["curves"]
    assert curves["learners"] == []
    assert "single member" in curves["reason"]


def test_the_suggestion_is_that_of_auto():
    data = load_srbct()
    auto = S2FS("auto").fit(data.X, data.y)
    n_auto = len(auto.indices_)
    assert suggested_size(auto, data.X, data.y) == n_auto
    for search in ("forward", "beam"):
        short, long = S2FS(3), S2FS(n_auto + 2, search=search)
        assert suggested_size(short.fit(data.X, data.y), data.X, data.y) == 3
        assert suggested_size(long.fit(data.X, data.y), data.X, data.y) == n_auto


def test_wrong_input_is_told():
    data = load_srbct()
    with pytest.raises(TypeError, match="selector is a FDM"):
        summarise_selection(data, FDM(2))
    other = S2FS(1).fit(data.X[:, :5], data.y)
    with pytest.raises(ValueError, match="fitted on 5 features, but data has 2308"):
        summarise_selection(data, other)
    data.image_shape = (3, 5)
    with pytest.raises(ValueError, match="image_shape is 3 × 5"):
        summarise_selection(data, S2FS(1).fit(data.X, data.y))


def test_unscaled_data_are_shown_in_their_own_units():
    rng = np.random.default_rng(0)
    X, y = 100 * rng.random((20, 4)) + 50, np.arange(20) % 2
    data = Dataset(X, y, list("abcd"), ["p", "q"])
    selector = S2FS(2, scale=None).fit(X, y)
    np.testing.assert_array_equal(scaled_columns(data, selector)([3, 1]), X[:, [3, 1]])
