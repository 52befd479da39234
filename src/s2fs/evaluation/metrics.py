"""The metrics of held-out samples: what each is called, how it is written, computed and compared.

A metric is one entry of :data:`METRICS`; every surface asks it for its name, unit and format.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.types import Floats, Indices
from s2fs.evaluation.areas import (
    FoldAreas,
    RocCurve,
    compute_fold_areas,
    compute_roc,
    list_pairs,
)
from s2fs.evaluation.intervals import (
    TOLERANCE,
    Difference,
    Z,
    compare_areas,
    compare_right,
    compare_with_guess,
    compute_auc_interval,
    compute_fold_factor,
    compute_mean_variance,
    compute_wilson_interval,
    count_over_classes,
    count_units,
    sum_by_unit,
)

#: The specificity at which a sensitivity is shown.
SPECIFICITY = 0.9


class Estimate(NamedTuple):
    """A metric of one row.

    Attributes
    ----------
    value : float
        The mean over the repeats.
    low, high : float
        Its 95 % interval.
    se : float
        Its standard error: half the width of the interval over 1.96.
    """

    value: float
    low: float
    high: float
    se: float


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What one row of a comparison said of each sample when it was held out.

    Attributes
    ----------
    codes : ndarray of shape (n_samples,)
        The class of each sample as 0, 1, …
    units : ndarray of shape (n_samples,)
        The number of the group of each sample; without groups every sample is one of its own.
    predicted : ndarray of shape (n_repeats, n_samples)
        The class of the largest probability, −1 where a sample was not held out.
    scores : ndarray of shape (n_repeats, n_samples, n_classes) or None
        One score for each class, NaN where not held out; None from a learner without any.
    folds : ndarray of shape (n_repeats, n_samples)
        The fold, as 0, 1, …, in which a sample was held out, −1 for none.
    shares : ndarray of shape (n_repeats, n_folds, n_classes) or None
        The share of each class in the weights that the model of a fold was fitted with. None, or
        without scores: the class of the largest probability is the decision everywhere.
    n_classes, n_splits : int
        The number of classes, and of folds in a repeat.
    positive : int
        The class that sensitivity is about.
    """

    codes: Indices
    units: Indices
    predicted: Indices
    scores: Floats | None
    folds: Indices
    shares: Floats | None
    n_classes: int
    n_splits: int
    positive: int = 1

    @property
    def n_repeats(self) -> int:
        """The number of repeats."""
        return len(self.predicted)

    @cached_property
    def is_held_out(self) -> NDArray[np.bool_]:
        """Which samples were held out at least once."""
        return np.asarray((self.predicted >= 0).any(axis=0))

    @cached_property
    def n_units(self) -> int:
        """How many units were held out."""
        return len(np.unique(self.units[self.is_held_out]))

    @cached_property
    def predicted_by_share(self) -> Indices:
        """The class of the largest probability divided by its share of the training weights."""
        if self.scores is None or self.shares is None:
            return self.predicted
        repeats = np.arange(self.n_repeats)[:, None]
        shares = self.shares[repeats, np.maximum(self.folds, 0)]
        decided = decide_by_share(self.scores, shares, self.positive)
        return np.where(self.predicted >= 0, decided, -1)

    @cached_property
    def fold_areas(self) -> list[FoldAreas]:
        """The AUCs of each repeat; none without scores."""
        if self.scores is None:
            return []
        return [
            compute_fold_areas(scores, self.codes, folds, self.n_classes)
            for scores, folds in zip(self.scores, self.folds, strict=True)
        ]

    @property
    def pair_areas(self) -> Floats:
        """The AUC of each repeat for each pair of classes, NaN where no fold holds both."""
        return np.array([of_repeat.areas for of_repeat in self.fold_areas])

    def compute_roc(self, positive: int) -> RocCurve | None:
        """The ROC curve of one class against the others, the mean over all folds.

        Parameters
        ----------
        positive : int
            The class.

        Returns
        -------
        RocCurve or None
            None without scores, or if no fold holds the class and another one.
        """
        if self.scores is None:
            return None
        return compute_roc(self.scores[..., positive], self.codes, self.folds, positive)

    @property
    def missing_pairs(self) -> list[tuple[int, int]]:
        """The pairs of classes that no fold holds, which the AUC leaves out."""
        if self.scores is None:
            return []
        found = ~np.isnan(self.pair_areas)
        return [pair for p, pair in enumerate(list_pairs(self.n_classes)) if not found[:, p].any()]


