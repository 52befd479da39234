"""How sure an estimate and a difference are: 95 % intervals over units, and their words.

A unit is a sample, or a group of samples that belong together. Everything here is a function of
plain numbers; ``bench/studies/intervals.py`` simulates how often each interval holds the truth.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

from s2fs._utils.types import Floats, Indices

#: What a difference is called.
Relation = Literal["better than", "worse than", "as good as", "cannot be told from"]
#: The lower and the upper limit of an interval.
Limits = tuple[float, float]

#: Two rows whose whole interval lies within this difference are as good as each other.
EQUIVALENT = 0.02
#: Limits this near to a border are on it: they are sums of rounded numbers.
TOLERANCE = 1e-9
#: The quantile of the normal that a 95 % interval has.
Z = float(ndtri(0.975))
#: How much the AUCs of two pairs of classes are taken to vary together: folds, a second cohort.
PAIRS_IN_FOLDS, PAIRS_IN_COHORT = 0.25, 0.5
#: Halvings of the range in which a limit of an AUC is looked for: beyond double precision.
_N_HALVINGS = 60


class Difference(NamedTuple):
    """How much larger a metric is in one row than in another.

    Attributes
    ----------
    value : float
        The difference; accuracies as shares, so 0.01 is one point.
    low, high : float
        Its 95 % interval.
    """

    value: float
    low: float
    high: float

    @property
    def relation(self) -> Relation:
        """The same in words, read off the interval."""
        return name_relation(self.low, self.high)


def name_relation(low: float, high: float) -> Relation:
    """What the interval of a difference says: above 0, below 0, within 2 points, or neither."""
    if low > TOLERANCE:
        return "better than"
    if high < -TOLERANCE:
        return "worse than"
    if low >= -EQUIVALENT - TOLERANCE and high <= EQUIVALENT + TOLERANCE:
        return "as good as"
    return "cannot be told from"


def get_t(n_units: int) -> float:
    """The 97.5 % quantile of Student's t for the mean of so many units."""
    return float(stdtrit(n_units - 1, 0.975)) if n_units > 1 else float("inf")


# Shares of right answers ------------------------------------------------------------------------


def count_units(group_sizes: Floats | Indices | Sequence[float]) -> float:
    """To how many independent samples groups of these sizes amount: (Σg)² / Σg²."""
    sizes = np.asarray(group_sizes, dtype=np.float64)
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def count_over_classes(n_of_classes: Sequence[float] | Floats) -> float:
    """To how many samples classes of so many amount, where every class counts the same."""
    n = np.asarray(n_of_classes, dtype=np.float64)
    return float(len(n) ** 2 / (1 / n).sum())


def compute_fold_factor(n_splits: int, n_repeats: int) -> float:
    """What cross-validation leaves of the number of units.

    Models of the folds have fewer samples than the model of all; a single repeat adds the chance
    of one partition.
    """
    return (1 - 1 / n_splits) * (0.8 if n_repeats == 1 else 1.0)


def compute_wilson_interval(share: float, n: float) -> Limits:
    """The 95 % interval of a share of ``n`` independent units (Wilson 1927)."""
    centre = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * np.sqrt(max(0.0, share * (1 - share)) / n + Z * Z / (4 * n * n))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def compute_exact_interval(n_right: int, n: int) -> Limits:
    """The 95 % interval of a share of independent samples (Clopper and Pearson 1934)."""
    low = float(betaincinv(n_right, n - n_right + 1, 0.025)) if n_right > 0 else 0.0
    high = float(betaincinv(n_right + 1, n - n_right, 0.975)) if n_right < n else 1.0
    return low, high


def compare_with_guess(value: float, low: float, high: float, guess: float) -> Difference:
    """The difference from guessing, which has no error of its own: the same interval, shifted."""
    return Difference(value - guess, low - guess, high - guess)


