"""Packages of extras: there, or named in one sentence."""

import subprocess
import sys

import openpyxl.reader  # noqa: F401
import pyarrow.parquet  # noqa: F401
import pytest

from s2fs.io import read_table


@pytest.mark.parametrize(
    ("suffix", "package", "extra"),
    [(".xlsx", "openpyxl", "excel"), (".parquet", "pyarrow", "parquet")],
)
def test_a_package_that_is_not_there(tmp_path, monkeypatch, suffix, package, extra):
    """It is not found by a part of it either, which may have been loaded before."""
    path = tmp_path / f"t{suffix}"
    path.write_bytes(b"")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError) as raised:
        read_table(path, "kind")
    words = f"Reading {path} needs {package}: pip install 's2fs[{extra}]'."
    assert str(raised.value) == words


#: Runs a command where the packages of some extras are not installed.
WITHOUT = """
import sys

sys.modules.update(dict.fromkeys({packages}))
from s2fs.__main__ import main
main()
"""


@pytest.mark.parametrize("command", ["select", "compare"])
def test_the_command_line_needs_no_package_of_reports(tmp_path, command):
    path = tmp_path / "t.csv"
    rows = [f"{'ab'[i % 2]},{i % 2 + i / 40},{i % 7}" for i in range(40)]
    path.write_text("\n".join(["kind,x,z", *rows]), encoding="utf-8")
    code = WITHOUT.format(packages=["matplotlib", "jinja2"])
    done = subprocess.run(
        [sys.executable, "-c", code, command, path, "--target", "kind", "-k", "1"],
        capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Accuracy on held-out samples" in done.stdout
