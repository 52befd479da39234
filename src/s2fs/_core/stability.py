"""How much the chosen features change when the data change a little."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from s2fs._util.types import Floats, Indices


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
    """Measure how well feature sets chosen from different samples agree.

    The index of Nogueira, Sechidis and Brown (2018, JMLR 18(174)) compares the variance of each
    feature's selection with that of random sets of the same sizes. Its interval assumes that the
    samples are independent; training folds overlap, so over folds it is narrower than it claims.

    Parameters
    ----------
    selected : sequence of array-like of int
        For each sample the indices of its chosen features; two or more, sizes may differ.
    n_features : int
        How many features there were to choose from.
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
    Z = _indicators(selected, n_features)
    M, d = Z.shape
    size = Z.sum(axis=1)
    frequency = Z.mean(axis=0)
    share = float(size.mean()) / d
    if share in (0, 1):
        raise ValueError(
            f"selected holds {'no' if share == 0 else 'all'} features in every set, where "
            "stability has no meaning; choose some of them."
        )
    by_chance = share * (1 - share)
    value = 1 - M / (M - 1) * float((frequency * (1 - frequency)).mean()) / by_chance

    # How much each sample pulls at the index, and from that the variance.
    pull = (
        Z @ frequency / d
        - size * share / d
        + value / 2 * (2 * share * size / d - size / d - share + 1)
    ) / by_chance
    variance = float(4 / M**2 * ((pull - pull.mean()) ** 2).sum())
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

    It follows from how often each feature is chosen, and each step changes that for a few features
    only. NaN where all features are chosen.
    """
    M, k = rankings.shape
    count = np.zeros(n_features, dtype=np.int64)
    spread = 0  # the sum over the features of count (M - count)
    found = np.full(k, np.nan)
    for size, chosen in enumerate(rankings.T, start=1):
        for f in chosen:
            spread += M - 1 - 2 * int(count[f])
            count[f] += 1
        if size < n_features:
            share = size / n_features
            found[size - 1] = 1 - spread / (M * (M - 1) * n_features * share * (1 - share))
    return found


def _indicators(selected: Sequence[ArrayLike], d: int) -> np.ndarray[tuple[int, int], np.dtype]:
    """Matrix with a row per set and a 1 for each chosen feature."""
    if len(selected) < 2:
        raise ValueError(f"selected holds {len(selected)} set(s); at least two are needed.")
    Z = np.zeros((len(selected), d))
    for row, chosen in enumerate(selected):
        indices = np.asarray(chosen, dtype=np.intp)
        if indices.size and not (indices.min() >= 0 and indices.max() < d):
            raise ValueError(
                f"selected[{row}] has an index outside 0 … {d - 1}; n_features is {d}."
            )
        Z[row, indices] = 1
    return Z
