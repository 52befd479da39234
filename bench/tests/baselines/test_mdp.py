"""MDP against the table of its spec and against sets of pairs written out."""

import os
from itertools import combinations, permutations
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from s2fs_bench.baselines.mdp import MDP, SettledPairs, SettlingTable
from six_samples import CODES, X, Y
from strategies import examples

VARIANTS = [
    (weights, pairs, similarity)
    for weights in ("none", "inverse", "maximal")
    for pairs in ("maximal", "lambda")
    for similarity in ("sigma", "range")
]


def literal(X, codes, weights, rule, similarity):
    """For each feature the set of pairs it settles, and the weight of every pair."""
    n, m = X.shape
    unit = X.std(axis=0, ddof=1) if similarity == "sigma" else np.ones(m)

    def dis(i, j):
        return [min(1.0, abs(X[i, a] - X[j, a]) / unit[a]) for a in range(m)]

    if rule == "maximal":
        pairs = [(i, j) for i, j in combinations(range(n), 2) if codes[i] != codes[j]]
        needed = {pair: max(dis(*pair)) for pair in pairs}
    else:
        pairs = [(i, j) for i, j in permutations(range(n), 2) if codes[i] != codes[j]]
        lower = {i: min(max(dis(i, j)) for j in range(n) if codes[j] != codes[i]) for i in range(n)}
        needed = {(i, j): lower[i] for i, j in pairs}
    needed = {pair: value for pair, value in needed.items() if value > 1e-12}
    settles = [{p for p, v in needed.items() if dis(*p)[a] >= v - 1e-12} for a in range(m)]
    weight = {
        "none": lambda p: 1.0,
        "inverse": lambda p: 1 / sum(p in s for s in settles),
        "maximal": lambda p: max(dis(*p)),
    }[weights]
    return settles, {p: weight(p) for p in needed}


@st.composite
def scaled_data(draw):
    """Scaled columns that vary, on a grid, so that equal rows and ties occur."""
    n, m = draw(st.integers(4, 12)), draw(st.integers(1, 5))
    codes = np.array([0, 1] + [draw(st.integers(0, 2)) for _ in range(n - 2)])
    cells = st.lists(st.integers(0, 9), min_size=n - 2, max_size=n - 2)
    columns = [[f % 2 * 9, *draw(cells), (f + 1) % 2 * 9] for f in range(m)]
    return np.array(columns).T / 9, np.unique(codes, return_inverse=True)[1]


def alone(X, codes, *variant):
    table = SettlingTable(X, codes, *variant)
    return SettledPairs(table).score(np.arange(X.shape[1]))


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        (("none", "maximal", "sigma"), [7, 6, 5]),
        (("inverse", "maximal", "sigma"), [3.8333, 3.3333, 1.8333]),
        (("none", "lambda", "range"), [14, 9, 7]),
    ],
)
def test_counts_of_the_worked_example(variant, expected):
    np.testing.assert_allclose(alone(X, CODES, *variant), expected, atol=5e-5)


def test_pairs_of_the_worked_example():
    table = SettlingTable(X, CODES)
    maximal = {}
    for feature in range(3):
        for p in np.flatnonzero(table.settled_by(feature)):
            pair = int(table.pairs.left[p]) + 1, int(table.pairs.right[p]) + 1
            maximal.setdefault(pair, []).append(feature + 1)
    every = [1, 2, 3]
    assert maximal == {
        (1, 4): [1],
        (1, 5): every,
        (1, 6): every,
        (2, 4): [1],
        (2, 5): every,
        (2, 6): [1, 3],
        (3, 4): [2],
        (3, 5): [2],
        (3, 6): every,
    }


def test_thresholds_of_the_lambda_variant():
    table = SettlingTable(X, CODES, pairs="lambda", similarity="range")
    lower = dict(zip(table.pairs.left.tolist(), table.threshold, strict=True))
    np.testing.assert_allclose([lower[i] for i in range(6)], [0.6, 0.5, 0.4, 0.4, 0.8, 0.8])


def test_ranking_of_the_worked_example():
    mdp = MDP(n_features_to_select=3).fit(X, Y)
    assert mdp.indices_.tolist() == [0, 1, 2]
    assert mdp.scores_.tolist() == [7, 9, 5]
    assert mdp.peak_ == 2


