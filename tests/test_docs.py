"""The documents say what is true: their code runs, and no public name is missing."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from sklearn.utils.estimator_checks import check_estimator

import s2fs
import s2fs.benchmark
import s2fs.datasets
import s2fs.evaluation
import s2fs.plotting
import s2fs.report
from s2fs.baselines import RIVALS

ROOT = Path(__file__).parents[1]


def python_blocks(name):
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), flags=re.DOTALL)


def test_readme_example_runs(capsys):
    (code,) = python_blocks("README.md")
    names = {}
    exec(code, names)
    assert names["X20"].shape == (83, 20)
    assert "lambda_dir" in capsys.readouterr().out


def test_readme_shows_what_the_selector_finds():
    code = python_blocks("README.md")[0]
    names = {}
    exec(code, names)
    rows = re.findall(r"^ +\d+  (V\d+) +([\d.]+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    path = names["selector"].path_
    found = [(names["genes"][f], f"{sep:.6g}") for f, sep in zip(path["feature"], path["sep"])]  # noqa: B905
    assert rows == found[: len(rows)]


def test_the_rival_of_the_contributor_docs_keeps_the_contract(monkeypatch):
    code, line = python_blocks("CONTRIBUTING.md")
    module = ModuleType("s2fs.baselines.nearmean")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(code, vars(module))
    check_estimator(module.NearMean(1), on_skip=None)
    assert line.strip() == "from s2fs.baselines.nearmean import NearMean as NearMean"


def test_every_public_name_is_in_the_api_page():
    page = (ROOT / "docs" / "api.md").read_text()
    rooms = (s2fs, s2fs.benchmark, s2fs.datasets, s2fs.evaluation, s2fs.plotting, s2fs.report)
    names = [*RIVALS, *(name for room in rooms for name in room.__all__)]
    assert [name for name in names if not re.search(rf"\b{name}\b", page)] == []


def test_the_page_of_rivals_gives_their_status():
    page = (ROOT / "docs" / "rivals" / "index.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|", page, flags=re.MULTILINE))
    assert rows == {name: RIVALS[name].status for name in rows}
    assert len(rows) == 9


@pytest.mark.parametrize("page", [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")], ids=str)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target
