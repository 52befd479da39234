"""What to worry about before trusting a selection: short lines, each passed or not."""

from collections.abc import Sequence, Sized
from typing import Any, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from s2fs._native.class_moments import compute_class_moments
from s2fs._utils.messages import join_words, truncate_middle
from s2fs._utils.types import Floats, Indices
from s2fs.baselines.reference import MOST_CERTAIN_F, compute_f_statistics
from s2fs.criteria.correlation import correlations
from s2fs.criteria.problem import blocks
from s2fs.evaluation.comparison import MAJORITY, RANDOM, Comparison, points
from s2fs.evaluation.samples import take_columns
from s2fs.selectors.base import fit_selector
from s2fs.selectors.pair_cover import PairCover

#: Two features with |r| of this or more are called redundant.
REDUNDANT = 0.9
#: A class with fewer samples is small.
SMALL_CLASS = 10
#: Selections with a Nogueira index below the first of these change much, from the second on they
#: agree.
LOW_STABILITY, HIGH_STABILITY = 0.4, 0.75
#: A logarithm may help if positive values have a skewness above the first of these, and a median
#: below the second, as a share of the largest value.
SKEWED, LOW_MEDIAN = 2.0, 0.1
#: Ranks are worth trying if PairCover's criterion on them is this many times that on the values.
BETTER_BY_RANK = 1.8
#: Of tables with more values evenly spaced features are ranked.
_MOST_RANKED = 2_000_000
#: Without one or two samples a feature must keep this share of its F statistic.
KEPT_SHARE = 0.5
#: How many names a line holds.
_MOST_NAMES = 3


class Check(NamedTuple):
    """One line of the list.

    Attributes
    ----------
    passed : bool
        Whether there is nothing to worry about.
    name : str
        What is checked, for machines: "majority", "random", "rising", "fragile", "redundant",
        "small_class", "skewed", "ranks", "stability" or "identifier".
    text : str
        One sentence.
    """

    passed: bool
    name: str
    text: str

    def __str__(self) -> str:
        return f"{'✓' if self.passed else '!'} {self.text}"


def check_selection(
    values: Any,
    codes: Indices,
    indices: Indices,
    *,
    feature_names: Sequence[str],
    class_names: Sequence[str],
    sample_names: Sequence[str],
    comparison: Comparison | None = None,
    stability: float | None = None,
    remarks: Sequence[str] = (),
) -> list[Check]:
    """Go through what most often makes a selection worth less than it seems.

    Parameters
    ----------
    values : ndarray or csc_array of shape (n_samples, n_features)
        The table, complete; of a sparse one a few columns at a time become dense.
    codes : ndarray of shape (n_samples,)
        The class of each sample as 0, 1, …
    indices : ndarray of int
        The selected features.
    feature_names, class_names, sample_names : sequence of str
        What columns, classes and samples are called.
    comparison : Comparison, optional
        The evaluation of the selection.
    stability : float, optional
        Nogueira's index of selections on random halves.
    remarks : sequence of str
        What the reader of the file found about identifiers and repeated subjects.

    Returns
    -------
    list of Check
        In the order of how much they matter.
    """
    selected = take_columns(values, None, indices)
    names = [truncate_middle(str(feature_names[f]), 30) for f in indices]
    checks = [] if comparison is None else _check_accuracy(comparison)
    checks.append(_check_fragile(selected, codes, names, sample_names))
    checks.append(_check_redundant(selected, names))
    checks.append(_check_classes(codes, class_names))
    checks.append(_check_skewed(values))
    checks.append(_check_ranks(values, codes, len(indices)))
    if stability is not None:
        checks.append(_check_stability(stability))
    checks += [Check(False, "identifier", remark) for remark in remarks]
    return checks


def _check_stability(stability: float) -> Check:
    is_low = stability < LOW_STABILITY
    verb = "change much"
    if not is_low:
        verb = "agree" if stability >= HIGH_STABILITY else "agree in part"
    text = f"Selections on random halves {verb} ({stability:.2f} of 1)."
    return Check(not is_low, "stability", text)


