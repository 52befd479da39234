"""The runner: results, errors, resuming, two processes at once, and kill -9."""

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from joblib.externals.loky import get_reusable_executor

from processes import s2fs, started
from s2fs import S2FS
from s2fs.baselines import AnovaF
from s2fs.datasets import load_srbct
from s2fs.evaluation import prefix_curves, stability, stratified_folds
from s2fs_bench import (
    Ledger,
    SelectorSpec,
    export_curves,
    export_rows,
    iter_results,
    load_plan,
    plan_for_file,
    run_plan,
)

QUICK = load_plan("quick")
SMALL = replace(
    QUICK,
    selectors=(SelectorSpec("S2FS", "S2FS", {}), SelectorSpec("ANOVA", "AnovaF", {})),
    learners=("knn",),
    sizes=(1, 3),
    folds=3,
)
HERE = str(Path(__file__).parent)


def exported(path):
    with Ledger(path) as ledger:
        return export_rows(ledger), export_curves(ledger)


def same(one, other):
    """Equal rows, where a score that a learner does not have is NaN in both."""
    return repr(one) == repr(other)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.sqlite"


def test_results_are_the_prefix_curves(path):
    summary = run_plan(SMALL, path)
    assert (summary.done, summary.failed, summary.before, summary.elsewhere) == (6, 0, 0, 0)
    rows, curves = exported(path)
    data = load_srbct()
    truth = prefix_curves(data.X, data.y, S2FS(3), learners=["knn"], sizes=[1, 3], cv=3)["knn"]
    (row,) = (row for row in rows if row["selector"] == "S2FS")
    assert (row["max"], row["ave"]) == (truth.max, truth.ave)
    assert row["best_size"] == truth.sizes[truth.values.argmax()]
    found = [row["score"] for row in curves if row["selector"] == "S2FS"]
    assert np.array_equal(found, truth.values)


def test_stability_and_redundancy_of_every_size(path, tmp_path):
    rng, y = np.random.default_rng(0), np.arange(40) % 2
    X = (rng.normal(size=(40, 7)) + y[:, None] * rng.uniform(size=7)).round(3)
    table = tmp_path / "t.csv"
    pd.DataFrame(X).add_prefix("x").assign(kind=y).to_csv(table, index=False)
    sizes = (1, 2, 5, 7)
    plan = plan_for_file(table, "kind", ["AnovaF"])
    run_plan(replace(plan, learners=("knn",), sizes=sizes, folds=3, score="accuracy"), path)
    with Ledger(path) as ledger:
        (found,) = iter_results(ledger)
    trains = [train for train, _ in stratified_folds(y, 3, random_state=0)]
    rankings = [AnovaF(7).fit(X[train], y[train]).indices_ for train in trains]
    assert np.isnan(found.stabilities[-1])  # all features are selected
    assert np.isnan(found.redundancies[0])  # a single one
    for k, value in zip(sizes[:-1], found.stabilities, strict=False):
        assert value == pytest.approx(stability([ranking[:k] for ranking in rankings], 7).value)
    for k, value in zip(sizes[1:], found.redundancies[1:], strict=True):
        tables = [
            X[np.ix_(rows, ranked[:k])] for rows, ranked in zip(trains, rankings, strict=True)
        ]
        r = [np.abs(np.corrcoef(A.T))[np.triu_indices(k, 1)].mean() for A in tables]
        assert value == pytest.approx(np.mean(r))


def test_number_of_workers_does_not_matter(path, tmp_path):
    run_plan(SMALL, path)
    assert run_plan(SMALL, tmp_path / "two.sqlite", n_jobs=2).done == 6
    assert same(exported(tmp_path / "two.sqlite"), exported(path))


def test_second_call_has_nothing_to_do(path, monkeypatch):
    run_plan(SMALL, path)
    before = exported(path)
    for selector in (S2FS, AnovaF):
        monkeypatch.setattr(selector, "fit", None)
    summary = run_plan(SMALL, path)
    assert (summary.done, summary.failed, summary.before) == (0, 0, 6)
    assert same(exported(path), before)


def test_larger_plan_goes_on_from_a_smaller_one(path):
    run_plan(replace(SMALL, selectors=SMALL.selectors[:1]), path)
    summary = run_plan(SMALL, path)
    assert (summary.done, summary.before) == (3, 3)


