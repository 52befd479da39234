"""PairCover against its literal definition, and what must not change its choice."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits, load_wine
from sklearn.feature_selection import f_classif

from literal_pairs import pair_cover
from s2fs import PairCover
from strategies import problems

CASES = json.loads((Path(__file__).parents[1] / "_core" / "pairs_vectors.json").read_text())
correlations = st.sampled_from([0.0, 0.25, 1.0, "auto"])


@pytest.mark.parametrize("correlation", ["0", "0.25", "1"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_vectors_of_the_spec(case, correlation):
    expected = case[f"greedy_correlation_{correlation}"]
    k = len(expected["indices"])
    selector = PairCover(k, correlation=float(correlation)).fit(case["X"], case["y"])
    assert selector.indices_.tolist() == expected["indices"]
    np.testing.assert_allclose(selector.scores_, expected["Q"], rtol=1e-9)


@given(problems(), correlations)
def test_path_equals_the_literal_one(data, correlation):
    X, y = data
    selector = PairCover(X.shape[1], correlation=correlation).fit(X, y)
    correlation = selector.correlation_
    constant = np.ptp(X, axis=0) == 0
    chosen = []
    for feature, score in zip(selector.indices_, selector.scores_, strict=True):
        left = [f for f in range(X.shape[1]) if f not in chosen]
        left = [f for f in left if not constant[f]] or left
        scores = np.array([pair_cover(X[:, [*chosen, f]], y, correlation) for f in left])
        # Equal up to rounding are equal; the definition in another order of sums may tell.
        best = max(0.0, scores.max())
        assert scores[left.index(feature)] >= best * (1 - 1e-9) - 1e-12
        assert score == pytest.approx(scores[left.index(feature)], rel=1e-9, abs=1e-9)
        chosen.append(int(feature))


def same(one, other, rtol=1e-9):
    """Whether two fits choose alike; where scores tie within rounding, only the scores count."""
    np.testing.assert_allclose(one.scores_, other.scores_, rtol=rtol, atol=1e-9)


@given(problems(), correlations, st.integers(0, 99))
def test_order_of_rows_names_of_labels_shift_and_scale_do_not_matter(data, correlation, seed):
    X, y = data
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(y))
    moved = X[rows] * rng.choice([-4.0, 0.5, 2.0], X.shape[1]) + rng.integers(-8, 8, X.shape[1])
    names = rng.permutation([f"c{q}" for q in range(y.max() + 1)])[y[rows]]
    selector = PairCover(X.shape[1], correlation=correlation)
    before = selector.fit(X, y).scores_.copy()
    np.testing.assert_allclose(selector.fit(moved, names).scores_, before, rtol=1e-8, atol=1e-9)


@given(correlations, st.integers(0, 999))
def test_order_of_columns_does_not_matter_without_ties(correlation, seed):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.repeat(np.arange(4), 3), rng.integers(0, 4, 20)])
    X = rng.normal(size=(len(y), 9)) + rng.normal(size=(4, 9))[y]
    order = rng.permutation(9)
    selector = PairCover(9, correlation=correlation)
    before = selector.fit(X, y).indices_
    assert order[selector.fit(X[:, order], y).indices_].tolist() == before.tolist()


@given(problems(), correlations, st.integers(0, 99))
def test_weight_two_is_a_row_twice_and_weight_zero_none(data, correlation, seed):
    X, y = data
    weight = np.random.default_rng(seed).integers(0, 3, len(y))
    assume(len(set(y[weight > 0])) == y.max() + 1)
    selector = PairCover(X.shape[1], correlation=correlation)
    weighted = selector.fit(X, y, sample_weight=weight).scores_.copy()
    copies = np.repeat(np.arange(len(y)), weight)
    same(selector.fit(X[copies], y[copies]), type("Known", (), {"scores_": weighted}))


@given(problems(), st.data())
def test_batches_are_a_fit_on_all_rows(data, draw):
    X, y = data
    cuts = sorted(draw.draw(st.lists(st.integers(2, max(2, len(y) - 2)), max_size=4)))
    bounds = [0, *(c for c in dict.fromkeys(cuts) if 2 <= c <= len(y) - 2), len(y)]
    assume(all(b - a >= 2 for a, b in pairwise(bounds)))
    batches = PairCover(X.shape[1], correlation=0)
    for start, stop in pairwise(bounds):
        batches.partial_fit(X[start:stop], y[start:stop], classes=np.unique(y))
    same(batches, PairCover(X.shape[1], correlation=0).fit(X, y))


@given(problems(), correlations)
def test_sparse_is_dense(data, correlation):
    X, y = data
    dense = PairCover(X.shape[1], correlation=correlation).fit(X, y)
    same(PairCover(X.shape[1], correlation=correlation).fit(sparse.csc_array(X), y), dense)


@given(problems(), st.integers(0, 99))
def test_missing_values_are_left_out(data, seed):
    """A feature with gaps scores as the same feature on the rows that have it."""
    X, y = data
    rng = np.random.default_rng(seed)
    gone = rng.random(len(y)) < 0.3
    assume(len(set(y[~gone])) == y.max() + 1)
    holed = X.copy()
    holed[gone, 0] = np.nan
    assume(np.ptp(X[~gone, 0]) > 0)
    alone = PairCover(1, correlation=0.25, include=[0]).fit(holed, y).scores_[0]
    there = PairCover(1, correlation=0.25).fit(X[~gone][:, :1], y[~gone])
    assert alone == pytest.approx(there.scores_[0], rel=1e-9)
    for form in (np.asarray, sparse.csc_array):
        same(PairCover(X.shape[1]).fit(form(holed), y), PairCover(X.shape[1]).fit(holed, y))


def test_auto_takes_half_the_share_of_the_correlation_above_chance():
    rng = np.random.default_rng(3)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 40)) + rng.normal(size=(60, 1)) + rng.normal(size=(3, 40))[y]
    residual = X - np.array([X[y == q].mean(axis=0) for q in range(3)])[y]
    r = np.corrcoef(residual.T)[np.triu_indices(40, 1)]
    share = 1 - 1 / (57 * np.mean(r**2))
    assert share > 0.5
    assert PairCover(5).fit(X, y).correlation_ == pytest.approx(share / 2, rel=1e-9)
    noise = rng.normal(size=(60, 40))
    assert PairCover(5).fit(noise, y).correlation_ == 0
    assert PairCover(5, correlation=0.3).fit(X, y).correlation_ == 0.3


def test_auto_of_a_wide_table_is_that_of_features_of_every_strength():
    rng = np.random.default_rng(4)
    y = np.arange(50) % 2
    X = rng.normal(size=(50, 2000)) + rng.normal(size=(50, 8)) @ rng.normal(size=(8, 2000))
    X += rng.normal(size=2000) * y[:, None]
    order = rng.permutation(2000)
    found = PairCover(3).fit(X, y)
    assert PairCover(3).fit(X[:, order], y).correlation_ == pytest.approx(found.correlation_)
    residual = X - np.array([X[y == q].mean(axis=0) for q in range(2)])[y]
    r = np.corrcoef(residual.T)[np.triu_indices(2000, 1)]
    assert found.correlation_ == pytest.approx((1 - 1 / (48 * np.mean(r**2))) / 2, abs=0.02)


def test_two_classes_rank_as_a_t_test():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 30)) + rng.normal(size=30) * y[:, None]
    order = np.argsort(-f_classif(X, y)[0])
    assert PairCover(30, correlation=0).fit(X, y).indices_[:15].tolist() == order[:15].tolist()


def test_pairs_and_coverage():
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = PairCover(3).fit(X, y)
    assert selector.pairs_["feature"].tolist() == selector.indices_.tolist()
    assert selector.pairs_[["first", "second"]].tolist() == [(0, 2), (0, 1), (1, 2)]
    assert (selector.pairs_["after"] < selector.pairs_["before"]).all()
    table = selector.coverage()
    assert isinstance(table, pd.DataFrame)
    bound = table[["0", "1", "2"]].to_numpy()
    upper = bound[np.triu_indices(3, k=1)]
    assert -np.log(upper.mean()) == pytest.approx(selector.scores_[-1])
    np.testing.assert_array_equal(bound, bound.T)
    assert selector.path_["closest"][-1] == pytest.approx(-8 * np.log(upper.max()))


def test_digits_without_a_pixel_that_hardly_varies():
    X, y = load_digits(return_X_y=True)
    chosen = PairCover(10).fit(X, y).indices_
    assert ((X[:, chosen] != 0).mean(axis=0) > 0.2).all()


@pytest.mark.parametrize("search", ["floating", "beam"])
def test_other_searches_are_never_below_forward(search):
    X, y = load_digits(return_X_y=True)
    best = PairCover(6, search=search).fit(X, y)
    assert best.scores_[-1] >= PairCover(6).fit(X, y).scores_[-1] * (1 - 1e-12)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"correlation": 0.5}, "needs correlation=0, but it is 0.5"),
        ({"max_correlation": 0.9}, "cannot serve max_correlation=0.9"),
        ({"class_weight": "balanced"}, "need all rows at once"),
        ({"n_features_to_select": "auto"}, "need all rows at once"),
    ],
)
def test_what_batches_cannot_do(parameters, words):
    X, y = load_wine(return_X_y=True)
    selector = PairCover(**{"correlation": 0} | parameters)
    assert not hasattr(selector, "partial_fit")
    with pytest.raises(AttributeError) as caught:
        selector.partial_fit(X, y)
    assert words in str(caught.value.__cause__ or caught.value)


def test_a_class_may_come_late():
    X, y = load_wine(return_X_y=True)  # sorted by class
    late = PairCover(5, correlation=0).partial_fit(X[:59], y[:59], classes=[0, 1])
    late.partial_fit(X[59:130], y[59:130]).partial_fit(X[130:], y[130:])
    whole = PairCover(5, correlation=0).fit(X, y)
    assert late.indices_.tolist() == whole.indices_.tolist()
    assert late.classes_.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="one class only"):
        PairCover(5, correlation=0).partial_fit(X[:59], y[:59])
