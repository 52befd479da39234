"""How much the selected features change when the data change a little."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from s2fs._utils.messages import format_count
from s2fs._utils.public import set_module
from s2fs._utils.types import Floats, Indices

#: Between these the offset a of an r-concave distribution is looked for: from all mass on 0 to a
#: distribution that is even up to rounding.
SMALLEST_OFFSET, LARGEST_OFFSET = 1e-5, 1e5


@set_module("s2fs.evaluation")
@dataclass(frozen=True)
class Stability:
    """Nogueira's stability index with its confidence interval.

    Attributes
    ----------
    value : float
        1 if all sets are equal, 0 in expectation if they are drawn at random, and negative if they
        agree less than random sets do.
    variance : float
        Estimated variance of ``value``.
    low, high : float
        Limits of the confidence interval, not beyond 1.
    confidence : float
        The confidence level.
    """

    value: float
    variance: float
    low: float
    high: float
    confidence: float


def stability(
    selected: Sequence[ArrayLike], n_features: int, *, confidence: float = 0.95
) -> Stability:
    """Measure how well feature sets selected from different samples agree.

    The index of Nogueira, Sechidis and Brown (2018, JMLR 18(174)) compares the variance of each
    feature's selection with that of random sets of the same sizes. Its interval assumes that the
    samples are independent; training folds overlap, so over folds it is narrower than it claims.

    Parameters
    ----------
    selected : sequence of array-like of int
        For each sample the indices of its selected features; two or more, sizes may differ.
    n_features : int
        How many features there were to select from.
    confidence : float, default=0.95
        Level of the confidence interval.

    Returns
    -------
    Stability
        The index, its variance and its interval.

    Examples
    --------
    >>> from s2fs.evaluation import stability
    >>> stability([[0, 1], [1, 0], [0, 1]], n_features=10).value
    1.0
    >>> round(stability([[0, 1], [0, 2], [0, 1]], n_features=10).value, 4)
    0.5833
    """
    from scipy.stats import norm

    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence!r}; give a level between 0 and 1.")
    Z = _make_indicators(selected, n_features)
    M, d = Z.shape
    size = Z.sum(axis=1)
    frequency = Z.mean(axis=0)
    share = float(size.mean()) / d
    if share in (0, 1):
        raise ValueError(
            f"selected holds {'no' if share == 0 else 'all'} features in every set, where "
            "stability has no meaning; select some of them."
        )
    by_chance = share * (1 - share)
    value = 1 - M / (M - 1) * float((frequency * (1 - frequency)).mean()) / by_chance

    # The influence of each set on the index, and from that the variance.
    influence = (
        Z @ frequency / d
        - size * share / d
        + value / 2 * (2 * share * size / d - size / d - share + 1)
    ) / by_chance
    variance = float(4 / M**2 * ((influence - influence.mean()) ** 2).sum())
    half_width = float(norm.ppf((1 + confidence) / 2)) * variance**0.5
    return Stability(
        value=value,
        variance=variance,
        low=value - half_width,
        high=min(1.0, value + half_width),
        confidence=confidence,
    )


def prefix_stability(rankings: Indices, n_features: int) -> Floats:
    """The index of :func:`stability` for the first 1, 2, … features of rankings of equal length.

    It follows from how often each feature is selected, and each step changes that for few features.
    NaN where all features are selected.
    """
    M, k = rankings.shape
    count = np.zeros(n_features, dtype=np.int64)
    variability = 0  # the sum over the features of count (M - count)
    values = np.full(k, np.nan)
    for size, added in enumerate(rankings.T, start=1):
        for f in added:
            variability += M - 1 - 2 * int(count[f])
            count[f] += 1
        if size < n_features:
            share = size / n_features
            by_chance = M * (M - 1) * n_features * share * (1 - share)
            values[size - 1] = 1 - variability / by_chance
    return values


def false_selections_bound(
    n_features: int, mean_selected: float, n_pairs: int, lowest_count: int
) -> float:
    """Bound the expected number of features that are selected often though they rarely are.

    The r-concave bound of Shah and Samworth (2013, Journal of the Royal Statistical Society B
    75(1)): subsamples come in ``n_pairs`` complementary pairs. A feature counts as false if its
    probability to be selected from half of the samples is not above the mean of all features. How
    often features are selected, and how often from both halves, is assumed to have an r-concave
    distribution, r = -1/4 and -1/2.

    Parameters
    ----------
    n_features : int
        How many features there are to select from.
    mean_selected : float
        How many of them are selected from a subsample, on average.
    n_pairs : int
        The number of complementary pairs of subsamples.
    lowest_count : int
        In how many of the subsamples each of the features was selected, at least.

    Returns
    -------
    float
        The bound, at most ``n_features``.
    """
    share = mean_selected / n_features
    both = r_concave_tail(share**2, n_pairs, lowest_count - n_pairs, -1 / 2)
    each = r_concave_tail(share, 2 * n_pairs, lowest_count, -1 / 4)
    return n_features * min(both, each)


def r_concave_tail(mean: float, n: int, threshold: int, r: float) -> float:
    """Bound P(n X ≥ threshold) for r-concave X on 0, 1/n, …, 1 with this mean at most, r < 0.

    The extreme distributions (Shah and Samworth, appendix A.4) are proportional to (a + i)^(1/r) on
    0 … k, and what is left stands on k + 1. The mean fixes that rest, so a and k remain.
    """
    from scipy.optimize import brentq, minimize_scalar

    total, start = mean * n, math.ceil(2 * mean * n) + 1
    if threshold < start or start > n:
        return 1.0
    steps = np.arange(n + 1)

    def excess(a: float, k: int) -> float:
        density = (a + steps[: k + 1]) ** (1 / r)
        return float(steps[: k + 1] @ density / density.sum()) - total

    def tail(a: float, k: int) -> float:
        density = (a + steps[: k + 1]) ** (1 / r)
        scale = (k + 1 - total) / ((k + 1 - steps[: k + 1]) @ density)
        return 1 - float(scale * density[:threshold].sum())

    # The a with which nothing is left for k + 1, for each k.
    alone, upper = {}, LARGEST_OFFSET
    for k in range(start, n + 1):
        if excess(SMALLEST_OFFSET, k) >= 0:
            upper = SMALLEST_OFFSET
        elif excess(upper, k) > 0:
            upper = brentq(excess, SMALLEST_OFFSET, upper, args=(k,), xtol=1e-12)
        alone[k] = upper
    highest = tail(alone[n], n)
    for k in range(max(start, threshold - 1), n):
        ends = alone[k + 1], alone[k]
        if ends[0] < ends[1]:
            best = minimize_scalar(lambda a, k=k: -tail(a, k), bounds=ends, method="bounded")
            highest = max(highest, -float(best.fun))
        highest = max(highest, tail(ends[0], k), tail(ends[1], k))
    return min(1.0, max(0.0, highest))


def _make_indicators(
    selected: Sequence[ArrayLike], d: int
) -> np.ndarray[tuple[int, int], np.dtype]:
    """Matrix with a row per set and a 1 for each selected feature."""
    if len(selected) < 2:
        raise ValueError(
            f"selected holds {format_count(len(selected), 'set')}; at least two are needed."
        )
    Z = np.zeros((len(selected), d))
    for row, features in enumerate(selected):
        indices = np.asarray(features, dtype=np.intp)
        if indices.size and not (indices.min() >= 0 and indices.max() < d):
            raise ValueError(
                f"selected[{row}] has an index outside 0 … {d - 1}; n_features is {d}."
            )
        Z[row, indices] = 1
    return Z
