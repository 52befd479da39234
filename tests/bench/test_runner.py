"""The runner: results, errors, resuming, two runs at once, and kill -9."""

import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor

from s2fs import S2FS
from s2fs.bench import Ledger, SelectorSpec, export_curves, export_rows, load_plan, run
from s2fs.bench import _runner as runner
from s2fs.bench._plan import BUNDLED
from s2fs.datasets import load_srbct
from s2fs.evaluation import prefix_curves

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
    return tmp_path / "ledger.sqlite"


def test_results_are_the_prefix_curves(path):
    summary = run(SMALL, path)
    assert (summary.done, summary.failed, summary.before, summary.elsewhere) == (6, 0, 0, 0)
    rows, curves = exported(path)
    data = load_srbct()
    truth = prefix_curves(data.X, data.y, S2FS(3), learners=["knn"], sizes=[1, 3], cv=3)["knn"]
    (row,) = (row for row in rows if row["selector"] == "S2FS")
    assert (row["max"], row["ave"]) == (truth.max, truth.ave)
    assert row["best_size"] == truth.sizes[truth.values.argmax()]
    found = [row["score"] for row in curves if row["selector"] == "S2FS"]
    assert np.array_equal(found, truth.values)


def test_number_of_workers_does_not_matter(path, tmp_path):
    run(SMALL, path)
    assert run(SMALL, tmp_path / "two.sqlite", n_jobs=2).done == 6
    assert same(exported(tmp_path / "two.sqlite"), exported(path))


def test_second_run_has_nothing_to_do(path, monkeypatch):
    run(SMALL, path)
    before = exported(path)
    monkeypatch.setattr(runner, "run_unit", None)
    summary = run(SMALL, path)
    assert (summary.done, summary.failed, summary.before) == (0, 0, 6)
    assert same(exported(path), before)


def test_larger_plan_goes_on_from_a_smaller_one(path):
    run(replace(SMALL, selectors=SMALL.selectors[:1]), path)
    summary = run(SMALL, path)
    assert (summary.done, summary.before) == (3, 3)


def test_error_of_one_unit_does_not_stop_the_rest(path, monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    broken = SelectorSpec("Broken", "breaking:Breaking", {})
    plan = replace(SMALL, selectors=(broken, *SMALL.selectors))
    summary = run(plan, path)
    assert (summary.done, summary.failed) == (6, 3)
    with Ledger(path) as ledger:
        entries = ledger.entries()
    errors = [entry.error for entry in entries if entry.state == "failed"]
    assert len(errors) == 3
    assert errors[0].startswith("RuntimeError: broken on 55 rows (")
    assert "breaking.py:" in errors[0]
    assert {row["selector"] for row in exported(path)[0]} == {"S2FS", "ANOVA"}
    # The next run tries again, and says so again.
    assert run(plan, path).failed == 3


def test_death_of_a_worker_is_told_and_costs_no_result(path, monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    run(SMALL, path)
    plan = replace(SMALL, selectors=(*SMALL.selectors, SelectorSpec("D", "breaking:Dying", {})))
    # Workers of an earlier test would not know where the selector is.
    get_reusable_executor().shutdown(wait=True)
    with pytest.raises(
        OSError, match=r"A worker was killed, .* start again, with a smaller n_jobs"
    ):
        run(plan, path, n_jobs=2)
    with Ledger(path) as ledger:
        states = list(ledger.states().values())
    assert (states.count("done"), states.count("waiting")) == (6, 3)


def test_units_in_other_hands_are_left_alone(path):
    data = load_srbct()
    units = list(runner.plan_units(SMALL, BUNDLED, data))
    with Ledger(path, create=True) as other:
        other.add(units)
        assert other.claim(units[0].key)
        summary = run(SMALL, path)
        assert (summary.done, summary.elsewhere) == (5, 1)
        other.release()
    assert run(SMALL, path).done == 1


def test_interrupted_run_gives_its_claims_back(path, monkeypatch):
    calls = iter([None, None])

    def until_interrupted(*arguments, real=runner.run_unit):
        if next(calls, "stop") == "stop":
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(runner, "run_unit", until_interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(SMALL, path)
    with Ledger(path) as ledger:
        states = list(ledger.states().values())
    assert sorted(set(states)) == ["done", "waiting"]
    assert states.count("done") == 2


def test_missing_datasets_are_told_and_left_out(path, monkeypatch, tmp_path):
    monkeypatch.setenv("S2FS_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    summary = run(replace(SMALL, datasets=("lung", BUNDLED)), path)
    assert summary.done == 6
    assert list(summary.missing) == ["lung"]
    assert "s2fs data fetch lung" in summary.missing["lung"]


def test_datasets_can_be_chosen(path):
    plan = replace(SMALL, datasets=("lung", BUNDLED))
    assert run(plan, path, datasets=[BUNDLED]).missing == {}
    with pytest.raises(ValueError, match=r"datasets has 'lungs', .* \(did you mean 'lung'\?\)"):
        run(plan, path, datasets=["lungs"])


def test_worker_ends_with_the_run_that_started_it():
    worker = """
import os, time
from s2fs.bench._runner import _ending_with
with _ending_with(os.getppid()):
    print("ready", flush=True)
    time.sleep(600)
"""
    starter = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {worker!r}])"
    process = subprocess.Popen([sys.executable, "-c", starter], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    process.kill()
    # The worker holds the other end of the pipe: this returns when it has gone, not before.
    assert process.communicate(timeout=60) == (b"", None)


def start(plan, path, n_jobs):
    command = [sys.executable, "-c", "from s2fs.cli import main; main()", "bench", "run"]
    return subprocess.Popen(
        [*command, str(plan), "--ledger", str(path), "--n-jobs", str(n_jobs)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def n_done(path):
    if not path.exists():
        return 0
    with Ledger(path, create=True) as ledger:
        return sum(state == "done" for state in ledger.states().values())


def test_killed_ten_times_and_completed(path, tmp_path):
    """Kills at the start, and at random moments after one more unit was finished."""
    text = (files("s2fs.bench") / "plans" / "quick.toml").read_text("utf-8")
    # The quick plan is too quick to be killed ten times: four cross-validations instead of one.
    plan = tmp_path / "plan.toml"
    plan.write_text(text.replace("seeds = [0]", "seeds = [0, 1, 2, 3]"), "utf-8")
    whole = tmp_path / "whole.sqlite"
    assert run(load_plan(plan), whole).done == 60
    rng = random.Random(0)
    for kill in range(10):
        target = n_done(path) + (kill > 1)
        process = start(plan, path, n_jobs=2 if kill == 5 else 1)
        while n_done(path) < target and process.poll() is None:
            time.sleep(0.05)
        time.sleep(rng.uniform(0, 0.2))
        process.kill()
        assert process.wait() == -signal.SIGKILL
    assert 8 <= n_done(path) < 60
    summary = run(load_plan(plan), path)
    assert (summary.failed, summary.elsewhere) == (0, 0)
    assert summary.done + summary.before == 60
    assert same(exported(path), exported(whole))
