"""Run the units of a plan that a ledger does not have yet, side by side.

Workers compute and the process that started them writes: results are small, one writer needs no
locks to be safe, and workers on other machines need not see the ledger's file. What a kill loses
is the units in flight.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from os import PathLike
from threading import Event, Thread
from time import process_time
from traceback import extract_tb
from typing import Any

import numpy as np

from s2fs._util.messages import did_you_mean
from s2fs.bench._ledger import LEASE, Ledger
from s2fs.bench._local import content_hash, load_dataset
from s2fs.bench._plan import BUNDLED, Plan
from s2fs.bench._run import Unit, run_unit
from s2fs.datasets import Dataset, load_srbct
from s2fs.evaluation import stratified_folds


@dataclass(frozen=True)
class Summary:
    """What a run has done.

    Attributes
    ----------
    done, failed : int
        Units this run finished, well or not.
    before : int
        Units that were done before it began.
    elsewhere : int
        Units another run is working on.
    missing : dict of str to str
        Per dataset that was not found, how to get it.
    """

    done: int
    failed: int
    before: int
    elsewhere: int
    missing: dict[str, str]


def run(
    plan: Plan,
    ledger: str | PathLike[str],
    *,
    n_jobs: int | None = None,
    datasets: Sequence[str] | None = None,
    show_progress: bool = False,
) -> Summary:
    """Run what is left of a plan, and keep every result as soon as it is there.

    It may be stopped at any moment and started again. Units that failed in an earlier run are
    tried again. Within ``joblib.parallel_config("dask")`` the units are spread over a cluster.

    Parameters
    ----------
    plan : Plan
        What to run, see :func:`load_plan`.
    ledger : str or path-like
        The file that keeps the results; made if it is not there.
    n_jobs : int, optional
        How many units to run at once, as in joblib.
    datasets : sequence of str, optional
        Run only these of the plan's datasets.
    show_progress : bool, default=False
        Draw the progress and the time left on standard error, if that is a terminal.

    Returns
    -------
    Summary
        How many units were done, failed, or are in other hands.

    Examples
    --------
    >>> import dataclasses, pathlib, tempfile
    >>> from s2fs.bench import load_plan, run
    >>> plan = dataclasses.replace(load_plan("quick"), folds=2, sizes=(1, 2), learners=("knn",))
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "ledger.sqlite"
    >>> run(plan, file).done
    6
    >>> run(plan, file).before
    6
    """
    from joblib import Parallel, delayed

    data, missing = _load(_wanted(plan, datasets))
    units = [unit for name in data for unit in plan_units(plan, name, data[name])]
    done = failed = 0
    with Ledger(ledger, create=True) as book:
        book.add(units)
        states = book.states()
        pending = [unit for unit in units if states[unit.key] != "done"]
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
        if pending and parallel.n_jobs != 1:
            _compile(pending)
        # A claim is made when joblib asks for the next task, so no run holds more than it works on.
        tasks = (
            delayed(_attempt)(unit, data[unit.dataset].X, data[unit.dataset].y, os.getpid())
            for unit in pending
            if book.claim(unit.key)
        )
        with _renewing(book), _bar(plan.title, len(pending), show_progress) as advance:
            for key, result, error, seconds in _alive(parallel(tasks)):
                if result is not None:
                    book.finish(key, result, seconds)
                    done += 1
                else:
                    book.fail(key, error, seconds)
                    failed += 1
                advance(failed)
        states = book.states()
    elsewhere = sum(states[unit.key] == "claimed" for unit in units)
    return Summary(done, failed, len(units) - len(pending), elsewhere, missing)


def plan_units(plan: Plan, name: str, data: Dataset) -> Iterator[Unit]:
    """All units of a plan on one dataset."""
    data_hash, m = content_hash(data.X, data.y), data.X.shape[1]
    sizes = tuple(range(1, min(plan.sizes, m) + 1)) if isinstance(plan.sizes, int) else plan.sizes
    for selector in plan.selectors:
        for seed in plan.seeds:
            n_folds = len(list(stratified_folds(data.y, plan.folds, random_state=seed)))
            for fold in range(n_folds):
                yield Unit(
                    dataset=name,
                    data_hash=data_hash,
                    selector=selector,
                    protocol=plan.protocol,
                    fold=fold,
                    n_folds=n_folds,
                    seed=seed,
                    sizes=sizes,
                    learners=plan.learners,
                )


def _attempt(unit: Unit, X: Any, y: Any, starter: int) -> tuple[str, bytes | None, str, float]:
    """Run a unit in a worker; an error is a result too."""
    start = process_time()
    try:
        with _ending_with(starter):
            result = run_unit(unit, X, y).to_bytes()
    except Exception as error:
        place = extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"
        return unit.key, None, message, process_time() - start
    return unit.key, result, "", process_time() - start


def _alive(outcomes: Iterator[Any]) -> Iterator[Any]:
    """The outcomes, until a worker dies of something it cannot report."""
    try:
        yield from outcomes
    except BrokenExecutor:
        raise OSError(
            "A worker was killed, perhaps for want of memory; what was done is kept, so start "
            "again, with a smaller n_jobs."
        ) from None


@contextmanager
def _ending_with(starter: int) -> Iterator[None]:
    """End this process if it is a child of the starter and that ends.

    Joblib's workers outlive a parent that was killed, and would compete with the run that goes on.
    """
    stop = Event()

    def watch() -> None:
        while not stop.wait(1):
            if os.getppid() != starter:
                os._exit(1)

    if os.getppid() == starter:
        Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        stop.set()


def _wanted(plan: Plan, datasets: Sequence[str] | None) -> tuple[str, ...]:
    for name in datasets or ():
        if name not in plan.datasets:
            raise ValueError(
                f"datasets has {name!r}, which is not in the plan"
                f"{did_you_mean(name, plan.datasets)}; it has {', '.join(plan.datasets)}."
            )
    return tuple(name for name in plan.datasets if datasets is None or name in datasets)


def _load(names: tuple[str, ...]) -> tuple[dict[str, Dataset], dict[str, str]]:
    """The datasets that are here, and what to do about those that are not."""
    data, missing = {}, {}
    for name in names:
        try:
            data[name] = load_srbct() if name == BUNDLED else load_dataset(name)
        except FileNotFoundError as error:
            missing[name] = str(error)
    return data, missing


def _compile(units: Sequence[Unit]) -> None:
    """Run each selector on a toy, so that compiled code is in the cache before workers start.

    Several processes that compile the same function at once can spoil numba's cache.
    """
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), np.arange(30) % 3
    for unit in {unit.selector.name + unit.selector.tune: unit for unit in units}.values():
        toy = Unit("", "", unit.selector, "inside", 0, 2, 0, (1, 2), unit.learners)
        with suppress(Exception):  # the unit itself will fail too, and tell
            run_unit(toy, X, y)


@contextmanager
def _renewing(ledger: Ledger) -> Iterator[None]:
    """Renew the claims while the work goes on, and give back what is left at its end."""
    stop = Event()

    def renew() -> None:
        while not stop.wait(LEASE / 4):
            ledger.renew()

    thread = Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        ledger.release()


@contextmanager
def _bar(title: str, total: int, show: bool) -> Iterator[Any]:
    """A function to call after each unit with the number that failed."""
    if not show:
        yield lambda failed: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    with Progress(
        "{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        "left",
        TimeRemainingColumn(),
        "{task.fields[failed]}",
        console=console,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task(title, total=total, failed="")

        def advance(failed: int) -> None:
            progress.update(task, advance=1, failed=f"{failed} failed" if failed else "")

        yield advance
