"""A new method beside stored results, on the same folds of the same tables."""

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from s2fs.cli import main
from s2fs_bench import (
    Joined,
    Ledger,
    build_tables,
    iter_results,
    load_plan,
    open_results,
    run_plan,
    without_stored,
    write_archive,
)

PLAN = replace(load_plan("quick"), folds=3, sizes=(1, 3), learners=("knn",))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two selectors stored as an archive, a third one run alone, and all three run together."""
    folder = tmp_path_factory.mktemp("joined")
    for name, methods in (("old", ["S2FS", "FDM"]), ("new", ["ANOVA"]), ("all", None)):
        run_plan(PLAN, folder / f"{name}.sqlite", methods=methods)
    with Ledger(folder / "old.sqlite") as ledger:
        write_archive(ledger, folder / "old.npz")
    return folder


@pytest.mark.parametrize("stored", ["old.npz", "old.sqlite"])
def test_the_table_is_that_of_one_run_of_all(folder, stored):
    with Joined(folder / "new.sqlite", folder / stored) as joined:
        ours = build_tables(joined.results)
    with open_results(folder / "all.sqlite") as ledger:
        together = build_tables(iter_results(ledger))
    for one, other in zip(ours, together, strict=True):
        by_name = dict(zip(other.columns, other.ours.T, strict=True))
        assert {column.algorithm for column in one.columns} == {"S2FS", "FDM", "ANOVA"}
        for column, values in zip(one.columns, one.ours.T, strict=True):
            np.testing.assert_allclose(values, by_name[column], atol=1e-7)


def test_stored_selectors_are_not_run_again(folder):
    assert [s.name for s in without_stored(PLAN, folder / "old.npz").selectors] == ["ANOVA"]
    with pytest.raises(ValueError, match=r"old\.npz has results of all selectors of the plan"):
        without_stored(replace(PLAN, selectors=PLAN.selectors[:2]), folder / "old.npz")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"folds": 2}, "with other number of folds"),
        ({"seeds": (1,)}, "with other seeds"),
        ({"sizes": (1, 2)}, "with other sizes"),
        ({"learners": ("svm",)}, "with other learners"),
    ],
)
def test_other_folds_are_refused(folder, tmp_path, change, words):
    run_plan(replace(PLAN, **change), tmp_path / "other.sqlite", methods=["ANOVA"])
    with pytest.raises(ValueError, match=words):
        Joined(tmp_path / "other.sqlite", folder / "old.npz")


def test_other_tables_are_refused(folder, tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 5))
    np.savez(tmp_path / "mine.npz", X=X, y=np.arange(30) % 3)
    (tmp_path / "plan.toml").write_text(
        'title = "own"\ndatasets = [{path = "mine.npz"}]\nlearners = ["knn"]\nsizes = [1, 3]\n'
        'folds = 3\n[[selectors]]\nname = "F"\nmethod = "AnovaF"\n'
    )
    run_plan(load_plan(tmp_path / "plan.toml"), tmp_path / "own.sqlite")
    with pytest.raises(ValueError, match="no results of other selectors on 'mine'"):
        Joined(tmp_path / "own.sqlite", folder / "old.npz")


def test_commands(folder, tmp_path):
    def bench(*arguments):
        result = CliRunner().invoke(main, ["bench", *map(str, arguments)])
        assert result.exit_code == 0, result.output
        return result.stdout

    shown = bench(
        "tables", folder / "new.sqlite", "--beside", folder / "old.npz", "--out", tmp_path
    )
    text = "".join((tmp_path / name).read_text() for name in _names(shown, tmp_path, ".md"))
    assert all(name in text for name in ("ANOVA", "FDM", "S²FS"))


def _names(shown, folder, suffix):
    paths = [line for line in shown.splitlines() if line.endswith(suffix)]
    return [path.removeprefix(f"{folder}/") for path in paths]
