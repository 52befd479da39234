"""A lost worker costs time, never the answer; without workers the fit ends with an error."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster
from sklearn.base import clone

import inner
import s2fs
from inner import Cluster, ClusterState
from s2fs import S2FS, PairCover


@pytest.fixture
def workers(start):
    with start([], []) as found:
        yield found


def before_step(monkeypatch, n, action):
    """Do something when a search is about to take its step ``n``, from 0."""
    add, steps = ClusterState.add, []

    def act_and_add(state, feature):
        if len(steps) == n:
            action()
        steps.append(feature)
        add(state, feature)

    monkeypatch.setattr(ClusterState, "add", act_and_add)


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


def table(n=400, m=30):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    return rng.normal(size=(n, m)) + y[:, None] * rng.uniform(size=m), y


def assert_same(selector, local):
    np.testing.assert_array_equal(selector.indices_, local.indices_)
    np.testing.assert_allclose(selector.scores_, local.scores_, rtol=0, atol=1e-9)


def test_workers_are_killed_in_the_middle(workers, monkeypatch):
    client, (first, second) = workers
    X, y = table()
    dask_X = da.from_array(X, chunks=(50, 30))
    local = S2FS(6).fit(X, y)

    with monkeypatch.context() as patch:
        before_step(patch, 2, lambda: kill(first))
        selector = S2FS(6).fit(dask_X, y)
    assert first.returncode == -signal.SIGKILL
    assert_same(selector, local)
    assert len(client.nthreads()) == 1

    monkeypatch.setattr(inner.cluster, "PATIENCE", 2.0)
    before_step(monkeypatch, 3, lambda: kill(second))
    with pytest.raises(RuntimeError, match=r"All workers of the Dask cluster at tcp.* are gone"):
        S2FS(6).fit(dask_X, y)
    with pytest.raises(RuntimeError, match="none came within 2 s; start workers and fit again"):
        S2FS(6).fit(dask_X, y)


def before_answer(monkeypatch, n, action):
    """Do something when the fit is about to wait for its answer ``n`` of the cluster, from 0."""
    gather, answers = Cluster.gather, []

    def act_and_gather(cluster, futures):
        if len(answers) == n:
            action()
        answers.append(len(futures))
        return gather(cluster, futures)

    monkeypatch.setattr(Cluster, "gather", act_and_gather)
    return answers


def test_a_worker_is_killed_at_any_moment(start, monkeypatch):
    """During the summary, the second pass, a question to the shards; during a search for copies."""
    X, y = table(400, 12)
    X = np.hstack([X, 2 - X])
    dask_X = da.from_array(X, chunks=(50, 24))
    moments = [(S2FS(5, max_correlation=0.9), n) for n in (0, 1, 2, 6)]
    moments += [(PairCover(16, correlation=0), n) for n in (0, 1)]
    with start(*([] for _ in range(len(moments) + 1))) as (client, workers):
        for (selector, n), worker in zip(moments, workers[1:], strict=True):
            local = clone(selector).fit(X, y)
            with monkeypatch.context() as patch:
                answers = before_answer(patch, n, lambda worker=worker: kill(worker))
                assert_same(selector.fit(dask_X, y), local)
            assert len(answers) > n
        assert len(client.nthreads()) == 1


def test_nothing_is_left_on_the_cluster_after_an_error(workers, monkeypatch):
    client, processes = workers
    X, y = table()
    dask_X = da.from_array(X, chunks=(50, 30))

    def assert_nothing_is_left():
        deadline = time.monotonic() + 60
        while left := client.run_on_scheduler(lambda dask_scheduler: set(dask_scheduler.tasks)):
            assert time.monotonic() < deadline, left
            time.sleep(0.05)

    gaps = X.copy()
    gaps[7, 3] = np.nan
    with pytest.raises(ValueError, match="NaN in column 3") as raised:
        S2FS(4).fit(da.from_array(gaps, chunks=(50, 30)), y)
    assert_nothing_is_left()
    assert raised.value.__traceback__ is not None  # as a notebook keeps it
    monkeypatch.setattr(inner.cluster, "PATIENCE", 2.0)
    before_answer(monkeypatch, 3, lambda: [kill(process) for process in processes])
    with pytest.raises(RuntimeError, match="are gone, and none came within 2 s") as raised:
        S2FS(4).fit(dask_X, y)
    assert_nothing_is_left()
    assert raised.value.__traceback__ is not None


@pytest.mark.parametrize("selector", [S2FS(4), PairCover(4)], ids=["S2FS", "PairCover"])
def test_the_scheduler_is_killed(tmp_path, monkeypatch, selector):
    """Within a minute there is a sentence, without any setting of Dask."""
    file = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard",
               "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)]  # fmt: skip
    scheduler = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    X, y = table()
    try:
        deadline = time.monotonic() + 120
        while not file.exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        with (
            Client(scheduler_file=str(file), timeout="60s") as client,
            running_worker(client.scheduler.address),
        ):
            client.wait_for_workers(1, timeout=120)
            killed_at = []
            before_answer(
                monkeypatch, 0, lambda: (kill(scheduler), killed_at.append(time.monotonic()))
            )
            with pytest.raises(RuntimeError, match="connection to the Dask scheduler at"):
                selector.fit(da.from_array(X, chunks=(50, 30)), y)
            assert time.monotonic() - killed_at[0] < 60
    finally:
        scheduler.kill()
        scheduler.wait()


@contextmanager
def running_worker(address):
    """A worker process that nobody restarts."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address,
               "--no-nanny", "--no-dashboard", "--nthreads", "1"]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.long  # it waits for Dask's own time-out
