"""What a comparison found: accuracies on held-out samples, differences, and the same in words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from textwrap import fill
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.messages import join_words
from s2fs._utils.text_table import PAGE_WIDTH, format_table
from s2fs._utils.types import Floats, Indices
from s2fs.evaluation.statistics import (
    Difference,
    Relation,
    compare_paired,
    compare_with_guess,
    compute_corrected_error,
    compute_sign_flip_p_value,
)

#: The names of the rows that frame every comparison, beside "all … features".
RANDOM, MAJORITY = "random features", "majority class"
#: What the learners are called in a sentence.
LEARNER_NAMES = {
    "knn": "5-NN",
    "svm": "SVM",
    "cart": "decision tree",
    "logistic": "logistic regression",
}
#: The numbers of features at which a selection is scored; few, for each costs time.
_SIZES = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500)


class ComparisonRow(TypedDict):
    """One row of a comparison; None where there is nothing to say."""

    selector: str
    n_features: float
    accuracy: float
    accuracy_low: float
    accuracy_high: float
    accuracy_std: float
    balanced_accuracy: float
    balanced_accuracy_std: float
    stability: float | None
    redundancy: float | None
    seconds: float | None


class Recommendation(NamedTuple):
    """How many features are enough.

    Attributes
    ----------
    size : int
        The smallest number whose accuracy is within one standard error of the best.
    best : int
        The number with the best accuracy.
    still_rising : bool
        Whether the best is the largest number tried, and better than the number before by more
        than one standard error: more features may do better.
    """

    size: int
    best: int
    still_rising: bool


@dataclass(frozen=True, eq=False)
class Comparison:
    """What :func:`s2fs.compare` found; prints as a table with a verdict below it.

    Attributes
    ----------
    rows : list of dict
        For each selector, for all features, for random features and for the majority class:
        ``selector``, ``n_features`` (mean over the folds), ``accuracy`` with its 95 % interval
        ``accuracy_low`` and ``accuracy_high``, ``balanced_accuracy``, each followed by its
        standard deviation over the repeats (``accuracy_std``, ``balanced_accuracy_std``),
        ``stability`` (Nogueira's index of the sets selected in the folds), ``redundancy`` (mean
        |r| of two selected features) and ``seconds`` for a fit. None where there is nothing to say.
    accuracies : dict of str to ndarray of shape (n_folds,)
        For each row the accuracy in each fold, repeat after repeat.
    predictions : dict of str to ndarray of shape (n_repeats, n_samples)
        For each row but the random one: the position in ``classes`` of the class that every sample
        was given when it was held out, −1 if it was not.
    classes : ndarray of shape (n_classes,)
        The class labels, sorted.
    codes : ndarray of shape (n_samples,)
        For each sample the position of its label in ``classes``.
    units : ndarray of shape (n_samples,)
        The number of the group of each sample; without groups every sample is one of its own.
    learner : str
        What was trained on the selected features.
    n_splits, n_repeats : int
        The number of folds in a repeat, and of repeats.
    test_share : float
        The mean of n_test / n_train.
    n_features_in : int
        The number of features of the table.
    notes : list of str
        What differs from what was asked for, such as fewer folds for a small class.
    by_size : dict of int to Comparison
        If several numbers of features were compared, the comparison of each.
    """

    rows: list[ComparisonRow]
    accuracies: Mapping[str, Floats] = field(repr=False)
    predictions: Mapping[str, Indices] = field(repr=False)
    classes: NDArray[Any] = field(repr=False)
    codes: Indices = field(repr=False)
    units: Indices = field(repr=False)
    learner: str
    n_splits: int
    n_repeats: int
    test_share: float
    n_features_in: int
    notes: list[str] = field(default_factory=list)
    by_size: Mapping[int, "Comparison"] = field(default_factory=dict, repr=False)

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
    def n_units(self) -> int:
        """How many independent units were held out: samples, or groups of them."""
        held_out = (self.predictions[MAJORITY] >= 0).any(axis=0)
        return len(np.unique(self.units[held_out]))

    @property
    def is_grouped(self) -> bool:
        """Whether samples of one group were kept together."""
        return len(np.unique(self.units)) < len(self.units)

    def difference(self, row: str, other: str) -> Difference:
        """How much more accurate one row is than another, and how far that can be trusted.

        Parameters
        ----------
        row, other : str
            The rows, by their ``selector``.

        Returns
        -------
        Difference
            The mean of the paired differences over all folds, and its 95 % interval. Training
            samples are shared between folds, so the variance is corrected as in Nadeau and Bengio
            (2003). Against the majority class a sign-flip test decides, over samples or groups:
            twice the median of its p-values over the repeats.
        """
        paired = self.accuracies[row] - self.accuracies[other]
        if other == MAJORITY and row in self.predictions:
            p_value = self._test_against_guess(row)
            return compare_with_guess(paired, self.test_share, self.n_units, p_value)
        return compare_paired(paired, self.test_share, self.n_units)

    def _test_against_guess(self, row: str) -> float:
        """Twice the median p-value over the repeats of the sign-flip test over the units."""
        p_values = []
        guesses = self.predictions[MAJORITY]
        for predicted, guess in zip(self.predictions[row], guesses, strict=True):
            held_out = predicted >= 0
            gain = (predicted == self.codes).astype(int) - (guess == self.codes)
            by_unit = np.bincount(self.units[held_out], weights=gain[held_out])
            p_values.append(compute_sign_flip_p_value(np.rint(by_unit).astype(np.intp)))
        return min(1.0, 2 * float(np.median(p_values)))

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
        return self.difference(self.rows[0]["selector"], other).relation

    @property
    def recommendation(self) -> Recommendation | None:
        """How many features of the first selector are enough; None if one number was compared."""
        if not self.sizes:
            return None
        first = self.rows[0]["selector"]
        folds = [self.at(size).accuracies[first] for size in self.sizes]
        best = int(np.argmax([accuracies.mean() for accuracies in folds]))

        def is_as_good(position: int) -> bool:
            behind = folds[best] - folds[position]
            return behind.mean() <= compute_corrected_error(behind, self.test_share) + 1e-12

        enough = next(i for i in range(len(folds)) if is_as_good(i))
        is_last = best == len(folds) - 1 and self.sizes[-1] < self.n_features_in
        still_rising = is_last and len(folds) > 1 and not is_as_good(best - 1)
        return Recommendation(self.sizes[enough], self.sizes[best], still_rising)

    @property
    def recommended(self) -> "Comparison":
        """The comparison with the recommended number of features, or this one."""
        recommendation = self.recommendation
        return self if recommendation is None else self.at(recommendation.size)

    @property
    def headline(self) -> str:
        """The first sentence of the verdict: how many features, and how accurate they are."""
        recommendation, at = self.recommendation, self.recommended
        first = at.rows[0]
        n = _format_count(first["n_features"])
        features, verb = ("1 feature", "is") if n == "1" else (f"{n} features", "are")
        subject = f"{features} by {first['selector']}"
        is_shorter = recommendation is not None and recommendation.size < self.sizes[-1]
        if is_shorter and at.beats_majority:
            subject += f" {verb} enough"
        warning = ""
        if at._relation_or_none(RANDOM) == "worse than":
            warning = "Worse than random features: "
        elif not at.beats_majority:
            warning = "Not shown to be better than the majority class: "
        return (
            f"{warning}{subject}: accuracy {percent(first['accuracy'])} % on held-out samples "
            f"(95 % interval {percent(first['accuracy_low'])} to "
            f"{percent(first['accuracy_high'])})."
        )

    @property
    def rest(self) -> str:
        """The sentences after the headline: differences to the other rows, and what is open."""
        at, recommendation = self.recommended, self.recommendation
        by_relation: dict[Relation, list[str]] = {
            "worse than": [],
            "better than": [],
            "as good as": [],
            "cannot be told from": [],
        }
        for row in at.rows[1:]:
            gap = at.difference(at.rows[0]["selector"], row["selector"])
            article = "the " if row["selector"] == MAJORITY else ""
            phrase = f"{article}{row['selector']} ({points(gap)})"
            by_relation[gap.relation].append(phrase)
        parts = [
            f"{relation} {join_words(phrases)}"
            for relation, phrases in by_relation.items()
            if phrases
        ]
        sentence = "; ".join(parts)
        sentence = f"{sentence[:1].upper()}{sentence[1:]}." if sentence else ""
        if recommendation is not None and recommendation.still_rising:
            sentence += f" More than {recommendation.best} features: accuracy is still rising."
        return sentence.strip()

    @property
    def verdict(self) -> str:
        """A few sentences on the first selector, with the recommended number of features."""
        return f"{self.headline} {self.rest}".strip()

    @property
    def beats_majority(self) -> bool:
        """Whether the first selector is better than always guessing the largest class."""
        return self.relation(MAJORITY) == "better than"

    def _relation_or_none(self, other: str) -> Relation | None:
        return self.relation(other) if other in self.accuracies else None

    @property
    def title(self) -> str:
        """What the accuracies are: the learner, the folds, and that groups stay together."""
        folds = f"{self.n_repeats} × {self.n_splits} folds"
        groups = ", whole groups held out" if self.is_grouped else ""
        learner = LEARNER_NAMES.get(self.learner, self.learner)
        return (
            f"Accuracy on held-out samples ({learner}, {folds}{groups}, features selected inside "
            "the folds):"
        )

    def columns(self) -> dict[str, list[str]]:
        """The table as text: accuracies in percent, with the recommended and the largest number.

        Returns
        -------
        dict of str to list of str
            A column for each heading.
        """
        at = self.recommended
        table = {"selected by": [row["selector"] for row in at.rows]}
        counts = [_format_count(row["n_features"]) for row in at.rows]
        heading = f"top {counts[0]}"
        of_selectors = {
            count for count, row in zip(counts, at.rows, strict=True) if row["seconds"] is not None
        }
        if len(of_selectors) > 1:
            table["k"] = counts  # selectors that decide it themselves
            heading = "accuracy"
        table[heading] = [f"{percent(row['accuracy'])} %" for row in at.rows]
        table["95 % interval"] = [
            f"{percent(row['accuracy_low'])} to {percent(row['accuracy_high'])}" for row in at.rows
        ]
        table["balanced"] = [f"{percent(row['balanced_accuracy'])} %" for row in at.rows]
        if at is not self and at is not self.at(self.sizes[-1]):
            table[f"top {self.sizes[-1]}"] = [
                f"{percent(row['accuracy'])} %" if self._depends_on_size(row) else ""
                for row in self.rows
            ]
        return table

    def _depends_on_size(self, row: ComparisonRow) -> bool:
        """Whether the accuracy of a row changes with the number of features."""
        return row["selector"] == RANDOM or row["seconds"] is not None

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, which JSON can hold.

        Returns
        -------
        dict
            ``learner``, ``n_splits``, ``n_repeats``, ``n_units``, ``verdict``, ``recommended``,
            ``still_rising``, ``notes``, ``rows`` with the ``difference`` of the first to each, and
            the same ``by_size``.
        """
        recommendation = self.recommendation
        size = None if recommendation is None else recommendation.size
        still_rising = None if recommendation is None else recommendation.still_rising
        return {
            "learner": self.learner,
            "n_splits": self.n_splits,
            "n_repeats": self.n_repeats,
            "n_units": self.n_units,
            "grouped": self.is_grouped,
            "verdict": self.verdict,
            "recommended": size,
            "still_rising": still_rising,
            "notes": list(self.notes),
            "rows": self._rows_with_differences(),
            "by_size": {str(k): at._rows_with_differences() for k, at in self.by_size.items()},
        }

    def _rows_with_differences(self) -> list[dict[str, Any]]:
        first, *others = self.rows
        rows: list[dict[str, Any]] = [{**first, "difference": None}]
        for row in others:
            difference = self.difference(first["selector"], row["selector"])
            rows.append({**row, "difference": difference._asdict()})
        return rows

    def _details(self) -> dict[str, list[str]]:
        """Stability, redundancy and time of the selectors, for a second table."""
        rows = [row for row in self.recommended.rows if row["seconds"] is not None]
        return {
            "selected by": [row["selector"] for row in rows],
            "stability": [_format_or_blank(row["stability"], 2) for row in rows],
            "mean |r|": [_format_or_blank(row["redundancy"], 2) for row in rows],
            "seconds": [_format_or_blank(row["seconds"], 3) for row in rows],
        }

    def __str__(self) -> str:
        lines = [fill(self.title, PAGE_WIDTH), ""]
        for columns in (self.columns(), self._details()):
            lines += [*format_table(columns, numbers=list(columns)[1:]), ""]
        lines += [fill(text, PAGE_WIDTH) for text in (self.verdict, *self.notes)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        def make_row(tag: str, cells: Iterable[str]) -> str:
            return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

        tables = ""
        for columns in (self.columns(), self._details()):
            body = "".join(make_row("td", cells) for cells in zip(*columns.values(), strict=True))
            head = make_row("th", columns)
            tables += f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
        notes = "".join(f"<p>{escape(note)}</p>" for note in (self.verdict, *self.notes))
        return f"<p>{escape(self.title)}</p>{tables}{notes}"


def sizes_up_to(n_selected: int) -> list[int]:
    """The numbers of first features at which a selection of so many is scored."""
    return [*(size for size in _SIZES if size < n_selected), n_selected]


def percent(share: float) -> str:
    """A share in percent, with one digit after the point."""
    return f"{100 * share:.1f}"


def points(gap: Difference) -> str:
    """A difference in points with its interval: ``+3.1, −0.4 to 6.6``."""
    return f"{signed(gap.mean, plus='+')}, {signed(gap.low)} to {signed(gap.high)}"


def signed(share: float, plus: str = "") -> str:
    """A difference in points with a real minus sign; what rounds to 0 has none."""
    text = f"{100 * abs(share):.1f}"
    if float(text) == 0:
        return text
    return ("−" if share < 0 else plus) + text


def _format_or_blank(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _format_count(n: float) -> str:
    """How many features were selected, on average over the folds: ``12``, or ``12.4``."""
    return f"{round(n, 1):g}"
