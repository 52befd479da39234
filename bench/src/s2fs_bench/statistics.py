"""Are the algorithms really different? Ranks over datasets and the tests built on them.

Every function takes one table of scores, a row per dataset and a column per algorithm, larger
meaning better. The formulas are those customary in the field since Demšar (2006): Friedman's
statistic without a correction for ties, and its F form by Iman and Davenport.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from s2fs._utils.types import Floats

#: Scores that agree to this many decimals are tied: the mean of the same numbers taken in another
#: order must not change a rank.
TIE_DECIMALS = 10


@dataclass(frozen=True, eq=False)
class FriedmanResult:
    """Outcome of the Friedman test in the form of Iman and Davenport.

    Attributes
    ----------
    average_ranks : ndarray of shape (n_algorithms,)
        Mean rank of each algorithm over the datasets, 1 is best.
    chi2 : float
        Friedman's χ² with ``n_algorithms - 1`` degrees of freedom.
    chi2_p_value : float
        Its p-value.
    statistic : float
        F_F, less conservative than χ²; infinite if all datasets rank the algorithms alike.
    degrees_of_freedom : tuple of int
        The two degrees of freedom of F_F.
    critical_value : float
        F_F above this value rejects that the algorithms are equal.
    p_value : float
        The p-value of F_F.
    alpha : float
        The significance level of the critical value.
    """

    average_ranks: Floats
    chi2: float
    chi2_p_value: float
    statistic: float
    degrees_of_freedom: tuple[int, int]
    critical_value: float
    p_value: float
    alpha: float


@dataclass(frozen=True, eq=False)
class NemenyiResult:
    """Outcome of the Nemenyi test: which algorithms differ by more than the critical difference.

    Attributes
    ----------
    names : tuple of str
        The algorithms, in the order of the columns of the scores.
    average_ranks : ndarray of shape (n_algorithms,)
        Mean rank of each algorithm over the datasets, 1 is best.
    critical_difference : float
        Average ranks further apart than this differ significantly.
    better : ndarray of bool of shape (n_algorithms, n_algorithms)
        ``better[i, j]`` says that algorithm ``i`` is significantly better than ``j``.
    groups : tuple of tuple of str
        The largest sets of two or more algorithms that cannot be told apart, best first; these are
        the bars of a critical-difference diagram.
    alpha : float
        The significance level.
    """

    names: tuple[str, ...]
    average_ranks: Floats
    critical_difference: float
    better: NDArray[np.bool_]
    groups: tuple[tuple[str, ...], ...]
    alpha: float


@dataclass(frozen=True)
class PairwiseComparison:
    """One pair of algorithms under Wilcoxon's signed-rank test.

    Attributes
    ----------
    first, second : str
        The algorithms compared.
    median_difference, mean_difference : float
        Median and mean over the datasets of the score of ``first`` minus that of ``second``.
    low, high : float
        Confidence interval of the mean difference at the level 1 − ``alpha``, by Student's t over
        the datasets; of this pair on its own.
    effect_size : float
        Matched-pairs rank-biserial correlation: the ranks of absolute differences in favour of
        ``first`` minus those against it, over all; from −1 to 1.
    statistic : float
        Wilcoxon's statistic.
    p_value : float
        Two-sided p-value of this pair on its own.
    adjusted_p_value : float
        The p-value after Holm's correction for the number of pairs.
    significant : bool
        Whether the adjusted p-value is at most ``alpha``.
    """

    first: str
    second: str
    median_difference: float
    mean_difference: float
    low: float
    high: float
    effect_size: float
    statistic: float
    p_value: float
    adjusted_p_value: float
    significant: bool


def average_ranks(scores: ArrayLike) -> Floats:
    """Average over the datasets the rank of each algorithm; tied algorithms share their mean rank.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_algorithms)
        Larger is better.

    Returns
    -------
    ndarray of shape (n_algorithms,)
        Average ranks, 1 is best.

    Examples
    --------
    >>> from s2fs_bench import average_ranks
    >>> average_ranks([[0.9, 0.8, 0.8], [0.7, 0.6, 0.5]])
    array([1.  , 2.25, 2.75])
    """
    table = _as_table(scores)
    ranks: Floats = stats.rankdata(-np.round(table, TIE_DECIMALS), axis=1).mean(axis=0)
    return ranks


def friedman_test(scores: ArrayLike, *, alpha: float = 0.05) -> FriedmanResult:
    """Test whether any of the algorithms differs from the others.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_algorithms)
        Larger is better; at least two datasets and two algorithms.
    alpha : float, default=0.05
        Significance level of the critical value.

    Returns
    -------
    FriedmanResult
        The statistics χ² and F_F, the critical value and the p-values.

    Examples
    --------
    >>> from s2fs_bench import friedman_test
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.7], [0.9, 0.8, 0.5]]
    >>> result = friedman_test(scores)
    >>> round(result.statistic, 4), round(result.critical_value, 4), round(result.p_value, 4)
    (13.0, 5.1433, 0.0066)
    """
    table = _as_table(scores)
    _check_level(alpha)
    N, s = table.shape
    ranks = average_ranks(table)
    chi2 = 12 * N / (s * (s + 1)) * float(((ranks - (s + 1) / 2) ** 2).sum())
    rest = N * (s - 1) - chi2
    # Equal rankings everywhere leave a rest of zero, up to rounding.
    statistic = (N - 1) * chi2 / rest if rest > 1e-9 else np.inf
    dof = (s - 1, (s - 1) * (N - 1))
    return FriedmanResult(
        average_ranks=ranks,
        chi2=chi2,
        chi2_p_value=float(stats.chi2.sf(chi2, s - 1)),
        statistic=statistic,
        degrees_of_freedom=dof,
        critical_value=float(stats.f.ppf(1 - alpha, *dof)),
        p_value=float(stats.f.sf(statistic, *dof)),
        alpha=alpha,
    )


def critical_difference(n_datasets: int, n_algorithms: int, *, alpha: float = 0.05) -> float:
    """Compute the critical difference of the Nemenyi test.

    Parameters
    ----------
    n_datasets, n_algorithms : int
        The shape of the table of scores.
    alpha : float, default=0.05
        Significance level.

    Returns
    -------
    float
        ``q * sqrt(s (s + 1) / (6 N))`` with q the quantile of the studentised range over √2.

    Examples
    --------
    >>> from s2fs_bench import critical_difference
    >>> round(critical_difference(10, 9), 4)
    3.7988
    """
    _check_level(alpha)
    q = float(stats.studentized_range.ppf(1 - alpha, n_algorithms, np.inf)) / np.sqrt(2)
    return float(q * np.sqrt(n_algorithms * (n_algorithms + 1) / (6 * n_datasets)))


def nemenyi_test(
    scores: ArrayLike, *, names: Sequence[str] | None = None, alpha: float = 0.05
) -> NemenyiResult:
    """Compare all algorithms with each other by their average ranks.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_algorithms)
        Larger is better.
    names : sequence of str, optional
        The algorithms; by default "0", "1", ….
    alpha : float, default=0.05
        Significance level, for all pairs together.

    Returns
    -------
    NemenyiResult
        The critical difference, who is better than whom, and who cannot be told apart.

    Examples
    --------
    >>> from s2fs_bench import nemenyi_test
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.7], [0.9, 0.8, 0.5]]
    >>> result = nemenyi_test(scores, names=["A", "B", "C"])
    >>> round(result.critical_difference, 3), result.groups
    (1.657, (('A', 'B'), ('B', 'C')))
    """
    table = _as_table(scores)
    known = _check_names(names, table.shape[1])
    ranks = average_ranks(table)
    cd = critical_difference(*table.shape, alpha=alpha)
    return NemenyiResult(
        names=known,
        average_ranks=ranks,
        critical_difference=cd,
        better=ranks[None, :] - ranks[:, None] > cd,
        groups=_groups(ranks, cd, known),
        alpha=alpha,
    )


def wilcoxon_holm(
    scores: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    control: str | None = None,
    alpha: float = 0.05,
) -> tuple[PairwiseComparison, ...]:
    """Compare pairs of algorithms by Wilcoxon's signed-rank test, corrected by Holm.

    Unlike with average ranks, the p-value of a pair does not depend on the other algorithms in the
    table; only the correction does. With few datasets and many pairs nothing can be significant:
    ten datasets allow no p-value below 0.002, so name a ``control`` to test fewer pairs.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_algorithms)
        Larger is better.
    names : sequence of str, optional
        The algorithms; by default "0", "1", ….
    control : str, optional
        Compare only this algorithm with each of the others; by default all pairs.
    alpha : float, default=0.05
        Significance level, for all pairs together.

    Returns
    -------
    tuple of PairwiseComparison
        One entry per pair, in the order of the columns; a control comes first in its pairs.

    Examples
    --------
    >>> from s2fs_bench import wilcoxon_holm
    >>> scores = [[0.9 - 0.01 * i, 0.7 - 0.02 * i] for i in range(8)]
    >>> pair = wilcoxon_holm(scores, names=["A", "B"])[0]
    >>> pair.first, pair.second, pair.p_value, pair.significant
    ('A', 'B', 0.0078125, True)
    """
    table = _as_table(scores)
    _check_level(alpha)
    known = _check_names(names, table.shape[1])
    if control is None:
        pairs = list(combinations(range(len(known)), 2))
    elif control in known:
        c = known.index(control)
        pairs = [(c, j) for j in range(len(known)) if j != c]
    else:
        raise ValueError(f"control is {control!r}; give one of {', '.join(map(repr, known))}.")
    outcome = []
    for i, j in pairs:
        difference = np.round(table[:, i] - table[:, j], TIE_DECIMALS)
        # Without any difference there is nothing to rank.
        found = stats.wilcoxon(difference) if difference.any() else None
        outcome.append((0.0, 1.0) if found is None else (float(found[0]), float(found[1])))
    adjusted = _holm(np.array([p for _, p in outcome]))
    return tuple(
        PairwiseComparison(
            first=known[i],
            second=known[j],
            median_difference=float(np.median(table[:, i] - table[:, j])),
            **_effect(table[:, i] - table[:, j], alpha),
            statistic=statistic,
            p_value=p,
            adjusted_p_value=float(corrected),
            significant=bool(corrected <= alpha),
        )
        for (i, j), (statistic, p), corrected in zip(pairs, outcome, adjusted, strict=True)
    )


def _effect(difference: Floats, alpha: float) -> dict[str, float]:
    """The size of a difference over the datasets, with the interval of its mean."""
    N, mean = len(difference), float(difference.mean())
    half = float(stats.t.ppf(1 - alpha / 2, N - 1) * difference.std(ddof=1) / np.sqrt(N))
    rounded = np.round(difference, TIE_DECIMALS)
    ranks = stats.rankdata(np.abs(rounded[rounded != 0]))
    total = ranks.sum()
    signed = (np.sign(rounded[rounded != 0]) * ranks).sum() / total if total else 0.0
    return {
        "mean_difference": mean,
        "low": mean - half,
        "high": mean + half,
        "effect_size": float(signed),
    }


def _groups(ranks: Floats, cd: float, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The maximal runs of neighbouring ranks that span at most the critical difference."""
    order = np.argsort(ranks, kind="stable")
    groups, reached = [], 0
    for first in range(len(order)):
        end = int(np.searchsorted(ranks[order], ranks[order[first]] + cd, side="right"))
        if end > max(reached, first + 1):
            groups.append(tuple(names[i] for i in order[first:end]))
        reached = max(reached, end)
    return tuple(groups)


def _holm(p_values: Floats) -> Floats:
    """Holm's step-down correction: the i-th smallest times the number not yet rejected."""
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def _as_table(scores: ArrayLike) -> Floats:
    """The scores as a complete table, or an error that says what is wrong with them."""
    table: Floats = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or min(table.shape) < 2:
        raise ValueError(
            f"scores has shape {table.shape}; give a table with a row for each of at least two "
            "datasets and a column for each of at least two algorithms."
        )
    if not np.isfinite(table).all():
        raise ValueError("scores holds NaN or infinity; leave out datasets that are not complete.")
    return table


def _check_names(names: Sequence[str] | None, s: int) -> tuple[str, ...]:
    """One name for each of the s algorithms."""
    known = tuple(map(str, range(s))) if names is None else tuple(names)
    if len(known) != s:
        raise ValueError(f"names has {len(known)} entries, but scores has {s} columns.")
    return known


def _check_level(alpha: Any) -> None:
    """Raise if alpha is not a significance level."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha!r}; give a significance level between 0 and 1.")
