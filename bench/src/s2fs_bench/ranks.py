"""Comparison of algorithms over the datasets: ranks, tests, wins, ties and losses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from s2fs._utils.messages import format_count
from s2fs._utils.types import Floats
from s2fs_bench.learners.registry import LEARNER_TITLES, score_name
from s2fs_bench.results import Result, by_setting
from s2fs_bench.statistics import (
    FriedmanResult,
    NemenyiResult,
    PairwiseComparison,
    average_ranks,
    friedman_test,
    nemenyi_test,
    wilcoxon_holm,
)
from s2fs_bench.tables import SHOWN_DECIMALS, Column, Table, build_tables


@dataclass(frozen=True, eq=False)
class RankComparison:
    """The algorithms of one table compared over the datasets that all of them have.

    Attributes
    ----------
    learner, statistic : str
        Which table.
    columns : tuple of Column
        The algorithms; the first one is the reference, which is held against the others.
    n_datasets : int
        The number of complete rows.
    friedman : FriedmanResult
        Whether any algorithm differs.
    nemenyi : NemenyiResult
        Which ones do.
    published_ranks : ndarray of shape (n_columns,) or None
        Average ranks of the published numbers on the same datasets, if all are published.
    leaky : bool
        Whether features were selected before the split.
    means : ndarray of shape (n_columns,)
        Mean score over the datasets.
    pairwise : tuple of PairwiseComparison
        Wilcoxon's test of the reference against each other algorithm, corrected by Holm, with the
        difference and its interval.
    wins, ties, losses : ndarray of shape (n_columns,)
        On how many datasets the reference is better than each, equal, and worse, at the precision
        shown.
    """

    learner: str
    statistic: str
    columns: tuple[Column, ...]
    n_datasets: int
    friedman: FriedmanResult
    nemenyi: NemenyiResult
    published_ranks: Floats | None
    leaky: bool
    means: Floats
    pairwise: tuple[PairwiseComparison, ...]
    wins: Floats
    ties: Floats
    losses: Floats

    def verdict(self, j: int) -> str:
        """What the Nemenyi test says of the reference against algorithm ``j``.

        Parameters
        ----------
        j : int
            The position of the other algorithm in ``columns``.

        Returns
        -------
        {"better", "worse", "cannot be told from"}
            The verdict on the reference.
        """
        if self.nemenyi.better[0, j]:
            return "better"
        return "worse" if self.nemenyi.better[j, 0] else "cannot be told from"


def compare_ranks(table: Table, reference: str | None = None) -> Iterator[RankComparison]:
    """Compare the algorithms of a table, then again with each column that stands beside.

    Nothing comes of a table with fewer than two complete datasets or two algorithms.

    Parameters
    ----------
    table : Table
        Scores of algorithms on datasets.
    reference : str, optional
        The algorithm that is held against the others; by default the first of the table.

    Yields
    ------
    RankComparison
        The ranks and tests of one choice of columns.
    """
    for beside in (None, *table.beside()):
        compared = table.compared(beside, reference)
        names = [table.columns[j].algorithm for j in compared]
        comparison = compare_columns(table, compared, names)
        if comparison is not None:
            yield comparison


def compare_columns(table: Table, compared: list[int], names: list[str]) -> RankComparison | None:
    """Compare some columns under the names given; None with fewer than two of them or datasets."""
    complete = np.isfinite(table.ours[:, compared]).all(axis=1)
    ours, published = (scores[complete][:, compared] for scores in (table.ours, table.published))
    if min(ours.shape) < 2:
        return None
    shown = np.round(ours, SHOWN_DECIMALS)
    first = shown[:, :1]
    return RankComparison(
        learner=table.learner,
        statistic=table.statistic,
        columns=tuple(table.columns[j] for j in compared),
        n_datasets=len(ours),
        friedman=friedman_test(ours),
        nemenyi=nemenyi_test(ours, names=names),
        published_ranks=average_ranks(published) if np.isfinite(published).all() else None,
        leaky=table.leaky,
        means=ours.mean(axis=0),
        pairwise=wilcoxon_holm(ours, names=names, control=names[0]),
        wins=(first > shown).sum(axis=0),
        ties=(first == shown).sum(axis=0),
        losses=(first < shown).sum(axis=0),
    )


def best_by_learner(results: Sequence[Result]) -> Iterator[str]:
    """Say for each learner which selector has the best average over the sizes.

    Weightings that were chosen on the test results do not take part.

    Parameters
    ----------
    results : sequence of Result
        Complete cross-validations, as :func:`iter_results` gives them.

    Yields
    ------
    str
        A sentence for each learner with two selectors or more that have a dataset in common.

    Examples
    --------
    >>> import dataclasses, pathlib, tempfile
    >>> from s2fs_bench import Ledger, best_by_learner, iter_results, load_plan, run_plan
    >>> plan = dataclasses.replace(load_plan("quick"), folds=2, sizes=(1, 2), learners=("knn",))
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "quick.sqlite"
    >>> _ = run_plan(plan, path)
    >>> with Ledger(path) as ledger:
    ...     sentences = list(best_by_learner(list(iter_results(ledger))))
    >>> [sentence.partition(":")[0] for sentence in sentences]
    ['5-NN']
    """
    for group in by_setting(results).values():
        for table in build_tables(group):
            honest = [j for j, column in enumerate(table.columns) if not column.is_tuned]
            scores = table.ours[:, honest]
            scores = scores[np.isfinite(scores).all(axis=1)]
            if table.statistic != "ave" or len(honest) < 2 or not len(scores):
                continue
            means = scores.mean(axis=0)
            first, second = np.argsort(-means, kind="stable")[:2]
            names = [table.columns[honest[j]].heading for j in (first, second)]
            score = score_name(table.learner, table.score)
            datasets = format_count(len(scores), "dataset")
            yield (
                f"{LEARNER_TITLES[table.learner]}: {names[0]} is best, {means[first]:.4f}, before "
                f"{names[1]}, {means[second]:.4f} ({score}, mean over the sizes and {datasets})."
            )
