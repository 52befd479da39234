"""Tables of a DuckDB file, in Python and on the command line."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from s2fs import PairCover
from s2fs.cli import main
from s2fs.lazy import open_table

duckdb = pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=200)
    X = rng.normal(size=(200, 6)) + y[:, None] * rng.uniform(size=6)
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(6)])
    return frame.assign(patient=[f"p{i}" for i in range(200)], kind=np.array(["a", "b", "c"])[y])


@pytest.fixture(scope="module")
def database(table, tmp_path_factory):
    file = tmp_path_factory.mktemp("database") / "visits.duckdb"
    with duckdb.connect(file) as connection:
        connection.register("frame", table)
        connection.execute("CREATE TABLE visits AS SELECT * FROM frame")
        connection.execute("CREATE SCHEMA lab; CREATE VIEW lab.early AS FROM visits LIMIT 150")
    return file


def run(*arguments):
    return CliRunner().invoke(main, ["select", *map(str, arguments)])


def local_choice(table, k=4):
    X = table.drop(columns=["patient", "kind"])
    return PairCover(k, correlation=0).fit(X, table["kind"]).feature_names_.tolist()


def test_tables_and_views(database, table):
    for name, rows in (("visits", 200), ("lab.early", 150)):
        relation = open_table(f"duckdb:{database}", name)
        features = [duckdb.ColumnExpression(c) for c in relation.columns if c != "patient"]
        selector = PairCover(4, correlation=0).fit(relation.select(*features), y="kind")
        assert selector.feature_names_.tolist() == local_choice(table[:rows])


def test_the_command_line(database, table, tmp_path):
    out = tmp_path / "ranking.json"
    result = run(
        database, "--table", "visits", "--target", "kind",
        "-k", 4, "-o", out,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    rows = json.loads(out.read_text(encoding="utf-8"))["rows"]
    assert [row["feature"] for row in rows] == local_choice(table)
    assert "Left out column 'patient': not numbers." in result.stderr
    assert "correlation=0" in result.stderr
    assert "No verdict: the accuracy on held-out samples needs the samples" in result.stderr
    with duckdb.connect(database) as connection:  # nothing was changed, and nobody holds it
        assert connection.sql("SELECT count(*) FROM visits").fetchall() == [(200,)]


def test_columns_by_position_and_constraints(database, table):
    result = run(
        database, "--table", "visits", "-t", "-1", "--drop", "patient",
        "-k", 3, "--include", "gene 5", "--exclude", "0", "--no-verdict",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    X = table.drop(columns=["patient", "kind"])
    local = PairCover(3, correlation=0, include=[5], exclude=[0]).fit(X, table["kind"])
    lines = result.stdout.splitlines()[1:4]
    assert [re.search(r"gene \d", line)[0] for line in lines] == local.feature_names_.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--table", "visits", "-t", "kind"], "Missing argument 'FILE'"),
        (["{db}", "-t", "kind"], "add --table with the name of a table"),
        (["{db}", "--table", "visits"], "--target is missing"),
        (["@", "-t", "kid"], "did you mean 'kind'?"),
        (["@", "-t", "kind", "--method", "s2fs"], "--method s2fs needs the samples"),
        (["@", "-t", "kind", "-k", "auto"], "-k auto needs all samples in one place"),
        (["@", "-t", "kind", "--max-correlation", "0.9"], "--max-correlation needs all samples"),
        (["@", "-t", "kind", "--report", "x.html"], "--report needs all samples in one place"),
        (["@", "-t", "kind", "--covariate", "patient"], "--covariate needs all samples"),
        (["@", "-t", "kind", "-o", "{db}.csv/x.csv"], "--output"),
        (["{db}", "--table", "visit", "-t", "kind"], "did you mean 'visits'"),
        (["no", "--table", "t", "-t", "k"], "There is no file 'no'"),
        (["{text}", "--table", "t", "-t", "k"], "cannot be opened as a"),
    ],
)
def test_mistakes_are_one_sentence(database, tmp_path, arguments, message):
    text = tmp_path / "text.duckdb"
    text.write_text("a,b\n1,2\n" * 5000, encoding="utf-8")
    filled = [part.format(db=database, text=text) for part in arguments]
    if filled[:1] == ["@"]:
        filled = [database, "--table", "visits", *filled[1:]]
    result = run(*filled)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_what_duckdb_says_after_opening_is_one_sentence(database, tmp_path):
    half, other = tmp_path / "half.duckdb", tmp_path / "other.duckdb"
    other.write_bytes(database.read_bytes())
    with duckdb.connect(other) as connection:
        connection.sql("CREATE VIEW broken AS SELECT *, CAST(kind AS INT) AS bad FROM visits")
        connection.sql("CREATE TABLE lists AS SELECT * EXCLUDE (kind), [kind] AS kind FROM visits")
    content = database.read_bytes()
    half.write_bytes(content[: len(content) // 2])
    for file, table, message in (
        (other, "broken", "cannot give its table 'broken'"),
        (other, "lists", "whose values are lists or records"),
        (half, "visits", ""),
    ):
        result = run(file, "--table", table, "-t", "kind", "-k", 2)
        assert result.exit_code == 2, result.output
        assert message in result.stderr
        assert result.stderr.splitlines()[-1].startswith("Error: ")


def test_columns_that_name_samples_are_left_out_as_of_a_file(tmp_path):
    """A patient's number tells classes that were entered one after the other."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    table.insert(0, "patient", np.arange(1001, 1061))
    table["row"] = np.arange(60)
    table["kind"] = np.repeat(["u", "v"], 30)
    table.to_csv(tmp_path / "t.csv", index=False)
    with duckdb.connect(tmp_path / "t.duckdb") as connection:
        connection.register("frame", table)
        connection.execute("CREATE TABLE t AS SELECT * FROM frame")
    asked = ("--target", "kind", "-k", 6, "--no-verdict")
    options = {"t.duckdb": ("--table", "t")}
    for more, n_features in (((), 4), (("--keep", "patient"), 5)):
        tables = []
        for name in ("t.csv", "t.duckdb"):
            result = run(tmp_path / name, *options.get(name, ()), *asked, *more)
            assert result.exit_code == 0, result.output
            tables.append([line.split()[1] for line in result.stdout.splitlines()[1:]])
            assert "in column 'row'; left out, unless --keep names them." in result.stderr
        assert sorted(tables[0]) == sorted(tables[1])
        assert len(tables[0]) == n_features
