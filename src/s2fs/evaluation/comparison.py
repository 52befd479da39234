"""What a comparison found: estimates on held-out samples, differences, and the same in words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.features import Features
from s2fs._utils.messages import join_words
from s2fs._utils.text_table import PAGE_WIDTH, format_table
from s2fs._utils.types import Floats, Indices
from s2fs.evaluation.intervals import Difference, Relation
from s2fs.evaluation.metrics import (
    METRICS,
    SPECIFICITY,
    Estimate,
    HeldOut,
    Metric,
    RightShare,
    SensitivityAtSpecificity,
    find_sensitivity_at,
)
from s2fs.evaluation.sentences import Rival, Sentences, recommend_size, write_sentences

#: The names of the rows that frame every comparison, beside "all … features".
RANDOM, MAJORITY = "random features", "majority class"
#: What the learners are called in a sentence.
LEARNER_NAMES = {
    "knn": "5-NN",
    "svm": "SVM",
    "cart": "decision tree",
    "logistic": "logistic regression",
}


class ComparisonRow(NamedTuple):
    """One row of a comparison; None where there is nothing to say.

    Attributes
    ----------
    selector : str
        What the row is called.
    n_features : float
        The number of features, averaged over the folds.
    scores : dict of str to Estimate
        For each metric that has a value, by its key, the estimate on held-out samples.
    stability : float or None
        Nogueira's index of the sets selected in the folds.
    redundancy : float or None
        The mean |r| of two selected features.
    seconds : float or None
        How long a fit took, on average; None of rows that are no selectors.
    """

    selector: str
    n_features: float
    scores: Mapping[str, Estimate]
    stability: float | None
    redundancy: float | None
    seconds: float | None


class Recommendation(NamedTuple):
    """How many features do about as well as the best number of them, on the same folds.

    Attributes
    ----------
    size : int
        The smallest number at most two points below the best, and below five only if it is the
        best itself; larger than the number asked for only if that may matter.
    best : int
        The number with the best value.
    """

    size: int
    best: int


@dataclass(frozen=True, eq=False)
class Comparison:
    """What :func:`s2fs.compare` found; prints as a table with a verdict below it.

    Attributes
    ----------
    rows : list of ComparisonRow
        One for each selector, for all features, for random features and for the majority class.
    held_out : dict of str to HeldOut
        For each row but that of the majority class what was said of every sample when it was held
        out: its class, and a score for each class.
    selected : dict of str to list of ndarray
        For each selector the features of each fold, in order if it gives one. A feature has the
        number of its column; where several columns are one, features are numbered by the first.
    classes : ndarray of shape (n_classes,)
        The class labels, sorted.
    codes : ndarray of shape (n_samples,)
        For each sample the position of its label in ``classes``.
    units : ndarray of shape (n_samples,)
        The number of the group of each sample; without groups every sample is one of its own.
    learner : str
        What was trained on the selected features.
    scoring : {"accuracy", "balanced_accuracy", "auc"}
        The metric that the verdict is about.
    n_splits, n_repeats : int
        The number of folds in a repeat, and of repeats.
    n_features_in : int
        The number of features of the table.
    size : int or None
        The number of features asked for.
    positive : int
        Of two classes the position of the one that sensitivity is about.
    has_intervals : bool
        Whether the folds hold every sample out equally often; without that there are values alone.
    is_ordered : bool
        Whether fewer features of the first selector are the first of more.
    is_sampled : bool
        Whether the table is so large that only some of its samples took part.
    repeated : str
        What is said of samples that look measured more than once, if many do.
    group_name : str
        What the groups are, if that is known.
    covariate_names : list of str
        What the selection was adjusted for.
    features : Features or None
        Which columns are one feature; None if every column is one.
    notes : list of str
        What differs from what was asked for, such as fewer folds for a small class.
    by_size : dict of int to Comparison
        If several numbers of features were compared, the comparison of each.
    """

    rows: list[ComparisonRow]
    held_out: Mapping[str, HeldOut] = field(repr=False)
    selected: Mapping[str, list[Indices]] = field(repr=False)
    classes: NDArray[Any] = field(repr=False)
    codes: Indices = field(repr=False)
    units: Indices = field(repr=False)
    learner: str
    scoring: str
    n_splits: int
    n_repeats: int
    n_features_in: int
    size: int | None = None
    positive: int = 1
    has_intervals: bool = True
    is_ordered: bool = True
    is_sampled: bool = False
    repeated: str = ""
    group_name: str = ""
    covariate_names: Sequence[str] = ()
    features: Features | None = field(default=None, repr=False)
    notes: list[str] = field(default_factory=list)
    by_size: Mapping[int, "Comparison"] = field(default_factory=dict, repr=False)

    # What was compared

    @property
    def metric(self) -> Metric:
        """What the verdict is about."""
        return METRICS[self.scoring]

    @property
    def metrics(self) -> list[Metric]:
        """All metrics of these classes and this learner, that of the verdict first."""
        of_first = self.rows[0].scores
        others = [METRICS[key] for key in METRICS if key in of_first and key != self.scoring]
        return [self.metric, *others]

    @property
    def sizes(self) -> list[int]:
        """The numbers of features that were compared, if there were several."""
        return list(self.by_size)

    def at(self, k: int) -> "Comparison":
        """The same comparison with another number of features.

        Parameters
        ----------
        k : int
            One of ``sizes``.

        Returns
        -------
        Comparison
            The selectors with ``k`` features each, on the same folds.
        """
        if k not in self.by_size:
            compared = ", ".join(map(str, self.by_size)) or "no others"
            raise ValueError(f"k is {k!r}, but these sizes were compared: {compared}.")
        return self.by_size[k]

    @property
    def predictions(self) -> dict[str, Indices]:
        """For each row the class given to every sample in each repeat, −1 where not held out."""
        return {name: held_out.predicted for name, held_out in self.held_out.items()}

    @property
    def class_scores(self) -> dict[str, Floats | None]:
        """For each row the score of every class for every sample in each repeat, if it has any."""
        return {name: held_out.scores for name, held_out in self.held_out.items()}

    def count_selections(self, features: Sequence[int] | Indices) -> list[float]:
        """In how many of the folds the first selector selects a feature.

        Parameters
        ----------
        features : sequence of int
            The features, by a column of each.

        Returns
        -------
        list of float
            For each of them the share of the folds.
        """
        sets = self.selected[self.rows[0].selector]
        if self.features is not None:
            features = self.features.of_column[np.asarray(features, dtype=np.intp)]
        return [sum(f in of_fold for of_fold in sets) / len(sets) for f in features]

    @property
    def _first(self) -> HeldOut:
        return self.held_out[self.rows[0].selector]

    @property
    def n_units(self) -> int:
        """How many independent units were held out: samples, or groups of them."""
        return self._first.n_units

    @property
    def n_samples(self) -> int:
        """How many samples were held out."""
        return int(self._first.is_held_out.sum())

    @property
    def is_grouped(self) -> bool:
        """Whether samples of one group were kept together."""
        return len(np.unique(self.units)) < len(self.units)

    @property
    def positive_name(self) -> str | None:
        """Of two classes the name of the one that sensitivity is about."""
        return str(self.classes[self.positive]) if len(self.classes) == 2 else None

    # How the rows compare

    @property
    def guess(self) -> float:
        """What guessing reaches."""
        value = self._row(MAJORITY).scores[self.scoring].value
        return float(value)

    def _row(self, name: str) -> ComparisonRow:
        for row in self.rows:
            if row.selector == name:
                return row
        known = ", ".join(row.selector for row in self.rows)
        raise ValueError(f"there is no row {name!r}; choose from {known}.")

    def difference(self, row: str, other: str) -> Difference:
        """How much more one row reaches than another, and how far that can be trusted.

        Parameters
        ----------
        row, other : str
            The rows, by their ``selector``.

        Returns
        -------
        Difference
            The difference of the two values with its 95 % interval over samples, or groups of
            them. Guessing has no error of its own: the interval is that of the other row, minus
            what guessing reaches.
        """
        one, two = self._row(row), self._row(other)
        if MAJORITY in (row, other) or not self.has_intervals:
            return self._difference_from_guess(one, two)
        gap = self.metric.compare(self.held_out[row], self.held_out[other])
        return _no_difference(one, two, self.scoring) if gap is None else gap

    def _difference_from_guess(self, one: ComparisonRow, two: ComparisonRow) -> Difference:
        if MAJORITY not in (one.selector, two.selector) or one.selector == two.selector:
            return _no_difference(one, two, self.scoring)
        if one.selector == MAJORITY:
            gap = self._difference_from_guess(two, one)
            return Difference(-gap.value, -gap.high, -gap.low)
        return self.metric.compare_with_guess(one.scores[self.scoring], self.guess)

    def relation(self, other: str) -> Relation:
        """What the first selector is, beside another row.

        Parameters
        ----------
        other : str
            The row, by its ``selector``.

        Returns
        -------
        {"better than", "worse than", "as good as", "cannot be told from"}
            By the 95 % interval of the difference: above 0, below 0, within 2 points, or neither.
        """
        return self.difference(self.rows[0].selector, other).relation

    @property
    def beats_majority(self) -> bool:
        """Whether the first selector is better than guessing."""
        return self.relation(MAJORITY) == "better than"

    # What is said

    @property
    def recommendation(self) -> Recommendation | None:
        """How many features of the first selector do as well; None if one number was compared."""
        if not self.sizes or self.size is None:
            return None
        values = self._values_by_size
        largest = max(values.values())
        best = min(size for size, value in values.items() if value >= largest - 1e-9)
        return Recommendation(recommend_size(self.size, values, self._against_size), best)

    @cached_property
    def _values_by_size(self) -> dict[int, float]:
        return {k: at.rows[0].scores[self.scoring].value for k, at in self.by_size.items()}

    @cached_property
    def _against_size(self) -> dict[int, Difference]:
        """The first selector with each number of features against the number asked for."""
        name, against = self.rows[0].selector, {}
        for size, at in self.by_size.items():
            if size == self.size:
                continue
            gap = None
            if self.has_intervals:
                gap = self.metric.compare(at.held_out[name], self.held_out[name])
            against[size] = gap or _no_difference(at.rows[0], self.rows[0], self.scoring)
        return against

    @cached_property
    def sentences(self) -> Sentences:
        """What is said of the first selector: at most three sentences."""
        first = self.rows[0]
        size = first.n_features if self.size is None else self.size
        k = int(size) if float(size).is_integer() else round(size, 1)
        estimates = {k: first.scores[self.scoring][:3]}
        for other, at in self.by_size.items():
            estimates[other] = at.rows[0].scores[self.scoring][:3]
        balanced = first.scores["balanced_accuracy"][:3]
        measure = self.metric
        counts = [0.0, 0.0]
        if isinstance(measure, RightShare):
            counts = [measure.compute_n(self._first, grouped=grouped) for grouped in (True, False)]
        all_features, rivals = None, []
        for row in self.rows[1:]:
            if row.selector == MAJORITY:
                continue
            value = row.scores[self.scoring].value
            gap = self.difference(row.selector, first.selector)
            if row.selector == name_all_features(self.n_features_in):
                all_features = (value, *gap)
            else:
                rivals.append(Rival(row.selector, value, *gap))
        return write_sentences(
            measure,
            k=k,  # type: ignore[arg-type]
            name=first.selector,
            n_samples=self.n_samples,
            n_features=self.n_features_in,
            guess=self.guess,
            estimates=estimates,  # type: ignore[arg-type]
            against_k=self._against_size,
            n=counts[0],
            n_ungrouped=counts[1],
            balanced=balanced,
            all_features=all_features,
            rivals=rivals,
            is_ordered=self.is_ordered,
        )

    @property
    def headline(self) -> str:
        """The first sentence of the verdict: how good the number of features asked for is."""
        if self.has_intervals:
            return self.sentences.headline
        own = self.rows[0]
        n = format_count(own.n_features)
        subject = f"{n} feature{'' if n == '1' else 's'} by {own.selector}"
        value = self.metric.write_named(own.scores[self.scoring].value)
        return f"{subject}: {value} on held-out samples."

    @property
    def rest(self) -> str:
        """The sentences after the headline: whether other numbers, or rows, do better."""
        if not self.has_intervals:
            return ""
        return " ".join(text for text in self.sentences[3:] if text)

    @property
    def verdict(self) -> str:
        """At most three sentences on the first selector with the number of features asked for."""
        return f"{self.headline} {self.rest}".strip()

    def lines(self) -> list[str]:
        """Return what stands below the table.

        Returns
        -------
        list of str
            The verdict, of two classes how many of either the first selector tells, and the notes.
        """
        told = []
        for metric in self.metrics:
            if metric.is_of_positive:
                value, low, high, _ = self.rows[0].scores[metric.key]
                interval = f" ({metric.write_interval(low, high)})" if self.has_intervals else ""
                told.append(
                    f"{metric.describe(self.positive_name)} {metric.write(value)}{interval}"
                )
        sentences = [f"{self.rows[0].selector}: {join_words(told)}."] if told else []
        if told and self.has_intervals and (at := self.sensitivity_at_specificity) is not None:
            value, low, high, _ = at.estimate
            sensitivity = METRICS["sensitivity"]
            sentences.append(
                f"At a specificity of {100 * SPECIFICITY:.0f} %, by a cut that the folds of a "
                f"repeat share: {sensitivity.describe(self.positive_name)} "
                f"{sensitivity.write(value)} ({sensitivity.write_interval(low, high)})."
            )
        return [self.verdict, *sentences, *self.notes]

    @cached_property
    def sensitivity_at_specificity(self) -> SensitivityAtSpecificity | None:
        """Of two classes how many positive samples are told where 90 % of the negative ones are."""
        return find_sensitivity_at(self._first)

    @property
    def title(self) -> str:
        """What the numbers are: the metric, the learner, the folds, groups and covariates."""
        parts = [LEARNER_NAMES.get(self.learner, self.learner)]
        parts.append(f"{self.n_repeats} × {self.n_splits} folds")
        if self.is_grouped:
            of = f" ({self.group_name})" if self.group_name else ""
            parts.append(f"whole groups held out{of}")
        if self.is_sampled:
            parts.append(f"{self.n_samples:,} of {len(self.codes):,} samples")
        parts.append("features selected inside the folds")
        if self.covariate_names:
            parts.append(f"adjusted for {join_words(list(self.covariate_names))}")
        name = self.metric.name
        return f"{name[:1].upper()}{name[1:]} on held-out samples ({', '.join(parts)}):"

    # As a table and as plain values

    def columns(self) -> dict[str, list[str]]:
        """The table as text.

        Returns
        -------
        dict of str to list of str
            A column for each heading.
        """
        table = {"selected by": [row.selector for row in self.rows]}
        counts = [format_count(row.n_features) for row in self.rows]
        heading = f"top {counts[0]}"
        of_selectors = {
            count for count, row in zip(counts, self.rows, strict=True) if row.seconds is not None
        }
        if len(of_selectors) > 1:
            table["k"] = counts  # selectors that decide it themselves
            heading = self.metric.heading
        table[heading] = [self._write_cell(row, self.metric) for row in self.rows]
        table["95 % interval"] = [self.write_interval(row) for row in self.rows]
        for metric in self.metrics[1:]:
            if not metric.is_of_positive:
                table[metric.heading] = [self._write_cell(row, metric) for row in self.rows]
        table["stability"] = [_format_or_blank(row.stability, 2) for row in self.rows]
        return table

    def _write_cell(self, row: ComparisonRow, metric: Metric) -> str:
        estimate = row.scores.get(metric.key)
        return "" if estimate is None else f"{metric.format(estimate.value)} {metric.unit}".rstrip()

    def write_interval(self, row: ComparisonRow) -> str:
        """Return the interval of a row in words; guessing has none.

        Parameters
        ----------
        row : ComparisonRow
            One of ``rows``.

        Returns
        -------
        str
            Of the metric of the verdict: ``92.0 to 99.4``.
        """
        if row.selector == MAJORITY or not self.has_intervals:
            return ""
        return self.metric.write_interval(*row.scores[self.scoring][1:3])

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, which JSON can hold.

        Returns
        -------
        dict
            ``learner``, ``scoring``, ``positive``, ``n_splits``, ``n_repeats``, ``n_samples``,
            ``n_units``, ``grouped``, ``groups``, ``covariates``, ``verdict`` and its ``kind``,
            ``size`` (asked for), ``size_as_good``, ``sensitivity_at_specificity`` (of 90 %),
            ``notes``, ``rows`` with the ``difference`` of the first to each, and the same
            ``by_size``.
        """
        recommendation = self.recommendation
        at = self.sensitivity_at_specificity if self.has_intervals else None
        return {
            "learner": self.learner,
            "scoring": self.scoring,
            "positive": self.positive_name,
            "n_splits": self.n_splits,
            "n_repeats": self.n_repeats,
            "n_samples": self.n_samples,
            "n_units": self.n_units,
            "grouped": self.is_grouped,
            "groups": self.group_name or None,
            "covariates": list(self.covariate_names),
            "verdict": self.verdict,
            "kind": self.sentences.kind if self.has_intervals else None,
            "size": self.size,
            "size_as_good": None if recommendation is None else recommendation.size,
            "sensitivity_at_specificity": None if at is None else _as_values(at.estimate),
            "notes": list(self.notes),
            "rows": self._rows_with_differences(),
            "by_size": {str(k): at._rows_with_differences() for k, at in self.by_size.items()},
        }

    def _rows_with_differences(self) -> list[dict[str, Any]]:
        first, *others = map(_as_dict, self.rows)
        rows: list[dict[str, Any]] = [{**first, "difference": None}]
        for row in others:
            gap = self.difference(first["selector"], row["selector"])
            values = {name: _number_or_none(value) for name, value in gap._asdict().items()}
            rows.append({**row, "difference": {**values, "relation": gap.relation}})
        return rows

    def _details(self) -> dict[str, list[str]]:
        """Redundancy and time of the selectors, for a second table."""
        rows = [row for row in self.rows if row.seconds is not None]
        return {
            "selected by": [row.selector for row in rows],
            "mean |r|": [_format_or_blank(row.redundancy, 2) for row in rows],
            "seconds": [_format_or_blank(row.seconds, 3) for row in rows],
        }

    def __str__(self) -> str:
        lines = [fill(self.title, PAGE_WIDTH), ""]
        for columns in (self.columns(), self._details()):
            lines += [*format_table(columns, numbers=list(columns)[1:]), ""]
        lines += [fill(text, PAGE_WIDTH) for text in self.lines()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        def make_row(tag: str, cells: Iterable[str]) -> str:
            return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

        tables = ""
        for columns in (self.columns(), self._details()):
            body = "".join(make_row("td", cells) for cells in zip(*columns.values(), strict=True))
            head = make_row("th", columns)
            tables += f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.lines())
        return f"<p>{escape(self.title)}</p>{tables}{notes}"


def name_all_features(m: int) -> str:
    """What the row of all features is called."""
    return f"all {m:,} features"


def format_count(n: float) -> str:
    """How many features were selected, on average over the folds: ``12``, or ``12.4``."""
    return f"{round(n, 1):g}"


def _no_difference(one: ComparisonRow, two: ComparisonRow, scoring: str) -> Difference:
    """The difference of two values of which no more is known."""
    value = one.scores[scoring].value - two.scores[scoring].value
    return Difference(value, float("nan"), float("nan"))


def _as_dict(row: ComparisonRow) -> dict[str, Any]:
    scores = {key: _as_values(estimate) for key, estimate in row.scores.items()}
    return {**row._asdict(), "scores": scores}


def _as_values(estimate: Estimate) -> dict[str, float | None]:
    return {name: _number_or_none(value) for name, value in estimate._asdict().items()}


def _number_or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _format_or_blank(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"
