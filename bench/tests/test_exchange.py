"""Folds out and rankings in, with a real R where there is one."""

import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from s2fs.baselines import AnovaF
from s2fs.cli import main
from s2fs.evaluation import stratified_folds
from s2fs_bench import Ledger, build_tables, iter_results, load_plan, run_plan
from s2fs_bench.exchange import name_ranking, read_ranking

PLAN = """
title = "exchange"
datasets = [{path = "mine.csv", target = "kind"}]
learners = ["knn"]
sizes = [1, 3, 5]
folds = 3
seeds = [0, 1]
[[selectors]]
name = "F in R"
method = {rankings = "exchange/rankings"}
[[selectors]]
name = "ANOVA F"
method = "AnovaF"
"""


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [14, 13, 9])
    X = rng.normal(size=(36, 8)) / 3
    X[:, 2] += np.searchsorted(["a", "b", "c"], y)
    X[:, 5] += y == "b"
    rows = [",".join([*map(repr, row.tolist()), kind]) for row, kind in zip(X, y, strict=True)]
    header = ",".join([*(f"x{j}" for j in range(8)), "kind"])
    (tmp_path / "mine.csv").write_text("\n".join([header, *rows]) + "\n")
    (tmp_path / "plan.toml").write_text(PLAN)
    result = CliRunner().invoke(
        main, ["bench", "folds", str(tmp_path / "plan.toml"), "--out", str(tmp_path / "exchange")]
    )
    assert result.exit_code == 0, result.output
    return tmp_path


def rank_here(folder, rule=lambda ranked: ranked):
    """Write the files that a method elsewhere would write, from what was exported alone."""
    exchange = folder / "exchange"
    (exchange / "rankings").mkdir(exist_ok=True)
    values = np.loadtxt(exchange / "mine.csv", delimiter=",", skiprows=1)
    held_out = np.loadtxt(exchange / "mine_folds.csv", delimiter=",", skiprows=1, dtype=int)
    for seed in (0, 1):
        for fold in range(3):
            train = held_out[:, seed] != fold + 1
            ranked = AnovaF("all").fit(values[train, 1:], values[train, 0]).indices_ + 1
            text = "\n".join(map(str, rule(ranked)))
            (exchange / "rankings" / name_ranking("mine", seed, fold)).write_text(text)


def curves_by_selector(folder, name="r.sqlite", **changes):
    plan = replace(load_plan(folder / "plan.toml"), **changes)
    assert run_plan(plan, folder / name).failed == 0
    with Ledger(folder / name) as ledger:
        found = list(iter_results(ledger))
    return {(r.selector.name, r.run.seed): r.curves["knn"].values for r in found}


def test_what_is_exported_is_the_table_and_its_folds(folder):
    data = np.loadtxt(folder / "exchange" / "mine.csv", delimiter=",", skiprows=1)
    theirs = np.loadtxt(folder / "mine.csv", delimiter=",", skiprows=1, usecols=range(8))
    np.testing.assert_array_equal(data[:, 1:], theirs)
    held_out = np.loadtxt(folder / "exchange" / "mine_folds.csv", delimiter=",", skiprows=1)
    for seed in (0, 1):
        for fold, (_, test) in enumerate(stratified_folds(data[:, 0], 3, random_state=seed)):
            assert np.flatnonzero(held_out[:, seed] == fold + 1).tolist() == test.tolist()


def test_rankings_from_files_are_scored_as_those_of_a_class(folder):
    rank_here(folder)
    curves = curves_by_selector(folder)
    for seed in (0, 1):
        np.testing.assert_array_equal(curves["F in R", seed], curves["ANOVA F", seed])


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_the_script_in_r_ranks_as_the_class_does(folder):
    subprocess.run(["Rscript", "rank.R"], cwd=folder / "exchange", check=True, capture_output=True)
    curves = curves_by_selector(folder)
    for seed in (0, 1):
        np.testing.assert_array_equal(curves["F in R", seed], curves["ANOVA F", seed])
    with Ledger(folder / "r.sqlite") as ledger:
        columns = build_tables(iter_results(ledger))[0].columns
    assert (columns[0].algorithm, columns[0].status) == ("F in R", "own")


def test_a_reduct_may_name_a_few(folder):
    rank_here(folder, lambda ranked: ranked[:2])
    curves = curves_by_selector(folder)
    assert curves["F in R", 0][1] == curves["F in R", 0][2]


def test_changed_files_are_another_run_and_refused_under_the_old_name(folder):
    rank_here(folder)
    curves_by_selector(folder)
    rank_here(folder, lambda ranked: ranked[::-1])
    with pytest.raises(ValueError, match="has other rankings of 'F in R' on 'mine'"):
        curves_by_selector(folder)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1\n2\nx\n", "has 'x'; give positions of features from 1"),
        ("", "names no feature"),
        ("0\n1\n", "has 0, but the features are 1 to 8"),
        ("9\n", "has 9, but the features are 1 to 8"),
        ("3\n3\n", "has 3 twice"),
        ("1" * 30, "has '1111"),
        (None, "is not there; write the ranking of this fold"),
    ],
)
def test_what_is_no_ranking(tmp_path, text, words):
    if text is not None:
        (tmp_path / name_ranking("t", 0, 0)).write_text(text)
    with pytest.raises(ValueError, match=words):
        read_ranking(tmp_path, "t", 0, 0, 8)


def test_commas_and_marks_of_windows_are_read(tmp_path):
    (tmp_path / name_ranking("t", 0, 1)).write_bytes("\ufeff3, 1\r\n2".encode())
    assert read_ranking(tmp_path, "t", 0, 1, 8).tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ('{rankings = "a", more = 1}', "'more' is not known"),
        ("{rankings = 3}", "rankings is 3; give a text"),
        ('{rankings = "a"}\nparameters = {x = 1}', "parameters says nothing about rankings"),
        ('{rankings = "nowhere"}', "nowhere' is not a folder|nowhere', which is not a folder"),
    ],
)
def test_plans_that_are_refused(folder, method, words):
    text = PLAN.replace('{rankings = "exchange/rankings"}', method)
    (folder / "plan.toml").write_text(text)
    with pytest.raises(ValueError, match=words):
        run_plan(load_plan(folder / "plan.toml"), folder / "r.sqlite")
