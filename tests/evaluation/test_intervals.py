"""Intervals against worked numbers and other libraries."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from s2fs.evaluation.intervals import (
    Difference,
    compare_areas,
    compare_cohorts,
    compare_right,
    compare_with_guess,
    compute_area_limits,
    compute_area_variance,
    compute_auc_interval,
    compute_cohort_interval,
    compute_exact_interval,
    compute_fold_factor,
    compute_wilson_interval,
    count_over_classes,
    count_units,
    get_cohort_quantile,
    get_t,
    name_relation,
)

VECTORS = json.loads(
    (Path(__file__).parents[1] / "verdict_vectors.json").read_text(encoding="utf-8")
)
NEAR = pytest.approx


@pytest.mark.parametrize("row", VECTORS["accuracy"])
def test_accuracy(row):
    n = compute_fold_factor(row["folds"], row["repeats"]) * count_units(row["group_sizes"])
    assert compute_wilson_interval(row["value"], n) == NEAR(row["interval"], abs=1e-9)


@pytest.mark.parametrize("row", VECTORS["balanced_accuracy"])
def test_balanced_accuracy(row):
    n_of_classes = [count_units(sizes) for sizes in row["samples_of_class_by_group"]]
    n = compute_fold_factor(row["folds"], row["repeats"]) * count_over_classes(n_of_classes)
    assert compute_wilson_interval(row["value"], n) == NEAR(row["interval"], abs=1e-9)


@pytest.mark.parametrize("row", VECTORS["difference"])
def test_difference_of_two_rows(row):
    right_a, right_b, units = (np.array(row[key]) for key in ("right_a", "right_b", "unit"))
    assert tuple(compare_right(right_a, right_b, units)) == NEAR(row["difference"], abs=1e-9)


def units_of_pairs(pairs, units):
    return np.array([[units[int(q)] for q in pair.split(",")] for pair in pairs])


@pytest.mark.parametrize("row", VECTORS["auc"])
def test_auc(row):
    by_repeat = np.array(list(row["by_repeat"].values())).T
    numbers = units_of_pairs(row["by_repeat"], row["units"])
    found = compute_auc_interval(by_repeat, numbers, row["folds"], sum(row["units"]))
    assert found == NEAR((row["value"], *row["interval"]), abs=1e-9)


@pytest.mark.parametrize("row", VECTORS["validation"])
def test_second_cohort(row):
    found = compute_cohort_interval(np.array([row["value"]]), np.array([row["units"]]))
    assert found == NEAR((row["value"], *row["interval"]), abs=1e-9)
    assert tuple(compare_cohorts(row["first"], found)) == NEAR(row["difference"], abs=1e-9)


def test_second_cohort_of_three_classes():
    row = VECTORS["validation_three_classes"]
    numbers = units_of_pairs(row["pairs"], row["units"])
    found = compute_cohort_interval(np.array(list(row["pairs"].values())), numbers)
    assert found == NEAR((row["value"], *row["interval"]), abs=1e-9)


@pytest.mark.parametrize(("n_right", "n"), [(0, 7), (3, 8), (20, 20), (41, 60)])
def test_shares_against_statsmodels(n_right, n):
    assert compute_wilson_interval(n_right / n, n) == NEAR(
        proportion_confint(n_right, n, method="wilson"), abs=1e-9
    )
    assert compute_exact_interval(n_right, n) == NEAR(
        proportion_confint(n_right, n, method="beta"), abs=1e-9
    )


def test_t_against_scipy():
    assert get_t(24) == NEAR(stats.t.ppf(0.975, 23))
    assert get_t(1) == np.inf


def test_a_guess_has_no_error_of_its_own():
    assert compare_with_guess(0.8, 0.7, 0.9, 0.5) == NEAR((0.3, 0.2, 0.4))


def test_limits_of_an_area_solve_their_equation():
    for area, n_1, n_0, quantile in [(0.8, 16, 16, 2.02), (0.95, 21.6, 7.2, 2.03), (0.3, 5, 9, 3)]:
        for limit in compute_area_limits(area, n_1, n_0, quantile):
            reach = quantile * np.sqrt(compute_area_variance(limit, n_1, n_0))
            assert abs(area - limit) == NEAR(reach, abs=1e-9)
    assert compute_area_limits(1.0, 10, 10)[1] == 1.0
    assert compute_area_limits(0.0, 10, 10)[0] == 0.0


def test_a_pair_that_no_fold_holds_is_left_out():
    areas = np.array([[0.8, np.nan, 0.7], [0.9, np.nan, np.nan]])
    numbers = np.array([[10, 9], [10, 1], [9, 1]])
    value, low, high = compute_auc_interval(areas, numbers, 5, 20)
    assert value == NEAR((0.85 + 0.7) / 2)
    assert low < value < high
    same = compute_auc_interval(areas[:, [0, 2]], numbers[[0, 2]], 5, 20)
    assert same == (value, low, high)
    assert np.isnan(compute_auc_interval(np.full((2, 1), np.nan), numbers[:1], 5, 20)).all()


def test_the_order_of_repeats_and_units_does_not_matter():
    rng = np.random.default_rng(0)
    right_a, right_b = rng.random((2, 5, 30)) < 0.7
    units = rng.integers(0, 8, 30)
    found = compare_right(right_a, right_b, units)
    order, repeats = rng.permutation(30), rng.permutation(5)
    again = compare_right(right_a[repeats][:, order], right_b[repeats][:, order], 7 - units[order])
    assert tuple(found) == NEAR(tuple(again))
    mirrored = compare_right(right_b, right_a, units)
    assert (found.low, found.high) == NEAR((-mirrored.high, -mirrored.low))


def test_rows_are_compared_on_what_both_have():
    rng = np.random.default_rng(1)
    right_a, right_b = (rng.random((2, 5, 24)) < 0.7).astype(float)
    units = np.arange(24)
    assert compare_right(right_a, right_b[:2], units) == compare_right(
        right_a[:2], right_b[:2], units
    )
    right_a[:, 3] = np.nan
    kept = np.delete(units, 3)
    assert compare_right(right_a, right_b, units) == compare_right(
        right_a[:, kept], right_b[:, kept], kept
    )


def test_the_least_half_width_is_two_units():
    right = np.ones((3, 20))
    assert compare_right(right, right, np.arange(20)) == NEAR((0.0, -0.1, 0.1))
    assert compare_right(right, right, np.arange(20) // 4) == NEAR((0.0, -0.4, 0.4))
    assert compare_right(right, right, np.zeros(20, int)) == (0.0, -1.0, 1.0)
    assert compare_areas(0.0, np.zeros(5), np.zeros(5), 20) == NEAR((0.0, -0.1, 0.1))


def test_folds_that_vary_more_than_units_widen_the_interval():
    """Models that are right or wrong on whole folds are so many draws, not so many samples."""
    rng = np.random.default_rng(2)
    units, folds = np.arange(200), np.tile(np.arange(200) % 5, (5, 1))
    held, widths = 0, []
    for _ in range(200):
        is_good = (rng.random((5, 5)) < 0.5)[np.arange(5)[:, None], folds]
        right = (rng.random((5, 200)) < 0.5 + 0.5 * is_good).astype(float)
        other = (rng.random((5, 200)) < 0.5).astype(float)
        found = compare_right(right, other, units, None, folds)
        held += found.low <= 0.25 <= found.high
        widths.append(found.high - found.low)
    assert held >= 180
    assert np.mean(widths) < 0.35
    # Where folds vary no more than their samples do, nothing changes.
    right, other = (rng.random((2, 5, 200)) < 0.7).astype(float)
    assert compare_right(right, other, units, None, folds) == compare_right(right, other, units)
    one = compare_areas(0.1, np.array([0.1]), np.array([0.004]), 50, 0.012)
    assert one.high - one.low == NEAR(2 * get_t(50) * np.sqrt(0.016))


def test_one_repeat_counts_the_variance_within_twice():
    one = compare_areas(0.1, np.array([0.1]), np.array([0.004]), 50)
    two = compare_areas(0.1, np.array([0.1, 0.1]), np.array([0.008, 0.008]), 50)
    assert tuple(one) == NEAR(tuple(two))


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.001, 0.2, "better than"),
        (0.001, 0.01, "better than"),
        (-0.2, -0.001, "worse than"),
        (-0.02, 0.02, "as good as"),
        (-0.02 - 1e-12, 0.02 + 1e-12, "as good as"),
        (1e-12, 0.3, "cannot be told from"),
        (-0.021, 0.0, "cannot be told from"),
    ],
)
def test_words_are_read_off_the_interval(low, high, words):
    assert name_relation(low, high) == words
    assert Difference((low + high) / 2, low, high).relation == words


def test_scores_that_vary_more_widen_the_interval():
    expected = np.sqrt(compute_area_variance(0.8, 20, 20))
    plain = get_cohort_quantile(0.8, 20, 20, None)
    assert get_cohort_quantile(0.8, 20, 20, expected / 2) == plain
    assert get_cohort_quantile(0.8, 20, 20, 2 * expected) == NEAR(2 * plain)
    assert get_cohort_quantile(1.0, 20, 20, 3.0) == plain
    assert get_cohort_quantile(0.8, 20, 1, 3.0) == plain
