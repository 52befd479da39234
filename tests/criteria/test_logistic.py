"""Ridge logistic regression by Newton's method, against scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from s2fs.criteria.logistic import compute_scales, fit_logistic, logistic
from strategies import examples


def make_samples(n, m, p, seed, signal=1.0):
    """Training and test samples, some features of which differ between classes."""
    rng = np.random.default_rng(seed)
    codes = np.r_[np.arange(p), rng.integers(0, p, n - p)]
    A, B = rng.normal(size=(n, m)), rng.normal(size=(25, m))
    A[:, : max(1, m // 3)] += signal * rng.normal(size=p)[codes, None]
    scale, offset = rng.lognormal(0, 2, m), 10 * rng.normal(size=m)
    return A * scale + offset, codes, B * scale + offset


def fit_peer(A, codes, weight=None, class_weight=None, C=1.0):
    """scikit-learn's model of the same features, converged; the solver is a Newton method, too."""
    model = make_pipeline(
        StandardScaler(),
        LogisticRegression(
            C=C, tol=1e-10, max_iter=10_000, solver="newton-cg", class_weight=class_weight
        ),
    )
    return model.fit(
        A, codes, standardscaler__sample_weight=weight, logisticregression__sample_weight=weight
    )


SHAPES = [
    (30, 1, 2),
    (40, 5, 2),
    (40, 39, 2),
    (40, 200, 2),
    (60, 3, 3),
    (60, 12, 4),
    (50, 300, 4),
    (100, 20, 10),
    (80, 50, 10),
    (70, 150, 10),
    (400, 8, 5),
    (300, 100, 6),
]


@pytest.mark.parametrize(("n", "m", "p"), SHAPES)
@pytest.mark.parametrize("signal", [0.0, 1.0])
def test_fit_is_scikit_learns(n, m, p, signal):
    A, codes, B = make_samples(n, m, p, seed=n + m + p, signal=signal)
    ours, peer = fit_logistic(A, codes), fit_peer(A, codes)
    theirs = peer.named_steps["logisticregression"]
    assert ours.coefficients.shape == theirs.coef_.shape
    assert ours.intercepts.shape == theirs.intercept_.shape
    np.testing.assert_allclose(ours.coefficients, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercepts, theirs.intercept_, atol=1e-6)
    for X in (A, B):
        np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-6)


@examples(40)
@given(
    st.integers(12, 60), st.integers(1, 80), st.integers(2, 10), st.integers(0, 10**6),
    st.sampled_from([0.05, 1.0, 20.0]), st.sampled_from([None, "balanced", "dict"]), st.booleans(),
)  # fmt: skip
def test_weights_are_scikit_learns(n, m, p, seed, C, class_weight, is_weighted):
    A, codes, B = make_samples(n, m, p, seed)
    weight = np.random.default_rng(seed).lognormal(0, 1, n) if is_weighted else None
    if class_weight == "dict":
        class_weight = {0: 3.0, p - 1: 0.25}
    elif weight is not None:
        class_weight = None  # older versions of scikit-learn balance the counts of samples
    ours = fit_logistic(A, codes, C=C, sample_weight=weight, class_weight=class_weight)
    peer = fit_peer(A, codes, weight, class_weight, C)
    np.testing.assert_allclose(ours.predict_proba(B), peer.predict_proba(B), atol=1e-6)


def test_weights_that_are_whole_repeat_samples():
    A, codes, B = make_samples(30, 4, 3, seed=5)
    weight = np.random.default_rng(0).integers(1, 4, 30)
    repeated = np.repeat(np.arange(30), weight)
    means, scales = compute_scales(A, weight.astype(float))
    A, B = (A - means) / scales, (B - means) / scales
    by_weight = fit_logistic(A, codes, sample_weight=weight.astype(float), class_weight="balanced")
    peer = LogisticRegression(tol=1e-10, max_iter=10_000, solver="newton-cg")
    balanced = len(repeated) / (3 * np.bincount(codes, weight))[codes]
    peer.fit(A, codes, sample_weight=weight * balanced)
    np.testing.assert_allclose(by_weight.predict_proba(B), peer.predict_proba(B), atol=1e-6)


