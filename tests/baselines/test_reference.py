import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.feature_selection import f_classif, mutual_info_classif

from s2fs.baselines.reference import AnovaF, MutualInformation, RandomOrder, ReliefF


def scaled(X):
    """To the last bit what the rankers see: near ties of distances hang on it."""
    return (X - X.min(axis=0)) / np.ptp(X, axis=0)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def test_random_order_is_a_seeded_permutation(wine):
    X, y = wine
    orders = [
        RandomOrder(n_features_to_select=13, random_state=seed).fit(X, y).indices_.tolist()
        for seed in (0, 0, 1)
    ]
    assert sorted(orders[0]) == list(range(13))
    assert orders[0] == orders[1] != orders[2]


def test_random_order_does_not_favour_a_feature(wine):
    X, y = wine
    first = [
        RandomOrder(n_features_to_select=1, random_state=seed).fit(X, y).indices_[0]
        for seed in range(260)
    ]
    # 20 expected of each; ±4 standard deviations
    assert np.abs(np.bincount(first, minlength=13) - 20).max() <= 18


def test_anova_is_that_of_scikit_learn(wine):
    X, y = wine
    F = f_classif(X, y)[0]
    selector = AnovaF(n_features_to_select=13).fit(X, y)
    assert selector.indices_.tolist() == np.argsort(-F).tolist()
    np.testing.assert_allclose(selector.scores_, np.sort(F)[::-1])


def test_anova_of_classes_without_variance_is_very_large():
    y = np.array([0, 0, 0, 1, 1, 1])
    X = np.column_stack([[0, 0.5, 0.1, 0.9, 1, 0.6], y, np.zeros(6)])
    selector = AnovaF(n_features_to_select=3).fit(X, y)
    assert selector.indices_.tolist() == [1, 0, 2]
    assert selector.scores_[0] == 1e100


def test_mutual_information_is_that_of_scikit_learn(wine):
    X, y = wine
    scores = mutual_info_classif(scaled(X), y, n_neighbors=5, random_state=3)
    selector = MutualInformation(n_features_to_select=13, n_neighbors=5, random_state=3).fit(X, y)
    assert selector.indices_.tolist() == np.argsort(-scores, kind="stable").tolist()
    np.testing.assert_array_equal(selector.scores_, np.sort(scores)[::-1])


def test_relief_is_that_of_scikit_rebate(wine):
    """Of two classes: for more, scikit-rebate counts each class one row short."""
    skrebate = pytest.importorskip("skrebate", reason="skrebate is not installed")
    X, y = wine
    X, y = X[y < 2], y[y < 2]
    scores = skrebate.ReliefF(n_neighbors=7).fit(scaled(X), y).feature_importances_
    selector = ReliefF(n_features_to_select=13, n_neighbors=7).fit(X, y)
    assert selector.indices_.tolist() == np.argsort(-scores).tolist()
    np.testing.assert_allclose(selector.scores_, np.sort(scores)[::-1])


def test_relief_is_what_kononenko_wrote():
    X, y = load_iris(return_X_y=True)
    rows = np.r_[0:8, 50:60, 100:103, 30]
    X, y = scaled(X[rows]), np.append(y[rows[:-1]], 3)  # unequal classes, one of a single row
    weights = np.zeros(4)
    for i in range(len(y)):
        for q in range(4):
            others = [j for j in np.flatnonzero(y == q) if j != i]
            others.sort(key=lambda j: (np.abs(X[j] - X[i]).sum(), j))
            for j in others[:4]:
                share = -1 if q == y[i] else np.mean(y == q) / (1 - np.mean(y == y[i]))
                weights += share * np.abs(X[j] - X[i]) / (len(y) * len(others[:4]))
    selector = ReliefF(n_features_to_select=4, n_neighbors=4).fit(X, y)
    np.testing.assert_allclose(selector.scores_, np.sort(weights)[::-1])


@pytest.mark.parametrize("ranker", [RandomOrder, AnovaF, MutualInformation])
def test_constant_features_come_last(ranker):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(20), rng.random((20, 3))])
    selector = ranker(n_features_to_select=4).fit(X, np.arange(20) % 2)
    assert selector.indices_[-1] == 0
    assert selector.peak_ == 3
