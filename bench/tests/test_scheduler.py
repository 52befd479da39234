"""``s2fs bench run --scheduler``: the runs of a plan on a Dask cluster."""

import pytest
from click.testing import CliRunner
from distributed import LocalCluster

from s2fs.cli import main
from s2fs_bench import Ledger, export_curves

PLAN = """
title = "Two folds"
datasets = ["srbct_bundled"]
learners = ["knn"]
sizes = [1, 5]
folds = 2

[[selectors]]
name = "ANOVA"
method = "AnovaF"

[[selectors]]
name = "S2FS"
"""


def run(*arguments):
    return CliRunner().invoke(main, ["bench", "run", *map(str, arguments)])


@pytest.fixture
def plan(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    return plan


def test_the_bench_spreads_over_the_cluster(plan, tmp_path):
    by_cluster, by_processes = tmp_path / "cluster.sqlite", tmp_path / "processes.sqlite"
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        result = run(plan, "--results", by_cluster, "--scheduler", cluster.scheduler_address)
    assert result.exit_code == 0, result.output
    assert "4 done, 0 failed, 0 done before." in result.stdout
    assert run(plan, "--results", by_processes).exit_code == 0
    rows = []
    for path in (by_cluster, by_processes):
        with Ledger(path) as book:
            rows.append(export_curves(book))
    assert rows[0] == rows[1]
    assert len(rows[0]) > 0


def test_an_address_that_makes_no_sense(plan, tmp_path):
    result = run(plan, "--results", tmp_path / "r.sqlite", "--scheduler", "nonsense://x")
    assert result.exit_code == 2
    assert "No Dask scheduler answers at 'nonsense://x'" in result.stderr
    assert "Traceback" not in result.output
