"""``s2fs.dask.connect``, which says in a sentence why there is no cluster."""

import sys

import pytest

import inner
from s2fs.dask import connect


def test_a_client_of_the_cluster(cluster):
    with connect(cluster.scheduler_address) as client:
        assert len(client.nthreads()) == 2


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x"])
def test_nobody_answers(monkeypatch, address):
    monkeypatch.setattr(inner.connection, "ANSWER_WITHIN", 1.0)
    with pytest.raises(OSError, match=rf"No Dask scheduler answers at '{address}' within 1 s"):
        connect(address)


def test_dask_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 's2fs\[dask\]'"):
        connect("tcp://127.0.0.1:1")
