"""Carry out the runs of a plan that a results file does not have yet, side by side.

Workers compute and the process that started them writes: results are small, one writer needs no
locks to be safe, and workers on other machines need not see the results file. What a kill loses
is the runs in flight.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from threading import Event, Thread
from time import process_time
from traceback import extract_tb
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import issparse

from s2fs._utils.messages import did_you_mean
from s2fs._utils.progress import track_progress
from s2fs.evaluation import stratified_folds
from s2fs.io import Dataset, read_table
from s2fs_bench.exchange import RANKINGS, hash_rankings
from s2fs_bench.ledger import LEASE, Ledger
from s2fs_bench.methods import resolve
from s2fs_bench.paper.datasets import DataFile, content_hash, dataset_title, load_dataset
from s2fs_bench.plan import Plan
from s2fs_bench.results import check_names, keep_newest
from s2fs_bench.run import Run, evaluate_run, evaluation_settings


@dataclass(frozen=True)
class Summary:
    """What a call of :func:`run_plan` has done.

    Attributes
    ----------
    done, failed : int
        Runs it finished, well or not.
    before : int
        Runs that were done before it began.
    elsewhere : int
        Runs another process is working on.
    missing : dict of str to str
        Per dataset that was not found, how to get it.
    """

    done: int
    failed: int
    before: int
    elsewhere: int
    missing: dict[str, str]


def run_plan(
    plan: Plan,
    path: str | PathLike[str],
    *,
    n_jobs: int | None = None,
    datasets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    show_progress: bool = False,
) -> Summary:
    """Carry out what is left of a plan, and keep every result as soon as it is there.

    It may be stopped at any moment and started again. Runs that failed in an earlier call are
    tried again. Within ``joblib.parallel_config("dask")`` the runs are spread over a cluster.

    Parameters
    ----------
    plan : Plan
        What to run, see :func:`load_plan`.
    path : str or path-like
        The results file; made if it is not there.
    n_jobs : int, optional
        How many runs to work on at once, as in joblib.
    datasets : sequence of str, optional
        Only these of the plan's datasets.
    methods : sequence of str, optional
        Only these of the plan's selectors, by their names.
    show_progress : bool, default=False
        Show progress on standard error: a bar on a terminal, else one line a minute.

    Returns
    -------
    Summary
        How many runs were done or failed, or are being worked on by another process.

    Examples
    --------
    >>> import dataclasses, pathlib, tempfile
    >>> from s2fs_bench import load_plan, run_plan
    >>> plan = dataclasses.replace(load_plan("quick"), folds=2, sizes=(1, 2), learners=("knn",))
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "quick.sqlite"
    >>> run_plan(plan, path).done
    6
    >>> run_plan(plan, path).before
    6
    """
    plan = _limit_selectors(plan, methods)
    _find_datasets(plan, datasets)  # names first: to load tables takes longer
    _check_selectors(plan)
    data, missing = find_data(plan, datasets)
    runs = [run for name in data for run in plan_runs(plan, name, data[name])]
    done = failed = 0
    with Ledger(path, create=True) as ledger:
        # Before anything is written: a file with two selectors under one name gives no tables.
        there = [entry.run for entry in ledger.entries() if entry.state == "done"]
        check_names(ledger.path, keep_newest([*there, *runs]))
        ledger.add(runs)
        states = ledger.states()
        if any(run.key not in states for run in runs):
            raise ValueError(f"{path} is damaged; run the plan in a new results file.")
        pending = [run for run in runs if states[run.key] != "done"]
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
        if pending and parallel.n_jobs != 1:
            _compile(pending, plan.folder)
        # A claim is made when joblib asks for the next task, so no process claims more than it
        # works on.
        tasks = (
            delayed(_attempt)(
                run, data[run.dataset].X, data[run.dataset].y, plan.folder, os.getpid()
            )
            for run in pending
            if ledger.claim(run.key)
        )
        attempts = _watch_workers(parallel(tasks))
        with _renewing(ledger):
            for key, result, error, seconds in track_progress(
                attempts, len(pending), plan.title, show=show_progress
            ):
                if result is not None:
                    ledger.finish(key, result, seconds)
                    done += 1
                else:
                    ledger.fail(key, error, seconds)
                    failed += 1
        states = ledger.states()
    elsewhere = sum(states[run.key] == "claimed" for run in runs)
    return Summary(done, failed, len(runs) - len(pending), elsewhere, missing)


def plan_runs(plan: Plan, name: str, data: Dataset) -> Iterator[Run]:
    """All runs of a plan on one dataset."""
    data_hash, m = content_hash(data.X, data.y), data.X.shape[1]
    every = range(1, plan.sizes + 1) if isinstance(plan.sizes, int) else plan.sizes
    sizes = tuple(size for size in every if size <= m) or (m,)
    for selector in plan.selectors:
        for seed in plan.seeds:
            n_folds = len(list(stratified_folds(data.y, plan.folds, random_state=seed)))
            method, given = selector.method, selector.parameters
            parameters, algorithm, status = resolve(method, given, sizes[-1], seed, plan.folder)
            settings = evaluation_settings(plan.learners, selector.tune, plan.short_lists)
            if method == RANKINGS:
                place = Path(plan.folder or ".") / given["folder"]
                settings[RANKINGS] = hash_rankings(place, name, seed, n_folds)
            for fold in range(n_folds):
                yield Run(
                    dataset=name,
                    data_hash=data_hash,
                    selector=selector,
                    protocol=plan.protocol,
                    fold=fold,
                    n_folds=n_folds,
                    seed=seed,
                    sizes=sizes,
                    learners=plan.learners,
                    parameters=parameters,
                    algorithm=algorithm,
                    settings=settings,
                    status=status,
                    n_features=m,
                    dataset_title=dataset_title(name),
                    score=plan.score,
                )


def _attempt(
    run: Run, X: Any, y: Any, folder: str | None, starter: int
) -> tuple[str, bytes | None, str, float]:
    """Evaluate a run in a worker; an error is a result too."""
    start = process_time()
    try:
        with _ending_with(starter):
            result = evaluate_run(run, X, y, folder).to_bytes()
    except Exception as error:
        place = extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"
        return run.key, None, message, process_time() - start
    return run.key, result, "", process_time() - start


def _watch_workers(attempts: Iterator[Any]) -> Iterator[Any]:
    """What the attempts gave, until a worker dies of something it cannot report."""
    try:
        yield from attempts
    except BrokenExecutor:
        raise OSError(
            "A worker was killed, perhaps for lack of memory; what was done is kept, so start "
            "again, with a smaller n_jobs."
        ) from None


@contextmanager
def _ending_with(starter: int) -> Iterator[None]:
    """End this process if it is a child of the starter and that ends.

    Joblib's workers outlive a parent that was killed, and would compete with its successor.
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


