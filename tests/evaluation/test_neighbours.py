"""Nearest neighbours by all features, against the plain form on scaled columns."""

import numpy as np
import pytest
from scipy.sparse import csc_array

from s2fs.criteria.neighbours import knn
from s2fs.evaluation import neighbours
from s2fs.evaluation.neighbours import predict_by_all_features


def predict_plainly(X, codes, train, test):
    """Scale by the training samples, then sum up feature by feature."""
    lower = X[train].min(axis=0)
    width = X[train].max(axis=0) - lower
    width[width == 0] = 1.0
    A, B = (X[train] - lower) / width, (X[test] - lower) / width
    return knn(A, codes[train], B, np.array([X.shape[1]]))[0]


def tables():
    """Tables of every kind: plain, rounded, with outliers, in many units, sparse, far from 0."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 80)
    X = rng.normal(size=(80, 300)) + 0.1 * rng.normal(size=(3, 300))[codes]
    outlier = X.copy()
    outlier[5, 7], outlier[6, 8] = 1e30, 1e9
    sparse = np.where(rng.random(X.shape) < 0.9, 0.0, X)
    few = np.where(rng.random(X.shape) < 0.97, 0.0, X)
    far = few.copy()
    far[:, 0] = 1e9 + X[:, 0]  # all samples have it
    far[1:, 1] = 1e9 + X[1:, 1]  # all but one
    huge = few.copy()
    huge[3, 2] = 1e200
    constant = X + 1e6
    constant[:, ::7] = 3.0
    constant[0, ::7] = 2.9  # varies only where this sample is
    return codes, {
        "plain": X,
        "rounded": np.round(X),
        "outlier": outlier,
        "units": X * 10.0 ** rng.integers(-8, 8, 300),
        "sparse": sparse,
        "sparse few": few,
        "sparse far": far,
        "sparse huge": huge,
        "constant": constant,
        "equal": np.ones_like(X),
    }


def random_folds(n_folds):
    rng = np.random.default_rng(1)
    orders = [rng.permutation(80) for _ in range(n_folds)]
    return [(np.sort(order[16:]), np.sort(order[:16])) for order in orders]


@pytest.mark.parametrize("n_folds", [1, 5])
@pytest.mark.parametrize("kind", list(tables()[1]))
def test_predictions_are_those_of_the_plain_form(kind, n_folds):
    codes, kinds = tables()
    X = kinds[kind]
    folds = random_folds(n_folds)
    table = csc_array(X) if kind.startswith("sparse") else X
    predictions = predict_by_all_features(table, codes, folds)
    for fold, predicted in zip(folds, predictions, strict=True):
        assert predicted.tolist() == predict_plainly(X, codes, *fold).tolist()


def test_ranges_are_right_if_every_extreme_value_is_held_out():
    codes, kinds = tables()
    X = np.sort(kinds["plain"], axis=0)  # the smallest values are those of the first samples
    test = np.concatenate([np.arange(10), np.arange(70, 80)])
    fold = (np.arange(10, 70), test)
    expected = predict_plainly(X, codes, *fold)
    for predicted in predict_by_all_features(X, codes, [fold, fold]):
        assert predicted.tolist() == expected.tolist()


@pytest.mark.parametrize("n_folds", [1, 5])
def test_few_distances_at_a_time_change_nothing(monkeypatch, n_folds):
    codes, kinds = tables()
    folds = random_folds(n_folds)
    whole = predict_by_all_features(kinds["rounded"], codes, folds)
    monkeypatch.setattr(neighbours, "_DISTANCES", 100)
    monkeypatch.setattr(neighbours, "_MOST_PAIRS", 80 * 80)  # some folds at a time
    monkeypatch.setattr(neighbours, "_VALUES", 80 * 37)
    parts = predict_by_all_features(kinds["rounded"], codes, folds)
    assert [p.tolist() for p in parts] == [p.tolist() for p in whole]


def test_distances_are_no_further_off_than_they_say():
    _, kinds = tables()
    folds = random_folds(4)
    for X in (kinds["plain"], kinds["units"], kinds["constant"]):
        extremes = neighbours._Extremes(X)
        units = neighbours._Units.of_range(X.min(axis=0), X.max(axis=0))
        own = [neighbours._Units.of_range(*extremes.find_range(train)) for train, _ in folds]
        everyone = np.arange(80)
        shared = neighbours._compute_distances(X, units, everyone, everyone)
        adjusted = neighbours._adjust_to_folds(X, shared, units, folds, own)
        for (train, test), of_fold, distances in zip(folds, own, adjusted, strict=True):
            scaled = X * of_fold.scale
            exact = ((scaled[test, None] - scaled[train]) ** 2).sum(axis=2)
            off = np.abs(distances.values - exact)
            assert (off <= distances.errors + 1e-9 * exact).all()
            assert (distances.errors < 0.01 * np.median(exact)).all()  # and of use


@pytest.mark.parametrize("kind", ["sparse few", "sparse far"])
def test_distances_of_stored_values_are_no_further_off_than_they_say(kind):
    X = tables()[1][kind]
    train, test = np.arange(20, 80), np.arange(20)
    units = neighbours._Units.of_range(X[train].min(axis=0), X[train].max(axis=0))
    rows = neighbours._StoredRows(csc_array(X), units, train)
    distances = rows.compute_distances(test)
    differences = (X[test, None] - X[train]) * units.scale
    exact = (differences**2).sum(axis=2)
    assert (np.abs(distances.values - exact) <= distances.errors + 1e-13 * exact).all()
    if kind == "sparse few":
        assert (distances.errors < 1e-9 * np.median(exact)).all()


def test_stored_values_alone_are_multiplied_where_they_are_few(monkeypatch):
    codes, kinds = tables()
    used = []
    compute = neighbours._StoredRows.compute_distances
    monkeypatch.setattr(
        neighbours._StoredRows,
        "compute_distances",
        lambda *args: used.append(True) or compute(*args),
    )
    for kind, is_used in (("sparse few", True), ("plain", False)):
        predict_by_all_features(csc_array(kinds[kind]), codes, random_folds(2))
        assert bool(used) == is_used
        used.clear()


def test_values_stored_in_two_parts_are_one_value():
    codes, kinds = tables()
    whole = csc_array(kinds["sparse few"])
    halves = csc_array(
        (np.repeat(whole.data / 2, 2), np.repeat(whole.indices, 2), whole.indptr * 2),
        shape=whole.shape,
    )
    (predicted,) = predict_by_all_features(halves, codes, random_folds(1))
    expected = predict_plainly(kinds["sparse few"], codes, *random_folds(1)[0])
    assert predicted.tolist() == expected.tolist()


def test_products_are_added_in_any_memory_order():
    rng = np.random.default_rng(0)
    test = rng.normal(size=(7, 5)).astype(np.float32)
    train = rng.normal(size=(9, 5)).astype(np.float32)
    for of_test in (test, np.asfortranarray(test)):
        for of_train in (train, np.asfortranarray(train)):
            dots = np.ones((7, 9), dtype=np.float32)
            neighbours._add_products(dots, of_test, of_train)
            assert np.allclose(dots, 1 + test @ train.T, atol=1e-5)
