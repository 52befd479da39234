"""One table in every format: the same features are left out, for the same reasons."""

import re
import shlex
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.io
from click.testing import CliRunner

from s2fs.cli import main
from s2fs.io import ReadWarning, read_table

N = 60
RNG = np.random.default_rng(3)
KINDS = np.array(["u", "v"])[np.arange(N) % 2]
TABLE = pd.DataFrame(RNG.normal(size=(N, 4)).round(3), columns=list("abcd")).assign(
    name=[f"s{i}" for i in range(N)],
    hospid=np.arange(N) % 7 + 20,
    bed=np.tile(np.arange(1, 31), 2),
    day=[f"2020-01-{i % 28 + 1:02d}" for i in range(N)],
    sex=np.array(["m", "f", "f"])[np.arange(N) % 3],
    doors=np.array(["2", "3", "4", "5more"])[np.arange(N) % 4],
    said=[f"patient {i} said no to it" if i % 2 else "" for i in range(N)],
    ok=np.arange(N) % 3 == 0,
    gap=[None if i % 9 == 0 else i % 11 / 2 for i in range(N)],
    Idx=np.arange(N) + 1,
    copy=np.where(KINDS == "u", 1, 2),
    kind=KINDS,
)
WRITERS = {
    "tsv": lambda path: TABLE.to_csv(path, sep="\t", index=False),
    "xlsx": lambda path: TABLE.to_excel(path, index=False),
    "json": lambda path: TABLE.to_json(path, orient="records"),
    "parquet": lambda path: TABLE.astype({"sex": "category"}).to_parquet(path),
    "feather": TABLE.to_feather,
}


def read(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadWarning)
        return read_table(path, "kind", impute="keep")


@pytest.fixture(scope="module")
def of_csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    TABLE.to_csv(path, index=False)
    return read(path)


@pytest.mark.parametrize("suffix", WRITERS)
def test_every_format_gives_the_same(tmp_path, of_csv, suffix):
    WRITERS[suffix](tmp_path / f"t.{suffix}")
    data = read(tmp_path / f"t.{suffix}")
    assert data.feature_names == of_csv.feature_names
    np.testing.assert_array_equal(data.X, of_csv.X)
    decisions = [[(remark.kind, remark.columns) for remark in d.remarks] for d in (data, of_csv)]
    assert sorted(decisions[0]) == sorted(decisions[1])
    left_out = {column for _, columns in decisions[0] for column in columns}
    assert {"name", "hospid", "bed", "day", "said", "Idx"} <= left_out


@pytest.mark.parametrize("beside", [True, False])
def test_arrays_by_other_names(tmp_path, monkeypatch, beside):
    """The only matrix is X; the labels lie beside it, or are the column that is advised."""
    monkeypatch.chdir(tmp_path)
    X, codes = TABLE[list("abcd")].to_numpy(), np.arange(N) % 2 + 1
    arrays = {"data": X, "group": codes} if beside else {"data": np.column_stack([X, codes])}
    scipy.io.savemat("t.mat", arrays)
    command = ["select", "t.mat", "-k", "2", "--no-verdict"]
    result = CliRunner().invoke(main, command)
    if not beside:
        assert result.exit_code == 2
        assert "holds one matrix, 'data', and no labels" in result.stderr
        result = CliRunner().invoke(
            main, shlex.split(re.search("Try: s2fs (.*)", result.stderr)[1])
        )
    assert result.exit_code == 0, result.output
    assert "'data', its only matrix, which is taken as X" in result.stderr
    np.savez("t.npz", X=X, y=codes)
    same = CliRunner().invoke(main, ["select", "t.npz", "-k", "2", "--no-verdict"])
    assert result.stdout == same.stdout


def test_every_option_that_a_note_gives_a_value_works(tmp_path, monkeypatch):
    """Group, drop, keep, missing, …: added to the first command each ends in a ranking."""
    monkeypatch.chdir(tmp_path)
    crp = ["<0.5", *TABLE["a"].astype(str)[1:]]
    TABLE.assign(crp=crp, share=["n/a", *["nd"] * 3, *TABLE["b"].astype(str)[4:]]).to_csv("t.csv")
    data = read("t.csv")
    parts = [part for remark in data.remarks for part in remark.text.parts]
    advised = {part for part in parts if getattr(part, "value", None) is not None}
    assert {part.name for part in advised} >= {"group", "drop", "missing"}
    for name, value, _ in sorted(advised):
        option = [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
        command = ["select", "t.csv", "-t", "kind", "-k", "2", "--no-verdict", *option]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, (command, result.output)
