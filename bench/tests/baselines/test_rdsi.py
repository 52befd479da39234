"""RDSI against the numbers of its spec and against its formulas written out."""

import os
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal_search import Table, greedy

from s2fs_bench.baselines.rdsi import RDSI, compute_self_information
from six_samples import CODES, X, Y
from strategies import examples

MEASURES = ["relative", "certain", "possible", "combined"]


def relation_of(X, features, eps):
    n = len(X)
    R = np.ones((n, n))
    for a in features:
        for i in range(n):
            for j in range(n):
                d = abs(X[i, a] - X[j, a])
                R[i, j] = min(R[i, j], 1 - d if d <= eps + 1e-12 else 0.0)
    return R


def memberships(X, codes, eps, decision):
    """F[q][x]: the share of class q among the neighbours of x in all features, or [x in q]."""
    R = relation_of(X, range(X.shape[1]), eps)
    if decision == "crisp":
        R = np.eye(len(X))
    return [R[:, codes == q].sum(axis=1) / R.sum(axis=1) for q in range(codes.max() + 1)]


def sizes(X, codes, features, eps, decision):
    """Sizes of the lower approximation, the class and the upper approximation, class by class."""
    n = len(X)
    R = relation_of(X, features, eps)
    found = []
    for F in memberships(X, codes, eps, decision):
        low = sum(min(max(1 - R[x, y], F[y]) for y in range(n)) for x in range(n))
        up = sum(max(min(R[x, y], F[y]) for y in range(n)) for x in range(n))
        found.append((low, sum(F), up))
    return np.transpose(found)


def literal(X, codes, features, eps, decision, measure, guard=1e-5):
    """The measure by its definition."""
    total = 0.0
    for low, size, up in sizes(X, codes, features, eps, decision).T + guard:
        ratios = {
            "relative": [low / up],
            "certain": [low / size],
            "possible": [size / up],
            "combined": [low / size, size / up],
        }[measure]
        total += sum(-(1 - t) * log(t) for t in ratios)
    return total


def information(subset, decision, measure="relative"):
    """The measure of the worked example, which has no guard."""
    of = sizes(X, CODES, subset, 0.5, decision)
    return compute_self_information(*of, measure=measure, guard=0)


def alone(X, y, **options):
    """The measure of each feature: a search that is content with one, then the others in order."""
    rdsi = RDSI("all", delta=1e9, completion="index", **options).fit(X, y)
    assert rdsi.peak_ == 1
    return -rdsi.scores_[rdsi.ranking_ - 1]


@st.composite
def scaled_data(draw):
    """Scaled columns that vary, on a grid, so that equal rows and the radius itself occur."""
    n, m = draw(st.integers(4, 10)), draw(st.integers(1, 4))
    codes = np.array([0, 1] + [draw(st.integers(0, 2)) for _ in range(n - 2)])
    cells = st.lists(st.integers(0, 10), min_size=n - 2, max_size=n - 2)
    columns = [[f % 2 * 10, *draw(cells), (f + 1) % 2 * 10] for f in range(m)]
    return np.array(columns).T / 10, np.unique(codes, return_inverse=True)[1]


@pytest.mark.parametrize(
    ("subset", "lower", "upper", "expected"),
    [
        ([0], [1.6, 1.0], [5.0, 4.4], 1.9197),
        ([1], [0.8, 0.8], [5.2, 5.2], 3.1677),
        ([2], [0.5, 0.6], [5.4, 5.5], 4.1331),
        ([0, 1], [1.9, 2.4], [3.6, 4.1], 0.5238),
        ([0, 2], None, None, 1.5078),
        ([1, 2], None, None, 1.9690),
        ([0, 1, 2], None, None, 0.5238),
    ],
)
def test_crisp_numbers_of_the_worked_example(subset, lower, upper, expected):
    assert information(subset, "crisp") == pytest.approx(expected, abs=5e-5)
    if lower is not None:
        np.testing.assert_allclose(sizes(X, CODES, subset, 0.5, "crisp"), [lower, [3, 3], upper])
    # Crisp classes do not depend on other features, so the set is all that a fit is given.
    rdsi = RDSI("all", eps=0.5, decision="crisp").fit(X[:, subset], Y)
    with_guard = literal(X, CODES, subset, 0.5, "crisp", "relative")
    assert -rdsi.scores_.max() == pytest.approx(with_guard, rel=1e-9)
    assert with_guard == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize(
    ("subset", "expected"),
    [
        ([0], 0.9881),
        ([1], 1.5530),
        ([2], 1.3645),
        ([0, 1], 0.3828),
        ([0, 2], 0.7375),
        ([1, 2], 0.4509),
        ([0, 1, 2], 0.0890),
    ],
)
def test_fuzzy_numbers_of_the_worked_example(subset, expected):
    assert information(subset, "fuzzy") == pytest.approx(expected, abs=5e-5)
    if len(subset) == 1:
        (found,) = alone(X, Y, eps=0.5, decision="fuzzy")[subset]
        assert found == pytest.approx(expected, abs=1e-4)  # it has a guard


