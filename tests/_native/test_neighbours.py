"""Nearest neighbours of the native library against plain NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inner import core_neighbours, engine_neighbours

knn, literal = engine_neighbours.knn, core_neighbours.knn


@st.composite
def data(draw):
    """Rows on a coarse grid, where many are equally far, or of any values."""
    n, p = draw(st.integers(2, 600)), draw(st.integers(2, 4))
    n_test, n_features = draw(st.integers(1, 20)), draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    A, B = rng.random((n, n_features)), rng.random((n_test, n_features))
    levels = draw(st.sampled_from([None, 1, 2, 5, 20]))
    if levels:
        A, B = np.round(A * levels) / levels, np.round(B * levels) / levels
    sizes = draw(st.sets(st.integers(1, n_features), min_size=1))
    return A, rng.integers(0, p, n), B, np.array(sorted(sizes))


@given(data())
def test_as_in_numpy(some):
    np.testing.assert_array_equal(knn(*some), literal(*some))


@given(st.integers(0, 10**6), st.sampled_from([None, 1, 3]), st.sampled_from([0.0, 1e6]))
def test_one_size_of_many_features(seed, levels, offset):
    """By products of matrices, unless too many rows are equally far."""
    rng = np.random.default_rng(seed)
    A, B = rng.random((60, 70)), rng.random((9, 70))
    if levels:
        A, B = np.round(A * levels) / levels, np.round(B * levels) / levels
    A[20:30] = A[:10]  # equally far
    B[0] = A[3]
    codes = rng.integers(0, 3, 60)
    some = A + offset, codes, B + offset, np.array([70])
    np.testing.assert_array_equal(knn(*some), literal(*some))


def test_many_rows_at_the_same_place():
    A, codes = np.tile(np.eye(2, 80), (40, 1)), np.arange(80) % 3
    some = A, codes, np.zeros((2, 80)), np.array([80])
    np.testing.assert_array_equal(knn(*some), literal(*some))


def test_long_rows_and_many_sizes():
    rng = np.random.default_rng(0)
    A, B, codes = rng.random((1003, 40)), rng.random((37, 40)), rng.integers(0, 6, 1003)
    sizes = np.arange(1, 41)
    np.testing.assert_array_equal(knn(A, codes, B, sizes), literal(A, codes, B, sizes))


def test_rows_in_any_layout():
    rng = np.random.default_rng(1)
    A, B, codes = rng.random((30, 12)), rng.random((9, 12)), rng.integers(0, 3, 30)
    sizes = np.arange(1, 7)
    expected = literal(A[:, ::2], codes, B[:, ::2], sizes)
    columns = np.asfortranarray(A[:, ::2]), codes, np.asfortranarray(B[:, ::2]), sizes
    np.testing.assert_array_equal(knn(*columns), expected)
    np.testing.assert_array_equal(knn(A[:, ::2], codes, B[:, ::2], sizes), expected)


@pytest.mark.parametrize("form", [knn, literal])
def test_fewer_rows_than_neighbours_all_vote(form):
    A, codes = np.array([[0.0], [5.0], [5.0]]), np.array([1, 0, 0])
    assert form(A, codes, np.array([[0.0]]), np.array([1])).tolist() == [[0]]
