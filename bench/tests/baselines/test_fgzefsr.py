from math import exp, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import minmax_scale

from s2fs_bench.baselines.fgzefsr import FGZEFSR, compute_agreement
from strategies import examples, problems

small = examples(50)
X = np.array([[0, 0.1, 0.5], [0.1, 0, 0], [0.5, 0.6, 1], [0.6, 0.4, 0.5], [0.9, 1, 0], [1, 0.9, 1]])
Y = np.array([0, 0, 0, 1, 1, 1])


def granule_sizes(X, y, subset, sigma, w):
    """Weight of the fuzzy granule of each sample, inside its class and altogether."""
    n = len(y)
    own, every = np.zeros(n), np.zeros(n)
    for x in range(n):
        for z in range(n):
            gaps = [abs(X[x, f] - X[z, f]) for f in subset]
            R = min((exp(-(gap**2) / (2 * sigma**2)) for gap in gaps), default=1)
            own[x] += R * w[z] * (y[z] == y[x])
            every[x] += R * w[z]
    return own, every


def test_worked_granules():
    sizes = [granule_sizes(X, Y, [f], 0.1, np.ones(6)) for f in range(3)]
    own, every = np.stack(sizes, axis=1)
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
    assert compute_agreement(X, Y, 2) == pytest.approx(np.array([2, 2, 1, 1, 3, 2]) / 3)


def literal_zentropy(X, y, subset, sigma, w, share="class"):
    n, total = len(y), 0.0
    own, every = granule_sizes(X, y, subset, sigma, w)
    for j in range(y.max() + 1):
        members = [x for x in range(n) if y[x] == j]
        mass = sum(w[z] for z in (members if share == "class" else range(n)))
        inner = sum(-(own[x] / mass) * log2(own[x] / every[x]) for x in members)
        p = len(members) / n
        total += -p * log2(p) + p * inner / len(members)
    return total


@small
@given(
    problems(max_samples=20, max_features=6),
    st.sampled_from([0.05, 0.1, 0.15]),
    st.sampled_from([None, 1, 5]),
    st.sampled_from(["class", "all"]),
    st.sampled_from(["rank", "greedy"]),
)
def test_zentropy_against_the_definition(problem, sigma, k, share, mode):
    X, y = problem
    scaled = minmax_scale(X)
    n_varying = int((np.ptp(scaled, axis=0) > 0).sum())
    weights = np.ones(len(y)) if k is None else compute_agreement(scaled, y, k)
    asked = {} if k is None else {"neighbour_weights": True, "n_neighbors": k}
    selector = FGZEFSR("all", mode=mode, sigma=sigma, share=share, **asked).fit(X, y)
    order = selector.indices_[:n_varying].tolist()
    sets = [[f] if mode == "rank" else order[: i + 1] for i, f in enumerate(order)]
    literal = [literal_zentropy(scaled, y, subset, sigma, weights, share) for subset in sets]
    scores = selector.scores_[:n_varying]
    np.testing.assert_allclose(-scores, literal, atol=1e-10)
    # The inner entropies are not negative, so the classes alone are the least there is.
    assert (-scores >= entropy(np.bincount(y), base=2) - 1e-10).all()


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
    selected, value, falls = [], literal_zentropy(scaled, y, [], 0.1, w), []
    for f in selector.indices_[: len(varying)].tolist():
        left = [g for g in varying if g not in selected]
        values = {g: literal_zentropy(scaled, y, [*selected, g], 0.1, w) for g in left}
        assert values[f] <= min(values.values()) + 1e-11
        falls.append(value - values[f])
        selected.append(f)
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
    np.testing.assert_allclose(compute_agreement(X, y, k), expected)
    assert 1 / (k_used + 1) <= expected.min() <= expected.max() <= 1


def test_weights_change_the_scores_and_are_off_by_default():
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 5)), np.arange(30) % 2
    plain, off, on = (
        FGZEFSR(n_features_to_select=5, **kw).fit(X, y)
        for kw in ({}, {"neighbour_weights": False}, {"neighbour_weights": True})
    )
    np.testing.assert_array_equal(plain.scores_, off.scores_)
    w = compute_agreement(minmax_scale(X), y, 5)
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
