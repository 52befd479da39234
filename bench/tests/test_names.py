"""What one name stands for in a results file: one table of data, one selector, one algorithm."""

import sys
from dataclasses import replace
from importlib import invalidate_caches

import numpy as np
import pytest

from s2fs.baselines import AnovaF
from s2fs_bench import (
    Ledger,
    SelectorSpec,
    bench_report,
    build_tables,
    export_rows,
    iter_results,
    load_plan,
    open_results,
    run_plan,
    write_archive,
    write_tables,
)

PLAN = """
title = "mine"
datasets = [{path = "mine.csv", target = "kind"}]
learners = ["knn", "bayes"]
sizes = [1, 2]
folds = 2
[[selectors]]
name = "ANOVA"
method = "AnovaF"
"""
MINE = """
import numpy as np
from s2fs.baselines import Baseline
from s2fs.baselines.base import Ranked

class Mine(Baseline):
    status = "confirmed"
    citation = "mine"

    def __init__(self, n_features_to_select=10, *, sign=1):
        self.n_features_to_select = n_features_to_select
        self.sign = sign

    def _rank_varying(self, X, codes, k):
        score = self.sign * np.abs(np.corrcoef(X.T, codes)[-1, :-1])
        best = np.argsort(-score, kind="stable")[:k]
        return Ranked(best, score[best], k)
"""


