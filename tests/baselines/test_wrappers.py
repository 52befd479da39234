"""Selectors in wide use, each against its own package or a literal version."""

import sys

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, norm, ttest_ind
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, f_classif
from sklearn.svm import SVC

from s2fs.baselines import (
    MRMR,
    SVMRFE,
    FastCan,
    GroupLasso,
    LightGBMGain,
    OneVsRestT,
    RandomForestImportance,
    Wilcoxon,
)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.min(axis=0)) / np.ptp(X, axis=0), y


def in_turns(statistics, k):
    """The features of a classes × features table, the best of every class first."""
    selected = []
    orders = [sorted(range(len(row)), key=lambda f: (-row[f], f)) for row in statistics]
    for turn in zip(*orders, strict=True):
        new = {f: row[f] for f, row in zip(turn, statistics, strict=True) if f not in selected}
        for f, row in zip(turn, statistics, strict=True):
            if f in new:
                new[f] = max(new[f], row[f])
        selected += sorted(new, key=lambda f: (-new[f], f))
    return selected[:k]


def test_one_vs_rest_t_is_that_of_scipy(wine):
    X, y = wine
    t = np.array(
        [abs(ttest_ind(X[y == q], X[y != q], equal_var=False).statistic) for q in range(3)]
    )
    selector = OneVsRestT(13).fit(X, y)
    assert selector.indices_.tolist() == in_turns(t, 13)
    np.testing.assert_allclose(selector.scores_[0], t.max())
    assert np.isclose(selector.scores_[:, None, None], t).any(axis=(1, 2)).all()


def test_wilcoxon_is_that_of_scipy():
    X, y = load_iris(return_X_y=True)  # many ties
    X = X[::3] + np.eye(50, 4) / 7
    y = y[::3]
    z = np.empty((3, 4))
    for q in range(3):
        test = mannwhitneyu(X[y == q], X[y != q], method="asymptotic", use_continuity=False)
        z[q] = norm.isf(test.pvalue / 2)
    selector = Wilcoxon(4).fit(X, y)
    assert selector.indices_.tolist() == in_turns(z, 4)
    np.testing.assert_allclose(selector.scores_[0], z.max())


def test_feature_that_is_constant_on_both_sides_is_the_best():
    y = np.array([0, 0, 0, 1, 1, 1])
    X = np.column_stack([[0, 0.5, 0.1, 0.9, 1, 0.6], y, [1, 0, 0, 0, 0, 0]])
    for cls in (OneVsRestT, Wilcoxon, MRMR):
        selector = cls(3).fit(X, y)
        assert selector.indices_[0] == 1
        assert np.isfinite(selector.scores_).all()


def test_a_class_of_one_row_is_tested_by_the_spread_of_the_rest():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(9, 3)), np.array([0, 1, 1, 1, 1, 2, 2, 2, 2])
    X[0, 1] = 20.0
    assert OneVsRestT(1).fit(X, y).indices_.tolist() == [1]


def test_mrmr_is_relevance_over_mean_correlation(wine):
    X, y = wine
    F, r = f_classif(X, y)[0], np.abs(np.corrcoef(X.T))
    selected = [int(F.argmax())]
    while len(selected) < 13:
        left = [f for f in range(13) if f not in selected]
        quotient = [F[f] / max(np.mean([r[f, g] for g in selected]), 0.001) for f in left]
        selected.append(left[int(np.argmax(quotient))])
    assert MRMR(13).fit(X, y).indices_.tolist() == selected


def test_svm_rfe_is_that_of_scikit_learn(wine):
    X, y = wine
    rfe = RFE(SVC(kernel="linear"), n_features_to_select=1, step=1).fit(X, y)
    selector = SVMRFE(13, step=0.0).fit(X, y)
    assert selector.indices_.tolist() == np.argsort(rfe.ranking_).tolist()
    assert selector.scores_.tolist() == list(range(12, -1, -1))


def test_svm_rfe_drops_a_share_of_what_is_left():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 100)), np.arange(30) % 2
    counts = np.bincount(SVMRFE(100, step=0.5).fit(X, y).scores_.astype(int))
    assert counts.tolist() == [50, 25, 12, 6, 3, 2, 1, 1]


def group_lasso(Z, Y, penalty, n_steps=20000):
    """Weights by plain proximal steps: no coordinate descent, no warm start."""
    W = np.zeros((Z.shape[1], Y.shape[1]))
    rate = len(Z) / np.linalg.norm(Z, 2) ** 2
    for _ in range(n_steps):
        target = W - rate * Z.T @ (Z @ W - Y) / len(Z)
        size = np.linalg.norm(target, axis=1, keepdims=True)
        W = target * np.maximum(1 - rate * penalty / np.maximum(size, 1e-300), 0)
    return W