def test_error_of_one_unit_does_not_stop_the_rest(path, monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    broken = SelectorSpec("Broken", "breaking:Breaking", {})
    plan = replace(SMALL, selectors=(broken, *SMALL.selectors))
    summary = run_plan(plan, path)
    assert (summary.done, summary.failed) == (6, 3)
    with Ledger(path) as ledger:
        entries = ledger.entries()
    errors = [entry.error for entry in entries if entry.state == "failed"]
    assert len(errors) == 3
    assert errors[0].startswith("RuntimeError: broken on 55 rows (")
    assert "breaking.py:" in errors[0]
    assert {row["selector"] for row in exported(path)[0]} == {"S2FS", "ANOVA"}
    # The next call tries again, and says so again.
    assert run_plan(plan, path).failed == 3


def test_death_of_a_worker_is_reported_and_costs_no_result(path, monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    run_plan(SMALL, path)
    plan = replace(SMALL, selectors=(*SMALL.selectors, SelectorSpec("D", "breaking:Dying", {})))
    # Workers of an earlier test would not know where the selector is.
    get_reusable_executor().shutdown(wait=True)
    with pytest.raises(
        OSError, match=r"A worker was killed, .* start again, with a smaller n_jobs"
    ):
        run_plan(plan, path, n_jobs=2)
    with Ledger(path) as ledger:
        states = list(ledger.states().values())
    assert (states.count("done"), states.count("waiting")) == (6, 3)


def test_runs_of_another_process_are_left_alone(path, tmp_path):
    run_plan(SMALL, tmp_path / "all.sqlite")
    with Ledger(tmp_path / "all.sqlite") as ledger:
        runs = [entry.run for entry in ledger.entries()]
    with Ledger(path, create=True) as other:
        other.add(runs)
        assert other.claim(runs[0].key)
        summary = run_plan(SMALL, path)
        assert (summary.done, summary.elsewhere) == (5, 1)
        other.release()
    assert run_plan(SMALL, path).done == 1


def test_interrupted_plan_gives_its_claims_back(path, monkeypatch):
    calls = iter([None, None])

    def until_interrupted(selector, X, y, *rest, real=S2FS._fit, **named):
        if len(X) > 30 and next(calls, "stop") == "stop":  # not in the toy that is run to compile
            raise KeyboardInterrupt
        return real(selector, X, y, *rest, **named)

    monkeypatch.setattr(S2FS, "_fit", until_interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_plan(SMALL, path)
    with Ledger(path) as ledger:
        states = list(ledger.states().values())
    assert sorted(set(states)) == ["done", "waiting"]
    assert states.count("done") == 2


def test_missing_datasets_are_named_and_left_out(path, monkeypatch, tmp_path):
    monkeypatch.setenv("S2FS_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    summary = run_plan(replace(SMALL, datasets=("lung", "srbct_bundled")), path)
    assert summary.done == 6
    assert list(summary.missing) == ["lung"]
    assert "s2fs data fetch lung" in summary.missing["lung"]


def test_datasets_can_be_chosen(path):
    plan = replace(SMALL, datasets=("lung", "srbct_bundled"))
    assert run_plan(plan, path, datasets=["srbct_bundled"]).missing == {}
    with pytest.raises(ValueError, match=r"datasets has 'lungs', .* \(did you mean 'lung'\?\)"):
        run_plan(plan, path, datasets=["lungs"])


def test_workers_end_with_the_process_that_started_them(path, tmp_path):
    hold = tmp_path / "hold"
    hold.touch()
    code = f"""
from dataclasses import replace
from s2fs_bench import SelectorSpec, load_plan, run_plan
waiting = SelectorSpec("Waiting", "breaking:Telling", {{}})
plan = replace(load_plan("quick"), selectors=(waiting,), learners=("knn",), sizes=(1,), folds=3)
run_plan(plan, {str(path)!r}, n_jobs=2)
"""
    paths = os.pathsep.join([HERE, os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "HOLD": str(hold), "PYTHONPATH": paths}
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment
    )
    try:
        assert [process.stdout.readline() for _ in range(2)] == [b"ready\n"] * 2
        process.kill()
        # The workers hold the other end of the pipe: this returns when they have gone, not before.
        assert process.communicate(timeout=300) == (b"", None)
    finally:
        process.kill()
        hold.unlink()


def n_done(path):
    if not path.exists():
        return 0
    with Ledger(path, create=True) as ledger:
        return sum(state == "done" for state in ledger.states().values())


def test_killed_again_and_again_and_completed(path, tmp_path, monkeypatch):
    """Kills at the start, and at random moments after one more run was finished."""
    monkeypatch.syspath_prepend(HERE)
    text = (files("s2fs_bench") / "plans" / "quick.toml").read_text("utf-8")
    text = text.replace("seeds = [0]", "seeds = [0, 1]")
    text = text.replace('"cart", "knn", "svm", "kmeans"', '"knn", "kmeans"')  # none to compile
    # The last selector waits until all kills are done, so that no run is complete before.
    text += '\n[[selectors]]\nname = "Waiting"\nmethod = "breaking:Waiting"\n'
    plan, whole, hold = tmp_path / "plan.toml", tmp_path / "whole.sqlite", tmp_path / "hold"
    plan.write_text(text, "utf-8")
    hold.touch()
    assert run_plan(load_plan(plan), whole).done == 40
    paths = os.pathsep.join([HERE, os.environ.get("PYTHONPATH", "")])
    rng, n_kills = random.Random(0), 10 if os.environ.get("S2FS_TESTS") == "long" else 5
    for kill in range(n_kills):
        target = min(n_done(path) + (kill > 0), 30)
        n_jobs = 2 if kill == 3 else 1
        command = ["bench", "run", str(plan), "--results", str(path), "--n-jobs", str(n_jobs)]
        with started(s2fs, *command, HOLD=str(hold), PYTHONPATH=paths) as process:
            while n_done(path) < target and process.is_alive():
                time.sleep(0.05)
            time.sleep(rng.uniform(0, 0.2))
        assert process.exitcode == -signal.SIGKILL
    assert n_kills - 1 <= n_done(path) < 40
    summary = run_plan(load_plan(plan), path)
    assert (summary.failed, summary.elsewhere) == (0, 0)
    assert summary.done + summary.before == 40
    assert same(exported(path), exported(whole))
