"""The paper's Tables 2 to 5 from our results, with the published number beside each of ours."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

import numpy as np

from s2fs._util.types import Floats
from s2fs.bench._plan import SelectorSpec
from s2fs.bench._results import Result

How = Literal["fixed", "best", "default", "inside"]
Mark = Literal["best", "second", ""]

STATISTICS = ("max", "ave")
#: Scores are compared as the paper gives them, to four decimals.
SHOWN_DECIMALS = 4
#: The sign behind the name of an algorithm that is not confirmed.
STATUS_SIGNS = {"": "", "reconstructed": "†", "partly reconstructed": "‡"}
_HOW: dict[How, str] = {
    "fixed": "",
    "best": "best α, β",
    "inside": "α, β chosen inside",
    "default": "α = β = 0.0316",
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
        How alpha and beta were set: not at all, as the pair of the grid that is best on the test
        result (as in the paper), as the default pair, or within the training rows.
    status : str
        "reconstructed" or "partly reconstructed" if the algorithm is, else empty.
    """

    algorithm: str
    how: How
    status: str

    @property
    def heading(self) -> str:
        """The algorithm, the sign of a reconstruction, and how the weights were set."""
        name = self.algorithm.replace("S2", "S²")
        return f"{name}{STATUS_SIGNS[self.status]} {_HOW[self.how]}".strip()


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
        The columns; of an algorithm with several, the first one takes part in the comparison and
        the others stand beside it.
    ours, published : ndarray of shape (n_datasets, n_columns)
        Our scores and those of the paper, NaN where there is none.
    leaky : bool
        Whether features were selected before the split, so that our scores are too good.
    score : str
        What classifiers are scored by.
    """

    learner: str
    statistic: str
    datasets: tuple[str, ...]
    columns: tuple[Column, ...]
    ours: Floats
    published: Floats
    leaky: bool = False
    score: str = "accuracy"

    def compared(self, beside: Column | None = None) -> list[int]:
        """The columns that are compared, with one that stands beside in its algorithm's place.

        Parameters
        ----------
        beside : Column, optional
            A column to take instead of the first one of its algorithm.

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
        return list(compared.values())

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


@cache
def published_results() -> dict[tuple[str, str, str, str], float]:
    """Read the numbers of the paper's Tables 2 to 5, which ship with the package.

    Returns
    -------
    dict
        Values by learner ("cart", "knn", "svm" or "kmeans"), statistic ("max" or "ave"), dataset
        and algorithm, the last two as the paper writes them (S²FS as "S2FS").

    Examples
    --------
    >>> from s2fs.bench import published_results
    >>> len(published_results()), published_results()["knn", "max", "SRBCT", "S2FS"]
    (720, 1.0)
    """
    text = (files(__package__) / "paper_results.csv").read_text("utf-8")
    return {
        (row["learner"].lower(), row["statistic"], row["dataset"], row["algorithm"]): float(
            row["value"]
        )
        for row in csv.DictReader(text.splitlines())
    }


def build_tables(results: Iterable[Result]) -> list[Table]:
    """Arrange results that were obtained alike: protocol, folds and sizes agree.

    Of several results for one cell (seeds) the mean is taken. Variants of S²FS, under names of
    their own, have columns only where there are no baselines: they are for figures of their own.

    Parameters
    ----------
    results : iterable of Result
        What to arrange.

    Returns
    -------
    list of Table
        One table for each learner and statistic.
    """
    alike = list(results)
    if any(result.selector.method != "S2FS" for result in alike):
        alike = [r for r in alike if not _is_variant(r.selector)]
    leaky = any(result.run.protocol == "before" for result in alike)
    cells = _cells(alike)
    learners = list(dict.fromkeys(learner for _, _, learner, _ in cells))
    columns = tuple(sorted(dict.fromkeys(c for c, _, _, _ in cells), key=_order))
    datasets = tuple(dict.fromkeys(d for _, d, _, _ in cells))
    score = alike[0].run.score if alike else "accuracy"
    published = published_results() if score == "accuracy" else {}  # all that the paper gives
    return [
        Table(
            learner,
            statistic,
            datasets,
            columns,
            np.array(
                [[cells.get((c, d, learner, statistic), np.nan) for c in columns] for d in datasets]
            ),
            np.array(
                [
                    [published.get((learner, statistic, d, c.algorithm), np.nan) for c in columns]
                    for d in datasets
                ]
            ),
            leaky,
            score,
        )
        for learner in learners
        for statistic in STATISTICS
    ]


def _is_variant(spec: SelectorSpec) -> bool:
    """Whether it is S²FS without one or both of its directions."""
    return spec.method == "S2FS" and spec.name != "S2FS" and bool(spec.alphas)


def _order(column: Column) -> tuple[bool, str, int]:
    order: list[How] = ["best", "fixed", "inside", "default"]
    return (column.algorithm != "S2FS", column.algorithm, order.index(column.how))


def _cells(results: Iterable[Result]) -> dict[tuple[Column, str, str, str], float]:
    """The score of each column, dataset, learner and statistic."""
    # Scores by weights and by seed.
    scores: dict[tuple[Column, str, str, str], dict[object, dict[int, float]]] = {}
    for result in results:
        spec, run = result.selector, result.run
        status = run.status if "reconstructed" in run.status else ""
        ways: list[How] = ["inside" if result.how == "inside" else "fixed"]
        if result.how == "grid":
            ways = ["best"]
            # A variant without directions has a grid too, but no default pair in it.
            if result.weights == DEFAULT_WEIGHTS:
                ways.append("default")
        for how in ways:
            column = Column(spec.name, how, status)
            for learner, curve in result.curves.items():
                for statistic, value in (("max", curve.max), ("ave", curve.ave)):
                    cell = (column, run.dataset_title, learner, statistic)
                    by_seed = scores.setdefault(cell, {}).setdefault(result.weights, {})
                    by_seed[run.seed] = value
    return {
        cell: max(float(np.mean(list(by_seed.values()))) for by_seed in by_weights.values())
        for cell, by_weights in scores.items()
    }