def find_data(
    plan: Plan, datasets: Sequence[str] | None = None
) -> tuple[dict[str, Dataset], dict[str, str]]:
    """The datasets of a plan that are here, and what to do about those that are not.

    Parameters
    ----------
    plan : Plan
        The plan.
    datasets : sequence of str, optional
        Only these of its datasets.

    Returns
    -------
    data : dict of str to Dataset
        The datasets by name, dense.
    missing : dict of str to str
        For each one that was not found, how to get it.
    """
    return _load_datasets(_find_datasets(plan, datasets))


def _find_datasets(plan: Plan, datasets: Sequence[str] | None) -> dict[str, str | DataFile]:
    """The datasets to run by name."""
    known = dict(zip(plan.dataset_names, plan.datasets, strict=True))
    for name in datasets or ():
        if name not in known:
            raise ValueError(
                f"datasets has {name!r}, which is not in the plan{did_you_mean(name, known)}; it "
                f"has {', '.join(known)}."
            )
    return {name: d for name, d in known.items() if datasets is None or name in datasets}


def _limit_selectors(plan: Plan, methods: Sequence[str] | None) -> Plan:
    """The plan with some of its selectors."""
    if methods is None:
        return plan
    known = dict.fromkeys(spec.name for spec in plan.selectors)
    for name in methods:
        if name not in known:
            raise ValueError(
                f"methods has {name!r}, which is not in the plan{did_you_mean(name, known)}; it "
                f"has {', '.join(known)}."
            )
    return replace(plan, selectors=tuple(s for s in plan.selectors if s.name in methods))


def _check_selectors(plan: Plan) -> None:
    """Import and construct every selector, so that a fault is found before any work is done."""
    for spec in plan.selectors:
        try:
            resolve(spec.method, spec.parameters, 1, 0, plan.folder)
        except ValueError as error:
            raise ValueError(f"Selector {spec.name!r}: {error}") from None


def _load_datasets(wanted: dict[str, str | DataFile]) -> tuple[dict[str, Dataset], dict[str, str]]:
    """The datasets that are here, and what to do about those that are not."""
    data, missing = {}, {}
    for name, source in wanted.items():
        if isinstance(source, DataFile):  # a file of one's own must be there
            try:
                data[name] = _make_dense(read_table(source.path, **source.options))
            except TypeError as error:  # an argument that the reader does not have
                raise ValueError(f"Dataset {name!r}: {error}") from None
            continue
        try:
            data[name] = _make_dense(load_dataset(name))
        except FileNotFoundError as error:
            missing[name] = str(error)
    return data, missing


def _make_dense(data: Dataset) -> Dataset:
    """Learners take dense samples; what is sparse is stored so for its size on disk only."""
    return data._replace(X=data.X.toarray()) if issparse(data.X) else data


def _compile(runs: Sequence[Run], folder: str | None) -> None:
    """Run each selector on a toy, so that compiled code is in the cache before workers start.

    Several processes that compile the same function at once can spoil numba's cache.
    """
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), np.arange(30) % 3
    for run in {run.selector.name + run.selector.tune: run for run in runs}.values():
        toy = Run("", "", run.selector, "inside", 0, 2, 0, (1, 2), run.learners)
        with suppress(Exception):  # the run itself will fail too, and its error is kept
            evaluate_run(toy, X, y, folder)


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
