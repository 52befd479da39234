"""The checks of a selection: each passes on a table made for it, and fails on one made for that."""

import numpy as np
import pytest
from scipy import stats

from s2fs import PairCover, compare
from s2fs.evaluation.checks import (
    as_dicts,
    check_selection,
    find_fragile_features,
    group_redundant,
)

NAMES = [f"g{f}" for f in range(30)]


def checked(X, y, indices, **options):
    found = check_selection(
        X,
        y,
        np.asarray(indices),
        feature_names=NAMES,
        class_names=["healthy", "ill", "worse"][: y.max() + 1],
        sample_names=[f"s{i}" for i in range(len(y))],
        **options,
    )
    return {check.name: check for check in found}


@pytest.fixture
def clean():
    """Two classes of 20 that every one of three features tells apart."""
    y = np.repeat([0, 1], 20)
    return np.random.default_rng(0).normal(size=(40, 3)) + 1.5 * y[:, None], y


def test_nothing_to_worry_about(clean):
    X, y = clean
    found = checked(X, y, [0, 1, 2], stability=0.8)
    assert [*found] == ["fragile", "redundant", "small_class", "skewed", "ranks", "stability"]
    assert all(check.passed for check in found.values())
    assert all(str(check).startswith("✓ ") for check in found.values())
    assert found["stability"].text == "Selections on random halves agree (0.80 of 1)."


def f_statistic(column, y):
    return stats.f_oneway(*(column[y == q] for q in np.unique(y))).statistic


def test_a_feature_that_rests_on_one_or_two_samples(clean):
    X, y = clean
    rng = np.random.default_rng(1)
    one, two = rng.normal(size=(2, 40)) * 0.1
    one[25] += 60
    two[[22, 30]] += 30
    one[20:] += 0.04
    columns = np.column_stack([X[:, 0], one, two])
    found = find_fragile_features(columns, y)
    for f, column in enumerate(columns.T):
        before = f_statistic(column, y)
        by_chance = stats.f.isf(0.05 / 3, 1, 38)
        far = np.argsort(-np.abs(column - np.median(column)))
        left = [f_statistic(np.delete(column, far[:n]), np.delete(y, far[:n])) for n in (1, 2)]
        rests_on = [far[:n].tolist() for n in (1, 2) if left[n - 1] < before / 2]
        assert found.get(f) == (rests_on[0] if rests_on and before >= by_chance else None)
    assert 0 not in found
    check = checked(columns, y, [0, 1, 2])["fragile"]
    assert check.passed == (not found)


def test_samples_that_carry_a_feature_are_named():
    y = np.repeat([0, 1], [20, 6])
    rng = np.random.default_rng(2)
    carried = rng.normal(size=26) * 0.1
    carried[[21, 24]] += 10  # two of six: well above chance, and nothing without them
    assert f_statistic(carried, y) > stats.f.isf(0.05, 1, 24)
    first, second = sorted([21, 24], key=lambda i: -carried[i])
    assert find_fragile_features(carried[:, None], y) == {0: [first, second]}
    check = checked(carried[:, None], y, [0])["fragile"]
    assert not check.passed
    assert str(check) == f"! g0 rests on s{first} and s{second}."


def test_features_that_are_nearly_the_same_are_grouped(clean):
    X, y = clean
    rng = np.random.default_rng(3)
    a, b, c = X.T
    near = 0.05 * rng.normal(size=(40, 3))
    table = np.column_stack([a, b, -2 * a + near[:, 0], c, b + near[:, 1], a + near[:, 2]])
    assert group_redundant(table) == [[0, 2, 5], [1, 4]]
    r = np.abs(np.corrcoef(table.T))
    assert r[3].tolist().count(1) == 1
    assert np.sort(r[3])[-2] < 0.9
    check = checked(table, y, range(6))["redundant"]
    assert not check.passed
    assert check.text == "Nearly the same (|r| ≥ 0.9): g0, g2 and g5; g1 and g4."
    alone = checked(table, y, [0, 1, 3])["redundant"]
    assert alone.passed
    assert group_redundant(table[:, :1]) == []


