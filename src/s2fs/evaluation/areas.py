"""What scores are worth whatever the cut: AUC inside folds, its influence values, ROC curves.

With more than two classes the AUC is the mean over all pairs of classes (Hand and Till 2001), which
does not change with the shares of the classes. A pair a < b has two AUCs, of the scores of a and of
the scores of b among the samples of both, and its own is their mean.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from s2fs._utils.types import Floats, Indices

#: The most points of a curve that is drawn or written to a file.
MOST_POINTS = 101


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


def list_pairs(n_classes: int) -> list[tuple[int, int]]:
    """Each pair of classes, in order."""
    return list(combinations(range(n_classes), 2))


def compute_placements(positive: Floats, negative: Floats) -> tuple[Floats, Floats]:
    """For each score the share of the other class that it is on the right side of, half if equal.

    The mean of either is the AUC.
    """
    below = _compute_share_below(positive, negative)
    above = 1 - _compute_share_below(negative, positive)
    return below, above


def _compute_share_below(values: Floats, others: Floats) -> Floats:
    ordered = np.sort(others)
    twice = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    return np.asarray(twice / (2 * len(others)), dtype=np.float64)


def compute_pair_placements(scores: Floats, codes: Indices, pair: tuple[int, int]) -> Floats:
    """The placement of each sample of a pair of classes, NaN for samples of the others.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        One score for each class, larger for samples of it.
    codes : ndarray of shape (n_samples,)
        The class of each sample.
    pair : tuple of int
        Two classes, both of which are there.

    Returns
    -------
    ndarray of shape (n_samples,)
        The mean over both scores; its mean over the samples of either class is the pair's AUC.
    """
    of_first, of_second = (codes == q for q in pair)
    first, second = pair
    placements = np.full(len(codes), np.nan)
    below_1, above_1 = compute_placements(scores[of_first, first], scores[of_second, first])
    below_2, above_2 = compute_placements(scores[of_second, second], scores[of_first, second])
    placements[of_first] = (below_1 + above_2) / 2
    placements[of_second] = (above_1 + below_2) / 2
    return placements


def iterate_folds(folds: Indices) -> Iterator[Indices]:
    """The samples of each fold of a repeat; −1 is in none."""
    for fold in np.unique(folds[folds >= 0]):
        yield np.flatnonzero(folds == fold)


def compute_fold_areas(
    scores: Floats, codes: Indices, folds: Indices, n_classes: int
) -> tuple[Floats, Floats, Floats]:
    """The AUC of each pair of classes in one repeat, and the influence of each sample on it.

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
    areas : ndarray of shape (n_pairs,)
        The mean over the folds that hold both classes; NaN if there is none.
    influences : ndarray of shape (n_pairs, n_samples)
        Of LeDell, Petersen and van der Laan (2015): to first order the error of the AUC is their
        mean over the samples that were held out. 0 for samples of other classes, and of folds
        without one of both.
    by_fold : ndarray of shape (n_folds, n_pairs)
        The AUC in each fold, NaN where it lacks one of both classes.
    """
    pairs = list_pairs(n_classes)
    areas = np.full(len(pairs), np.nan)
    influences = np.zeros((len(pairs), len(codes)))
    n_held_out = int((folds >= 0).sum())
    members = list(iterate_folds(folds))
    by_fold = np.full((len(members), len(pairs)), np.nan)
    for p, pair in enumerate(pairs):
        for number, fold in enumerate(members):
            in_fold = codes[fold]
            sizes = [int((in_fold == q).sum()) for q in pair]
            if not all(sizes):
                continue
            placements = compute_pair_placements(scores[fold], in_fold, pair)
            area = placements[in_fold == pair[0]].mean()
            by_fold[number, p] = area
            for q, size in zip(pair, sizes, strict=True):
                # Each fold counts the same, however many samples it has.
                influences[p, fold[in_fold == q]] = (placements[in_fold == q] - area) * (
                    n_held_out / size
                )
        n_folds = int((~np.isnan(by_fold[:, p])).sum())
        if n_folds:
            areas[p] = np.nanmean(by_fold[:, p])
            influences[p] /= n_folds
    return areas, influences, by_fold


def compute_delong_error(
    placements: Floats, codes: Indices, pair: tuple[int, int], units: Indices | None = None
) -> float | None:
    """The standard error of a pair's AUC by DeLong, DeLong and Clarke-Pearson (1988).

    Parameters
    ----------
    placements : ndarray of shape (n_samples,)
        From :func:`compute_pair_placements`.
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
    classes = [codes == q for q in pair]
    sizes = [int(members.sum()) for members in classes]
    of_pair = classes[0] | classes[1]
    if units is None or len(np.unique(units[of_pair])) == of_pair.sum():
        if min(sizes) < 2:
            return None
        parts = [placements[members].var(ddof=1) / members.sum() for members in classes]
        return float(np.sqrt(sum(parts)))
    parts_of = np.zeros(len(codes))
    for members, size in zip(classes, sizes, strict=True):
        parts_of[members] = (placements[members] - placements[members].mean()) / size
    number = np.unique(units[of_pair], return_inverse=True)[1]
    sums = np.bincount(number, weights=parts_of[of_pair])
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
