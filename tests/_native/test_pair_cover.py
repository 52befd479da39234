"""PairCover in the native library takes the same decisions as in NumPy, however it is run."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from inner import (
    NativePairCover,
    PairCoverCriterion,
    WithinClassCorrelations,
    forward,
    library,
    make_pair_cover,
    native_moments,
    numpy_moments,
)
from strategies import examples, problems

pytestmark = pytest.mark.skipif(library.engine() == "numpy", reason="there is no native library")
correlations = st.sampled_from([0.0, 0.25, 0.6, 1.0])
stored = st.sampled_from(
    [
        np.ascontiguousarray,
        np.asfortranarray,
        np.float32,
        lambda X: np.repeat(X, 2, axis=1)[:, ::2],
        lambda X: X[::-1, ::-1],
        sparse.csc_array,
    ]
)


def spoilt(X, y, kind, rng):
    """Near-ties, missing values, a bad cell, offsets and extents, or classes that are points."""
    m = X.shape[1]
    if kind == "near-ties":
        twins = X[:, rng.integers(0, m, 4)]
        X = np.hstack([X, twins * (1 + [1e-4, 1e-7, 1e-11, 0] * rng.normal(size=twins.shape))])
    elif kind == "missing":
        X[rng.random(X.shape) < 0.15] = np.nan
    elif kind == "missing classes":
        X[y == y[0], : m // 2 + 1] = np.nan
    elif kind == "bad cell":
        X[rng.integers(len(X)), rng.integers(m)] = 1e12
    elif kind == "extents":
        X = X * 10.0 ** rng.integers(-20, 20, m) + 10.0 ** rng.integers(-5, 5)
    elif kind == "points":
        X = rng.normal(size=(y.max() + 1, m))[y]
    return X


kinds = st.sampled_from(
    ["near-ties", "missing", "missing classes", "bad cell", "extents", "points", "as it is"]
)


@examples(300)
@given(problems(), kinds, stored, st.booleans(), st.sampled_from([1, 3]), st.integers(0, 99))
def test_moments_are_those_of_numpy(data, kind, form, weighted, n_threads, seed):
    X, y = data
    rng = np.random.default_rng(seed)
    X = form(spoilt(X, y, kind, rng))
    weight = 10 ** rng.uniform(-3, 3, len(y)) if weighted else None
    n_classes = y.max() + 1
    plain = numpy_moments.compute_class_moments(X, y, n_classes, weight)
    fast = native_moments.compute_class_moments(X, y, n_classes, weight, n_threads)
    np.testing.assert_array_equal(fast.lower, plain.lower)
    np.testing.assert_array_equal(fast.upper, plain.upper)
    np.testing.assert_array_equal(fast.has_missing, plain.has_missing)
    np.testing.assert_allclose(fast.counts, plain.counts, rtol=1e-12)
    size = np.nan_to_num(np.fmax(np.abs(plain.lower), np.abs(plain.upper)))
    apart = np.where(plain.counts > 0, np.abs(fast.means - plain.means), 0)
    assert (apart <= 1e-13 * size).all()
    total = plain.counts.sum(axis=0)
    difference = np.abs(fast.within_squares - plain.within_squares)
    assert (difference <= 1e-13 * total * size**2).all()


@pytest.mark.parametrize("form", [np.ascontiguousarray, np.asfortranarray, sparse.csc_array])
def test_moments_of_more_features_than_one_call_takes(form, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 83)) + 1e3
    X[rng.random(X.shape) < 0.001] = np.nan
    y = np.arange(700) % 30
    monkeypatch.setattr(native_moments, "VALUES_PER_CALL", 5000)
    for some in (X, X[:, :3], X[:50]):
        table, codes = form(some), y[: len(some)]
        plain = numpy_moments.compute_class_moments(table, codes, 30)
        fast = native_moments.compute_class_moments(table, codes, 30)
        for one, other in zip(plain, fast, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-11)


def literal_correlations(X, y, moments, weight=None):
    """Correlations inside the classes from the whole matrix of residuals."""
    X = X.toarray() if sparse.issparse(X) else X
    weight = np.ones(len(y)) if weight is None else weight
    known = ~np.isnan(X)
    freedom = moments.counts.sum(axis=0) - (moments.counts > 0).sum(axis=0)
    sd = np.sqrt(moments.within_squares / np.maximum(freedom, 1))
    sd = np.maximum(sd, 0.01 * (moments.upper - moments.lower))
    units = np.where(sd > 0, sd, 1.0) * np.sqrt(np.maximum(freedom, 1))
    residuals = np.where(known, X - moments.means[y], 0.0) / units
    W = (residuals * weight[:, None]).T @ residuals
    np.fill_diagonal(W, 1.0)
    return lambda feature: W[feature]


@examples(200)
@given(problems(max_features=24), kinds, stored, st.sampled_from([1, 3]), st.data())
def test_correlations_inside_the_classes_are_the_literal_ones(data, kind, form, n_threads, more):
    X, y = data
    rng = np.random.default_rng(more.draw(st.integers(0, 99)))
    X = form(spoilt(X, y, kind, rng))
    weight = more.draw(st.sampled_from([None, rng.uniform(0.1, 3, len(y))]))
    moments = native_moments.compute_class_moments(X, y, y.max() + 1, weight)
    correlations = WithinClassCorrelations(X, y, moments, weight, n_threads)
    expected = literal_correlations(X, y, moments, weight)
    for feature in range(X.shape[1]):
        np.testing.assert_allclose(correlations(feature), expected(feature), rtol=0, atol=1e-9)


@pytest.mark.parametrize("offset", [0.0, 900.0, 2000.0, 1e7])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, np.float32])
def test_correlations_keep_their_digits_beside_large_means(offset, form):
    rng = np.random.default_rng(0)
    y = np.arange(203) % 3
    X = rng.normal(size=(203, 300))
    X[:, 1::2] += X[:, ::2]
    with_offset = form(X + offset).astype(np.float64)  # float32 has lost digits already
    exact = with_offset - offset
    found = [
        WithinClassCorrelations(table, y, native_moments.compute_class_moments(table, y, 3))(4)
        for table in (form(X + offset), exact)
    ]
    assert abs(found[1][5]) > 0.5
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-11 if offset < 1e6 else 1e-8)


def find_path(make, moments, correlation, correlations, k, *, ahead=True, **options):
    """The features of a search and the scores on the way."""
    criterion = make(moments, correlation, correlations, **options)
    steps = list(forward(criterion, k, in_batches=ahead))
    return [step.feature for step in steps], [step.score for step in steps]


@examples(400)
@given(problems(max_features=24), correlations, kinds, stored, st.data())
def test_same_path_as_in_numpy(data, correlation, kind, form, more):
    X, y = data
    rng = np.random.default_rng(more.draw(st.integers(0, 99)))
    X = form(spoilt(X, y, kind, rng))
    weight = more.draw(st.sampled_from([None, rng.uniform(0.1, 3, len(y))]))
    moments = native_moments.compute_class_moments(X, y, y.max() + 1, weight)
    rows = WithinClassCorrelations(X, y, moments, weight)
    literal = literal_correlations(X, y, moments, weight)
    options = {"ahead": more.draw(st.booleans()), "n_threads": more.draw(st.sampled_from([1, 3]))}
    found = find_path(make_pair_cover, moments, correlation, rows, X.shape[1], **options)
    expected = find_path(PairCoverCriterion, moments, correlation, literal, X.shape[1])
    assert found[0] == expected[0]
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-9, atol=1e-12)


@pytest.fixture(scope="module")
def crowded():
    """A table with many classes, and columns that differ from others by less and less."""
    rng = np.random.default_rng(3)
    y = np.arange(140) % 21
    X = rng.normal(size=(140, 90)) + rng.normal(size=(21, 90))[y]
    return np.hstack([X, X[:, ::3] * (1 + 1e-7 * rng.normal(size=(140, 30))), X[:, :9]]), y


@pytest.mark.parametrize("correlation", [0, 0.25, 1])
@pytest.mark.parametrize("n_threads", [1, 2, 7])
def test_a_long_search_is_that_of_numpy(crowded, correlation, n_threads, monkeypatch):
    X, y = crowded
    moments = native_moments.compute_class_moments(X, y, 21)
    literal = literal_correlations(X, y, moments)
    expected = find_path(PairCoverCriterion, moments, correlation, literal, 100)
    for n_values in (1 << 23, 1000):
        monkeypatch.setattr(native_moments, "VALUES_PER_CALL", n_values)
        rows = WithinClassCorrelations(X, y, moments, n_threads=n_threads)
        found = find_path(make_pair_cover, moments, correlation, rows, 100, n_threads=n_threads)
        assert found[0] == expected[0]
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-11)


def test_threads_change_nothing():
    """Large enough to be shared out."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 12
    X = rng.normal(size=(300, 4000)) + rng.normal(size=(12, 4000))[y]
    paths = []
    for n_threads in (1, 2, 5):
        moments = native_moments.compute_class_moments(X, y, 12, None, n_threads)
        rows = WithinClassCorrelations(X, y, moments, None, n_threads)
        paths.append(find_path(make_pair_cover, moments, 0.25, rows, 12, n_threads=n_threads))
    assert paths[0] == paths[1] == paths[2]