def decide_by_share(scores: Floats, shares: Floats, positive: int = 1) -> Indices:
    """The class of the largest score divided by the class's share of the training weights.

    Parameters
    ----------
    scores, shares : ndarray of shape (..., n_classes)
        Probabilities, and shares of the classes.
    positive : int
        Of two classes the one that is meant where both quotients are equal: its score is at the
        cut. Of more classes the first one is.

    Returns
    -------
    ndarray of int
        One class for each sample.
    """
    if scores.shape[-1] == 2:
        cut = shares[..., positive] / shares.sum(axis=-1)
        return np.where(scores[..., positive] >= cut, positive, 1 - positive)
    return np.asarray(np.argmax(scores / shares, axis=-1))


@dataclass(frozen=True)
class Metric(ABC):
    """A metric, as every surface shows it.

    Attributes
    ----------
    key : str
        Its name in Python and JSON.
    name : str
        Its name in a sentence.
    decision : {"argmax", "class share", "scores"}
        What is judged: the class of the largest probability, the class of the largest probability
        divided by the class's share of the training weights, or the scores themselves.
    guess : callable or None
        What chance reaches, from the shares of the classes; None where it has no one value.
    guess_name : str
        What is said of it: "beat guessing the largest class".
    is_of_positive : bool
        Whether it is for two classes, and about the positive one.
    short_name : str
        What stands above a column, if not its name.
    """

    key: str
    name: str
    decision: Literal["argmax", "class share", "scores"]
    guess: Callable[[Floats], float] | None = None
    guess_name: str = "chance"
    is_of_positive: bool = False
    short_name: str = ""

    #: ``"%"`` of a share of samples, nothing of an area.
    unit: ClassVar[str] = "%"
    #: How much one is in the unit, and how many digits it has after the point.
    scale: ClassVar[float] = 100.0
    n_digits: ClassVar[int] = 1
    #: The same where a guess stands beside it.
    n_coarse_digits: ClassVar[int] = 0
    #: The value which a limit must not seem to reach, where it has no sign.
    border: ClassVar[float | None] = None

    # What it is

    @abstractmethod
    def compute_by_repeat(self, held_out: HeldOut) -> Floats:
        """The value of each repeat, NaN where it has none."""

    @abstractmethod
    def estimate(self, held_out: HeldOut) -> Estimate | None:
        """The mean over the repeats with its interval; None where there is nothing to show."""

    @abstractmethod
    def compare(self, a: HeldOut, b: HeldOut) -> Difference | None:
        """How much larger the value of ``a`` is than that of ``b``, on the same folds."""

    def compute_guess(self, codes: Indices, n_classes: int) -> float | None:
        """What guessing reaches on samples of these classes."""
        if self.guess is None:
            return None
        return self.guess(np.bincount(codes, minlength=n_classes) / len(codes))

    def compare_with_guess(self, estimate: Estimate, guess: float) -> Difference:
        """How much larger a value is than what guessing reaches."""
        return compare_with_guess(estimate.value, estimate.low, estimate.high, guess)

    # How it is written

    def describe(self, positive: str | None = None) -> str:
        """Its name, with the class that it is about: ``sensitivity for malignant``."""
        return f"{self.name} for {positive}" if self.is_of_positive and positive else self.name

    @property
    def heading(self) -> str:
        """What stands above a column."""
        return self.short_name or self.name

    def format(self, value: float) -> str:
        """A value without its unit: ``97.6``, ``0.93``."""
        return f"{self.scale * value:.{self.n_digits}f}"

    def format_limit(self, limit: float) -> str:
        """A limit of an interval, with as many digits as it takes to be off the border."""
        if self.border is None or abs(limit - self.border) <= TOLERANCE:
            return self.format(limit)
        return self._format_apart(limit, self.border)

    def format_signed(self, difference: float) -> str:
        """A difference with its sign, none if it is zero: ``+3.1``, ``−0.02``, ``0.0``."""
        text = f"{self.scale * abs(difference):.{self.n_digits}f}"
        return self._sign(text, difference)

    def format_signed_limit(self, limit: float) -> str:
        """A limit of a difference, with as many digits as it takes not to seem zero."""
        if abs(limit) <= TOLERANCE:
            return self.format(0.0)
        return self._sign(self._format_apart(abs(limit), 0.0), limit)

    def format_unsigned_limit(self, limit: float) -> str:
        """The size of a limit of a difference, where a word says which way it goes."""
        return self.format_signed_limit(abs(limit)).lstrip("+")

    def write(self, value: float) -> str:
        """A value with its unit, or with its name if it has none: ``97.6 %``, ``AUC 0.93``."""
        return f"{self.format(value)} %" if self.unit else f"{self.name} {self.format(value)}"

    def write_named(self, value: float) -> str:
        """A value with its name: ``accuracy 97.6 %``, ``AUC 0.93``."""
        return f"{self.name} {self.write(value)}" if self.unit else self.write(value)

    def write_interval(self, low: float, high: float) -> str:
        """An interval: ``92.0 to 99.4``."""
        return f"{self.format_limit(low)} to {self.format_limit(high)}"

    def write_difference(self, difference: Difference) -> str:
        """A difference with its interval: ``+3.2, +0.4 to +6.0``."""
        value, low, high = difference
        limits = f"{self.format_signed_limit(low)} to {self.format_signed_limit(high)}"
        return f"{self.format_signed(value)}, {limits}"

    def write_against(self, value: float, guess: float) -> str:
        """A value beside what guessing reaches: ``58 % against 50 %``."""
        text = f"{self.scale * value:.{self.n_coarse_digits}f}"
        if not self.unit:
            return f"{self.name} {text} against {guess:g}"
        return f"{text} % against {self.scale * guess:.{self.n_coarse_digits}f} %"

    def _format_apart(self, value: float, other: float) -> str:
        n_digits = self.n_digits
        while float(text := f"{self.scale * value:.{n_digits}f}") == self.scale * other:
            n_digits += 1
        return text

    def _sign(self, text: str, value: float) -> str:
        if float(text) == 0:
            return text
        return ("−" if value < 0 else "+") + text


