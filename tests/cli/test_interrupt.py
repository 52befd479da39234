"""Ctrl-C, sent to a process of its own at a moment that is known from its progress bar."""

import os
import re
import select
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from s2fs import S2FS
from s2fs.datasets import read_table

pytestmark = pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """Large enough for a search of minutes."""
    path = tmp_path_factory.mktemp("wide") / "wide.npz"
    rng = np.random.default_rng(0)
    y = np.arange(200) % 5
    np.savez(path, X=rng.normal(size=(200, 2000)) + rng.normal(size=(5, 2000))[y], y=y)
    return path


def interrupted(folder, sign, *options):
    """Start ``s2fs``, send SIGINT when its terminal shows the sign, and wait for the end."""
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [Path(sys.executable).with_name("s2fs"), *map(str, options)],
        cwd=folder, stdout=subprocess.PIPE, stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )  # fmt: skip
    os.close(theirs)
    seen, sent, patience = "", False, time.monotonic() + 120
    try:
        while time.monotonic() < patience:
            if not select.select([ours], [], [], 1)[0]:
                continue
            try:
                piece = os.read(ours, 10_000)
            except OSError:  # the process has closed the terminal
                break
            seen += piece.decode(errors="replace")
            if not sent and re.search(sign, seen):
                process.send_signal(signal.SIGINT)
                sent = True
        stdout = process.communicate(timeout=60)[0].decode()
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert sent, seen
    assert "Traceback" not in seen
    assert "Aborted" not in seen
    return process.returncode, stdout, seen


def test_the_ranking_found_so_far_is_printed(wide, tmp_path):
    pytest.importorskip("sklearn.callback", reason="needs scikit-learn 1.9")
    code, stdout, seen = interrupted(
        tmp_path, r"[1-9]\d*%", "select", wide, "-k", 1000, "-o", "r.csv", "--save", "m.json"
    )
    assert code == 130
    table = pd.read_csv(StringIO(stdout), sep=r"\s+")
    assert 0 < len(table) < 1000
    told = re.search(r"Stopped after (\d+) of 1000 features; this ranking is partial", seen)
    assert int(told[1]) == len(table)
    assert "No file was written." in seen
    assert list(tmp_path.iterdir()) == []
    data = read_table(wide)
    first = S2FS(min(len(table), 20)).fit(data.X, data.y).indices_
    assert table["feature"].tolist()[:20] == [data.feature_names[f] for f in first]


def test_a_complete_ranking_is_printed_if_only_the_stability_is_missing(wide, tmp_path):
    options = ["-k", 3, "--stability", 100_000, "-o", "r.csv"]
    code, stdout, seen = interrupted(tmp_path, "subsamples", "select", wide, *options)
    assert code == 130
    assert len(pd.read_csv(StringIO(stdout), sep=r"\s+")) == 3
    assert "the ranking is complete" in seen
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_printed_before_anything_is_chosen(wide, tmp_path):
    code, stdout, seen = interrupted(
        tmp_path, "folds", "select", wide, "-k", "auto", "--tune", "-o", "r.csv"
    )
    assert (code, stdout) == (130, "")
    assert "Stopped." in seen
    assert list(tmp_path.iterdir()) == []
