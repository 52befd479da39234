"""FDM against the table of its spec and against SAT written out."""

import os
from itertools import combinations
from math import exp
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from s2fs_bench.baselines.fdm import FDM, Clauses, Satisfaction
from strategies import examples

X = np.array(
    [
        [-0.4, -0.3, -0.5],
        [-0.4, 0.2, -0.1],
        [-0.3, -0.4, -0.3],
        [0.3, -0.3, 0.0],
        [0.2, -0.3, 0.0],
        [0.2, 0.0, 0.0],
    ]
)
Y = ["no", "yes", "no", "yes", "yes", "no"]
CODES = np.array([0, 1, 0, 1, 1, 0])
A, B, C = 0, 1, 2


def clauses_of(X, codes, similarity):
    """mu_ij(a) of every pair of different class, as a list of rows."""
    rows = []
    for i, j in combinations(range(len(X)), 2):
        if codes[i] == codes[j]:
            continue
        row = []
        for a in range(X.shape[1]):
            d, sigma = abs(X[i, a] - X[j, a]), X[:, a].std(ddof=1)
            if similarity == "sigma":
                row.append(1 - max(0.0, 1 - d / sigma))
            elif similarity == "range":
                row.append(d / (X[:, a].max() - X[:, a].min()))
            else:
                row.append(1 - exp(-(d**2) / (2 * sigma**2)))
        rows.append(row)
    return rows


def sat(rows, subset, snorm):
    """SAT by its definition."""

    def total(features):
        if snorm == "max":
            return sum(max(row[a] for a in features) for row in rows)
        return sum(min(1.0, sum(row[a] for a in features)) for row in rows)

    return total(subset) / total(range(len(rows[0])))


def score(clauses, subset):
    """SAT of a subset as the package computes it, the last feature as candidate."""
    growing = Satisfaction(clauses)
    for feature in subset[:-1]:
        growing.add(feature)
    return growing.score(np.array(subset[-1:]))[0]


@st.composite
def scaled_data(draw):
    """Scaled columns that vary, on a grid, so that equal rows and ties occur."""
    n, m = draw(st.integers(4, 12)), draw(st.integers(1, 5))
    codes = np.array([0, 1] + [draw(st.integers(0, 2)) for _ in range(n - 2)])
    cells = st.lists(st.integers(0, 9), min_size=n - 2, max_size=n - 2)
    # The first and last row hold 0 and 1 in some order, hence the range is 1.
    columns = [[f % 2 * 9, *draw(cells), (f + 1) % 2 * 9] for f in range(m)]
    return np.array(columns).T / 9, np.unique(codes, return_inverse=True)[1]


def test_clauses_of_the_worked_example():
    expected = [
        [0, 1, 1],
        [1, 0, 1],
        [1, 0, 1],
        [0.3006, 1, 0.9645],
        [1, 0.8633, 0.4822],
        [1, 0.4317, 1],
        [1, 0.4317, 1],
        [0.3006, 1, 0],
        [0, 1, 0],
    ]
    for feature in (A, B, C):
        # One clause at a time: the others are taken out of the matrix.
        clauses = Clauses(X, CODES)
        for pair, row in enumerate(expected):
            growing = Satisfaction(clauses)
            only = np.arange(9) == pair
            growing.pairs, growing.degrees = growing.pairs.where(only), growing.degrees[only]
            mu = growing.score(np.array([feature]))[0] * clauses.total
            assert mu == pytest.approx(row[feature], abs=5e-5)


@pytest.mark.parametrize(
    ("snorm", "subset", "expected"),
    [
        ("lukasiewicz", [A], 0.6224),
        ("lukasiewicz", [B], 0.6363),
        ("lukasiewicz", [C], 0.7163),
        ("lukasiewicz", [C, A], 0.8112),
        ("lukasiewicz", [C, B], 1.0),
        ("max", [C, A], 0.8072),
        ("max", [C, B], 0.9848),
        ("max", [A, B], 1.0),
    ],
)
def test_sat_of_the_worked_example(snorm, subset, expected):
    clauses = Clauses(X, CODES, snorm=snorm)
    assert clauses.total == pytest.approx(9)
    assert score(clauses, subset) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(("snorm", "peak"), [("lukasiewicz", 2), ("max", 3)])
def test_ranking_of_the_worked_example(snorm, peak):
    fdm = FDM(3, similarity="sigma", snorm=snorm).fit(X, Y)
    assert fdm.indices_.tolist() == [C, B, A]
    assert fdm.peak_ == peak


