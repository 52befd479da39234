import json
import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import minmax_scale, scale

from processes import s2fs, started
from s2fs import S2FS, __version__, components, separability
from s2fs.cli import main
from s2fs.evaluation import stratified_folds
from s2fs.io import read_table

COMPONENTS = ["theta_dis", "theta_dir", "lambda_dis", "lambda_dir"]
COLUMNS = ["rank", "feature", "score", "gain", *COMPONENTS]
ON_THESE_SAMPLES = ["stands_out", "AUC_on_these_samples"]


def run(*args):
    return CliRunner().invoke(main, [str(arg) for arg in args])


def succeeds(*args):
    result = run(*args)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""  # nothing but the result when piped
    return result.stdout


def parse(table):
    """A printed table as a data frame, with the headings of files and plain numbers."""
    head, *rows = [re.split(r"\s{2,}", line.strip()) for line in table.splitlines()]
    names = {"#": "rank", "score so far": "score", "selected in": "selected_in", "q": "q_value"}
    head = [names.get(name, name) for name in head]
    frame = pd.DataFrame([row[: len(head)] for row in rows], columns=head)
    for name in set(head) - {"feature", "stands out", "selected_in", "q_value"}:
        frame[name] = pd.to_numeric(frame[name].str.replace("−", "-"))
    return frame


def printed(output):
    """The first table of the output."""
    return parse(output.split("\n\n")[0])


def rows_of(path):
    """The ranking in a JSON file of ``select``."""
    return pd.DataFrame(json.loads(path.read_text(encoding="utf-8"))["rows"])


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    """A table with an identifier, a text label and 13 features."""
    data = load_wine(as_frame=True)
    path = tmp_path_factory.mktemp("wine") / "wine.csv"
    cultivar = data.target.map({0: "barolo", 1: "grignolino", 2: "barbera"})
    table = data.data.rename(columns={"od280/od315_of_diluted_wines": "od"})
    table.insert(0, "bottle", [f"b{i}" for i in range(len(table))])
    table.assign(cultivar=cultivar).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ([], {}),
        (["-k", 4], {"n_features_to_select": 4}),
        (["-k", "0.4"], {"n_features_to_select": 0.4}),
        (["--alpha", 0, "--beta", 0.5], {"alpha": 0.0, "beta": 0.5}),
        (["--scale", "none", "-k", 3], {"scale": None, "n_features_to_select": 3}),
        (["--beta", 1], {"beta": 1.0}),
        (["--n-jobs", 2], {"n_jobs": 2}),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_files_agree_with_the_estimator(wine, tmp_path, options, parameters, suffix):
    data = read_table(wine, "cultivar", drop=["bottle"])
    selector = S2FS(**parameters).fit(data.X, data.y)

    output = tmp_path / f"ranking.{suffix}"
    options = ["--target", "cultivar", "--drop", "bottle", *options, "--output", output]
    succeeds("select", wine, "--method", "s2fs", *options, "--no-verdict")
    reader = {"csv": pd.read_csv, "json": rows_of, "parquet": pd.read_parquet}[suffix]
    table = reader(output)
    assert list(table.columns) == [*COLUMNS, *ON_THESE_SAMPLES]
    assert table["rank"].tolist() == list(range(1, len(selector.path_) + 1))
    assert table["feature"].tolist() == [data.feature_names[f] for f in selector.indices_]
    for name in COLUMNS[2:]:
        truth = selector.path_["sep" if name == "score" else name]
        np.testing.assert_allclose(table[name], truth, rtol=1e-12, atol=1e-14)
    assert [entry.name for entry in tmp_path.iterdir()] == [output.name]


def test_printed_table_is_the_written_one(wine, tmp_path):
    output = tmp_path / "r.csv"
    options = [wine, "-t", "cultivar", "--drop", "bottle", "-k", 5, "--output", output]
    options += ["--method", "s2fs", "--no-verdict"]
    first, second = succeeds("select", *options, "--details").split("\n\n")[:2]
    written = pd.read_csv(output)
    assert list(written.columns) == [*COLUMNS, *ON_THESE_SAMPLES]
    for table, columns in ((parse(first), ["gain", "score"]), (parse(second), COMPONENTS)):
        assert [name for name in table if name not in ("rank", "feature", "stands out")] == columns
        assert table["feature"].tolist() == written["feature"].tolist()
        for name in columns:
            np.testing.assert_allclose(table[name], written[name], rtol=5e-3)


