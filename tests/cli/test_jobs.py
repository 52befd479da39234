"""What a job that runs the command can rely on: exit codes, logs, and notes that come once."""

import logging
import shlex

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from s2fs import compare
from s2fs.cli import main


def write(path, shift, **more):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    frame = pd.DataFrame(rng.normal(size=(60, 6)) + shift * y[:, None], columns=[*"abcdef"])
    frame.assign(**more, kind=np.array(["u", "v"])[y]).to_csv(path, index=False)
    return path


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.parametrize(("shift", "code"), [(2.0, 0), (0.0, 1)])
def test_the_exit_code_says_whether_the_selection_is_better(tmp_path, shift, code):
    path = write(tmp_path / "t.csv", shift)
    done = run("select", path, "-t", "kind", "-k", 2, "--fail-if-not-better", "-o",
               tmp_path / "r.csv")  # fmt: skip
    assert done.exit_code == code, done.output
    assert (tmp_path / "r.csv").exists()
    assert run("select", path, "-t", "kind", "-k", 2).exit_code == 0


def test_to_fail_needs_a_verdict(tmp_path):
    path = write(tmp_path / "t.csv", 1.0)
    done = run("select", path, "-t", "kind", "--fail-if-not-better", "--no-verdict")
    assert done.exit_code == 2
    assert "--fail-if-not-better needs the verdict" in done.stderr


def test_the_next_command_keeps_what_was_asked_and_advised(tmp_path):
    path = write(tmp_path / "t.csv", 1.0, patient=np.arange(60) // 3)
    done = run("select", path, "-t", "kind", "-k", 2)
    assert "--group patient keeps samples" in done.stderr
    following = done.stdout.splitlines()[-1].removeprefix("Next: ")
    words = ["s2fs", "select", str(path), "-t", "kind", "-k", "2", "--group", "patient"]
    outputs = ["--save", "panel.json", "--report", "report.html"]
    assert shlex.split(following) == [*words, *outputs]
    again = run(*words[1:])
    assert again.exit_code == 0
    following = again.stdout.splitlines()[-1].removeprefix("Next: ")
    assert shlex.split(following) == [*words, *outputs]


def test_a_note_is_shown_once(tmp_path, monkeypatch):
    (tmp_path / "loud.py").write_text(
        "import warnings\n"
        "from sklearn.feature_selection import SelectKBest\n"
        "class Loud(SelectKBest):\n"
        "    def fit(self, X, y):\n"
        "        warnings.warn('the same sentence')\n"
        "        return super().fit(X, y)\n"
    )
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "t.csv", 1.0)
    done = run("compare", path, "-t", "kind", "-k", 2, "--selectors", "loud:Loud")
    assert done.exit_code == 0, done.output
    assert done.stderr.count("the same sentence") == 1


def test_the_logger_tells_what_is_done(caplog):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    with caplog.at_level(logging.INFO, logger="s2fs"):
        compare(X, y, k=[1, 2], selectors=["anovaf"], n_repeats=2)
    assert caplog.messages == ["evaluating ANOVA F with 1, 2 features in 10 folds of 40 samples"]
