"""Commas and points in numbers: read as they are meant, or refused if they may mean two things."""

import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from s2fs.cli import main
from s2fs.io import read_table, read_unlabelled

KINDS = ["u", "v", "u", "v"]


def write(path, cells, delimiter="\t", other=None):
    """A table with a column of these cells, and others that say nothing about marks."""
    other = other or ["1", "5", "2", "7"]
    quoted = [f'"{cell}"' if delimiter in cell else cell for cell in cells]
    rows = [["a", "b", "kind"], *map(list, zip(quoted, other, KINDS, strict=True))]
    path.write_text("\n".join(delimiter.join(row) for row in rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("delimiter", ["\t", ";", "|", ","])
def test_a_cell_that_may_be_two_numbers_is_refused(tmp_path, delimiter):
    path = write(tmp_path / "t.txt", ["1,331", "999", "2,418", "17"], delimiter)
    with pytest.raises(ValueError, match=r"'1,331' may be 1331 or 1\.331") as caught:
        read_table(path, "kind")
    assert "`thousands=','` or `decimal=','`" in str(caught.value)
    result = CliRunner().invoke(main, ["select", str(path), "-t", "kind", "-k", "1"])
    assert result.exit_code == 2
    assert "--thousands , or --decimal ," in result.stderr
    assert read_table(path, "kind", thousands=",").X[:, 0].tolist() == [1331, 999, 2418, 17]
    assert read_table(path, "kind", decimal=",").X[:, 0].tolist() == [1.331, 999, 2.418, 17]
    assert read_table(path, "kind", drop="a").feature_names == ["b"]
    options = ["-t", "kind", "-k", "1", "--no-verdict", "--thousands", ","]
    assert CliRunner().invoke(main, ["select", str(path), *options]).exit_code == 0


# What the cells prove, and the numbers they are.
PROOFS = {
    "one digit": (["1,331", "1,5", "2,418", "3,000"], [1.331, 1.5, 2.418, 3]),
    "two digits": (["12,34", "1,331", "5", "6"], [12.34, 1.331, 5, 6]),
    "zero before": (["0,123", "1,331", "5", "6"], [0.123, 1.331, 5, 6]),
    "exponent": (["1,331e2", "1,331", "5", "6"], [133.1, 1.331, 5, 6]),
    "four before": (["1234,567", "1,331", "5", "6"], [1234.567, 1.331, 5, 6]),
    "two commas": (["1,234,567", "1,331", "-2,000", "6"], [1234567, 1331, -2000, 6]),
    "comma and point": (["1,234.5", "1,331", "5", "6"], [1234.5, 1331, 5, 6]),
    "points elsewhere": (["2.5", "1,331", "5", "6"], [2.5, 1331, 5, 6]),
    "point and comma": (["1.234,5", "1.331", "5", "6"], [1234.5, 1331, 5, 6]),
    "two points": (["1.234.567", "1.331", "5", "2,5"], [1234567, 1331, 5, 2.5]),
    "points alone": (["1.331", "2.418", "5", "6"], [1.331, 2.418, 5, 6]),
}


@pytest.mark.filterwarnings("ignore:.*separates thousands")
@pytest.mark.parametrize("delimiter", ["\t", ";", ","])
@pytest.mark.parametrize("case", PROOFS)
def test_what_proves_the_meaning_decides(tmp_path, case, delimiter):
    cells, truth = PROOFS[case]
    path = write(tmp_path / "t.txt", cells, delimiter)
    assert read_table(path, "kind").X[:, 0].tolist() == truth


def test_a_proof_far_below_counts(tmp_path):
    cells = ["1,331"] * 300 + ["1,5", "7"]
    rows = "\n".join(f"{cell}\t{'uv'[i % 2]}" for i, cell in enumerate(cells))
    path = tmp_path / "t.tsv"
    path.write_text(f"a\tkind\n{rows}\n")
    assert read_table(path, "kind").X[-3:, 0].tolist() == [1.331, 1.5, 7]
    path.write_text(f"a\tkind\n{rows.replace('1,5', '1,234,567')}\n")
    with pytest.warns(UserWarning, match="separates thousands, as in '1,234,567'"):
        data = read_table(path, "kind")
    assert data.X[-3:, 0].tolist() == [1331, 1234567, 7]
    assert data.remarks[0].kind == "thousands"


# What is said, and what of it is a number then.
SAID = {
    "Swiss": (["1'331", "12'500.5", "5", "6"], "'", [1331, 12500.5, 5, 6]),
    "blank": (["1 331", "12 500", "5", "6"], " ", [1331, 12500, 5, 6]),
    "blank that does not break": (["1\u00a0331", "1\u202f500", "5", "6"], " ", [1331, 1500, 5, 6]),
}


@pytest.mark.parametrize("case", SAID)
def test_other_separators_are_asked_for(tmp_path, case):
    cells, mark, truth = SAID[case]
    path = write(tmp_path / "t.csv", cells, ";")
    with pytest.raises(ValueError, match=re.escape(f"`thousands={mark!r}`")):
        read_table(path, "kind")
    assert read_table(path, "kind", thousands=mark).X[:, 0].tolist() == truth


def test_a_number_with_other_groups_is_no_number(tmp_path):
    """15 for 1,5 would be as wrong as 1.331 for 1331."""
    path = write(tmp_path / "t.csv", ["1,5", "2,5", "5", "6"], ";")
    with pytest.raises(ValueError, match=r"numbers in column 'a'"):
        read_table(path, "kind", thousands=",")
    path = write(tmp_path / "t.csv", ["1.5", "2.5", "5", "6"], ";")
    with pytest.raises(ValueError, match=r"numbers in column 'a'"):
        read_table(path, "kind", decimal=",")


def test_both_decimal_marks_in_one_file_are_refused(tmp_path):
    path = write(tmp_path / "t.csv", ["1,5", "2,5", "5", "6"], ";", ["1.5", "2.5", "5", "6"])
    with pytest.raises(ValueError, match="decimal comma and with a decimal point; write all in"):
        read_table(path, "kind")


def test_sheets_and_text_in_parquet(tmp_path):
    frame = pd.DataFrame({"a": ["1,331", "999", "2,418", "17"], "b": [1, 5, 2, 7], "kind": KINDS})
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    for name in ("t.xlsx", "t.parquet"):
        with pytest.raises(ValueError, match=r"may be 1331 or 1\.331"):
            read_table(tmp_path / name, "kind")
        data = read_table(tmp_path / name, "kind", thousands=",")
        assert data.X[:, 0].tolist() == [1331, 999, 2418, 17]


def test_marks_that_contradict_each_other(tmp_path):
    path = write(tmp_path / "t.csv", ["1", "2", "5", "6"])
    for mark in ("", "ab", "5", "-"):
        with pytest.raises(ValueError, match=r"`thousands` is .*; give one character"):
            read_table(path, "kind", thousands=mark)
    with pytest.raises(ValueError, match="`thousands` and `decimal` are both ','"):
        read_table(path, "kind", thousands=",", decimal=",")


def test_a_selection_is_applied_to_numbers_written_so(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.integers(500, 2500, (12, 2))
    kinds = np.arange(12) % 2
    pd.DataFrame(values, columns=["a", "b"]).assign(kind=kinds).to_csv(
        tmp_path / "t.csv", index=False
    )
    run = CliRunner().invoke
    model, out = str(tmp_path / "m.json"), tmp_path / "o.json"
    command = ["select", str(tmp_path / "t.csv"), "-t", "kind", "-k", "1", "--no-verdict"]
    assert run(main, [*command, "--save", model]).exit_code == 0
    new = write(tmp_path / "new.tsv", ["1,331", "999", "2,418", "17"],
                other=["1,331", "999", "2,418", "17"])  # fmt: skip
    refused = run(main, ["transform", model, str(new), "-o", str(out)])
    assert refused.exit_code == 2
    assert "--thousands or --decimal" in refused.stderr
    assert (
        run(main, ["transform", model, str(new), "-o", str(out), "--thousands", ","]).exit_code == 0
    )
    assert [list(row.values()) for row in pd.read_json(out).to_dict("records")] == [
        [1331], [999], [2418], [17]]  # fmt: skip
    assert read_unlabelled(new, thousands=",").numbers(0).tolist() == [1331, 999, 2418, 17]
