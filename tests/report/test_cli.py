import re

import numpy as np
import pytest
from click.testing import CliRunner

from report.pages import Page
from s2fs.cli import main


@pytest.fixture
def pictures(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "pictures.npz"
    np.savez(path, X=rng.random((24, 12)), y=np.arange(24) % 3)
    return path


def chosen(text):
    """The features of the page, in order of choice; their rows have a cell for each component."""
    return [row[1] for row in Page(text).rows if len(row) == 8 + 5][1:]


def run(*args):
    return CliRunner().invoke(main, [str(arg) for arg in args])


def test_select_writes_the_report_beside_the_ranking(pictures, tmp_path):
    page = tmp_path / "report.html"
    plain = run("select", pictures, "-k", 4)
    result = run("select", pictures, "-k", 4, "--report", page, "--image-shape", "3x4")
    assert result.exit_code == 0, result.output
    assert result.stdout == plain.stdout
    text = page.read_text(encoding="utf-8")
    assert "<h1>pictures.npz</h1>" in text
    assert 'id="pixels"' in text
    ranked = chosen(text)
    assert ranked == re.findall(r"^ +\d+  (\w+)", plain.stdout, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--report", "report.txt"], "give a name that ends in .html"),
        (["--report", "no/such/report.html"], "is not a directory"),
        (["--image-shape", "3x4"], "add --report FILE.html"),
        (["--report", "r.html", "--image-shape", "5x5"], "but there are 12 features"),
        (["--report", "r.html", "--image-shape", "12"], "height and width as in 32x32"),
        (["--report", "r.html", "--image-order", "A"], "'A' is not one of"),
    ],
)
def test_bad_options_are_one_line(pictures, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    result = run("select", pictures, *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["pictures.npz"]


def test_the_halves_of_the_ranking_are_those_of_the_report(pictures, tmp_path):
    page = tmp_path / "report.html"
    result = run("select", pictures, "-k", 4, "--stability", 7, "--report", page, "--no-verdict")
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.stdout.splitlines()]
    place = next(line.index("returns") for line in lines if "returns" in line)
    returns = [line[place] for line in lines if line and line[0] in list("1234")]
    text = page.read_text(encoding="utf-8")
    assert "7 random halves" in text
    rows = [row for row in Page(text).rows if len(row) == 8 + 1 + 5]  # q-value, components
    assert "Q-value" in rows[0]
    place = rows[0].index("Returns")
    assert [row[place].replace("\xa0", "") for row in rows[1:]] == returns
