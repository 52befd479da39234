import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

from report.pages import Page
from s2fs import PairCover
from s2fs.cli import main
from s2fs.io import read_table
from s2fs.report import Report


@pytest.fixture
def pictures(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "pictures.npz"
    np.savez(path, X=rng.random((24, 12)), y=np.arange(24) % 3)
    return path


def table_of(text):
    """The headings and the rows of the features, in order of choice."""
    rows = Page(text).rows
    start = next(i for i, row in enumerate(rows) if row[:2] == ["Rank", "Feature"])
    heads = rows[start]
    return heads, [row for row in rows[start + 1 :] if len(row) == len(heads)]


def run(*args):
    return CliRunner().invoke(main, [str(arg) for arg in args])


def test_select_writes_the_report_beside_the_ranking(pictures, tmp_path):
    page = tmp_path / "report.html"
    plain = run("select", pictures, "-k", 4)
    result = run("select", pictures, "-k", 4, "--report", page, "--image-shape", "3x4")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    without_next = plain.stdout.partition("\n\nNext: ")[0]  # it proposes the report
    assert lines == without_next.splitlines()
    text = page.read_text(encoding="utf-8")
    assert "<h1>pictures.npz</h1>" in text
    assert 'id="pixels"' in text
    _, rows = table_of(text)
    ranked = re.findall(r"^ *\d+  (\w+)", plain.stdout, flags=re.MULTILINE)
    assert [row[1] for row in rows] == ranked
    assert len(ranked) == 4


def test_pixels_by_rows_by_columns_or_as_the_file_has_them(tmp_path):
    rng = np.random.default_rng(0)
    arrays = {"X": rng.random((24, 12)), "y": np.arange(24) % 3}
    np.savez(tmp_path / "plain.npz", **arrays)
    np.savez(tmp_path / "columns.npz", **arrays, image_order="F")
    np.savez(tmp_path / "rows.npz", **arrays, image_order="C")

    def drawn(file, shape):
        page = tmp_path / "page.html"
        options = ["-k", 4, "--report", page, "--image-shape", shape, "--no-verdict"]
        assert run("select", tmp_path / file, *options).exit_code == 0
        figure = page.read_text(encoding="utf-8").partition('id="pixels"')[2].partition("</svg>")[0]
        assert "<svg" in figure
        return figure

    by_rows, by_columns = drawn("plain.npz", "3x4"), drawn("plain.npz", "3x4F")
    assert by_rows != by_columns
    assert drawn("columns.npz", "3x4") == by_columns
    assert drawn("rows.npz", "3x4") == by_rows
    assert drawn("rows.npz", "3x4F") == by_columns


def test_page_terminal_file_and_python_say_the_same(pictures, tmp_path):
    """One evaluation, made once: the same numbers and words everywhere."""
    page, file = tmp_path / "report.html", tmp_path / "r.json"
    shown = run("select", pictures, "-k", 4, "--report", page, "-o", file)
    assert shown.exit_code == 0, shown.output
    terminal = " ".join(shown.stdout.split())
    text = Page(page.read_text(encoding="utf-8"))
    told = " ".join("".join(text.text).split())
    result = json.loads(file.read_text())
    data = read_table(pictures)
    report = Report(PairCover(4).fit(data.X, data.y), data)
    verdict = result["evaluation"]["verdict"]
    assert verdict == report.comparison.verdict
    assert verdict in terminal
    assert verdict in told
    assert " ".join(report.to_markdown().replace("\\", "").split()).count(verdict) == 1
    assert result["checks"] == report.summary["checks"]
    for check in result["checks"]:
        words = "✓ Passed:" if check["passed"] else "! Look at this:"
        assert f"{words} {check['text']}" in told
        assert check["passed"] != (f"! {check['text']}" in terminal)
    rows = result["evaluation"]["rows"]
    assert rows == result["evaluation"]["by_size"]["4"]
    beside = {row[0]: row[1:] for row in text.rows if len(row) == 6}
    for row in rows[:-1]:
        estimate = row["scores"]["accuracy"]
        value, low, high = (f"{100 * estimate[name]:.1f}" for name in ("value", "low", "high"))
        assert beside[row["selector"]][:2] == [value, f"{low} to {high}"]
        assert f"{row['selector']} {value} % {low} to {high}" in terminal


def test_a_page_has_no_accuracy_where_the_terminal_has_none(tmp_path):
    path, page = tmp_path / "few.npz", tmp_path / "report.html"
    rng = np.random.default_rng(0)
    np.savez(path, X=rng.random((8, 5)), y=np.arange(8) % 2)
    result = run("select", path, "-k", 2, "--report", page)
    assert result.exit_code == 0, result.output
    assert "No verdict: 8 samples are too few to say how good this is." in result.stderr
    assert "Accuracy was not measured" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--report", "report.txt"], "give a name that ends in .html"),
        (["--report", "no/such/report.html"], "is not a directory"),
        (["--image-shape", "3x4"], "add --report FILE.html"),
        (["--report", "r.html", "--names", "no.csv"], "There is no file 'no.csv'"),
        (["--report", "r.html", "--image-shape", "5x5"], "but there are 12 features"),
        (["--report", "r.html", "--image-shape", "12"], "height and width as in 32x32"),
        (["--report", "r.html", "--image-shape", "3x4C"], "32x32F for pixels by columns"),
    ],
)
def test_bad_options_are_one_line(pictures, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    result = run("select", pictures, *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["pictures.npz"]


def test_names_of_a_file_stand_on_the_page(pictures, tmp_path):
    page, names = tmp_path / "report.html", tmp_path / "genes.csv"
    data = read_table(pictures)
    feature = data.feature_names[PairCover(2).fit(data.X, data.y).indices_[0]]
    names.write_text(f"id,symbol,description\n{feature},CD99,a <b>surface</b> protein\n")
    result = run("select", pictures, "-k", 2, "--report", page, "--names", names)
    assert result.exit_code == 0, result.output
    _, rows = table_of(page.read_text(encoding="utf-8"))
    assert rows[0][1] == "CD99"
    assert "a &lt;b&gt;surface" in page.read_text(encoding="utf-8")
