"""What to worry about before trusting a selection: short lines, each passed or not."""

from collections.abc import Iterator, Sequence, Sized
from functools import cached_property
from itertools import pairwise
from math import lgamma, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from s2fs._utils.checks import find_decisive_samples
from s2fs._utils.messages import format_count, join_words
from s2fs._utils.short_names import shorten_names
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.correlation import correlations
from s2fs.criteria.covariates import covariate_columns
from s2fs.criteria.problem import blocks
from s2fs.evaluation.comparison import MAJORITY, RANDOM, Comparison, name_all_features
from s2fs.evaluation.intervals import Difference
from s2fs.evaluation.samples import take_columns
from s2fs.selectors.base import fit_selector
from s2fs.selectors.pair_cover import PairCover

#: Two features with |r| of this or more are called redundant.
REDUNDANT = 0.9
#: A class with fewer samples is small.
SMALL_CLASS = 10
#: Selections in the folds with a Nogueira index below the first of these change too much to name
#: single features; from the second on they hardly change. Training sets of folds share most of
#: their samples: on halves of the samples the index is about half as large.
LOW_STABILITY, HIGH_STABILITY = 0.3, 0.75
#: A logarithm may help if positive values have a skewness above the first of these, and a median
#: below the second, as a share of the largest value.
SKEWED, LOW_MEDIAN = 2.0, 0.1
#: Ranks are worth trying if PairCover's criterion on them is this many times that on the values.
BETTER_BY_RANK = 1.8
#: Of tables with more values evenly spaced features are ranked.
_MOST_RANKED = 2_000_000
#: How many names a line holds, and how long each may be.
_MOST_NAMES, _LONGEST_NAME = 3, 30
#: A feature that separates the classes alone is no surprise if by chance so many would.
_MOST_BY_CHANCE = 0.05


class Check(NamedTuple):
    """One line of the list.

    Attributes
    ----------
    passed : bool
        Whether there is nothing to worry about.
    name : str
        What is checked, for machines: "majority", "random", "all_features", "others", "rising",
        "stability", "fragile", "redundant", "alone", "missing", "batch", "small_class", "skewed",
        "ranks", "repeated" or "identifier".
    text : str
        One sentence.
    """

    passed: bool
    name: str
    text: str

    def __str__(self) -> str:
        return f"{'✓' if self.passed else '!'} {self.text}"


