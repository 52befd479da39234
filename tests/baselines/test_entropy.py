from math import exp, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import minmax_scale

from s2fs.baselines._entropy import (
    GaussianGranules,
    LinearGranules,
    class_bits,
    counts,
    granule_entropy,
    label_entropy,
    neighbourhood_bits,
    neighbourhood_sizes,
)
from strategies import examples, problems

small = examples(50)
#: Radii that fall between and exactly onto the differences of coarse data.
radii = st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5, 1.0])


def literal_neighbours(X, x, delta):
    return {
        z
        for z in range(len(X))
        if all(abs(X[x, f] - X[z, f]) <= delta + 1e-12 for f in range(X.shape[1]))
    }


@small
@given(problems(max_samples=20, max_features=6), radii)
def test_neighbourhoods_against_counting(problem, delta):
    X, y = problem
    X = minmax_scale(X)
    bits = neighbourhood_bits(X, delta)
    same = class_bits(y)
    for f in range(X.shape[1]):
        near = [literal_neighbours(X[:, [f]], x, delta) for x in range(len(X))]
        assert neighbourhood_sizes(X[:, f], delta).tolist() == [len(s) for s in near]
        assert counts(bits[f]).tolist() == [len(s) for s in near]
        assert counts(bits[f] & same).tolist() == [
            sum(y[z] == y[x] for z in s) for x, s in enumerate(near)
        ]
    joint = [len(literal_neighbours(X, x, delta)) for x in range(len(X))]
    assert counts(np.bitwise_and.reduce(bits, axis=0)).tolist() == joint


@pytest.mark.parametrize("n", [2, 63, 64, 65, 130])
def test_bits_past_the_last_instance_are_clear(n):
    bits = neighbourhood_bits(np.linspace(0, 1, n)[:, None], 2.0)
    assert bits.shape == (1, -(-n // 64), n)
    assert counts(bits).tolist() == [[n] * n]


def test_a_neighbour_at_exactly_the_radius_is_inside():
    x = np.array([0.1, 0.3, 0.6])  # 0.3 − 0.1 is a little less than 0.2, 0.6 − 0.3 not quite 0.3
    assert neighbourhood_sizes(x, 0.2).tolist() == [2, 2, 1]
    assert neighbourhood_sizes(x, 0.3).tolist() == [2, 3, 2]
    assert counts(neighbourhood_bits(x[:, None], 0.3)).tolist() == [[2, 3, 2]]


@small
@given(st.lists(st.floats(0.1, 20), min_size=1, max_size=20))
def test_granule_entropy_against_the_formula(sizes):
    n = len(sizes)
    literal = -sum(log2(s / n) for s in sizes) / n
    assert granule_entropy(np.array(sizes)) == pytest.approx(literal, abs=1e-12)


@small
@given(st.lists(st.integers(0, 3), min_size=1, max_size=20))
def test_label_entropy_against_the_formula(labels):
    shares = [labels.count(c) / len(labels) for c in set(labels)]
    literal = -sum(p * log2(p) for p in shares)
    codes = np.unique(labels, return_inverse=True)[1]
    assert label_entropy(codes) == pytest.approx(literal, abs=1e-12)


def literal_granules(X, y, relation, weights):
    """Own and total granule sizes from the minimum over features, in class order."""
    n = len(y)
    R = [
        [min(relation(abs(X[x, f] - X[z, f])) for f in range(X.shape[1])) for z in range(n)]
        for x in range(n)
    ]
    order = sorted(range(n), key=lambda x: y[x])
    own = [sum(R[x][z] * weights[z] for z in range(n) if y[z] == y[x]) for x in order]
    every = [sum(R[x][z] * weights[z] for z in range(n)) for x in order]
    return np.array(own), np.array(every)


@small
@given(problems(max_samples=20, max_features=6), st.sampled_from([None, 0.05, 0.1, 0.5]))
def test_fuzzy_granules_against_the_definition(problem, sigma):
    X, y = problem
    X = minmax_scale(X)
    if sigma is None:
        weights = np.ones(len(y))
        granules = LinearGranules(X, y)

        def relation(d):
            return 1 - d
    else:
        weights = np.linspace(0.2, 1, len(y))
        granules = GaussianGranules(X, y, sigma, weights)

        def relation(d):
            return exp(-(d**2) / (2 * sigma**2))

    everything = np.arange(X.shape[1])
    for f in everything:
        own, every = granules.sizes(everything)
        for g in everything:
            chosen = X[:, [*range(f), g]]
            literal = literal_granules(chosen, y, relation, weights)
            np.testing.assert_allclose((own[g], every[g]), literal, atol=1e-10)
        granules.add(f)
        literal = literal_granules(X[:, : f + 1], y, relation, weights)
        np.testing.assert_allclose((granules.own, granules.every), literal, atol=1e-10)
    np.testing.assert_allclose(granules.sizes_with_all(), literal, atol=1e-10)


def test_granules_of_the_empty_set_hold_everybody():
    y = np.array([1, 0, 1])
    granules = LinearGranules(np.eye(3), y)
    assert granules.codes.tolist() == [0, 1, 1]
    assert granules.own.tolist() == [1, 2, 2]
    assert granules.every.tolist() == [3, 3, 3]


def test_a_candidate_is_sized_alike_in_any_company():
    # More candidates than the compiled loops take at a time.
    X = np.random.default_rng(0).random((30, 21))
    y = np.arange(30) % 3
    for granules in (LinearGranules(X, y), GaussianGranules(X, y, 0.1)):
        granules.add(20)
        together = np.stack(granules.sizes(np.arange(20)))
        alone = np.stack([granules.sizes(np.array([f])) for f in range(20)], axis=1)[:, :, 0]
        np.testing.assert_array_equal(together, alone)
