"""Results of one file beside those of another, without running what is there again."""

from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import TracebackType

from s2fs._utils.messages import join_words
from s2fs_bench.archive import open_results
from s2fs_bench.ledger import Entry
from s2fs_bench.plan import Plan
from s2fs_bench.results import check_names, complete_results
from s2fs_bench.run import Run


class Joined:
    """The results of a file, and those of others on the same folds of the same tables.

    Parameters
    ----------
    path : str or path-like
        The results file.
    beside : str or path-like
        A results file or an archive with the others, such as ``unseen.npz``.

    Attributes
    ----------
    path : Path
        The first file.
    results : list of Result
        Those of the first file, and of the other one those on the same tables.

    Raises
    ------
    ValueError
        If a table, its folds or the learners are not the same in both.

    Examples
    --------
    >>> import dataclasses, pathlib, tempfile
    >>> from s2fs_bench import Joined, Ledger, load_plan, run_plan, write_archive
    >>> plan = dataclasses.replace(load_plan("quick"), folds=2, sizes=(1, 2), learners=("knn",))
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name, methods in (("old", ["S2FS", "FDM"]), ("new", ["ANOVA"])):
    ...     _ = run_plan(plan, folder / f"{name}.sqlite", methods=methods)
    >>> with Joined(folder / "new.sqlite", folder / "old.sqlite") as joined:
    ...     sorted({result.selector.name for result in joined.results})
    ['ANOVA', 'FDM', 'S2FS']
    """

    def __init__(self, path: str | PathLike[str], beside: str | PathLike[str]) -> None:
        self.path = Path(path)
        with open_results(path) as ours, open_results(beside) as others:
            self.results = complete_results(ours)
            names = {result.selector.name for result in self.results}
            tables = {result.run.dataset for result in self.results}
            stored = [
                result
                for result in complete_results(others)
                if result.run.dataset in tables and result.selector.name not in names
            ]
            check_same_folds([r.run for r in self.results], [r.run for r in stored], beside)
            self.results += stored
            self._entries = [*ours.entries(), *others.entries()]
        check_names(self.path, [result.run for result in self.results])

    def entries(self) -> list[Entry]:
        """The finished runs of both files.

        Returns
        -------
        list of Entry
            One entry for each run.
        """
        return self._entries

    def __enter__(self) -> "Joined":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Do nothing: all has been read."""


def check_same_folds(ours: Iterable[Run], others: Iterable[Run], source: object) -> None:
    """Raise unless runs of the same table have the same samples, folds, sizes and learners.

    Parameters
    ----------
    ours, others : iterable of Run
        The runs to be shown side by side.
    source : str or path-like
        Where the others come from.
    """
    of_ours: dict[str, set[tuple[object, ...]]] = {}
    of_others: dict[str, set[tuple[object, ...]]] = {}
    for runs, settings in ((ours, of_ours), (others, of_others)):
        for run in runs:
            settings.setdefault(run.dataset, set()).add(_list_settings(run))
    for dataset, wanted in of_ours.items():
        there = of_others.get(dataset)
        if there is None:
            raise ValueError(
                f"{source} has no results of other selectors on {dataset!r}; run the plan on "
                "tables that it has."
            )
        if wanted != there:
            names = ("samples", "protocol", "number of folds", "seeds", "sizes", "learners")
            differ = [
                name
                for name, a, b in zip(
                    names, zip(*wanted, strict=True), zip(*there, strict=True), strict=True
                )
                if set(a) != set(b)
            ]
            raise ValueError(
                f"{source} has results on {dataset!r} with other {join_words(differ)}; run the "
                "plan with those of the stored results."
            )


def _list_settings(run: Run) -> tuple[object, ...]:
    """What must be equal for two results to stand side by side, for folds by seed.

    Folds follow from the classes, their number and the seed, so the hash of the data covers them.
    """
    learners = repr(sorted((name, run.settings["learners"][name]) for name in run.learners))
    return run.data_hash, run.protocol, run.n_folds, run.seed, run.sizes, learners


def without_stored(plan: Plan, beside: str | PathLike[str]) -> Plan:
    """The plan without the selectors whose results another file has.

    Parameters
    ----------
    plan : Plan
        What would be run.
    beside : str or path-like
        A results file or an archive.

    Returns
    -------
    Plan
        What is left to run.
    """
    with open_results(beside) as others:
        stored = {result.selector.name for result in complete_results(others)}
    left = tuple(spec for spec in plan.selectors if spec.name not in stored)
    if not left:
        raise ValueError(
            f"{beside} has results of all selectors of the plan; give one under a name of its own."
        )
    return replace(plan, selectors=left)
