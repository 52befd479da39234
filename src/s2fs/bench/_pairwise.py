"""Pairs of algorithms compared on their own: Wilcoxon's signed-rank test with Holm's correction."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from s2fs._util.types import Floats
from s2fs.bench._statistics import DECIMALS, as_table, check_level, check_names


@dataclass(frozen=True)
class PairwiseComparison:
    """One pair of algorithms under Wilcoxon's signed-rank test.

    Attributes
    ----------
    first, second : str
        The algorithms compared.
    median_difference : float
        Median over the datasets of the score of ``first`` minus that of ``second``.
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
    statistic: float
    p_value: float
    adjusted_p_value: float
    significant: bool


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
    >>> from s2fs.evaluation import wilcoxon_holm
    >>> scores = [[0.9 - 0.01 * i, 0.7 - 0.02 * i] for i in range(8)]
    >>> pair = wilcoxon_holm(scores, names=["A", "B"])[0]
    >>> pair.first, pair.second, pair.p_value, pair.significant
    ('A', 'B', 0.0078125, True)
    """
    from scipy.stats import wilcoxon

    table = as_table(scores)
    check_level(alpha)
    known = check_names(names, table.shape[1])
    if control is None:
        pairs = list(combinations(range(len(known)), 2))
    elif control in known:
        c = known.index(control)
        pairs = [(c, j) for j in range(len(known)) if j != c]
    else:
        raise ValueError(f"control is {control!r}; give one of {', '.join(map(repr, known))}.")
    outcome = []
    for i, j in pairs:
        difference = np.round(table[:, i] - table[:, j], DECIMALS)
        # Without any difference there is nothing to rank.
        found = wilcoxon(difference) if difference.any() else None
        outcome.append((0.0, 1.0) if found is None else (float(found[0]), float(found[1])))
    adjusted = _holm(np.array([p for _, p in outcome]))
    return tuple(
        PairwiseComparison(
            first=known[i],
            second=known[j],
            median_difference=float(np.median(table[:, i] - table[:, j])),
            statistic=statistic,
            p_value=p,
            adjusted_p_value=float(corrected),
            significant=bool(corrected <= alpha),
        )
        for (i, j), (statistic, p), corrected in zip(pairs, outcome, adjusted, strict=True)
    )


def _holm(p_values: Floats) -> Floats:
    """Holm's step-down correction: the i-th smallest times the number not yet rejected."""
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
