"""The page "Compare your method in an afternoon", from nothing to tables and figures."""

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from s2fs.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "bench.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the commands of the page leave, in a folder where only its files are."""
    text = PAGE.read_text(encoding="utf-8")
    module, tables = re.findall(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    plan, *_ = re.findall(r"^```toml\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    commands, *_ = re.findall(r"^```bash\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    place = tmp_path_factory.mktemp("afternoon")
    (place / "mine.py").write_text(module)
    (place / "mine.toml").write_text(plan)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.setattr(sys, "path", list(sys.path))
        patch.delenv("S2FS_DATA", raising=False)
        exec(tables, {})
        for command in commands.splitlines():
            name, *words = shlex.split(command)
            assert name == "s2fs"
            done = CliRunner().invoke(main, words)
            assert done.exit_code == 0, done.output
    sys.modules.pop("mine", None)
    return place


def test_the_latex_tables_have_all_that_a_paper_needs(folder):
    text = (folder / "tables" / "tables.tex").read_text()
    labels = re.findall(r"\\label\{(.+?)\}", text)
    tables = [f"tab:{x}-{s}" for x in ("knn", "logistic") for s in ("max", "ave")]
    assert labels == [*tables, "tab:times"]
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 5
    table = text[text.index(r"\label{tab:knn-ave}") :]
    table = table[: table.index(r"\end{table}")]
    lines = [line for line in table.splitlines() if line.endswith(r"\\")]
    assert lines[0] == r"Dataset & TopF & PairCover & ANOVA F & mRMR & random \\"
    names = [line.split(" & ")[0] for line in lines[1:]]
    assert names == [
        "breast\\_cancer", "three", "six", "SRBCT (bundled)", "Mean", "Average rank",
        "Wins / ties / losses", "Difference", r"\quad 95\,\% interval", "Effect size",
        "$p$ (Wilcoxon, Holm)",
    ]  # fmt: skip
    assert all(line.count(" & ") == 5 for line in lines)
    assert r"$\pm$" in lines[1]
    assert r"TopF gave 14 to 17 features on breast\_cancer: larger sizes are" in text
    assert "$F_F$ = 8.0345" in text
    captions = re.findall(r"\\caption\{(.+)\}$", text, flags=re.MULTILINE)
    assert len(captions) == 5
    assert all(caption[0].isupper() or caption[0].isdigit() for caption in captions)
    # Nothing is said of what the plan does not have.
    assert "weighting" not in text
    assert text.count("{") == text.count("}")


def test_the_diagram_highlights_the_reference(folder):
    names = {path.name for path in (folder / "figures").iterdir()}
    stems = ["curves-knn", "curves-logistic"]
    stems += [f"critical-difference-{x}-{s}" for x in ("knn", "logistic") for s in ("max", "ave")]
    assert names == {f"{stem}.{suffix}" for stem in stems for suffix in ("pdf", "svg")}
    # Text is drawn as shapes: the comment before each says what it is.
    drawing = (folder / "figures" / "critical-difference-knn-ave.svg").read_text(encoding="utf-8")
    assert "TopF" in drawing


def test_times_are_in_milliseconds(folder):
    lines = (folder / "tables" / "times.csv").read_text().splitlines()
    assert lines[0] == "dataset,selector,milliseconds"
    assert len(lines) == 1 + 4 * 5
    spent = np.array([float(line.rpartition(",")[2]) for line in lines[1:]])
    assert (spent >= 0).all()
    assert 0 < spent.max() < 60_000


def test_the_page_shows_what_the_commands_give(folder):
    text = PAGE.read_text(encoding="utf-8")
    shown = text[text.index("<!-- comparison") : text.index("<!-- end -->")].partition("-->")[2]
    written = (folder / "tables" / "tables.md").read_text(encoding="utf-8")
    part = written[written.index("### 5-NN, Ave:") : written.index("\n### logistic regression")]
    assert shown.strip() == part.partition("\n")[2].strip()
    assert "published" not in written


def test_own_classes_are_not_called_confirmed(folder):
    text = (folder / "tables" / "comparisons.csv").read_text()
    rows = [line.split(",") for line in text.splitlines()]
    status = {row[rows[0].index("algorithm")]: row[rows[0].index("status")] for row in rows[1:]}
    assert status["TopF"] == "own"
    assert status["ANOVA F"] == "wrapper"
