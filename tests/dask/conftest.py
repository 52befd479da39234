"""One cluster of two worker processes on loopback for all tests that do not break it."""

import subprocess
import sys
from contextlib import contextmanager

import pytest
from distributed import Client, LocalCluster


@pytest.fixture(scope="session")
def cluster():
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        yield client


@contextmanager
def started(*options):
    """A scheduler, and for each list of options a worker process that nobody restarts."""
    with (
        LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address,
                   "--no-nanny", "--no-dashboard", "--nthreads", "1"]  # fmt: skip
        processes = [
            subprocess.Popen(
                [*command, *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            for more in options
        ]
        try:
            client.wait_for_workers(len(options), timeout=300)
            yield client, processes
        finally:
            for process in processes:
                process.kill()
                process.wait()


@pytest.fixture
def start():
    """The function that starts workers for a test to break."""
    return started
