"""The scripts of the studies can be started, and their pages say what the kept results say."""

import importlib
import sys
from pathlib import Path

import pytest

from s2fs_bench import iter_results, open_results

STUDIES = Path(__file__).parents[1] / "studies"
SCRIPTS = sorted(path.stem for path in STUDIES.glob("*.py"))


def load(name):
    """A script of the studies, which import each other by their names."""
    sys.path.insert(0, str(STUDIES))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(STUDIES))


def check_page(path, parts, script):
    page = path.read_text(encoding="utf-8")
    assert load("pages").filled(page, parts, script) == page


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_finds_what_it_imports(name):
    try:
        load(name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("s2fs"):
            raise
        pytest.skip(f"{error.name} is not installed")


def test_the_page_of_the_reproduction():
    script = load("reproduction")
    results = STUDIES.with_name("results")
    with open_results(results / "paper.npz") as archive:
        archive.results.sort(key=script.place_in_plan)
        found = list(iter_results(archive))
    check_page(script.PAGE, script.parts(found, results / "fidelity.csv"), script.SCRIPT)
    for page in script.FRONT:
        check_page(page, {"paper": script.front(found)}, script.SCRIPT)


def test_the_readings_of_the_paper():
    script = load("readings")
    check_page(script.PAGE, script.parts(), script.SCRIPT)


def test_the_pages_of_the_baselines():
    script = load("fidelity")
    check_page(script.PAGE, script.parts(), script.SCRIPT)
    study = script.Study(script.read_results())
    assert script.every_distance(study) == script.DISTANCES.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("mean", "half", "words"),
    [
        (1.0, 0.9, "better than"),
        (-0.3, 0.2, "worse than"),
        (0.3, 1.7, "as good as"),
        (0.4, 1.7, "cannot be told from"),
        (-3.0, 4.0, "cannot be told from"),
    ],
)
def test_an_interval_in_words(mean, half, words):
    assert load("pages").in_words(mean, half) == words


def test_signs_of_differences():
    signed = load("pages").signed
    assert [signed(value, 1) for value in (-1.26, -0.04, 2.0)] == ["−1.3", "0.0", "+2.0"]
    assert signed(-0.5, 2, "-") == "-0.50"
