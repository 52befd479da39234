"""Files as people have them: the first natural command gives the ranking of the clean table."""

import bz2
import gzip
import lzma
import re
import shlex
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner

from s2fs import PairCover
from s2fs.cli import main

K = 5
RNG = np.random.default_rng(5)
KINDS = np.array(["ALL", "AML", "MLL"])[np.arange(30) % 3]
GENES = [f"gene {c}" for c in "abcdefgh"]
VALUES = np.round(
    RNG.normal(6, 1, (30, 8)) + (np.arange(30) % 3)[:, None] * np.linspace(2.2, 0, 8), 4
)
SAMPLES = [f"GSM{100 + i}" for i in range(30)]
RANKING = [GENES[f] for f in PairCover(K).fit(VALUES, KINDS).indices_]
TABLE = pd.DataFrame(VALUES, columns=GENES)
LABELLED = TABLE.assign(kind=KINDS)
TURNED = LABELLED.set_axis(SAMPLES).T  # features in rows, the classes in the last one


def shown(result):
    """The features that a command has printed, in order."""
    lines = result.stdout.splitlines()
    ranks = [line for line in lines if re.match(r"\s*\d+  ", line)]
    return [re.split(r"\s{2,}", line.strip())[1] for line in ranks]


def select(path, *options, target="kind", data=None):
    command = ["select", str(path), "-k", str(K), "--no-verdict"]
    command += [] if target is None else ["-t", target]
    result = CliRunner().invoke(main, [*command, *map(str, options)], input=data)
    assert "Traceback" not in result.output
    return result


def csv(frame=LABELLED, encoding="utf-8", **options):
    options = {"index": False, **options}
    return lambda path: path.write_bytes(frame.to_csv(**options).encode(encoding))


def text(content):
    return lambda path: path.write_text(content, encoding="utf-8")


def packed(opener):
    def write(path):
        with opener(path, "wt", encoding="utf-8") as file:
            LABELLED.to_csv(file, index=False)

    return write