def write_data(folder, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(30) % 3
    X = rng.normal(size=(30, 6)) + y[:, None] * rng.random(6)
    rows = [",".join(["a", "b", "c", "d", "e", "f", "kind"])]
    rows += [",".join([*(f"{v:.6f}" for v in x), f"k{q}"]) for x, q in zip(X, y, strict=True)]
    (folder / "mine.csv").write_text("\n".join(rows) + "\n")


@pytest.fixture
def plan(tmp_path):
    write_data(tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN)
    return load_plan(tmp_path / "plan.toml")


def rows(path):
    with Ledger(path) as ledger:
        return export_rows(ledger)


def test_a_file_of_ones_own(plan, tmp_path):
    assert plan.dataset_names == ("mine",)
    assert run_plan(plan, tmp_path / "r.sqlite").done == 2
    knn, bayes = sorted(rows(tmp_path / "r.sqlite"), key=lambda row: row["learner"] != "knn")
    assert (knn["dataset"], knn["selector"], bayes["learner"]) == ("mine", "ANOVA", "bayes")
    assert len(knn["data_hash"]) == 64
    assert knn["parameters"] == (
        '{"feature_groups": null, "max_correlation": null, "n_features_to_select": 2}'
    )
    assert (knn["algorithm"], knn["status"]) == ("1", "wrapper")


def test_missing_file_of_ones_own_is_an_error(plan, tmp_path):
    (tmp_path / "mine.csv").unlink()
    with pytest.raises(FileNotFoundError, match=r"mine\.csv"):
        run_plan(plan, tmp_path / "r.sqlite")
    assert not (tmp_path / "r.sqlite").exists()


def test_unknown_key_of_a_file_is_an_error(plan, tmp_path):
    text = PLAN.replace("target =", "numeric_olny = true, target =")
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(ValueError, match=r"Dataset 'mine': .* 'numeric_olny'.*'numeric_only'"):
        run_plan(load_plan(tmp_path / "plan.toml"), tmp_path / "r.sqlite")
    assert not (tmp_path / "r.sqlite").exists()


def test_score_of_a_plan_is_what_tables_show(plan, tmp_path):
    run_plan(plan, tmp_path / "r.sqlite")
    before = rows(tmp_path / "r.sqlite")
    assert run_plan(replace(plan, score="balanced_accuracy"), tmp_path / "r.sqlite").before == 2
    after = rows(tmp_path / "r.sqlite")
    assert {row["score"] for row in before} == {"accuracy"}
    assert {row["score"] for row in after} == {"balanced_accuracy"}
    assert [row["max"] for row in after] == [row["balanced_accuracy_max"] for row in before]
    with Ledger(tmp_path / "r.sqlite") as ledger:
        (table, *_) = build_tables(iter_results(ledger))
    assert table.score == "balanced_accuracy"


def test_data_changed_under_a_name_is_refused(plan, tmp_path):
    run_plan(plan, tmp_path / "r.sqlite")
    before = rows(tmp_path / "r.sqlite")
    write_data(tmp_path, seed=1)
    with pytest.raises(ValueError, match=r"results of different data under the name 'mine'.*own\."):
        run_plan(plan, tmp_path / "r.sqlite")
    assert rows(tmp_path / "r.sqlite") == before  # what is there can still be shown


def test_parameters_changed_under_a_name_are_refused(plan, tmp_path):
    one, other = (
        replace(plan, selectors=(SelectorSpec("Relief", "ReliefF", {"n_neighbors": k}),))
        for k in (2, 3)
    )
    run_plan(one, tmp_path / "r.sqlite")
    before = rows(tmp_path / "r.sqlite")
    with pytest.raises(ValueError, match=r"results of 'Relief' with different parameters or code"):
        run_plan(other, tmp_path / "r.sqlite")
    assert rows(tmp_path / "r.sqlite") == before


def test_new_algorithm_repeats_its_own_runs_and_replaces_their_results(plan, tmp_path, monkeypatch):
    two = replace(plan, selectors=(*plan.selectors, SelectorSpec("MRMR", "MRMR", {})))
    run_plan(two, tmp_path / "r.sqlite")
    monkeypatch.setattr(AnovaF, "algorithm_version", 2)
    summary = run_plan(two, tmp_path / "r.sqlite")
    assert (summary.done, summary.before) == (2, 2)
    shown = {(row["selector"], row["algorithm"]) for row in rows(tmp_path / "r.sqlite")}
    assert shown == {("ANOVA", "2"), ("MRMR", "1")}


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A plan that names a class in a module beside it, which is forgotten again."""
    write_data(tmp_path)
    (tmp_path / "mymodule.py").write_text(MINE)
    (tmp_path / "plan.toml").write_text(PLAN.replace("AnovaF", "mymodule:Mine"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("mymodule", None)


def test_class_beside_the_plan_is_found(own):
    assert run_plan(load_plan(own / "plan.toml"), own / "r.sqlite").done == 2
    row = rows(own / "r.sqlite")[0]
    assert row["parameters"] == '{"n_features_to_select": 2, "sign": 1}'
    assert row["method"] == "mymodule:Mine"


def test_default_changed_in_its_code_is_noticed(own):
    plan = load_plan(own / "plan.toml")
    run_plan(plan, own / "r.sqlite")
    (own / "mymodule.py").write_text(MINE.replace("sign=1", "sign=-1"))
    sys.modules.pop("mymodule")
    invalidate_caches()
    with pytest.raises(ValueError, match=r"results of 'ANOVA' with different parameters or code"):
        run_plan(plan, own / "r.sqlite")
    renamed = replace(plan, selectors=(replace(plan.selectors[0], name="second try"),))
    assert run_plan(renamed, own / "r.sqlite").done == 2
    assert {row["selector"] for row in rows(own / "r.sqlite")} == {"ANOVA", "second try"}


def test_tables_are_made_without_the_class(own):
    run_plan(load_plan(own / "plan.toml"), own / "r.sqlite")
    with Ledger(own / "r.sqlite") as ledger:
        write_archive(ledger, own / "r.npz")
    (own / "mymodule.py").unlink()
    sys.modules.pop("mymodule")
    for file in ("r.sqlite", "r.npz"):
        with open_results(own / file) as results_file:
            assert {row["method"] for row in export_rows(results_file)} == {"mymodule:Mine"}
            write_tables(results_file, own / "t")
            bench_report(results_file, own / "b.html")
    assert "mymodule" not in sys.modules
    assert "ANOVA" in (own / "t" / "tables.md").read_text()


def test_a_plan_calls_nothing_while_it_is_checked(own):
    (own / "mymodule.py").write_text("raise ImportError('it ran')")
    plan = load_plan(own / "plan.toml")
    with pytest.raises(ValueError, match=r"Selector 'ANOVA': method is 'mymodule:Mine'.*it ran"):
        run_plan(plan, own / "r.sqlite")
    assert not (own / "r.sqlite").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('method = "mymodule:Mine"\nparameters = {sing = 1}', "'sing', which .* mean 'sign'"),
        ('method = "mymodule:np"', "method is 'mymodule:np', which cannot be used"),
    ],
)
def test_bad_class_leaves_no_results_file(own, change, message):
    text = (own / "plan.toml").read_text().replace('method = "mymodule:Mine"', change)
    (own / "plan.toml").write_text(text)
    with pytest.raises(ValueError, match=message):
        run_plan(load_plan(own / "plan.toml"), own / "r.sqlite")
    assert not (own / "r.sqlite").exists()


def test_sizes_beyond_the_features_are_left_out(plan, tmp_path):
    run_plan(replace(plan, sizes=(2, 5, 100)), tmp_path / "r.sqlite")
    with Ledger(tmp_path / "r.sqlite") as ledger:
        (result,) = iter_results(ledger)
    assert result.run.sizes == (2, 5)
