"""The command line on a real cluster: partitioned files, the bench, and what can go wrong."""

import json
import sys
from importlib.metadata import version

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import inner
from s2fs import S2FS, PairCover
from s2fs.cli import main
from s2fs_bench import Ledger, export_curves

PLAN = """
title = "Two folds"
datasets = ["srbct_bundled"]
learners = ["knn"]
sizes = [1, 5]
folds = 2

[[selectors]]
name = "ANOVA"
method = "AnovaF"

[[selectors]]
name = "S2FS"
"""


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    X = rng.normal(size=(300, 8)) + y[:, None] * rng.uniform(size=8)
    frame = pd.DataFrame(X, columns=[f"gene {f}" for f in range(8)])
    return frame.assign(patient=np.arange(300), kind=np.array(["a", "b", "c"])[y])


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    for i in range(5):
        table.iloc[i::5].to_parquet(folder / f"part-{i}.parquet")
    return folder


def local_choice(table, k=4):
    X = table.drop(columns=["patient", "kind"])
    return list(X.columns[S2FS(k).fit(X, table["kind"]).indices_])


@pytest.mark.parametrize("pattern", ["", "/*.parquet"])
def test_partitioned_parquet(cluster, table, folder, tmp_path, pattern):
    out = tmp_path / "ranking.csv"
    result = run(
        "select", f"{folder}{pattern}", "--target", "kind", "--drop", "patient", "-k", 4,
        "--method", "s2fs", "--scheduler", cluster.scheduler_address, "-o", out,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert list(pd.read_csv(out)["feature"]) == local_choice(table)
    assert "gene" in result.stdout


def test_columns_to_include_and_exclude(cluster, table, folder, tmp_path):
    out = tmp_path / "ranking.csv"
    result = run(
        "select", folder, "--target", "kind", "--drop", "patient", "-k", 3, "-o", out,
        "--scheduler", cluster.scheduler_address, "--include", "gene 7", "--exclude", "1",
        "--method", "s2fs",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    X = table.drop(columns=["patient", "kind"])
    local = S2FS(3, include=[7], exclude=[1]).fit(X, table["kind"])
    assert list(pd.read_csv(out)["feature"]) == list(X.columns[local.indices_])


@pytest.mark.parametrize("name", ["cells.zarr", "cells"])
@pytest.mark.filterwarnings("ignore:The data type:zarr.errors.UnstableSpecificationWarning")
def test_zarr(cluster, table, tmp_path, name):
    X, group = zarr_group(table, tmp_path / name)
    if name == "cells.zarr":
        group.create_array("feature_names", data=np.array(X.columns, dtype="U16"))
    else:
        X.columns = [f"x{f}" for f in range(8)]
    out = tmp_path / "ranking.csv"
    result = run(
        "select", tmp_path / name, "-k", 4, "--drop", 7, "--method", "s2fs",
        "--scheduler", cluster.scheduler_address, "-o", out,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    local = S2FS(4).fit(X.iloc[:, :7], table["kind"])
    assert list(pd.read_csv(out)["feature"]) == list(X.columns[local.indices_])


@pytest.mark.parametrize(("arguments", "message"), [
    (["no/such/place", "-t", "kind"], "There is no file 'no/such/place'"),
    (["{empty}", "-t", "kind"], "holds no .parquet files"),
    (["{folder}"], "target is missing: say which column"),
    (["{folder}", "-t", "kid"], "did you mean 'kind'?"),
    (["{folder}", "-t", "kind", "--drop", "x"], "drop has 'x', but"),
    (["{folder}", "-t", "kind", "-k", "auto"], "-k auto needs all samples in one place"),
    (["{folder}", "-t", "kind", "--method", "anovaf"], "AnovaF needs all samples in one place"),
    (["{folder}", "-t", "kind", "--covariate", "patient"], "--covariate needs all samples in one"),
    (["{folder}", "-t", "kind", "--transpose"], "--transpose needs all samples in one place"),
])  # fmt: skip
def test_bad_calls_end_with_one_line(cluster, folder, tmp_path, arguments, message):
    (tmp_path / "notes.txt").write_text("nothing")
    filled = [part.format(folder=folder, empty=tmp_path) for part in arguments]
    result = run("select", *filled, "--scheduler", cluster.scheduler_address)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_pair_cover(cluster, table, folder, tmp_path):
    out = tmp_path / "ranking.csv"
    result = run(
        "select", folder, "--target", "kind", "--drop", "patient", "-k", 3, "-o", out,
        "--scheduler", cluster.scheduler_address,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    X = table.drop(columns=["patient", "kind"])
    local = PairCover(3).fit(X, table["kind"])
    assert list(pd.read_csv(out)["feature"]) == local.feature_names_.tolist()


def test_hive_partitions_and_text(cluster, table, tmp_path):
    by_day = table.assign(day=np.arange(300) % 3, note="text")
    by_day.to_parquet(tmp_path / "by_day", partition_cols=["day"])
    by_day.drop(columns=["day", "note"]).to_parquet(tmp_path / "by_kind", partition_cols=["kind"])
    local = PairCover(3).fit(table.drop(columns=["patient", "kind"]), table["kind"])
    for name in ("by_day", "by_kind"):
        out = tmp_path / f"{name}.csv"
        result = run(
            "select", tmp_path / name, "-t", "kind", "--drop", "patient", "-k", 3, "-o", out,
            "--scheduler", cluster.scheduler_address,
        )  # fmt: skip
        assert result.exit_code == 0, result.output
        assert list(pd.read_csv(out)["feature"]) == local.feature_names_.tolist()
        notes = ["'day': in the names of folders", "'note': not numbers"]
        assert [text in result.stderr for text in notes] == [name == "by_day"] * 2
        assert "No verdict: the accuracy on held-out samples needs the samples" in result.stderr


def test_more_features_than_there_are(cluster, folder):
    result = run("select", folder, "-t", "kind", "-k", 99, "--scheduler", cluster.scheduler_address)
    assert result.exit_code == 0
    assert "Note: n_features_to_select=99 is more than the 9 features" in result.stderr


def test_damaged_parquet(cluster, tmp_path):
    (tmp_path / "part.parquet").write_bytes(b"PAR1 not really")
    result = run("select", tmp_path, "-t", 0, "--scheduler", cluster.scheduler_address)
    assert result.exit_code == 2
    assert "cannot be read as Parquet" in result.stderr


PARTS = {
    "no column": (lambda part: part.drop(columns="gene 1"), "has no column 'gene 1', which"),
    "no labels": (lambda part: part.drop(columns="kind"), "has no column 'kind', which"),
    "text": (lambda part: part.assign(**{"gene 1": "word"}), "has text in column 'gene 1', but"),
    "times": (
        lambda part: part.assign(**{"gene 1": pd.Timestamp("2020-01-01")}),
        "has times in column 'gene 1', but",
    ),
    "numbers": (lambda part: part.assign(kind=1), "has numbers in column 'kind', but"),
}


@pytest.mark.parametrize("case", PARTS)
def test_parts_that_differ(cluster, table, tmp_path, case):
    change, message = PARTS[case]
    table[:150].to_parquet(tmp_path / "part-0.parquet")
    change(table[150:]).to_parquet(tmp_path / "part-1.parquet")
    result = run("select", tmp_path, "-t", "kind", "--scheduler", cluster.scheduler_address)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_parts_may_differ_in_what_does_not_count(cluster, table, tmp_path):
    table[:150].to_parquet(tmp_path / "part-0.parquet")
    other = table[150:].assign(extra="word", patient="p")
    other["gene 0"] = other["gene 0"].astype(np.float32)
    other[other.columns[::-1]].to_parquet(tmp_path / "part-1.parquet")
    out = tmp_path / "ranking.csv"
    result = run(
        "select", tmp_path, "-t", "kind", "--drop", "patient", "-k", 3, "-o", out,
        "--method", "s2fs", "--scheduler", cluster.scheduler_address,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    rounded = table.assign(**{"gene 0": [*table["gene 0"][:150], *other["gene 0"]]})
    assert list(pd.read_csv(out)["feature"]) == local_choice(rounded, 3)


SHAPES = {
    "more rows": ({"shape": [3000, 8]}, "has 3000 rows, but 'y' has 300"),
    "one dimension": (
        {"shape": [2400], "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [9]}}},
        "has 1 dimension; give rows and columns",
    ),
    "far too many": ({"shape": [10**13, 8]}, "chunks, more than 1000000"),
    "no number": ({"shape": "many"}, "cannot be read as a Zarr group"),
    "no chunks": (
        {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [0, 8]}}},
        "cannot be read as a Zarr group",
    ),
    "unknown type": ({"data_type": "float99"}, "cannot be read as a Zarr group"),
    "unknown format": ({"zarr_format": 7}, "cannot be read as a Zarr group"),
}


@pytest.mark.parametrize("case", SHAPES)
def test_zarr_with_odd_metadata(cluster, table, tmp_path, case):
    if case == "no chunks" and version("zarr") >= "3.4":
        pytest.skip("zarr takes chunks of 0 rows for chunks of 1 row")
    change, message = SHAPES[case]
    zarr_group(table, tmp_path / "cells.zarr")
    metadata = tmp_path / "cells.zarr" / "X" / "zarr.json"
    metadata.write_text(json.dumps(json.loads(metadata.read_text()) | change))
    result = run("select", tmp_path / "cells.zarr", "--scheduler", cluster.scheduler_address)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_zarr_with_chunks_that_are_not_stored(cluster, table, tmp_path):
    zarr_group(table, tmp_path / "cells.zarr")
    (tmp_path / "cells.zarr" / "X" / "c" / "1" / "0").unlink()
    result = run(
        "select", tmp_path / "cells.zarr", "-k", 2, "--scheduler", cluster.scheduler_address
    )
    assert result.exit_code == 0
    assert "has 5 chunks by its shape (300, 8), but only 4 are stored" in result.stderr


def zarr_group(table, path):
    zarr = pytest.importorskip("zarr")
    X = table.drop(columns=["patient", "kind"])
    group = zarr.open_group(path, mode="w")
    group.create_array("X", data=X.to_numpy(), chunks=(70, 8))
    group.create_array("y", data=pd.factorize(table["kind"], sort=True)[0], chunks=(50,))
    return X, group


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x"])
def test_nobody_answers(folder, monkeypatch, address):
    monkeypatch.setattr(inner.reading, "ANSWER_WITHIN", 1.0)
    result = run("select", folder, "-t", "kind", "--scheduler", address)
    assert result.exit_code == 2
    assert f"No Dask scheduler answers at '{address}' within 1 s" in result.stderr


def test_dask_is_not_installed(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = run("select", folder, "-t", "kind", "--scheduler", "tcp://127.0.0.1:1")
    assert result.exit_code == 2
    assert "pip install 's2fs[dask]'" in result.stderr


def test_the_bench_spreads_over_the_cluster(cluster, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    by_cluster, by_processes = tmp_path / "cluster.sqlite", tmp_path / "processes.sqlite"
    result = run(
        "bench", "run", plan, "--results", by_cluster, "--scheduler", cluster.scheduler_address
    )
    assert result.exit_code == 0, result.output
    assert "4 done, 0 failed, 0 done before." in result.stdout
    assert run("bench", "run", plan, "--results", by_processes).exit_code == 0
    rows = []
    for path in (by_cluster, by_processes):
        with Ledger(path) as book:
            rows.append(export_curves(book))
    assert rows[0] == rows[1]
    assert len(rows[0]) > 0
