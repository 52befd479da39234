"""What a second cohort says of a panel: its AUC there, and one word with one sentence."""

from typing import Literal, NamedTuple

import numpy as np

from s2fs._utils.types import Floats, Indices
from s2fs.evaluation.areas import compute_delong_error, compute_placements, list_pairs
from s2fs.evaluation.intervals import (
    TOLERANCE,
    Difference,
    compare_cohorts,
    compute_cohort_interval,
    get_cohort_quantile,
)
from s2fs.evaluation.metrics import METRICS, Estimate, count_class_units, make_estimate

#: The words that a second cohort can get.
Word = Literal["cannot be judged", "reversed", "lost", "cannot be told", "lower", "holds", "works"]
#: An AUC with its interval.
Three = tuple[float, float, float]

#: A panel holds where its AUC is surely not lower by more than this.
MOST_LOST = 0.10


class CohortWord(NamedTuple):
    """What a second cohort says of a panel.

    Attributes
    ----------
    word : str
        One of seven.
    sentence : str
        The same with the numbers behind it.
    difference : Difference or None
        Of the AUC in the second cohort from that in the first; None without one of them.
    """

    word: Word
    sentence: str
    difference: Difference | None


def estimate_cohort_auc(
    scores: Floats, codes: Indices, units: Indices | None = None
) -> Estimate | None:
    """The AUC of one model in samples that it has not seen, over the classes that are there.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        One score for each class.
    codes : ndarray of shape (n_samples,)
        The class of each sample.
    units : ndarray of shape (n_samples,), optional
        The group of each sample.

    Returns
    -------
    Estimate or None
        None with fewer than two classes.
    """
    n_classes = scores.shape[1]
    numbers = count_class_units(codes, np.arange(len(codes)) if units is None else units, n_classes)
    placements = compute_placements(scores, codes)
    areas, n_of_pairs, quantiles = [], [], []
    for pair in list_pairs(n_classes):
        n_first, n_second = (int(numbers[q]) for q in pair)
        if not n_first or not n_second:
            continue
        area = float(placements[codes == pair[0], pair[1]].mean())
        error = compute_delong_error(placements, codes, pair, units)
        areas.append(area)
        n_of_pairs.append((n_first, n_second))
        quantiles.append(get_cohort_quantile(area, n_first, n_second, error))
    if not areas:
        return None
    found = compute_cohort_interval(np.array(areas), np.array(n_of_pairs), np.array(quantiles))
    return make_estimate(*found)


def judge_cohort(
    second: Three | None,
    first: Three | None = None,
    *,
    n_samples: int,
    n_classes: int,
    n_units: int,
    n_first: int | None = None,
) -> CohortWord:
    """The one word about a panel in a second cohort: the first case that is true.

    Parameters
    ----------
    second : tuple of float or None
        AUC, low and high in the second cohort; None if it has not two classes.
    first : tuple of float or None
        The same of held-out samples of the first cohort, over the same classes; None if the file
        of the panel holds none.
    n_samples, n_classes, n_units : int
        Of the second cohort: samples, classes among them, and samples or groups of them.
    n_first : int, optional
        The number of samples of the first cohort.

    Returns
    -------
    CohortWord
        A word, a sentence, and the difference of both.
    """
    if second is None or n_classes < 2 or n_units < 2:
        return CohortWord("cannot be judged", _write_no_judgement(n_samples, n_classes), None)
    difference = None if first is None else compare_cohorts(first, second)
    metric = METRICS["auc"]
    area, low, high = second
    found = f"{metric.write(area)} ({metric.write_interval(low, high)})"
    was_shown = first is not None and first[1] > 0.5 + TOLERANCE

    if high < 0.5 - TOLERANCE:
        swapped = " Are the labels swapped?" if was_shown else ""
        sentence = f"The panel ranks the classes the wrong way round: {found}.{swapped}"
        return CohortWord("reversed", sentence, difference)
    is_lower = difference is not None and difference.high < -TOLERANCE
    if low <= 0.5 + TOLERANCE:
        if first is not None and is_lower:
            sentence = (
                "Nothing shows that the panel tells the classes apart in the new samples: "
                f"{found}, lower than the {metric.format(first[0])} of the first cohort."
            )
            return CohortWord("lost", sentence, difference)
        sentence = (
            f"These {n_samples:,} samples do not show that the panel tells the classes apart: "
            f"{found}."
        )
        return CohortWord("cannot be told", sentence, difference)
    if first is not None and difference is not None:
        if is_lower:
            return CohortWord("lower", _write_lower(found, first[0], difference), difference)
        if difference.low >= -MOST_LOST - TOLERANCE and was_shown:
            sentence = _write_holds(found, first[0], n_samples, difference)
            return CohortWord("holds", sentence, difference)
    sentence = f"The panel tells the classes apart in the new samples: {found}."
    rest = _write_open(first, n_first, was_shown, difference)
    return CohortWord("works", f"{sentence} {rest}", difference)


def _write_no_judgement(n_samples: int, n_classes: int) -> str:
    if n_samples == 0:
        return "No new sample is of a class of the panel."
    kind = "class" if n_classes < 2 else "group"
    if n_samples == 1:
        return f"The one new sample is of one {kind}."
    return f"All {n_samples:,} new samples are of one {kind}."


def _write_lower(found: str, first: float, difference: Difference) -> str:
    metric = METRICS["auc"]
    value, low, high = difference
    limits = f"{metric.format_unsigned_limit(high)} to {metric.format_unsigned_limit(low)}"
    return (
        "The panel tells the classes apart, but less well than in the first cohort: "
        f"{found} against {metric.format(first)}; lower by {metric.format(-value)} ({limits})."
    )


def _write_holds(found: str, first: float, n_samples: int, difference: Difference) -> str:
    metric = METRICS["auc"]
    limit = metric.format_unsigned_limit(difference.low)
    if difference.low > TOLERANCE:
        reach = f"higher by at least {limit}"
    else:
        reach = f"at most {limit} lower"
    return (
        f"The panel holds: {found} in the {n_samples:,} new samples, {metric.format(first)} in the "
        f"first cohort; {reach}."
    )


def _write_open(
    first: Three | None, n_first: int | None, was_shown: bool, difference: Difference | None
) -> str:
    """What cannot be said beside the first cohort."""
    metric = METRICS["auc"]
    if first is None or difference is None:
        return "The file holds no held-out AUC of the first cohort."
    value, low, high = first
    if not was_shown:
        interval = metric.write_interval(low, high)
        return f"The first cohort had not shown that ({metric.format(value)}, {interval})."
    samples = "" if n_first is None else f", {n_first:,} samples"
    lower = metric.format_unsigned_limit(difference.low)
    higher = metric.format_unsigned_limit(difference.high)
    return (
        f"Whether as well as in the first cohort ({metric.format(value)}{samples}), these two "
        f"cohorts cannot tell: between {lower} lower and {higher} higher."
    )
