"""What scores are worth whatever the cut: AUC inside folds, its influence values, ROC curves.

With more than two classes the AUC is the mean over all pairs of classes (Hand and Till 2001), which
does not change with the shares of the classes. A pair a < b has two AUCs, of the scores of a and of
the scores of b among the samples of both, and its own is their mean.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.types import Floats, Indices

#: The most points of a curve that is drawn or written to a file.
MOST_POINTS = 101
#: Up to so many comparisons of scores all pairs of samples are compared; more scores are sorted.
MOST_COMPARED = 100_000


class RocCurve(NamedTuple):
    """A ROC curve of held-out samples.

    Attributes
    ----------
    false_positive_rate, sensitivity : ndarray of shape (n_points,)
        The corners of the curve, from (0, 0) to (1, 1); where it jumps, a rate stands there twice.
    std : ndarray of shape (n_points,)
        The standard deviation of the sensitivity over the repeats; 0 of a single one.
    """

    false_positive_rate: Floats
    sensitivity: Floats
    std: Floats

    @property
    def area(self) -> float:
        """The area under it."""
        return float(np.trapezoid(self.sensitivity, self.false_positive_rate))


def list_pairs(n_classes: int) -> list[tuple[int, int]]:
    """Each pair of classes, in order."""
    return list(combinations(range(n_classes), 2))


def compute_placements(scores: Floats, codes: Indices) -> Floats:
    """How well each sample is told from the samples of each other class.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        One score for each class, larger for samples of it.
    codes : ndarray of shape (n_samples,)
        The class of each sample.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        The share of the samples of a class that the sample is on the right side of, half if
        equal, the mean over the scores of both classes; NaN for its own class, and for classes
        without samples. The mean over the samples of one of two classes is the AUC of both.
    """
    n, n_classes = scores.shape
    members = codes == np.arange(n_classes)[:, None]
    sizes = members.sum(axis=1)
    below = _count_below(scores, members) / (2 * np.where(sizes, sizes, np.nan))
    samples = np.arange(n)
    of_own = below[codes, samples]  # by the score of the sample's class, it is above these
    of_other = 1 - np.diagonal(below, axis1=0, axis2=2)  # by that of the other, below these
    placements = (of_own + of_other) / 2
    placements[samples, codes] = np.nan
    return np.asarray(placements)


def _count_below(scores: Floats, members: NDArray[np.bool_]) -> Floats:
    """By each score, twice how many samples of each class are below each sample; equal ones once.

    Of shape (n_classes, n_samples, n_classes).
    """
    n, n_classes = scores.shape
    if n * n * n_classes <= MOST_COMPARED:
        mine, others = scores.T[:, :, None], scores.T[:, None, :]
        twice = (others < mine) * 1.0 + (others <= mine)
        return np.asarray(twice @ members.T)
    counts = np.empty((n_classes, n, n_classes))
    for q, of_class in enumerate(members):
        for c, values in enumerate(scores.T):
            ordered = np.sort(values[of_class])
            counts[c, :, q] = np.searchsorted(ordered, values, "left")
            counts[c, :, q] += np.searchsorted(ordered, values, "right")
    return counts


def iterate_folds(folds: Indices) -> Iterator[Indices]:
    """The samples of each fold of a repeat; −1 is in none."""
    for fold in np.unique(folds[folds >= 0]):
        yield np.flatnonzero(folds == fold)


class FoldAreas(NamedTuple):
    """AUCs of one repeat.

    Attributes
    ----------
    areas : ndarray of shape (n_pairs,)
        For each pair of classes the mean over the folds that hold both; NaN if there is none.
    influences : ndarray of shape (n_samples,)
        Of LeDell, Petersen and van der Laan (2015): to first order the error of the mean over the
        pairs is their mean over the samples that were held out.
    by_fold : ndarray of shape (n_folds, n_pairs)
        The AUC in each fold, NaN where it lacks one of both classes.
    """

    areas: Floats
    influences: Floats
    by_fold: Floats


def compute_fold_areas(scores: Floats, codes: Indices, folds: Indices, n_classes: int) -> FoldAreas:
    """The AUC of each pair of classes in one repeat, and the influence of each sample.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Scores of different folds are from different models, and never compared.
    codes, folds : ndarray of shape (n_samples,)
        The class of each sample, and the fold in which it was held out, −1 for none.
    n_classes : int
        The number of classes.

    Returns
    -------
    FoldAreas
        Each fold counts the same, however many samples it has.
    """
    pairs = np.array(list_pairs(n_classes), dtype=np.intp).reshape(-1, 2)
    members = list(iterate_folds(folds))
    # By class and other class: the AUC of both, the share of the deviation that a sample has.
    areas = np.full((len(members), n_classes, n_classes), np.nan)
    deviations = np.zeros((len(codes), n_classes))
    for number, fold in enumerate(members):
        of_class = codes[fold] == np.arange(n_classes)[:, None]
        sizes = of_class.sum(axis=1)
        placements = compute_placements(scores[fold], codes[fold])
        with np.errstate(invalid="ignore"):
            areas[number] = (of_class @ np.nan_to_num(placements)) / sizes[:, None]
        areas[number, :, sizes == 0] = np.nan
        gaps = (placements - areas[number, codes[fold]]) / sizes[codes[fold], None]
        deviations[fold] = np.nan_to_num(gaps)
    by_fold = areas[:, pairs[:, 0], pairs[:, 1]]
    n_folds = (~np.isnan(areas)).sum(axis=0)
    of_pairs = np.full(len(pairs), np.nan)
    held = n_folds[pairs[:, 0], pairs[:, 1]] > 0
    of_pairs[held] = np.nanmean(by_fold[:, held], axis=0)
    influences = (deviations / np.maximum(n_folds, 1)[codes]).sum(axis=1)
    scale = (folds >= 0).sum() / max(1, held.sum())
    return FoldAreas(of_pairs, influences * scale, by_fold)


def compute_delong_error(
    placements: Floats, codes: Indices, pair: tuple[int, int], units: Indices | None = None
) -> float | None:
    """The standard error of a pair's AUC by DeLong, DeLong and Clarke-Pearson (1988).

    Parameters
    ----------
    placements : ndarray of shape (n_samples, n_classes)
        From :func:`compute_placements`.
    codes : ndarray of shape (n_samples,)
        The class of each sample.
    pair : tuple of int
        Both classes.
    units : ndarray of shape (n_samples,), optional
        The group of each sample: the parts of a group are added before they are squared.

    Returns
    -------
    float or None
        None where a class, or the pair, has too few samples or groups to tell.
    """
    samples = [np.flatnonzero(codes == q) for q in pair]
    values = [placements[samples[0], pair[1]], placements[samples[1], pair[0]]]
    of_pair = np.concatenate(samples)
    if units is None or len(np.unique(units[of_pair])) == len(of_pair):
        if min(map(len, values)) < 2:
            return None
        return float(np.sqrt(sum(part.var(ddof=1) / len(part) for part in values)))
    parts = np.concatenate([(part - part.mean()) / len(part) for part in values])
    number = np.unique(units[of_pair], return_inverse=True)[1]
    sums = np.bincount(number, weights=parts)
    n_units = len(sums)
    if n_units < 2:
        return None
    return float(np.sqrt(n_units / (n_units - 1) * (sums**2).sum()))


def compute_roc(scores: Floats, codes: Indices, folds: Indices, positive: int) -> RocCurve | None:
    """The ROC curve of one class against all others: the mean sensitivity of all folds.

    Parameters
    ----------
    scores : ndarray of shape (n_repeats, n_samples)
        The scores of the class.
    codes : ndarray of shape (n_samples,)
        The class of each sample.
    folds : ndarray of shape (n_repeats, n_samples)
        The fold in which a sample was held out, −1 for none.
    positive : int
        The class.

    Returns
    -------
    RocCurve or None
        With two classes its area is the AUC. None if no fold holds the class and another one.
    """
    repeats = []
    for of_repeat, in_repeat in zip(scores, folds, strict=True):
        curves = []
        for fold in iterate_folds(in_repeat):
            is_positive = codes[fold] == positive
            if is_positive.any() and not is_positive.all():
                curves.append(_trace_corners(of_repeat[fold], is_positive))
        if curves:
            repeats.append(curves)
    if not repeats:
        return None
    rates = np.unique(np.concatenate([x for curves in repeats for x, _ in curves]).round(12))
    if len(rates) > MOST_POINTS // 2:
        rates = np.linspace(0, 1, MOST_POINTS // 2)
    by_repeat = np.array(
        [np.mean([_read_sides(rates, x, y) for x, y in curves], axis=0) for curves in repeats]
    )
    std = by_repeat.std(axis=0, ddof=1) if len(repeats) > 1 else np.zeros(2 * len(rates))
    return RocCurve(np.repeat(rates, 2), by_repeat.mean(axis=0), std)


def _trace_corners(scores: Floats, is_positive: Indices) -> tuple[Floats, Floats]:
    """False-positive rate and sensitivity at every cut, from none positive to all."""
    cuts = np.unique(scores)[::-1]
    positive, negative = np.sort(scores[is_positive]), np.sort(scores[~is_positive])
    sensitivity = 1 - np.searchsorted(positive, cuts, "left") / len(positive)
    rate = 1 - np.searchsorted(negative, cuts, "left") / len(negative)
    return np.concatenate([[0.0], rate]).round(12), np.concatenate([[0.0], sensitivity])


def _read_sides(rates: Floats, x: Floats, y: Floats) -> Floats:
    """A curve that may jump, just below and just above each rate, one after the other."""
    first, last = np.searchsorted(x, rates, "left"), np.searchsorted(x, rates, "right")
    between = np.interp(rates, x, y)
    is_corner = first < last
    below = np.where(is_corner, y[np.minimum(first, len(y) - 1)], between)
    above = np.where(is_corner, y[np.maximum(last - 1, 0)], between)
    return np.column_stack([below, above]).ravel()
