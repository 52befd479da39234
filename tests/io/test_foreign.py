"""Files of other programs: one sentence says what each is and how to make a table of it."""

import gzip
import json
import pickle
import re
import shlex
import sqlite3
import struct
import subprocess
import sys
import warnings
import zipfile

import h5py
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from openpyxl import Workbook
from openpyxl.worksheet.datavalidation import DataValidation
from scipy.io import mmwrite
from scipy.sparse import coo_array

from s2fs.cli import main
from s2fs.io import read_table

#: An integer vector as R 4 serialises it.
RDS = b"X\n" + struct.pack(">iii", 3, 0x040300, 0x030500) + b"\0\0\0\5UTF-8" + bytes(12)


def content(data):
    return lambda path: path.write_bytes(data)


def sqlite(path):
    with sqlite3.connect(path) as base:
        base.execute("create table t (a real, kind text)")


def mtx(path):
    mmwrite(path, coo_array(np.eye(4)))


def mtx_gz(path):
    plain = path.with_name("m.mtx")
    mtx(plain)
    path.write_bytes(gzip.compress(plain.read_bytes()))


def ods(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", "<office:document-content/>")


def hdf5(path):
    with h5py.File(path, "w") as file:
        file["X"] = np.eye(3)


# Name, what writes it, what it is called, and the way to a table.
FILES = {
    "rds": ("t.rds", content(gzip.compress(RDS)), "an R object", r"write\.csv\(readRDS\("),
    "rds, not compressed": ("t.rds", content(RDS), "an R object", "readRDS"),
    "rda": ("t.rda", content(gzip.compress(b"RDX3\n" + RDS)), "R objects", r"load\("),
    "RData": ("t.RData", content(gzip.compress(b"RDX2\n" + RDS)), "R objects", r"load\("),
    "sqlite": ("t.db", sqlite, "an SQLite database", "sqlite3 -header -csv"),
    "json": ("t.json", content(b'{"a": {"b": [1, 2]}, "c": 3}'), "JSON", "one row per sample"),
    "nested json": ("t.json", content(b'[{"a": [1, 2], "kind": "u"}]'), "lists or objects", "csv"),
    "biom": ("t.biom", content(b'{\n "id": "x",\n "format_url": "http://biom-format.org"\n}\n'),
             "a BIOM file", "biom convert -i"),
    "mtx": ("t.mtx", mtx, "a sparse matrix", r"\.h5ad"),
    "mtx.gz": ("t.mtx.gz", mtx_gz, "a sparse matrix", r"\.h5ad"),
    "ods": ("t.ods", ods, "LibreOffice", "soffice"),
    "soft": ("t.soft", content(b"^DATABASE = GeoMiame\n!Database_name = GEO\n"), "SOFT", "series"),
    "xls": ("t.xls", content(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)), "2007", r"\.xlsx"),
    "pickle": ("t.pkl", content(pickle.dumps([1, 2])), "a pickle", r"\.csv or \.parquet"),
    "web page": ("t.csv", content(b"<!DOCTYPE html>\n<html>\n</html>\n"), "web page", "download"),
    "hdf5": ("t.h5ad", hdf5, "lacks obs and var", r"\.npz"),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
def test_it_says_what_a_file_is(tmp_path, case):
    name, write, what, way = FILES[case]
    write(tmp_path / name)
    result = CliRunner().invoke(main, ["select", str(tmp_path / name), "-t", "kind"])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert what in result.stderr
    with pytest.raises(ValueError, match=way):
        read_table(tmp_path / name, "kind")


def test_a_table_with_such_a_suffix_is_read(tmp_path):
    for name in ("t.json", "t.soft", "t.xls", "t.db"):
        (tmp_path / name).write_text("a,kind\n1.5,u\n2.5,v\n")
        assert read_table(tmp_path / name, "kind").X.tolist() == [[1.5], [2.5]]


@pytest.mark.parametrize("form", ["records", "lines", "by column", "by column and row"])
def test_a_table_in_json_is_read(tmp_path, form):
    table = pd.DataFrame({"a": [1.5, 2.5, None], "code": [7, 8, 9], "kind": ["u", "v", "u"]})
    path = tmp_path / ("t.jsonl" if form == "lines" else "t.json")
    if form == "by column":
        path.write_text(json.dumps({"a": [1.5, 2.5, None], "code": [7, 8, 9], "kind": [*"uvu"]}))
    elif form == "by column and row":
        table.to_json(path)
    else:
        table.to_json(path, orient="records", lines=form == "lines")
    data = read_table(path, "kind", impute="keep")
    np.testing.assert_array_equal(data.X, [[1.5, 7], [2.5, 8], [np.nan, 9]])
    assert data.feature_names == ["a", "code"]
    assert data.y.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("suffix", "write"),
    [(".dta", lambda t, p: t.to_stata(p, write_index=False))],
)
def test_the_way_for_a_file_of_another_program_works(tmp_path, monkeypatch, suffix, write):
    """The command in the message is run as it stands."""
    monkeypatch.chdir(tmp_path)
    write(pd.DataFrame({"a": [1.5, 2.5], "kind": ["u", "v"]}), f"t{suffix}")
    result = CliRunner().invoke(main, ["select", f"t{suffix}", "-t", "kind"])
    advised = re.search(r'python -c ".*"', result.stderr)[0]
    subprocess.run([sys.executable, *shlex.split(advised)[1:]], check=True)
    assert read_table("table.csv", "kind").X.tolist() == [[1.5], [2.5]]


def test_notes_of_openpyxl_are_not_shown(tmp_path):
    book = Workbook()
    for row in (["a", "kind"], [1.5, "u"], [2.5, "v"]):
        book.active.append(row)
    book.active.add_data_validation(DataValidation(type="list", formula1='"u,v"', sqref="B2:B3"))
    book.save(tmp_path / "t.xlsx")
    with zipfile.ZipFile(tmp_path / "t.xlsx") as old:
        parts = {info.filename: old.read(info) for info in old.infolist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    extension = b'<extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}"/></extLst></worksheet>'
    parts["xl/worksheets/sheet1.xml"] = sheet.replace(b"</worksheet>", extension)
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as new:
        for name, part in parts.items():
            new.writestr(name, part)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_table(tmp_path / "t.xlsx", "kind").X.tolist() == [[1.5], [2.5]]
