"""Tables in many Parquet files, as pandas, Spark and Hive write them."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from s2fs import PairCover
from s2fs.cli import main
from s2fs.io import ReadWarning, UnreadableError, read_table


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 240)
    X = rng.normal(size=(240, 6)) + y[:, None] * rng.uniform(size=6)
    frame = pd.DataFrame(X, columns=[f"gene {f}" for f in range(6)])
    return frame.assign(day=np.arange(240) % 4, kind=np.array(["a", "b", "c"])[y])


@pytest.fixture(scope="module")
def by_day(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("by_day")
    table.to_parquet(folder, partition_cols=["day"])
    return folder


@pytest.fixture(scope="module")
def by_kind(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("by_kind")
    table.drop(columns="day").to_parquet(folder, partition_cols=["kind"])
    return folder


def local_choice(table, k=4):
    X = table.drop(columns=["day", "kind"])
    return PairCover(k).fit(X, table["kind"]).feature_names_.tolist()


def run(*arguments):
    return CliRunner().invoke(main, ["select", *map(str, arguments)])


@pytest.mark.parametrize("pattern", ["", "/*.parquet"])
def test_parts_are_one_table(table, tmp_path, pattern):
    for i in range(3):
        table.iloc[i * 80 : (i + 1) * 80].drop(columns="day").to_parquet(tmp_path / f"{i}.parquet")
    (tmp_path / "_SUCCESS").write_text("", encoding="utf-8")
    data = read_table(f"{tmp_path}{pattern}", "kind")
    np.testing.assert_array_equal(data.X, table.drop(columns=["day", "kind"]).to_numpy())
    assert [data.class_names[code] for code in data.y] == table["kind"].tolist()


def test_a_hive_partition_is_left_out_with_a_remark(table, by_day):
    with pytest.warns(ReadWarning, match=r"the partition 'day' in the names of its folders"):
        data = read_table(by_day, "kind")
    assert data.feature_names == [f"gene {f}" for f in range(6)]
    assert [remark.columns for remark in data.remarks] == [("day",)]
    kept = read_table(by_day, "kind", keep="day")
    assert kept.feature_names[-1] == "day"
    np.testing.assert_array_equal(np.sort(kept.X[:, -1]), np.sort(table["day"]))
    assert read_table(by_day, "kind", drop="day").remarks == ()
    assert sorted(set(read_table(by_day, "kind", group="day").groups)) == ["0", "1", "2", "3"]


def test_a_hive_partition_is_the_target(table, by_kind):
    data = read_table(by_kind, "kind")
    assert data.class_names == ["a", "b", "c"]
    assert np.bincount(data.y).tolist() == table["kind"].value_counts()[["a", "b", "c"]].tolist()


def test_the_first_command_finishes_on_a_hive_folder(table, by_day, by_kind):
    for folder in (by_day, by_kind):
        result = run(folder, "--target", "kind", "-k", 4)
        assert result.exit_code == 0, result.output
        features = [line.split()[1:3] for line in result.stdout.splitlines()[1:5]]
        assert [" ".join(words) for words in features] == local_choice(table)
        assert "accuracy" in result.stdout


def test_parts_that_differ_are_told(table, tmp_path):
    table[:100].to_parquet(tmp_path / "0.parquet")
    table[100:].drop(columns="gene 3").to_parquet(tmp_path / "1.parquet")
    with pytest.raises(UnreadableError, match=r"1\.parquet has no column 'gene 3', which"):
        read_table(tmp_path, "kind")
    table[100:].assign(**{"gene 3": "x"}).to_parquet(tmp_path / "1.parquet")
    with pytest.raises(UnreadableError, match=r"has text in column 'gene 3', but"):
        read_table(tmp_path, "kind")
    (tmp_path / "1.parquet").write_bytes(b"PAR1 no more than that")
    result = run(tmp_path, "--target", "kind")
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_a_folder_without_parquet_files(tmp_path):
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    result = run(tmp_path, "--target", "kind")
    assert result.exit_code == 2
    assert "is a directory without .parquet files; give a file" in result.stderr


def test_a_folder_that_does_not_fit_is_refused(by_day):
    result = run(by_day, "--target", "kind", "--method", "s2fs", "--max-memory", "20K")
    assert result.exit_code == 2
    assert "of memory where 1.91e-05 GiB are allowed; give a smaller file, or" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["cells.zarr", "cells"])
def test_a_zarr_group_is_left_to_dask(table, tmp_path, name):
    """The sentence has a command, which selects what a fit in memory does."""
    zarr = pytest.importorskip("zarr")
    pytest.importorskip("dask.array")
    X = table.drop(columns=["day", "kind"])
    group = zarr.open_group(tmp_path / name, mode="w")
    group.create_array("X", data=X.to_numpy(), chunks=(70, 6))
    group.create_array("y", data=pd.factorize(table["kind"], sort=True)[0], chunks=(50,))
    result = run(tmp_path / name, "--target", "kind")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert f"{name} is a Zarr group, and not read here" in result.stderr
    code = re.search(r'python -c "(.*)"\.', result.stderr)[1]
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (
        found.stdout.split()
        == str(PairCover(6, correlation=0).fit(X, table["kind"]).indices_).split()
    )
