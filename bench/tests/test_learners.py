"""The paper's learners: running forms against scikit-learn, fitted from scratch on every prefix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_classification
from sklearn.metrics import normalized_mutual_info_score
from sklearn.svm import SVC

from prefixes import SIZES, continuous_rows, from_scratch, split
from s2fs.evaluation import evaluate_fold
from s2fs_bench import PAPER_LEARNERS
from s2fs_bench.learners import svm as svm_parts
from s2fs_bench.learners.registry import find_initial_samples
from strategies import examples

svm = PAPER_LEARNERS["svm"]


def assert_svm_is_scikit_learns(X_train, codes, X_test, sizes):
    """Equal predictions, but where a pair of classes decides by a value of zero and rounding."""
    model = SVC(C=10, decision_function_shape="ovo")
    for k, ours in zip(sizes, svm(X_train, codes, X_test, sizes), strict=True):
        model.fit(X_train[:, :k], codes)
        differ = ours != model.predict(X_test[:, :k])
        if differ.any():
            decision = model.decision_function(X_test[differ, :k]).reshape(differ.sum(), -1)
            assert (np.abs(decision).min(axis=1) < 1e-12).all()


@pytest.fixture(scope="module")
def continuous():
    return continuous_rows()


@pytest.mark.parametrize("gamma", ["scale", "auto", 1.0])
def test_svm(continuous, gamma):
    X_train, codes, X_test = continuous
    ours = svm(X_train, codes, X_test, SIZES, gamma=gamma)
    model = SVC(C=10, gamma=gamma)
    np.testing.assert_array_equal(ours, from_scratch(model, X_train, codes, X_test, SIZES))


def test_kmeans(continuous):
    X_train, codes, _ = continuous
    first = find_initial_samples(len(X_train), 5)
    theirs = [
        normalized_mutual_info_score(
            codes, KMeans(5, init=X_train[first, :k], n_init=1).fit(X_train[:, :k]).labels_
        )
        for k in SIZES
    ]
    kmeans = {"kmeans": PAPER_LEARNERS["kmeans"]}
    fold = evaluate_fold(X_train, codes, X_train, codes, np.arange(30), learners=kmeans)
    np.testing.assert_allclose(fold.nmi["kmeans"], theirs)


@pytest.mark.parametrize(
    ("n", "p", "one_based"),
    [
        (10, 2, [1, 10]),  # int = 9, start = ⌊2/2⌋
        (12, 3, [1, 6, 11]),  # int = 5, start = ⌊3/2⌋
        (13, 4, [1, 5, 9, 13]),  # int = 4, start = ⌊2/2⌋
        (75, 4, [2, 26, 50, 74]),  # int = 24, start = ⌊4/2⌋
        (5, 5, [1, 2, 3, 4, 5]),
    ],
)
def test_first_centroids_are_spread_evenly(n, p, one_based):
    assert (find_initial_samples(n, p) + 1).tolist() == one_based


@examples(60)
@given(st.integers(8, 40), st.integers(2, 4), st.integers(1, 5), st.integers(0, 10**6))
def test_svm_with_repeated_rows_and_constant_features(n, p, levels, seed):
    rng = np.random.default_rng(seed)
    X_train = rng.integers(0, levels + 1, (n, 5)) / levels
    X_train[:, 0] = 0  # no variance at the first size
    X_test = rng.integers(0, levels + 1, (15, 5)) / levels + rng.normal(0, 1e-3, (15, 5))
    codes = np.r_[np.arange(p), rng.integers(0, p, n - p)]
    assert_svm_is_scikit_learns(X_train, codes, X_test, np.arange(1, 6))


@pytest.mark.parametrize("seed", range(6))
def test_solver_follows_libsvm_through_shrinking(seed):
    X, y = make_classification(400, 6, flip_y=0.3, class_sep=0.3, random_state=seed)
    X_train = X[np.argsort(y, kind="stable")]
    y, n, n_a = np.sort(y), len(X_train), (y == 0).sum()
    model = SVC(C=10, gamma=0.3).fit(X_train, y)
    assert model.n_iter_[0] > 2 * n  # shrinking starts after n steps
    K = np.exp(-0.3 * ((X_train[:, None] - X_train) ** 2).sum(axis=2)).astype(np.float32)
    weights, rho = svm_parts.solve(K, n_a, 10.0)
    theirs = np.zeros(n)
    theirs[model.support_] = -model.dual_coef_[0]
    np.testing.assert_allclose(weights, theirs, atol=1e-9)
    assert rho == pytest.approx(model.intercept_[0], abs=1e-9)


@examples(60)
@given(st.integers(1, 12), st.integers(0, 10**6))
def test_kernel_width_is_scikit_learns(k, seed):
    rng = np.random.default_rng(seed)
    X_train = rng.random((9, 12)) * rng.choice([0, 1e-3, 1, 50], 12)
    for gamma in ("scale", "auto", 0.7):
        theirs = SVC(gamma=gamma).fit(X_train[:, :k], np.arange(9) % 2)._gamma
        ours = svm_parts.kernel_gammas(X_train, np.array([k]), gamma)[0]
        assert ours == pytest.approx(theirs, rel=1e-12)


def test_sizes_may_skip(continuous):
    X_train, codes, X_test = continuous
    some = np.array([2, 3, 17])
    every = svm(X_train, codes, X_test, SIZES)
    np.testing.assert_array_equal(svm(X_train, codes, X_test, some), every[some - 1])


@pytest.mark.parametrize(
    "name", ["all_aml_4", "glioma", "isolet", "orl", "srbct", "warpar10p", "yale"]
)
def test_real_data(paper_data, name):
    rows = split(*paper_data(name), 150)
    sizes = np.array([1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 150])
    assert_svm_is_scikit_learns(*rows, sizes)
