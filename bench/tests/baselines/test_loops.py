"""The compiled loops against their NumPy forms, and a relation between samples and double loops.

What the other loops compute is compared with the definitions by the tests of the baselines.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_loops as plain
from s2fs_bench.baselines import loops
from s2fs_bench.baselines.relations import Relation, list_different_class_pairs
from strategies import examples

some = examples(60)


class Problem:
    """Random samples in class order, on a grid so that ties occur, and a random state."""

    def __init__(self, n, m, p, levels, seed):
        self.rng = rng = np.random.default_rng(seed)
        X = rng.random((n, m))
        self.X = np.round(X * levels) / levels if levels else X
        self.codes = np.sort(np.r_[np.arange(p), rng.integers(0, p, n - p)])
        self.columns = np.ascontiguousarray(self.X.T)
        self.bounds = np.append(0, np.cumsum(np.bincount(self.codes)))
        self.candidates = rng.permutation(m)
        self.pairs = list_different_class_pairs(self.codes)
        self.widths = rng.uniform(0.1, 1, m)
        x = self.columns[0]
        self.furthest = np.abs(x[:, None] - x)

    def discernibility(self, gaussian=False):
        return loops.Discernibility(self.columns, self.widths, *self.pairs, gaussian)


@st.composite
def problems(draw):
    p = draw(st.integers(2, 4))
    n = draw(st.one_of(st.integers(p, 20), st.integers(20, 70)))
    levels = draw(st.sampled_from([None, 3, 10]))
    return Problem(n, draw(st.integers(1, 12)), p, levels, draw(st.integers(0, 10**6)))


@some
@given(problems(), st.booleans(), st.booleans())
def test_satisfaction(problem, gaussian, largest):
    of = problem.discernibility(gaussian)
    satisfied = problem.rng.random(len(of.left))
    ours = loops.compute_satisfaction(of, problem.candidates, satisfied, largest)
    expected = plain.compute_satisfaction(of, problem.candidates, satisfied, largest)
    rtol, atol = (1e-14, 4e-16) if gaussian else (0, 0)
    np.testing.assert_allclose(ours, expected, rtol=rtol, atol=atol)
    loops.satisfy(of, 0, joined := satisfied.copy(), largest)
    expected = plain.join_degrees(satisfied, plain.compute_discernibility(of, 0), largest)
    np.testing.assert_allclose(joined, expected, rtol=rtol, atol=atol)


@some
@given(problems())
def test_settled_pairs(problem):
    of = problem.discernibility()
    # Thresholds that some feature reaches exactly.
    threshold = plain.compute_discernibility(of, problem.candidates[0])
    weight = problem.rng.random(len(threshold))
    ours = loops.sum_settled_weights(of, problem.candidates, threshold, weight)
    expected = plain.sum_settled_weights(of, problem.candidates, threshold, weight)
    np.testing.assert_array_equal(ours, expected)
    assert ours[0] == pytest.approx(weight.sum())
    for f in problem.candidates:
        ours = loops.find_settled_pairs(of, f, threshold)
        np.testing.assert_array_equal(ours, plain.find_settled_pairs(of, f, threshold))


@some
@given(problems(), st.sampled_from([None, 0.1, 0.3]), st.booleans())
def test_relations(problem, radius, reflexive):
    relation = Relation(problem.X, problem.codes, radius, reflexive=reflexive)
    relation.add(problem.candidates[:1])
    expected = np.ones_like(relation.matrix)
    if not reflexive:
        np.fill_diagonal(expected, 0)
    plain.intersect(problem.columns, problem.candidates[:1], expected, relation.radius)
    np.testing.assert_array_equal(relation.matrix, expected)

    ours = loops.find_nearest_others(relation._sorted, problem.candidates)
    for part, truth in zip(
        ours, plain.find_nearest_others(relation._sorted, problem.candidates), strict=True
    ):
        np.testing.assert_array_equal(part, truth)

    first, second, where = loops.find_two_nearest(relation._sorted, problem.candidates)
    truth = plain.find_two_nearest(relation._sorted, problem.candidates)
    np.testing.assert_array_equal(first, truth[0])
    np.testing.assert_array_equal(second, truth[1])
    np.testing.assert_array_equal(where[first > second], truth[2][first > second])

    decision = problem.rng.random((3, len(problem.codes)))
    table = problem.columns, problem.candidates, relation.matrix, decision, relation.radius
    for part, truth in zip(
        loops.compute_approximation_sizes(*table),
        plain.compute_approximation_sizes(*table),
        strict=True,
    ):
        np.testing.assert_array_equal(part, truth)


@some
@given(problems())
def test_granules(problem):
    table = problem.columns, problem.furthest, problem.bounds
    for part, truth in zip(
        loops.sum_largest_differences(*table), plain.sum_largest_differences(*table), strict=True
    ):
        np.testing.assert_array_equal(part, truth)

    weights, scale = problem.rng.random(len(problem.codes)), 3.0
    relation = np.exp(-scale * problem.furthest**2)
    of = loops.Granules(problem.furthest, relation, problem.bounds, weights, scale)
    ours, expected = np.ones((2, 2, *problem.columns.shape))
    loops.add_gaussian_changes(of, problem.columns, *ours)
    plain.add_gaussian_changes(of, problem.columns, *expected)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12)


@some
@given(problems(), st.sampled_from([1.0, 0.5, 2.0]))
def test_aggregation(problem, power):
    n, m = problem.X.shape
    p = len(problem.bounds) - 1
    of = loops.Centres(problem.rng.random((n, p)), problem.codes, power, 1e-12)
    centres = problem.rng.random((m, p))
    ours = loops.compute_aggregation(of, problem.columns, centres)
    expected = plain.compute_aggregation(of, problem.columns, centres)
    np.testing.assert_allclose(ours, expected, rtol=0 if power == 1 else 1e-13)


def test_a_candidate_is_sized_alike_in_any_company():
    problem = Problem(30, 21, 3, None, 0)  # more than share a walk over the table

    def sizes(columns):
        changes = np.ones((2, *columns.shape))
        relation = np.exp(-(problem.furthest**2))
        of = loops.Granules(problem.furthest, relation, problem.bounds, np.ones(30), 1.0)
        loops.add_gaussian_changes(of, columns, *changes)
        table = columns, problem.furthest, problem.bounds
        return np.stack([*changes, *loops.sum_largest_differences(*table)])

    alone = [sizes(problem.columns[[f]]) for f in range(21)]
    np.testing.assert_array_equal(sizes(problem.columns), np.concatenate(alone, axis=1))


@st.composite
def unsorted_data(draw):
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


@pytest.mark.parametrize("reflexive", [True, False])
@examples(60)
@given(unsorted_data(), st.sampled_from([None, 0.1, 0.3, 0.5, 1.0]), st.data())
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
@given(unsorted_data(), st.sampled_from([0.1, 0.3, 1.0]), st.randoms(use_true_random=False))
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