@dataclass(frozen=True)
class RightShare(Metric):
    """A share of right answers, or a mean of such shares in which each stratum counts the same.

    Attributes
    ----------
    strata : callable
        From what was held out, which samples each stratum has: (n_strata, n_samples).
    """

    strata: Callable[[HeldOut], NDArray[np.bool_]] = lambda held_out: held_out.is_held_out[None]

    def find_right(self, held_out: HeldOut) -> Floats:
        """1 where the row was right, 0 where it was wrong, NaN where it was not asked."""
        if self.decision == "class share":
            predicted = held_out.predicted_by_share
        else:
            predicted = held_out.predicted
        is_asked = (predicted >= 0) & self._find_strata(held_out).any(axis=0)
        return np.where(is_asked, predicted == held_out.codes, np.nan)

    def _find_strata(self, held_out: HeldOut) -> NDArray[np.bool_]:
        """The strata that have samples which were held out."""
        strata = self.strata(held_out) & held_out.is_held_out
        return np.asarray(strata[strata.any(axis=1)])

    def compute_by_repeat(self, held_out: HeldOut) -> Floats:
        """The value of each repeat, NaN where it has none."""
        right, strata = self.find_right(held_out), self._find_strata(held_out)
        values = np.full(held_out.n_repeats, np.nan)
        for repeat, answers in enumerate(right):
            asked = ~np.isnan(answers)
            shares = [
                answers[members & asked].mean() for members in strata if (members & asked).any()
            ]
            if shares:
                values[repeat] = np.mean(shares)
        return values

    def compute_n(self, held_out: HeldOut, *, grouped: bool = True) -> float:
        """The number of independent samples that the interval has.

        Parameters
        ----------
        held_out : HeldOut
            What was held out.
        grouped : bool
            Whether groups count as they are; otherwise as if they were all equal.

        Returns
        -------
        float
            Of the strata, times what cross-validation leaves.
        """
        sizes = []
        for members in self._find_strata(held_out):
            in_unit = np.unique(held_out.units[members], return_counts=True)[1]
            sizes.append(count_units(in_unit) if grouped else len(in_unit))
        return compute_fold_factor(held_out.n_splits, held_out.n_repeats) * count_over_classes(
            sizes
        )

    def estimate(self, held_out: HeldOut) -> Estimate | None:
        """The mean over the repeats with its interval; None where there is nothing to show."""
        by_repeat = self.compute_by_repeat(held_out)
        if np.isnan(by_repeat).all():
            return None
        value = float(np.nanmean(by_repeat))
        return make_estimate(value, *compute_wilson_interval(value, self.compute_n(held_out)))

    def compare(self, a: HeldOut, b: HeldOut) -> Difference | None:
        """How much larger the value of ``a`` is than that of ``b``, on the same folds."""
        strata = self._find_strata(a)
        if not len(strata):
            return None
        sizes = strata.sum(axis=1)
        weights = (strata / sizes[:, None]).sum(axis=0) * (strata.any(axis=0).sum() / len(strata))
        return compare_right(self.find_right(a), self.find_right(b), a.units, weights, a.folds)


