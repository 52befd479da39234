"""Files in the manner of public collections: the first command, or the one it advises, works.

Each is made from one clean table, and the ranking must be that of the clean table.
"""

import re
import shlex

import numpy as np
import openpyxl
import pandas as pd
import pytest
from click.testing import CliRunner

from s2fs import PairCover
from s2fs.cli import main

N, K = 48, 3
RNG = np.random.default_rng(12)
KINDS = np.array(["case", "control", "other"])[np.arange(N) % 3]
NAMES = [f"m{j}" for j in range(8)]
SHIFT = (np.arange(N) % 3)[:, None] * np.linspace(2.4, 0, 8)
CLEAN = pd.DataFrame(np.round(RNG.normal(9, 1, (N, 8)) + SHIFT, 3), columns=NAMES)
LABELLED = CLEAN.assign(kind=KINDS)
SAMPLES = [f"TCGA-{i:02d}-{c}" for i, c in zip(RNG.permutation(N), "AB" * N, strict=False)]


def ranking(values=CLEAN, kinds=KINDS):
    return PairCover(K).fit(values, kinds).feature_names_.tolist()


def run(*words):
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert "Traceback" not in result.output
    return result


def run_as_advised(*words):
    """The result of a command, or of the one that its error message gives; and all notes."""
    result = run(*words)
    if result.exit_code == 0:
        return result
    advised = re.search(r"^Try: s2fs (.*)$", result.stderr, flags=re.MULTILINE)
    assert advised, result.output
    again = run(*shlex.split(advised[1]))
    assert again.exit_code == 0, again.output
    return again


def selected(result):
    lines = [line for line in result.stdout.splitlines() if re.match(r"\s*\d+  ", line)]
    return [re.split(r"\s{2,}", line.strip())[1] for line in lines]