class SelectionChecks:
    """What most often makes a selection worth less than it seems, for any number of its features.

    Parameters
    ----------
    values : ndarray or csc_array of shape (n_samples, n_features)
        The table, complete; of a sparse one a few columns at a time become dense.
    codes : ndarray of shape (n_samples,)
        The class of each sample as 0, 1, …
    indices : ndarray of int
        The selected features, in order.
    feature_names, class_names, sample_names : sequence of str
        What columns, classes and samples are called.
    comparison : Comparison, optional
        The evaluation of the selection.
    incomplete : ndarray or sparse array, optional
        The table with NaN where a value is missing.
    covariates : array-like or data frame of shape (n_samples, n_covariates), optional
        What the selection was adjusted for, such as batches.
    remarks : sequence of str
        What the reader of the file found about identifiers and repeated subjects.
    """

    def __init__(
        self,
        values: Any,
        codes: Indices,
        indices: Indices,
        *,
        feature_names: Sequence[str],
        class_names: Sequence[str],
        sample_names: Sequence[str],
        comparison: Comparison | None = None,
        incomplete: Any = None,
        covariates: Any = None,
        remarks: Sequence[str] = (),
    ) -> None:
        self._values, self._codes, self._indices = values, codes, indices
        self._class_names, self._sample_names = class_names, sample_names
        self._comparison, self._incomplete, self._remarks = comparison, incomplete, remarks
        self._covariates = covariates
        names = [str(feature_names[f]) for f in indices]
        short = shorten_names(names, _LONGEST_NAME)
        self._names = [short[name] for name in names]
        self._selected = take_columns(values, None, indices)

    def at(self, size: int | None = None) -> list[Check]:
        """The checks of the first features, the open ones first.

        Parameters
        ----------
        size : int, optional
            How many of them; by default all.

        Returns
        -------
        list of Check
            In the order of how much they matter.
        """
        first = self._selected[:, :size]
        names = self._names[:size]
        checks = [*self._check_scores(size)]
        checks.append(_check_fragile(first, self._codes, names, self._sample_names))
        checks.append(_check_redundant(first, names))
        checks.append(_check_alone(first, self._codes, names, self._values.shape[1]))
        checks.append(_check_missing(self._known[:, :size], names))
        checks += self._check_batches(names)
        checks += self._of_table
        if self._comparison is not None and self._comparison.repeated:
            checks.append(Check(False, "repeated", self._comparison.repeated))
        # A column made from the classes makes all other checks look good.
        return sorted(
            checks, key=lambda check: (check.passed, check.passed or check.name != "alone")
        )

    def _check_scores(self, size: int | None) -> Iterator[Check]:
        if self._comparison is None:
            return
        at = self._comparison
        if size is not None and size in at.by_size:
            at = at.at(size)
        if at.has_intervals:
            yield from _check_against_rows(at)
            if self._comparison.by_size:
                yield _check_rising(self._comparison, at)
        if at.rows[0].stability is not None:
            yield _check_stability(at.rows[0].stability)

    @cached_property
    def _known(self) -> NDArray[np.bool_]:
        """Which values of the selected features are not missing."""
        if self._incomplete is None:
            return np.ones(self._selected.shape, dtype=bool)
        given = take_columns(self._incomplete, None, self._indices)
        return ~np.isnan(given.astype(np.float64))

    def _check_batches(self, names: list[str]) -> Iterator[Check]:
        """Whether a feature is known in one batch only: then it tells the batch."""
        if self._covariates is None or self._known.all():
            return
        columns = covariate_columns(self._covariates, len(self._codes))
        phrases = []
        for covariate in columns.dtype.names or ():
            levels, of_sample = np.unique(columns[covariate], return_inverse=True)
            if columns[covariate].dtype.kind == "f" or len(levels) < 2:
                continue
            for name, known in zip(names, self._known.T, strict=False):
                seen = np.unique(of_sample[known])
                if len(seen) == 1:
                    phrases.append(f"{name} is known only in {covariate} {levels[seen[0]]}")
        if phrases:
            text = f"{'; '.join(phrases[:_MOST_NAMES])}{_count_more(phrases)}."
            yield Check(False, "batch", text)
        else:
            yield Check(True, "batch", "No selected feature is known in one batch only.")

    @cached_property
    def _of_table(self) -> list[Check]:
        """What is the same for every number of features."""
        checks = [
            _check_classes(self._codes, self._class_names),
            _check_skewed(self._values),
        ]
        if (np.bincount(self._codes) >= 2).sum() >= 2:  # else no criterion can be computed
            checks.append(_check_ranks(self._values, self._codes, len(self._indices)))
        return checks + [Check(False, "identifier", remark) for remark in self._remarks]


def _check_against_rows(at: Comparison) -> Iterator[Check]:
    """Better than guessing and random features, not worse than all features and other selectors."""
    first, metric = at.rows[0].selector, at.metric
    for row, key, phrase in (
        (MAJORITY, "majority", metric.guess_name),
        (RANDOM, "random", "random features"),
    ):
        gap = at.difference(first, row)
        relation = f"{gap.relation[0].upper()}{gap.relation[1:]}"
        text = f"{relation} {phrase} ({write_difference(at, gap)})."
        yield Check(gap.relation == "better than", key, text)
    everything = name_all_features(at.n_features_in)
    gap = at.difference(everything, first)
    passed = gap.relation != "better than"
    verb = "are not shown to do better" if passed else "do better"
    text = f"{everything[0].upper()}{everything[1:]} {verb}"
    yield Check(passed, "all_features", f"{text} ({write_difference(at, gap)}).")
    others = [row.selector for row in at.rows[1:] if row.seconds is not None]
    if not others:
        return
    gaps = {name: at.difference(name, first) for name in others}
    better = {name: gap for name, gap in gaps.items() if gap.relation == "better than"}
    if not better:
        yield Check(True, "others", "No other selector of this run is shown to do better.")
        return
    best = max(better, key=lambda name: better[name].value)  # of equal ones the first
    yield Check(False, "others", f"{best} does better ({write_difference(at, better[best])}).")


def write_difference(at: Comparison, gap: Difference) -> str:
    """A difference with its interval: ``+3.1, −0.4 to +6.6 points``."""
    unit = " points" if at.metric.unit else ""
    return f"{at.metric.write_difference(gap)}{unit}"


