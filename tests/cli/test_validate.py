"""``s2fs validate``: a second cohort with its classes, as it comes."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from cohorts import GENES, KINDS, make_cohort
from s2fs import Panel
from s2fs.cli import main


def run(*args):
    return CliRunner().invoke(main, [str(arg) for arg in args])


def succeeds(*args):
    result = run(*args)
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split()), " ".join(result.stderr.split())


def fails(*args):
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("validate")
    first = make_cohort(60, 1)
    first.to_csv(folder / "first.csv", index=False)
    panel = Panel().fit(first[GENES], first["kind"])
    panel.evaluate(first[GENES], first["kind"])
    panel.save(folder / "panel.json")
    make_cohort(100, 2).to_csv(folder / "second.csv", index=False)
    return folder


def test_the_command_says_what_python_says(folder, tmp_path):
    second = make_cohort(100, 2)
    expected = Panel.load(folder / "panel.json").validate(second[GENES], second["kind"])
    output = tmp_path / "all.json"
    text, _ = succeeds(
        "validate", folder / "panel.json", folder / "second.csv", "-t", "kind", "-o", output
    )
    assert text.startswith(expected.sentence)
    content = json.loads(output.read_text())
    assert content["word"] == expected.word
    assert content["measures"] == expected.to_dict()["measures"]
    assert [row["sample"] for row in content["samples"]] == second["sample"].tolist()
    assert text.endswith("--report validation.html")
    table = tmp_path / "samples.csv"
    succeeds("validate", folder / "panel.json", folder / "second.csv", "-t", "kind", "-o", table)
    rows = pd.read_csv(table)
    assert rows["class"].tolist() == second["kind"].tolist()
    probabilities = [f"probability {kind}" for kind in KINDS]
    np.testing.assert_allclose(rows[probabilities], expected.probabilities, atol=1e-6)


def test_all_that_goes_wrong_at_once(folder, tmp_path):
    """Genes in rows, other units, a missing gene, a sheet with other names, three classes."""
    panel = Panel.load(folder / "panel.json")
    names = panel.feature_names_.tolist()
    lone = names[np.abs(panel.coef_).sum(axis=0).argmin()]
    moved = next(name for name in names if name != lone)
    second = make_cohort(12, 5, kinds=KINDS[:3])
    raw = second.assign(**{gene: 2 ** second[gene] - 1 for gene in GENES})
    values = raw.set_index("sample")[GENES].drop(columns=lone)
    values = values.rename(columns={moved: f"{moved.split('.')[0]}.12"})
    values.T.to_csv(tmp_path / "genes.csv", index_label="gene")
    sheet = pd.DataFrame({"Patient": raw["sample"], "Diagnosis": raw["kind"], "ward": "A"})
    sheet.sample(frac=1, random_state=0).to_csv(tmp_path / "sheet.csv", index=False)
    command = ("validate", folder / "panel.json", tmp_path / "genes.csv", "--samples",
               tmp_path / "sheet.csv", "-t", "Diagnosis")  # fmt: skip
    text, notes = succeeds(*command)
    assert "features in rows" in notes
    assert "try --log2." in text
    assert f"{lone} is missing" in text
    assert f"{moved} is taken from" in text
    assert "No new sample of classes gamma and omega" in text
    again, _ = succeeds(*command, "--log2")
    assert "try --" not in again
    assert "12 new samples (alpha 4, beta 4, delta 4, gamma 0, omega 0)" in again


def test_samples_in_both_cohorts_are_named(folder, tmp_path):
    first, second = make_cohort(60, 1), make_cohort(40, 3)
    second.loc[5, GENES] = first.loc[7, GENES]
    second.to_csv(tmp_path / "second.csv", index=False)
    command = ("validate", folder / "panel.json", tmp_path / "second.csv", "-t", "kind")
    text, _ = succeeds(*command, "--first", folder / "first.csv")
    assert "in the first cohort, too, equal or nearly the same: S1-07 and S3-05." in text
    assert "cannot be known without the first table" in succeeds(*command)[0]


def test_groups_and_unknown_classes(folder, tmp_path):
    second = make_cohort(60, 4).assign(patient=np.arange(60) // 2)
    second["kind"] = second["kind"].replace({"omega": "new kind"})
    second.to_csv(tmp_path / "second.csv", index=False)
    text, _ = succeeds("validate", folder / "panel.json", tmp_path / "second.csv", "-t", "kind",
                       "--group", "patient")  # fmt: skip
    assert "on 48 new samples of " in text
    assert "12 samples of classes that the panel never saw are left out: 'new kind' (12)." in text


def test_one_sentence_and_what_to_do(folder, tmp_path):
    panel, second = folder / "panel.json", folder / "second.csv"
    assert "--target is missing" in run("validate", panel, second).stderr
    table = make_cohort(20, 3)
    table["kind"] = table["kind"].str.upper()
    table.to_csv(tmp_path / "upper.csv", index=False)
    message = fails("validate", panel, tmp_path / "upper.csv", "-t", "kind")
    assert "has the classes 'ALPHA', 'BETA', 'DELTA', 'GAMMA', 'OMEGA', and" in message
    assert "none.csv" in fails("validate", panel, second, "-t", "kind", "--first",
                               tmp_path / "none.csv")  # fmt: skip
    table = make_cohort(20, 3)
    table.iloc[:1].to_csv(tmp_path / "one.csv", index=False)
    text, _ = succeeds("validate", panel, tmp_path / "one.csv", "-t", "kind")
    assert text.startswith("The one new sample is of one class.")
    (tmp_path / "edited.json").write_text(panel.read_text().replace("0.", "1.", 1))
    assert "its checksum does not match" in fails(
        "validate", tmp_path / "edited.json", second, "-t", "kind"
    )


def test_the_page_is_written(folder, tmp_path):
    page = tmp_path / "page.html"
    command = ("validate", folder / "panel.json", folder / "second.csv", "-t", "kind")
    succeeds(*command, "--report", page)
    text = page.read_text()
    assert "second.csv: validation of panel.json" in text
    assert "s2fs validate panel.json second.csv -t kind" in text
    assert str(tmp_path) not in text