def compare_right(
    right_a: Floats,
    right_b: Floats,
    units: Indices,
    weights: Floats | None = None,
    folds: Indices | None = None,
) -> Difference:
    """The difference of two shares of right answers, over units.

    Parameters
    ----------
    right_a, right_b : ndarray of shape (n_repeats, n_samples)
        1 where the row was right, 0 where it was wrong, NaN where the sample was not held out. If
        one has more repeats, the first ones that both have count.
    units : ndarray of shape (n_samples,)
        The number of the unit of each sample.
    weights : ndarray of shape (n_samples,), optional
        How much each sample counts; on average 1 over the samples that were held out.
    folds : ndarray of shape (n_repeats, n_samples), optional
        The fold in which each sample was held out.

    Returns
    -------
    Difference
        The choice of training samples adds about as much variance as the units do; more, if the
        folds vary by more, as with features drawn at random in each. A difference of two units may
        always be chance, and fewer units count where few samples have most of the weight.
    """
    n_repeats = min(len(right_a), len(right_b))
    gaps = np.asarray(right_a[:n_repeats], dtype=np.float64) - right_b[:n_repeats]
    is_held_out = ~np.isnan(gaps)
    counts = is_held_out.sum(axis=0)
    kept = counts > 0
    if weights is not None:
        gaps *= weights
    gap = np.where(is_held_out, gaps, 0.0).sum(axis=0)[kept] / counts[kept]
    by_unit = sum_by_unit(gap, units[kept])
    value, n_units = float(gap.mean()), len(by_unit)
    least = 2 / n_units * (1.0 if weights is None else float((weights[kept] ** 2).mean()))
    if n_units < 2:
        return Difference(value, -1.0, 1.0)
    of_units = of_training = compute_mean_variance(by_unit)
    if folds is not None:
        of_training = max(of_training, _compute_fold_variance(gaps, folds[:n_repeats]))
    half = get_t(n_units) * np.sqrt(of_units + of_training)
    return _cut_difference(value, max(float(half), least))


def _compute_fold_variance(gaps: Floats, folds: Indices) -> float:
    """The variance of the mean over all folds, seen from how much the folds vary."""
    is_held_out = ~np.isnan(gaps)
    number = np.where(is_held_out, folds + np.arange(len(folds))[:, None] * (folds.max() + 1), -1)
    fold = np.unique(number[is_held_out], return_inverse=True)[1]
    of_folds = np.bincount(fold, weights=gaps[is_held_out]) / np.bincount(fold)
    return compute_mean_variance(of_folds)


def compute_mean_variance(values: Floats) -> float:
    """The variance of the mean of independent values, 0 of a single one."""
    return float(values.var(ddof=1)) / len(values) if len(values) > 1 else 0.0


def sum_by_unit(values: Floats, units: Indices) -> Floats:
    """The sums over the samples of each unit, scaled so that their mean is that of the samples."""
    number = np.unique(units, return_inverse=True)[1]
    sums = np.bincount(number, weights=values)
    return np.asarray(sums * (len(sums) / len(values)), dtype=np.float64)


def _cut_difference(value: float, half: float) -> Difference:
    return Difference(value, max(-1.0, value - half), min(1.0, value + half))


# Areas under ROC curves -------------------------------------------------------------------------


def compute_area_variance(area: float, n_positive: float, n_negative: float) -> float:
    """The variance of an AUC, by the fifth method of Newcombe (2006)."""
    n = (n_positive + n_negative) / 2 - 1
    spread = 1 + n * (1 - area) / (2 - area) + n * area / (1 + area)
    return float(area * (1 - area) * spread / (n_positive * n_negative))


def compute_area_limits(
    area: float, n_positive: float, n_negative: float, quantile: float = Z
) -> Limits:
    """The AUCs on both sides whose own standard error, times the quantile, reaches ``area``."""

    def find(border: float) -> float:
        inside, outside = area, border
        for _ in range(_N_HALVINGS):
            middle = (inside + outside) / 2
            variance = compute_area_variance(middle, n_positive, n_negative)
            if abs(area - middle) < quantile * np.sqrt(variance):
                inside = middle
            else:
                outside = middle
        return (inside + outside) / 2

    return find(0.0) if area > 0 else 0.0, find(1.0) if area < 1 else 1.0


def join_pairs(errors: Floats, correlation: float) -> float:
    """The error of a mean over pairs of classes that vary together to this degree."""
    independent = (errors**2).sum() / len(errors) ** 2
    return float(np.sqrt((1 - correlation) * independent + correlation * errors.mean() ** 2))


def compute_auc_interval(
    by_repeat: Floats,
    n_of_pairs: Floats | Indices,
    n_splits: int,
    n_units: int,
    correlation: float = PAIRS_IN_FOLDS,
) -> tuple[float, float, float]:
    """The AUC of cross-validated scores, and its interval.

    Parameters
    ----------
    by_repeat : ndarray of shape (n_repeats, n_pairs)
        The AUC of each repeat for each pair of classes, NaN where no fold of it holds both.
    n_of_pairs : ndarray of shape (n_pairs, 2)
        The units of both classes of each pair.
    n_splits, n_units : int
        The number of folds, and of units in the whole table.
    correlation : float
        How much the AUCs of two pairs vary together.

    Returns
    -------
    tuple of float
        The mean over the pairs that a fold holds, its lower and upper limit; NaN without any.
    """
    held = ~np.isnan(by_repeat).all(axis=0)
    by_repeat = by_repeat[:, held]
    if not by_repeat.size:
        return float("nan"), float("nan"), float("nan")
    numbers = (1 - 1 / n_splits) * np.asarray(n_of_pairs, dtype=np.float64)[held]
    areas = np.nanmean(by_repeat, axis=0)
    value = float(areas.mean())
    if n_units < 2:
        return value, 0.0, 1.0
    quantile = get_t(n_units)
    below, above = _join_limits(areas, numbers, np.full(len(areas), quantile), correlation)
    between = np.sqrt(
        quantile**2 * _compute_repeat_variance(by_repeat, areas, numbers, correlation)
    )
    low = value - float(np.hypot(below, between))
    high = value + float(np.hypot(above, between))
    return value, max(0.0, low), min(1.0, high)


