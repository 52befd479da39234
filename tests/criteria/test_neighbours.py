"""Nearest neighbours on the prefixes of a ranking, against samples one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2fs.criteria import neighbours
from s2fs.criteria.neighbours import knn


def predict_one_by_one(A, codes, B, sizes):
    """Sort all training samples by distance, then by position; the first five vote."""
    predictions = []
    for size in sizes:
        for sample in B:
            squares = [float(((row[:size] - sample[:size]) ** 2).sum()) for row in A]
            nearest = sorted(range(len(A)), key=lambda i: (round(squares[i], 9), i))[:5]
            votes = [int(codes[i]) for i in nearest]
            predictions.append(max(sorted(set(votes)), key=votes.count))
    return np.reshape(predictions, (len(sizes), len(B)))


@given(st.integers(2, 60), st.sampled_from([1, 2, 5, 1000]), st.integers(0, 10**6))
def test_predictions(n, levels, seed):
    """Rows on a grid, where many are equally far, in any order in memory."""
    rng = np.random.default_rng(seed)
    A, B = (rng.integers(0, levels + 1, (rows, 6)) / levels for rows in (n, 7))
    codes, sizes = rng.integers(0, 3, n), np.array([1, 2, 6])
    expected = predict_one_by_one(A, codes, B, sizes)
    np.testing.assert_array_equal(knn(A, codes, B, sizes), expected)
    columns = np.asfortranarray(A), codes, np.asfortranarray(B), sizes
    np.testing.assert_array_equal(knn(*columns), expected)


def test_some_test_samples_at_a_time(monkeypatch):
    rng = np.random.default_rng(0)
    A, B, codes = rng.random((40, 5)), rng.random((9, 5)), rng.integers(0, 3, 40)
    whole = knn(A, codes, B, np.arange(1, 6))
    monkeypatch.setattr(neighbours, "_BLOCK", 80)
    np.testing.assert_array_equal(knn(A, codes, B, np.arange(1, 6)), whole)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_distances_are_those_of_differences(offset):
    """Products of matrices would lose the digits of values far from 0."""
    rng = np.random.default_rng(1)
    A, B, codes = rng.random((60, 70)), rng.random((9, 70)), rng.integers(0, 3, 60)
    A[20:30] = A[:10]
    B[0] = A[3]
    sizes = np.array([70])
    np.testing.assert_array_equal(
        knn(A + offset, codes, B + offset, sizes), predict_one_by_one(A, codes, B, sizes)
    )


def test_fewer_samples_than_neighbours_all_vote():
    A, codes = np.array([[0.0], [5.0], [5.0]]), np.array([1, 0, 0])
    assert knn(A, codes, np.array([[0.0]]), np.array([1])).tolist() == [[0]]
