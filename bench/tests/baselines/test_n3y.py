from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import minmax_scale

from s2fs_bench.baselines.n3y import N3Y, NeighbourhoodSubset
from strategies import examples, problems

small = examples(50)
X = np.array([[0, 0.1, 0.5], [0.1, 0, 0], [0.5, 0.6, 1], [0.6, 0.4, 0.5], [0.9, 1, 0], [1, 0.9, 1]])
Y = np.array([0, 0, 0, 1, 1, 1])
KINDS = ["granularity", "ambiguity", "cmi", "none"]


@pytest.mark.parametrize(
    ("kind", "after_f1", "scores"),
    [
        ("granularity", [-0.9183, 0.4150], [0.6667, 0.4150, 0.0817]),
        ("cmi", [-1.5850, -0.2516], None),
    ],
)
def test_worked_example(kind, after_f1, scores):
    subset = NeighbourhoodSubset(X, Y, 0.2, kind)
    assert subset.relevancy == pytest.approx([0.6667, 0.6667, 0], abs=5.1e-5)
    subset.add(0)
    assert subset.score(np.array([1, 2])) == pytest.approx(after_f1, abs=5.1e-5)
    selector = N3Y(n_features_to_select=3, interactivity=kind, delta=0.2).fit(X, Y)
    assert selector.indices_.tolist() == [0, 2, 1]
    assert selector.peak_ == 3
    if scores:
        assert selector.scores_ == pytest.approx(scores, abs=5.1e-5)


def test_worked_redundancy_and_interactivity():
    subset = NeighbourhoodSubset(X, Y, 0.2, "granularity")
    joint = np.array([[2] * 6, [2] * 6, [1] * 6])
    assert subset.redundancy(0, joint) == pytest.approx([1.5850, 1.5850, 0.5850], abs=5.1e-5)
    assert subset.interaction(0, joint) == pytest.approx([0, 0, 1])
    cmi = NeighbourhoodSubset(X, Y, 0.2, "cmi")
    assert cmi.interaction(0, joint)[1:] == pytest.approx([-0.6667, 0.3333], abs=5.1e-5)


class Literal:
    """The formulas of the criterion, set by set."""

    def __init__(self, X, y, delta):
        self.n, self.y = len(y), y
        self.near = [
            [{z for z in range(self.n) if abs(x[i] - x[z]) <= delta + 1e-12} for i in range(self.n)]
            for x in X.T
        ]
        self.same = [{z for z in range(self.n) if y[z] == y[i]} for i in range(self.n)]

    def granules(self, *features):
        return [set.intersection(*(self.near[f][i] for f in features)) for i in range(self.n)]

    def relevancy(self, *features):
        return (
            sum(
                log2(self.n * len(g & d) / (len(g) * len(d)))
                for g, d in zip(self.granules(*features), self.same, strict=True)
            )
            / self.n
        )

    def redundancy(self, f, s):
        return (
            sum(
                log2(self.n * len(a & b) / (len(a) * len(b)))
                for a, b in zip(self.near[f], self.near[s], strict=True)
            )
            / self.n
        )

    def granularity(self, *features):
        return sum(map(len, self.granules(*features))) / self.n**2

    def ambiguity(self, *features):
        granules = self.granules(*features)
        own = sum(len(g & d) for g, d in zip(granules, self.same, strict=True))
        return log2(sum(map(len, granules)) / own)

    def interactivity(self, kind, f, s):
        if kind == "granularity":
            finer = min(self.granularity(f), self.granularity(s))
            return log2(finer / self.granularity(f, s))
        if kind == "ambiguity":
            return min(self.ambiguity(f), self.ambiguity(s)) - self.ambiguity(f, s)
        if kind == "cmi":
            return self.relevancy(f, s) - self.relevancy(f) - self.relevancy(s)
        return 0.0

    def criterion(self, kind, f, selected):
        rest = [self.interactivity(kind, f, s) - self.redundancy(f, s) for s in selected]
        return self.relevancy(f) + (sum(rest) / len(rest) if rest else 0.0)


@small
@given(
    problems(max_samples=20, max_features=6),
    st.sampled_from(KINDS),
    st.sampled_from([0.1, 0.2, 0.25, 0.5]),
)
def test_criterion_against_the_definition(problem, kind, delta):
    X, y = problem
    X = minmax_scale(X)
    literal = Literal(X, y, delta)
    subset = NeighbourhoodSubset(X, y, delta, kind)
    everything = np.arange(X.shape[1])
    for f in everything:
        expected = [literal.criterion(kind, g, range(f)) for g in everything]
        np.testing.assert_allclose(subset.score(everything), expected, atol=1e-10)
        subset.add(f)


