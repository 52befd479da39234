from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy
from sklearn.metrics import mutual_info_score
from sklearn.preprocessing import minmax_scale

from s2fs_bench.baselines.fsnmer import FSNMER, Refinement, cut_into_intervals
from strategies import examples, problems

small = examples(50)
X = np.array([[0, 0.1, 0.5], [0.1, 0, 0], [0.5, 0.6, 1], [0.6, 0.4, 0.5], [0.9, 1, 0], [1, 0.9, 1]])
Y = np.array([0, 0, 0, 1, 1, 1])


def information(labels, y):
    return mutual_info_score(labels, y) / np.log(2)


def label_entropy(y):
    return entropy(np.bincount(y), base=2)


def of_sizes(*sizes):
    """The entropy of neighbourhoods of these sizes."""
    return -sum(log2(size / len(sizes)) for size in sizes) / len(sizes)


def test_worked_example_calibrated():
    selector = FSNMER(n_features_to_select=3).fit(X, Y)
    sizes = [[2, 2, 1, 1, 2, 2], [2] * 6, [2] * 6]
    assert selector.scores_ == pytest.approx([of_sizes(*s) for s in sizes], abs=1e-12)
    assert selector.indices_.tolist() == [1, 0, 2]
    assert selector.scores_ == pytest.approx([1.9183, 1.5850, 1.5850], abs=5.1e-5)
    assert selector.peak_ == 3


def test_worked_example_equivalence():
    blocks = np.stack([cut_into_intervals(x, 0.2) for x in X.T])
    assert blocks.tolist() == [[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2], [1, 0, 2, 1, 0, 2]]
    refinement = Refinement(blocks, Y)
    assert refinement.score(np.arange(3)) == pytest.approx([0.6667, 0.6667, 0], abs=5.1e-5)
    refinement.add(0)
    assert refinement.score(np.arange(3)) == pytest.approx([0.6667, 0.6667, 1], abs=5.1e-5)
    selector = FSNMER(n_features_to_select=3, mode="equivalence").fit(X, Y)
    assert selector.indices_.tolist() == [0, 2, 1]
    assert selector.scores_ == pytest.approx([0.6667, 1, 0.6667], abs=5.1e-5)
    assert selector.peak_ == 2


@small
@given(problems(max_samples=20, max_features=6), st.sampled_from([0.05, 0.1, 0.25, 1.0]))
def test_calibrated_against_the_definition(problem, delta):
    X, y = problem
    scaled = minmax_scale(X)
    n = len(y)
    entropies = []
    for x in scaled.T:
        sizes = [sum(abs(a - b) <= delta + 1e-12 for b in x) for a in x]
        entropies.append(of_sizes(*sizes))
    assert all(-1e-12 <= h <= log2(n) + 1e-12 for h in entropies)
    varying = np.ptp(scaled, axis=0) > 0
    expected = sorted(
        range(len(entropies)), key=lambda f: (not varying[f], -round(entropies[f], 9), f)
    )
    selector = FSNMER(n_features_to_select=X.shape[1], delta=delta).fit(X, y)
    assert selector.indices_.tolist() == expected
    shown = selector.scores_[: varying.sum()]
    np.testing.assert_allclose(shown, np.array(entropies)[expected[: varying.sum()]], atol=1e-12)


def test_calibrated_does_not_look_at_the_label():
    rng = np.random.default_rng(0)
    X = rng.random((30, 8))
    rankings = [
        FSNMER(n_features_to_select=8).fit(X, rng.permutation(np.arange(30) % 3)).indices_
        for _ in range(3)
    ]
    np.testing.assert_array_equal(rankings[0], rankings[1])
    np.testing.assert_array_equal(rankings[0], rankings[2])


def test_calibrated_extremes():
    alone = FSNMER(1, delta=0.05).fit(np.arange(8)[:, None], np.arange(8) % 2)
    assert alone.scores_ == pytest.approx([3])
    wide = FSNMER(n_features_to_select=3, delta=1.0).fit(X, Y)
    assert wide.scores_.tolist() == [0, 0, 0]
    assert wide.indices_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("delta", "sizes"), [(0.2, [2, 3, 2, 1, 1]), (0.3, [3, 3, 4, 2, 1])])
