"""``s2fs data``."""

import numpy as np
import pytest
from click.testing import CliRunner

from s2fs.cli import main
from s2fs_bench import PAPER_DATASETS


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


@pytest.fixture
def cached(tmp_path, monkeypatch):
    """Puts datasets into the cache; nothing else can be had, since nobody answers."""
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)

    def put(*names):
        folder = tmp_path / "cache" / "s2fs"
        folder.mkdir(parents=True)
        paths = [folder / f"{name}.npz" for name in names]
        for path in paths:
            np.savez(path, X=np.zeros(1))
        return list(map(str, paths))

    return put


def test_fetch_prints_the_file(run, cached):
    paths = cached(*PAPER_DATASETS)
    result = run("fetch", "--all")
    assert result.exit_code == 0, result.stderr
    assert result.output.split() == paths


def test_failed_fetch_does_not_stop_the_others(run, cached):
    paths = cached("yale")
    result = run("fetch", "orl", "yale")
    assert result.exit_code == 2
    assert result.stdout.split() == paths
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: orl could not be downloaded from https://")


def test_force_asks_again_for_what_is_in_the_cache(run, cached):
    (path,) = cached("yale")
    assert run("fetch", "yale").stdout.split() == [path]
    result = run("fetch", "yale", "--force")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "yale could not be downloaded" in result.stderr


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
