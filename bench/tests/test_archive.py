import json

import numpy as np
import pytest
from click.testing import CliRunner

from s2fs.cli import main
from s2fs_bench import (
    Archive,
    Ledger,
    export_curves,
    export_rows,
    iter_results,
    load_plan,
    open_results,
    run_plan,
    write_archive,
    write_tables,
)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A grid, weights chosen inside, and a baseline, under a classifier and k-means."""
    folder = tmp_path_factory.mktemp("archive")
    plan = folder / "plan.toml"
    plan.write_text(
        'title = "tiny"\ndatasets = ["srbct_bundled"]\nlearners = ["knn", "kmeans"]\n'
        'sizes = [1, 3]\nprotocol = "inside"\nfolds = 2\nseeds = [0]\n'
        '[[selectors]]\nname = "S2FS"\ngrid = { alpha = [0.01, 0.1], beta = [0.1] }\n'
        '[[selectors]]\nname = "S2FS"\ntune = "inside"\n'
        "grid = { alpha = [0.01, 0.1], beta = [0.1] }\n"
        '[[selectors]]\nname = "FDM"\n'
    )
    run_plan(load_plan(str(plan)), folder / "l.sqlite")
    with Ledger(folder / "l.sqlite") as ledger:
        write_archive(ledger, folder / "l.npz")
    return folder / "l.sqlite"


def test_what_is_read_is_what_the_ledger_has(file):
    with Ledger(file) as ledger, open_results(file.with_suffix(".npz")) as archive:
        assert isinstance(archive, Archive)
        there, here = list(iter_results(ledger)), list(iter_results(archive))
        assert len(there) == len(here) == 4
        for one, other in zip(there, here, strict=True):
            assert one.identity() == other.identity()
            assert one.chosen == other.chosen
            assert one.stability == pytest.approx(other.stability)
            assert list(one.curves) == list(other.curves)
            for name, curve in one.curves.items():
                np.testing.assert_allclose(other.curves[name].values, curve.values, atol=1e-7)
                np.testing.assert_array_equal(other.curves[name].sizes, curve.sizes)
        both = [[(e.run.dataset, e.seconds) for e in b.entries()] for b in (ledger, archive)]
        assert both[0] == both[1]


def test_tables_and_exports_are_those_of_the_ledger(file, tmp_path):
    with Ledger(file) as ledger, open_results(file.with_suffix(".npz")) as archive:
        there, here = (write_tables(b, tmp_path / type(b).__name__) for b in (ledger, archive))
        for one, other in zip(there, here, strict=True):
            if one.suffix != ".csv":  # where all digits are written
                assert one.read_text() == other.read_text()
        assert [row["size"] for row in export_curves(ledger)] == [
            row["size"] for row in export_curves(archive)
        ]
        for one, other in zip(export_rows(ledger), export_rows(archive), strict=True):
            assert one["max"] == pytest.approx(other["max"], abs=1e-7)
            assert one["best_size"] == other["best_size"]


def test_commands_take_the_archive(file, tmp_path):
    call = CliRunner().invoke
    made = call(main, ["bench", "archive", str(file), "--out", str(tmp_path / "a.npz")])
    assert made.exit_code == 0, made.output
    assert (tmp_path / "a.npz").read_bytes()
    for command in (
        ["bench", "tables", "--out", str(tmp_path / "tables")],
        ["bench", "export", "--out", str(tmp_path / "rows.csv")],
        ["bench", "report", "--out", str(tmp_path / "bench.html")],
        ["figures", "--out", str(tmp_path / "figures")],
    ):
        done = call(main, [*command, str(tmp_path / "a.npz")])
        assert done.exit_code == 0, done.output
    assert (tmp_path / "figures" / "curves-knn.svg").is_file()


def test_what_is_no_archive_is_said(file, tmp_path):
    np.savez(tmp_path / "other.npz", X=np.eye(3))
    (tmp_path / "text.npz").write_text("no archive")
    np.savez(tmp_path / "future.npz", about=np.array(json.dumps({"format": 99})))
    for name in ("other", "text", "future"):
        with pytest.raises(ValueError, match=f"{name}.npz holds no bench results"):
            Archive(tmp_path / f"{name}.npz")
    with pytest.raises(FileNotFoundError, match="is not there"):
        open_results(tmp_path / "missing.npz")
    refused = CliRunner().invoke(main, ["bench", "archive", str(file), "--out", "a.zip"])
    assert refused.exit_code == 2
    assert "ends in .npz" in refused.output


def test_an_unfinished_ledger_has_nothing_to_keep(tmp_path):
    nothing = pytest.raises(ValueError, match="no complete cross-validation")
    with Ledger(tmp_path / "empty.sqlite", create=True) as ledger, nothing:
        write_archive(ledger, tmp_path / "a.npz")
    assert not (tmp_path / "a.npz").exists()