@dataclass(frozen=True)
class RankArea(Metric):
    """The area under the ROC curve inside the folds, the mean over all pairs of classes."""

    unit: ClassVar[str] = ""
    scale: ClassVar[float] = 1.0
    n_digits: ClassVar[int] = 2
    n_coarse_digits: ClassVar[int] = 2
    border: ClassVar[float | None] = 0.5

    def compute_by_repeat(self, held_out: HeldOut) -> Floats:
        """The value of each repeat, NaN where it has none."""
        if held_out.scores is None:
            return np.full(held_out.n_repeats, np.nan)
        areas = held_out.pair_areas
        held = ~np.isnan(areas).all(axis=0)
        if not held.any():
            return np.full(held_out.n_repeats, np.nan)
        return np.asarray(areas[:, held].mean(axis=1))  # NaN of a repeat that lacks a pair

    def estimate(self, held_out: HeldOut) -> Estimate | None:
        """The mean over the repeats with its interval; None where there is nothing to show."""
        if held_out.scores is None:
            return None
        kept = held_out.is_held_out
        value, low, high = compute_auc_interval(
            held_out.pair_areas,
            count_pair_units(held_out.codes[kept], held_out.units[kept], held_out.n_classes),
            held_out.n_splits,
            held_out.n_units,
        )
        return None if np.isnan(value) else make_estimate(value, low, high)

    def compare(self, a: HeldOut, b: HeldOut) -> Difference | None:
        """How much larger the value of ``a`` is than that of ``b``, on the same folds."""
        if a.scores is None or b.scores is None:
            return None
        gaps = [
            FoldAreas(*(x - y for x, y in zip(of_a, of_b, strict=True)))
            for of_a, of_b in zip(a.fold_areas, b.fold_areas, strict=False)  # what both have
        ]
        areas = np.array([gap.areas for gap in gaps])
        held = ~np.isnan(areas).all(axis=0)
        if not held.any():
            return None
        kept = a.is_held_out
        by_unit = [sum_by_unit(gap.influences[kept], a.units[kept]) for gap in gaps]
        by_repeat = areas[:, held].mean(axis=1)
        by_fold = np.concatenate([gap.by_fold[:, held].mean(axis=1) for gap in gaps])
        return compare_areas(
            float(np.nanmean(areas[:, held], axis=0).mean()),
            by_repeat[~np.isnan(by_repeat)],
            np.array([compute_mean_variance(values) for values in by_unit]),
            a.n_units,
            compute_mean_variance(by_fold[~np.isnan(by_fold)]),
        )


def make_estimate(value: float, low: float, high: float) -> Estimate:
    """An estimate, with the standard error that its interval stands for."""
    return Estimate(value, low, high, (high - low) / (2 * Z))