def _check_accuracy(comparison: Comparison) -> list[Check]:
    """Better than guessing, better than random features, and no longer rising."""
    at = comparison.recommended
    first = at.rows[0]["selector"]
    checks = []
    for row, key, phrase in (
        (MAJORITY, "majority", "the majority class"),
        (RANDOM, "random", "random features"),
    ):
        difference = at.difference(first, row)
        passed = difference.relation == "better than"
        relation = f"{difference.relation[0].upper()}{difference.relation[1:]}"
        checks.append(Check(passed, key, f"{relation} {phrase} ({points(difference)} points)."))
    recommendation = comparison.recommendation
    if recommendation is not None:
        text = "More features do not raise the accuracy by more than one standard error."
        if recommendation.still_rising:
            text = f"Accuracy is still rising at {recommendation.best} features."
        checks.append(Check(not recommendation.still_rising, "rising", text))
    return checks


def find_fragile_features(columns: Floats, codes: Indices) -> dict[int, list[int]]:
    """Find features whose separation of the classes rests on one or two samples.

    Without the sample that is furthest from the median, or without two, less than half of the F
    statistic is left. Features whose F statistic noise reaches, too, are skipped.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_features)
        The selected features.
    codes : ndarray of shape (n_samples,)
        The class of each sample.

    Returns
    -------
    dict of int to list of int
        For each fragile feature, by its position, the one or two samples.
    """
    from scipy.stats import f as f_distribution

    n, p = len(codes), int(codes.max()) + 1
    if n - p < 4:
        return {}
    # What the best of as many features without signal reaches in one table of twenty.
    by_chance = f_distribution.isf(0.05 / max(1, columns.shape[1]), p - 1, n - p)
    fragile = {}
    for position, values in enumerate(columns.T):
        column = values / max(np.abs(values).max(), np.finfo(float).tiny)  # safe to square
        before = _compute_f(column, codes)
        if before < by_chance:
            continue
        furthest = np.argsort(-np.abs(column - np.median(column)), kind="stable")
        for n_left_out in (1, 2):
            others = np.delete(np.arange(n), furthest[:n_left_out])
            if _compute_f(column[others], codes[others]) < KEPT_SHARE * before:
                fragile[position] = furthest[:n_left_out].tolist()
                break
    return fragile


def _compute_f(values: Floats, codes: Indices) -> float:
    """The F statistic of one feature: infinite if only rounding is left inside the classes."""
    moments = compute_class_moments(values[:, None], codes, int(codes.max()) + 1)
    f = float(np.nan_to_num(compute_f_statistics(moments)[0], nan=0.0))
    return np.inf if f > MOST_CERTAIN_F else f


def _check_fragile(
    selected: Floats, codes: Indices, names: list[str], sample_names: Sequence[str]
) -> Check:
    fragile = find_fragile_features(selected, codes)
    if not fragile:
        return Check(True, "fragile", "No selected feature rests on one or two samples.")
    phrases = [
        f"{names[f]} rests on {join_words([str(sample_names[i]) for i in samples])}"
        for f, samples in fragile.items()
    ]
    return Check(False, "fragile", f"{'; '.join(phrases[:_MOST_NAMES])}{_count_more(phrases)}.")


def group_redundant(selected: Floats, threshold: float = REDUNDANT) -> list[list[int]]:
    """Group features that are joined by |r| of at least ``threshold``; single ones are left out.

    Parameters
    ----------
    selected : ndarray of shape (n_samples, n_features)
        The selected features.
    threshold : float, default=0.9
        The |r| that joins two of them.

    Returns
    -------
    list of list of int
        Positions of the features of each group, in order.
    """
    if selected.shape[1] < 2:
        return []
    distance = 1 - np.minimum(1.0, np.abs(correlations(selected)))
    np.fill_diagonal(distance, 0.0)
    # Pairs at exactly the threshold belong together: rounding must not part them.
    labels = fcluster(
        linkage(squareform(distance, checks=False), "single"), 1 - threshold + 1e-9, "distance"
    )
    groups = [np.flatnonzero(labels == label).tolist() for label in np.unique(labels)]
    return sorted(group for group in groups if len(group) > 1)


