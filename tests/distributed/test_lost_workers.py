"""A lost worker costs time, never the answer; without workers the fit ends with an error."""

import os
import signal
import subprocess
import sys

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

from s2fs import S2FS
from s2fs.distributed import _cluster
from s2fs.distributed._state import DistributedState


@pytest.fixture
def workers():
    """A scheduler and two worker processes that nobody restarts."""
    with (
        LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address,
                   "--no-nanny", "--no-dashboard", "--nthreads", "1"]  # fmt: skip
        processes = [
            subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for _ in range(2)
        ]
        try:
            client.wait_for_workers(2, timeout=300)
            yield client, processes
        finally:
            for process in processes:
                process.kill()
                process.wait()


def killing(monkeypatch, process, before_step):
    """Kill a process when the search is about to take a step."""
    add = DistributedState.add
    steps = []

    def add_and_kill(state, feature):
        if len(steps) == before_step:
            process.send_signal(signal.SIGKILL)
            process.wait()
        steps.append(feature)
        add(state, feature)

    monkeypatch.setattr(DistributedState, "add", add_and_kill)


def test_workers_are_killed_in_the_middle(workers, monkeypatch):
    client, (first, second) = workers
    rng = np.random.default_rng(0)
    y = np.arange(400) % 3
    X = rng.normal(size=(400, 30)) + y[:, None] * rng.uniform(size=30)
    there = da.from_array(X, chunks=(50, 30))
    local = S2FS(6).fit(X, y)

    with monkeypatch.context() as patch:
        killing(patch, first, before_step=2)
        selector = S2FS(6).fit(there, y)
    assert first.returncode == -signal.SIGKILL
    np.testing.assert_array_equal(selector.indices_, local.indices_)
    np.testing.assert_allclose(selector.scores_, local.scores_, rtol=0, atol=1e-9)
    assert len(client.nthreads()) == 1

    monkeypatch.setattr(_cluster, "PATIENCE", 2.0)
    killing(monkeypatch, second, before_step=3)
    with pytest.raises(RuntimeError, match=r"All workers of the Dask cluster at tcp.* are gone"):
        S2FS(6).fit(there, y)
    with pytest.raises(RuntimeError, match="none came within 2 s; start workers and fit again"):
        S2FS(6).fit(there, y)


def test_the_scheduler_is_lost(monkeypatch):
    X, y = np.random.default_rng(1).normal(size=(60, 8)), np.arange(60) % 2
    cluster = LocalCluster(n_workers=1, processes=False, dashboard_address=":0")
    with Client(cluster) as client:
        add = DistributedState.add
        monkeypatch.setattr(DistributedState, "add", lambda *args: (cluster.close(), add(*args)))
        with pytest.raises(RuntimeError, match=r"connection to the Dask scheduler at .* was lost"):
            S2FS(3).fit(da.from_array(X, chunks=(20, 8)), y)
        assert client.status != "running"


def test_rows_that_kill_their_workers_are_told(workers):
    client, _ = workers
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
    ones = da.ones((40, 4), chunks=(40, 4))
    there = ones.map_blocks(lambda chunk: os._exit(1), meta=np.ones((0, 0)))
    with pytest.raises(RuntimeError, match="died again and again over the same rows"):
        S2FS(2).fit(there, np.arange(40) % 2)
