"""Tables of results, with the published number beside ours where the experiment is the paper's."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from s2fs._utils.messages import did_you_mean, join_words
from s2fs._utils.types import Floats
from s2fs_bench.methods import METHODS
from s2fs_bench.paper.published import differences_from_paper, published_results, why_unpublished
from s2fs_bench.plan import SelectorSpec
from s2fs_bench.results import Result

How = Literal["fixed", "best", "default", "inside"]
Mark = Literal["best", "second", ""]

STATISTICS = ("max", "ave")
#: Scores are compared as the paper gives them, to four decimals.
SHOWN_DECIMALS = 4
#: The sign behind the name of an algorithm that is not the published one for sure.
STATUS_SIGNS = {"reconstructed": "†", "partly reconstructed": "‡", "stand-in": "§"}
#: How a heading calls the weighting; what could be had without the test results comes first.
_HOW: dict[How, str] = {
    "fixed": "",
    "inside": "weighting chosen inside",
    "default": "α = β = 0.0316",
    "best": "best weighting",
}
#: The weights S²FS has if none are given.
DEFAULT_WEIGHTS = (0.0316, 0.0316)


class Column(NamedTuple):
    """A column of a table.

    Attributes
    ----------
    algorithm : str
        The algorithm, as the paper calls it (S²FS as "S2FS").
    how : {"fixed", "best", "default", "inside"}
        How alpha and beta were set: not at all, as the weighting of the grid that is best on the
        test results (as in the paper), as the default one, or within the training samples.
    status : str
        How sure the algorithm is: "confirmed", "partly reconstructed", "reconstructed",
        "stand-in", "wrapper" or, of a class that is not of this package, "own".
    """

    algorithm: str
    how: How
    status: str

    @property
    def name(self) -> str:
        """The algorithm and the sign of its status."""
        return f"{self.algorithm.replace('S2', 'S²')}{STATUS_SIGNS.get(self.status, '')}"

    @property
    def weighting(self) -> str:
        """How the weights were set, in full; empty if there are none to set."""
        return f"{_HOW[self.how]}, chosen on the test results" if self.is_tuned else _HOW[self.how]

    @property
    def heading(self) -> str:
        """The name and, in short, how the weights were set."""
        return f"{self.name} {_HOW[self.how]}".strip()

    @property
    def label(self) -> str:
        """The heading as figures show it, which have no legend to explain it."""
        return f"{self.name} {self.weighting}".strip()

    @property
    def is_tuned(self) -> bool:
        """Whether the weighting was chosen on the test results."""
        return self.how == "best"


@dataclass(frozen=True, eq=False)
class Table:
    """One learner and statistic: a row per dataset, a column per algorithm.

    Attributes
    ----------
    learner : str
        "cart", "knn", "svm" or "kmeans".
    statistic : {"max", "ave"}
        The best or the average score over the sizes.
    datasets : tuple of str
        The rows, as the paper calls them.
    columns : tuple of Column
        The columns, in the order of the plan; of an algorithm with several, the first one takes
        part in the comparison and the others stand beside it. What was chosen on the test results
        comes last.
    ours, published : ndarray of shape (n_datasets, n_columns)
        Our scores and those of the paper, NaN where there is none, or where the experiment is not
        the paper's.
    leaky : bool
        Whether features were selected before the split, so that our scores are too good.
    score : str
        What classifiers are scored by.
    spread : ndarray of shape (n_datasets, n_columns) or None
        Standard deviation over the seeds, if there are several.
    remarks : tuple of str
        Sentences to go with the table: which published numbers are left out, and which lists of
        features were short.
    """

    learner: str
    statistic: str
    datasets: tuple[str, ...]
    columns: tuple[Column, ...]
    ours: Floats
    published: Floats
    leaky: bool = False
    score: str = "accuracy"
    spread: Floats | None = None
    remarks: tuple[str, ...] = ()

    @property
    def has_published(self) -> bool:
        """Whether any published number stands beside ours."""
        return bool(np.isfinite(self.published).any())

    def compared(self, beside: Column | None = None, reference: str | None = None) -> list[int]:
        """Find the columns that are compared, one for each algorithm.

        Parameters
        ----------
        beside : Column, optional
            A column to take instead of the first one of its algorithm.
        reference : str, optional
            The algorithm that comes first; by default the first of the plan.

        Returns
        -------
        list of int
            Positions in ``columns``, one for each algorithm.
        """
        compared: dict[str, int] = {}
        for j, column in enumerate(self.columns):
            compared.setdefault(column.algorithm, j)
        if beside is not None:
            compared[beside.algorithm] = self.columns.index(beside)
        if reference is None:
            return list(compared.values())
        if reference not in compared:
            raise ValueError(
                f"reference is {reference!r}, which has no results"
                f"{did_you_mean(reference, compared)}; choose from {', '.join(compared)}."
            )
        return [compared.pop(reference), *compared.values()]

    def beside(self) -> list[Column]:
        """The columns that do not take part in the comparison.

        Returns
        -------
        list of Column
            Columns of algorithms that have an earlier one.
        """
        return [c for j, c in enumerate(self.columns) if j not in self.compared()]

    def marks(self, compared: list[int] | None = None) -> list[list[Mark]]:
        """Which cells are best and second best of their row, equals alike.

        Parameters
        ----------
        compared : list of int, optional
            The columns that take part, by default those of :meth:`compared`.

        Returns
        -------
        list of list of str
            ``"best"``, ``"second"`` or an empty text for each dataset and column.
        """
        compared = self.compared() if compared is None else compared
        marks: list[list[Mark]] = [[""] * len(self.columns) for _ in self.datasets]
        for row, values in zip(marks, np.round(self.ours, SHOWN_DECIMALS), strict=True):
            ranked = sorted({v for v in values[compared].tolist() if not np.isnan(v)}, reverse=True)
            names: tuple[Mark, Mark] = ("best", "second")
            for name, value in zip(names, ranked, strict=False):
                for j in compared:
                    if values[j] == value:
                        row[j] = name
        return marks


def build_tables(results: Iterable[Result]) -> list[Table]:
    """Arrange results of one setting: protocol, folds and sizes agree.

    Of several results for one cell (seeds) the mean is taken, and their spread is kept. Variants of
    S²FS, under names of their own, have columns only where there are no baselines: they are for
    figures of their own. A published number stands beside ours only where folds, sizes, protocol,
    data and selector are those of the plan ``paper``; ``remarks`` says why if not.

    Parameters
    ----------
    results : iterable of Result
        What to arrange.

    Returns
    -------
    list of Table
        One table for each learner and statistic.
    """
    group = list(results)
    if any(result.selector.method != "S2FS" for result in group):
        group = [r for r in group if not _is_variant(r.selector)]
    leaky = any(result.run.protocol == "before" for result in group)
    cells = _cells(group)
    learners = list(dict.fromkeys(cell.learner for cell in cells))
    columns = _in_order(dict.fromkeys(cell.column for cell in cells))
    datasets = tuple(dict.fromkeys(cell.dataset for cell in cells))
    as_published = {
        (r.run.dataset_title, r.selector.name) for r in group if not any(differences_from_paper(r))
    }
    published = {
        key: value for key, value in published_results().items() if key[2:] in as_published
    }
    several_seeds = len({result.run.seed for result in group}) > 1
    remarks = tuple(filter(None, (why_unpublished(group), *short_lists(group))))

    def arranged(values: dict[_Cell, float], learner: str, statistic: str) -> Floats:
        return np.array(
            [
                [values.get(_Cell(c, d, learner, statistic), np.nan) for c in columns]
                for d in datasets
            ]
        )

    means = {cell: score.mean for cell, score in cells.items()}
    spreads = {cell: score.spread for cell, score in cells.items()}
    return [
        Table(
            learner,
            statistic,
            datasets,
            columns,
            arranged(means, learner, statistic),
            np.array(
                [
                    [published.get((learner, statistic, d, c.algorithm), np.nan) for c in columns]
                    for d in datasets
                ]
            ),
            leaky,
            group[0].run.score,
            arranged(spreads, learner, statistic) if several_seeds else None,
            remarks,
        )
        for learner in learners
        for statistic in STATISTICS
    ]


def short_lists(group: Iterable[Result]) -> list[str]:
    """A sentence for each selector that gave fewer features than the largest size."""
    lengths: dict[tuple[str, str], dict[str, list[int]]] = {}
    for result in group:
        if result.lengths:
            key = result.selector.name, result.run.short_lists
            of_selector = lengths.setdefault(key, {})
            of_selector.setdefault(result.run.dataset_title, []).extend(result.lengths)
    remarks = []
    for (name, rule), by_dataset in lengths.items():
        every = [length for of_dataset in by_dataset.values() for length in of_dataset]
        what_then = (
            "the list goes on by the F statistic of the features that are left"
            if rule == "complete"
            else "larger sizes are scored with the list as it is"
        )
        remarks.append(
            f"{name} gave {min(every)} to {max(every)} features on {join_words(list(by_dataset))}: "
            f"{what_then}."
        )
    return remarks


def _is_variant(spec: SelectorSpec) -> bool:
    """Whether it is S²FS without one or both of its directions."""
    return spec.method == "S2FS" and spec.name != "S2FS" and bool(spec.alphas)


class _Cell(NamedTuple):
    """The place of a score."""

    column: Column
    dataset: str
    learner: str
    statistic: str


class _Score(NamedTuple):
    """The mean over the seeds, and the standard deviation; NaN with one seed."""

    mean: float
    spread: float


def _in_order(columns: Iterable[Column]) -> tuple[Column, ...]:
    """Algorithms in the order of the plan; of one algorithm, what is tuned comes last."""
    columns, ways = list(columns), list(_HOW)
    algorithms = list(dict.fromkeys(column.algorithm for column in columns))
    return tuple(sorted(columns, key=lambda c: (algorithms.index(c.algorithm), ways.index(c.how))))


def _cells(results: Sequence[Result]) -> dict[_Cell, _Score]:
    """The score of each column, dataset, learner and statistic."""
    # Scores by weighting and by seed.
    scores: dict[_Cell, dict[object, dict[int, float]]] = {}
    status: dict[str, str] = {}  # a name has one, whatever older results say
    for result in results:
        run, name = result.run, result.selector.name
        # What is known of a selector of the package today, not when it was run.
        known = getattr(METHODS.get(result.selector.method), "status", run.status)
        status.setdefault(name, known)
        ways: list[How] = ["inside" if result.how == "inside" else "fixed"]
        if result.how == "grid":
            ways = ["best"]
            # A variant without directions has a grid too, but no default weighting in it.
            if result.weights == DEFAULT_WEIGHTS:
                ways.append("default")
        for how in ways:
            column = Column(name, how, status[name])
            for learner, curve in result.curves.items():
                for statistic, value in (("max", curve.max), ("ave", curve.ave)):
                    cell = _Cell(column, run.dataset_title, learner, statistic)
                    by_seed = scores.setdefault(cell, {}).setdefault(result.weights, {})
                    by_seed[run.seed] = value
    return {
        cell: max(
            (_over_seeds(list(by_seed.values())) for by_seed in by_weights.values()),
            key=lambda score: score.mean,
        )
        for cell, by_weights in scores.items()
    }


def _over_seeds(values: list[float]) -> _Score:
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
    return _Score(float(np.mean(values)), spread)
