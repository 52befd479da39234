"""``s2fs bench``."""

import csv
import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from s2fs.cli import main
from s2fs_bench import (
    LEARNER_TITLES,
    PLANS,
    Ledger,
    SelectorSpec,
    export_curves,
    export_rows,
    load_plan,
)

PLAN = """
title = "small"
datasets = ["srbct_bundled", "lung"]
learners = ["knn", "kmeans"]
sizes = [1, 3]
folds = 3
[[selectors]]
name = "ANOVA"
method = "AnovaF"
[[selectors]]
name = "S2FS"
grid = {alpha = [0.0316], beta = [0.0316, 0.1]}
[[selectors]]
name = "S2FS"
grid = {alpha = [0.0316], beta = [0.0316, 0.1]}
tune = "inside"
[[selectors]]
name = "Broken"
method = "FDM"
parameters = {alpha = -1.0}
"""


def bench(*arguments):
    return CliRunner().invoke(main, ["bench", *map(str, arguments)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bench")


@pytest.fixture(scope="module")
def ran(folder):
    """A plan with one dataset that is not here and one selector that fails."""
    (folder / "plan.toml").write_text(PLAN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S2FS_DATA", str(folder))
        patch.setenv("XDG_CACHE_HOME", str(folder))
        return bench("run", folder / "plan.toml", "--results", folder / "l.sqlite")


def test_run(ran):
    assert ran.stdout == "9 done, 3 failed, 0 done before.\n"
    assert ran.exit_code == 1
    left_out, hint = ran.stderr.splitlines()
    assert left_out.startswith("Left out: lung is neither in the folder S2FS_DATA")
    assert hint.startswith("See what failed: s2fs bench status ")


def test_run_again(ran, folder):
    result = bench(
        "run", folder / "plan.toml", "--results", folder / "l.sqlite", "--datasets", "srbct_bundled"
    )
    assert result.stdout == "0 done, 3 failed, 9 done before.\n"


def test_status(ran, folder):
    result = bench("status", folder / "l.sqlite")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    counts = {tuple(line.split()[1:-5]): line.split()[-5:-1] for line in lines[1:5]}
    assert counts == {
        ("ANOVA",): ["3", "0", "0", "0"],
        ("S2FS", "grid"): ["3", "0", "0", "0"],
        ("S2FS", "inside"): ["3", "0", "0", "0"],
        ("Broken",): ["0", "3", "0", "0"],
    }
    assert lines[6] == "9 done, 3 failed, 0 claimed, 0 waiting"
    assert lines[7].startswith("srbct_bundled, Broken, fold 0: InvalidParameterError: The 'alpha'")
    assert len(lines) == 10


def test_status_of_an_empty_results_file(folder):
    Ledger(folder / "empty.sqlite", create=True).__exit__()
    assert bench("status", folder / "empty.sqlite").output == "No runs.\n"


def test_tables(ran, folder):
    result = bench("tables", folder / "l.sqlite", "--out", folder / "tables")
    assert result.exit_code == 0
    names = ["tables.md", "tables.tex", "tables.csv", "comparisons.csv", "times.csv"]
    assert result.output.split() == [str(folder / "tables" / name) for name in names]
    text = (folder / "tables" / "tables.md").read_text()
    headings = "ANOVA | S²FS weighting chosen inside | S²FS α = β = 0.0316 | S²FS best weighting"
    assert f"| Dataset | {headings} |" in text  # in the order of the plan
    assert "- best weighting: chosen on the test results" in text
    with Ledger(folder / "l.sqlite") as ledger:
        rows = export_rows(ledger)
    best = max(r["max"] for r in rows if (r["weights"], r["learner"]) == ("grid", "knn"))
    cells = list(csv.DictReader((folder / "tables" / "tables.csv").read_text().splitlines()))
    (cell,) = (
        c for c in cells if (c["learner"], c["statistic"], c["weights"]) == ("knn", "max", "best")
    )
    assert float(cell["ours"]) == best
    assert cell["dataset"] == "SRBCT (bundled)"
    assert cell["published"] == "nan"  # other numbers than the paper's SRBCT


def test_only_some_selectors_of_a_plan(ran, folder, tmp_path):
    path = tmp_path / "some.sqlite"
    plan = [folder / "plan.toml", "--datasets", "srbct_bundled", "--results", path]
    done = bench("run", *plan, "--methods", "ANOVA")
    first, *others = done.stdout.splitlines()
    assert first == "3 done, 0 failed, 0 done before."
    # With one selector nobody is best.
    assert others == [f"Next: s2fs bench report {path} --out bench.html"]
    with Ledger(path) as ledger:
        assert {entry.run.selector.name for entry in ledger.entries()} == {"ANOVA"}
    refused = bench("run", *plan, "--methods", "ANOV")
    assert refused.exit_code == 2
    assert "methods has 'ANOV', which is not in the plan (did you mean 'ANOVA'?)" in refused.stderr


def test_a_shipped_plan_is_printed_as_it_is(tmp_path):
    for name in PLANS:
        printed = bench("plan", name)
        assert printed.exit_code == 0
        (tmp_path / f"{name}.toml").write_text(printed.stdout, encoding="utf-8")
        mine, shipped = load_plan(tmp_path / f"{name}.toml"), load_plan(name)
        assert replace(mine, folder=None) == shipped
    assert "(did you mean 'paper'?)" in bench("plan", "papier").stderr


def test_nothing_to_run_is_not_success(tmp_path, monkeypatch):
    monkeypatch.setenv("S2FS_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    done = bench("run", "paper", "--results", tmp_path / "p.sqlite", "--datasets", "yale")
    assert done.exit_code == 2
    left_out, error = done.stderr.splitlines()
    assert left_out.startswith("Left out: yale is neither in")
    assert error.startswith("Error: Nothing was run: none of the datasets is here")


def test_the_paper_in_one_command_goes_on_and_writes_everything(tmp_path, monkeypatch):
    small = {"folds": 2, "sizes": (1, 2), "learners": ("knn",)}
    plans = [replace(load_plan("quick"), **small)]
    plans.append(replace(plans[0], selectors=(SelectorSpec("F", "AnovaF", {}),)))
    small_plans = dict(zip(("paper", "variants"), plans, strict=True))
    monkeypatch.setattr("s2fs_bench.load_plan", small_plans.__getitem__)
    for done in ("6 done, 0 failed, 0 done before.", "0 done, 0 failed, 6 done before."):
        lines = bench("paper", "--out", tmp_path / "paper").stdout.splitlines()
        assert lines[0] == done
        for name in ("paper.npz", "tables/tables.tex", "figures/curves-knn.pdf", "paper.html"):
            assert str(tmp_path / "paper" / name) in lines
            assert (tmp_path / "paper" / name).is_file()


def test_the_paper_without_its_data_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("S2FS_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    done = bench("paper", "--tenth", "--out", tmp_path / "paper")
    assert done.exit_code == 2
    *left_out, error = done.stderr.splitlines()
    assert [line.split()[2] for line in left_out] == ["all_aml_3", "all_aml_4", "glioma"]
    assert error.startswith("Error: Nothing was run")


@pytest.mark.parametrize("command", ["bench", "data", "figures", "bench run", "data fetch"])
def test_help_loads_no_heavy_package(command, monkeypatch):
    code = (
        "import sys\n"
        "for name in ('pooch', 'matplotlib', 'numba', 'jinja2'): sys.modules[name] = None\n"
        "from s2fs.cli import main\n"
        f"main({command.split()!r} + ['--help'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Usage: ")


def test_export(ran, folder):
    path = folder / "results.csv"
    assert bench("export", folder / "l.sqlite", "--out", path).output == f"8 rows in {path}\n"
    with Ledger(folder / "l.sqlite") as ledger:
        rows, curves = export_rows(ledger), export_curves(ledger)
    written = list(csv.DictReader(path.read_text().splitlines()))
    assert [float(row["max"]) for row in written] == [row["max"] for row in rows]
    assert (
        bench("export", folder / "l.sqlite", "--curves", "--out", folder / "c.json").exit_code == 0
    )
    assert json.loads((folder / "c.json").read_text()) == curves
    assert len(curves) == 16


def test_a_table_of_ones_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 8)) + y[:, None]
    np.savez("mine.npz", X=X, y=y)
    mine = ["--data", "mine.npz", "--results", "r.sqlite"]
    done = bench("run", *mine, "--methods", "PairCover, AnovaF")
    first, *best, last = done.stdout.splitlines()
    assert first == "10 done, 0 failed, 0 done before.", done.output
    assert last == "Next: s2fs bench report r.sqlite --out bench.html"
    again = bench("run", *mine, "--methods", "AnovaF").stdout
    assert again.startswith("0 done, 0 failed, 5 done before.\n")
    assert bench("export", "r.sqlite", "--out", "e.csv").exit_code == 0
    rows = list(csv.DictReader((tmp_path / "e.csv").read_text().splitlines()))
    for sentence in best:
        learner, name, score = re.match(r"(.+): (\w+) is best, ([\d.]+),", sentence).groups()
        key = {title: name for name, title in LEARNER_TITLES.items()}[learner]
        means = {row["selector"]: float(row["ave"]) for row in rows if row["learner"] == key}
        assert means[name] == max(means.values())  # of equal ones the first of the plan
        assert float(score) == pytest.approx(means[name], abs=1e-4)
    assert len(best) == len({row["learner"] for row in rows})
    assert {row["selector"] for row in rows} == {"PairCover", "AnovaF"}
    assert {row["learner"] for row in rows} == {"knn", "svm", "logistic", "forest"}
    assert {(row["score"], row["n_sizes"]) for row in rows} == {("balanced_accuracy", "1")}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["run", "--data", "x.csv", "--results", "x", "--methods", "AnovF"],
            "Error: method is 'An",
        ),
        (["run", "--data", "x.csv", "--target", "y", "--results", "x"], "Error: "),
        (["status", "none"], "Error: There is no results file 'none'; 's2fs bench run"),
        (
            ["run", "quik", "--results", "x"],
            "Error: plan is 'quik', which is not a file (did you me",
        ),
        (
            ["run", "quick", "--results", "no/x"],
            "Error: path is 'no/x', but 'no' is not a directory",
        ),
        (["run", "quick", "--results", "x", "--datasets", "y"], "Error: datasets has 'y', which"),
        (["export", "empty.sqlite", "--out", "x.txt"], "Error: --out is 'x.txt'; give a name"),
        (["export", "empty.sqlite", "--out", "x.csv"], "Error: empty.sqlite has no complete cross"),
        (["tables", "empty.sqlite", "--out", "x"], "Error: empty.sqlite has no complete cross-v"),
    ],
)
def test_bad_input_is_one_line(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    Ledger("empty.sqlite", create=True).__exit__()
    result = bench(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("given", [[], ["quick", "--data", "x.csv"]])
def test_a_plan_or_a_table(given, tmp_path):
    result = bench("run", *given, "--results", tmp_path / "x")
    assert result.exit_code == 2
    assert "Give either a PLAN or a table with --data." in result.stderr