@pytest.mark.parametrize("correlation", [0, 0.25])
def test_copies_are_independent(crowded, correlation):
    X, y = crowded
    moments = native_moments.compute_class_moments(X, y, 21)
    one = make_pair_cover(moments, correlation, WithinClassCorrelations(X, y, moments))
    assert isinstance(one, NativePairCover)
    for feature in (3, 50, 7):
        one.add(feature)
    left = np.setdiff1d(np.arange(X.shape[1]), [3, 50, 7])
    before = one.score(left).scores
    other = one.copy()
    for feature in (8, 20):
        other.add(feature)
    np.testing.assert_array_equal(one.score(left).scores, before)
    anew = PairCoverCriterion(moments, correlation, literal_correlations(X, y, moments))
    for feature in (3, 50, 7, 8, 20):
        anew.add(feature)
    left = np.setdiff1d(left, [8, 20])
    np.testing.assert_allclose(other.score(left).scores, anew.score(left).scores, rtol=1e-11)
    assert other.shortlist(left)[0] == anew.shortlist(left)[0]
    np.testing.assert_array_equal(other.shortlist(left, 5), anew.shortlist(left, 5))
    np.testing.assert_allclose(other.class_distances, anew.class_distances, rtol=1e-11)


@pytest.mark.parametrize("correlation", [0, 0.25, 1])
@pytest.mark.parametrize("p", [2, 3])
@pytest.mark.parametrize("apart", [28.5, 300.0, 3e4])
def test_classes_so_far_apart_that_error_bounds_underflow(p, correlation, apart):
    rng = np.random.default_rng(0)
    for _ in range(10):
        y = np.repeat(np.arange(p), 40)
        X = apart * y[:, None] + rng.normal(size=(40 * p, 1)) + 1e-2 * rng.normal(size=(40 * p, 9))
        moments = native_moments.compute_class_moments(X, y, p)
        rows = literal_correlations(X, y, moments)
        found, expected = (
            find_path(make, moments, correlation, rows, 9)[0]
            for make in (make_pair_cover, PairCoverCriterion)
        )
        assert found == expected


