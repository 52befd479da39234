"""Nothing is lost to a screen: files are written whatever becomes of the streams."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
S2FS = Path(sys.executable).with_name("s2fs")
FILES = ["r.csv", "r.html", "s.json"]
SELECT = "select t.csv -t kind -k 2 -o r.csv --save s.json --report r.html"
FULL = "Error: Standard output cannot be written to (No space left on device); "


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 4)), columns=["größe", "b", "c", "d"])
    frame.assign(kind=np.arange(30) % 2).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path


def shell(folder, command, **environment):
    """Run a command of s2fs by a shell, with its redirections."""
    return subprocess.run(
        f"{S2FS} {command}", shell=True, cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, **environment}, errors="replace",
    )  # fmt: skip


def written(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "t.csv")


@pytest.mark.parametrize("encoding", ["cp1252", "cp437"])
def test_an_encoding_without_our_characters(folder, encoding):
    done = shell(folder, SELECT, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert written(folder) == FILES
    assert "1  " in done.stdout
    assert "?" in done.stdout  # a bar, or a letter


@pytest.mark.parametrize(
    ("streams", "code", "said"),
    [
        (">&-", 0, ""),
        ("2>&-", 0, ""),
        (">&- 2>&-", 0, ""),
        (">/dev/full", 2, FULL),
        ("2>/dev/full", 0, ""),
        ("| true", 0, ""),
    ],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_streams_that_are_closed_or_full(folder, streams, code, said, unbuffered):
    if streams == ">/dev/full" and not Path("/dev/full").exists():
        pytest.skip("no such device here")
    done = shell(folder, f"{SELECT} {streams}", PYTHONUNBUFFERED=unbuffered)
    assert (done.returncode, done.stderr.count("\n")) == (code, bool(said))
    assert done.stderr.startswith(said)
    assert written(folder) == FILES
    assert len(pd.read_csv(folder / "r.csv")) == 2
    assert "</html>" in (folder / "r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "command", ["compare t.csv -t kind -k 2 --repeats 1", "score t.csv -t kind -f b", "info"]
)
def test_other_commands_with_a_closed_standard_error(folder, command):
    done = shell(folder, f"{command} 2>&-")
    assert done.returncode == 0
    assert done.stdout


def test_an_output_that_would_be_lost_is_refused(folder):
    assert shell(folder, SELECT).returncode == 0
    for command in ("transform s.json t.csv", "select t.csv -t kind"):
        done = shell(folder, f"{command} >&-")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "Error: Standard output is closed; give a file with --output.\n"
    done = shell(folder, "transform s.json t.csv -o new.csv >&- 2>&-")
    assert done.returncode == 0
    assert len(pd.read_csv(folder / "new.csv")) == 30


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
@pytest.mark.parametrize("command", ["--version", "select --help", "transform s.json t.csv"])
def test_what_is_only_shown_and_cannot_be_is_an_error(folder, command):
    assert shell(folder, SELECT).returncode == 0
    done = shell(folder, f"{command} >/dev/full")
    assert done.returncode == 2
    assert done.stderr.startswith(FULL)
    assert done.stderr.count("\n") == 1


def test_what_has_no_end_or_no_content_is_refused(folder):
    for model, said in (("/dev/zero", "is a device and has no end"), (".", "is a directory")):
        done = shell(folder, f"transform {model} t.csv")
        assert (done.returncode, done.stderr) == (2, f"Error: {model} {said}; give a file.\n")


def test_too_little_memory_is_one_sentence(folder):
    code = (
        "import s2fs.selectors.pair_cover as module\nfrom s2fs.cli import main\n"
        "def fit(*_, **__): raise MemoryError\nmodule.PairCover.fit = fit\n"
        "main(['select', 't.csv', '-t', 'kind', '-k', '2'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("Error: There is not enough memory; ")


def test_a_damaged_part_of_a_table_is_named(folder):
    (folder / "parts").mkdir()
    frame = pd.read_csv(folder / "t.csv")
    for name in ("a", "b"):
        frame.to_parquet(folder / "parts" / f"{name}.parquet")
    whole = (folder / "parts" / "b.parquet").read_bytes()
    (folder / "parts" / "b.parquet").write_bytes(whole[:-300] + bytes(292) + whole[-8:])
    done = shell(folder, "select parts -t kind")
    assert done.returncode == 2
    assert done.stderr.startswith("Error: parts/b.parquet is damaged, or not a .parquet file")