@pytest.mark.parametrize("p", [2, 3, 10])
def test_prefixes_are_fits_of_their_own(p):
    A, codes, B = make_samples(60, 90, p, seed=p)
    sizes = np.array([1, 2, 5, 10, 20, 50, 59, 60, 61, 90])
    weight = np.random.default_rng(1).lognormal(0, 0.5, 60)
    for own in (None, weight):
        answers = logistic(A, codes, B, sizes, sample_weight=own)
        assert answers.shape == (len(sizes), 25, p)
        for size, of_size in zip(sizes, answers, strict=True):
            alone = fit_logistic(A[:, :size], codes, sample_weight=own)
            np.testing.assert_allclose(of_size, alone.predict_proba(B[:, :size]), atol=1e-7)
            peer = fit_peer(A[:, :size], codes, own)
            np.testing.assert_allclose(of_size, peer.predict_proba(B[:, :size]), atol=1e-6)


@pytest.mark.parametrize("n_copies", [1, 30])
def test_constant_columns_count_for_nothing(n_copies):
    A, codes, B = make_samples(50, 6, 3, seed=1)
    constants = np.tile([0.1, 1 / 3, 1e9, -7.7], (50, n_copies))
    with_constants = fit_logistic(np.hstack([A, constants]), codes)
    np.testing.assert_array_equal(with_constants.scales[6:], 1.0)
    test = np.hstack([B, constants[:25]])
    expected = fit_logistic(A, codes).predict_proba(B)
    np.testing.assert_allclose(with_constants.predict_proba(test), expected, atol=1e-9)
    # None that varies: the shares of the classes.
    shares = fit_logistic(constants, codes).predict_proba(constants[:1])[0]
    np.testing.assert_allclose(shares, np.bincount(codes) / 50, atol=1e-9)


@pytest.mark.parametrize("gap", [1.0, 1e3, 1e9])
@pytest.mark.parametrize("p", [2, 3, 7])
def test_separable_classes(gap, p):
    codes = np.repeat(np.arange(p), 6)
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6 * p, 3)) + gap * codes[:, None]
    B = rng.normal(size=(25, 3)) + gap * rng.integers(0, p, 25)[:, None]
    ours = logistic(A, codes, B, np.array([1, 2, 3]))
    for size, of_size in zip([1, 2, 3], ours, strict=True):
        peer = fit_peer(A[:, :size], codes)
        np.testing.assert_allclose(of_size, peer.predict_proba(B[:, :size]), atol=1e-6)


def test_one_class_of_a_single_sample_and_an_outlier():
    A, codes, B = make_samples(40, 10, 3, seed=3)
    codes[:] = np.r_[0, 1, np.full(38, 2)]
    A[7, 2] = 1e12
    np.testing.assert_allclose(
        fit_logistic(A, codes).predict_proba(B), fit_peer(A, codes).predict_proba(B), atol=1e-6
    )


def test_values_whose_squares_overflow():
    A, codes, B = make_samples(40, 5, 3, seed=4)
    expected = fit_logistic(A, codes).predict_proba(B)
    for factor in (1e-200, 1e200):
        answers = fit_logistic(A * factor, codes).predict_proba(B * factor)
        np.testing.assert_allclose(answers, expected, atol=1e-9)


def test_a_class_without_weight_is_refused():
    A, codes, _ = make_samples(20, 3, 3, seed=0)
    with pytest.raises(ValueError, match="a class without any weight"):
        fit_logistic(A, codes, sample_weight=(codes != 1).astype(float))


def test_the_same_answer_every_time():
    A, codes, B = make_samples(90, 120, 5, seed=8)
    sizes = np.array([3, 40, 120])
    first = logistic(A, codes, B, sizes)
    np.testing.assert_array_equal(first, logistic(A, codes, B, sizes))
    one = logistic(A.copy(order="F"), codes, np.asfortranarray(B), sizes)
    np.testing.assert_allclose(first, one, atol=1e-12)
