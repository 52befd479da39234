"""Ctrl-C, sent to a process of its own after a known step, where it waits for it."""

import json
import os
import re
import select
import signal
import sys
import time
from importlib.util import find_spec
from tempfile import NamedTemporaryFile

import numpy as np
import pytest
import tqdm.auto

from processes import s2fs, started
from s2fs import S2FS, PairCover
from s2fs.io import read_table

pytestmark = pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")


def until(wanted, last, *command):
    """``s2fs``, whose progress bar of the given label stops after a number of steps."""
    update = tqdm.auto.tqdm.update

    def stopping_update(bar, n=1):
        update(bar, n)
        if bar.desc == wanted and bar.n == last:
            print("waiting", file=sys.__stderr__, flush=True)
            time.sleep(3600)

    tqdm.auto.tqdm.update = stopping_update
    s2fs(*command)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "table.npz"
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    np.savez(path, X=rng.normal(size=(60, 40)) + rng.normal(size=(3, 40))[y], y=y)
    return path


def interrupted(folder, label, step, *options):
    """Start ``s2fs``, send SIGINT after a step of its progress bar, and wait for the end."""
    ours, theirs = os.openpty()
    seen, sent, patience = "", False, time.monotonic() + 600
    with (
        NamedTemporaryFile() as stdout,
        started(
            until, label, step, *map(str, options), folder=folder, stdout=stdout.name,
            stderr=os.ttyname(theirs), TERM="xterm", COLUMNS="100",
        ) as process,
    ):  # fmt: skip
        while time.monotonic() < patience:
            if select.select([ours], [], [], 0.2)[0]:
                seen += os.read(ours, 10_000).decode(errors="replace")
            elif not process.is_alive():
                break
            if not sent and "waiting" in seen:
                os.kill(process.pid, signal.SIGINT)
                sent = True
        printed = stdout.read().decode()
    os.close(ours)
    os.close(theirs)
    assert sent, seen
    assert "Traceback" not in seen
    assert "Aborted" not in seen
    return process.exitcode, printed, seen


def ranked(stdout):
    """The features of a printed ranking, which follow their ranks."""
    return re.findall(r"^ *\d+ +(\S+)", stdout, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("options", "kind"), [([], PairCover), (["--method", "s2fs"], S2FS)], ids=["PairCover", "S2FS"]
)
def test_the_ranking_found_so_far_is_printed(table, tmp_path, options, kind):
    options = [*options, "-k", 30, "-o", "r.csv", "--save", "m.json"]
    code, stdout, seen = interrupted(tmp_path, "Selecting", 7, "select", table, *options)
    assert code == 130
    if find_spec("sklearn.callback") is None:
        assert "Stopped before the end. No file was written." in seen
        assert stdout == ""
        return
    found = ranked(stdout)
    told = re.search(r"Stopped after (\d+) of 30 features; this ranking is partial", seen)
    assert int(told[1]) == len(found) == 7
    assert "No file was written." in seen
    assert list(tmp_path.iterdir()) == []
    data = read_table(table)
    first = kind(7).fit(data.X, data.y).indices_
    assert found == [data.feature_names[f] for f in first]


def test_files_are_written_though_the_verdict_is_missing(table, tmp_path):
    options = ["-k", 3, "-o", "r.json", "--save", "m.json", "--report", "r.html"]
    code, stdout, seen = interrupted(tmp_path, "Comparing", 2, "select", table, *options)
    assert code == 130
    found = ranked(stdout)
    data = read_table(table)
    selected = PairCover(3).fit(data.X, data.y).indices_
    assert found == [data.feature_names[f] for f in selected]
    told = "Stopped before the verdict; the ranking is complete. r.json has no accuracies. "
    assert f"{told}r.html was not written." in " ".join(seen.split())
    assert sorted(file.name for file in tmp_path.iterdir()) == ["m.json", "r.json"]
    written = json.loads((tmp_path / "r.json").read_text())
    assert [row["feature"] for row in written["rows"]] == found
    assert written["evaluation"] is None


def test_nothing_is_printed_before_anything_is_chosen(table, tmp_path):
    code, stdout, seen = interrupted(
        tmp_path, "Tuning", 1, "select", table, "-k", "auto", "--tune", "-o", "r.csv"
    )
    assert (code, stdout) == (130, "")
    assert "Stopped." in seen
    assert list(tmp_path.iterdir()) == []