def test_fuzzy_decision_of_the_worked_example():
    shares = np.array(memberships(X, CODES, 0.5, "fuzzy"))
    np.testing.assert_allclose(shares[0], [1, 0.7619, 0.625, 0.5238, 0, 0], atol=5e-5)
    np.testing.assert_allclose(shares[1], 1 - shares[0])
    np.testing.assert_allclose(shares.sum(axis=1), [2.9107, 3.0893], atol=5e-5)


def test_fuzzy_sizes_and_other_measures_of_the_worked_example():
    lower, _, upper = sizes(X, CODES, [0], 0.5, "fuzzy")
    np.testing.assert_allclose(lower, [1.8488, 1.7262], atol=5e-5)
    np.testing.assert_allclose(upper, [4.2738, 4.1512], atol=5e-5)
    np.testing.assert_allclose(lower / upper, [0.4326, 0.4158], atol=5e-5)
    assert information([0], "fuzzy", "certain") == pytest.approx(0.4224, abs=5e-5)
    assert information([0], "fuzzy", "possible") == pytest.approx(0.1981, abs=5e-5)
    assert information([0], "fuzzy", "combined") == pytest.approx(0.4224 + 0.1981, abs=1e-4)


@pytest.mark.parametrize(("decision", "peak"), [("crisp", 2), ("fuzzy", 3)])
def test_ranking_of_the_worked_example(decision, peak):
    rdsi = RDSI(n_features_to_select=3, eps=0.5, decision=decision).fit(X, Y)
    assert rdsi.indices_.tolist() == [0, 1, 2]
    assert rdsi.peak_ == peak