def zipped(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("__MACOSX/._t.csv", "junk")
        archive.writestr("t.csv", LABELLED.to_csv(index=False, sep=";"))


def zstd(path):
    content = LABELLED.to_csv(index=False).encode()
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        file.write(content)


def r_write_table(path):
    """As R's write.table: names of rows, and no name above them."""
    header = " ".join(f'"{name}"' for name in LABELLED)
    rows = [f'"{s}" ' + " ".join(map(str, v)) + f' "{k}"' for s, v, k in table_rows()]
    path.write_text("\n".join([header, *rows]) + "\n")


def r_write_csv(path):
    """As R's write.csv: row numbers from 1, text in quotes."""
    header = ",".join(['""', *(f'"{name}"' for name in LABELLED)])
    rows = [f'"{i}",' + ",".join(map(str, v)) + f',"{k}"' for i, (_, v, k) in enumerate(
        table_rows(), start=1)]  # fmt: skip
    path.write_text("\n".join([header, *rows]) + "\n")


def table_rows():
    return zip(SAMPLES, VALUES.tolist(), KINDS, strict=True)


def trailing(path):
    lines = LABELLED.to_csv(index=False, sep=";").splitlines()
    path.write_text("\n".join(f"{line};" for line in lines))


def commented(path):
    path.write_text("# made by a machine, on Monday\n#\n" + LABELLED.to_csv(index=False)
                    + "# the end\n")  # fmt: skip


def header_in_comment(path):
    path.write_text("# version 3\n#" + LABELLED.to_csv(index=False, sep="\t"))


def geo(path):
    def line(name, values):
        return "\t".join([name, *(f'"{v}"' for v in values)])

    lines = [
        line("!Series_title", ["A study"]),
        line("!Sample_title", [f"patient {i}" for i in range(30)]),
        line("!Sample_characteristics_ch1", [f"age: {20 + i}" for i in range(30)]),
        line("!Sample_characteristics_ch1", [f"leukemia type: {kind}" for kind in KINDS]),
        "!series_matrix_table_begin",
        line('"ID_REF"', SAMPLES),
    ]
    lines += ["\t".join([f'"{g}"', *map(str, TABLE[g])]) for g in GENES]
    path.write_text("\n".join([*lines, "!series_matrix_table_end", ""]))


def gct(path):
    lines = ["#1.2", f"{len(GENES)}\t30", "\t".join(["Name", "Description", *SAMPLES])]
    lines += ["\t".join([g, "na", *map(str, TABLE[g])]) for g in GENES]
    path.write_text("\n".join(lines))


def bare_gct(path):
    gct(path)
    path.write_text(path.read_text().split("\n", 2)[2])


def gct_3(path):
    lines = ["#1.3", f"{len(GENES)}\t30\t1\t1", "\t".join(["id", "chromosome", *SAMPLES])]
    lines += ["\t".join(["kind", "na", *KINDS])]
    lines += ["\t".join([g, "7", *map(str, TABLE[g])]) for g in GENES]
    path.write_text("\n".join(lines))


def described(path):
    """Genes in rows, with a description beside the name."""
    frame = TURNED.copy()
    frame.insert(0, "description", ["protein, of sorts"] * 8 + [""])
    frame.to_csv(path, index_label="probe")


def labels_in_header(path):
    lines = [",".join(["gene", *KINDS])]
    lines += [",".join([g, *map(str, TABLE[g])]) for g in GENES]
    path.write_text("\n".join(lines))


def with_sheet(table, shuffled=True, **names):
    def write(path):
        table(path)
        sheet = pd.DataFrame({"n": range(100, 130), "sample": SAMPLES, "kind": KINDS}).assign(
            **names
        )
        if shuffled:
            sheet = sheet.iloc[RNG.permutation(30)]
        sheet.to_csv(path.with_name("sheet.tsv"), sep="\t", index=False)

    return write


def unlabelled(path):
    extra = pd.DataFrame([[99.0] * 8 + [""]] * 3, columns=LABELLED.columns)
    pd.concat([LABELLED, extra]).to_csv(path, index=False)


def with_gaps(word):
    frame = LABELLED.assign(hole=[word, *map(str, range(29))], other=["x, y"] * 30)
    return csv(frame)


def doubled(path):
    frame = pd.concat([LABELLED, TABLE[["gene h"]] * 0 + 1], axis=1)
    frame.to_csv(path, index=False)


def npy(path):
    np.save(path, np.column_stack([VALUES, np.arange(30) % 3]))


def named_npy(path):
    np.save(path, LABELLED.to_records(index=False).astype(
        [(g, "f8") for g in GENES] + [("kind", "U3")]))  # fmt: skip


def raw_intensities(path):
    """Powers of two of the values, and many genes that are constant."""
    levels = np.tile(RNG.uniform(0, 12, 220), (30, 1))
    others = pd.DataFrame(levels, columns=[f"other {i}" for i in range(220)])
    (2 ** pd.concat([TABLE, others], axis=1) - 1).assign(kind=KINDS).to_csv(path, index=False)


# Name of the file, what writes it, options, and what a note must say ("" for none at all).
CASES = {
    "clean": ("t.csv", csv(), [], ""),
    # 1: wrong answers
    "row numbers of pandas": ("t.csv", csv(index=True), [], "numbers the rows in a column without"),
    "rows of pandas, chosen": (
        "t.csv", csv(LABELLED.set_axis(np.arange(30) * 7 + 2), index=True), [], "numbers the rows"),
    "row numbers of R": ("t.csv", r_write_csv, [], "numbers the rows"),
    "sample names of pandas": (
        "t.csv", csv(LABELLED.set_axis(SAMPLES), index=True), [], "names the rows"),
    "index in parquet": (
        "t.parquet", lambda p: LABELLED.set_axis(np.arange(30) * 2).to_parquet(p), [], "numbers"),
    "no header": ("t.csv", csv(header=False), ["-t", "-1"], "has no header"),
    "no header, said": ("t.csv", csv(header=False), ["-t", 8, "--no-header"], ""),
    # 3: delimited text
    "semicolons in .txt": ("t.txt", csv(sep=";"), [], ""),
    "tabs in .csv": ("t.csv", csv(sep="\t"), [], ""),
    "bars in .dat": ("t.dat", csv(sep="|"), [], ""),
    "blanks, no suffix": ("t", csv(LABELLED.rename(columns=lambda c: c.replace(" ", "_")), sep=" "),
                          [], ""),
    "a delimiter of its own": ("t.csv", csv(sep="~"), ["--delimiter", "~"], ""),
    "decimal commas": ("t.csv", csv(sep=";", decimal=","), [], ""),
    "decimal commas in quotes": ("t.csv", csv(decimal=","), [], ""),
    "comments": ("t.csv", commented, [], ""),
    "header in a comment": ("t.tsv", header_in_comment, [], ""),
    "byte order mark": ("t.csv", csv(encoding="utf-8-sig"), [], ""),
    "UTF-16": ("t.csv", csv(encoding="utf-16"), [], ""),
    "UTF-16 without mark": ("t.csv", csv(encoding="utf-16-le"), [], ""),
    "Latin-1": ("t.csv", csv(LABELLED.replace("MLL", "größer"), encoding="latin-1"),
                ["--encoding", "latin-1"], ""),
    "Latin-1, not said": (
        "t.csv", csv(LABELLED.replace("MLL", "größer"), encoding="latin-1"), [],
        "not UTF-8 text in line .* read as Western text"),
    "header one cell short": ("t.txt", r_write_table, [], ""),
    "trailing delimiter": ("t.csv", trailing, [], ""),
    "missing on request": ("t.csv", with_gaps("#N/A"),
                           ["--missing", "#N/A,-,.", "--drop-missing", 0, "--drop", "other"],
                           "lacks more than 0%"),
    "equal names": ("t.csv", doubled, [], "the later ones are called gene h.1"),
    "gz": ("t.csv.gz", packed(gzip.open), [], ""),
    "gz without saying so": ("t.csv", packed(gzip.open), [], ""),
    "bz2": ("t.csv.bz2", packed(bz2.open), [], ""),
    "xz": ("t.csv.xz", packed(lzma.open), [], ""),
    "zip": ("t.zip", zipped, [], ""),
    "zst": ("t.csv.zst", zstd, [], ""),
    "xlsx": ("t.xlsx", lambda p: LABELLED.to_excel(p, index=False), [], ""),
    "xlsx with numbers": ("t.xlsx", lambda p: LABELLED.to_excel(p), [], "numbers the rows"),
    "npy": ("t.npy", npy, ["-t", -1], ""),
    "npy with names": ("t.npy", named_npy, [], ""),
    "feather": ("t.feather", LABELLED.to_feather, [], ""),
    "drop a,b": ("t.csv", csv(LABELLED.assign(a=KINDS, b=range(30))), ["--drop", "a,b"], ""),
    # 4: expression tables
    "genes in rows": ("t.csv", lambda p: TURNED.to_csv(p), ["--transpose"], ""),
    "genes in rows, not said": ("t.csv", lambda p: TURNED.to_csv(p), [],
                                "has features in rows: 'kind' is a row of it"),
    "genes in rows of tabs": ("t.txt", csv(TURNED, index=True, sep="\t"), ["--transpose"], ""),
    "descriptions": ("t.csv", described, ["--transpose"], "describes the features in column"),
    "labels in the header": ("t.csv", labels_in_header, ["--transpose", "-t", 0], ""),
    "labels in the header, not said": ("t.csv", labels_in_header, ["--transpose"], "as classes"),
    "a table of samples": (
        "t.csv", with_sheet(csv(TURNED.drop("kind"), index=True)),
        ["--transpose", "--samples", "sheet.tsv", "--sample-id", "sample"],
        "30 of 30 samples of .* are in column 'sample' of sheet.tsv"),
    "a table of samples, genes in rows": (
        "t.csv", with_sheet(csv(TURNED.drop("kind"), index=True)),
        ["--samples", "sheet.tsv"], "has features in rows: sheet.tsv names its columns"),
    "a table of samples, said": (
        "t.csv", with_sheet(csv(TABLE.assign(name=SAMPLES))),
        ["--id", "name", "--samples", "sheet.tsv", "--sample-id", "sample"], ""),
    "a table of samples, found": (
        "t.csv", with_sheet(csv(TABLE.assign(name=SAMPLES))),
        ["--samples", "sheet.tsv"], r"\('name'\) are in column 'sample' of sheet.tsv"),
    "a table of samples, unnamed": (
        "t.csv", with_sheet(csv(TABLE.set_axis(SAMPLES), index=True)),
        ["--samples", "sheet.tsv"], "30 of 30 samples"),
    "a table of samples, by number": (
        "t.csv", with_sheet(csv(TABLE.assign(key=np.arange(30)[::-1])), n=np.arange(30)[::-1]),
        ["--samples", "sheet.tsv"], r"\('key'\) are in column 'n' of sheet.tsv"),
    "a table of samples, names of R": (
        "t.csv", with_sheet(csv(TABLE.assign(name=[s.replace("GSM", "gsm.") for s in SAMPLES])),
                            sample=[s.replace("GSM", "GSM-") for s in SAMPLES]),
        ["--samples", "sheet.tsv"], "but for case and marks"),
    "a table of samples, in order": (
        "t.csv", with_sheet(csv(TABLE), shuffled=False),
        ["--samples", "sheet.tsv", "--by-position"], ""),
    "classes in the names": (
        "t.csv", csv(TABLE.set_axis([f"{k}_{i}" for i, k in enumerate(KINDS)]), index=True),
        ["--target-from-names", "^[A-Z]+"], "names the rows"),
    "classes in the header": (
        "t.csv", csv(TABLE.set_axis([f"x {k}.{i}" for i, k in enumerate(KINDS)]).T, index=True),
        ["--transpose", "--target-from-names", r"(\w+)\."], ""),
    "GCT without version": ("t.gct", with_sheet(bare_gct), ["--samples", "sheet.tsv"], "describes"),
    # 5: columns that are no features
    "a row counter": ("t.csv", csv(LABELLED.assign(Idx=np.arange(30) + 1)), [],
                      r"counts the rows in column 'Idx'; left out, unless --keep"),
    "a counter of any name": ("t.csv", csv(LABELLED.assign(order=np.arange(30))), [],
                              "counts the rows"),
    "a workbook with a counter": (
        "t.xlsx", lambda p: LABELLED.assign(Idx=np.arange(30) + 1).to_excel(p, index=False), [],
        "counts the rows"),
    "an identifier of numbers": (
        "t.csv", csv(LABELLED.assign(code=np.arange(30)[::-1] * 3 + 7)), [],
        r"names samples in column 'code'; left out, unless --keep"),
    "an identifier in front": (
        "t.csv", csv(pd.concat([pd.Series(RNG.permutation(9999)[:30], name="code"), LABELLED],
                               axis=1)), [], "names samples in"),
    "a run of numbers": ("t.csv", csv(LABELLED.assign(z=RNG.permutation(30) + 400)), [],
                         "names samples in"),
    "named like an identifier": (
        "t.csv", csv(LABELLED.assign(patientId=(KINDS == "ALL") * 1, tumour_id=1)), [],
        "'patientId', 'tumour_id'; left out"),
    "names of samples": ("t.csv", csv(LABELLED.assign(name=SAMPLES)), [],
                         r"names samples in column 'name'; left out"),
    "dates": ("t.csv", csv(LABELLED.assign(day=[f"2020-01-{i + 1:02d}" for i in range(30)])), [],
              r"has dates in column 'day'"),
    "text": ("t.csv", csv(LABELLED.assign(town="York")), [],
             r"text in column 'town'; left out; --keep town keeps it as categories"),
    "words for missing": (
        "t.csv", csv(LABELLED.assign(hole=["#N/A", *map(str, RNG.normal(size=29).round(2))])),
        ["--drop-missing", 0], r"'#N/A' in column 'hole', taken as a missing value"),
    "numbers with a word": (
        "t.csv", csv(LABELLED.assign(crp=["<0.5"] * 2 + [str(i / 7) for i in range(28)])), [],
        r"numbers in column 'crp', but '<0.5' in 2 rows; left out; --missing '<0.5'"),
    "GEO series matrix": ("GSE1_series_matrix.txt", geo, ["-t", "leukemia type"], ""),
    "GCT": ("t.gct", with_sheet(gct), ["--samples", "sheet.tsv"], "describes the features"),
    "GCT 1.3": ("t.gct", gct_3, [], "describes the features"),
    "log2": ("t.csv", raw_intensities, ["--log2"], ""),
    "no label": ("t.csv", unlabelled, [], "no label in 3 of 33 rows"),
    "id": ("t.csv", csv(LABELLED.assign(patient=SAMPLES)), ["--id", "patient"], ""),
    # 6: columns that are not numbers
    "numeric only": ("t.csv", csv(LABELLED.assign(town="York, or so")), ["--numeric-only"],
                     "text in column 'town'; left out"),
    "categories of numbers": (
        "t.parquet", lambda p: LABELLED.astype({"gene a": "category"}).to_parquet(p), [], ""),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_ranking_is_that_of_the_clean_table(tmp_path, monkeypatch, case):
    monkeypatch.chdir(tmp_path)
    name, write, options, note = CASES[case]
    path = tmp_path / name
    write(path)
    elsewhere = case in ("labels in the header, not said",) or "--target-from-names" in options
    target = None if elsewhere or "-t" in options else "kind"
    result = select(path, *options, target=target)
    assert result.exit_code == 0, result.output
    assert note in result.stderr or re.search(note, result.stderr)
    assert note or result.stderr == ""
    found = [name.replace("gene_", "gene ") for name in shown(result)]
    positions = ("header" in case and "no header" in case) or case == "npy"
    assert found == ([f"x{GENES.index(g)}" for g in RANKING] if positions else RANKING)


def test_standard_input(tmp_path):
    content = LABELLED.to_csv(index=False).encode()
    for data in (content, gzip.compress(content)):
        result = select("-", data=data)
        assert result.exit_code == 0, result.output
        assert shown(result) == RANKING


def test_every_feature(tmp_path):
    csv()(tmp_path / "t.csv")
    result = CliRunner().invoke(
        main, ["select", str(tmp_path / "t.csv"), "-t", "kind", "-k", "all", "--no-verdict"]
    )
    assert sorted(shown(result)) == sorted(GENES)


# What is wrong, and the option that the one sentence must name.
FAULTS = {
    "raw intensities": ("t.csv", raw_intensities, [], "--log2", 0),
    "labels written in two ways": (
        "t.csv", csv(TABLE.assign(kind=["01", "1", "1.0"] * 10)), [], "'01', '1', '1.0'", 0),
    "a quantity as target": (
        "t.csv", csv(pd.concat([TABLE] * 4).assign(kind=np.arange(120) % 50)), [],
        "a quantity: it has 50 different whole numbers, from 0 to 49, each taken as a class", 0),
    "Cyrillic": ("t.csv", csv(LABELLED.replace("MLL", "больше"), encoding="cp1251"), [],
                 "--encoding", 2),
    "missing values": ("t.csv", with_gaps(""), ["--drop", "other", "--method", "s2fs"],
                       "--impute median.*--drop-missing 0.2.*--drop", 2),
    "no labels": (
        "t.csv", csv(LABELLED.assign(kind=[*KINDS[:9], *[""] * 21])), [], "--drop-unlabelled", 2),
    "names in the header": ("t.csv", csv(TURNED.drop("kind"), index=True),
                            ["--transpose", "-t", 0], "all different.*--samples", 2),
    "samples elsewhere": ("t.csv", csv(TURNED.drop("kind"), index=True), ["--transpose"],
                          "no such column", 2),
    "a sheet of others": (
        "t.csv", with_sheet(csv(TURNED.drop("kind").set_axis(range(30), axis=1), index=True)),
        ["--transpose", "--samples", "sheet.tsv", "--sample-id", "sample"], "--sample-id", 2),
    "ragged rows": ("t.csv", text("a,b,kind\n1,2,u\n1,v\n2,3,u\n"), [], "--delimiter", 2),
    "a quantity of fractions": ("t.csv", csv(), ["-t", "gene a"], "is a quantity", 2),
    "no such sheet": ("t.xlsx", lambda p: LABELLED.to_excel(p, index=False), ["--sheet", "x"],
                      "'Sheet1'", 2),
    "GEO without target": ("t.txt", geo, ["-t", "type"], "'title', 'age', 'leukemia type'", 2),
    "too little memory": ("t.csv", csv(), ["--max-memory", "1K"], "--max-memory", 2),
    "no amount": ("t.csv", csv(), ["--max-memory", "much"], "such as 500M", 2),
}  # fmt: skip


@pytest.mark.parametrize("case", FAULTS)
def test_one_sentence_names_the_option_that_helps(tmp_path, monkeypatch, case):
    monkeypatch.chdir(tmp_path)
    name, write, options, sentence, code = FAULTS[case]
    write(tmp_path / name)
    result = select(name, *options, target=None if "-t" in options else "kind")
    assert result.exit_code == code, result.output
    assert re.search(sentence, result.stderr)
    lines = result.stderr.splitlines()
    if code == 0:  # the block of decisions: what was read, and one remark
        assert lines[0].startswith(f"{name}: ")
        assert len(lines) == 2
    for line in lines[1:] if code == 2 else []:
        again = CliRunner().invoke(main, shlex.split(line.removeprefix("Try: s2fs ")))
        assert again.exit_code == 0, again.output
    assert (result.stdout == "") == (code == 2)


def test_labels_are_not_merged(tmp_path):
    csv(TABLE.assign(kind=["01", "1", "1.0"] * 10))(tmp_path / "t.csv")
    result = select(tmp_path / "t.csv")
    assert shown(result) == RANKING  # the three classes that the clean table has
    big = [2**53 + i % 3 for i in range(30)]
    csv(TABLE.assign(kind=big))(tmp_path / "t.csv")
    TABLE.assign(kind=pd.array([*big[:-1], None], dtype="Int64")).to_parquet(tmp_path / "t.parquet")
    np.savez(tmp_path / "t.npz", X=VALUES, y=big, feature_names=GENES)
    for name, options in (("t.csv", []), ("t.parquet", ["--drop-unlabelled"]), ("t.npz", [])):
        result = select(tmp_path / name, *options, target=None if name == "t.npz" else "kind")
        assert result.exit_code == 0, result.output
        assert shown(result)[:3] == RANKING[:3]


def test_encoded_text_is_chosen_together_and_encoded_again(tmp_path):
    colours = np.array(["blue", "green", "red"])[np.arange(30) % 3]
    noise = pd.DataFrame(RNG.normal(size=(30, 4)), columns=list("wxyz"))
    frame = noise.assign(colour=colours, kind=KINDS)
    csv(frame)(tmp_path / "t.csv")
    model = tmp_path / "m.json"
    result = select(tmp_path / "t.csv", "--save", model)
    assert result.exit_code == 0, result.output
    assert shown(result)[0] == "colour"
    csv(frame.drop(columns="kind").iloc[::-1])(tmp_path / "new.csv")
    applied = CliRunner().invoke(main, ["transform", str(model), str(tmp_path / "new.csv")])
    assert applied.exit_code == 0, applied.output
    first = applied.stdout.splitlines()[1].split(",")
    header = applied.stdout.splitlines()[0].split(",")
    values = dict(zip(header, first, strict=True))
    assert [values[f"colour={c}"] for c in ("blue", "green", "red")] == ["0.0", "0.0", "1.0"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_files_are_written_though_the_reader_of_the_output_has_gone(tmp_path):
    csv()(tmp_path / "t.csv")
    command = f"'{sys.executable}' -m s2fs select t.csv -t kind --no-verdict -o r.tsv --save m.json"
    result = subprocess.run(f"{command} | head -n 0", shell=True, cwd=tmp_path, capture_output=True)
    assert b"Traceback" not in result.stderr
    assert (tmp_path / "m.json").exists()
    assert pd.read_csv(tmp_path / "r.tsv", sep="\t")["feature"].tolist()[:K] == RANKING
