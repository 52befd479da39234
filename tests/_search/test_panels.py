"""Budgets, time limits and stand-ins, against searches that try everything."""

import time

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.preprocessing import minmax_scale

from literal_pairs import pair_cover
from s2fs import S2FS, PairCover, separability

X, y = load_wine(return_X_y=True)
COSTS = np.random.default_rng(0).integers(1, 9, 13).astype(float)


def literal_sep(features):
    return separability(minmax_scale(X)[:, features], y)


def literal_cover(features):
    return pair_cover(X[:, features], y)


CRITERIA = [(S2FS(), literal_sep), (PairCover(correlation=0.0), literal_cover)]


@pytest.mark.parametrize(("selector", "score"), CRITERIA, ids=["S2FS", "PairCover"])
@pytest.mark.parametrize("budget", [5, 12.5, 30])
def test_every_step_takes_the_best_that_can_be_paid(selector, score, budget):
    selector.set_params(n_features_to_select="all", costs=COSTS, budget=budget).fit(X, y)
    chosen, left = [], budget
    while ready := [f for f in range(13) if f not in chosen and COSTS[f] <= left]:
        chosen.append(max(ready, key=lambda f: (round(score([*chosen, f]), 9), -f)))
        left -= COSTS[chosen[-1]]
    assert selector.indices_.tolist() == chosen
    selector.set_params(costs=None, budget=None)


@pytest.mark.parametrize("search", ["floating", "beam"])
def test_no_search_spends_more(search):
    selector = S2FS("all", search=search, costs=COSTS, budget=14, include=[0]).fit(X, y)
    assert 0 in selector.indices_
    assert COSTS[selector.indices_].sum() <= 14
    grouped = S2FS("all", search=search, costs=COSTS, budget=14, feature_groups=[[1, 2], [3, 4]])
    assert COSTS[grouped.fit(X, y).indices_].sum() <= 14


def test_what_does_better_than_chance_within_a_budget():
    free = S2FS("auto").fit(X, y).indices_.tolist()
    bound = S2FS("auto", costs=np.ones(13), budget=3).fit(X, y).indices_.tolist()
    assert bound == free[:3]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"costs": COSTS}, "costs and budget go together"),
        ({"budget": 3.0}, "costs and budget go together"),
        ({"costs": COSTS[:5], "budget": 3}, r"costs has the shape \(5,\)"),
        ({"costs": -COSTS, "budget": 3}, "no price"),
        ({"costs": COSTS + 9, "budget": 2}, "buys no feature: the cheapest costs 10"),
        ({"costs": COSTS, "budget": 0.5, "include": [0]}, "the included features cost"),
    ],
)
def test_prices_that_make_no_sense(parameters, words):
    with pytest.raises(ValueError, match=words):
        S2FS(3, **parameters).fit(X, y)


class Slow(S2FS):
    """Takes a tenth of a second for each step."""

    def _steps(self, criterion, k, choices):
        for step in super()._steps(criterion, k, choices):
            time.sleep(0.1)
            yield step


def test_what_is_found_when_the_time_is_over():
    with pytest.warns(UserWarning, match=r"max_time=0\.05 was over .*; 1 feature"):
        selector = Slow(13, max_time=0.05).fit(X, y)
    assert selector.indices_.tolist() == S2FS(1).fit(X, y).indices_.tolist()
    assert S2FS(3, max_time=600).fit(X, y).indices_.tolist() == [6, 0, 9]
    assert len(S2FS(13, max_time=600, search="floating").fit(X, y).indices_) == 13


@pytest.mark.parametrize("search", ["floating", "beam"])
def test_other_searches_end_in_time_too(search):
    with pytest.warns(UserWarning, match="was over"):
        selector = S2FS(13, search=search, max_time=1e-6).fit(X, y)
    assert 1 <= len(selector.indices_) < 13


@pytest.mark.parametrize(("selector", "score"), CRITERIA, ids=["S2FS", "PairCover"])
def test_stand_ins_are_all_swaps_that_lose_little(selector, score):
    selector.set_params(n_features_to_select=3, stand_ins=0.1).fit(X, y)
    chosen = selector.indices_.tolist()
    full = score(chosen)
    for feature, found in zip(chosen, selector.stand_ins_, strict=True):
        rest = [f for f in chosen if f != feature]
        swapped = {f: score([*rest, f]) for f in range(13) if f not in chosen}
        expected = {f: value for f, value in swapped.items() if value >= 0.9 * full}
        assert set(found["feature"].tolist()) == set(expected)
        assert (np.diff(found["score"]) <= 1e-9).all()
        for f, value, r in found.tolist():
            assert value == pytest.approx(expected[f])
            assert r == pytest.approx(np.corrcoef(X[:, feature], X[:, f])[0, 1])
    selector.set_params(stand_ins=None)


def test_stand_ins_keep_what_was_asked_for():
    rng = np.random.default_rng(0)
    classes = np.arange(60) % 3
    table = rng.normal(size=(60, 12)) + 3 * rng.normal(size=(3, 12))[classes]
    table[:, 6:] = table[:, :6] + 0.01 * rng.normal(size=(60, 6))  # six near-copies
    plain = S2FS(2, stand_ins=0.02).fit(table, classes)
    names = [set(found["feature"].tolist()) for found in plain.stand_ins_]
    assert all((f + 6) % 12 in found for f, found in zip(plain.indices_, names, strict=True))
    column = plain.ranking_table()["stand_ins"]
    assert all(f"x{(f + 6) % 12}" in shown for f, shown in zip(plain.indices_, column, strict=True))
    twin = int(plain.indices_[0] + 6) % 12
    without = S2FS(2, stand_ins=0.02, exclude=[twin]).fit(table, classes)
    assert all(twin not in found["feature"] for found in without.stand_ins_)
    same = S2FS(2, stand_ins=0.02).fit(sparse.csr_array(table), classes)
    for one, other in zip(same.stand_ins_, plain.stand_ins_, strict=True):
        for name in ("feature", "score", "r"):
            np.testing.assert_allclose(one[name], other[name], rtol=1e-9)
