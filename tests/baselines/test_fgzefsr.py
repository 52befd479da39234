from math import exp, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import minmax_scale

from s2fs.baselines._entropy import GaussianGranules, label_entropy
from s2fs.baselines.fgzefsr import FGZEFSR, ZentropySubset, agreement
from strategies import examples, problems

small = examples(50)
X = np.array([[0, 0.1, 0.5], [0.1, 0, 0], [0.5, 0.6, 1], [0.6, 0.4, 0.5], [0.9, 1, 0], [1, 0.9, 1]])
Y = np.array([0, 0, 0, 1, 1, 1])


def test_worked_granules():
    own, every = GaussianGranules(X, Y, 0.1).sizes(np.arange(3))
    assert own[0] == pytest.approx([1.6065, 1.6069, 1.0003, 1.0114, 1.6176, 1.6069], abs=5.1e-5)
    assert every[0] == pytest.approx([1.6065, 1.6069, 1.6072, 1.6180, 1.6180, 1.6069], abs=5.1e-5)
    terms = own / 3 * np.log2(every / own)
    assert terms[0, 2:4] == pytest.approx([0.2281, 0.2285], abs=5.1e-5)
    assert terms[0, [0, 1, 4, 5]].max() <= 0.0002
    assert [terms[0, :3].mean(), terms[0, 3:].mean()] == pytest.approx([0.0760, 0.0762], abs=5.1e-5)
    assert own[1, 2:4] == pytest.approx([1, 1], abs=1e-4)
    assert every[1, 2:4] == pytest.approx([1.1468, 1.1468], abs=5.1e-5)
    assert terms[1, 2:4] == pytest.approx([0.0659, 0.0659], abs=5.1e-5)
    assert terms[1, [0, 5]] == pytest.approx([0.0053, 0.0053], abs=5.1e-5)
    assert terms[2] == pytest.approx([1 / 3] * 6, abs=1e-4)


def test_worked_ranking():
    selector = FGZEFSR(n_features_to_select=3, sigma=0.1).fit(X, Y)
    assert selector.indices_.tolist() == [1, 0, 2]
    assert -selector.scores_ == pytest.approx([1.0238, 1.0761, 1.3333], abs=5.1e-5)
    assert selector.peak_ == 3


def test_worked_weights():
    assert agreement(X, Y, 2) == pytest.approx(np.array([2, 2, 1, 1, 3, 2]) / 3)


def literal_zentropy(X, y, subset, sigma, w, share="class"):
    n, total = len(y), 0.0
    for j in range(y.max() + 1):
        members = [x for x in range(n) if y[x] == j]
        mass = sum(w[z] for z in (members if share == "class" else range(n)))
        inner = 0.0
        for x in members:
            R = [
                min((exp(-((X[x, f] - X[z, f]) ** 2) / (2 * sigma**2)) for f in subset), default=1)
                for z in range(n)
            ]
            a = sum(R[z] * w[z] for z in members)
            t = sum(R[z] * w[z] for z in range(n))
            inner += -(a / mass) * log2(a / t)
        p = len(members) / n
        total += -p * log2(p) + p * inner / len(members)
    return total


@small
@given(
    problems(max_samples=20, max_features=6),
    st.sampled_from([0.05, 0.1, 0.15]),
    st.sampled_from([None, 1, 5]),
    st.sampled_from(["class", "all"]),
)
def test_zentropy_against_the_definition(problem, sigma, k, share):
    X, y = problem
    X = minmax_scale(X)
    weights = np.ones(len(y)) if k is None else agreement(X, y, k)
    subset = ZentropySubset(GaussianGranules(X, y, sigma, weights), share)
    everything = np.arange(X.shape[1])
    assert subset.zentropy == pytest.approx(literal_zentropy(X, y, [], sigma, weights, share))
    for f in everything:
        literal = [
            literal_zentropy(X, y, [*range(f), g], sigma, weights, share) for g in everything
        ]
        scores = subset.score(everything)
        np.testing.assert_allclose(-scores, literal, atol=1e-10)
        # The inner entropies are not negative, so the classes alone are the least there is.
        assert (-scores).min() >= label_entropy(y) - 1e-10
        subset.add(f)
        assert subset.zentropy == pytest.approx(literal[f], abs=1e-10)