def test_a_neighbour_at_exactly_the_radius_is_inside(delta, sizes):
    # 0.3 − 0.1 is a little less than 0.2, 0.6 − 0.3 not quite 0.3
    x = np.array([0, 0.1, 0.3, 0.6, 1])
    selector = FSNMER(1, delta=delta).fit(x[:, None], [0, 0, 1, 1, 1])
    assert selector.scores_ == pytest.approx([of_sizes(*sizes)], abs=1e-12)


@small
@given(st.lists(st.sampled_from(range(21)), min_size=1, max_size=20), st.sampled_from([0.1, 0.2]))
def test_intervals_against_the_rule(values, delta):
    column = np.array(values) / 20
    blocks = cut_into_intervals(column, delta)
    unassigned, block = set(range(len(values))), 0
    while unassigned:
        start = min(column[i] for i in unassigned)
        inside = {i for i in unassigned if column[i] - start <= delta + 1e-12}
        assert {i for i in range(len(values)) if blocks[i] == block} == inside
        unassigned -= inside
        block += 1


@small
@given(problems(max_samples=20, max_features=6), st.sampled_from([0.1, 0.2, 0.5]))
def test_information_against_scikit_learn(problem, delta):
    X, y = problem
    X = minmax_scale(X)
    blocks = np.stack([cut_into_intervals(x, delta) for x in X.T])
    refinement = Refinement(blocks, y)
    everything = np.arange(X.shape[1])
    before = 0.0
    for f in everything:
        joint = [
            np.unique(blocks[[*range(f), g]], axis=1, return_inverse=True)[1] for g in everything
        ]
        expected = [information(labels.ravel(), y) for labels in joint]
        found = refinement.score(everything)
        np.testing.assert_allclose(found, expected, atol=1e-10)
        # A finer partition says no less, and never more than there is to say.
        assert found.min() >= before - 1e-10
        assert found.max() <= label_entropy(y) + 1e-10
        refinement.add(f)
        before = found[f]


def literal_peeling(X, y, delta):
    """Reduct after reduct, straight from the rule."""
    blocks = np.stack([cut_into_intervals(x, delta) for x in X.T])

    def measure(features):
        labels = np.unique(blocks[list(features)], axis=1, return_inverse=True)[1]
        return information(labels.ravel(), y)

    alone = [measure([f]) for f in range(len(blocks))]
    left, order, first = list(range(len(blocks))), [], None
    while left:
        S, value = [], 0.0
        while left and value < label_entropy(y) - 1e-10:
            gains = {f: measure([*S, f]) - value for f in left}
            best = max(gains.values())
            if best <= 1e-9:
                break
            tied = [f for f in left if gains[f] > best - 1e-11]
            most = max(alone[f] for f in tied)
            f = next(f for f in tied if alone[f] > most - 1e-11)
            S.append(f)
            left.remove(f)
            value = measure(S)
        first = len(S) if first is None else first
        if not S:
            return order + left, first
        order += S
    return order, first


@small
@given(problems(max_samples=20, max_features=6), st.sampled_from([0.1, 0.2, 0.5]))
def test_equivalence_against_literal_peeling(problem, delta):
    X, y = problem
    scaled = minmax_scale(X)
    varying = np.flatnonzero(np.ptp(scaled, axis=0) > 0)
    selector = FSNMER(n_features_to_select=X.shape[1], mode="equivalence", delta=delta).fit(X, y)
    if len(varying):
        order, first = literal_peeling(scaled[:, varying], y, delta)
        assert selector.indices_[: len(varying)].tolist() == varying[order].tolist()
        assert selector.peak_ == first


def test_default_widths():
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 6)), np.arange(40) % 3
    for mode, width in (("calibrated", 0.1), ("equivalence", 0.2)):
        default, given_ = (
            FSNMER(n_features_to_select=6, mode=mode, delta=d).fit(X, y) for d in (None, width)
        )
        np.testing.assert_array_equal(default.scores_, given_.scores_)
        np.testing.assert_array_equal(default.indices_, given_.indices_)


def test_duplicates_and_constant_features():
    doubled = np.column_stack([np.zeros(6), X[:, 0], X[:, 0]])
    assert FSNMER(n_features_to_select=3).fit(doubled, Y).indices_.tolist() == [1, 2, 0]
    peeled = FSNMER(n_features_to_select=3, mode="equivalence").fit(doubled, Y)
    assert peeled.indices_.tolist() == [1, 2, 0]
    assert peeled.peak_ == 1
