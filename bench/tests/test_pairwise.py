from itertools import combinations, product

import numpy as np
import pytest
import scikit_posthocs as posthocs
from scipy.stats import rankdata, ttest_1samp

from s2fs_bench import wilcoxon_holm


def exact_p(difference):
    """Two-sided p-value by going through every assignment of signs."""
    d = difference[difference != 0]
    ranks = rankdata(np.abs(d))
    plus = ranks[d > 0].sum()
    sums = np.array([ranks[list(signs)].sum() for signs in _masks(len(d))])
    tail = min((sums <= plus + 1e-9).mean(), (sums >= plus - 1e-9).mean())
    return min(1.0, 2 * tail)


def _masks(n):
    return (np.array(signs, dtype=bool) for signs in product([False, True], repeat=n))


@pytest.mark.parametrize("decimals", [1, 6])
def test_p_values_are_exact_for_ten_datasets(decimals):
    scores = np.round(np.random.default_rng(3).random((10, 4)), decimals)
    for pair in wilcoxon_holm(scores):
        difference = np.round(scores[:, int(pair.first)] - scores[:, int(pair.second)], 10)
        assert pair.p_value == pytest.approx(exact_p(difference))
        assert pair.median_difference == pytest.approx(np.median(difference))


def test_effect_sizes_by_hand():
    scores = np.round(np.random.default_rng(4).random((9, 2)), 2)
    scores[0, 1] = scores[0, 0]  # one tie, which has no rank
    (pair,) = wilcoxon_holm(scores)
    difference = np.round(scores[:, 0] - scores[:, 1], 10)
    interval = ttest_1samp(difference, 0).confidence_interval(0.95)
    assert (pair.low, pair.high) == pytest.approx((interval.low, interval.high))
    assert pair.mean_difference == pytest.approx(difference.mean())
    d = difference[difference != 0]
    ranks = rankdata(np.abs(d))
    assert pair.effect_size == pytest.approx((ranks[d > 0].sum() - ranks[d < 0].sum()) / 36)


def test_holm_by_hand():
    base = np.linspace(0.5, 0.6, 10)
    small = np.array([1, -1, 1, -1, 1, 1, -1, 1, 1, 1]) * np.linspace(0.001, 0.01, 10)
    pairs = wilcoxon_holm(np.stack([base + 0.2, base + 0.02 * base, base + small], axis=1))
    p = [pair.p_value for pair in pairs]
    adjusted = [pair.adjusted_p_value for pair in pairs]
    order = np.argsort(p, kind="stable")
    expected, reached = [0.0] * 3, 0.0
    for left, i in zip((3, 2, 1), order, strict=True):
        reached = max(reached, min(1.0, left * p[i]))
        expected[i] = reached
    assert adjusted == pytest.approx(expected)
    assert [pair.significant for pair in pairs] == [a <= 0.05 for a in adjusted]
    assert pairs[0].significant


def test_a_control_is_compared_with_each_other_algorithm():
    scores = np.random.default_rng(0).random((10, 4))
    pairs = wilcoxon_holm(scores, names=list("abcd"), control="c")
    assert [(pair.first, pair.second) for pair in pairs] == [("c", "a"), ("c", "b"), ("c", "d")]
    alone = {(p.first, p.second): p.p_value for p in wilcoxon_holm(scores, names=list("abcd"))}
    assert pairs[0].p_value == alone["a", "c"]


def test_equal_algorithms_do_not_differ():
    scores = np.repeat(np.random.default_rng(0).random((6, 1)), 2, axis=1)
    (pair,) = wilcoxon_holm(scores)
    assert (pair.p_value, pair.significant) == (1.0, False)
    assert (pair.low, pair.high, pair.effect_size) == (0.0, 0.0, 0.0)


def test_unknown_control():
    with pytest.raises(ValueError, match="control is 'z'"):
        wilcoxon_holm([[1, 2], [2, 1]], names=["a", "b"], control="z")


def test_adjusted_p_values_are_those_of_scikit_posthocs():
    scores = np.random.default_rng(5).random((12, 4))
    theirs = posthocs.posthoc_wilcoxon(list(scores.T), p_adjust="holm").to_numpy()
    for (i, j), pair in zip(combinations(range(4), 2), wilcoxon_holm(scores), strict=True):
        assert pair.adjusted_p_value == pytest.approx(theirs[i, j])