@pytest.mark.parametrize("variant", VARIANTS)
@examples(15)
@given(data=scaled_data(), draw=st.data())
def test_settled_weight_is_its_definition(variant, data, draw):
    X, codes = data
    subset = draw.draw(st.lists(st.integers(0, X.shape[1] - 1), max_size=3))
    settles, weight = literal(X, codes, *variant)
    growing = SettledPairs(SettlingTable(X, codes, *variant))
    for feature in subset:
        growing.add(feature)
    before = set().union(*(settles[f] for f in subset))
    expected = [sum(weight[p] for p in before | s) for s in settles]
    np.testing.assert_allclose(growing.score(np.arange(X.shape[1])), expected, rtol=1e-12)


@examples(40)
@given(data=scaled_data(), similarity=st.sampled_from(["sigma", "range"]))
def test_the_reduct_keeps_the_dependency_of_all_features(data, similarity):
    X, codes = data
    n, m = X.shape
    mdp = MDP(n_features_to_select=m, similarity=similarity).fit(X, codes)
    unit = X.std(axis=0, ddof=1) if similarity == "sigma" else np.ones(m)

    def dependency(features):
        total = 0.0
        for i in range(n):
            total += min(
                max(min(1.0, abs(X[i, a] - X[j, a]) / unit[a]) for a in features)
                for j in range(n)
                if codes[j] != codes[i]
            )
        return total / n

    assert dependency(mdp.indices_[: mdp.peak_]) == pytest.approx(dependency(range(m)), abs=1e-9)


@examples(30)
@given(
    data=scaled_data(),
    variant=st.sampled_from(VARIANTS),
    rule=st.sampled_from(["importance", "restart"]),
)
def test_lazy_search_is_the_plain_search(data, variant, rule):
    X, codes = data
    weights, pairs, similarity = variant
    mdp = MDP("all", weights=weights, pairs=pairs, similarity=similarity, completion=rule)
    with mock.patch.object(SettledPairs, "submodular", False):  # every candidate is scored
        plain = clone(mdp).fit(X, codes)
    lazy = mdp.fit(X, codes)
    assert lazy.indices_.tolist() == plain.indices_.tolist()
    np.testing.assert_array_equal(lazy.scores_, plain.scores_)
    assert lazy.peak_ == plain.peak_


def test_restart_opens_all_pairs_again():
    twice = np.hstack([X, X])
    mdp = MDP(n_features_to_select=6, completion="restart").fit(twice, Y)
    assert mdp.indices_.tolist() == [0, 1, 3, 4, 2, 5]
    assert mdp.scores_.tolist() == [7, 9, 7, 9, 5, 5]
    assert mdp.peak_ == 2


def test_copies_are_ranked_by_their_own_count():
    wide = np.column_stack([X[:, 2], X[:, 0], X])
    mdp = MDP(n_features_to_select=5).fit(wide, Y)
    assert mdp.indices_.tolist() == [1, 3, 2, 0, 4]
    assert mdp.peak_ == 2


def test_equal_counts_are_appended_by_discernibility():
    # Feature 0 settles every pair; 1 and 2 settle one each, but 2 tells the others apart better.
    X = np.array([[0, 0, 0], [0, 0.1, 0.3], [1, 0.2, 0.6], [1, 1, 1]])
    mdp = MDP(n_features_to_select=3, similarity="range").fit(X, [0, 0, 1, 1])
    assert mdp.scores_.tolist() == [4, 1, 1]
    assert mdp.indices_.tolist() == [0, 2, 1]


def test_pairs_no_feature_tells_apart_are_left_out():
    rows = np.vstack([X, X[:1]])
    table = SettlingTable(rows, np.array([0, 0, 0, 1, 1, 1, 1]))
    pairs = set(zip(table.pairs.left.tolist(), table.pairs.right.tolist(), strict=True))
    assert (0, 6) not in pairs
    assert len(pairs) == 11


@pytest.mark.skipif("S2FS_DATA" not in os.environ, reason="S2FS_DATA is not set")
def test_the_reduct_of_real_data_settles_every_pair():
    with np.load(Path(os.environ["S2FS_DATA"], "yale.npz")) as data:
        X, y = data["X"], data["y"]
    mdp = MDP(n_features_to_select=30).fit(X, y)
    n = len(y)
    assert mdp.scores_[mdp.peak_ - 1] == n * (n - 11) / 2  # 15 people, 11 pictures each
    assert (np.diff(mdp.scores_[: mdp.peak_]) > 0).all()
