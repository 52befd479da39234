"""The first command works on files as studies publish them: it ends with the clean ranking."""

import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from s2fs import PairCover
from s2fs.cli import main
from s2fs.io import ReadWarning, read_table

N, K = 48, 4
RNG = np.random.default_rng(11)
KINDS = np.array(["case", "control", "other"])[np.arange(N) % 3]
VALUES = np.round(RNG.normal(5, 1, (N, 9)) + (np.arange(N) % 3)[:, None] * np.linspace(2, 0, 9), 3)
NAMES = [f"v{j}" for j in range(9)]
CLEAN = pd.DataFrame(VALUES, columns=NAMES)
IDS = [f"S{i:03d}" for i in RNG.permutation(N)]


def ranking(values=CLEAN):
    return PairCover(K).fit(values, KINDS).feature_names_.tolist()


def run(*words):
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert "Traceback" not in result.output
    return result


def shown(result):
    lines = [line for line in result.stdout.splitlines() if re.match(r"\s*\d+  ", line)]
    return [re.split(r"\s{2,}", line.strip())[1] for line in lines]


def survey(folder):
    """Identifiers, names, dates, text, truth values that say nothing, a word among numbers."""
    table = CLEAN.copy()
    table.insert(0, "rownames", np.arange(N) + 1)
    table.insert(1, "respondent_id", RNG.permutation(90_000)[:N])
    table = table.assign(
        name=IDS, day=[f"2021-03-{i % 28 + 1:02d}" for i in range(N)], town="York", ok=True,
        comment=["", *(f"after {i // 2} days" for i in range(N - 1))], group=KINDS)  # fmt: skip
    table.to_csv(folder / "survey.csv", index=False)
    return ["survey.csv", "-t", "group"], CLEAN


def survey_with_gaps(folder):
    arguments, _ = survey(folder)
    table = pd.read_csv(folder / "survey.csv", keep_default_na=False).astype({"v8": object})
    table.loc[::9, "v8"] = ""
    table.to_csv(folder / "survey.csv", index=False)
    return arguments, CLEAN.assign(v8=np.where(np.arange(N) % 9 == 0, np.nan, CLEAN["v8"]))


def otu_table(folder):
    """Taxa in rows below comments, lineages in the last column, and a sheet of samples."""
    table = CLEAN.set_axis(IDS).T
    table.insert(N, "taxonomy", [f"k__Bacteria; p__{j}" for j in range(9)])
    text = table.to_csv(sep="\t", index_label="OTU ID")
    (folder / "otus.txt").write_text("# Constructed from biom file\n#" + text)
    sheet = pd.DataFrame({"#SampleID": IDS, "BarcodeSequence": "ACGT", "status": KINDS})
    sheet.sample(frac=1, random_state=1).to_csv(folder / "map.txt", sep="\t", index=False)
    return ["otus.txt", "--samples", "map.txt", "-t", "status"], CLEAN


def counts(folder):
    """Genes in rows, whole numbers, and a sheet in another order that lists more samples."""
    whole = np.round(2**CLEAN).astype(int)
    whole.set_axis(IDS).T.to_csv(folder / "counts.tsv", sep="\t")
    sheet = pd.DataFrame({"run": [f"R{i}" for i in range(N)], "sample": IDS, "kind": KINDS})
    more = pd.DataFrame({"run": ["R99"], "sample": ["S999"], "kind": ["case"]})
    pd.concat([more, sheet.iloc[::-1]]).to_csv(folder / "sheet.csv", index=False)
    return ["counts.tsv", "--samples", "sheet.csv", "-t", "kind"], whole


def workbook(folder):
    CLEAN.assign(Idx=np.arange(N) + 1, label=KINDS).to_excel(folder / "book.xlsx", index=False)
    return ["book.xlsx", "-t", "label"], CLEAN


def data_without_header(folder):
    """As in the repository at Irvine: an identifier, the class, the values."""
    numbers = pd.DataFrame({"id": RNG.permutation(900_000)[:N], "kind": KINDS})
    pd.concat([numbers, CLEAN], axis=1).to_csv(folder / "wdbc.data", index=False, header=False)
    return ["wdbc.data", "-t", "1"], CLEAN.set_axis([f"x{j + 2}" for j in range(9)], axis=1)


def feature_counts(folder):
    """Paths of files in the header, where features lie on the genome beside the names."""
    whole = np.round(2**CLEAN).astype(int)
    table = whole.set_axis([f"/runs/{name}.sorted.bam" for name in IDS]).T
    for place, (name, value) in enumerate({"Chr": "1;1", "Start": "5;9", "Length": 900}.items()):
        table.insert(place, name, value)
    text = table.to_csv(sep="\t", index_label="Geneid")
    (folder / "counts.txt").write_text('# Program:featureCounts; Command:"-a" "genes.gtf"\n' + text)
    pd.DataFrame({"sample": IDS, "kind": KINDS}).iloc[::-1].to_csv(folder / "s.csv", index=False)
    return ["counts.txt", "--samples", "s.csv", "-t", "kind"], whole


