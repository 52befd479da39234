"""Floating and beam search against every subset there is, and against the forward search."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from sklearn.preprocessing import minmax_scale

from s2fs import S2FS, separability
from strategies import EQUAL, examples, problems

SEARCHES = [
    {"search": "floating"},
    {"search": "beam", "beam_width": 3},
]


def largest_sep(X, y, size):
    """The largest Sep of any set of a size; constant features wait until no other is left."""
    scaled, varying = minmax_scale(X), np.flatnonzero(np.ptp(X, axis=0) > 0)
    if size > len(varying):
        varying, size = np.arange(X.shape[1]), X.shape[1]
    return max(separability(scaled[:, some], y) for some in combinations(varying, size))


def found_by(X, y, **options):
    """The Sep of the set that a search finds for every size."""
    sizes = range(1, X.shape[1] + 1)
    return [S2FS(size, **options).fit(X, y).scores_[-1] for size in sizes]


@examples(60)
@given(problems(max_samples=20, max_features=6))
def test_a_full_beam_finds_the_optimum_of_every_size(data):
    X, y = data
    best = [largest_sep(X, y, size) for size in range(1, X.shape[1] + 1)]
    found = found_by(X, y, search="beam", beam_width=20)  # 6 over 3
    np.testing.assert_allclose(found, best, rtol=1e-9, atol=1e-9)


def test_a_full_beam_finds_the_optimum_among_ten_features():
    rng = np.random.default_rng(11)
    y = np.arange(40) % 4
    X = rng.normal(size=(40, 10)) + 0.5 * rng.normal(size=(4, 10))[y]
    best = [largest_sep(X, y, size) for size in range(1, 11)]
    found = found_by(X, y, search="beam", beam_width=252)
    np.testing.assert_allclose(found, best, rtol=1e-9)
    assert any(best > S2FS(10).fit(X, y).scores_ * (1 + 1e-9))  # forward would not do


@pytest.mark.parametrize("options", [*SEARCHES, {"search": "beam", "beam_width": 1}], ids=str)
@examples(60)
@given(problems(max_samples=25, max_features=10))
def test_never_below_forward(options, data):
    X, y = data
    found = np.array(found_by(X, y, **options))
    assert np.all(found >= S2FS(1.0).fit(X, y).scores_ * (1 - EQUAL))


@examples(60)
@given(problems(max_samples=25, max_features=10))
def test_a_beam_of_one_is_the_forward_search(data):
    X, y = data
    beam_of_one = S2FS(0.6, search="beam", beam_width=1).fit(X, y)
    assert set(beam_of_one.indices_) == set(S2FS(0.6).fit(X, y).indices_)


@examples(80)
@given(problems(max_samples=20, max_features=8))
def test_no_exchange_improves_what_floating_finds(data):
    X, y = data
    m = X.shape[1]
    k = (m + 1) // 2
    scaled = minmax_scale(X)
    selector = S2FS(k, search="floating").fit(X, y)
    chosen = set(selector.indices_.tolist())
    constant = {f for f in range(m) if np.ptp(X[:, f]) == 0}
    for inside in chosen:
        for outside in set(range(m)) - chosen - constant:
            swapped = sorted(chosen - {inside} | {outside})
            sep = separability(scaled[:, swapped], y)
            assert sep <= selector.scores_[-1] * (1 + 1e-8) + 1e-12


@pytest.mark.parametrize("options", SEARCHES, ids=str)
@examples(60)
@given(problems(max_samples=20, max_features=9))
def test_a_set_is_put_in_greedy_order(options, data):
    X, y = data
    selector = S2FS(0.6, **options).fit(X, y)
    members = np.sort(selector.indices_)
    within = S2FS(1.0).fit(X[:, members], y)
    assert selector.indices_.tolist() == members[within.indices_].tolist()
    scaled = minmax_scale(X)
    seps = [
        separability(scaled[:, selector.indices_[: i + 1]], y) for i in range(len(selector.scores_))
    ]
    np.testing.assert_allclose(selector.scores_, seps, rtol=1e-9, atol=1e-9)


def test_floating_and_beam_leave_a_greedy_trap():
    # The best single feature is of no use beside the two that are made for each other.
    rng = np.random.default_rng(0)
    y = np.arange(120) % 4
    two = np.column_stack([y % 2, y // 2]) + rng.normal(scale=0.12, size=(120, 2))
    lure = y + rng.normal(scale=0.35, size=120)
    X = np.column_stack([lure, two, rng.normal(size=(120, 4))])
    assert S2FS(2).fit(X, y).indices_[0] == 0
    for options in ({"search": "floating"}, {"search": "beam"}):
        assert set(S2FS(2, **options).fit(X, y).indices_) == {1, 2}


@pytest.mark.parametrize("options", SEARCHES, ids=str)
def test_only_included_features(options):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 5)), np.arange(20) % 2
    assert sorted(S2FS(2, include=[3, 1], **options).fit(X, y).indices_) == [1, 3]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"search": "backward"}, "'search' parameter"),
        ({"search": "beam", "beam_width": 0}, "'beam_width' parameter"),
    ],
)
def test_bad_arguments(options, words):
    with pytest.raises(ValueError, match=words):
        S2FS(1, **options).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
