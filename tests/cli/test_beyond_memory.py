"""Parquet files that take more memory than is allowed, against the same table in memory."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from s2fs import PairCover
from s2fs.cli import main
from s2fs.io import ReadWarning, read_table

pytest.importorskip("duckdb")
N = 240


def make_table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, N)
    X = rng.normal(size=(N, 6)) + y[:, None] * rng.uniform(size=6)
    X[rng.uniform(size=X.shape) < 0.05] = np.nan
    table = pd.DataFrame(X, columns=["a", "A", "b.c", "d", 'e"', "f"])
    table["copy"] = 2 * table["d"] - 1
    table["flag"] = rng.uniform(size=N) < 0.3
    count = np.arange(N)
    return table.assign(
        visit=count, patient_id=count * 7 % 31, word=[f"w{i % 5}" for i in count],
        kind=np.array(["x", "y", "z"])[y],
    )  # fmt: skip


@pytest.fixture(scope="module")
def table():
    return make_table()


@pytest.fixture(scope="module", params=["file", "folder", "pattern", "[1].parquet"])
def path(request, table, tmp_path_factory):
    place = tmp_path_factory.mktemp("tables")
    if request.param in ("file", "[1].parquet"):
        path = place / {"file": "table.parquet"}.get(request.param, request.param)
        table.to_parquet(path)
        return path
    for i in range(3):
        table[i * 80 : (i + 1) * 80].to_parquet(place / f"part-{i}.parquet")
    return place if request.param == "folder" else place / "*.parquet"


def select(path, *arguments, memory="1K"):
    words = ["select", path, "-t", "kind", "--max-memory", memory, *arguments]
    return CliRunner().invoke(main, list(map(str, words)))


def features_of(path, tmp_path, *arguments, memory="1K"):
    out = tmp_path / "out.json"
    result = select(path, "-k", 4, "--no-verdict", "-o", out, *arguments, memory=memory)
    assert result.exit_code == 0, result.stderr
    return [row["feature"] for row in json.loads(out.read_text())["rows"]], result.stderr


def in_memory(path, **options):
    with pytest.warns(ReadWarning):
        data = read_table(path, "kind", impute="keep", numeric_only=True, **options)
    selector = PairCover(4, correlation=0).fit(data.X, data.y)
    return [data.feature_names[f] for f in selector.indices_], data


def test_features_and_notes_are_those_of_memory(path, tmp_path):
    found, notes = features_of(path, tmp_path)
    expected, data = in_memory(path)
    assert found == expected
    assert not {"visit", "patient_id", "word", "kind"} & set(data.feature_names)
    left_out = [str(r.text).split(";")[0] for r in data.remarks if r.columns]
    assert left_out
    for text in left_out:
        assert text.removeprefix(str(path)) in notes
    assert "(correlation=0)" in notes
    assert "stays on disk" in notes


def test_what_was_said_of_columns_counts(path, tmp_path):
    found, _ = features_of(path, tmp_path, "--keep", "visit", "--drop", "f", "--include", "visit")
    assert "visit" in found
    assert "f" not in found
    found, _ = features_of(path, tmp_path, "--id", "d")
    assert "d" not in found


def test_what_fits_is_answered_in_memory(path, tmp_path):
    found, notes = features_of(path, tmp_path, memory="1G")
    assert "stays on disk" not in notes
    assert len(found) == 4


def test_numbers_that_come_again_below_the_first_rows_are_features(tmp_path, monkeypatch):
    monkeypatch.setattr("s2fs.io.large_parquet.FIRST_ROWS", 60)
    file = tmp_path / "t.parquet"
    dose = np.arange(N) % 100 + 5
    make_table().assign(dose=dose, number=np.arange(N) * 3 + 1).to_parquet(file)
    found, notes = features_of(file, tmp_path, "--include", "dose")
    assert found[0] == "dose"
    assert "'number'" in notes
    expected, _ = in_memory(file)
    assert expected == features_of(file, tmp_path)[0]


def test_partitions_and_a_target_in_them(tmp_path):
    table = make_table().assign(day=np.arange(N) % 4)
    by_day, by_kind = tmp_path / "day", tmp_path / "kind"
    table.to_parquet(by_day, partition_cols=["day"])
    table.to_parquet(by_kind, partition_cols=["kind"])
    found, notes = features_of(by_day, tmp_path)
    assert found == in_memory(by_day)[0]
    assert "'day' in the names of its folders" in notes
    found, _ = features_of(by_day, tmp_path, "--keep", "day", "--include", "day")
    assert found[0] == "day"
    assert features_of(by_kind, tmp_path)[0] == in_memory(by_kind)[0]


def test_rows_without_a_label_are_left_out(tmp_path):
    table = make_table()
    table.loc[::5, "kind"] = None
    table.to_parquet(tmp_path / "t.parquet")
    found, notes = features_of(tmp_path / "t.parquet", tmp_path)
    assert "has no label in 48 of 240 rows, which are left out" in notes
    assert found == in_memory(tmp_path / "t.parquet")[0]
    table.loc[5:, "kind"] = None
    table.to_parquet(tmp_path / "t.parquet")
    result = select(tmp_path / "t.parquet")
    assert result.exit_code == 2
    assert "has no label in" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--method", "s2fs"), "Beyond memory there is --method paircover"),
        (("--report", "r.html"), "Beyond memory --report does not work"),
        (("--covariate", "d"), "Beyond memory --covariate does not work"),
        (("-k", "auto"), "Beyond memory -k auto does not work"),
        (("--target", "nothing"), "no such column"),
    ],
)
def test_what_needs_the_samples_is_refused(path, arguments, words):
    result = select(path, *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Traceback" not in result.stderr


def test_another_format_is_refused_with_what_would_do(tmp_path):
    make_table().to_csv(tmp_path / "t.csv", index=False)
    result = select(tmp_path / "t.csv")
    assert result.exit_code == 2
    assert "From a Parquet file of that size" in result.stderr


def test_a_damaged_part_is_one_sentence(tmp_path):
    make_table().to_parquet(tmp_path / "0.parquet")
    content = (tmp_path / "0.parquet").read_bytes()
    broken = bytearray(content)
    broken[200:3000] = bytes(2800)
    (tmp_path / "1.parquet").write_bytes(bytes(broken))
    result = select(tmp_path, "-k", 4)
    assert result.exit_code == 2
    assert result.stderr.rstrip().count("\n") <= 2
    assert "Traceback" not in result.stderr