def _check_rising(comparison: Comparison, at: Comparison) -> Check:
    """Whether a larger number that was tried does better, or the largest is still rising."""
    first, size = at.rows[0].selector, at.size or 0
    for larger in reversed([other for other in comparison.sizes if other > size]):
        gap = at.metric.compare(comparison.at(larger).held_out[first], at.held_out[first])
        if gap is not None and gap.relation == "better than":
            text = f"{larger:,} features do better ({write_difference(at, gap)})."
            return Check(False, "rising", text)
    recommendation = comparison.recommendation
    is_largest = size == comparison.sizes[-1] and size < comparison.n_features_in
    if is_largest and recommendation is not None and recommendation.size == size:
        name = comparison.metric.name
        text = f"{name[:1].upper()}{name[1:]} is still rising at {format_count(size, 'feature')}."
        return Check(len(comparison.sizes) < 2, "rising", text)
    return Check(True, "rising", "More features are not shown to do better.")


def _check_stability(stability: float) -> Check:
    words = "mostly the same" if stability >= HIGH_STABILITY else "other"
    text = f"With other samples {words} features come ({stability:.2f}; 1 = always the same)."
    return Check(stability >= LOW_STABILITY, "stability", text)


def _check_alone(selected: Floats, codes: Indices, names: list[str], n_features: int) -> Check:
    """Whether the values of one feature keep all classes apart, more than chance does."""
    n_of_class = np.bincount(codes)
    n_of_class = n_of_class[n_of_class > 0]
    orders = lgamma(len(n_of_class) + 1) + sum(lgamma(n + 1) for n in n_of_class.tolist())
    by_chance = log(n_features) + orders - lgamma(len(codes) + 1)
    alone = []
    if by_chance <= log(_MOST_BY_CHANCE):
        alone = [
            name for name, column in zip(names, selected.T, strict=True) if _parts(column, codes)
        ]
    if not alone:
        return Check(True, "alone", "No selected feature alone separates the classes.")
    it = "it" if len(alone) == 1 else "each"
    text = f"{join_words(alone[:_MOST_NAMES])}{_count_more(alone)} alone"
    verb = "separates" if len(alone) == 1 else "separate"
    return Check(False, "alone", f"{text} {verb} the classes: was {it} made from them?")


def _parts(column: Floats, codes: Indices) -> bool:
    """Whether the ranges of all classes are apart."""
    ranges = sorted(
        (float(column[codes == q].min()), float(column[codes == q].max())) for q in np.unique(codes)
    )
    return all(high < low for (_, high), (low, _) in pairwise(ranges))


def _check_missing(known: NDArray[np.bool_], names: list[str]) -> Check:
    shares = 1 - known.mean(axis=0)
    missing = [f for f in np.argsort(-shares, kind="stable") if shares[f] > 0]
    if not missing:
        return Check(True, "missing", "No value of a selected feature is missing.")
    phrases = [f"{names[f]} {100 * shares[f]:.2g} %" for f in missing]
    text = f"Missing values: {', '.join(phrases[:_MOST_NAMES])}{_count_more(phrases)}."
    return Check(False, "missing", text)


def _check_fragile(
    selected: Floats, codes: Indices, names: list[str], sample_names: Sequence[str]
) -> Check:
    fragile = find_decisive_samples(selected, codes)
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
    passed = Check(True, "skewed", "No sign that a logarithm is needed.")
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
        # Two values, such as 0 and 1, have no scale to take a logarithm of.
        is_varying = ((part > part.min(axis=0)) & (part < largest)).any(axis=0)
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
        return Check(True, "ranks", "Ranks would not help.")
    return Check(
        False,
        "ranks",
        f"Ranks separate the classes {ratio:.1f} times as well as values do: "
        'PairCover(scale="rank") may select better.',
    )


def count_passed(checks: Sequence[dict[str, Any]]) -> str:
    """What is said of the checks that are not listed: ``7 checks passed``."""
    n_passed = sum(check["passed"] for check in checks)
    return f"{format_count(n_passed, 'check')} passed"


def as_dicts(checks: Sequence[Check]) -> list[dict[str, Any]]:
    """The checks as plain values, which JSON can hold."""
    return [check._asdict() for check in checks]