@small
@given(problems(max_samples=20, max_features=6), st.sampled_from(KINDS))
def test_every_choice_is_the_best_left(problem, kind):
    X, y = problem
    scaled = minmax_scale(X)
    varying = np.flatnonzero(np.ptp(scaled, axis=0) > 0)
    selector = N3Y(n_features_to_select=X.shape[1], interactivity=kind).fit(X, y)
    assert selector.peak_ == len(varying)
    literal = Literal(scaled, y, 0.1 if kind == "cmi" else 0.2)
    selected = []
    for f, score in zip(selector.indices_[: len(varying)], selector.scores_, strict=False):
        rest = [g for g in varying if g not in selected]
        values = {g: literal.criterion(kind, g, selected) for g in rest}
        assert score == pytest.approx(max(values.values()), abs=1e-10)
        # Ties go to the larger relevancy, then to the lower index.
        tied = [g for g in rest if values[g] > max(values.values()) - 1e-11]
        best = max(literal.relevancy(g) for g in tied)
        assert f == next(g for g in tied if literal.relevancy(g) > best - 1e-11)
        selected.append(f)


@pytest.mark.parametrize("delta", [0.2, 2.0])
@pytest.mark.parametrize("n", [2, 63, 64, 65, 130])
def test_any_number_of_instances(n, delta):
    """Neighbours are kept as bits, 64 to a word; with delta 2 everybody is one."""
    rng = np.random.default_rng(n)
    X, y = np.column_stack([np.linspace(0, 1, n), rng.permutation(n) / (n - 1)]), np.arange(n) % 2
    selector = N3Y(2, delta=delta).fit(X, y)
    literal = Literal(X, y, delta)
    first, second = selector.indices_.tolist()
    expected = [
        literal.criterion("granularity", first, []),
        literal.criterion("granularity", second, [first]),
    ]
    assert selector.scores_ == pytest.approx(expected, abs=1e-10)
    if delta == 2:
        assert selector.scores_ == pytest.approx([0, 0], abs=1e-12)


def test_a_neighbour_at_exactly_the_radius_is_inside():
    x = np.array([0, 0.1, 0.3, 0.6, 1])  # 0.6 − 0.3 is not quite 0.3
    y = [0, 0, 1, 1, 1]
    neighbours = [{0, 1, 2}, {0, 1, 2}, {0, 1, 2, 3}, {2, 3}, {4}]
    classes = [{0, 1}, {0, 1}, {2, 3, 4}, {2, 3, 4}, {2, 3, 4}]
    expected = [
        log2(5 * len(g & d) / (len(g) * len(d))) for g, d in zip(neighbours, classes, strict=True)
    ]
    selector = N3Y(1, delta=0.3).fit(x[:, None], y)
    assert selector.scores_ == pytest.approx([sum(expected) / 5], abs=1e-12)


@small
@given(problems(max_samples=20, max_features=6))
def test_granularity_interactivity_is_not_negative(problem):
    X, y = problem
    subset = NeighbourhoodSubset(minmax_scale(X), y, 0.2, "granularity")
    for f in range(X.shape[1]):
        gained = subset.interaction(f, subset._joint_sizes(subset._bits[f]))
        assert gained.min() >= 0
        assert gained[f] == 0  # a feature refines nothing with itself


def test_a_duplicate_sinks():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    X = np.column_stack([y + rng.normal(0, 0.4, 30), rng.random(30), rng.random(30)])
    X = np.column_stack([X[:, 0], X])  # a copy of the best, right behind it
    assert N3Y(n_features_to_select=4).fit(X, y).indices_.tolist()[0] == 0
    assert N3Y(n_features_to_select=4).fit(X, y).indices_.tolist()[-1] == 1


def test_constant_features_come_last():
    selector = N3Y(n_features_to_select=4).fit(np.column_stack([np.zeros(6), X]), Y)
    assert selector.indices_.tolist() == [1, 3, 2, 0]
    assert selector.peak_ == 3


@pytest.mark.parametrize(("kind", "radius"), [("granularity", 0.2), ("cmi", 0.1)])
def test_default_radius(kind, radius):
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 6)), np.arange(40) % 3
    default, given_ = (
        N3Y(n_features_to_select=6, interactivity=kind, delta=d).fit(X, y) for d in (None, radius)
    )
    np.testing.assert_array_equal(default.scores_, given_.scores_)
