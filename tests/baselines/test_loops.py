"""The native loops against their NumPy forms, and both against double loops elsewhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2fs.baselines import _plain_loops as plain
from s2fs.baselines import loops
from s2fs.baselines._plain_loops import Centres, Discernibility, Granules
from s2fs.baselines._relations import Relation, different_class_pairs
from strategies import examples

some = examples(60)


class Problem:
    """Random instances in class order, on a grid so that ties occur, and a random state."""

    def __init__(self, n, m, p, levels, seed):
        self.rng = rng = np.random.default_rng(seed)
        X = rng.random((n, m))
        self.X = np.round(X * levels) / levels if levels else X
        self.codes = np.sort(np.r_[np.arange(p), rng.integers(0, p, n - p)])
        self.columns = np.ascontiguousarray(self.X.T)
        self.bounds = np.append(0, np.cumsum(np.bincount(self.codes)))
        self.candidates = rng.permutation(m)
        self.pairs = different_class_pairs(self.codes)
        self.widths = rng.uniform(0.1, 1, m)
        x = self.columns[0]
        self.furthest = np.abs(x[:, None] - x)

    def discernibility(self, gaussian=False):
        return Discernibility(self.columns, self.widths, *self.pairs, gaussian)


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
    ours = loops.satisfaction(of, problem.candidates, satisfied, largest)
    expected = plain.satisfaction(of, problem.candidates, satisfied, largest)
    rtol, atol = (1e-14, 4e-16) if gaussian else (0, 0)
    np.testing.assert_allclose(ours, expected, rtol=rtol, atol=atol)
    loops.satisfy(of, 0, joined := satisfied.copy(), largest)
    expected = plain.joined(satisfied, plain.discerned(of, 0), largest)
    np.testing.assert_allclose(joined, expected, rtol=rtol, atol=atol)


@some
@given(problems())
def test_settled_pairs(problem):
    of = problem.discernibility()
    # Thresholds that some feature reaches exactly.
    threshold = plain.discerned(of, problem.candidates[0])
    weight = problem.rng.random(len(threshold))
    ours = loops.settled_weight(of, problem.candidates, threshold, weight)
    expected = plain.settled_weight(of, problem.candidates, threshold, weight)
    np.testing.assert_array_equal(ours, expected)
    assert ours[0] == pytest.approx(weight.sum())
    for f in problem.candidates:
        ours = loops.settled(of, f, threshold)
        np.testing.assert_array_equal(ours, plain.settled(of, f, threshold))


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

    ours = loops.nearest_others(relation._sorted, problem.candidates)
    for part, truth in zip(
        ours, plain.nearest_others(relation._sorted, problem.candidates), strict=True
    ):
        np.testing.assert_array_equal(part, truth)

    first, second, where = loops.two_nearest(relation._sorted, problem.candidates)
    truth = plain.two_nearest(relation._sorted, problem.candidates)
    np.testing.assert_array_equal(first, truth[0])
    np.testing.assert_array_equal(second, truth[1])
    np.testing.assert_array_equal(where[first > second], truth[2][first > second])

    decision = problem.rng.random((3, len(problem.codes)))
    table = problem.columns, problem.candidates, relation.matrix, decision, relation.radius
    for part, truth in zip(
        loops.approximation_sizes(*table), plain.approximation_sizes(*table), strict=True
    ):
        np.testing.assert_array_equal(part, truth)


@some
@given(problems())
def test_granules(problem):
    table = problem.columns, problem.furthest, problem.bounds
    for part, truth in zip(
        loops.largest_difference_sums(*table), plain.largest_difference_sums(*table), strict=True
    ):
        np.testing.assert_array_equal(part, truth)

    weights, scale = problem.rng.random(len(problem.codes)), 3.0
    relation = np.exp(-scale * problem.furthest**2)
    of = Granules(problem.furthest, relation, problem.bounds, weights, scale)
    ours, expected = np.ones((2, 2, *problem.columns.shape))
    loops.gaussian_changes(of, problem.columns, *ours)
    plain.gaussian_changes(of, problem.columns, *expected)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12)


@some
@given(problems(), st.sampled_from([1.0, 0.5, 2.0]))
def test_aggregation(problem, power):
    n, m = problem.X.shape
    p = len(problem.bounds) - 1
    of = Centres(problem.rng.random((n, p)), problem.codes, power, 1e-12)
    centres = problem.rng.random((m, p))
    ours = loops.aggregation(of, problem.columns, centres)
    expected = plain.aggregation(of, problem.columns, centres)
    np.testing.assert_allclose(ours, expected, rtol=0 if power == 1 else 1e-13)


@pytest.mark.parametrize("name", ["satisfaction", "relation", "granules", "aggregation"])
def test_calls_in_slices_give_the_same(name, shortest_calls):
    problem = Problem(40, 25, 3, None, 0)

    def run():
        of = problem.discernibility()
        nothing = np.zeros(len(of.left))
        if name == "satisfaction":
            return [
                loops.satisfaction(of, problem.candidates, nothing, False),
                loops.settled_weight(of, problem.candidates, nothing + 0.3, nothing + 0.1),
            ]
        if name == "relation":
            relation = Relation(problem.X, problem.codes, 0.3, reflexive=True)
            relation.add(problem.candidates[:2])
            decision = np.linspace(0, 1, 120).reshape(3, 40)
            return [
                relation.matrix,
                *relation.nearest_others(problem.candidates),
                *relation.two_nearest(problem.candidates),
                *relation.approximation_sizes(problem.candidates, decision),
            ]
        if name == "granules":
            relation = np.exp(-problem.furthest)
            of = Granules(problem.furthest, relation, problem.bounds, np.ones(40), 2.0)
            sizes = np.ones((2, 25, 40))
            loops.gaussian_changes(of, problem.columns, *sizes)
            table = problem.columns, problem.furthest, problem.bounds
            return [*loops.largest_difference_sums(*table), sizes]
        of = Centres(np.linspace(0, 1, 120).reshape(40, 3), problem.codes, 1.0, 1e-12)
        return [loops.aggregation(of, problem.columns, np.zeros((25, 3)))]

    whole = run()
    shortest_calls()
    for ours, expected in zip(run(), whole, strict=True):
        np.testing.assert_array_equal(ours, expected)
