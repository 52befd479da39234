"""What a second cohort says of a panel: one word, and the numbers behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.messages import format_count
from s2fs._utils.public import set_module
from s2fs._utils.text_table import PAGE_WIDTH, format_table
from s2fs._utils.types import Floats, Indices
from s2fs.evaluation.areas import RocCurve
from s2fs.evaluation.checks import Check, as_dicts, count_passed
from s2fs.evaluation.intervals import (
    Difference,
)
from s2fs.evaluation.metrics import (
    METRICS,
    Estimate,
)
from s2fs.panel.calibration import Calibration


class Measure(NamedTuple):
    """One metric of the new samples.

    Attributes
    ----------
    key : str
        Its name for machines, such as "balanced_accuracy".
    name : str
        Its name, with the class that it is about.
    cut : str
        How classes were decided: "class shares", "0.5", "uses these labels", "90 % specificity", or
        nothing.
    estimate : Estimate
        The value with its interval.
    first : Estimate or None
        The same of held-out samples of the first cohort, where the file holds it.
    """

    key: str
    name: str
    cut: str
    estimate: Estimate
    first: Estimate | None = None


class CohortFeature(NamedTuple):
    """One feature of the panel in both cohorts.

    Attributes
    ----------
    name : str
        The feature.
    origin : str
        The column it was taken from; empty if all samples have its median.
    class_name : str
        The class it is compared for: of two the positive one, of more the one it tells best.
    first, second : float or None
        How often a sample of the class has the larger value than one of the others, in the first
        and in the second cohort; above 0.5 the feature is high in the class.
    shift : float or None
        How far its mean has moved, in standard deviations of the training samples.
    """

    name: str
    origin: str
    class_name: str
    first: float
    second: float | None
    shift: float | None

    @property
    def is_reversed(self) -> bool:
        """Whether it is high in the class in one cohort, and low in the other."""
        return self.second is not None and (self.first - 0.5) * (self.second - 0.5) < 0


@set_module("s2fs.panel")
@dataclass(frozen=True, eq=False)
class Validation:
    """What a second cohort says of a panel; prints as a sentence with a table below it.

    Attributes
    ----------
    word : {"holds", "works", "lower", "cannot be told", "lost", "reversed", "cannot be judged"}
        The one word.
    sentence : str
        The same with the numbers behind it.
    auc, auc_first : Estimate or None
        The AUC in the new samples, and of held-out samples of the first cohort over the same
        classes.
    difference : Difference or None
        Of both.
    auc_other_way : Estimate or None
        With rescaling the AUC without it and the other way round, if they differ by more than
        0.02.
    is_rescaled : bool
        Whether features were standardised by the means of the new samples.
    classes : list of str
        The classes of the panel.
    class_sizes, first_class_sizes : list of int
        How many samples each has, in the second and in the first cohort.
    n_units : int
        How many samples there are, or groups of them.
    is_grouped : bool
        Whether there are groups.
    positive : int
        Of two classes the position of the one that sensitivity is about.
    measures : list of Measure
        All metrics with their intervals.
    confusion : ndarray of shape (n_classes, n_classes)
        How many samples of a class (rows) were given each class, by the largest probability.
    calibration : Calibration or None
        Whether probabilities are right, of two classes and enough samples.
    features : list of CohortFeature
        Each feature in both cohorts.
    curves, first_curves : dict of str to RocCurve
        ROC curves by class, of two classes that of the positive one.
    checks : list of Check
        What to look at.
    notes : list of str
        What was done to the table.
    codes : ndarray of shape (n_samples,)
        The class of each new sample.
    probabilities : ndarray of shape (n_samples, n_classes)
        What the panel says of it.
    sample_names : list of str
        What the samples are called.
    """

    word: str
    sentence: str
    auc: Estimate | None
    auc_first: Estimate | None
    difference: Difference | None
    auc_other_way: Estimate | None
    is_rescaled: bool
    classes: list[str]
    class_sizes: list[int]
    first_class_sizes: list[int]
    n_units: int
    is_grouped: bool
    positive: int
    measures: list[Measure]
    confusion: NDArray[np.int_]
    calibration: Calibration | None
    features: list[CohortFeature]
    curves: Mapping[str, RocCurve]
    first_curves: Mapping[str, RocCurve]
    checks: list[Check]
    notes: list[str]
    codes: Indices = field(repr=False)
    probabilities: Floats = field(repr=False)
    sample_names: list[str] = field(repr=False)

    @property
    def n_samples(self) -> int:
        """The number of new samples of classes of the panel."""
        return len(self.codes)

    @property
    def title(self) -> str:
        """What was validated on what."""
        features = format_count(len(self.features), "feature")
        samples = format_count(self.n_samples, "new sample")
        of = f" of {self.n_units} groups" if self.is_grouped else ""
        return f"A panel of {features} on {samples}{of} ({describe_sizes(self)}):"

    def columns(self) -> dict[str, list[str]]:
        """The table of metrics as text.

        Returns
        -------
        dict of str to list of str
            A column for each heading.
        """
        rows = [write_measure(one) for one in self.measures]
        headings = ("", "cut", "new samples", "95 % interval", "first cohort")
        columns = {heading: [row[i] for row in rows] for i, heading in enumerate(headings)}
        if not any(columns["first cohort"]):
            del columns["first cohort"]
        return columns

    def feature_columns(self) -> dict[str, list[str]]:
        """The table of features as text.

        Returns
        -------
        dict of str to list of str
            A column for each heading.
        """
        return {
            "feature": [one.name for one in self.features],
            "class": [one.class_name for one in self.features],
            "AUC, first": [f"{one.first:.2f}" for one in self.features],
            "AUC, new": [
                "" if one.second is None else f"{one.second:.2f}" for one in self.features
            ],
            "shift, s.d.": [
                "" if one.shift is None else f"{one.shift:+.1f}".replace("-", "−")
                for one in self.features
            ],
            "": [describe_travel(one) for one in self.features],
        }

    def lines(self) -> list[str]:
        """Return the sentences below the table of metrics.

        Returns
        -------
        list of str
            Shares of the classes, the AUC the other way, calibration, and the notes.
        """
        found = [describe_shares(self)]
        if self.auc_other_way is not None:
            metric, (value, low, high, _) = METRICS["auc"], self.auc_other_way
            way = "As the values are" if self.is_rescaled else "Rescaled by the new samples"
            found.append(f"{way}: {metric.write(value)} ({metric.write_interval(low, high)}).")
        if self.calibration is not None:
            found.append(self.calibration.sentence)
        return [*found, *self.notes]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, which JSON can hold.

        Returns
        -------
        dict
            ``word``, ``sentence``, ``auc``, ``auc_first``, ``difference``, ``measures``,
            ``confusion``, ``calibration``, ``features``, ``checks``, ``notes`` and the numbers of
            samples.
        """

        def plain(one: Any) -> Any:
            return None if one is None else {name: value for name, value in one._asdict().items()}

        return {
            "word": self.word,
            "sentence": self.sentence,
            "n_samples": self.n_samples,
            "n_units": self.n_units,
            "grouped": self.is_grouped,
            "classes": self.classes,
            "class_sizes": self.class_sizes,
            "first_class_sizes": self.first_class_sizes,
            "positive": self.classes[self.positive] if len(self.classes) == 2 else None,
            "rescaled": self.is_rescaled,
            "auc": plain(self.auc),
            "auc_first": plain(self.auc_first),
            "auc_other_way": plain(self.auc_other_way),
            "difference": plain(self.difference),
            "measures": [
                {**plain(one), "estimate": plain(one.estimate), "first": plain(one.first)}
                for one in self.measures
            ],
            "confusion": self.confusion.tolist(),
            "calibration": None if self.calibration is None else self.calibration.to_dict(),
            "features": [{**plain(one), "reversed": one.is_reversed} for one in self.features],
            "checks": as_dicts(self.checks),
            "notes": list(map(str, self.notes)),
        }

    def __str__(self) -> str:
        lines = [fill(self.sentence, PAGE_WIDTH), "", fill(self.title, PAGE_WIDTH), ""]
        for columns, numbers in self._tables():
            lines += [*format_table(columns, numbers=numbers), ""]
        lines += [fill(text, PAGE_WIDTH) for text in self.lines()]
        lines += [fill(str(check), PAGE_WIDTH) for check in self.checks if not check.passed]
        lines.append(f"✓ {count_passed(as_dicts(self.checks))}")
        return "\n".join(lines)

    def _tables(self) -> list[tuple[dict[str, list[str]], list[str]]]:
        metrics, features = self.columns(), self.feature_columns()
        return [(metrics, list(metrics)[2:]), (features, list(features)[2:5])]

    def _repr_html_(self) -> str:
        def make_row(tag: str, cells: Sequence[str]) -> str:
            return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

        tables = ""
        for columns, _ in self._tables():
            body = "".join(make_row("td", cells) for cells in zip(*columns.values(), strict=True))
            head = make_row("th", list(columns))
            tables += f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
        rest = [*self.lines(), *map(str, (check for check in self.checks if not check.passed))]
        notes = "".join(f"<p>{escape(note)}</p>" for note in rest)
        return f"<p><b>{escape(self.sentence)}</b></p><p>{escape(self.title)}</p>{tables}{notes}"


