"""The checks of a selection: each passes on a table made for it, and fails on one made for that."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.feature_selection import SelectKBest

from inner import find_decisive_samples
from s2fs import PairCover, compare
from s2fs.baselines import AnovaF
from s2fs.evaluation.checks import (
    SelectionChecks,
    as_dicts,
    group_redundant,
)

NAMES = [f"g{f}" for f in range(30)]


def checked(X, y, indices, size=None, **options):
    found = SelectionChecks(
        X,
        y,
        np.asarray(indices),
        feature_names=NAMES,
        class_names=["healthy", "ill", "worse"][: y.max() + 1],
        sample_names=[f"s{i}" for i in range(len(y))],
        **options,
    ).at(size)
    assert [check.passed for check in found] == sorted(check.passed for check in found)
    return {check.name: check for check in found}


@pytest.fixture
def clean():
    """Two classes of 20 that every one of three features tells apart."""
    y = np.repeat([0, 1], 20)
    return np.random.default_rng(0).normal(size=(40, 3)) + 1.5 * y[:, None], y


def test_nothing_to_worry_about(clean):
    X, y = clean
    found = checked(X, y, [0, 1, 2])
    assert [*found] == [
        "fragile", "redundant", "alone", "missing", "small_class", "skewed", "ranks",
    ]  # fmt: skip
    assert all(check.passed for check in found.values())
    assert all(str(check).startswith("✓ ") for check in found.values())


def separation(column, y):
    """Mean gap to the nearest other class mean, over the mean distance from the own one."""
    means = [column[y == q].mean() for q in np.unique(y)]
    gaps = [min(abs(a - b) for j, b in enumerate(means) if i != j) for i, a in enumerate(means)]
    return np.mean(gaps) / np.mean(np.abs(column - np.array(means)[y]))


def test_a_feature_that_rests_on_one_or_two_samples(clean):
    X, y = clean
    rng = np.random.default_rng(1)
    one, two = rng.normal(size=(2, 40)) * 0.1
    one[25] += 60
    two[[22, 30]] += 30
    columns = np.column_stack([X[:, 0], one, two])
    found = find_decisive_samples(columns, y)
    for f, column in enumerate(columns.T):
        before = separation(column, y)
        far = np.argsort(-np.abs(column - column.mean()))
        left = [separation(np.delete(column, far[:n]), np.delete(y, far[:n])) for n in (1, 2)]
        rests_on = [far[:n].tolist() for n in (1, 2) if left[n - 1] < before / 2]
        is_noise = before <= 2.5 * np.sqrt(2 * 2 / 40)
        assert found.get(f) == (rests_on[0] if rests_on and not is_noise else None)
    assert [*found] == [1, 2]
    check = checked(columns, y, [0, 1, 2])["fragile"]
    assert str(check) == f"! g1 rests on s25; g2 rests on s{found[2][0]} and s{found[2][1]}."


def test_a_check_says_what_the_fit_has_warned_of():
    """One rule: a screen never shows both answers."""
    y = (np.arange(80) % 8 == 0).astype(int)
    X = np.random.default_rng(0).normal(size=(80, 3)) + 0.3 * y[:, None]
    X[8, 2] = 1e4
    with pytest.warns(UserWarning, match="One sample decides on 1 of 3 selected features"):
        selected = PairCover(3).fit(X, y).indices_
    check = checked(X, y, selected)["fragile"]
    assert str(check) == "! g2 rests on s8."


def test_samples_that_carry_a_feature_are_named():
    y = np.repeat([0, 1], [20, 6])
    rng = np.random.default_rng(2)
    carried = rng.normal(size=26) * 0.1
    carried[[21, 24]] += 10  # two of six: well above noise, and nothing without them
    assert separation(carried, y) > 2.5 * np.sqrt(2 * 2 / 26)
    first, second = sorted([21, 24], key=lambda i: -carried[i])
    assert find_decisive_samples(carried[:, None], y) == {0: [first, second]}
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


def with_stability(found, value):
    """The same comparison with another stability of the first selector."""
    return replace(found, rows=[found.rows[0]._replace(stability=value), *found.rows[1:]])


def test_selections_that_change_much(clean):
    X, y = clean
    found = compare(X, y, k=[2], selectors=["anovaf"], n_repeats=1)
    for value, passed, words in (
        (0.29, False, "other features come (0.29; 1 = always the same)"),
        (0.3, True, "other features come (0.30; 1 = always the same)"),
        (0.8, True, "mostly the same features come (0.80; 1 = always the same)"),
    ):
        check = checked(X, y, [0], comparison=with_stability(found, value))["stability"]
        assert (check.passed, check.text) == (passed, f"With other samples {words}.")
    everything = compare(X, y, k=[3], selectors=["anovaf"], n_repeats=1)
    assert "stability" not in checked(X, y, [0], comparison=everything)


def test_a_column_made_from_the_classes(clean):
    X, y = clean
    made = np.column_stack([X, y * 2.0 + np.random.default_rng(0).random(40)])
    check = checked(made, y, [0, 3])["alone"]
    assert str(check) == "! g3 alone separates the classes: was it made from them?"
    assert checked(made, y, [0, 3], size=1)["alone"].passed
    assert [*checked(made, y, [0, 3], remarks=["id has 3 values."])][:2] == ["alone", "identifier"]
    three = np.repeat([0, 1, 2], [14, 13, 13])
    apart = np.column_stack([three == 1, three]).astype(float)  # the first parts one class alone
    assert checked(apart, three, [0])["alone"].passed
    assert not checked(apart, three, [1])["alone"].passed
    few = np.repeat([0, 1], 4)  # of 30 features noise parts eight samples in one table of two
    rng = np.random.default_rng(0)
    wide = np.column_stack([few + 0.1 * rng.random(8), rng.random((8, 29))])
    assert checked(wide, few, [0])["alone"].passed


def test_missing_values_of_the_selected_features(clean):
    X, y = clean
    holes = X.copy()
    holes[:4, 1] = np.nan
    holes[0, 2] = np.nan
    found = checked(X, y, [0, 1, 2], incomplete=holes)["missing"]
    assert str(found) == "! Missing values: g1 10 %, g2 2.5 %."
    assert checked(X, y, [0, 1, 2], size=1, incomplete=holes)["missing"].passed
    assert checked(X, y, [0, 1, 2], incomplete=X)["missing"].passed


def test_a_feature_that_is_known_in_one_batch(clean):
    X, y = clean
    holes = X.copy()
    batch = np.where(np.arange(40) % 4 < 2, "north", "south")
    holes[batch == "north", 1] = np.nan
    holes[:3, 2] = np.nan
    given = {"incomplete": holes, "covariates": {"batch": batch, "age": np.arange(40.0)}}
    found = checked(X, y, [0, 1, 2], **given)["batch"]
    assert str(found) == "! g1 is known only in batch south."
    assert checked(X, y, [0, 2], **given)["batch"].passed
    assert "batch" not in checked(X, y, [0], **given | {"covariates": None})


def test_rows_that_do_better(clean):
    X, y = clean
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=(40, 3)), X])
    blind = {"blind": SelectKBest(lambda X, y: np.arange(X.shape[1])[::-1]), "seeing": AnovaF()}
    found = compare(table, y, k=[1, 3, 6], selectors=blind, n_repeats=2)
    here = checked(table, y, [0, 1, 2, 3, 4, 5], size=3, comparison=found)
    gap = found.at(3).difference("all 6 features", "blind")
    told = found.metric.write_difference(gap)
    assert str(here["all_features"]) == f"! All 6 features do better ({told} points)."
    told = found.metric.write_difference(found.at(3).difference("seeing", "blind"))
    assert str(here["others"]) == f"! seeing does better ({told} points)."
    assert str(here["rising"]).startswith("! 6 features do better (+")
    whole = checked(table, y, [0, 1, 2, 3, 4, 5], size=6, comparison=found)
    assert whole["all_features"].passed
    assert whole["others"].passed
    assert whole["rising"].passed


def test_remarks_of_the_reader_are_passed_on(clean):
    X, y = clean
    found = checked(X, y, [0], remarks=["Column 'donor' repeats; add --group donor."])
    assert str(found["identifier"]) == "! Column 'donor' repeats; add --group donor."


def test_scores_are_those_of_the_size_on_view(clean):
    X, y = clean
    rng = np.random.default_rng(0)
    told = np.column_stack([X, rng.normal(size=(40, 27))])
    found = compare(told, y, k=[1, 2, 3], selectors=["anovaf", "paircover"], n_repeats=2)
    for size in (1, 2, 3):
        here = found.at(size)
        checks = checked(told, y, [0, 1, 2], size=size, comparison=found)
        assert {"majority", "random", "all_features", "others", "rising"} < {*checks}
        for name, row in (("majority", "majority class"), ("random", "random features")):
            gap = here.difference("ANOVA F", row)
            assert checks[name].passed == (gap.relation == "better than")
            numbers = [f"{100 * one:+.1f}".replace("-", "−") for one in gap]
            assert f"({numbers[0]}, {numbers[1]} to {numbers[2]} points)" in checks[name].text
    assert checks["majority"].text.startswith("Better than guessing the largest class (+")
    noise = compare(rng.normal(size=(40, 30)), y, k=[2], selectors=["anovaf"], n_repeats=2)
    checks = checked(told, y, [0], comparison=noise)
    assert not checks["majority"].passed
    assert not checks["random"].passed
    assert "rising" not in checks  # one number says nothing about others
    assert "others" not in checks  # there are none
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