@small
@given(problems(max_samples=20, max_features=6))
def test_rank_mode_against_the_definition(problem):
    X, y = problem
    scaled = minmax_scale(X)
    varying = [f for f in range(X.shape[1]) if np.ptp(scaled[:, f]) > 0]
    selector = FGZEFSR(n_features_to_select=X.shape[1], sigma=0.1).fit(X, y)
    order = selector.indices_[: len(varying)].tolist()
    assert sorted(order) == varying
    values = [literal_zentropy(scaled, y, [f], 0.1, np.ones(len(y))) for f in order]
    np.testing.assert_allclose(-selector.scores_[: len(varying)], values, atol=1e-11)
    assert (np.diff(values) > -1e-11).all()


@small
@given(problems(max_samples=20, max_features=6))
def test_greedy_mode_against_the_definition(problem):
    X, y = problem
    scaled = minmax_scale(X)
    varying = [f for f in range(X.shape[1]) if np.ptp(scaled[:, f]) > 0]
    selector = FGZEFSR(n_features_to_select=X.shape[1], mode="greedy", sigma=0.1).fit(X, y)
    w = np.ones(len(y))
    chosen, value, falls = [], literal_zentropy(scaled, y, [], 0.1, w), []
    for f in selector.indices_[: len(varying)].tolist():
        left = [g for g in varying if g not in chosen]
        values = {g: literal_zentropy(scaled, y, [*chosen, g], 0.1, w) for g in left}
        assert values[f] <= min(values.values()) + 1e-11
        falls.append(value - values[f])
        chosen.append(f)
        value = values[f]
    # Tails of the Gaussian make falls of any smallness: those near the tolerance may go either way.
    earliest, latest = (
        next((i for i, fall in enumerate(falls) if fall <= least), len(falls))
        for least in (1e-10, 1e-14)
    )
    assert earliest <= selector.peak_ <= latest


def test_greedy_mode_stops_where_a_copy_adds_nothing():
    copies = np.column_stack([X[:, 1], X[:, 1], X[:, 1]])
    selector = FGZEFSR(n_features_to_select=3, mode="greedy").fit(copies, Y)
    assert selector.indices_.tolist() == [0, 1, 2]
    assert selector.peak_ == 1


@small
@given(st.integers(0, 2**32 - 1), st.integers(1, 30))
def test_weights_against_scikit_learn(seed, k):
    rng = np.random.default_rng(seed)
    X, y = rng.random((20, 3)), rng.integers(0, 3, 20)
    k_used = min(k, 19)
    near = NearestNeighbors(n_neighbors=k_used).fit(X).kneighbors(return_distance=False)
    expected = (1 + (y[near] == y[:, None]).sum(axis=1)) / (k_used + 1)
    np.testing.assert_allclose(agreement(X, y, k), expected)
    assert 1 / (k_used + 1) <= expected.min() <= expected.max() <= 1


def test_weights_change_the_scores_and_are_off_by_default():
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 5)), np.arange(30) % 2
    plain, off, on = (
        FGZEFSR(n_features_to_select=5, **kw).fit(X, y)
        for kw in ({}, {"neighbour_weights": False}, {"neighbour_weights": True})
    )
    np.testing.assert_array_equal(plain.scores_, off.scores_)
    w = agreement(minmax_scale(X), y, 5)
    expected = [literal_zentropy(minmax_scale(X), y, [f], 0.3, w) for f in on.indices_]
    np.testing.assert_allclose(-on.scores_, expected)
    assert not np.allclose(np.sort(on.scores_), np.sort(plain.scores_))


def test_singleton_class_duplicates_and_constant_features():
    y = np.array([0, 0, 0, 0, 0, 1])
    doubled = np.column_stack([np.zeros(6), X[:, 1], X[:, 1], X[:, 0]])
    selector = FGZEFSR(n_features_to_select=4).fit(doubled, y)
    assert np.isfinite(selector.scores_[:3]).all()
    order = selector.indices_.tolist()
    assert order[-1] == 0
    assert order.index(2) == order.index(1) + 1