def test_score_equals_components(wine):
    data = read_table(wine, "cultivar", drop="bottle")
    X = data.X[:, [6, 0, 9]]
    names = ",".join(data.feature_names[f] for f in (6, 0, 9))
    options = [wine, "--target", "cultivar", "--drop", "bottle", "--alpha", 0.1, "--beta", 0.2]
    for flags, values in (
        ([], scale(X)),
        (["--scale", "minmax"], minmax_scale(X)),
        (["--scale", "none"], X),
    ):
        for features in (names, "6,0,9"):
            row = printed(succeeds("score", *options, *flags, "--features", features)).iloc[0]
            truth = components(values, data.y)
            np.testing.assert_allclose(row[COMPONENTS], truth, rtol=5e-3)
            sep = separability(values, data.y, 0.1, 0.2)
            np.testing.assert_allclose(row["sep"], sep, rtol=5e-3)


def test_score_of_a_selection_is_its_last_row(wine):
    options = [wine, "--target", "cultivar", "--drop", "bottle"]
    wanted = ["-k", 4, "--details", "--method", "s2fs", "--no-verdict"]
    first, second = succeeds("select", *options, *wanted).split("\n\n")[:2]
    path = parse(second).assign(sep=parse(first)["score"])
    row = printed(succeeds("score", *options, "--features", ",".join(path["feature"]))).iloc[0]
    np.testing.assert_allclose(
        row[["sep", *COMPONENTS]].astype(float),
        path.iloc[-1][["sep", *COMPONENTS]].astype(float),
        rtol=5e-3,
    )


def test_names_with_commas_quotes_and_other_scripts(tmp_path):
    names = ["a,b", 'say "x"', "größe 基因", "[bold]z[/bold]"]
    rng = np.random.default_rng(0)
    path = tmp_path / "t.csv"
    pd.DataFrame(rng.normal(size=(12, 4)), columns=names).assign(y=[0, 1, 2] * 4).to_csv(
        path, index=False
    )
    for suffix, reader in (
        ("csv", pd.read_csv),
        ("json", rows_of),
        ("parquet", pd.read_parquet),
    ):
        output = tmp_path / f"r.{suffix}"
        shown = succeeds("select", path, "--target", "y", "-k", 4, "--output", output)
        assert sorted(reader(output)["feature"]) == sorted(names)
        assert all(name in shown for name in names)
    quoted = '"a,b","say ""x""",größe 基因'
    assert "n_features" in succeeds("score", path, "--target", "y", "--features", quoted)


def test_features_that_separate_perfectly(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n0,u\n0,u\n1,v\n1,v\n")
    options = ["-k", 1, "-o", tmp_path / "r.json", "--no-verdict", "--method", "s2fs"]
    shown = succeeds("select", path, "--target", "y", *options)
    assert "Constant inside every class: the first 1 feature." in shown
    (row,) = json.loads((tmp_path / "r.json").read_text())["rows"]
    assert row["score"] == row["gain"] == 1e12
    assert row["lambda_dis"] == 2.0  # the standard deviation is half of the range


def test_more_features_than_the_file_has(wine):
    result = run("select", wine, "--target", "cultivar", "--drop", "bottle", "-k", "14")
    assert result.exit_code == 0
    assert "Note: -k is 14, but there are 13 features; all are selected." in result.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-k", "0"], "'0'; give a whole number from 1"),
        (["-k", "-3"], "'-3'; give a whole number from 1"),
        (["-k", "0.0"], "'0.0'; give a whole number from 1, a fraction up to 1.0"),
        (["-k", "1.5"], "'1.5'; give a whole number from 1, a fraction up to 1.0"),
        (["-k", "many"], "'many'; give a whole number"),
        (["--alpha", "-1"], "'--alpha': '-1'; give a finite number that is not negative"),
        (["--beta", "much"], "'--beta': 'much'; give a finite number"),
        (["--beta", "inf"], "'--beta': 'inf'; give a finite number"),
        (["--alpha", "nan"], "'--alpha': 'nan'; give a finite number"),
        (["--colour"], "--colour"),
        (["--output", "ranking.docx"], "ends in .csv, .tsv, .json, .parquet, .xlsx"),
        (["--output", "no/such/folder/r.csv"], "'no/such/folder' is not a directory"),
    ],
)
def test_bad_options_of_select(wine, options, sentence):
    result = run("select", wine, "--target", "cultivar", "--drop", "bottle", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert sentence in result.stderr


@pytest.mark.parametrize(
    ("features", "sentence"),
    [
        ("alcohl", "--features has 'alcohl'"),
        ("alcohl", "did you mean 'alcohol'?"),
        ("ash,ash", "has 'ash' more than once"),
        ("ash,2", "has 'ash' more than once"),
        ("13", "are numbered from 0 to 12"),
        ("", "'--features': it is empty"),
    ],
)
def test_bad_features_of_score(wine, features, sentence):
    result = run("score", wine, "--target", "cultivar", "--drop", "bottle", "--features", features)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert sentence in result.stderr


def test_nothing_half_written(wine, tmp_path, monkeypatch):
    options = ["select", wine, "--target", "cultivar", "--drop", "bottle", "-k", 2, "--output"]
    (tmp_path / "file").write_text("in the way")
    for output in (tmp_path / "file" / "r.csv", tmp_path / "folder.csv"):
        if output.parent == tmp_path:
            output.mkdir()
        result = run(*options, output)
        assert result.exit_code == 2
        assert result.stderr.startswith("Error: --output is")
    (tmp_path / "folder.csv").rmdir()

    old = tmp_path / "old.csv"
    old.write_text("precious")

    def fails(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fails)
    result = run(*options, old)
    assert result.exit_code == 2
    assert result.stderr == (
        f"Error: {old} cannot be written (No space left on device); choose another place.\n"
    )
    assert old.read_text() == "precious"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "old.csv"]


