"""The page on the study of unseen tables says what the kept results say."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

from s2fs_bench import Archive, load_plan

ROOT = Path(__file__).parents[2]


STUDIES = ROOT / "bench" / "studies"


def load(name):
    """A script of the studies, which import each other by their names."""
    sys.path.insert(0, str(STUDIES))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(STUDIES))


@pytest.fixture(scope="module")
def script():
    return load("unseen")


@pytest.fixture(scope="module")
def study(script):
    return script.Study()


def test_the_page_agrees_with_the_results(script, study):
    page = script.PAGE.read_text(encoding="utf-8")
    assert load("pages").filled(page, script.parts(study), script.SCRIPT) == page


def test_the_advice_agrees_with_the_results(script, study):
    page = script.WHICH.read_text(encoding="utf-8")
    part = {"measured": script.measured(study)}
    assert load("pages").filled(page, part, script.SCRIPT) == page


def test_the_front_pages_agree_with_the_results(script, study):
    parts = {"study": script.front(study)}
    for path in script.FRONT:
        page = path.read_text(encoding="utf-8")
        assert load("pages").filled(page, parts, script.SCRIPT) == page


def test_the_file_of_every_table_agrees_with_the_results(script):
    assert script.every_table() == script.EVERY_TABLE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["claims", "scales"])
def test_other_pages_agree_with_the_results(name):
    script = load(name)
    page = script.PAGE.read_text(encoding="utf-8")
    assert load("pages").filled(page, script.parts(), script.SCRIPT) == page


def test_scores_are_means_of_the_kept_curves(script, study):
    chosen = [
        result
        for path in script.RESULTS
        for result in Archive(path).results
        if (result.run.dataset, result.selector.name) == ("colon", "SFSS")
        and result.run.seed in study.seeds["colon"]
    ]
    expected = [curve.values[[1, 2, 3]] for result in chosen for curve in result.curves.values()]
    assert {result.run.sizes for result in chosen} == {(5, 10, 20, 50, 100)}
    assert {result.run.score for result in chosen} == {"balanced_accuracy"}
    j = study.selectors.index("SFSS")
    assert study.matrix(["colon"])[0, j] == pytest.approx(100 * np.mean(expected))


def test_the_results_are_those_of_the_plan(study):
    plan = load_plan("unseen")
    assert study.selectors == tuple(spec.name for spec in plan.selectors)
    assert (study.learners, study.sizes, study.n_folds) == (plan.learners, plan.sizes, plan.folds)
    assert all(seeds <= set(plan.seeds) for seeds in study.seeds.values())
    assert set(study.tables) <= set(plan.dataset_names)


def test_intervals_are_those_of_a_paired_t_test(script):
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, 16))
    mean, half = script.difference(one, other)
    interval = ttest_rel(one, other).confidence_interval(0.95)
    np.testing.assert_allclose([mean - half, mean + half], [interval.low, interval.high])
