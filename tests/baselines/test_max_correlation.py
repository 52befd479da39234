"""``max_correlation`` of every baseline: its own list, without what repeats a feature before."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine

from rankers import INSTALLED, RANKERS
from s2fs import StabilitySelector, compare
from s2fs.baselines import AnovaF, Baseline, RandomOrder
from s2fs.baselines.base import Ranked
from strategies import correlations, examples, problems

limits = st.sampled_from([0.0, 0.3, 0.7, 0.95, 1.0])


def made(name, *args, **parameters):
    """A baseline that gives the same list each time, and is quick."""
    quick = {"random_state": 0, "n_estimators": 5}
    known = RANKERS[name]().get_params()
    return RANKERS[name](*args, **{n: v for n, v in quick.items() if n in known}, **parameters)


def walked(order, r, limit):
    """The list without features that repeat one that is kept, spelt out."""
    kept = []
    for feature in order:
        if limit == 1 or all(r[feature, kept] <= limit):
            kept.append(feature)
    return kept


@pytest.fixture(scope="module")
def doubled():
    X, y = load_breast_cancer(return_X_y=True)
    return np.hstack([X, X]), y


@pytest.mark.parametrize("name", INSTALLED)
def test_no_copy_is_chosen(doubled, name):
    X, y = doubled
    selected = made(name, 10, max_correlation=0.999).fit(X, y).indices_
    assert len({f % 30 for f in selected}) == 10
    assert correlations(X[:, selected]).max() <= 0.999


@pytest.mark.filterwarnings("ignore:max_correlation")
@pytest.mark.filterwarnings("ignore:Features .* are constant")  # scikit-learn, of perfect ones
@pytest.mark.parametrize("name", INSTALLED)
@examples(40)
@given(problems(max_samples=25, max_features=9), limits, st.integers(1, 9))
def test_equals_the_whole_list_walked_down(name, data, limit, k):
    X, y = data
    r, k = correlations(X), min(k, X.shape[1])
    assume(limit == 1 or not (np.abs(r - limit) < 1e-6).any())
    assume(np.bincount(y).max() > 1)  # or there is no mutual information
    whole = made(name, "all").fit(X, y)
    kept = walked(whole.indices_.tolist(), r, limit)[:k]
    found = made(name, k, max_correlation=limit).fit(X, y)
    assert found.indices_.tolist() == kept
    assert all(r[a, b] <= limit + 1e-9 for a, b in combinations(kept, 2))
    assert found.scores_.tolist() == whole.scores_[whole.ranking_[kept] - 1].tolist()
    if limit == 1:  # nothing correlates more than that
        assert kept == whole.indices_[:k].tolist()


class Counting(Baseline):
    """Ranks by position, would stop after three, and notes how many it was asked for."""

    status = "confirmed"
    citation = "A test"

    def _rank_varying(self, X, codes, k):
        self.asked_ = [*getattr(self, "asked_", []), k]
        return Ranked(np.arange(k), -np.arange(k, dtype=float), min(3, k))


@pytest.fixture
def copies():
    """Column 0 eight times, then twelve of their own, with a constant one between."""
    rng = np.random.default_rng(0)
    own = rng.normal(size=(40, 13))
    return np.hstack([np.repeat(own[:, :1], 8, axis=1), np.ones((40, 1)), own[:, 1:]])


def test_more_are_ranked_only_where_they_are_needed(copies):
    y = np.arange(40) % 2
    assert Counting(3).fit(copies, y).asked_ == [3]
    one = Counting(1, max_correlation=0.9).fit(copies, y)
    assert (one.indices_.tolist(), one.asked_) == ([0], [1])
    three = Counting(3, max_correlation=0.9).fit(copies, y)
    assert (three.indices_.tolist(), three.asked_) == ([0, 9, 10], [3, 6, 12])
    assert three.scores_.tolist() == [0, -8, -9]
    assert three.peak_ == 1  # of the three it would have returned, two are copies
    assert Counting(3, max_correlation=0.9).fit(copies[:, 7:], y).peak_ == 3


def test_constant_features_come_last_and_too_few_are_told(copies):
    y = np.arange(40) % 2
    with pytest.warns(UserWarning, match=r"max_correlation=0\.9 leaves 14 of the 16 feature"):
        found = Counting(16, max_correlation=0.9).fit(copies, y)
    assert found.indices_.tolist() == [0, *range(9, 21), 8]
    assert found.asked_ == [16, 20]
    assert found.scores_[-1] == 0
    assert len(Counting("all", max_correlation=0.9).fit(copies, y).indices_) == 14  # all there is


def test_a_random_order_is_drawn_once(doubled):
    X, y = doubled
    drawn = RandomOrder("all", random_state=np.random.RandomState(5)).fit(X, y).indices_.tolist()
    seed = np.random.RandomState(5)
    selected = RandomOrder(30, random_state=seed, max_correlation=0.999).fit(X, y).indices_.tolist()
    assert selected == walked(drawn, correlations(X), 0.999)[:30]


@pytest.mark.parametrize("limit", [-0.1, 1.1, "0.9"])
def test_bad_limits(limit):
    with pytest.raises(ValueError, match="'max_correlation' parameter"):
        AnovaF(2, max_correlation=limit).fit(*load_wine(return_X_y=True))


def test_values_that_cannot_be_squared_are_no_matter():
    X, y = load_wine(return_X_y=True)
    expected = AnovaF(5, max_correlation=0.6).fit(X, y).indices_.tolist()
    assert AnovaF(5, max_correlation=0.6).fit(X * 1e200, y).indices_.tolist() == expected


def test_repeated_selections_take_it_and_are_silent(doubled):
    X, y = doubled
    (row, *_) = compare(X, y, k=40, selectors=[AnovaF(max_correlation=0.9)], cv=2).rows
    assert row.n_features < 30
    assert row.redundancy < 0.9
    stable = StabilitySelector(selector=AnovaF(40, max_correlation=0.9), n_resamples=4).fit(X, y)
    for selected in stable.selected_:
        assert len({f % 30 for f in selected}) == len(selected) < 30
