"""Every file that cannot be used: one sentence in Python, the same one on the command line."""

import re
import shlex
import sys
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.io import savemat

from flags import as_flags
from s2fs.cli import main
from s2fs.io import ReadWarning, read_table

GOOD = "id,width,height,kind\np1,1,2,fern\np2,3,4,moss\np3,5,7,fern\np4,4,4,moss\n"
ARFF = "@relation r\n@attribute a real\n@attribute y {u,v}\n@data\n"


def hdf5_mat(path):
    """The first bytes of a MATLAB 7.3 file; the version is enough to turn it down."""
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(512))


def two_files(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", GOOD)
        archive.writestr("b.csv", GOOD)


def text(content, encoding="utf-8"):
    return lambda path: path.write_bytes(content.encode(encoding))


def npz(**arrays):
    return lambda path: np.savez(path, **arrays)


def mat(**arrays):
    return lambda path: savemat(path, arrays)


def parquet(**columns):
    return lambda path: pd.DataFrame(columns).to_parquet(path)


X = np.arange(6.0).reshape(3, 2)

# Name of the file, what writes it, arguments of read_table, what the sentence must say.
CASES = {
    "missing file": ("t.csv", None, {}, r"no file '.*t\.csv'"),
    "directory": (
        "t.csv",
        lambda p: p.mkdir(),
        {},
        "a directory without .parquet files",
    ),
    "no Excel file": ("t.xlsx", text(GOOD), {}, r"damaged, or not a \.xlsx file"),
    "no text": ("t", lambda p: p.write_bytes(bytes(99)), {}, r"neither text nor of a known format"),
    "archive of two": ("t.zip", two_files, {}, r"holds 2 files \('a.csv', 'b.csv'\)"),
    "empty": ("t.csv", text(""), {}, "is empty"),
    "blank": ("t.tsv", text(" \n\n"), {}, "is empty"),
    "header only": ("t.csv", text("a,b,kind\n"), {}, "header but no data rows"),
    "short row": (
        "t.csv",
        text("a,b,kind\n1,2,u\n\n3,v\n"),
        {},
        r"2 cells in line 4 where 3 are expected",
    ),
    "a line of another kind": (
        "t.csv",
        text("a,b,kind\n1,2,u\n% batch two\n3,4,v\n"),
        {},
        r"1 cell in line 3 where 3 are expected: '% batch two'; begin the line with #",
    ),
    "a row of another kind": (
        "t.csv",
        text("a,b,kind\n1,2,u\n5,7,v\n% batch,two,w\n3,4,v\n"),
        {},
        "text where all other rows have numbers in data row 3: '% batch'; leave that line out",
    ),
    "long row": ("t.csv", text("a,kind\n1,u\n2,v,9\n"), {}, r"3 cells in line 3 where 2"),
    "open quote": ("t.csv", text('a,kind\n1,"u\n2,v\n'), {}, "line 3 .*check the quotation marks"),
    "neither UTF-8 nor Western": (
        "t.csv",
        text("a,kind\n1,u\n2,больше\n", "cp1251"),
        {},
        "not UTF-8 text in line 3; .*`encoding`",
    ),
    "wrong encoding": ("t.csv", text("größe,kind\n"), {"encoding": "ascii"}, "encoding ascii"),
    "no encoding": ("t.csv", text(GOOD), {"encoding": "utf-99"}, "'utf-99', which Python does not"),
    "no target": (
        "t.csv",
        text(GOOD),
        {"target": None},
        "target is missing.*'id', 'width', 'height', 'kind'",
    ),
    "misspelt target": ("t.csv", text(GOOD), {"target": "kinf"}, "'kinf'.*did you mean 'kind'"),
    "unlike target": (
        "t.csv",
        text(GOOD),
        {"target": "zzz"},
        "no such column; it has 'id', 'width'",
    ),
    "target beyond": (
        "t.csv",
        text(GOOD),
        {"target": "4"},
        "columns of .* numbered from 0 to 3",
    ),
    "target before": ("t.csv", text(GOOD), {"target": "-5"}, "target is '-5', but the columns of"),
    "misspelt drop": ("t.csv", text(GOOD), {"drop": ["idd"]}, "drop has 'idd'.*did you mean 'id'"),
    "target dropped": (
        "t.csv",
        text(GOOD),
        {"drop": ["kind"]},
        "'kind' is both target and in drop",
    ),
    "all dropped": (
        "t.csv",
        text(GOOD),
        {"drop": ["id", "width", "height"]},
        "no features left",
    ),
    "identifier": ("t.csv", text("a,kind\n1_2,u\n1_2,v\n"), {}, "no features left"),
    "mixed commas": (
        "t.csv",
        text("a;b;kind\n1,5;1.5;u\n2,5;2.5;v\n3,5;3.5;u\n4,5;4.5;v\n"),
        {},
        r"column 'a' .* such as '1,5': .*decimal comma and with a decimal point; write all",
    ),
    "dash": ("t.csv", text("a,kind\n-,u\n2,v\n"), {}, r"missing values in column 'a'"),
    "text in parquet": (
        "t.parquet",
        parquet(b=["p", "p"], kind=["u", "v"]),
        {},
        "no features left",
    ),
    "names in the header": (
        "t.csv",
        text("gene,s1,s2\na,1,2\nb,3,4\n"),
        {"target": "0", "transpose": True},
        r"target is 0, the header .*all different, such as 's1', 's2'; .*`samples`",
    ),
    "missing cells": (
        "t.csv",
        text("a,b,c,kind\n,1,NA,u\n2,2,3,v\n"),
        {},
        r"missing values in columns 'a', 'c'; fill",
    ),
    "missing in rows": (
        "t.csv",
        text("gene,s1,s2\na,1,?\nkind,u,v\n"),
        {"transpose": True},
        r"missing values in column 'a'",
    ),
    "missing in parquet": (
        "t.parquet",
        parquet(a=[1, None], kind=["u", "v"]),
        {},
        r"missing values in column 'a'",
    ),
    "infinity": ("t.csv", text("a,kind\ninf,u\n2,v\n"), {}, r"infinite values in column 'a'"),
    "NaN in npz": (
        "t.npz",
        npz(X=np.where(X == 3, np.nan, X), y=[0, 1, 0]),
        {"target": None},
        r"missing values in column 'x1'",
    ),
    "missing label": (
        "t.csv",
        text("a,kind\n1,u\n2,\n3,na\n4,v\n5,?\n6,u\n7,v\n8,\n9,\n"),
        {},
        r"'kind' of .* has 5 missing labels, the first in data row 2",
    ),
    "most labels missing": (
        "t.csv",
        text("a,kind\n1,1\n2,\n3,0\n4,\n5,\n6,1\n7,0\n8,\n9,\n"),
        {},
        "5 missing label",
    ),
    "null label": (
        "t.parquet",
        parquet(a=range(9), kind=["u", None, "v", None, None, "u", "v", None, None]),
        {},
        "5 missing label",
    ),
    "fractions": ("t.csv", text("a,kind\n1,0.5\n2,1\n"), {}, "fractions such as 0.5"),
    "one class": ("t.csv", text("a,kind\n1,u\n2,u\n"), {}, r"one class only \('u'\)"),
    "one class npz": ("t.npz", npz(X=X, y=[4, 4, 4]), {"target": None}, r"one class only \('4'\)"),
    "no X in npz": (
        "t.npz",
        npz(data=X, more=X, y=[0, 1, 0]),
        {"target": None},
        "must hold the arrays 'X' and 'y'; it has 'data', 'more', 'y'",
    ),
    "no y in npz": ("t.npz", npz(X=X), {"target": None}, "arrays 'X' and 'y'; it has 'X'"),
    "no such key": ("t.npz", npz(X=X, y=[0, 1, 0]), {"target": "z"}, "arrays 'X' and 'z'"),
    "pickled labels": (
        "t.npz",
        npz(X=X, y=np.array(["u", None, 3], dtype=object)),
        {"target": None},
        "pickled objects under 'y', which are refused",
    ),
    "pickled beside": (
        "t.npz",
        npz(X=X, y=[0, 1, 0], extra=np.array([{}], dtype=object)),
        {"target": None},
        "pickled objects under 'extra', which are refused",
    ),
    "no npz": ("t.npz", text("PK nonsense"), {"target": None}, "damaged, or not a .npz"),
    "length": (
        "t.npz",
        npz(X=X, y=[0, 1, 0, 1]),
        {"target": None},
        r"has 3 rows but y has 4 labels\.",
    ),
    "turned": (
        "t.npz",
        npz(X=X, y=[0, 1]),
        {"target": None},
        r"features in rows \(`transpose=True`\)\?",
    ),
    "one axis": ("t.npz", npz(X=X[0], y=[0, 1]), {"target": None}, r"matrix .* shape \(2,\)"),
    "text X": ("t.npz", npz(X=X.astype(str), y=[0, 1, 0]), {"target": None}, "real numbers"),
    "names": (
        "t.npz",
        npz(X=X, y=[0, 1, 0], feature_names=["a"]),
        {"target": None},
        r"2 columns but feature_names has 1",
    ),
    "sample names": (
        "t.npz",
        npz(X=X, y=[0, 1, 0], sample_ids=["a"]),
        {"target": None},
        r"3 rows but sample_ids has 1",
    ),
    "codes": (
        "t.npz",
        npz(X=X, y=[1, 2, 1], classes=["a", "b"]),
        {"target": None},
        "y of .* runs from 1 to 2, but classes names the codes 0 to 1",
    ),
    "mat without": (
        "t.mat",
        mat(data=X, more=X, labels=[0, 1, 0]),
        {"target": None},
        "must hold the arrays 'X' and 'y'; it has 'data', 'more', 'labels'",
    ),
    "mat 7.3": ("t.mat", hdf5_mat, {"target": None}, "MATLAB 7.3 file.*-v7"),
    "no mat": ("t.mat", text("nonsense " * 50), {"target": None}, "damaged, or not a MATLAB file"),
    "empty mat": ("t.mat", text(""), {"target": None}, "damaged, or not a MATLAB file"),
    "empty npz": ("t.npz", text(""), {"target": None}, r"damaged, or not a \.npz file"),
    "no parquet": ("t.parquet", text("nonsense"), {}, r"damaged, or not a \.parquet file"),
    "empty parquet": ("t.parquet", parquet(a=[], kind=[]), {}, "no data rows"),
    "empty arff": ("t.arff", text(""), {}, "is empty"),
    "no arff": ("t.arff", text(GOOD), {}, "line 1 starts with"),
    "arff header": ("t.arff", text(ARFF), {"target": "y"}, "no data rows"),
    "arff long row": (
        "t.arff",
        text(ARFF + "1,u\n2,v,3\n"),
        {"target": "y"},
        r"3 cells in line 6",
    ),
    "arff sparse": ("t.arff", text(ARFF + "{0 1, 1 u}\n"), {"target": "y"}, "sparse ARFF"),
    "arff missing": (
        "t.arff",
        text(ARFF + "?,u\n2,v\n"),
        {"target": "y"},
        r"missing values in column 'a'",
    ),
}


def run(*args):
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    assert "Traceback" not in result.output
    return result


@pytest.mark.parametrize("case", CASES)
def test_one_sentence_that_says_what_is_wrong(tmp_path, case):
    name, make, arguments, sentence = CASES[case]
    path = tmp_path / name
    if make is not None:
        make(path)
    arguments = {"target": "kind", **arguments}
    with warnings.catch_warnings():  # what was decided before
        warnings.simplefilter("ignore", ReadWarning)
        with pytest.raises((ValueError, FileNotFoundError), match=sentence) as caught:
            read_table(path, **arguments)
    message = str(caught.value)
    assert "\n" not in message
    assert message[-1] in ".?"
    assert isinstance(caught.value, FileNotFoundError) == (case == "missing file")

    options = [] if arguments["target"] is None else ["--target", arguments["target"]]
    for column in arguments.get("drop", ()):
        options += ["--drop", column]
    if arguments.get("transpose"):
        options.append("--transpose")
    if "encoding" in arguments:
        options += ["--encoding", arguments["encoding"]]
    commands = [["select", "-k", "1", "--method", "s2fs"], ["score", "--features", "0"]]
    if "missing values in" not in sentence:  # PairCover, the default, takes them
        commands.append(["select", "-k", "1"])
    for command in commands:
        result = run(*command, path, *options)
        assert result.exit_code == 2
        assert result.stdout == ""
        sentence, *rest = result.stderr.splitlines()
        assert sentence == f"Error: {as_flags(caught.value)}"
        for line in rest:  # a command that works
            assert line.startswith("Try: s2fs ")
            again = run(*shlex.split(line)[2:])
            assert again.exit_code == 0, again.output


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    parquet(a=[1, 2], kind=["u", "v"])(path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=re.escape("pip install 's2fs[parquet]'")):
        read_table(path, "kind")


def test_a_file_cut_short_is_refused(tmp_path):
    whole = tmp_path / "whole.csv.gz"
    pd.DataFrame({"a": np.arange(999), "kind": np.arange(999) % 2}).to_csv(whole, index=False)
    cut = tmp_path / "cut.csv.gz"
    cut.write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"damaged, or not a \.gz file"):
        read_table(cut, "kind")
