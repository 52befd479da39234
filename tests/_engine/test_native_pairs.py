"""Pair cover in the native library takes the same decisions as in NumPy, however it is run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from inner import (
    Correlations,
    Cover,
    NativeCorrelations,
    NativeCover,
    checked,
    cover_of,
    forward,
    library,
    moments_of,
    native_pairs,
    table_moments,
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
@given(problems(), kinds, stored, st.booleans(), st.integers(0, 99))
def test_moments_are_those_of_numpy(data, kind, form, weighted, seed):
    X, y = data
    rng = np.random.default_rng(seed)
    X = form(spoilt(X, y, kind, rng))
    weight = 10 ** rng.uniform(-3, 3, len(y)) if weighted else None
    plain, fast = (of(X, y, y.max() + 1, weight) for of in (table_moments, moments_of))
    np.testing.assert_array_equal(fast.lower, plain.lower)
    np.testing.assert_array_equal(fast.upper, plain.upper)
    np.testing.assert_allclose(fast.counts, plain.counts, rtol=1e-12)
    size = np.nan_to_num(np.fmax(np.abs(plain.lower), np.abs(plain.upper)))
    apart = np.where(plain.counts > 0, np.abs(fast.mean - plain.mean), 0)
    assert (apart <= 1e-13 * size).all()
    total = plain.counts.sum(axis=0)
    assert (np.abs(fast.squares - plain.squares) <= 1e-13 * total * size**2).all()


def test_moments_of_more_rows_and_columns_than_are_taken_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 83)) + 1e3
    X[rng.random(X.shape) < 0.001] = np.nan
    y = np.arange(700) % 30
    monkeypatch.setattr(library, "TERMS_PER_CALL", 5000)
    for some in (X, X[:, :3], X[:50]):
        plain, fast = (of(some, y[: len(some)], 30) for of in (table_moments, moments_of))
        for one, other in zip(plain, fast, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-11)


def path(make, known, rows, correlation, k, *, from_rows=True, ahead=True):
    """The features of a search and the scores on the way."""
    products = rows if from_rows else lambda feature: rows(feature)
    steps = list(forward(make(known, correlation, products), k, ahead=ahead))
    return [step.feature for step in steps], [step.score for step in steps]


@examples(400)
@given(problems(max_features=24), correlations, kinds, stored, st.data())
def test_same_path_as_in_numpy(data, correlation, kind, form, more):
    X, y = data
    rng = np.random.default_rng(more.draw(st.integers(0, 99)))
    X = form(spoilt(X, y, kind, rng))
    weight = more.draw(st.sampled_from([None, rng.uniform(0.1, 3, len(y))]))
    known = checked(moments_of(X, y, y.max() + 1, weight))
    found = []
    for make, correlations in ((Cover, Correlations), (cover_of, NativeCorrelations)):
        rows = correlations(X, y, known, weight)
        options = {"from_rows": more.draw(st.booleans()), "ahead": more.draw(st.booleans())}
        found.append(path(make, known, rows, correlation, X.shape[1], **options))
    assert found[1][0] == found[0][0]
    np.testing.assert_allclose(found[1][1], found[0][1], rtol=1e-9, atol=1e-12)


@pytest.fixture(scope="module")
def crowded():
    """A table with many classes, and columns that differ from others by less and less."""
    rng = np.random.default_rng(3)
    y = np.arange(140) % 21
    X = rng.normal(size=(140, 90)) + rng.normal(size=(21, 90))[y]
    return np.hstack([X, X[:, ::3] * (1 + 1e-7 * rng.normal(size=(140, 30))), X[:, :9]]), y


@pytest.mark.parametrize("correlation", [0, 0.25, 1])
def test_a_long_search_is_that_of_numpy(crowded, correlation, monkeypatch):
    X, y = crowded
    known = moments_of(X, y, 21)
    rows = Correlations(X, y, known)
    expected = path(Cover, known, rows, correlation, 100)
    for terms, most in ((1 << 23, 1 << 23), (1 << 23, 0), (1000, 1 << 23)):
        monkeypatch.setattr(library, "TERMS_PER_CALL", terms)
        monkeypatch.setattr(native_pairs, "TERMS_PER_CALL", terms)
        monkeypatch.setattr(native_pairs, "_MOST_RESIDUALS", most)
        found = path(cover_of, known, rows, correlation, 100)
        assert found[0] == expected[0]
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-11)


@pytest.mark.parametrize("correlation", [0, 0.25])
def test_copies_are_independent(crowded, correlation):
    X, y = crowded
    known = moments_of(X, y, 21)
    rows = NativeCorrelations(X, y, known)
    one = cover_of(known, correlation, rows)
    assert isinstance(one, NativeCover)
    for feature in (3, 50, 7):
        one.add(feature)
    left = np.setdiff1d(np.arange(X.shape[1]), [3, 50, 7])
    before = one.score(left).scores
    other = one.copy()
    for feature in (8, 20):
        other.add(feature)
    np.testing.assert_array_equal(one.score(left).scores, before)
    anew = Cover(known, correlation, Correlations(X, y, known))
    for feature in (3, 50, 7, 8, 20):
        anew.add(feature)
    left = np.setdiff1d(left, [8, 20])
    np.testing.assert_allclose(other.score(left).scores, anew.score(left).scores, rtol=1e-11)
    np.testing.assert_array_equal(other.shortlist(left), anew.shortlist(left))
    np.testing.assert_array_equal(other.shortlist(left, 5), anew.shortlist(left, 5))
    np.testing.assert_allclose(other.separations, anew.separations, rtol=1e-11)


@pytest.mark.parametrize("correlation", [0, 0.25, 1])
@pytest.mark.parametrize("p", [2, 3])
def test_classes_so_far_apart_that_single_precision_holds_no_bound(p, correlation):
    """Error bounds of 1e-45 are no numbers with digits there; they must rule nobody out."""
    rng = np.random.default_rng(0)
    for apart in np.linspace(28.2, 29, 30):  # bounds of about 1e-45
        y = np.repeat(np.arange(p), 40)
        X = apart * y[:, None] + rng.normal(size=(40 * p, 1)) + 1e-2 * rng.normal(size=(40 * p, 9))
        known = moments_of(X, y, p)
        rows = Correlations(X, y, known)
        found, expected = (path(of, known, rows, correlation, 9)[0] for of in (cover_of, Cover))
        assert found == expected


@pytest.mark.parametrize("correlation", [0, 0.25])
def test_thousands_of_equal_columns(correlation):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = np.tile(rng.normal(size=(60, 2)) + 3 * y[:, None], 1500)
    known = moments_of(X, y, 3)
    rows = Correlations(X, y, known)
    found, expected = (path(of, known, rows, correlation, 4)[0] for of in (cover_of, Cover))
    assert found == expected


@pytest.mark.parametrize("correlation", [0.0, 0.25])
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e-300])
@pytest.mark.parametrize("field", ["mean", "squares", "J"])
def test_a_search_ends_whatever_the_numbers(crowded, correlation, bad, field):
    """Moments that no table has: the library gets them as they are, and must come back."""
    X, y = crowded
    known = moments_of(X, y, 21)
    rows = Correlations(X, y, known)
    if field != "J":
        known = known._replace(**{field: np.full(getattr(known, field).shape, bad)})
    for products in (rows, lambda feature: rows(feature)):
        with np.errstate(all="ignore"):
            criterion = NativeCover(known, correlation, products)
            if field == "J":
                criterion._growing["J"][::2] = bad
            try:
                features = [feature for feature, *_ in criterion.run(np.arange(X.shape[1]), 30)]
            except ValueError as error:
                if "The score of no feature is a number" not in str(error):
                    raise
                continue
        assert len({*features}) == 30
        assert {*features} <= {*range(X.shape[1])}


def test_a_search_without_candidates_ends(crowded):
    X, y = crowded
    assert list(cover_of(moments_of(X, y, 21)).run(np.arange(0), 3)) == []
