"""Only what is needed travels: at most 32 bytes per feature, step and worker."""

import dask.array as da
import numpy as np
import pytest
from distributed import Client, get_task_stream

import relay
from s2fs import S2FS


@pytest.mark.parametrize("ties", [False, True], ids=["different", "all alike"])
def test_bytes_per_step_and_worker(cluster, ties):
    m, p = 12_000, 3  # messages as such take 8 kB per step and worker, more on a busy machine
    rng = np.random.default_rng(0)
    y = np.arange(90) % p
    X = rng.normal(size=(90, m)) + y[:, None] * rng.uniform(size=m)
    if ties:
        # All features say the same, so all must be confirmed in double precision in every step.
        X = X[:, [0]] * rng.choice([-1.0, 1.0, 2.0], m)
    counted = {}
    with relay.Relay(cluster.scheduler_address) as wire, Client(wire.address) as client:
        for k in (2, 6):
            dask_X = da.from_array(
                X + k, chunks=(15, m)
            )  # another k, other data: nothing is shared
            before = wire.sent + wire.received
            # At weights of 1 hardly any feature can be ruled out before it is scored.
            S2FS(k, alpha=1, beta=1).fit(dask_X, y)
            counted[k] = wire.sent + wire.received - before
        per_step_and_worker = (counted[6] - counted[2]) / 4 / len(client.nthreads())
    assert 4 * m < per_step_and_worker <= 32 * m


def test_a_step_asks_the_shards_twice_at_most_and_moves_no_samples(client):
    rng = np.random.default_rng(1)
    y = np.arange(2000) % 4
    X = rng.normal(size=(2000, 40)) + rng.normal(size=(4, 40))[y]
    k = 15
    with get_task_stream(client) as stream:
        S2FS(k).fit(da.from_array(X, chunks=(500, 40)), y)
    sums = [task for task in stream.data if "sum_samples" in str(task["key"])]
    assert k <= len(sums) / 2 <= 2 * k
    # The scheduler takes many equal tasks for sources of data, and may deal them out anew.
    did = {what["action"] for task in sums for what in task["startstops"]}
    assert "compute" in did
    assert "transfer" not in did
