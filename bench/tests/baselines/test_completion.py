"""The search loop and its completion rules."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal_search import greedy

from nine import NINE
from s2fs_bench.baselines import FDM, FGZEFSR, FSNMER, IPD, MAFRFS, MDP, RDSI, SFSS
from s2fs_bench.baselines.completion import Subset, complete
from strategies import examples, problems

#: Every baseline that stops by itself, with what makes it stop.
STOPPING = {
    FDM: {},
    MDP: {},
    IPD: {},
    RDSI: {},
    SFSS: {},
    FSNMER: {"mode": "equivalence"},
    FGZEFSR: {"mode": "greedy"},
    MAFRFS: {},
}
every_stopping = pytest.mark.parametrize("cls", STOPPING)


class Table(Subset):
    """A set function given by a table, as a growing subset."""

    def __init__(self, table, empty=0.0, target=np.inf, submodular=False):
        self.table = table
        self.selected = frozenset()
        self.empty, self.target, self.submodular = empty, target, submodular

    def score(self, candidates):
        return np.array([self.table[self.selected | {c}] for c in candidates.tolist()])

    def add(self, feature):
        self.selected |= {feature}


def all_subsets(m):
    return [frozenset(s) for size in range(1, m + 1) for s in combinations(range(m), size)]


@st.composite
def set_functions(draw):
    m = draw(st.integers(1, 5))
    # Few distinct integers, so that ties and plateaus are common and exact.
    table = {s: float(draw(st.integers(-4, 6))) for s in all_subsets(m)}
    return table, np.array([table[frozenset({f})] for f in range(m)])


@st.composite
def coverages(draw):
    m = draw(st.integers(1, 7))
    sets = draw(st.lists(st.sets(st.integers(0, 9)), min_size=m, max_size=m))
    table = {s: float(len(set().union(*(sets[f] for f in s)))) for s in all_subsets(m)}
    return table, np.array([table[frozenset({f})] for f in range(m)])


@given(
    set_functions(),
    st.integers(1, 5),
    st.sampled_from(["importance", "index", "restart", "greedy"]),
    st.sampled_from([0.0, 1.0]),
    st.sampled_from([np.inf, 3.0]),
    st.sampled_from([-np.inf, 0.0]),
)
def test_complete_follows_its_rules(function, k, rule, delta, target, empty):
    table, importance = function
    k = min(k, len(importance))
    ranked = complete(lambda: Table(table, empty, target), len(importance), k, rule, delta=delta)
    indices, scores, peak = greedy(table, importance, k, rule, delta, target, empty)
    assert ranked.indices.tolist() == indices
    assert ranked.scores.tolist() == scores
    assert ranked.peak == peak


@given(coverages(), st.sampled_from(["importance", "index", "restart", "greedy"]))
def test_lazy_search_is_the_plain_search(function, rule):
    table, importance = function
    m = len(importance)
    plain = complete(lambda: Table(table), m, m, rule)
    lazy = complete(lambda: Table(table, submodular=True), m, m, rule)
    for one, other in zip(plain, lazy, strict=True):
        np.testing.assert_array_equal(one, other)


def completions_of(cls):
    """What ``completion`` of a class may be, asked of the class itself."""
    (constraint,) = cls._parameter_constraints["completion"]
    return sorted(constraint.options)


def fitted(cls, X, y, completion):
    return cls("all", completion=completion, **STOPPING[cls]).fit(X, y)


def test_every_baseline_that_stops_offers_the_order_of_the_columns_and_the_fair_one():
    with_parameter = {c for c in NINE.values() if "completion" in c().get_params()}
    assert with_parameter == set(STOPPING)
    for cls in STOPPING:
        assert {"importance", "index"} <= set(completions_of(cls))
        # The paper has no numbers for MAFRFS, so nothing is published for it.
        assert ("published" in completions_of(cls)) == (cls is not MAFRFS)


@every_stopping
@examples(30)
@given(problem=problems(max_samples=16, max_features=6, max_classes=4))
def test_every_completion_is_a_permutation_behind_the_same_reduct(cls, problem):
    X, y = problem
    varying = np.ptp(X, axis=0) > 0
    n_varying = int(varying.sum())
    by_rule = {rule: fitted(cls, X, y, rule) for rule in completions_of(cls)}
    reduct = by_rule["index"].indices_[: by_rule["index"].peak_].tolist()
    for selector in by_rule.values():
        assert sorted(selector.indices_.tolist()) == list(range(X.shape[1]))
        assert varying[selector.indices_[:n_varying]].all()  # constant features come last
        assert selector.peak_ == len(reduct)
        assert selector.indices_[: len(reduct)].tolist() == reduct
    # Behind the reduct: the columns as they come, or a score that never rises.
    rest = by_rule["index"].indices_[len(reduct) : n_varying]
    assert (np.diff(rest) > 0).all()
    scores = by_rule["importance"].scores_[:n_varying]
    appended = scores[len(reduct) :]
    if cls is not MAFRFS:  # the search may go on behind the reduct while its criterion rises
        falls = np.flatnonzero(np.diff(scores) <= 0)
        appended = scores[max(len(reduct), falls[0] + 1) :] if len(falls) else scores[:0]
    slack = 1e-9 * np.maximum(1, np.abs(appended[:-1]))
    assert (appended[1:] <= appended[:-1] + slack).all()
    if "published" in by_rule:
        published, meant = by_rule["published"], by_rule[cls.published_completion]
        np.testing.assert_array_equal(published.indices_, meant.indices_)
        np.testing.assert_array_equal(published.scores_, meant.scores_)


@every_stopping
def test_index_order_looks_at_nothing_but_the_reduct(cls):
    """Columns behind the reduct may be exchanged for noise without moving in the list."""
    rng = np.random.default_rng(3)
    y = np.arange(24) % 2
    X = rng.random((24, 8))
    X[:, 5] = y + 0.01 * rng.random(24)  # tells the classes apart alone
    selector = fitted(cls, X, y, "index")
    reduct = selector.indices_[: selector.peak_].tolist()
    rest = [f for f in range(8) if f not in reduct]
    assert selector.indices_.tolist() == reduct + rest
    assert 5 in reduct


def test_importance_may_be_given():
    flat = dict.fromkeys(all_subsets(3), 1.0)
    ranked = complete(lambda: Table(flat), 3, 3, importance=np.array([1.0, 3.0, 2.0]))
    assert ranked.indices.tolist() == [1, 2, 0]
    assert ranked.scores.tolist() == [1.0, 2.0, 1.0]


def test_lazy_search_scores_fewer_candidates():
    asked = []

    class Counted(Table):
        def score(self, candidates):
            asked.append(len(candidates))
            return super().score(candidates)

    m = 100
    values = np.arange(m, 0, -1.0)

    class Sum(dict):
        def __missing__(self, key):
            return float(sum(values[f] for f in key))

    ranked = complete(lambda: Counted(Sum(), submodular=True), m, 10)
    assert ranked.indices.tolist() == list(range(10))
    assert asked[0] == m
    assert max(asked[1:]) < m / 2


def test_lazy_search_looks_beyond_many_stale_candidates():
    # Forty copies of one large set all lose their gain at once; the winner waits behind them.
    sets = [set(range(10))] * 40 + [set(range(20, 26)), set(range(30, 35))]

    class Coverage(dict):
        def __missing__(self, key):
            return float(len(set().union(*(sets[f] for f in key))))

    ranked = complete(lambda: Table(Coverage(), submodular=True), len(sets), 4)
    assert ranked.indices.tolist() == [0, 40, 41, 1]
    assert ranked.scores.tolist() == [10, 16, 21, 10]
    assert ranked.peak == 3


def test_differences_of_rounding_are_ties():
    table = Table({frozenset({0}): 0.3, frozenset({1}): 0.1 + 0.2})
    assert 0.1 + 0.2 > 0.3
    ranked = complete(lambda: table, 2, 1)
    assert ranked.indices.tolist() == [0]


def test_tie_break_orders_what_is_appended():
    flat = dict.fromkeys(all_subsets(3), 0.0)
    tie_break = np.array([1.0, 2.0, 3.0])
    ranked = complete(lambda: Table(flat), 3, 3, tie_break=tie_break)
    assert ranked.indices.tolist() == [2, 1, 0]
    assert ranked.peak == 0
