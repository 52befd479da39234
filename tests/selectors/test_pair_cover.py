"""PairCover against its literal definition, and what must not change its choice."""

import json
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from literal_pair_cover import is_copy, pair_cover, weighted_pair_cover
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import f_classif

from inner import (
    NativePairCover,
    WithinClassCorrelations,
    are_made_by_one_row,
    forward,
    make_pair_cover,
    native_moments,
)
from s2fs import PairCover
from strategies import examples, problems

VECTORS = Path(__file__).parents[1] / "criteria"
CASES = json.loads((VECTORS / "pair_cover_vectors.json").read_text())
GAPS = json.loads((VECTORS / "pair_cover_gaps_vectors.json").read_text())
correlations = st.sampled_from([0.0, 0.25, 1.0, "auto"])


@pytest.mark.parametrize("correlation", ["0", "0.25", "1"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_vectors_of_the_spec(case, correlation):
    expected = case[f"greedy_correlation_{correlation}"]
    k, X, y = len(expected["indices"]), np.array(case["X"]), np.array(case["y"])
    selector = PairCover(k, correlation=float(correlation)).fit(X, y)
    indices, scores = selector.indices_.tolist(), selector.scores_
    if case["name"] == "copies":  # which wait here, while the vectors are of every feature
        assert indices != expected["indices"]
        known = native_moments.compute_class_moments(X, y, y.max() + 1)
        rows = WithinClassCorrelations(X, y, known)
        steps = list(forward(make_pair_cover(known, float(correlation), rows), k))
        indices, scores = [step.feature for step in steps], [step.score for step in steps]
    assert indices == expected["indices"]
    np.testing.assert_allclose(scores, expected["Q"], rtol=1e-9)


@pytest.mark.parametrize("correlation", ["0", "0.25", "1"])
@pytest.mark.parametrize("case", GAPS, ids=lambda case: case["name"])
def test_vectors_with_gaps_weights_and_copies(case, correlation):
    expected = case[f"greedy_correlation_{correlation}"]
    X, weight = np.array(case["X"], dtype=float), case["sample_weight"]
    factors = case["class_weight"]
    class_weight = None if factors is None else dict(enumerate(factors))
    selector = PairCover(
        len(expected["indices"]), correlation=float(correlation), class_weight=class_weight
    ).fit(X, case["y"], sample_weight=weight)
    assert selector.indices_.tolist() == expected["indices"]
    np.testing.assert_allclose(selector.scores_, expected["scores"], rtol=1e-9, atol=1e-12)


def assert_greedy(selector, X, score):
    """Check that each step takes the best feature; constant ones and copies wait for the others.

    The ``score`` is that of some features.
    """
    constant = np.nanmin(X, axis=0) == np.nanmax(X, axis=0)
    m, selected = X.shape[1], []
    copy_of = [[g for g in range(m) if is_copy(X[:, f], X[:, g])] for f in range(m)]
    for feature, found in zip(selector.indices_.tolist(), selector.scores_, strict=True):
        left = [f for f in range(m) if f not in selected]
        own = [f for f in left if not constant[f] and not {*copy_of[f]} & {*selected}]
        left = own or left
        scores = np.array([score([*selected, f]) for f in left])
        # Equal up to rounding are equal; the definition in another order of sums may tell.
        best = max(0.0, scores.max())
        assert scores[left.index(feature)] >= best * (1 - 1e-9) - 1e-12
        assert found == pytest.approx(scores[left.index(feature)], rel=1e-9, abs=1e-9)
        selected.append(feature)


@given(problems(members=2), correlations)
def test_path_equals_the_literal_one(data, correlation):
    X, y = data
    selector = PairCover(X.shape[1], correlation=correlation).fit(X, y)
    rho = selector.correlation_
    assert_greedy(selector, X, lambda some: pair_cover(X[:, some], y, rho))


weightings = st.sampled_from(["none", "shares", "whole", "any"])
class_weightings = st.sampled_from([None, "balanced", "by name"])
forms = st.sampled_from([np.ascontiguousarray, np.asfortranarray, sparse.csc_array])


def drawn_weights(kind, n, rng):
    """Weights of rows: shares that sum to 1, whole numbers, or positive ones of all sizes."""
    if kind == "none":
        return None
    if kind == "shares":
        weight = rng.uniform(0.2, 2, n)
        return weight / weight.sum()
    return rng.integers(1, 4, n).astype(float) if kind == "whole" else 10 ** rng.uniform(-2, 2, n)


@examples(300)
@given(
    problems(max_samples=30, max_features=8, members=2), correlations, weightings, class_weightings,
    forms, st.sampled_from([0.0, 0.1, 0.5]), st.integers(0, 999),
)  # fmt: skip
def test_weights_and_missing_values_are_those_of_the_definition(
    data, correlation, weighting, class_weight, form, share, seed
):
    """§ 7 of the definition, and sparse input, in one literal form."""
    X, y = data
    rng = np.random.default_rng(seed)
    weight, p = drawn_weights(weighting, len(y), rng), y.max() + 1
    if weight is not None:  # classes of fewer than two samples are left out
        assume(np.bincount(y, weight * max(1, len(y) / weight.sum())).min() >= 2)
    X = np.where(rng.random(X.shape) < share, np.nan, X)
    X[:, np.isnan(X).all(axis=0)] = 0.0
    factors = None
    if class_weight == "balanced":
        factors = 1 / np.bincount(y, weight)
    elif class_weight == "by name":
        factors = rng.uniform(0.1, 3, p)
        class_weight = dict(enumerate(factors))
    selector = PairCover(X.shape[1], correlation=correlation, class_weight=class_weight)
    selector.fit(form(X), y, sample_weight=weight)
    rho = selector.correlation_
    assert_greedy(
        selector, X, lambda some: weighted_pair_cover(X[:, some], y, rho, weight, factors)
    )


@given(problems(max_features=8), weightings, st.integers(0, 999))
def test_batches_have_the_scores_of_the_definition(data, weighting, seed):
    """Weights that sum to less than the number of rows are scaled when all batches are in."""
    X, y = data
    rng = np.random.default_rng(seed)
    weight = drawn_weights(weighting, len(y), rng)
    X = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    twice = np.concatenate([np.arange(len(y))] * 2)  # so that each class has two samples
    X, y, weight = X[twice], y[twice], None if weight is None else weight[twice]
    counts = np.ones(len(y)) if weight is None else weight * max(1, len(y) / weight.sum())
    assume(np.bincount(y, counts).min() >= 2)
    X[:, np.isnan(X).all(axis=0)] = 0.0
    half = len(y) // 3
    selector = PairCover(X.shape[1])
    for rows in (slice(half), slice(half, None)):
        some = None if weight is None else weight[rows]
        selector.partial_fit(X[rows], y[rows], classes=np.unique(y), sample_weight=some)
    for size, score in enumerate(selector.scores_, 1):
        literal = weighted_pair_cover(X[:, selector.indices_[:size]], y, 0.0, weight)
        assert score == pytest.approx(literal, rel=1e-9, abs=1e-9)


def same(one, other, rtol=1e-9):
    """Whether two fits choose alike; where scores tie within rounding, only the scores count."""
    np.testing.assert_allclose(one.scores_, other.scores_, rtol=rtol, atol=1e-9)


@given(problems(members=2), correlations, st.integers(0, 99))
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


@given(problems(members=2), correlations, st.integers(0, 99))
def test_weight_two_is_a_row_twice_and_weight_zero_none(data, correlation, seed):
    X, y = data
    weight = np.random.default_rng(seed).integers(0, 3, len(y))
    assume(np.bincount(y, weight).min() >= 2)
    selector = PairCover(X.shape[1], correlation=correlation)
    weighted = selector.fit(X, y, sample_weight=weight).scores_.copy()
    copies = np.repeat(np.arange(len(y)), weight)
    same(selector.fit(X[copies], y[copies]), type("Known", (), {"scores_": weighted}))


@given(problems(), st.sampled_from([None, "balanced", {0: 3.0, 1: 0.5}]), st.data())
def test_batches_are_a_fit_on_the_classes_with_two_samples(data, class_weight, draw):
    """Batches of any number of samples, one at a time among them."""
    X, y = data
    cuts = draw.draw(st.one_of(st.just(range(1, len(y))), st.sets(st.integers(1, len(y) - 1))))
    bounds = [0, *sorted(cuts), len(y)]
    batches = PairCover(X.shape[1], class_weight=class_weight)
    for start, stop in pairwise(bounds):
        batches.partial_fit(X[start:stop], y[start:stop])
    counts = np.isin(y, np.flatnonzero(np.bincount(y) > 1))
    X, y = X[counts], y[counts]
    if len(np.unique(y)) < 2:
        with pytest.raises(NotFittedError, match="two samples of two classes"):
            batches.get_support()
        return
    assert batches.classes_.tolist() == np.unique(y).tolist()
    # Batches are let go of, so that copies cannot be told.
    _, codes = np.unique(y, return_inverse=True)
    if class_weight is None:
        known = native_moments.compute_class_moments(X, codes, codes.max() + 1)
        scores = [step.score for step in forward(make_pair_cover(known), X.shape[1])]
        np.testing.assert_allclose(batches.scores_, scores, rtol=1e-9, atol=1e-9)
    of_class = class_weight if isinstance(class_weight, dict) else {}
    factors = [of_class.get(int(label), 1.0) for label in np.unique(y)]
    if class_weight == "balanced":
        factors = 1 / np.bincount(codes)
    for size, score in enumerate(batches.scores_, 1):
        some = X[:, batches.indices_[:size]].astype(float)
        literal = weighted_pair_cover(some, codes, 0.0, None, np.array(factors))
        assert score == pytest.approx(literal, rel=1e-8, abs=1e-8)


def test_a_batch_that_is_not_enough():
    X, y = load_wine(return_X_y=True)
    selector = PairCover(3)
    for row in (0, 1, 60):
        selector.partial_fit(X[[row]], y[[row]])
        for use in (selector.transform, lambda _: selector.error_bounds()):
            with pytest.raises(NotFittedError, match="not yet seen two samples of two classes"):
                use(X)
    selector.partial_fit(X[[61]], y[[61]])
    assert selector.transform(X).shape == (178, 3)
    assert selector.classes_.tolist() == [0, 1]
    assert selector.correlation_ == 0
    twice = PairCover(3).partial_fit(X[[0]], y[[0]], sample_weight=[2])  # counts as two samples
    assert twice.partial_fit(X[[60]], y[[60]], sample_weight=[2]).classes_.tolist() == [0, 1]
    twice.partial_fit(X[[170]], y[[170]], sample_weight=[0])
    assert twice.classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match="y has the labels 1, which classes does not have"):
        twice.partial_fit(X[60:62], y[60:62], classes=[0, 2])
    with pytest.raises(ValueError, match=r"fractions such as 0\.5"):
        twice.partial_fit(X[60:62], [0.5, 1.5])


def test_a_stream_with_a_rest_of_one_sample_says_nothing_twice():
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    selector = PairCover(20)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for start in range(0, 178, 59):  # the last batch is one sample
            rows = order[start : start + 59]
            selector.partial_fit(X[rows], y[rows])
    assert [str(one.message)[:23] for one in caught] == ["n_features_to_select=20"]
    with pytest.warns(UserWarning, match="n_features_to_select=20"):
        whole = PairCover(20, correlation=0).fit(X, y)
    assert selector.indices_.tolist() == whole.indices_.tolist()
    with pytest.warns(UserWarning, match="n_features_to_select=20"):  # a fit begins anew
        selector.fit(X[:100], y[:100])
    with pytest.raises(NotFittedError):
        clone(selector).partial_fit(X[:1], y[:1]).get_support()
    selector.partial_fit(X[:1], y[:1])
    assert selector._seen["of_class"][0]["n_samples"] == 1


@given(problems(members=2), correlations)
def test_sparse_is_dense(data, correlation):
    X, y = data
    dense = PairCover(X.shape[1], correlation=correlation).fit(X, y)
    same(PairCover(X.shape[1], correlation=correlation).fit(sparse.csc_array(X), y), dense)


@pytest.mark.parametrize("correlation", [0.0, "auto"])
def test_classes_of_a_single_sample_are_left_out(correlation):
    """With a warning, and as if their samples were not there; by weight, too."""
    X, y = load_wine(return_X_y=True)
    labels = np.array(["a", "b", "c", "d", "e"])[np.r_[y, 3, 4]]
    X = np.vstack([X, 40 * X[:2]])
    selector = PairCover(4, correlation=correlation)
    expected = clone(selector).fit(X[:-2], labels[:-2])
    sentence = "Classes 'd', 'e' have fewer than two samples, so they are left out"
    with pytest.warns(UserWarning, match=sentence):
        selector.fit(X, labels)
    np.testing.assert_array_equal(selector.path_, expected.path_)
    assert selector.classes_.tolist() == ["a", "b", "c"]
    weight = np.r_[np.ones(178), 1.0, 2.0]
    with pytest.warns(UserWarning, match="Class 'd' has fewer than two samples, so it is left out"):
        selector.fit(X, labels, sample_weight=weight)
    assert selector.classes_.tolist() == ["a", "b", "c", "e"]
    with pytest.warns(UserWarning, match="Classes 'd', 'e' have fewer"):  # one sample each
        selector.fit(X, labels, sample_weight=np.full(180, 1 / 180))
    np.testing.assert_allclose(selector.scores_, expected.scores_, rtol=1e-9)
    with warnings.catch_warnings():  # one that does not count is none
        warnings.simplefilter("error")
        selector.fit(X, labels, sample_weight=np.r_[np.ones(178), 0, 0])
    for few in ([0, 60], [0, 60, 61, 62], [0, 60, 170]):
        with pytest.raises(ValueError, match="fewer than two classes of two samples"):
            clone(selector).fit(X[few], labels[few])


def test_weights_that_sum_to_one_are_no_weights():
    X, y = load_wine(return_X_y=True)
    plain = PairCover(8).fit(X, y)
    shares = PairCover(8).fit(X, y, sample_weight=np.full(len(y), 1 / len(y)))
    np.testing.assert_array_equal(plain.path_, shares.path_)
    weight = np.random.default_rng(0).uniform(0.5, 1, len(y))
    for factor in (1e-90, 1e-3, 1):  # below the number of rows only ratios matter
        selector = PairCover(8).fit(X, y, sample_weight=factor * weight)
        scaled = PairCover(8).fit(X, y, sample_weight=weight * len(y) / weight.sum())
        assert selector.indices_.tolist() == scaled.indices_.tolist()
        np.testing.assert_allclose(selector.scores_, scaled.scores_, rtol=1e-9)


def test_few_samples_stay_few_in_the_noise_of_balanced_classes():
    """The noise counts samples: a class of two is as uncertain as before."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], [38, 2])
    X = rng.normal(size=(40, 1))  # one spread for both classes
    plain, balanced = (PairCover(1, correlation=0, class_weight=w).fit(X, y)
                       for w in (None, "balanced"))  # fmt: skip
    d = X[y == 0].mean() - X[y == 1].mean()
    within = [((X[y == q] - X[y == q].mean()) ** 2).sum() for q in (0, 1)]
    noise = 1 / 38 + 1 / 2
    for selector, squares in (
        (plain, sum(within)),
        (balanced, 20 / 38 * within[0] + 10 * within[1]),
    ):
        J = max(0, d**2 / (squares / 38) - noise)
        assert selector.class_distances_[0, 1] == pytest.approx(J, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_almost_empty_columns_do_not_come_first(form):
    """Half of the noise columns are known in 3 % of 200 samples: about half of the first are fair.

    Such a column came first in nearly all of these tables when only the mean of d² was corrected.
    """
    first = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = np.arange(200) % 2
        X = rng.normal(size=(200, 40))
        X[:, :20][rng.random((200, 20)) >= 0.03] = np.nan
        first += PairCover(1).fit(form(X), y).indices_[0] < 20
    assert first <= 36


def test_one_gap_does_not_hide_a_marker():
    rng = np.random.default_rng(0)
    y = np.arange(1000) % 2
    x = rng.normal(size=1000) + 5 * y
    whole = PairCover(1, correlation=0).fit(x[:, None], y).scores_
    x[17] = np.nan
    assert PairCover(1, correlation=0).fit(x[:, None], y).scores_ == pytest.approx(whole, rel=0.02)


def test_half_of_the_values_are_about_half_of_the_evidence():
    rng = np.random.default_rng(1)
    y = np.arange(400) % 2
    x = rng.normal(size=400) + y
    distance = PairCover(1, correlation=0).fit(x[:, None], y).class_distances_[0, 1]
    x[rng.random(400) < 0.5] = np.nan
    halved = PairCover(1, correlation=0).fit(x[:, None], y).class_distances_[0, 1]
    assert 0.35 * distance < halved < 0.65 * distance


def test_a_feature_with_gaps_that_says_nothing_of_a_class():
    y = np.repeat([0, 1, 2], 6)
    x = np.random.default_rng(0).normal(size=18) + 5 * y
    x[:6] = np.nan  # no value is left in the first class
    selector = PairCover(1, correlation=0).fit(x[:, None], y)
    assert selector.class_distances_[0].tolist() == [0, 0, 0]
    assert selector.class_distances_[1, 2] > 0


def test_no_copy_is_selected_before_all_else():
    X, y = load_breast_cancer(return_X_y=True)
    plain = PairCover(30).fit(X, y).indices_
    twice = np.hstack([X, 1 - 3 * X])
    for form in (np.asarray, sparse.csc_array, np.asfortranarray):
        for correlation in (0, "auto"):
            plain = PairCover(30, correlation=correlation).fit(X, y).indices_
            both = PairCover("all", correlation=correlation).fit(form(twice), y).indices_
            assert (both[:30] % 30).tolist() == plain.tolist()
            assert {*both[30:] % 30} == {*range(30)}
    grouped = PairCover(8, feature_groups=[[3, 33], [5, 8]])
    found = grouped.fit(twice, y).indices_.tolist()
    assert len({f % 30 for f in found if f not in (3, 33)}) == len(set(found) - {3, 33})


def test_copies_and_fill_values_side_by_side():
    """Columns that leave out other rows are told apart as if each were alone."""
    rng = np.random.default_rng(0)
    x, weight = rng.normal(size=80), rng.uniform(0.5, 2, 80)
    x[11] = 1e9
    copies = x[:, None] * [2.0, -1.0, 1e-3] + [0.0, 5.0, 1.0]
    filled = rng.normal(size=(80, 3))
    filled[11] = 1e9, -1e9, 1e9
    words = np.zeros((80, 1))
    words[11] = 3
    Z = np.hstack([copies, filled, words])[:, [3, 0, 6, 1, 4, 2, 5]]
    x[70:], Z[70:] = np.nan, np.nan
    found = are_made_by_one_row(x, Z, weight)
    assert found.tolist() == [True, False, True, False, True, False, True]
    alone = [are_made_by_one_row(x, Z[:, [j]], weight)[0] for j in range(7)]
    assert found.tolist() == alone
    word = (words * 2)[:70, 0]
    assert are_made_by_one_row(word, Z[:70, [2, 0]], None).tolist() == [False, True]


@pytest.mark.filterwarnings("ignore:Few samples decide")
@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_a_fill_value_in_one_row_makes_no_copies(form):
    X, y = load_breast_cancer(return_X_y=True)
    X = X.copy()
    X[17, :10] = 1e9  # as NetCDF fills gaps
    found = PairCover(12, correlation=0).fit(form(X), y).indices_
    plain = PairCover(12, correlation=0).fit(X[:, 10:], y).indices_ + 10
    assert found.tolist() == plain.tolist()
    words = np.zeros((60, 3))
    words[[5, 40], 2] = 1
    words[9, :2] = 1, 7  # two words of one text are copies, for all that
    assert 2 in PairCover(2).fit(form(words), np.arange(60) % 2).indices_


def test_many_copies_take_no_more_searches_than_features(monkeypatch):
    """Each copy would be found as the best one again, and searches of all candidates add up."""
    X, y = load_breast_cancer(return_X_y=True)
    searches = []
    find_best = NativePairCover._find_best
    monkeypatch.setattr(
        NativePairCover, "_find_best", lambda self: searches.append(0) or find_best(self)
    )
    for correlation in (0, "auto"):
        plain = PairCover(10, correlation=correlation, n_jobs=1).fit(X, y).indices_
        many = np.hstack([X, *(X * (c + 2) - c for c in range(20))])
        searches.clear()
        found = PairCover(10, correlation=correlation, n_jobs=1).fit(many, y).indices_
        assert found.tolist() == plain.tolist()
        assert len(searches) <= 2 * 10


def test_copies_with_gaps_and_weights():
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.05] = np.nan
    weight = rng.uniform(0.1, 2, len(y))
    for options in ({}, {"class_weight": "balanced"}, {"correlation": 0}):
        plain = PairCover(30, **options).fit(X, y, sample_weight=weight).indices_
        both = PairCover("all", **options).fit(np.hstack([X, -X]), y, sample_weight=weight).indices_
        assert both[:30].tolist() == plain.tolist()
    other_gaps = np.hstack([X, X])
    other_gaps[0, :30], other_gaps[1, 30:] = np.nan, np.nan
    assert len({*(PairCover(10).fit(other_gaps, y).indices_ % 30)}) < 10  # not told as copies


def test_columns_that_are_nearly_equal_are_no_copies():
    rng = np.random.default_rng(1)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 3)) + y[:, None]
    near = X * (1 + 1e-3 * rng.normal(size=X.shape))
    selected = PairCover(6, correlation=0).fit(np.hstack([X, near]), y).indices_
    assert {*selected[:2] % 3} == {selected[0] % 3}


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


def test_pairs_and_error_bounds():
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = PairCover(3).fit(X, y)
    assert selector.class_pairs_["feature"].tolist() == selector.indices_.tolist()
    assert selector.class_pairs_[["first", "second"]].tolist() == [(0, 2), (0, 1), (1, 2)]
    assert (selector.class_pairs_["after"] < selector.class_pairs_["before"]).all()
    table = selector.error_bounds()
    assert isinstance(table, pd.DataFrame)
    bound = table[["0", "1", "2"]].to_numpy()
    upper = bound[np.triu_indices(3, k=1)]
    assert -np.log(upper.mean()) == pytest.approx(selector.scores_[-1])
    np.testing.assert_array_equal(bound, bound.T)
    assert selector.path_["closest"][-1] == pytest.approx(-8 * np.log(upper.max()))


def test_digits_without_a_pixel_that_hardly_varies():
    X, y = load_digits(return_X_y=True)
    selected = PairCover(10).fit(X, y).indices_
    assert ((X[:, selected] != 0).mean(axis=0) > 0.2).all()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"correlation": 0.5}, "correlation=0.5 needs all samples in one place, but partial_fit"),
        ({"scale": "rank"}, "scale='rank' needs all samples in one place"),
        ({"max_correlation": 0.9}, "max_correlation=0.9 needs the correlations over all samples"),
        ({"n_features_to_select": "auto"}, "use fit, or give a number of features."),
    ],
)
def test_what_batches_cannot_do(parameters, words):
    X, y = load_wine(return_X_y=True)
    selector = PairCover(**{"correlation": 0} | parameters)
    assert not hasattr(selector, "partial_fit")
    with pytest.raises(AttributeError) as caught:
        selector.partial_fit(X, y)
    assert words in str(caught.value)


def test_a_class_may_come_late():
    X, y = load_wine(return_X_y=True)  # sorted by class
    late = PairCover(5, correlation=0).partial_fit(X[:59], y[:59], classes=[0, 1])
    late.partial_fit(X[59:130], y[59:130]).partial_fit(X[130:], y[130:])
    whole = PairCover(5, correlation=0).fit(X, y)
    assert late.indices_.tolist() == whole.indices_.tolist()
    assert late.classes_.tolist() == [0, 1, 2]