# How it is written ------------------------------------------------------------------------------


def describe_sizes(found: Validation) -> str:
    """How many new samples each class has: ``BL 3, EWS 6``."""
    pairs = zip(found.classes, found.class_sizes, strict=True)
    return ", ".join(f"{name} {size}" for name, size in pairs)


def write_measure(one: Measure) -> tuple[str, str, str, str, str]:
    """Name, cut, value, interval and the value of the first cohort."""
    metric = METRICS["auc"] if one.key == "auc" else METRICS["accuracy"]

    def write(estimate: Estimate) -> str:
        return f"{metric.format(estimate.value)} {metric.unit}".rstrip()

    _, low, high, _ = one.estimate
    first = "" if one.first is None else write(one.first)
    return one.name, one.cut, write(one.estimate), metric.write_interval(low, high), first


def describe_travel(one: CohortFeature) -> str:
    """What became of a feature in the second cohort."""
    if not one.origin:
        return "missing: training median"
    if one.is_reversed:
        return "other direction"
    return f"from {one.origin}" if one.origin != one.name else ""


def describe_shares(found: Validation) -> str:
    """The shares of the classes in both cohorts."""
    n_first, n_second = sum(found.first_class_sizes), max(1, found.n_samples)
    parts = [
        f"{name} {first / n_first:.0%} and {second / n_second:.0%}"
        for name, first, second in zip(
            found.classes, found.first_class_sizes, found.class_sizes, strict=True
        )
    ]
    return f"Shares of the classes in the first cohort and in the new samples: {', '.join(parts)}."