def test_the_data_is_not_overwritten(wine):
    before = wine.read_bytes()
    result = run("select", wine, "-t", "cultivar", "--drop", "bottle", "--output", wine)
    assert result.exit_code == 2
    assert "the data itself" in result.stderr
    assert wine.read_bytes() == before


def test_parquet_output_without_pyarrow_fails_before_the_work(wine, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = run("select", wine, "--target", "cultivar", "-o", tmp_path / "r.parquet")
    assert result.exit_code == 2
    assert "pip install 's2fs[parquet]'" in result.stderr


@pytest.mark.parametrize("command", [[], ["select"], ["score"], ["demo"]])
def test_help_has_an_example(command):
    assert "Example:\n    s2fs " in succeeds(*command, "--help")


def test_in_a_process_of_its_own(wine, tmp_path, tmp_path_factory):
    options = ["select", str(wine), "--target", "cultivar", "-k", "2"]
    good = subprocess.run(
        [Path(sys.executable).with_name("s2fs"), *options, "--drop", "bottle", "--output", "r.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    assert (good.returncode, good.stderr) == (0, "")
    assert (
        printed(good.stdout)["feature"].tolist()
        == pd.read_csv(tmp_path / "r.csv")["feature"].tolist()
    )
    (tmp_path / "r.csv").unlink()

    for bad, sentence in (
        ([*options, "--drop", "botle", "--output", "r.csv"], "did you mean 'bottle'"),
        ([*options, "--drop", "bottle", "--output", f"{wine}/r.csv"], "is not a directory"),
    ):
        streams = [tmp_path_factory.mktemp("streams") / name for name in ("stdout", "stderr")]
        with started(
            s2fs, *bad, folder=tmp_path, stdout=str(streams[0]), stderr=str(streams[1])
        ) as process:
            process.join(600)
        stdout, stderr = (path.read_text("utf-8") for path in streams)
        assert (process.exitcode, stdout) == (2, "")
        assert stderr.startswith("Error: ")
        assert stderr.count("\n") == 1
        assert sentence in stderr
    assert list(tmp_path.iterdir()) == []


def test_version_names_the_package():
    assert succeeds("--version").endswith(f", version {__version__}\n")


def test_score_checks_a_panel(wine):
    options = ["--target", "cultivar", "--drop", "bottle", "--features", "flavanoids,alcohol,hue"]
    shown = succeeds("score", wine, *options, "--check")
    parts = shown.split("\n\n")
    confusion = pd.read_csv(StringIO(parts[2].replace("as ", "as_")), sep=r"\s+")
    X, y = load_wine(return_X_y=True)
    X = scale(X[:, [6, 0, 10]])
    names = np.array(["barolo", "grignolino", "barbera"])
    y = np.unique(names[y], return_inverse=True)[1]
    predicted = np.empty_like(y)
    for train, test in stratified_folds(y, 5):
        predicted[test] = KNeighborsClassifier(5).fit(X[train], y[train]).predict(X[test])
    counts = [[int(((y == q) & (predicted == r)).sum()) for r in range(3)] for q in range(3)]
    assert confusion.iloc[:, 1:4].to_numpy().tolist() == counts
    assert f"{(predicted == y).mean():.1%} of the samples are right" in shown
    after = pd.read_csv(StringIO(parts[-1]), sep=r"\s+")
    assert after["change"].tolist() == ["add", "drop"]
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    added = {f: separability(X[:, [6, 0, 10, f]], y) for f in range(13) if f not in (6, 0, 10)}
    assert after["sep"][0] == pytest.approx(max(added.values()), rel=5e-3)
    dropped = [separability(X[:, pair], y) for pair in ([6, 0], [6, 10], [0, 10])]
    assert after["sep"][1] == pytest.approx(max(dropped), rel=5e-3)