@pytest.mark.parametrize(
    ("subset", "gamma"),
    [([A], 0.1002), ([B], 0.3597), ([C], 0.4078), ([A, C], 0.5501), ([B, C], 1.0)],
)
def test_dependency_of_the_worked_example(subset, gamma):
    """The Łukasiewicz similarity of a set is one minus the satisfaction of the clause."""
    growing = Satisfaction(Clauses(X, CODES))
    for feature in subset:
        growing.add(feature)
    lower = np.ones(len(X))  # a clause that is fulfilled is dropped
    for i, j, degree in zip(*growing.pairs, growing.degrees, strict=True):
        lower[i], lower[j] = min(lower[i], degree), min(lower[j], degree)
    assert lower.mean() == pytest.approx(gamma, abs=5e-5)


@pytest.mark.parametrize("snorm", ["lukasiewicz", "max"])
@pytest.mark.parametrize("similarity", ["sigma", "range", "gaussian"])
@examples(25)
@given(data=scaled_data(), draw=st.data())
def test_sat_is_its_definition(snorm, similarity, data, draw):
    X, codes = data
    features = st.lists(st.integers(0, X.shape[1] - 1), min_size=1, unique=True)
    subset = draw.draw(features)
    rows = clauses_of(X, codes, similarity)
    clauses = Clauses(X, codes, similarity, snorm)
    assert score(clauses, subset) == pytest.approx(sat(rows, subset, snorm), rel=1e-12)


@pytest.mark.parametrize("snorm", ["lukasiewicz", "max"])
@examples(25)
@given(data=scaled_data())
def test_sat_grows_by_less_and_less(snorm, data):
    X, codes = data
    clauses = Clauses(X, codes, snorm=snorm)
    features = np.arange(X.shape[1])
    growing, value, gains = Satisfaction(clauses), 0.0, np.full(len(features), np.inf)
    for feature in features:
        scores = growing.score(features)
        assert (scores >= value - 1e-12).all()
        assert (scores - value <= gains + 1e-12).all()
        gains = scores - value
        value = scores[feature]
        growing.add(int(feature))
    assert value == pytest.approx(1, abs=1e-12)


@examples(30)
@given(data=scaled_data(), rule=st.sampled_from(["importance", "restart"]))
def test_lazy_search_is_the_plain_search(data, rule):
    X, codes = data
    fdm = FDM("all", similarity="sigma", completion=rule)
    with mock.patch.object(Satisfaction, "submodular", False):  # every candidate is scored
        plain = clone(fdm).fit(X, codes)
    lazy = fdm.fit(X, codes)
    assert lazy.indices_.tolist() == plain.indices_.tolist()
    np.testing.assert_array_equal(lazy.scores_, plain.scores_)
    assert lazy.peak_ == plain.peak_


def test_alpha_moves_the_peak_and_not_the_order():
    fdm = FDM(3, similarity="sigma", alpha=0.7).fit(X, Y)
    assert fdm.indices_.tolist() == [C, B, A]
    assert fdm.peak_ == 1


def test_restart_begins_anew_after_the_reduct():
    twice = np.hstack([X, X])
    fdm = FDM(6, similarity="sigma", completion="restart").fit(twice, Y)
    assert fdm.indices_.tolist() == [C, B, C + 3, B + 3, A, A + 3]
    np.testing.assert_allclose(fdm.scores_[:4], [0.7163, 1, 0.7163, 1], atol=5e-5)
    by_importance = FDM(6, similarity="sigma").fit(twice, Y)
    assert by_importance.indices_.tolist() == [C, B, C + 3, B + 3, A, A + 3]


def test_a_copy_follows_by_importance_and_a_constant_comes_last():
    wide = np.column_stack([np.ones(6), X[:, C], X])
    fdm = FDM(5, similarity="sigma").fit(wide, Y)
    assert fdm.indices_.tolist() == [1, 3, 4, 2, 0]
    assert fdm.scores_[-1] == 0


def test_identical_rows_of_different_class_do_not_count():
    rows = np.vstack([X, X[:1]])
    fdm = FDM(3, similarity="sigma").fit(rows, [*Y, "yes"])
    assert fdm.scores_[fdm.peak_ - 1] == pytest.approx(1)


@pytest.mark.skipif("S2FS_DATA" not in os.environ, reason="S2FS_DATA is not set")
def test_the_reduct_of_real_data_satisfies_what_all_features_do():
    with np.load(Path(os.environ["S2FS_DATA"], "glioma.npz")) as data:
        X, y = data["X"], data["y"]
    fdm = FDM(20, similarity="sigma").fit(X, y)
    assert fdm.peak_ < 20
    assert fdm.scores_[fdm.peak_ - 1] == pytest.approx(1, abs=1e-12)
    assert (np.diff(fdm.scores_[: fdm.peak_]) > 0).all()
    assert (np.diff(fdm.scores_[fdm.peak_ :]) <= 1e-12).all()