def count_class_units(codes: Indices, units: Indices, n_classes: int) -> Indices:
    """How many units have a sample of each class."""
    return np.array([len(np.unique(units[codes == q])) for q in range(n_classes)])


def count_pair_units(codes: Indices, units: Indices, n_classes: int) -> Indices:
    """How many units each class of each pair has: (n_pairs, 2)."""
    counts = count_class_units(codes, units, n_classes)
    return counts[np.array(list_pairs(n_classes), dtype=np.intp).reshape(-1, 2)]


def _of_classes(held_out: HeldOut) -> NDArray[np.bool_]:
    return held_out.codes == np.arange(held_out.n_classes)[:, None]


def _of_positive(held_out: HeldOut) -> NDArray[np.bool_]:
    return (held_out.codes == held_out.positive)[None]


def _of_negative(held_out: HeldOut) -> NDArray[np.bool_]:
    return (held_out.codes != held_out.positive)[None]


SENSITIVITY = RightShare(
    "sensitivity", "sensitivity", "class share", strata=_of_positive, is_of_positive=True
)
#: Every metric by its key; the first three can be what a verdict is about.
METRICS: dict[str, Metric] = {
    metric.key: metric
    for metric in (
        RightShare(
            "accuracy",
            "accuracy",
            "argmax",
            guess=lambda shares: float(shares.max()),
            guess_name="guessing the largest class",
        ),
        RightShare(
            "balanced_accuracy",
            "balanced accuracy",
            "class share",
            guess=lambda shares: 1 / int((shares > 0).sum()),
            short_name="balanced",
            strata=_of_classes,
        ),
        RankArea("auc", "AUC", "scores", guess=lambda shares: 0.5),
        SENSITIVITY,
        RightShare(
            "specificity", "specificity", "class share", strata=_of_negative, is_of_positive=True
        ),
    )
}
#: What a verdict can be about.
SCORINGS = ("accuracy", "balanced_accuracy", "auc")


class SensitivityAtSpecificity(NamedTuple):
    """The sensitivity at a given specificity, where the cut is chosen inside each repeat.

    Attributes
    ----------
    estimate : Estimate
        The sensitivity.
    cut : float
        The median of the repeats' cuts: a sample is positive if its score is as large.
    cuts : ndarray of shape (n_repeats,)
        The cut of each repeat.
    """

    estimate: Estimate
    cut: float
    cuts: Floats


def find_sensitivity_at(
    held_out: HeldOut, specificity: float = SPECIFICITY
) -> SensitivityAtSpecificity | None:
    """The sensitivity where this share of the negative samples is told.

    Parameters
    ----------
    held_out : HeldOut
        Of two classes, with scores; here the folds of a repeat are pooled.
    specificity : float
        At least this share of the negative samples of a repeat is below its cut.

    Returns
    -------
    SensitivityAtSpecificity or None
        None without scores, or where a class was not held out.
    """
    if held_out.scores is None or held_out.n_classes != 2:
        return None
    cuts, sensitivities = [], []
    for scores, predicted in zip(held_out.scores, held_out.predicted, strict=True):
        asked = predicted >= 0
        is_positive = held_out.codes[asked] == held_out.positive
        if is_positive.all() or not is_positive.any():
            return None
        of_positive = scores[asked, held_out.positive]
        cuts.append(_find_cut(of_positive, ~is_positive, specificity))
        sensitivities.append((of_positive[is_positive] >= cuts[-1]).mean())
    value = float(np.mean(sensitivities))
    limits = compute_wilson_interval(value, SENSITIVITY.compute_n(held_out))
    estimate = make_estimate(value, *limits)
    return SensitivityAtSpecificity(estimate, float(np.median(cuts)), np.array(cuts))


def _find_cut(scores: Floats, is_negative: NDArray[np.bool_], specificity: float) -> float:
    """The lowest cut with enough negative samples below it, halfway to the next score."""
    negative = np.sort(scores[is_negative])
    n_below = max(1, int(np.ceil(specificity * len(negative) - TOLERANCE)))
    last = negative[n_below - 1]
    next_cut = np.nextafter(last, np.inf)
    above = scores[scores > last]
    return float(max((last + above.min()) / 2, next_cut) if len(above) else next_cut)
