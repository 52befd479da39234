"""Packages of extras: there, or named in one sentence."""

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
