"""CONTRIBUTING's example: a class and a line in another distribution, found everywhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rankers import RANKERS, Guessed
from s2fs.baselines import BASELINES, Baseline, check_baseline, installed_baselines, registry
from s2fs.cli import main
from s2fs.evaluation import SELECTORS, compare

ROOT = Path(__file__).parents[2]
#: Entry points that cannot be loaded, or lead to something else.
BROKEN = {"Nowhere": "no_such_module:Nowhere", "Text": "os:sep", "Failing": "failing:Class"}


def distribution(folder, entries):
    """Metadata of an installed distribution with these baselines."""
    metadata = folder / "neighbours-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: neighbours\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in entries.items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[s2fs.baselines]", *lines]) + "\n")


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """A folder with the example installed; and the code and the line of the page."""
    folder = tmp_path_factory.mktemp("site")
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    (line,) = re.findall(
        r'^\[project\.entry-points\."s2fs\.baselines"\]\n(.*)$', text, re.MULTILINE
    )
    name, value = re.fullmatch(r'(\w+) = "(\S+)"', line).groups()
    assert (name, value) == ("NearMean", "nearmean:NearMean")
    (folder / "nearmean.py").write_text(code, encoding="utf-8")
    (folder / "failing.py").write_text("1 / 0\n", encoding="utf-8")
    distribution(folder, {name: value, **BROKEN})
    return folder


@pytest.fixture
def run(example):
    """Run Python where the example is installed."""

    def run_python(*arguments):
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(example)},
            capture_output=True,
            text=True,
        )

    return run_python


def test_it_keeps_the_contract_and_is_found_by_name(run):
    code = """
import sys
from s2fs.baselines import BASELINES, check_baseline
assert "NearMean" in BASELINES and "Nowhere" in list(BASELINES)
assert "nearmean" not in sys.modules
check_baseline(BASELINES["NearMean"])
"""
    result = run("-c", code)
    assert result.returncode == 0, result.stderr


def test_the_command_line_knows_it_and_others_cost_nothing(run, tmp_path):
    table = tmp_path / "table.csv"
    rows = [f"{c},{i % 7},{5 * (c == 'b') + i % 3}" for i, c in enumerate("ab" * 20)]
    table.write_text("\n".join(["class,u,v", *rows]), encoding="utf-8")
    found = run(
        "-m",
        "s2fs",
        "select",
        table,
        "-t",
        "class",
        "--method",
        "nearmean",
        "-k",
        1,
        "--no-verdict",
    )
    assert found.returncode == 0, found.stderr
    assert " v " in found.stdout
    assert "cannot be loaded" not in found.stderr
    refused = run("-m", "s2fs", "select", table, "-t", "class", "--method", "failing", "-k", 1)
    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr
    sentence = " ".join(refused.stderr.split())
    assert "the baseline 'Failing' of neighbours cannot be loaded (ZeroDivisionError" in sentence
    misspelt = run("-m", "s2fs", "select", table, "-t", "class", "--method", "nearmaen", "-k", 1)
    assert misspelt.returncode == 2
    assert re.search(r"did you mean 'nearmean'.*choose from .*\bnearmean\b", misspelt.stderr, re.S)


def test_a_list_of_all_leaves_out_what_cannot_be_loaded(example, monkeypatch):
    monkeypatch.syspath_prepend(str(example))
    registry._find_registered.cache_clear()
    try:
        with pytest.warns(UserWarning, match="cannot be loaded") as notes:
            found = installed_baselines()
        texts = [str(note.message) for note in notes]
    finally:
        registry._find_registered.cache_clear()
    assert "NearMean" in found
    assert not set(BROKEN) & set(found)
    assert [name for name in sorted(BROKEN) if not any(f"'{name}'" in text for text in texts)] == []
    assert any("os:sep is no subclass of s2fs.baselines.Baseline" in text for text in texts)


@pytest.fixture
def alone(monkeypatch):
    """As where no other distribution is installed."""
    monkeypatch.setattr(registry, "entry_points", lambda group: ())
    registry._find_registered.cache_clear()
    yield
    registry._find_registered.cache_clear()


def test_all_by_name(alone):
    assert dict(BASELINES) == RANKERS
    assert list(BASELINES) == sorted(RANKERS)
    assert len(BASELINES) == len(RANKERS)
    assert all(issubclass(cls, Baseline) for cls in BASELINES.values())
    assert SELECTORS["anovaf"] is BASELINES["AnovaF"]
    assert SELECTORS.get("AnovaF") is None
    with pytest.raises(TypeError):
        BASELINES["mine"] = Guessed


def test_who_asks_for_one_of_the_laboratory_learns_what_to_install(alone, capsys):
    words = "which comes with s2fs-bench: pip install"
    with pytest.raises(KeyError, match=f"'SFSS', {words}"):
        BASELINES["SFSS"]
    with pytest.raises(ValueError, match=f"selectors has 'sfss', {words}"):
        compare([[0.0], [1.0]] * 9, [0, 1] * 9, selectors=["sfss"])
    with pytest.raises(SystemExit) as end:
        main(["select", "table.csv", "--method", "sfss"])
    assert end.value.code == 2
    assert f"'sfss', {words}" in " ".join(capsys.readouterr().err.split())
    with pytest.raises(KeyError, match=r"'AnovaG' \(did you mean 'AnovaF'\?\); choose from AnovaF"):
        BASELINES["AnovaG"]


def wrong(base=Guessed, **attributes):
    return type("Wrong", (base,), {"__doc__": "Status: {status}.", **attributes})


class First(Guessed):
    """Status: {status}."""

    def __init__(self, other=1, n_features_to_select=10, max_correlation=None):
        super().__init__(n_features_to_select, max_correlation=max_correlation)
        self.other = other


class Unordered(Guessed):
    """Status: {status}."""

    def _rank_varying(self, X, codes, k):
        ranked = super()._rank_varying(X, codes, k)
        return ranked._replace(indices=ranked.indices[::-1].copy())


class Infinite(Guessed):
    """Status: {status}."""

    def _rank_varying(self, X, codes, k):
        ranked = super()._rank_varying(X, codes, k)
        return ranked._replace(scores=ranked.scores / 0)


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (dict, "is no subclass of s2fs.baselines.Baseline"),
        (wrong(status="certain"), r"Wrong.status is 'certain'; give one of 'confirmed'"),
        (wrong(citation=""), r"Wrong.citation is missing"),
        (wrong(algorithm_version=0), r"Wrong.algorithm_version is 0; give a whole number from 1"),
        (wrong(algorithm_version="2"), r"Wrong.algorithm_version is '2'"),
        (wrong(package=3), r"Wrong.package is 3; give the name of a package, or None"),
        (wrong(__doc__="Ranks."), "does not say 'Status: {status}'"),
        (First, "first argument of First is other"),
        (Unordered, r"Unordered\(1\) selects .* not the beginning of the whole list"),
        (Infinite, "Infinite has scores that are not finite"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_the_contract_is_not_kept(cls, words):
    with pytest.raises(AssertionError, match=words):
        check_baseline(cls)
