"""Pairs, approximations and relations against double loops."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2fs.baselines._relations import Relation, different_class_pairs, lower_approximation, widths
from strategies import examples


@st.composite
def scaled_data(draw):
    """Columns on a grid of tenths, so that equal rows, ties and the radius itself occur."""
    n, m = draw(st.integers(3, 12)), draw(st.integers(1, 4))
    codes = np.array([0, 1] + [draw(st.integers(0, 2)) for _ in range(n - 2)])
    codes = np.unique(codes, return_inverse=True)[1]
    cells = st.lists(st.integers(0, 10), min_size=n, max_size=n)
    X = np.array([draw(cells) for _ in range(m)]).T / 10
    return X, codes


def similarity(X, features, i, j, radius):
    """R_B(x_i, x_j) by its definition."""
    lowest = 1.0
    for a in features:
        d = abs(X[i, a] - X[j, a])
        lowest = min(lowest, 1 - d if radius is None or d <= radius + 1e-12 else 0.0)
    return lowest


@given(st.lists(st.integers(0, 3), min_size=2, max_size=15))
def test_different_class_pairs(codes):
    pairs = different_class_pairs(np.array(codes))
    n = len(codes)
    expected = [(i, j) for i in range(n) for j in range(i + 1, n) if codes[i] != codes[j]]
    assert list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)) == expected


@given(scaled_data())
def test_lower_approximation_is_the_distance_to_the_nearest_other_class(data):
    X, codes = data
    pairs = different_class_pairs(codes)
    discerned = np.abs(X[pairs.left, 0] - X[pairs.right, 0])
    n = len(X)
    expected = [
        min(abs(X[i, 0] - X[j, 0]) for j in range(n) if codes[j] != codes[i]) for i in range(n)
    ]
    np.testing.assert_array_equal(lower_approximation(pairs, discerned, n), expected)


def test_an_instance_without_pairs_is_in_the_lower_approximation():
    pairs = different_class_pairs(np.array([0, 0]))
    assert lower_approximation(pairs, np.array([]), 2).tolist() == [1, 1]


def test_widths():
    X = np.array([[0, 0.2], [0.25, 1], [1, 0]])
    expected = [statistics.stdev(X[:, f]) for f in range(2)]
    for kind in ("sigma", "gaussian"):
        np.testing.assert_allclose(widths(X, kind), expected, rtol=1e-14)
    assert widths(X, "range").tolist() == [1, 1]


@pytest.mark.parametrize("reflexive", [True, False])
@examples(60)
@given(scaled_data(), st.sampled_from([None, 0.1, 0.3, 0.5, 1.0]), st.data())
def test_largest_similarities(reflexive, data, radius, choose):
    X, codes = data
    n, m = X.shape
    relation = Relation(X, codes, radius, reflexive=reflexive)
    inside = choose.draw(st.lists(st.integers(0, m - 1), max_size=3))
    for f in inside:
        relation.add(np.array([f]))
    nearest, reach = relation.nearest_others(np.arange(m))
    largest, second, where = relation.two_nearest(np.arange(m))
    order = sorted(range(n), key=lambda i: (codes[i], i))
    assert relation.codes.tolist() == [codes[i] for i in order]
    for c in range(m):
        to_class = np.zeros((n, codes.max() + 1))
        for place, i in enumerate(order):
            for j in range(n):
                if reflexive or j != i:
                    near = similarity(X, [*inside, c], i, j, radius)
                    to_class[place, codes[j]] = max(to_class[place, codes[j]], near)
        ascending = np.sort(to_class, axis=1)
        np.testing.assert_allclose(largest[c], ascending[:, -1], atol=1e-15)
        np.testing.assert_allclose(second[c], ascending[:, -2], atol=1e-15)
        np.testing.assert_allclose(to_class[np.arange(n), where[c]], ascending[:, -1], atol=1e-15)
        to_class[np.arange(n), relation.codes] = 0
        np.testing.assert_allclose(nearest[c], to_class.max(axis=1), atol=1e-15)
        np.testing.assert_allclose(reach[c], to_class.sum(axis=0), atol=1e-12)


@examples(60)
@given(scaled_data(), st.sampled_from([0.1, 0.3, 1.0]), st.randoms(use_true_random=False))
def test_approximation_sizes(data, radius, random):
    X, codes = data
    n, m = X.shape
    order = np.argsort(codes, kind="stable")
    F = np.array([[random.random() for _ in range(n)] for _ in range(2)])
    relation = Relation(X, codes, radius, reflexive=True)
    relation.add(np.array([0]))
    lower, upper = relation.approximation_sizes(np.arange(m), F)
    for c in range(m):
        R = np.array([[similarity(X, [0, c], i, j, radius) for j in order] for i in order])
        for q in range(2):
            low = sum(min(max(1 - R[i, j], F[q, j]) for j in range(n)) for i in range(n))
            up = sum(max(min(R[i, j], F[q, j]) for j in range(n)) for i in range(n))
            assert lower[c, q] == pytest.approx(low)
            assert upper[c, q] == pytest.approx(up)


def test_clear_forgets_the_features():
    X = np.array([[0.0, 1.0], [0.5, 0.0], [1.0, 0.2]])
    relation = Relation(X, np.array([0, 1, 1]), None, reflexive=False)
    before, _ = relation.nearest_others(np.arange(2))
    relation.add(np.array([0, 1]))
    assert (relation.nearest_others(np.arange(2))[0] < before).any()
    relation.clear()
    np.testing.assert_array_equal(relation.nearest_others(np.arange(2))[0], before)


def test_blocks_cover_the_candidates_in_order():
    relation = Relation(np.eye(3, 7), np.array([0, 1, 1]), None, reflexive=True)
    blocks = list(relation.blocks(np.arange(7)))
    assert [len(b) for b in blocks] == [3, 3, 1]
    assert np.concatenate(blocks).tolist() == list(range(7))