def names_changed_by_r(folder):
    """Dashes of the sheet are points in the header of the table."""
    names = [f"TCGA-{name}-01A" for name in IDS]
    CLEAN.set_axis([name.replace("-", ".") for name in names]).T.to_csv(folder / "genes.csv")
    pd.DataFrame({"barcode": names, "kind": KINDS}).iloc[::-1].to_csv(
        folder / "clinical.csv", index=False
    )
    return ["genes.csv", "--samples", "clinical.csv", "-t", "kind"], CLEAN


def classes_of_columns(folder):
    """Features in rows that are numbered, and a file of classes that numbers them too."""
    table = pd.concat([CLEAN] * 7, axis=1).set_axis([f"g{j}" for j in range(63)], axis=1)
    table = table + RNG.normal(0, 1, table.shape)
    numbered = table.T.reset_index(drop=True).set_axis([f"V{i + 1}" for i in range(N)], axis=1)
    numbered.to_csv(folder / "x.csv")
    pd.DataFrame({"cl": KINDS}).to_csv(folder / "y.csv")
    clean = table.round(12).set_axis([str(j) for j in range(63)], axis=1)
    return ["x.csv", "--samples", "y.csv", "-t", "cl"], clean


def spectra(folder):
    """Decimal commas, but wavelengths with a point in the header."""
    clean = CLEAN.set_axis([f"{800 + 1.5 * j:.2f}" for j in range(9)], axis=1)
    clean.assign(kind=KINDS).to_csv(folder / "s.csv", sep=";", decimal=",", index=False)
    return ["s.csv", "-t", "kind"], clean


def gct_with_cls(folder):
    """The classes of a .gct file in the .cls file beside it."""
    table = CLEAN.set_axis(IDS).T
    table.insert(0, "Description", "na")
    text = table.to_csv(sep="\t", index_label="NAME")
    (folder / "x.gct").write_text(f"#1.2\n9\t{N}\n{text}")
    order = list(dict.fromkeys(KINDS))
    codes = " ".join(str(order.index(kind)) for kind in KINDS)
    (folder / "x.cls").write_text(f"{N} 3 1\n# {' '.join(order)}\n{codes}\n")
    return ["x.gct", "--samples", "x.cls"], CLEAN


def two_sheets(folder):
    """A workbook with the samples in one sheet and their data in another."""
    with pd.ExcelWriter(folder / "book.xlsx") as book:
        CLEAN.set_axis(IDS).T.to_excel(book, sheet_name="expression", index_label="gene")
        about = pd.DataFrame({"sample": IDS, "age": np.arange(N) % 30, "kind": KINDS})
        about.iloc[::-1].to_excel(book, sheet_name="samples", index=False)
    return ["book.xlsx", "-t", "kind"], CLEAN


FILES = [
    *(survey, survey_with_gaps, otu_table, counts, workbook, data_without_header, feature_counts),
    *(names_changed_by_r, classes_of_columns, spectra, gct_with_cls, two_sheets),
]


@pytest.mark.parametrize("write", FILES)
@pytest.mark.parametrize("method", ["paircover", "s2fs"])
def test_the_first_command_ends_or_names_one_that_does(tmp_path, monkeypatch, write, method):
    monkeypatch.chdir(tmp_path)
    arguments, clean = write(tmp_path)
    command = ["select", *arguments, "-k", K, "--method", method, "--no-verdict"]
    result = run(*command)
    if result.exit_code == 2:  # S²FS takes no missing values
        assert write is survey_with_gaps
        assert method == "s2fs"
        result = run(*shlex.split(result.stderr.splitlines()[-1].removeprefix("Try: s2fs ")))
    assert result.exit_code == 0, result.output
    if method == "paircover":
        assert shown(result) == ranking(clean)
    if write is not spectra:  # of which there is nothing to say
        assert result.stderr.splitlines()[0].startswith(f"{arguments[0]}: {N} samples · ")