@pytest.mark.parametrize("correlation", [0, 0.25])
def test_thousands_of_equal_columns(correlation):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = np.tile(rng.normal(size=(60, 2)) + 3 * y[:, None], 1500)
    moments = native_moments.compute_class_moments(X, y, 3)
    rows = literal_correlations(X, y, moments)
    found, expected = (
        find_path(make, moments, correlation, rows, 4)[0]
        for make in (make_pair_cover, PairCoverCriterion)
    )
    assert found == expected


@pytest.mark.parametrize("correlation", [0.0, 0.25])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e-300, 1e300])
@pytest.mark.parametrize("field", ["means", "within_squares", "counts", "one mean"])
def test_a_search_ends_whatever_the_numbers(crowded, correlation, bad, field):
    """Moments that no table has: the library gets them as they are, and must come back."""
    X, y = crowded
    moments = native_moments.compute_class_moments(X, y, 21)
    rows = WithinClassCorrelations(X, y, moments)
    if field == "one mean":
        means = moments.means.copy()
        means[3, ::2] = bad
        moments = moments._replace(means=means)
    else:
        moments = moments._replace(**{field: np.full(getattr(moments, field).shape, bad)})
    for correlations in (rows, lambda feature: np.full(X.shape[1], bad)):
        with np.errstate(all="ignore"):
            try:
                criterion = NativePairCover(moments, correlation, correlations)
                features = [feature for feature, *_ in criterion.run(np.arange(X.shape[1]), 30)]
            except ValueError as error:
                expected = "The score of no feature is a number|too far apart"
                assert re.search(expected, str(error))  # noqa: PT017 # not every number fails
                continue
        assert len({*features}) == 30
        assert {*features} <= {*range(X.shape[1])}


def test_a_search_without_candidates_ends(crowded):
    X, y = crowded
    criterion = make_pair_cover(native_moments.compute_class_moments(X, y, 21))
    assert list(criterion.run(np.arange(0), 3)) == []


def test_the_correlation_is_the_same_for_every_form_and_order_of_the_samples():
    """Counts of words tie often, and rounding must not decide which features are looked at."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = (rng.random((200, 900)) < rng.uniform(0.02, 0.1, 900)).astype(float)
    order = rng.permutation(200)
    forms = [X, np.asfortranarray(X), sparse.csc_array(X), X.astype(np.float32), X[order]]
    weights = []
    for table in forms:
        codes = y[order] if table is forms[-1] else y
        moments = native_moments.compute_class_moments(table, codes, 2)
        rows = WithinClassCorrelations(table, codes, moments)
        weights.append(make_pair_cover(moments, "auto", rows).correlation)
    np.testing.assert_allclose(weights, weights[0], rtol=1e-9)
