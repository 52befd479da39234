import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benches import published_table
from s2fs_bench import average_ranks, critical_difference, friedman_test, nemenyi_test
from strategies import examples

PUBLISHED_F = {
    ("cart", "max"): 15.3958,
    ("knn", "max"): 18.4042,
    ("svm", "max"): 15.2697,
    ("kmeans", "max"): 24.8028,
    ("cart", "ave"): 21.0668,
    ("knn", "ave"): 22.0702,
    ("svm", "ave"): 15.4123,
    ("kmeans", "ave"): 27.9357,
}


@pytest.mark.parametrize(("case", "published"), PUBLISHED_F.items())
def test_f_of_the_paper(case, published):
    scores = published_table(*case).ours
    result = friedman_test(scores)
    assert scores.shape == (10, 9)
    assert round(result.statistic, 4) == published
    assert round(result.critical_value, 4) == 2.0698
    assert result.degrees_of_freedom == (8, 72)
    assert result.p_value < 1e-10


def test_s2fs_against_the_baselines_in_the_paper():
    better = 0
    for case in PUBLISHED_F:
        table = published_table(*case)
        names = [column.algorithm for column in table.columns]
        result = nemenyi_test(table.ours, names=names)
        assert round(result.critical_difference, 4) == 3.7988
        better += result.better[names.index("S2FS")].sum()
        assert not result.better[:, names.index("S2FS")].any()
    assert (better, 8 * len(PUBLISHED_F) - better) == (35, 29)


def test_ipd_and_mdp_under_average_cart_are_within_the_critical_difference():
    table = published_table("cart", "ave")
    names = [column.algorithm for column in table.columns]
    groups = nemenyi_test(table.ours, names=names).groups
    assert any({"S2FS", "IPD", "MDP"} <= set(group) for group in groups)


@pytest.mark.parametrize(("s", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (9, 3.102), (10, 3.164)])
def test_quantiles_of_demsar(s, q):
    assert critical_difference(1, s) / np.sqrt(s * (s + 1) / 6) == pytest.approx(q, abs=1e-3)


@examples(60)
@given(st.integers(2, 12), st.integers(3, 7), st.integers(0, 2**32 - 1))
def test_chi2_without_ties_is_scipys(N, s, seed):
    rng = np.random.default_rng(seed)
    scores = np.array([rng.permutation(s) for _ in range(N)], dtype=float)
    if N * s < 7:  # scipy wants a few more observations than that
        return
    truth = stats.friedmanchisquare(*scores.T)
    result = friedman_test(scores)
    assert result.chi2 == pytest.approx(truth.statistic)
    assert result.chi2_p_value == pytest.approx(truth.pvalue)


@examples(60)
@given(st.integers(2, 8), st.integers(2, 7), st.integers(0, 2**32 - 1))
def test_groups_are_maximal(N, s, seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (N, s)) + 3.0 * np.arange(s)
    result = nemenyi_test(scores, names=[str(i) for i in range(s)])
    ranks, cd = result.average_ranks, result.critical_difference
    groups = [frozenset(map(int, group)) for group in result.groups]
    together = ~(result.better | result.better.T)
    for i in range(s):
        for j in range(s):
            assert together[i, j] == (abs(ranks[i] - ranks[j]) <= cd)
            shared = any({i, j} <= group for group in groups)
            assert shared == bool(together[i, j]) or i == j
    assert not any(a < b for a in groups for b in groups)


def test_equal_rankings_give_an_infinite_statistic():
    result = friedman_test([[3, 2, 1]] * 4)
    assert result.statistic == np.inf
    assert result.p_value == 0
    assert result.chi2 == pytest.approx(8)


def test_tied_algorithms_share_their_rank_despite_rounding():
    assert average_ranks([[0.1 + 0.2, 0.3, 0.5]] * 2).tolist() == [2.5, 2.5, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: friedman_test([1, 2]), "scores has shape"),
        (lambda: friedman_test([[1, 2]]), "at least two"),
        (lambda: average_ranks([[1, np.nan], [1, 2]]), "NaN"),
        (lambda: friedman_test([[1, 2], [2, 1]], alpha=5), "alpha is 5"),
        (lambda: nemenyi_test([[1, 2], [2, 1]], names="a"), "names has 1"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