def _check_redundant(selected: Floats, names: list[str]) -> Check:
    groups = group_redundant(selected)
    if not groups:
        return Check(True, "redundant", f"No two selected features have |r| ≥ {REDUNDANT}.")
    phrases = [join_words([names[f] for f in group[:4]]) for group in groups[:_MOST_NAMES]]
    more = _count_more(groups, " groups")
    text = f"Nearly the same (|r| ≥ {REDUNDANT}): {'; '.join(phrases)}{more}."
    return Check(False, "redundant", text)


def _check_classes(codes: Indices, class_names: Sequence[str]) -> Check:
    counts = np.bincount(codes, minlength=len(class_names))
    small = np.flatnonzero(counts < SMALL_CLASS)
    if not len(small):
        return Check(True, "small_class", f"Every class has at least {SMALL_CLASS} samples.")
    phrases = [f"class {class_names[q]}: n = {counts[q]}" for q in small[:_MOST_NAMES]]
    text = f"Fewer than {SMALL_CLASS} samples: {', '.join(phrases)}{_count_more(small)}."
    return Check(False, "small_class", text)


def _count_more(items: Sized, noun: str = "") -> str:
    """How many items a line has no room for: `` and 3 more``."""
    n_more = len(items) - _MOST_NAMES
    return f" and {n_more} more{noun}" if n_more > 0 else ""


def _check_skewed(values: Any) -> Check:
    """Positive values with a long tail, in most features: the scale of counts and intensities."""
    passed = Check(True, "skewed", "Values are not both positive and skewed.")
    if values.min() < 0:
        return passed
    skewness, median = _describe_shapes(values)
    if not len(median) or np.median(skewness) <= SKEWED or np.median(median) >= LOW_MEDIAN:
        return passed
    return Check(False, "skewed", "Values are positive and skewed: a logarithm may select better.")


def _describe_shapes(values: Any) -> tuple[Floats, Floats]:
    """The skewness of every feature that varies, and its median as a share of its maximum."""
    skewnesses, medians = [], []
    for columns in blocks(np.arange(values.shape[1]), values.shape[0]):
        part = take_columns(values, None, columns).astype(np.float64, copy=False)
        largest = part.max(axis=0)
        is_varying = part.min(axis=0) < largest
        shares = part[:, is_varying] / largest[is_varying]  # safe to cube
        medians.append(np.median(shares, axis=0))
        shares -= shares.mean(axis=0)
        squares = shares**2
        variance = squares.mean(axis=0)
        squares *= shares  # a power of 3 would take ten times as long
        third = squares.mean(axis=0)
        skewnesses.append(third / np.where(variance > 0, variance, 1.0) ** 1.5)
    return np.concatenate(skewnesses), np.concatenate(medians)


def _check_ranks(values: Floats, codes: Indices, k: int) -> Check:
    """Whether as many features separate the classes much better when only their order counts."""
    n_samples, n_features = values.shape
    step = max(1, -(-n_samples * n_features // _MOST_RANKED))
    some = take_columns(values, None, np.arange(0, n_features, step))
    n_selected = min(k, some.shape[1])
    by_value, by_rank = (
        fit_selector(PairCover(n_selected, scale=scale), some, codes).scores_[-1]
        for scale in (None, "rank")
    )
    ratio = by_rank / by_value if by_value > 0 else 1.0
    if ratio < BETTER_BY_RANK:
        return Check(
            True,
            "ranks",
            f"Ranks of the values would not separate much better ({ratio:.1f} times as well).",
        )
    return Check(
        False,
        "ranks",
        f"Ranks separate the classes {ratio:.1f} times as well as values do: "
        'PairCover(scale="rank") may select better.',
    )


def as_dicts(checks: Sequence[Check]) -> list[dict[str, Any]]:
    """The checks as plain values, which JSON can hold."""
    return [check._asdict() for check in checks]
