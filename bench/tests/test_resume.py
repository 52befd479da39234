"""Stored results are those of today's runs: a plan that is resumed runs nothing that is there.

What was stored had parameters that selectors have no more, and lacks some that came later.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from s2fs.io import Dataset
from s2fs_bench import Archive, Ledger, Plan, run_plan, runner
from s2fs_bench.methods import METHODS

RESULTS = Path(__file__).parents[1] / "results"
each_file = pytest.mark.parametrize("name", ["paper", "unseen", "unseen_selectors"])


def stored(name):
    """The runs of a file, but for selectors that are gone."""
    runs = {result.run.cross_validation: result.run for result in Archive(RESULTS / name).results}
    return [run for run in runs.values() if run.selector.method in METHODS]


def is_of_today(run):
    """Whether the selector has the algorithm that was run."""
    return str(METHODS[run.selector.method].algorithm_version) == run.algorithm


def planned(run):
    """The plan that asks for a run and the other folds of its cross-validation."""
    return Plan(
        title="resumed",
        datasets=(run.dataset,),
        learners=run.learners,
        sizes=run.sizes,
        selectors=(run.selector,),
        protocol=run.protocol,
        folds=run.n_folds,
        seeds=(run.seed,),
        score=run.score,
        short_lists=run.short_lists,
    )


@pytest.fixture
def without_data(monkeypatch):
    """Call with a run: its dataset is then a table of as many features, under the hash it had."""

    def stand_in(run):
        y = np.repeat([0, 1], run.n_folds)
        X = np.broadcast_to(0.0, (len(y), run.n_features))
        data = Dataset(X, y, [str(f) for f in range(run.n_features)], ["a", "b"])
        monkeypatch.setattr(runner, "content_hash", lambda *_: run.data_hash)
        monkeypatch.setattr(runner, "_load_datasets", lambda _: ({run.dataset: data}, {}))
        return data

    return stand_in


@each_file
def test_todays_runs_have_the_keys_of_stored_ones(name, without_data):
    runs = stored(f"{name}.npz")
    # Selectors have lost parameters since.
    assert sum({"costs", "beam_width"} <= run.parameters.keys() for run in runs) > 30
    for run in runs:
        data = without_data(run)
        there = {replace(run, fold=fold).key for fold in range(run.n_folds)}
        today = runner.plan_runs(planned(run), run.dataset, data)
        # A newer algorithm makes another run, and nothing else does.
        assert {replace(again, algorithm=run.algorithm).key for again in today} == there


@each_file
def test_nothing_is_run_again(name, without_data, tmp_path):
    runs = [run for run in stored(f"{name}.npz") if is_of_today(run)]
    for run in (runs[0], runs[-1]):
        with Ledger(tmp_path / "results.sqlite", create=True) as ledger:
            for fold in range(run.n_folds):
                one = replace(run, fold=fold)
                ledger.add([one])
                assert ledger.claim(one.key)
                ledger.finish(one.key, b"kept", 1.0)
        without_data(run)
        summary = run_plan(planned(run), tmp_path / "results.sqlite")
        assert (summary.done, summary.failed, summary.before) == (0, 0, run.n_folds)


def test_what_a_plan_gives_is_another_run():
    run = stored("unseen_selectors.npz")[0]
    spec = run.selector
    for other in (
        replace(
            run, selector=replace(spec, parameters={**spec.parameters, "max_correlation": 0.5})
        ),
        replace(run, algorithm=run.algorithm + "1"),
        replace(run, data_hash="another"),
        replace(run, seed=9),
    ):
        assert other.key != run.key
    assert replace(run, parameters={}, version="9").key == run.key