def clinical(folder):
    """Numbers of patients, dates, free text, and gaps written in three ways."""
    table = LABELLED.astype({"m7": object})
    table.insert(0, "patient_id", RNG.permutation(10**6)[:N])
    table.insert(1, "visit_date", [f"{i % 28 + 1:02d}/11/2019" for i in range(N)])
    table.insert(2, "ward", ["Ward 3, east", "Ward 4"] * (N // 2))
    table["remarks"] = [f"note {i}" if i % 2 else "" for i in range(N)]
    table.loc[[1, 8, 17], "m7"] = ["?", "NULL", "n/a"]
    table.to_csv(folder / "clinical.csv", index=False)
    gaps = CLEAN.copy()
    gaps.loc[[1, 8, 17], "m7"] = np.nan
    return ["clinical.csv", "-t", "kind"], gaps


def counts_with_sheet(folder):
    """Genes in rows, and a sheet of samples in another order with more samples."""
    table = CLEAN.set_axis(SAMPLES).T
    table.index = [f"{name}|{7157 + j}" for j, name in enumerate(NAMES)]
    table.to_csv(folder / "counts.txt", sep="\t", index_label="Hybridization REF")
    sheet = pd.DataFrame(
        {"case_id": range(N + 4), "barcode": [*SAMPLES, "x1", "x2", "x3", "x4"],
         "age": 50, "kind": [*KINDS, *["other"] * 4]}).iloc[::-1]  # fmt: skip
    sheet.to_csv(folder / "sheet.tsv", sep="\t", index=False)
    return (
        ["counts.txt", "--samples", "sheet.tsv", "-t", "kind"],
        CLEAN.set_axis(table.index, axis=1),
    )


def otu_table(folder):
    """Taxa in rows below a line that names the program, taxonomy at the end, a mapping file."""
    table = CLEAN.set_axis(SAMPLES).T
    table["taxonomy"] = [f"k__Bacteria; p__{name}" for name in NAMES]
    text = table.to_csv(sep="\t", index_label="#OTU ID")
    (folder / "otu.txt").write_text("# Constructed from biom file\n" + text)
    mapping = pd.DataFrame({"#SampleID": SAMPLES, "BarcodeSequence": "ACGT", "Group": KINDS})
    mapping.sample(frac=1, random_state=0).to_csv(folder / "map.txt", sep="\t", index=False)
    return ["otu.txt", "--samples", "map.txt", "-t", "Group"], CLEAN


def metabolites_with_annotation(folder):
    """Identifiers, masses and times beside the samples, numbers and text, some of them missing."""
    table = CLEAN.set_axis(SAMPLES).T.rename_axis("metabolite_identification").reset_index()
    table.insert(1, "mass_to_charge", RNG.uniform(80, 900, 8).round(4))
    table.insert(2, "retention_time", ["4.2", "5.1-5.3", "", "7", "8", "9", "1", "2"])
    table.insert(3, "taxid", 9606)
    table.to_csv(folder / "m_study_maf.tsv", sep="\t", index=False)
    sheet = pd.DataFrame({"Source Name": range(N), "Sample Name": SAMPLES})
    sheet["Factor Value[Disease]"] = KINDS
    sheet.iloc[::-1].to_csv(folder / "s_study.txt", sep="\t", index=False)
    return (
        ["m_study_maf.tsv", "--samples", "s_study.txt", "-t", "Factor Value[Disease]"],
        CLEAN,
    )


def metabolomics_workbench(folder):
    header = "\t".join(["Samples", *SAMPLES])
    factors = "\t".join(["Factors", *(f"Disease:{kind} | Sex:f" for kind in KINDS)])
    rows = ["\t".join([name, *map(str, CLEAN[name])]) for name in NAMES]
    lines = ["#METABOLOMICS WORKBENCH STUDY_ID:ST1", "VERSION\t1", "MS_METABOLITE_DATA_START",
             header, factors, *rows, "MS_METABOLITE_DATA_END", "#END"]  # fmt: skip
    (folder / "study.txt").write_text("\n".join(lines))
    return ["study.txt", "-t", "Disease"], CLEAN


def workbook(folder):
    """The data in the second sheet, below a title, with numbers of the rows."""
    book = openpyxl.Workbook()
    book.active.title = "Read me"
    book.active.append(["Concentrations of 2019, in mM"])
    sheet = book.create_sheet("Data")
    sheet.append(["Supplementary table 2"])
    sheet.append([])
    sheet.append(["Idx", *LABELLED.columns])
    for i, row in enumerate(LABELLED.itertuples(index=False), start=1):
        sheet.append([i, *row])
    book.save(folder / "table.xlsx")
    return ["table.xlsx", "-t", "kind"], CLEAN


def uci(folder):
    """No header, the class first, and the names in a file that is not read."""
    table = LABELLED[["kind", *NAMES]]
    table.to_csv(folder / "wine.data", index=False, header=False)
    (folder / "wine.names").write_text("1. Title: wine\n")
    return ["wine.data", "-t", "0"], CLEAN.set_axis([f"x{j + 1}" for j in range(8)], axis=1)


def classes_as_codes_first(folder):
    """As the time series of the UCR archive: the class is the first of the numbers."""
    table = pd.concat([pd.Series(np.arange(N) % 3), CLEAN], axis=1)
    table.to_csv(folder / "Arrow_TRAIN.tsv", sep="\t", index=False, header=False)
    return ["Arrow_TRAIN.tsv", "-t", "0"], CLEAN.set_axis([f"x{j + 1}" for j in range(8)], axis=1)


def series(folder):
    rows = [",".join(map(str, v)) + f":{k}" for v, k in zip(CLEAN.to_numpy(), KINDS, strict=True)]
    head = ["# a note", "@problemName Arrow", "@univariate true", "@classLabel true a b", "@data"]
    (folder / "Arrow.ts").write_text("\n".join([*head, *rows]))
    return ["Arrow.ts", "-t", "class"], CLEAN.set_axis([f"t{j}" for j in range(8)], axis=1)


def arff_with_both_quotes(folder):
    lines = ["@relation 'a study'", *(f"@attribute {name} real" for name in NAMES)]
    lines += ["@attribute remark string", "@attribute kind {case,control,other}", "@data"]
    remarks = ['"Smith\'s"', "'a \\'b\\', c'", "?"] * (N // 3)
    lines += [
        ",".join([*map(str, v), r, k])
        for v, r, k in zip(CLEAN.to_numpy(), remarks, KINDS, strict=True)
    ]
    (folder / "study.arff").write_text("\n".join(lines))
    return ["study.arff", "-t", "kind", "--numeric-only"], CLEAN


def spectra(folder):
    """Wavelengths as names of columns, names of samples without one."""
    waves = [f"{400.5 + 2 * j}" for j in range(8)]
    table = CLEAN.set_axis(waves, axis=1).assign(kind=KINDS).set_axis(SAMPLES)
    table.to_csv(folder / "nir.csv")
    return ["nir.csv", "-t", "kind"], CLEAN.set_axis(waves, axis=1)


def decimal_commas(folder):
    LABELLED.to_csv(folder / "t.csv", sep=";", decimal=",", index=False, encoding="utf-8-sig")
    return ["t.csv", "-t", "kind"], CLEAN


def unnamed_class(folder):
    """The class in the last column, which has no name."""
    LABELLED.rename(columns={"kind": ""}).to_csv(folder / "t.csv", index=False)
    return ["t.csv", "-t", "-1"], CLEAN


def quoted_lines(folder):
    """Cells that run over several lines, and hold the delimiter."""
    table = LABELLED.assign(remark=['said "no",\nthen\tyes', "nothing"] * (N // 2))
    table.to_csv(folder / "t.tsv", sep="\t", index=False)
    return ["t.tsv", "-t", "kind"], CLEAN


def unicode_text(folder):
    """As Excel saves "Unicode text"."""
    LABELLED.to_csv(folder / "t.txt", sep="\t", index=False, encoding="utf-16")
    return ["t.txt", "-t", "kind"], CLEAN


def thousands(folder):
    table = (CLEAN * 10_000).round().astype(int)
    table.map("{:,}".format).assign(kind=KINDS).to_csv(folder / "t.csv", index=False)
    return ["t.csv", "-t", "kind"], table


def equal_names(folder):
    table = pd.concat([LABELLED, CLEAN[["m7"]] * 0 + 1], axis=1)
    table.to_csv(folder / "t.csv", index=False)
    return ["t.csv", "-t", "kind"], CLEAN


def wide(folder):
    noise = pd.DataFrame(RNG.normal(0, 1e-3, (N, 20_000))).round(4).add_prefix("n")
    table = pd.concat([CLEAN, noise], axis=1)
    table.assign(kind=KINDS).to_csv(folder / "wide.csv", index=False)
    return ["wide.csv", "-t", "kind"], table


def orange(folder):
    head = ["\t".join(LABELLED), "\t".join([*["continuous"] * 8, "case control other"])]
    head.append("\t" * 8 + "class")
    body = LABELLED.to_csv(sep="\t", index=False, header=False)
    (folder / "study.tab").write_text("\n".join(head) + "\n" + body)
    return ["study.tab", "-t", "kind"], CLEAN


def orange_with_roles(folder):
    """Commas, and columns that are metas or to be ignored: none is a feature."""
    leak = LABELLED["kind"].map({"case": 1, "control": 2, "other": 3}).to_numpy()
    table = LABELLED.assign(code=leak, copy=leak)
    head = [",".join(table), ",".join([*"cccccccc", "d", "c", "c"]), ",,,,,,,,class,i,meta"]
    body = table.to_csv(index=False, header=False)
    (folder / "study.csv").write_text("\n".join(head) + "\n" + body)
    return ["study.csv"], CLEAN


def orange_with_flags(folder):
    """A workbook whose header has the flags of Orange, below and beside empty cells."""
    names = [*(f"C#{name}" for name in NAMES), "cD#kind", "m#code"]
    table = LABELLED.assign(code=np.arange(N) % 3).set_axis(names, axis=1)
    table.to_excel(folder / "study.xlsx", index=False, startrow=2, startcol=2)
    return ["study.xlsx"], CLEAN


def numbers_of_classes_first(folder):
    """No header, classes first, and the position of the target is a word of the first line."""
    whole = CLEAN.round().astype(int)
    table = pd.concat([pd.Series(KINDS), whole, pd.Series(np.arange(N) % 2)], axis=1)
    table.to_csv(folder / "t.data", index=False, header=False)
    features = table.iloc[:, 1:].set_axis([f"x{j}" for j in range(1, 10)], axis=1)
    return ["t.data", "-t", "0"], features


def tables_of_r(folder):
    """Both as R's write.table writes them, and a column that names some samples only."""
    names = [f"{i:05d}" for i in RNG.permutation(10_000)[:N]]
    by_sample = CLEAN.set_axis(names).T
    short = [name.lstrip("0") if i % 2 else name for i, name in enumerate(names)]
    sheet = pd.DataFrame({"cod": short, "kind": KINDS}, index=names).iloc[RNG.permutation(N)]
    for file, table in (("expr.txt", by_sample), ("pheno.txt", sheet)):
        lines = table.to_csv(sep="\t", header=False)
        (folder / file).write_text("\t".join(table) + "\n" + lines)
    return ["expr.txt", "--samples", "pheno.txt", "-t", "kind"], CLEAN


def counted(folder):
    """As the files of scikit-learn: a line with the numbers of samples and features."""
    body = CLEAN.assign(kind=np.arange(N) % 3).to_csv(index=False, header=False)
    (folder / "t.csv").write_text(f"{N},8,case,control,other\n{body}")
    return ["t.csv", "-t", "-1"], CLEAN.set_axis([f"x{j}" for j in range(8)], axis=1)


def titled(folder):
    body = LABELLED.to_csv(index=False, sep=";")
    (folder / "t.csv").write_text(f"Study of 2019;;;;;;;;\nUnits: mM\n\n{body}")
    return ["t.csv", "-t", "kind"], CLEAN


def aligned(folder):
    """Columns aligned by blanks, with single blanks inside cells."""
    table = LABELLED.assign(kind=[f"{kind} group" for kind in KINDS])
    rows = [list(table), *table.astype(str).to_numpy().tolist()]
    lines = ["  ".join(cell.rjust(13) for cell in row) for row in rows]
    (folder / "t.dat").write_text("\n".join(lines))
    return ["t.dat", "-t", "kind"], CLEAN


def classes_in_names(folder):
    """Genes in rows, and the class is the beginning of each name in the header."""
    table = CLEAN.set_axis([f"{kind}_{i}" for i, kind in enumerate(KINDS)]).T
    table.to_csv(folder / "t.tsv", sep="\t", index_label="gene")
    return ["t.tsv", "--target-from-names", "^[a-z]+(?=_)"], CLEAN


def single_quotes(folder):
    lines = LABELLED.to_csv(index=False, sep="\t").splitlines()
    lines[0] = "\t".join(f"'{name}'" for name in LABELLED)
    (folder / "t.csv").write_text("\n".join(lines))
    return ["t.csv", "-t", "kind"], CLEAN


def questions(folder):
    """A survey: below the header stand the texts of the questions, then marks of the program."""
    table = LABELLED.assign(ever=["Yes", "No"] * (N // 2))
    texts = ["How much, in mg?"] * 8 + ["Which, of all?", "Response"]
    marks = [f"{{'ImportId':'QID{j}'}}" for j in range(10)]
    rows = [texts, marks, *table.astype(str).to_numpy().tolist()]
    pd.DataFrame(rows, columns=table.columns).to_csv(folder / "survey.csv", index=False)
    return ["survey.csv", "-t", "kind", "--drop", "ever"], CLEAN


def units(folder):
    """A workbook with a line of units below the header, empty for the class."""
    rows = [["mg"] * 8 + [""], *LABELLED.to_numpy().tolist()]
    pd.DataFrame(rows, columns=LABELLED.columns).to_excel(folder / "t.xlsx", index=False)
    return ["t.xlsx", "-t", "kind"], CLEAN


def types_of_qiime(folder):
    table = LABELLED.copy()
    table.insert(0, "sample-id", SAMPLES)
    types = ["#q2:types", *["numeric"] * 8, "categorical"]
    lines = table.to_csv(sep="\t", index=False).splitlines()
    (folder / "metadata.tsv").write_text("\n".join([lines[0], "\t".join(types), *lines[1:]]))
    return ["metadata.tsv", "-t", "kind"], CLEAN


def samples_called_by_numbers(folder):
    """An OTU table in which most names of samples, but not all, look like numbers."""
    names = [f"{1000 + 7 * i}.{124645 + i}" if i % 3 else f"{i}.C.{i}" for i in range(N)]
    table = CLEAN.set_axis(names).T.to_csv(sep="\t", index_label="#OTU ID")
    (folder / "otu.txt").write_text("# Constructed from biom file\n" + table)
    sheet = pd.DataFrame({"#SampleID": names, "Group": KINDS}).iloc[::-1]
    sheet.to_csv(folder / "map.txt", sep="\t", index=False)
    return ["otu.txt", "--samples", "map.txt", "-t", "Group"], CLEAN


def protein_groups(folder):
    """Rows end before empty cells; several measurements of each sample, called after it."""
    runs = [f"H{i}" for i in range(N)]
    table = {"": range(8), "Protein IDs": NAMES, "Gene names": ["GFAP"] * 8}
    table |= {f"Peptides {run}": [3] * 8 for run in runs}
    table |= {f"LFQ intensity {run}": CLEAN.iloc[i].to_numpy() for i, run in enumerate(runs)}
    table |= {"Reverse": ["", "+", *[""] * 6], "Contaminant": ["", "", "+", *[""] * 5]}
    lines = pd.DataFrame(table).to_csv(sep="\t", index=False).splitlines()
    (folder / "proteinGroups.txt").write_text("\n".join(line.rstrip("\t") for line in lines))
    sheet = pd.DataFrame({"run": runs, "disease": KINDS}).iloc[::-1]
    sheet.to_csv(folder / "annotation.csv", index=False)
    return ["proteinGroups.txt", "--samples", "annotation.csv", "-t", "disease"], CLEAN


def names_of_several_words(folder):
    """Blanks between cells, and inside the names that stand first."""
    rows = [
        " ".join([f"Ann {'van der' if i % 2 else ''} Berg{i}", *map(str, v), k])
        for i, (v, k) in enumerate(zip(CLEAN.to_numpy(), KINDS, strict=True))
    ]
    (folder / "t.dat").write_text("\n".join([" ".join(["who", *NAMES, "kind"]), *rows]))
    return ["t.dat", "-t", "kind"], CLEAN


def quotes_behind_blanks(folder):
    """Aligned by blanks behind the commas, with escaped marks inside quotations."""
    rows = [
        ",  ".join([*map(str, v), f'"{k}"', '"said \\"no\\" twice"'])
        for v, k in zip(CLEAN.to_numpy(), KINDS, strict=True)
    ]
    (folder / "t.csv").write_text("\n".join([",  ".join([*NAMES, "kind", "remark"]), *rows]))
    return ["t.csv", "-t", "kind"], CLEAN


def keel(folder):
    """ARFF under another name, which says what is to be predicted and marks what is missing."""
    table = LABELLED.astype({"m7": object})
    table.loc[5, "m7"] = "<null>"
    lines = ["@relation study", *(f"@attribute {name} real [0.0, 20.0]" for name in NAMES)]
    lines += ["@attribute kind {case, control, other}", f"@inputs {', '.join(NAMES)}"]
    lines += ["@outputs kind", "@data", table.to_csv(index=False, header=False)]
    (folder / "study.dat").write_text("\n".join(lines))
    gaps = CLEAN.copy()
    gaps.loc[5, "m7"] = np.nan
    return ["study.dat"], gaps


def several_series(folder):
    """Two series of each sample, and the class as the file declares it."""
    values = CLEAN.to_numpy().astype(str)
    rows = [f"{','.join(v[:4])}:{','.join(v[4:])}:{k}" for v, k in zip(values, KINDS, strict=True)]
    head = ["@problemName Motions", "@univariate false", "@classLabel true a b", "@data"]
    (folder / "Motions.ts").write_text("\n".join([*head, *rows]))
    return ["Motions.ts"], CLEAN.set_axis([f"d{d}_t{t}" for d in (0, 1) for t in range(4)], axis=1)


def orange_with_numbers_as_classes(folder):
    codes = pd.Series(KINDS).map({"case": 1, "control": 2, "other": 3}).to_numpy()
    table = CLEAN.assign(code=codes)
    head = ["\t".join(table), "\t".join([*"cccccccc", "d"]), "\t" * 8 + "class"]
    (folder / "t.tab").write_text(
        "\n".join(head) + "\n" + table.to_csv(sep="\t", index=False, header=False)
    )
    return ["t.tab"], CLEAN


def classes_in_names_not_said(folder):
    """Taxa in rows, and nobody says that the class is the beginning of the names of samples."""
    table = CLEAN.set_axis([f"{kind}_{i}" for i, kind in enumerate(KINDS)]).T
    table.to_csv(folder / "otu.txt", sep="\t", index_label="#OTU ID")
    return ["otu.txt"], CLEAN


def gct_with_classes_in_names(folder):
    names = [f"{kind}-{i}" for i, kind in enumerate(KINDS)]
    lines = ["#1.2", f"8\t{N}", "\t".join(["Name", "Description", *names])]
    lines += ["\t".join([name, "na", *map(str, CLEAN[name])]) for name in NAMES]
    (folder / "t.gct").write_text("\n".join(lines))
    return ["t.gct"], CLEAN


def classes_as_header_not_said(folder):
    lines = ["\t".join(["GENES", *KINDS])]
    lines += ["\t".join([name, *map(str, CLEAN[name])]) for name in NAMES]
    (folder / "database.txt").write_text("\n".join(lines))
    return ["database.txt"], CLEAN


def a_pattern_that_fits_rows_too(folder):
    """Letters at the end tell the classes in the header; in the rows they are names of features."""
    genes = [f"x-{word}" for word in ("urate", "biotin", "serine", "inosine", "lysine", "uracil",
                                     "ribose", "malate")]  # fmt: skip
    table = CLEAN.set_axis([f"{i}hr_{kind}" for i, kind in enumerate(KINDS)]).T.set_axis(genes)
    table.to_csv(folder / "t.tsv", sep="\t")
    return ["t.tsv", "--target-from-names", "[a-z]+$"], CLEAN.set_axis(genes, axis=1)


def sheet_of_files(folder):
    """A sheet with two files of each sample, which say the same of it."""
    CLEAN.set_axis(SAMPLES).T.to_csv(folder / "t.csv")
    rows = [(f"{name}_R{r}.fq", name, kind) for name, kind in zip(SAMPLES, KINDS, strict=True)
            for r in (1, 2)]  # fmt: skip
    pd.DataFrame(rows, columns=["file", "sample", "kind"]).to_csv(folder / "s.csv", index=False)
    return ["t.csv", "--samples", "s.csv", "-t", "kind"], CLEAN


def answers_that_come_again(folder):
    """A survey whose second line repeats answers, of all that apply, under unnamed columns."""
    films = np.where(RNG.random((N, 3)) < 0.6, ["Film I", "Film II", "Film III"], "")
    rows = [["", *["Rank it"] * 8, "Film I", "Film II", "Film III", "Response"]]
    cells = np.column_stack([3292880000 - RNG.permutation(N), CLEAN.astype(str), films, KINDS])
    table = pd.DataFrame([*rows, *cells.tolist()])
    table.columns = ["RespondentID", *NAMES, "Which?", "", "", "kind"]
    table.to_csv(folder / "films.csv", index=False, encoding="cp1252")
    return ["films.csv", "-t", "kind", "--numeric-only"], CLEAN


def header_above_a_comment(folder):
    """A mapping file of QIIME: the header, then a sentence, both behind #."""
    table = LABELLED.copy()
    table.insert(0, "#SampleID", SAMPLES)
    lines = table.to_csv(sep="\t", index=False).splitlines()
    lines.insert(1, "#Example mapping file, with a sentence, and another one.")
    (folder / "map.txt").write_text("\n".join(lines))
    return ["map.txt", "-t", "kind"], CLEAN


FILES = [
    clinical, counts_with_sheet, otu_table, metabolites_with_annotation, metabolomics_workbench,
    workbook, uci, classes_as_codes_first, series, arff_with_both_quotes, spectra, decimal_commas,
    unnamed_class, quoted_lines, unicode_text, thousands, equal_names, wide, orange,
    orange_with_roles, orange_with_flags, numbers_of_classes_first, tables_of_r, counted, titled,
    aligned, classes_in_names, single_quotes, questions, units, types_of_qiime,
    samples_called_by_numbers, protein_groups, names_of_several_words, quotes_behind_blanks, keel,
    several_series, orange_with_numbers_as_classes, classes_in_names_not_said,
    gct_with_classes_in_names, classes_as_header_not_said, a_pattern_that_fits_rows_too,
    sheet_of_files, answers_that_come_again, header_above_a_comment,
]  # fmt: skip


@pytest.mark.parametrize("write", FILES, ids=lambda write: write.__name__)
def test_the_ranking_is_that_of_the_clean_table(tmp_path, monkeypatch, write):
    monkeypatch.chdir(tmp_path)
    arguments, clean = write(tmp_path)
    result = run_as_advised("select", *arguments, "-k", K, "--no-verdict")
    assert selected(result) == ranking(clean)


def test_rows_without_a_label_are_left_out_and_counted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labels = np.where(np.arange(N) % 3 == 2, "NA", np.where(np.arange(N) % 3 == 0, "0", "1"))
    CLEAN.assign(case=labels).to_csv("t.csv", index=False)
    result = run("select", "t.csv", "-t", "case", "-k", K, "--no-verdict")
    known = labels != "NA"
    assert selected(result) == ranking(CLEAN[known], labels[known])
    assert "no label in 16 of 48 rows, which are left out" in result.stderr
    assert "32 samples" in result.stderr


def test_a_survey_of_words_is_encoded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = np.array(["disagree", "neutral", "agree"])
    answers = {"q1": words[np.arange(N) % 3], "q2": words[RNG.integers(0, 3, N)]}
    pd.DataFrame(answers).assign(age=RNG.normal(40, 9, N).round(1), kind=KINDS).to_csv(
        "survey.csv", index=False
    )
    result = run("select", "survey.csv", "-t", "kind", "-k", 1, "--no-verdict")
    assert selected(result) == ["q1"]
    assert "text with few values in columns 'q1', 'q2'; each is one feature" in result.stderr
    numbers = run("select", "survey.csv", "-t", "kind", "--numeric-only", "-k", 1, "--no-verdict")
    assert selected(numbers) == ["age"]
    alone = run("select", "survey.csv", "-t", "kind", "-k", 1, "--no-verdict", "--method", "anovaf")
    assert selected(alone) == ["q1"]


def test_a_measured_target_with_a_few_words_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CLEAN.assign(dose=["unknown", *CLEAN["m0"][1:].astype(str)]).to_csv("t.csv", index=False)
    result = run("select", "t.csv", "-t", "dose", "-k", 1)
    assert result.exit_code == 2
    assert "so it is a quantity and not a class" in result.stderr


def test_no_command_is_advised_for_a_name_that_is_hardly_alike(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    LABELLED.rename(columns={"kind": "race"}).to_csv("t.csv", index=False)
    assert "Try:" not in run("select", "t.csv", "-t", "affected").stderr
    advised = run("select", "t.csv", "-t", "RACE").stderr
    assert "Try: s2fs select t.csv --target race" in advised