def test_small_classes_are_named(clean):
    X, _ = clean
    y = np.repeat([0, 1, 2], [27, 9, 4])
    check = checked(X, y, [0])["small_class"]
    assert (check.passed, check.text) == (
        False,
        "Fewer than 10 samples: class ill: n = 9, class worse: n = 4.",
    )


def test_skewed_positive_values_ask_for_a_logarithm(clean):
    _, y = clean
    rng = np.random.default_rng(0)
    counts = np.exp(2 * rng.normal(size=(40, 30)))
    assert np.median(stats.skew(counts)) > 2
    assert not checked(counts, y, [0])["skewed"].passed
    assert checked(np.log2(counts), y, [0])["skewed"].passed
    assert checked(counts - 1, y, [0])["skewed"].passed  # some are negative
    assert checked(rng.random((40, 30)), y, [0])["skewed"].passed


def test_selections_that_change_much(clean):
    X, y = clean
    for value, passed in ((0.39, False), (0.4, True)):
        assert checked(X, y, [0], stability=value)["stability"].passed == passed
    low = checked(X, y, [0], stability=0.1)["stability"]
    assert str(low) == "! Selections on random halves change much (0.10 of 1)."
    half = checked(X, y, [0], stability=0.5)["stability"]
    assert str(half) == "✓ Selections on random halves agree in part (0.50 of 1)."


def test_remarks_of_the_reader_are_passed_on(clean):
    X, y = clean
    found = checked(X, y, [0], remarks=["Column 'donor' repeats; add --group donor."])
    assert str(found["identifier"]) == "! Column 'donor' repeats; add --group donor."


def test_accuracy_is_that_of_the_recommended_number(clean):
    X, y = clean
    rng = np.random.default_rng(0)
    told = np.column_stack([X, rng.normal(size=(40, 27))])
    found = compare(told, y, k=[1, 2, 3], selectors=["anovaf"], n_repeats=2)
    here = found.recommended
    checks = checked(told, y, [0, 1, 2], comparison=found)
    assert [*checks][:3] == ["majority", "random", "rising"]
    for name, row in (("majority", "majority class"), ("random", "random features")):
        gap = here.difference("ANOVA F", row)
        assert checks[name].passed == (gap.relation == "better than")
        assert f"({100 * gap.mean:+.1f}, {100 * gap.low:.1f} to {100 * gap.high:.1f} points)" in (
            checks[name].text.replace("−", "-")
        )
    assert checks["majority"].text.startswith("Better than the majority class (+")
    assert checks["rising"].passed != found.recommendation.still_rising
    noise = compare(rng.normal(size=(40, 30)), y, k=2, selectors=["anovaf"], n_repeats=2)
    checks = checked(told, y, [0], comparison=noise)
    assert not checks["majority"].passed
    assert not checks["random"].passed
    assert "rising" not in checks  # one number says nothing about others
    assert as_dicts(checks.values())[0] == {
        "passed": False, "name": "majority", "text": checks["majority"].text,
    }  # fmt: skip


def test_ranks_that_separate_much_better():
    """Counts with many zeros and a few huge values: only their order tells the classes."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    counts = np.where(
        rng.random((120, 30)) < 0.3 + 0.4 * y[:, None], rng.lognormal(0, 3, (120, 30)), 0
    )
    found = checked(counts, y, [0, 1, 2])["ranks"]
    ratio = PairCover(3, scale="rank").fit(counts, y).scores_[-1]
    ratio /= PairCover(3).fit(counts, y).scores_[-1]
    assert not found.passed
    assert ratio > 1.8
    assert f"{ratio:.1f} times as well as values do" in found.text
    assert checked(stats.rankdata(counts, axis=0), y, [0, 1, 2])["ranks"].passed