def test_everything_in_the_way_is_told_at_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = np.round(2**CLEAN).astype(int).astype(object)
    table = table.assign(
        price=[f"{i % 8 + 1},{i * 7 % 900 + 100}" for i in range(N)], kind=[*[""] * 30, *KINDS[30:]]
    )
    table.loc[3, "v0"] = ""
    table.loc[4, "v1"] = "inf"
    table.to_csv("t.csv", index=False, sep=";")
    result = run("select", "t.csv", "-t", "kind", "--method", "s2fs", "-k", 2)
    assert result.exit_code == 2
    *obstacles, command = result.stderr.splitlines()
    for option, line in zip(
        ("thousands", "drop-unlabelled", "drop", "impute"), obstacles, strict=True
    ):
        assert f"--{option}" in line
    assert command == (
        "Try: s2fs select t.csv -t kind --method s2fs -k 2 --thousands , --drop-unlabelled --drop "
        "v1 --impute median"
    )
    again = run(*shlex.split(command.removeprefix("Try: s2fs ")))
    assert again.exit_code == 0, again.output
    with pytest.raises(ValueError, match=r"thousands.*missing label.*infinite.*missing") as caught:
        read_table("t.csv", "kind")
    assert len(caught.value.obstacles) == 4
    assert caught.value.fixes == {
        "thousands": ",", "drop_unlabelled": True, "drop": ["v1"], "impute": "median"}  # fmt: skip


def test_without_a_target_the_likely_one_is_proposed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CLEAN.assign(town=["York", "Leeds"] * (N // 2), diagnosis=KINDS).to_csv("t.csv", index=False)
    result = run("select", "t.csv", "-k", 2, "--no-verdict")
    assert result.exit_code == 2
    command = result.stderr.splitlines()[-1]
    assert command == "Try: s2fs select t.csv -k 2 --no-verdict --target diagnosis"
    assert run(*shlex.split(command.removeprefix("Try: s2fs "))).exit_code == 0


def test_truth_values_are_numbers_in_new_tables_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CLEAN[["v8"]].assign(ill=KINDS == "case", kind=KINDS).to_csv("t.csv", index=False)
    result = run("select", "t.csv", "-t", "kind", "-k", 2, "--no-verdict", "--save", "m.json")
    assert sorted(shown(result)) == ["ill", "v8"]
    assert run("transform", "m.json", "t.csv", "-o", "new.json").exit_code == 0
    new = json.loads((tmp_path / "new.json").read_text())
    assert [row["ill"] for row in new] == (KINDS == "case").astype(float).tolist()


def test_amounts_are_numbers_without_their_unit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = CLEAN.assign(share=[f"{i * 7 % 100} %" for i in range(N)], kind=KINDS)
    table["price"] = [f"${i / 4}" if i else "" for i in range(N)]
    table.to_csv("t.csv", index=False)
    data = read_table("t.csv", "kind", impute="keep")
    assert data.X[:, 9].tolist() == [i * 7 % 100 for i in range(N)]
    assert data.X[1:, 10].tolist() == [i / 4 for i in range(1, N)]


def test_a_sheet_without_names_may_be_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CLEAN.to_csv("x.csv", index=False)
    pd.DataFrame({"lab": KINDS}).to_csv("y.csv", index=False)
    options = ["-t", "lab", "-k", K, "--method", "paircover", "--no-verdict"]
    result = run("select", "x.csv", "--samples", "y.csv", *options)
    assert shown(result) == ranking()
    assert "(--by-position)" in result.stderr
    pd.DataFrame({"who": IDS, "lab": KINDS}).to_csv("y.csv", index=False)  # these may name others
    result = run("select", "x.csv", "--samples", "y.csv", *options)
    assert result.exit_code == 2
    again = run(*shlex.split(result.stderr.splitlines()[-1].removeprefix("Try: s2fs ")))
    assert shown(again) == ranking()


def test_classes_in_the_names_of_rows_and_columns_are_not_guessed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"{kind}_{i}" for i, kind in enumerate(KINDS)]
    genes = [f"{'ABCD'[j % 4]}{j}" for j in range(9)]
    clean = CLEAN.set_axis(genes, axis=1)
    for table, option in (
        (clean.set_axis(names).T, "--transpose"),
        (clean.set_axis(names), "--id"),
    ):
        table.to_csv("t.csv", index_label="ID")
        pattern = ["--target-from-names", "^[A-Za-z]+"]
        result = run("select", "t.csv", *pattern, "-k", K, "--no-verdict")
        assert result.exit_code == 2
        command = result.stderr.splitlines()[-1]
        assert option in command
        again = run(*shlex.split(command.removeprefix("Try: s2fs ")))
        assert shown(again) == ranking(clean)


def test_what_was_decided_is_machine_readable(tmp_path):
    survey(tmp_path)
    with pytest.warns(ReadWarning):
        data = read_table(tmp_path / "survey.csv", "group")
    left_out = {remark.kind: remark.columns for remark in data.remarks if remark.columns}
    assert left_out == {
        "row numbers": ("rownames",),
        "identifiers": ("respondent_id",),
        "sample names": ("name",),
        "dates": ("day",),
        "text": ("town", "comment"),
    }
    assert data.sample_ids == [str(i + 1) for i in range(N)]
