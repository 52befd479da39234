"""Ridge logistic regression on all features of a table, against scikit-learn's."""

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csc_array
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from s2fs.evaluation import all_features
from s2fs.evaluation.all_features import compute_products, predict_by_all_features

RNG = np.random.default_rng(0)


def make_table(n, m, p, density):
    """Values of which some are stored, in classes that differ in some features."""
    codes = RNG.permutation(np.r_[np.arange(p).repeat(3), RNG.integers(0, p, n - 3 * p)])
    values = RNG.lognormal(0, 1, (n, m)) * RNG.lognormal(0, 3, m)
    values[:, : m // 10] *= 1 + codes[:, None] % 3
    values *= RNG.random((n, m)) < density * RNG.choice([0.1, 1, 3], m)
    values[:, 5] = 0.1  # constant
    fold = np.arange(n // 5, n), np.arange(n // 5)
    values[:, 6] = np.arange(n) < 2  # constant among the training samples
    values[:, 7] += 1e6  # far from zero, for its spread
    return values, codes, fold


def peer(values, codes, fold):
    train, test = fold
    scaler = StandardScaler().fit(values[train])
    model = LogisticRegression(tol=1e-10, max_iter=10_000, solver="newton-cg")
    model.fit(scaler.transform(values[train]), codes[train])
    return model.predict_proba(scaler.transform(values[test]))


@pytest.mark.parametrize("density", [0.02, 0.3, 1.0])
@pytest.mark.parametrize(("n", "m", "p"), [(40, 900, 2), (60, 300, 4), (90, 500, 10), (200, 20, 3)])
def test_all_features_are_scikit_learns(n, m, p, density, monkeypatch):
    values, codes, fold = make_table(n, m, p, density)
    expected = peer(values, codes, fold)
    np.testing.assert_allclose(predict_by_all_features(values, codes, fold), expected, atol=1e-6)
    stored = csc_array(values)
    np.testing.assert_allclose(predict_by_all_features(stored, codes, fold), expected, atol=1e-6)
    monkeypatch.setattr(all_features, "_VALUES", 37 * n)  # some columns at a time
    for table in (values, stored):
        np.testing.assert_allclose(predict_by_all_features(table, codes, fold), expected, atol=1e-6)


def test_samples_that_are_equal():
    """Their products have fewer dimensions than there are samples."""
    values, codes, _ = make_table(40, 200, 3, 1.0)
    values, codes = np.repeat(values, 3, axis=0), np.repeat(codes, 3)
    fold = np.arange(30, 120), np.arange(30)
    answers = predict_by_all_features(values, codes, fold)
    np.testing.assert_allclose(answers, peer(values, codes, fold), atol=1e-6)
    np.testing.assert_allclose(answers[::3], answers[1::3], atol=1e-12)


def test_classes_are_those_of_the_training_samples():
    values, codes, (train, test) = make_table(60, 200, 4, 1.0)
    train = train[codes[train] != 1]
    answers = predict_by_all_features(values, codes, (train, test))
    np.testing.assert_allclose(answers, peer(values, codes, (train, test)), atol=1e-6)
    assert answers.shape == (len(test), 3)


def test_few_stored_values_are_not_made_dense():
    n, m = 150, 400_000  # 480 MB if it were dense
    rng = np.random.default_rng(1)
    rows, columns = rng.integers(0, n, 300_000), rng.integers(0, m, 300_000)
    values = csc_array((np.ones(300_000), (rows, columns)), shape=(n, m))
    values.sum_duplicates()
    train, test = np.arange(30, n), np.arange(30)
    tracemalloc.start()
    K, K_test = compute_products(values, train, test)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6
    some = values[:, :2000].toarray()
    np.testing.assert_allclose(np.diag(K).sum(), len(train) * _count_varying(values, train))
    dense, of_test = compute_products(some, train, test)
    sparse, also_of_test = compute_products(values[:, :2000], train, test)
    np.testing.assert_allclose(dense, sparse, atol=1e-8)
    np.testing.assert_allclose(of_test, also_of_test, atol=1e-8)
    assert K_test.shape == (30, 120)


def _count_varying(values, train):
    part = values.tocsr()[train]
    return int((np.asarray(part.sum(axis=0)).ravel() > 0).sum())