def test_a_worker_that_hangs_is_given_up_by_the_scheduler(start, monkeypatch):
    X, y = table()
    dask_X = da.from_array(X, chunks=(50, 30))
    # Loaded before they register: a worker that is busy with imports is silent, too.
    loaded = ["--preload", "s2fs.dask.separability"]
    with (
        dask.config.set({"distributed.scheduler.worker-ttl": "20s"}),
        start(loaded, loaded) as (client, (first, _)),
    ):
        S2FS(2).fit(dask_X, y)
        before_step(monkeypatch, 2, lambda: first.send_signal(signal.SIGSTOP))
        assert_same(S2FS(6).fit(dask_X, y), S2FS(6).fit(X, y))
        assert len(client.nthreads()) == 1


@pytest.mark.long
def test_a_worker_that_is_silent_from_the_start(start, monkeypatch):
    X, y = table(120, 8)
    dask_X = da.from_array(X, chunks=(30, 8))
    monkeypatch.setattr(inner.cluster, "PATIENCE", 3.0)
    with start([], []) as (_, (first, _)):
        first.send_signal(signal.SIGSTOP)
        with pytest.raises(RuntimeError, match=r"Not all workers .* answer within 3 s; restart"):
            S2FS(3).fit(dask_X, y)


#: What a worker loads first, and what is then said of it.
OTHER_WORKERS = {
    "another version": ("import s2fs\ns2fs.__version__ = '0.0.9'\n", r"s2fs 0\.0\.9"),
    "other code": (
        "import sys\n"
        "sys.meta_path = [f for f in sys.meta_path if 'editable' not in type(f).__module__]\n"
        "sys.path.insert(0, {folder!r})\n"
        "import s2fs\n",
        f"other code of s2fs {re.escape(s2fs.__version__)}",
    ),
    "no s2fs": ("import sys\nsys.modules['s2fs'] = None\n", "no s2fs"),
}


@pytest.mark.parametrize("case", OTHER_WORKERS)
def test_a_worker_with_another_s2fs_is_refused(start, tmp_path, case):
    code, found = OTHER_WORKERS[case]
    if case == "other code":
        shutil.copytree(Path(s2fs.__file__).parent, tmp_path / "s2fs")
        with open(
            tmp_path / "s2fs" / "criteria" / "separability.py", "a", encoding="utf-8"
        ) as file:
            file.write("# another line\n")
    preload = tmp_path / "preload.py"
    preload.write_text(code.format(folder=str(tmp_path)), encoding="utf-8")
    X, y = table(60, 4)
    dask_X = da.from_array(X, chunks=(20, 4))
    words = rf"^The worker at tcp://\S* has {found}, but this is s2fs .*start them again\.$"
    with start(["--preload", str(preload)]):
        for selector in (S2FS(2), PairCover(2)):
            with pytest.raises(RuntimeError, match=words):
                selector.fit(dask_X, y)


def test_the_scheduler_is_lost(monkeypatch):
    X, y = np.random.default_rng(1).normal(size=(60, 8)), np.arange(60) % 2
    cluster = LocalCluster(n_workers=1, processes=False, dashboard_address=":0")
    with Client(cluster) as client:
        add = ClusterState.add
        monkeypatch.setattr(ClusterState, "add", lambda *args: (cluster.close(), add(*args)))
        with pytest.raises(RuntimeError, match=r"connection to the Dask scheduler at .* was lost"):
            S2FS(3).fit(da.from_array(X, chunks=(20, 8)), y)
        assert client.status != "running"


def test_samples_that_kill_their_workers_are_told(workers):
    client, _ = workers
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
    ones = da.ones((40, 4), chunks=(40, 4))
    dask_X = ones.map_blocks(lambda chunk: os._exit(1), meta=np.ones((0, 0)))
    with pytest.raises(RuntimeError, match="died again and again over the same samples"):
        S2FS(2).fit(dask_X, np.arange(40) % 2)
