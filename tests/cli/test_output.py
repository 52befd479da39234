"""What is printed: one table in a pipe and on a terminal, and beside the result for users only."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from s2fs import S2FS, PairCover
from s2fs.cli import main

needs_terminal = pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")


X, Y = np.array([[0, 1.0], [1, 3], [8, 2], [9, 9]]), np.array(["u", "u", "v", "v"])


@pytest.fixture
def command(tmp_path):
    """A selection of features whose names are markup, and would steer a terminal."""
    path = tmp_path / "t.npz"
    names = np.array(["[red]a[/red]", "two\nlines\t\x1b[2J\0!"])
    np.savez(path, X=X, y=Y, feature_names=names)
    return [Path(sys.executable).with_name("s2fs"), "select", path, "-k", "2", "--no-verdict"]


@pytest.mark.parametrize(("options", "kind"), [([], PairCover), (["--method", "s2fs"], S2FS)])
def test_plain_when_piped(command, options, kind):
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    heading, *lines = done.stdout.splitlines()
    assert heading.split() == ["#", "feature", "stands", "out", "gain", "score", "so", "far"]
    assert [line[: heading.index("stands") - 2].rstrip() for line in (heading, *lines[:2])] == [
        "#  feature",
        "1  [red]a[/red]",
        "2  two\\nlines\\t\\x1b[2J\\x00!",
    ]
    # Text to the left, numbers to the right, two blanks between.
    end = heading.index("score so far") + len("score so far")
    scores = [line[:end].split()[-1] for line in lines[:2]]
    assert all(line[end - 1] == score[-1] for line, score in zip(lines, scores, strict=False))
    expected = kind(2).fit(X, Y).scores_
    assert [float(score.replace("−", "-")) for score in scores] == pytest.approx(expected, rel=5e-3)
    assert done.stderr == ""  # notes are for terminals only


def seen(command, stream):
    """What a terminal in the place of an output is shown, and what goes into the other one."""
    ours, theirs = os.openpty()
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: theirs}
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    done = subprocess.run(command, **streams, env=environment, check=True)
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    return shown, (done.stdout or done.stderr or b"").decode()


@needs_terminal
def test_the_same_table_on_a_terminal(command):
    drawn, _ = seen(command, "stdout")
    assert "[red]a[/red]" in drawn  # a name, not a colour
    assert drawn.splitlines()[0].startswith("#  feature")
    assert r"two\nlines\t\x1b[2J\x00!" in drawn
    assert "\x1b[2J" not in drawn


@needs_terminal
@pytest.mark.parametrize(("method", "label"), [("paircover", "PairCover"), ("s2fs", "S²FS")])
def test_progress_goes_to_a_terminal_and_not_into_the_pipe(tmp_path, method, label):
    data = tmp_path / "t.csv"
    data.write_text("a,b,y\n0,1,u\n1,3,u\n5,2,v\n6,9,v\n")
    command = [Path(sys.executable).with_name("s2fs"), "select", data, "-t", "y", "-k", "2"]
    command += ["--method", method]
    shown, piped = seen(command, "stderr")
    assert "t.csv: 4 samples · 2 features · 2 classes of y (u 2, v 2)" in shown
    assert "Selecting" in shown or label in shown
    assert piped.split()[:2] == ["#", "feature"]
    assert label not in piped


def keys_of(value):
    """The names in nested objects, without those of parameters and of numbers of features."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if not isinstance(value, dict):
        return set()
    inner = [content for name, content in value.items() if name != "parameters"]
    return set(value).union(*map(keys_of, inner))


def test_every_key_of_a_result_is_documented(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(24) % 2
    np.savez(tmp_path / "t.npz", X=rng.normal(size=(24, 4)) + y[:, None], y=y)
    wanted = ["-k", "2", "-o", str(tmp_path / "r.json")]
    done = CliRunner().invoke(main, ["select", str(tmp_path / "t.npz"), *wanted])
    assert done.exit_code == 0, done.output
    keys = keys_of(json.loads((tmp_path / "r.json").read_text()))
    found = {key for key in keys if not key.isdigit()}  # numbers of features are keys of by_size
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    assert found <= set(re.findall(r"`(\w+)`", page)) | {"gain", "closest"}
