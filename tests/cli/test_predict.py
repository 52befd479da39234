"""``s2fs predict``: by a panel that another command has saved, on tables that differ."""

import json
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from cohorts import GENES, KINDS, make_cohort
from s2fs import Panel
from s2fs.cli import main


def run(*args):
    return CliRunner().invoke(main, [str(arg) for arg in args])


def succeeds(*args, notes=""):
    result = run(*args)
    assert result.exit_code == 0, result.output
    if notes == "":
        assert result.stderr == ""
    return result.stdout, result.stderr


def fails(*args):
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("panel")
    first = make_cohort(60, 1)
    first.to_csv(folder / "first.csv", index=False)
    select = ("select", folder / "first.csv", "-t", "kind", "--drop", "sample", "--no-verdict")
    succeeds(*select, "-k", 20, "--save", folder / "panel.json")
    raw = first.copy()
    raw[GENES] = 2 ** raw[GENES] - 1
    raw.to_csv(folder / "raw.csv", index=False)
    select = ("select", folder / "raw.csv", "-t", "kind", "--drop", "sample", "--no-verdict")
    succeeds(*select, "-k", 20, "--log2", "--save", folder / "log.json")
    make_cohort(30, 2).drop(columns="kind").to_csv(folder / "new.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def panel(folder):
    return Panel.load(folder / "panel.json")


def read(text):
    return pd.read_csv(StringIO(text), index_col="sample", keep_default_na=False)


def test_predictions_are_those_of_the_panel(folder, panel, tmp_path):
    new = make_cohort(30, 2)
    found = read(succeeds("predict", folder / "panel.json", folder / "new.csv", notes=None)[0])
    assert found.index.tolist() == new["sample"].tolist()
    assert found["predicted"].tolist() == panel.predict(new).tolist()
    np.testing.assert_allclose(found.iloc[:, 1:6], panel.predict_proba(new), atol=1e-6)
    assert found.columns[1:6].tolist() == [f"probability {kind}" for kind in KINDS]
    assert set(found["notes"]) == {""}
    for suffix in ("tsv", "json", "parquet", "xlsx"):
        path = tmp_path / f"out.{suffix}"
        succeeds("predict", folder / "panel.json", folder / "new.csv", "-o", path, notes=None)
        if suffix == "json":
            assert [row["predicted"] for row in json.loads(path.read_text())] == list(
                found["predicted"]
            )
        else:
            assert path.stat().st_size > 500


def test_the_unsure_are_said_so_with_the_best_class(folder, panel):
    probability = panel.predict_proba(make_cohort(30, 2)).max(axis=1)
    cut = float(np.median(probability))
    text, _ = succeeds(
        "predict", folder / "panel.json", folder / "new.csv", "--reject", f"{cut:.6f}", notes=None
    )
    found = read(text)
    assert ((found["predicted"] == "unsure") == (probability < round(cut, 6))).all()
    assert found["best"].tolist() == panel.predict(make_cohort(30, 2)).tolist()


def test_features_in_rows_a_shuffled_table_and_one_sample(folder, tmp_path):
    new = make_cohort(30, 2).drop(columns="kind")
    expected, _ = succeeds("predict", folder / "panel.json", folder / "new.csv", notes=None)
    path = tmp_path / "rows.csv"
    new.set_index("sample").T.sample(frac=1, random_state=0).to_csv(path, index_label="gene")
    text, notes = succeeds("predict", folder / "panel.json", path, notes=None)
    assert text == expected
    assert "features in rows: its first column names them (--transpose)" in notes
    new.sample(frac=1, random_state=0, axis=1).to_csv(path, index=False)
    assert succeeds("predict", folder / "panel.json", path, notes=None)[0] == expected
    new.iloc[:1].to_csv(path, index=False)
    one, _ = succeeds("predict", folder / "panel.json", path, notes=None)
    assert one.splitlines() == expected.splitlines()[:2]
    new.iloc[:, 1:].to_csv(path, index=False)
    assert read(
        succeeds("predict", folder / "panel.json", path, notes=None)[0]
    ).index.tolist() == list(range(1, 31))
    np.savez(tmp_path / "new.npz", X=new[GENES], feature_names=np.array(GENES),
             sample_ids=new["sample"].astype(str).to_numpy(str))  # fmt: skip
    assert succeeds("predict", folder / "panel.json", tmp_path / "new.npz")[0] == expected


def test_cells(folder, tmp_path):
    anndata = pytest.importorskip("anndata")
    new = make_cohort(30, 2)
    cells = anndata.AnnData(
        new[GENES].to_numpy(), obs=pd.DataFrame(index=new["sample"].to_numpy()),
        var=pd.DataFrame(index=GENES),
    )  # fmt: skip
    cells.write_h5ad(tmp_path / "new.h5ad")
    expected, _ = succeeds("predict", folder / "panel.json", folder / "new.csv", notes=None)
    assert succeeds("predict", folder / "panel.json", tmp_path / "new.h5ad")[0] == expected


def test_missing_values_are_filled_and_named(folder, panel, tmp_path):
    new = make_cohort(30, 2).drop(columns="kind")
    gene = panel.feature_names_[3]
    new.loc[4, gene] = np.nan
    new.to_csv(tmp_path / "gap.csv", index=False, na_rep="NA")
    found = read(succeeds("predict", folder / "panel.json", tmp_path / "gap.csv", notes=None)[0])
    assert found["notes"].tolist() == ["" if i != 4 else f"missing: {gene}" for i in range(30)]
    np.testing.assert_allclose(found.iloc[:, 1:6], panel.predict_proba(new), atol=1e-6)
    new[gene] = new[gene].astype(object)
    new.loc[4, gene] = "high"
    new.to_csv(tmp_path / "gap.csv", index=False)
    assert f"text in the feature {gene!r}, such as 'high'; give numbers" in fails(
        "predict", folder / "panel.json", tmp_path / "gap.csv"
    )
    new.loc[4, gene] = np.inf
    new.to_csv(tmp_path / "gap.csv", index=False)
    assert "infinity" in fails("predict", folder / "panel.json", tmp_path / "gap.csv")


def test_a_second_cohort_with_all_that_goes_wrong(folder, panel, tmp_path):
    """Missing genes, another version, other units, genes in rows: an answer with notes."""
    new = make_cohort(12, 5, kinds=KINDS[:3]).drop(columns="kind").set_index("sample")
    raw = 2**new - 1
    names, substitutes = panel.feature_names_.tolist(), panel._model.substitutes
    weights = np.abs(panel.coef_).sum(axis=0)
    replaced, other = next(
        (name, one) for name, one in zip(names, substitutes, strict=True) if abs(one.r) > 0.9
    )
    # Nothing can stand for this one, and the model hardly needs it.
    lone = names[min((f for f in range(20) if abs(substitutes[f].r) < 0.9), key=weights.item)]
    moved = next(name for name in names if name not in (replaced, lone))
    raw = raw.drop(columns=[replaced, lone])
    raw = raw.rename(columns={moved: f"{moved.split('.')[0]}.12"})
    raw.T.to_csv(tmp_path / "second.tsv", sep="\t", index_label="gene")
    command = ("predict", folder / "panel.json", tmp_path / "second.tsv")
    _, notes = succeeds(*command, notes=None)
    assert f"{replaced} is missing: its substitute {other.name} (r 0.9" in notes
    assert f"{lone} is missing: the training median stands for it (" in notes
    assert f"{moved} is taken from {moved.split('.')[0]}.12 (differs in its version)." in notes
    assert "the values look like the numbers before a logarithm: try --log2." in notes
    text, notes = succeeds(*command, "--log2", notes=None)
    assert "try" not in notes
    complete = new.assign(**{lone: panel._model.medians[names.index(lone)]})
    complete[replaced] = other.map(new[other.name].to_numpy())
    np.testing.assert_allclose(
        read(text).iloc[:, 1:6], panel.predict_proba(complete), atol=2e-3
    )  # the table is rounded


@pytest.mark.parametrize(
    ("name", "change", "advice"),
    [
        ("panel", lambda x: 2**x - 1, "--log2"),
        ("log", lambda x: x, "--unlog2"),
        ("panel", lambda x: 1000 * x, "--rescale"),
        ("log", lambda x: 1000 * (2**x - 1), "--rescale"),
    ],
)
def test_the_advice_brings_predictions_back(folder, tmp_path, name, change, advice):
    new = make_cohort(200, 7)
    values = change(new[GENES])
    new.assign(**{gene: values[gene] for gene in GENES}).to_csv(tmp_path / "new.csv", index=False)
    command = ("predict", folder / f"{name}.json", tmp_path / "new.csv")
    _, notes = succeeds(*command, notes=None)
    assert f": try {advice}." in notes
    text, notes = succeeds(*command, advice, notes=None)
    assert "try" not in notes
    right = np.mean(read(text)["predicted"].to_numpy() == new["kind"].to_numpy())
    same = Panel.load(folder / "panel.json").predict(new) == new["kind"]
    assert right > np.mean(same) - 0.03


def test_what_cannot_be(folder, panel, tmp_path):
    new = make_cohort(30, 2).drop(columns="kind")
    path, command = tmp_path / "new.csv", ("predict", folder / "panel.json", tmp_path / "new.csv")
    names = panel.feature_names_.tolist()
    new[["sample", *GENES[50:54]]].to_csv(path, index=False)
    assert "has none of the 20 features of the panel" in fails(*command)
    new.drop(columns=[*names[:8], *GENES[40:50]], errors="ignore").to_csv(path, index=False)
    assert "of the weight of the panel, and has no substitute for them" in fails(*command)
    stem = names[0].split(".")[0]
    new.rename(columns={names[0]: f"{stem}.20"}).assign(**{f"{stem}.21": 1.5}).to_csv(
        path, index=False
    )
    message = fails(*command)
    assert f"has '{stem}.20' and '{stem}.21', which may all be the feature {names[0]!r}" in message
    assert "leave all but one of them out" in message
    _, notes = succeeds(*command, "--drop", f"{stem}.21", notes=None)
    assert f"{names[0]} is taken from {stem}.20" in notes
    twice = pd.concat([new, new[[names[1]]]], axis=1)
    twice.to_csv(path, index=False)
    assert f"more than one column {names[1]!r}" in fails(*command)
    new.iloc[:4].to_csv(path, index=False)
    assert "--rescale takes the means of the new samples" in fails(*command, "--rescale")
    assert "--log2 and --unlog2 contradict each other" in fails(*command, "--log2", "--unlog2")
    assert "too large for 2ˣ − 1; they are no logarithms, so leave --unlog2 out" in fails(
        *huge(command, new, path), "--unlog2"
    )
    assert "0<x<=1" in fails(*command, "--reject", "2")
    missing = ("predict", tmp_path / "none.json", path)
    assert "none.json" in fails(*missing)
    assert "the data itself" in fails(*command, "-o", path)


def huge(command, new, path):
    new.assign(**{gene: 5000.0 for gene in GENES}).to_csv(path, index=False)
    return command


def test_encoded_text_is_encoded_again(tmp_path):
    rng = np.random.default_rng(0)
    kind = np.repeat(["a", "b"], 40)
    words = np.where(rng.random(80) < 0.85, np.where(kind == "a", "red", "blue"), "green")
    table = pd.DataFrame({"colour": words, "size": rng.normal(size=80), "kind": kind})
    table.to_csv(tmp_path / "first.csv", index=False)
    path = tmp_path / "panel.json"
    result = run("select", tmp_path / "first.csv", "-t", "kind", "-k", 2,
                 "--no-verdict", "--save", path)  # fmt: skip
    assert result.exit_code == 0
    panel = Panel.load(path)
    assert panel._steps.levels == {"colour": ["blue", "green", "red"]}
    new = pd.DataFrame({"colour": ["red", "blue", "pink"], "size": [0.0, 0.0, 0.0]})
    new.to_csv(tmp_path / "new.csv", index=False)
    text, notes = succeeds("predict", path, tmp_path / "new.csv", notes=None)
    assert "colour has words that the panel never saw, which count as none: 'pink' (1)." in notes
    encoded = pd.DataFrame({name: [0.0] * 3 for name in panel.feature_names_})
    for i, word in enumerate(["red", "blue"]):
        if f"colour={word}" in encoded:
            encoded.loc[i, f"colour={word}"] = 1.0
    found = pd.read_csv(StringIO(text))
    np.testing.assert_allclose(found.iloc[:, 2:4], panel.predict_proba(encoded), atol=1e-6)


def test_select_saves_a_panel_and_says_how_to_use_it(folder, tmp_path):
    result = run("select", folder / "first.csv", "-t", "kind", "--drop", "sample", "-k", 3,
                 "--save", tmp_path / "my panel.json")  # fmt: skip
    assert result.exit_code == 0, result.output
    path = tmp_path / "my panel.json"
    assert result.stdout.splitlines()[-1] == (
        f"Next: s2fs predict '{path}' new.csv -o predictions.csv"
    )
    first = Panel.load(path)._first_cohort
    assert (first.n_samples, first.n_splits, first.n_repeats) == (60, 5, 5)
    assert first.estimate_auc([True] * 5).value > 0.8
    result = run("select", folder / "first.csv", "-t", "kind", "--no-verdict", "-k", 3,
                 "--drop", "sample", "--save", path, "--force")  # fmt: skip
    assert result.exit_code == 0
    assert Panel.load(path)._first_cohort is None
    table = make_cohort(60, 1).assign(age=np.arange(60.0) * 37 % 50)
    table.to_csv(tmp_path / "with_age.csv", index=False)
    result = run("select", tmp_path / "with_age.csv", "-t", "kind", "--covariate", "age", "--drop",
                 "sample", "--no-verdict", "-k", 3, "--save", path, "--force")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "adjusted for covariates" in result.stderr
    assert "holds a selection without a model" in fails("predict", path, folder / "new.csv")


def test_a_table_in_a_database_and_symbols(folder, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    first = make_cohort(60, 1).drop(columns="sample")
    with duckdb.connect(tmp_path / "genes.duckdb") as database:
        database.register("frame", first)
        database.sql("CREATE TABLE cohort AS SELECT * FROM frame")
    path = tmp_path / "panel.json"
    select = ("select", tmp_path / "genes.duckdb", "--table", "cohort", "-t", "kind", "-k", 5)
    result = run(*select, "--save", path)
    assert result.exit_code == 0, result.output
    panel = Panel.load(path)
    assert panel._first_cohort is None
    assert len(succeeds("predict", path, folder / "new.csv", notes=None)[0].splitlines()) == 31
    result = run(*select, "--save", path, "--force", "--max-memory", "1K")
    assert result.exit_code == 0, result.output
    assert "--save writes the selection without a model." in result.stderr
    assert "holds a selection without a model" in fails("predict", path, folder / "new.csv")
    gene = panel.feature_names_[0]
    (tmp_path / "names.csv").write_text(f"id,symbol,description\n{gene},TP53,a guardian\n")
    result = run("select", folder / "first.csv", "-t", "kind", "--drop", "sample", "--no-verdict",
                 "--include", gene, "-k", 3, "--names", tmp_path / "names.csv",
                 "--save", path, "--force")  # fmt: skip
    assert result.exit_code == 0, result.output
    features = json.loads(path.read_text())["model"]["features"]
    labels = [(one["symbol"], one["description"]) for one in features]
    assert sorted(labels) == [("", ""), ("", ""), ("TP53", "a guardian")]
    assert Panel.load(path)._model.labels == labels
