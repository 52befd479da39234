"""Plans: those that ship, and what is said about bad ones."""

from pathlib import Path

import pytest

from s2fs import SelectorCV
from s2fs.baselines import BASELINES
from s2fs_bench import PAPER_DATASETS, PAPER_LEARNERS, PLANS, load_plan

PAPER_GRID = SelectorCV().alphas
GOOD = """
title = "t"
datasets = ["yale"]
[[selectors]]
name = "FDM"
"""
S2FS = 'title = "t"\ndatasets = ["yale"]\n[[selectors]]\nname = "S2FS"\n'


@pytest.mark.parametrize("name", PLANS)
def test_shipped_plans_are_valid(name):
    plan = load_plan(name)
    assert plan.protocol == "inside"
    assert name == "unseen" or plan.learners == tuple(PAPER_LEARNERS)


def test_paper_plan_is_the_paper():
    plan = load_plan("paper")
    assert plan.datasets == tuple(PAPER_DATASETS)
    assert (plan.sizes, plan.folds, plan.seeds) == (150, 10, (0,))
    names = {selector.name for selector in plan.selectors}
    assert names == {"S2FS", "FDM", "FGZEFSR", "FSNMER", "IPD", "MDP", "N3Y", "RDSI", "SFSS"}
    for spec in plan.selectors:  # the paper is repeated with its own lists
        stops = spec.name in BASELINES and "completion" in BASELINES[spec.name]().get_params()
        expected = {"completion": "published"} if stops else {}
        if spec.name == "S2FS":  # as the committed results were made
            expected = {"scale": "minmax"}
        assert spec.parameters == expected
    grid, inside = (selector for selector in plan.selectors if selector.name == "S2FS")
    assert grid.alphas == grid.betas == PAPER_GRID
    assert (grid.tune, inside.tune) == ("none", "inside")


def test_sensitivity_shares_its_runs_with_the_paper_plan():
    (grid,) = load_plan("sensitivity").selectors
    assert grid in load_plan("paper").selectors


def test_variants_leave_directions_out():
    variants = {s.name: s for s in load_plan("variants").selectors}
    assert variants["S2-DWC"].alphas == (0.0,)
    assert variants["S2-DBS"].betas == (0.0,)
    assert (variants["S2-DWC-DBS"].alphas, variants["S2-DWC-DBS"].betas) == ((0.0,), (0.0,))
    assert variants["S2FS"].alphas == variants["S2-DWC"].betas == variants["S2-DBS"].alphas
    assert variants["S2FS"].alphas == PAPER_GRID


def test_file_and_defaults(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(GOOD)
    plan = load_plan(path)
    assert plan.datasets == ("yale",)
    assert (plan.sizes, plan.folds, plan.seeds, plan.protocol) == (150, 10, (0,), "inside")
    assert plan.selectors[0].method == "FDM"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = ", "plan p is not valid TOML"),
        ('datasets = ["yale"]', "plan p: title is missing"),
        ("title = 3", "plan p: title is 3; give a text"),
        ('title = "t"\ndatasets = []', "datasets is empty; give at least one"),
        ('title = "t"\ndatasets = ["yale", "yale"]', "datasets has 'yale' twice"),
        ("fold = 3\n" + GOOD, r"'fold' is not known \(did you mean 'folds'\?\); known are title"),
        ("folds = 1\n" + GOOD, "folds is 1; give at least 2"),
        ("folds = true\n" + GOOD, "folds is True; give a whole number"),
        ("seeds = [-1]\n" + GOOD, r"seeds\[0\] is -1; give at least 0"),
        ("sizes = 0\n" + GOOD, "sizes is 0; give at least 1"),
        ("sizes = [3, 1]\n" + GOOD, r"sizes is \[3, 1\]; give increasing numbers"),
        ('protocol = "outside"\n' + GOOD, r"protocol is 'outside' \(did you mean 'inside'\?\)"),
        ('learners = ["knnn"]\n' + GOOD, r"learners\[0\] is 'knnn' \(did you mean 'knn'\?\)"),
        (GOOD + "parameters = {alfa = 1.0}", r"selectors\[0\]: parameters has 'alfa'.*'alpha'"),
        (GOOD + "parameters = {n_features_to_select = 3}", "FDM does not take"),
        (GOOD + 'method = "FDMM"', r"selectors\[0\]: method is 'FDMM'.* \(did you mean 'FDM'\?\)"),
        (GOOD + 'method = "no where:X"', "method is 'no where:X', which is not a selector"),
        (GOOD + "grid = {alpha = [0.1], beta = [0.1]}", "grid is for S2FS, but method is 'FDM'"),
        (GOOD + 'tune = "inside"', "tune is 'inside'; give a grid to choose from"),
        (S2FS + "grid = {alpha = [0.1]}", r"selectors\[0\], grid: beta is missing"),
        (S2FS + "grid = {alpha = [-0.1], beta = [1]}", r"alpha\[0\] is -0.1; give at least 0"),
        (S2FS + "grid = {alpha = [0.1], beta = [1], gamma = [2]}", "grid: 'gamma' is not known"),
        (GOOD.replace("yale", "yael"), r"datasets\[0\] is 'yael' \(did you mean 'yale'\?\)"),
        (GOOD.replace('"yale"', "{target = 3}"), r"datasets\[0\]: path is None; give a text"),
        (
            GOOD.replace('"yale"', '{path = "a/x.csv"}, {path = "b/x.csv"}'),
            "datasets has 'x' twice",
        ),
        (
            GOOD + '[[selectors]]\nname = "FDM"',
            "selectors has 'FDM' twice; give each a name",
        ),
        (
            GOOD + "parameters = {alpha = 2020-02-03}",
            "parameters: alpha is 2020-02-03, a date",
        ),
        (GOOD + "parameters = {alpha = nan}", "parameters: alpha is nan; give a finite number"),
        (GOOD + "parameters = {alpha = [1, -inf]}", r"alpha\[1\] is -inf; give a finite number"),
        (S2FS + "grid = {alpha = [inf], beta = [1]}", r"alpha\[0\] is inf; give a finite number"),
        (
            S2FS + f"grid = {{alpha = {list(range(3000))}, beta = {list(range(3000))}}}",
            "grid has 9000000 weightings; give at most 10000",
        ),
        (f"seeds = [{2**40}]\n" + GOOD, "seeds.0. is 1099511627776; give at most 4294967295"),
        ('score = "acuracy"\n' + GOOD, r"score is 'acuracy' \(did you mean 'accuracy'\?\)"),
        (S2FS + 'tune = "outside"', r"tune is 'outside' \(did you mean 'inside'\?\)"),
    ],
)
def test_error_messages_name_the_key(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    Path("p").write_text(text)
    with pytest.raises(ValueError, match=message):
        load_plan("p")


def test_no_such_plan():
    with pytest.raises(
        FileNotFoundError, match=r"'papre', which is not a file \(did you mean 'paper"
    ):
        load_plan("papre")
