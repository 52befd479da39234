"""``s2fs transform``: saved by one command, applied by another, on tables that differ."""

import json
import os
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_wine

from s2fs.cli import main


def run(*args):
    return CliRunner().invoke(main, [str(arg) for arg in args])


def succeeds(*args):
    result = run(*args)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def fails(*args):
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture(scope="module")
def table():
    data = load_wine(as_frame=True)
    features = data.data.rename(columns={"od280/od315_of_diluted_wines": "od, diluted"})
    return features.assign(cultivar=data.target.map({0: "a", 1: "b", 2: "c"}))


@pytest.fixture(scope="module")
def model(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    table.to_csv(folder / "wine.csv", index=False)
    path = folder / "wine.json"
    succeeds("select", folder / "wine.csv", "-t", "cultivar", "-k", 6, "--save", path)
    return path


@pytest.fixture(scope="module")
def wanted(model):
    content = json.loads(model.read_text(encoding="utf-8"))["selection"]
    return [content["feature_names"][i] for i in np.argsort(content["indices"])]


@pytest.fixture
def new(table, tmp_path):
    """New wines without labels, columns in another order, with a name and more columns."""
    path = tmp_path / "new.csv"
    fresh = table.drop(columns="cultivar").iloc[::7, ::-1] * 1.25
    fresh.insert(3, "bottle", [f"b,{i}" for i in range(len(fresh))])
    fresh.to_csv(path, index=False)
    return path


def test_prints_the_selected_columns_in_their_order(model, new, wanted):
    result = pd.read_csv(StringIO(succeeds("transform", model, new)))
    assert result.columns.tolist() == wanted
    pd.testing.assert_frame_equal(result, pd.read_csv(new)[wanted])


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_writes_files_with_kept_columns_in_front(model, new, wanted, tmp_path, suffix):
    output = tmp_path / f"out.{suffix}"
    assert succeeds("transform", model, new, "--keep", "bottle", "-o", output) == ""
    reader = {"csv": pd.read_csv, "json": pd.read_json, "parquet": pd.read_parquet}[suffix]
    pd.testing.assert_frame_equal(
        reader(output), pd.read_csv(new)[["bottle", *wanted]], check_dtype=suffix == "parquet"
    )


def test_cells_stay_as_they_are_written(model, wanted, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(",".join(f'"{w}"' for w in wanted) + "\n" + "1.50,2,3e0,4.000,05,.6\n")
    assert succeeds("transform", model, path).splitlines()[1] == "1.50,2,3e0,4.000,05,.6"


def test_other_kinds_of_files(model, table, wanted, tmp_path):
    features = table.drop(columns="cultivar")
    features.to_parquet(tmp_path / "t.parquet")
    features.to_csv(tmp_path / "t.tsv.gz", sep="\t", index=False)
    features.T.to_csv(tmp_path / "genes.csv", index_label="feature")
    np.savez(tmp_path / "t.npz", X=features.to_numpy(), feature_names=list(features.columns))
    for options in (["t.parquet"], ["t.tsv.gz"], ["genes.csv", "--transpose"], ["t.npz"]):
        shown = succeeds("transform", model, tmp_path / options[0], *options[1:])
        pd.testing.assert_frame_equal(pd.read_csv(StringIO(shown)), features[wanted])


def test_a_selection_without_names_goes_by_position(table, tmp_path):
    X, y = table.drop(columns="cultivar").to_numpy(), np.arange(178) % 3
    np.savez(tmp_path / "t.npz", X=X, y=y)
    model = tmp_path / "m.json"
    succeeds("select", tmp_path / "t.npz", "-k", 2, "--save", model)
    indices = sorted(json.loads(model.read_text())["selection"]["indices"])
    np.savez(tmp_path / "new.npz", X=X[:5])
    shown = pd.read_csv(StringIO(succeeds("transform", model, tmp_path / "new.npz")))
    np.testing.assert_array_equal(shown, X[:5, indices])


def changed(new, change):
    frame = change(pd.read_csv(new, dtype=str))
    frame.to_csv(new, index=False)
    return new


def test_columns_that_do_not_fit(model, new, wanted):
    text = new.read_text()
    message = fails("transform", model, changed(new, lambda t: t.rename(columns={"hue": "Hue"})))
    assert "lacks 1 of the 6 selected columns: 'hue' (did you mean 'Hue'?)" in message
    new.write_text(text)
    with_text = changed(new, lambda t: t.assign(hue=["pale", *t["hue"][1:]]))
    assert "text in the selected column 'hue', such as 'pale'" in fails(
        "transform", model, with_text
    )
    new.write_text(text)
    gap = changed(new, lambda t: t.assign(hue=[*t["hue"][:2], "NA", *t["hue"][3:]]))
    shown = pd.read_csv(StringIO(succeeds("transform", model, gap)), dtype=str, na_filter=False)
    assert shown["hue"].tolist() == pd.read_csv(gap, dtype=str, na_filter=False)["hue"].tolist()
    assert shown["hue"][2] == "NA"
    new.write_text(text)
    # Columns that were not selected may hold anything.
    other = next(name for name in pd.read_csv(new).columns if name not in [*wanted, "bottle"])
    assert succeeds("transform", model, changed(new, lambda t: t.assign(**{other: "?"})))


def test_bad_calls(model, new, tmp_path):
    assert "There is no file 'no.json'" in fails("transform", "no.json", new)
    assert "There is no file 'no.csv'" in fails("transform", model, "no.csv")
    assert "--keep has 'botle'" in fails("transform", model, new, "--keep", "botle")
    assert "the data itself" in fails("transform", model, new, "-o", new)
    assert "ends in .csv" in fails("transform", model, new, "-o", tmp_path / "o.txt")
    assert "is not JSON" in fails("transform", new, new)
    later = tmp_path / "later.json"
    later.write_text(model.read_text().replace('"format_version": 2', '"format_version": 9'))
    assert "format version 9" in fails("transform", later, new)
    double = tmp_path / "double.csv"
    double.write_text("hue,hue\n1,2\n")
    result = run("transform", model, double)
    assert result.exit_code == 2
    assert "Note: " in result.stderr
    assert "more than one column named 'hue'; the later ones are called hue.1" in result.stderr
    assert "lacks 5 of the 6 selected" in result.stderr
    before = model.read_bytes()
    assert "a file that is read; choose" in fails("transform", model, new, "-o", model)
    assert model.read_bytes() == before


def test_nothing_half_written(model, new, tmp_path, monkeypatch):
    output = tmp_path / "out.csv"
    output.write_text("precious")

    def refuses(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuses)
    assert "No space left on device" in fails("transform", model, new, "-o", output)
    assert output.read_text() == "precious"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["new.csv", "out.csv"]


def test_help_has_an_example():
    assert "Example:\n    s2fs select" in succeeds("transform", "--help")
