"""``s2fs data``."""

import numpy as np
import pytest
from click.testing import CliRunner

from s2fs.bench import PAPER_DATASETS
from s2fs.cli import main


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("S2FS_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return lambda *arguments: CliRunner().invoke(main, ["data", *arguments])


def test_list_tells_what_is_here(run, tmp_path):
    np.savez(tmp_path / "yale.npz", X=np.zeros(1))
    result = run("list")
    assert result.exit_code == 0
    lines = result.output.splitlines()[1:]
    assert [line.split()[0] for line in lines] == list(PAPER_DATASETS)
    here = [line.split()[0] for line in lines if not line.endswith("not here")]
    assert here == ["yale"]


def test_info(run):
    result = run("info", "warpar10p")
    assert "60 × 40, order F" in result.output
    assert PAPER_DATASETS["warpar10p"].source.git_blob in result.output
    assert "not known" in run("info", "lung").output


def test_fetch_prints_the_file(run, monkeypatch, tmp_path):
    monkeypatch.setattr(
        "s2fs.cli._data.fetch_dataset", lambda name, force: tmp_path / f"{name}.npz"
    )
    result = run("fetch", "--all")
    assert result.exit_code == 0
    assert result.output.split() == [str(tmp_path / f"{name}.npz") for name in PAPER_DATASETS]


def test_failed_fetch_does_not_stop_the_others(run, monkeypatch, tmp_path):
    def fetch(name, force):
        if name == "orl":
            raise OSError("orl could not be downloaded.")
        return tmp_path / name

    monkeypatch.setattr("s2fs.cli._data.fetch_dataset", fetch)
    result = run("fetch", "orl", "yale")
    assert result.exit_code == 2
    assert result.stdout.split() == [str(tmp_path / "yale")]
    assert result.stderr.splitlines() == ["Error: orl could not be downloaded."]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fetch"], "Error: NAME is missing; give names from 's2fs data list', or --all."),
        (
            ["fetch", "orl", "yael"],
            "Error: name is 'yael', which is not a known dataset (did you me",
        ),
        (["info", "x"], "Error: name is 'x', which is not a known dataset; known are all_aml_3"),
    ],
)
def test_bad_input_is_one_line(run, arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1