def test_group_lasso_enters_as_a_plain_solver_says(wine):
    X, y = wine
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    Y = np.eye(3)[y] - np.bincount(y) / len(y)
    largest = np.linalg.norm(Z.T @ Y, axis=1).max() / len(y)
    selector = GroupLasso(13).fit(X, y)
    active = set()
    for share in np.unique(selector.scores_)[::-1][:8]:
        size = np.linalg.norm(group_lasso(Z, Y, share * largest), axis=1)
        active |= set(np.flatnonzero(size > 1e-6).tolist())
        assert set(selector.indices_[selector.scores_ >= share].tolist()) == active
    assert len(active) >= 5


def test_group_lasso_serves_every_class():
    """A class that is easy to tell must not take the first places alone."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 6
    X = rng.normal(size=(300, 46))
    X[:, :40] += 4 * (y == 0)[:, None]  # forty features tell the first class
    for q in range(1, 6):
        X[:, 40 + q] += 4 * (y == q)
    assert set(range(41, 46)) <= set(GroupLasso(12).fit(X, y).indices_.tolist())


def test_group_lasso_goes_on_with_what_never_enters():
    rng = np.random.default_rng(0)
    y = np.arange(12) % 2
    X = np.column_stack([y + 0.01 * rng.normal(size=12), rng.normal(size=(12, 40))])
    selector = GroupLasso("all").fit(X, y)
    assert sorted(selector.indices_) == list(range(41))
    assert selector.indices_[0] == 0
    entered = selector.scores_ > 0.01
    assert 1 <= entered.sum() < 41
    assert np.all(np.diff(selector.scores_) <= 0)


def test_forest_importance_is_that_of_scikit_learn(wine):
    X, y = wine
    forest = RandomForestClassifier(20, random_state=3).fit(X, y)
    selector = RandomForestImportance(13, n_estimators=20, random_state=3).fit(X, y)
    np.testing.assert_array_equal(selector.scores_, np.sort(forest.feature_importances_)[::-1])


def test_gain_is_that_of_lightgbm(wine):
    lightgbm = pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    X, y = wine
    data = lightgbm.Dataset(X, y)
    options = {"objective": "multiclass", "num_class": 3, "verbose": -1, "seed": 0}
    booster = lightgbm.train(options, data, 20)
    selector = LightGBMGain(13, n_estimators=20, random_state=0).fit(X, y)
    truth = booster.feature_importance("gain")
    np.testing.assert_allclose(selector.scores_, np.sort(truth)[::-1], rtol=1e-6)


def test_lightgbm_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(ImportError, match=r"needs lightgbm: pip install 's2fs\[lightgbm\]'"):
        LightGBMGain(1).fit(np.eye(4), [0, 0, 1, 1])


def test_fastcan_is_that_of_the_package(wine):
    fastcan = pytest.importorskip("fastcan", reason="fastcan is not installed")
    X, y = wine
    truth = fastcan.FastCan(13, verbose=0).fit(X, np.eye(3)[y])
    selector = FastCan(13).fit(X, y)
    assert selector.indices_.tolist() == truth.indices_.tolist()
    np.testing.assert_allclose(selector.scores_, truth.scores_)


def test_fastcan_stops_where_all_is_explained():
    pytest.importorskip("fastcan", reason="fastcan is not installed")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(8, 20)), np.arange(8) % 2
    selector = FastCan(20).fit(X, y)
    assert selector.peak_ == 7
    rest = selector.indices_[7:]
    assert np.all(np.diff(f_classif(X, y)[0][rest]) <= 0)
    assert not selector.scores_[7:].any()


def test_fastcan_stops_where_nothing_is_gained():
    """fastcan itself ends there with an error, although five columns have rank five."""
    pytest.importorskip("fastcan", reason="fastcan is not installed")
    X = np.random.default_rng(2371).integers(-1, 2, size=(8, 5))
    selector = FastCan(5).fit(X, np.arange(8) % 2)
    assert sorted(selector.indices_) == [0, 1, 2, 3, 4]
    assert 0 < selector.peak_ < 5
    assert not selector.scores_[selector.peak_ :].any()


def test_fastcan_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastcan", None)
    with pytest.raises(ImportError, match=r"FastCan needs fastcan: pip install 's2fs\[fastcan\]'"):
        FastCan(1).fit(np.eye(4), [0, 0, 1, 1])