def _compute_repeat_variance(
    by_repeat: Floats, areas: Floats, numbers: Floats, correlation: float
) -> float:
    """What the partition into folds adds: seen from two repeats on, else as much as the units."""
    complete = by_repeat[~np.isnan(by_repeat).any(axis=1)]
    if len(complete) > 1:
        return float(complete.mean(axis=1).var(ddof=1))
    pairs = zip(areas, numbers, strict=True)
    errors = np.sqrt([compute_area_variance(area, *pair) for area, pair in pairs])
    return join_pairs(errors, correlation) ** 2


def _join_limits(areas: Floats, numbers: Floats, quantiles: Floats, correlation: float) -> Limits:
    """How far the mean over the pairs may lie below and above itself."""
    limits = np.array(
        [
            compute_area_limits(area, pair[0], pair[1], quantile)
            for area, pair, quantile in zip(areas, numbers, quantiles, strict=True)
        ]
    )
    return join_pairs(areas - limits[:, 0], correlation), join_pairs(
        limits[:, 1] - areas, correlation
    )


def compare_areas(
    value: float, by_repeat: Floats, variances: Floats, n_units: int, fold_variance: float = 0.0
) -> Difference:
    """The difference of two cross-validated AUCs, with its interval.

    Parameters
    ----------
    value : float
        The difference of the two means.
    by_repeat : ndarray of shape (n_repeats,)
        The difference of each repeat that both rows have.
    variances : ndarray of shape (n_repeats,)
        Of the means over the units of the differences of influence values, in each repeat.
    n_units : int
        The number of units.
    fold_variance : float
        Of the mean over all folds, seen from how much the folds vary.

    Returns
    -------
    Difference
        With one repeat what the partition adds is not seen, and taken to be as much again, or as
        much as the folds say.
    """
    if n_units < 2:
        return Difference(value, -1.0, 1.0)
    within = float(variances.mean())
    between = float(by_repeat.var(ddof=1)) if len(by_repeat) > 1 else max(within, fold_variance)
    half = get_t(n_units) * np.sqrt(within + between)
    return _cut_difference(value, max(float(half), 2 / n_units))


# A second cohort --------------------------------------------------------------------------------


def get_cohort_quantile(
    area: float, n_positive: float, n_negative: float, error: float | None
) -> float:
    """How many standard errors reach to a limit of the AUC in a second cohort.

    ``error`` is that of DeLong and others (1988): where the scores vary more than the areas tell,
    with groups for instance, the interval grows by as much.
    """
    if error is None or not 0 < area < 1 or min(n_positive, n_negative) < 2:
        return Z
    expected = np.sqrt(compute_area_variance(area, n_positive, n_negative))
    return Z * max(1.0, error / float(expected))


def compute_cohort_interval(
    areas: Floats,
    n_of_pairs: Floats | Indices,
    quantiles: Floats | None = None,
    correlation: float = PAIRS_IN_COHORT,
) -> tuple[float, float, float]:
    """The AUC of one model in a cohort it has not seen, and its interval.

    Parameters
    ----------
    areas : ndarray of shape (n_pairs,)
        The AUC of each pair of classes.
    n_of_pairs : ndarray of shape (n_pairs, 2)
        The units of both classes of each pair.
    quantiles : ndarray of shape (n_pairs,), optional
        From :func:`get_cohort_quantile`; that of the normal by default.
    correlation : float
        How much the AUCs of two pairs vary together.

    Returns
    -------
    tuple of float
        The mean over the pairs, its lower and upper limit.
    """
    areas = np.asarray(areas, dtype=np.float64)
    if quantiles is None:
        quantiles = np.full(len(areas), Z)
    numbers = np.asarray(n_of_pairs, dtype=np.float64)
    below, above = _join_limits(areas, numbers, quantiles, correlation)
    value = float(areas.mean())
    return value, max(0.0, value - below), min(1.0, value + above)


def compare_cohorts(
    first: tuple[float, float, float], second: tuple[float, float, float]
) -> Difference:
    """The second value minus the first, from both values with their limits (Newcombe 1998)."""
    value = second[0] - first[0]
    low = value - float(np.hypot(second[0] - second[1], first[2] - first[0]))
    high = value + float(np.hypot(second[2] - second[0], first[0] - first[1]))
    return Difference(value, low, high)
