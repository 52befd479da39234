"""Options are refused before anything is loaded: what is declared is what the selectors have."""

import inspect
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from click.testing import CliRunner

from inner import Select
from inner import cli_methods as methods
from s2fs import compare
from s2fs.cli import main
from s2fs.evaluation import LEARNERS, SELECTORS, folds, metrics

OF_SEARCHES = {"scale", "class_weight", "min_per_class", "include", "exclude"}


@pytest.mark.parametrize("method", SELECTORS)
def test_declared_options_are_the_parameters_of_the_selectors(method):
    parameters = set(SELECTORS[method]().get_params())
    is_search, is_s2fs = method in methods.SEARCHES, method in methods.S2FS
    assert (parameters >= OF_SEARCHES) == is_search
    assert ({"alpha", "beta"} <= parameters) == is_s2fs
    assert ("tol" in parameters) == is_search  # it decides how many


def test_every_option_of_a_selector_says_who_has_it():
    select = main.get_command(None, "select")
    for argument in OF_SEARCHES:
        assert select.find_option(argument).methods == methods.SEARCHES
    for argument in ("alpha", "beta"):
        assert select.find_option(argument).methods == methods.S2FS
        assert select.find_option(argument).heading == "Selection, s2fs only"
    assert select.find_option("max_correlation").methods is None


def test_what_was_asked_for_cannot_be_changed_on_the_way():
    asked = Select(**dict.fromkeys(Select.__dataclass_fields__))
    with pytest.raises(FrozenInstanceError):
        asked.method = "s2fs"


def test_what_is_said_without_loading_the_library_is_what_it_says():
    compare_options = {option.name: option for option in main.get_command(None, "compare").params}
    defaults = inspect.signature(compare).parameters
    for name, argument in (
        ("learner", "learner"),
        ("scoring", "scoring"),
        ("seed", "random_state"),
    ):
        assert compare_options[name].default == defaults[argument].default
    assert tuple(compare_options["scoring"].type.choices) == metrics.SCORINGS
    assert (compare_options["folds"].default, compare_options["repeats"].default) == (
        folds.DEFAULT_FOLDS,
        folds.DEFAULT_REPEATS,
    )
    assert all(learner in compare_options["learner"].help for learner in LEARNERS)


REFUSED = {
    "help": (["--help"], "Usage: "),
    "option": (["t.csv", "--methd", "s2fs"], "No such option '--methd'"),
    "file": (["no.csv", "-t", "kind"], "There is no file 'no.csv'; check the path."),
    "sheet": (["t.csv", "--samples", "no.csv"], "There is no file 'no.csv'; check the path."),
    "method": (["t.csv", "--alpha", "1"], "--alpha is not for --method paircover"),
    "tune": (["t.csv", "--tune", "-k", "3"], "--tune chooses the number of features"),
    "output": (["t.csv", "-o", "r.docx"], "--output is 'r.docx'; give a name that ends in"),
    "report": (["t.csv", "--report", "r.txt"], "--report is 'r.txt'; give a name that ends in"),
    "marks": (["t.csv", "--delimiter", ",", "--decimal", ","], "--delimiter and --decimal are bo"),
    "same": (["t.csv", "-o", "t.csv"], "--output is 't.csv', the data itself"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_needs_no_data_is_refused_before_scikit_learn_is_loaded(tmp_path, case):
    options, sentence = REFUSED[case]
    (tmp_path / "t.csv").write_text("a,kind\n1,u\n2,v\n")
    code = (
        "import sys\nfrom s2fs.cli import main\n"
        f"try:\n    main({['select', *options]!r})\n"
        "finally:\n    print({'sklearn', 'scipy', 'pandas', 'pyarrow'} & set(sys.modules))\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == (0 if case == "help" else 2)
    assert sentence in done.stdout + done.stderr
    assert done.stdout.endswith("set()\n")


def test_options_that_are_gone_are_not_known(tmp_path):
    gone = {"--scheduler", "--centroid-membership", "--image-order", "--raw-text", "--comment"}
    gone |= {"--database", "--verdict", "--stability"}
    shown = CliRunner().invoke(main, ["select", "--help"]).output
    assert gone.isdisjoint(re.findall(r"--[a-z0-9-]+", shown))
    pages = Path(__file__).parents[2] / "docs"
    for page in pages.glob("*.md"):
        found = set(re.findall(r"(?<!\w)--[a-z0-9-]+", page.read_text(encoding="utf-8")))
        assert found & gone <= ({"--scheduler"} if page.name == "large.md" else set()), page