@pytest.mark.parametrize("decision", ["fuzzy", "crisp"])
@pytest.mark.parametrize("measure", MEASURES)
@examples(25)
@given(
    data=scaled_data(),
    eps=st.sampled_from([0.1, 0.3, 1.0]),
    rule=st.sampled_from(["importance", "index", "restart"]),
)
def test_every_choice_is_by_the_definition(decision, measure, data, eps, rule):
    X, codes = data
    m = X.shape[1]
    options = {"eps": eps, "decision": decision, "measure": measure}
    table = Table(lambda subset: -literal(X, codes, subset, **options))
    order, scores, peak = greedy(table, table.alone(m), m, rule, 0.001, np.inf, -np.inf)
    rdsi = RDSI("all", completion=rule, **options).fit(X, codes)
    assert rdsi.indices_.tolist() == order
    np.testing.assert_allclose(rdsi.scores_, scores, rtol=0, atol=2e-9)
    assert rdsi.peak_ == peak
    expected = [literal(X, codes, [a], **options) for a in range(m)]
    np.testing.assert_allclose(alone(X, codes, **options), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("decision", ["fuzzy", "crisp"])
@pytest.mark.parametrize("measure", MEASURES)
@examples(15)
@given(data=scaled_data(), draw=st.data())
def test_the_measure_is_its_definition_and_never_rises(decision, measure, data, draw):
    X, codes = data
    before = np.inf
    order = draw.draw(st.permutations(range(X.shape[1])))
    for size in range(1, len(order) + 1):
        subset = order[:size]
        of = sizes(X, codes, subset, 0.3, decision)
        now = compute_self_information(*of, measure=measure)
        assert now == pytest.approx(literal(X, codes, subset, 0.3, decision, measure))
        assert now <= before + 1e-12
        before = now
        if decision == "crisp":
            rdsi = RDSI("all", decision="crisp", measure=measure).fit(X[:, subset], codes)
            assert -rdsi.scores_.max() == pytest.approx(now, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("decision", ["fuzzy", "crisp"])
def test_more_features_than_are_scored_together(decision):
    rng = np.random.default_rng(2)
    X = np.vstack([np.zeros(11), np.ones(11), rng.integers(0, 11, (2, 11)) / 10])  # 4 at a time
    codes = np.array([0, 1, 1, 0])
    expected = [literal(X, codes, [a], 1.0, decision, "relative") for a in range(11)]
    found = alone(X, codes, eps=1.0, decision=decision)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_a_fuzzy_decision_without_foreign_neighbours_is_crisp():
    rng = np.random.default_rng(0)
    X, y = rng.random((20, 40)), np.arange(20) % 3
    assert (np.array(memberships(X, y, 0.3, "fuzzy")) == np.eye(3)[y].T).all()
    fuzzy, crisp = (
        RDSI(n_features_to_select=40, decision=decision).fit(X, y)
        for decision in ("fuzzy", "crisp")
    )
    assert fuzzy.indices_.tolist() == crisp.indices_.tolist()
    np.testing.assert_array_equal(fuzzy.scores_, crisp.scores_)


def test_delta_moves_the_peak_and_not_the_order():
    # The worked example falls from 0.99 to 0.38 and then to 0.09.
    rdsi = RDSI(n_features_to_select=3, eps=0.5, delta=0.5).fit(X, Y)
    assert rdsi.indices_.tolist() == [0, 1, 2]
    assert rdsi.peak_ == 2
    np.testing.assert_allclose(-rdsi.scores_, [0.9881, 0.3828, 0.0890], atol=2e-4)


def test_completion_by_importance_and_by_restart():
    options = {"n_features_to_select": 6, "eps": 0.5, "decision": "crisp"}
    twice = np.hstack([X, X])
    rdsi = RDSI(**options).fit(twice, Y)
    assert rdsi.indices_.tolist() == [0, 1, 3, 4, 2, 5]
    np.testing.assert_allclose(-rdsi.scores_[2:], [1.9197, 3.1677, 4.1331, 4.1331], atol=2e-3)
    again = RDSI(**options, completion="restart").fit(twice, Y)
    assert again.indices_.tolist() == [0, 1, 3, 4, 2, 5]
    np.testing.assert_allclose(-again.scores_[2:4], [1.9197, 0.5238], atol=2e-3)
    assert again.peak_ == rdsi.peak_ == 2


def test_copies_follow_and_a_constant_comes_last():
    wide = np.column_stack([np.zeros(6), X[:, 0], X])
    rdsi = RDSI(n_features_to_select=5, eps=0.5, decision="crisp").fit(wide, Y)
    assert rdsi.indices_.tolist() == [1, 3, 2, 4, 0]
    assert rdsi.scores_[-1] == 0


def test_equal_rows_of_different_class():
    rows, y = np.vstack([X, X[:1]]), [*Y, "B"]
    # Crisp classes can never be told apart there, so information stays missing for good.
    crisp = RDSI(n_features_to_select=3, decision="crisp").fit(rows, y)
    assert (crisp.scores_ < -0.01).all()
    assert np.isfinite(crisp.scores_).all()
    # The fuzzy decision gives both rows to both classes in halves, and halves are well defined.
    fuzzy = RDSI(n_features_to_select=3, decision="fuzzy").fit(rows, y)
    codes = np.array([*CODES, 1])
    assert literal(rows, codes, fuzzy.indices_[:2], 0.3, "fuzzy", "relative") == pytest.approx(0)
    assert fuzzy.scores_[1] == pytest.approx(0)


@pytest.mark.skipif("S2FS_DATA" not in os.environ, reason="S2FS_DATA is not set")
def test_real_data_reach_zero_and_have_a_crisp_decision():
    with np.load(Path(os.environ["S2FS_DATA"], "srbct.npz")) as data:
        X, y = data["X"], data["y"]
    fuzzy = RDSI(n_features_to_select=20).fit(X, y)
    crisp = RDSI(n_features_to_select=20, decision="crisp").fit(X, y)
    assert fuzzy.indices_.tolist() == crisp.indices_.tolist()
    assert fuzzy.scores_[fuzzy.peak_ - 1] == pytest.approx(0, abs=1e-3)
