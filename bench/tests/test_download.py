"""Downloads, from a server on this machine that stands for the public one."""

import hashlib
import subprocess
import threading
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from scipy.io import savemat

from benches import content_hash
from s2fs_bench import PAPER_DATASETS, DatasetInfo, fetch_dataset, find_dataset, load_dataset

X = np.array([[3, 0.25, 7], [1, 8.5, -2], [0.1, 4, 6], [9, 9, 0.3]])
LABELS = np.array([2, 1, 3, 1])
CODES = np.array([1, 0, 2, 0])


def git_blob(path):
    """What git calls the content of a file."""
    found = subprocess.run(["git", "hash-object", path], capture_output=True, text=True, check=True)
    return found.stdout.strip()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture
def server(tmp_path, monkeypatch):
    """The address of a server of the folder ``tmp_path / "web"``, and an empty cache."""
    monkeypatch.delenv("S2FS_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "web").mkdir()
    handler = partial(Quiet, directory=tmp_path / "web")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


@pytest.fixture
def publish(tmp_path, monkeypatch, server):
    """Put a file on the server and its description into the registry."""

    def put(filename, write, *, blob=None, sha256="right", content=None):
        path = tmp_path / "web" / "some" / "repo" / "c0ffee" / "data" / filename
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path)
        sums = {"right": hashlib.sha256(path.read_bytes()).hexdigest()}
        source = replace(
            PAPER_DATASETS["lung"].source,
            repository="some/repo",
            commit="c0ffee",
            path=f"data/{filename}",
            git_blob=blob or git_blob(path),
            sha256=sums.get(sha256, sha256),
        )
        info = DatasetInfo("tiny", "Tiny", 4, 3, ("p", "q", "r"), source, content)
        monkeypatch.setitem(PAPER_DATASETS, "tiny", info)
        return path

    return put


def as_mat(path):
    savemat(path, {"X": X, "Y": LABELS[:, None]})


def as_csv(path, *, header=False, label_last=True):
    order = [X, LABELS[:, None]] if label_last else [LABELS[:, None], X]
    lines = [",".join(repr(float(v)) for v in row) for row in np.hstack(order)]
    path.write_text("\n".join((["g1,g2,g3,class"] if header else []) + lines) + "\n")


def leftovers(tmp_path):
    return [p.name for p in (tmp_path / "cache").rglob("*") if p.is_file()]


@pytest.mark.parametrize(
    ("filename", "write"),
    [
        ("tiny.mat", as_mat),
        ("tiny.csv", as_csv),
        ("tiny.csv", partial(as_csv, header=True)),
        ("tiny.csv", partial(as_csv, label_last=False)),
    ],
    ids=["mat", "csv", "csv with header", "labels first"],
)
def test_every_layout_gives_the_same_numbers(publish, server, tmp_path, filename, write):
    publish(filename, write, content=content_hash(X, CODES))
    assert find_dataset("tiny") is None
    path = fetch_dataset("tiny", base_url=server)
    assert path == find_dataset("tiny") == tmp_path / "cache" / "s2fs" / "tiny.npz"
    data = load_dataset("tiny")
    assert np.array_equal(data.X, X)
    assert np.array_equal(data.y, CODES)
    assert data.class_names == ["p", "q", "r"]
    with np.load(path, allow_pickle=False) as file:
        assert file["source_labels"].tolist() == [1, 2, 3]
    assert leftovers(tmp_path) == ["tiny.npz"]


def test_second_fetch_needs_no_server(publish, server):
    publish("tiny.mat", as_mat)
    path = fetch_dataset("tiny", base_url=server)
    assert fetch_dataset("tiny", base_url="http://127.0.0.1:9") == path
    with pytest.raises(OSError, match="could not be downloaded"):
        fetch_dataset("tiny", base_url="http://127.0.0.1:9", force=True)
    assert load_dataset("tiny").X.shape == (4, 3)  # a failed update leaves the old file


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sha256": "0" * 64}, r"SHA256 hash of downloaded file \(tiny.mat\) does not match"),
        ({"sha256": None, "blob": "0" * 40}, "git blob .* instead of 0000.*nothing was kept"),
    ],
    ids=["SHA-256", "git blob"],
)
def test_wrong_content_is_not_kept(publish, server, tmp_path, wrong, message):
    publish("tiny.mat", as_mat, **wrong)
    with pytest.raises(ValueError, match=message):
        fetch_dataset("tiny", base_url=server)
    assert leftovers(tmp_path) == []


def test_without_a_sha256_the_git_blob_is_enough(publish, server):
    publish("tiny.mat", as_mat, sha256=None)
    assert fetch_dataset("tiny", base_url=server).is_file()


def test_unexpected_numbers_are_refused(publish, server, tmp_path):
    publish("tiny.mat", as_mat, content=content_hash(X + 1, CODES))
    with pytest.raises(ValueError, match="its numbers are not the expected ones"):
        fetch_dataset("tiny", base_url=server)
    assert leftovers(tmp_path) == []


def test_unexpected_shape_is_refused(publish, server):
    publish("tiny.mat", lambda path: savemat(path, {"X": X[:, :2], "Y": LABELS}))
    with pytest.raises(ValueError, match="came as 4 × 2 numbers with 4 labels instead of 4 × 3"):
        fetch_dataset("tiny", base_url=server)


def test_file_that_is_not_there(publish, server):
    publish("tiny.mat", as_mat).unlink()
    with pytest.raises(OSError, match=r"tiny could not be .*/tiny\.mat \(404 Client Error"):
        fetch_dataset("tiny", base_url=server)


def test_without_a_network(publish):
    publish("tiny.mat", as_mat)
    with pytest.raises(OSError, match=r"\(ConnectionError\); check the network, or put tiny\.npz"):
        fetch_dataset("tiny", base_url="http://127.0.0.1:9")
