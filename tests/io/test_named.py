"""Selectors call the columns of a file by its names."""

import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.sparse import csc_array
from sklearn.feature_selection import SelectKBest

from s2fs import S2FS, PairCover, SelectorCV, StabilitySelector
from s2fs.cli import main
from s2fs.io import Dataset, ReadWarning, read_table

RNG = np.random.default_rng(2)
N = 60
Y = np.arange(N) % 2
NAMES = ["age", "crp", "dose", "ferritin"]
X = RNG.normal(size=(N, 4)).round(3) + Y[:, None] * [0.2, 0.1, 0, 0]
X[:, 2] = 0
X[3, 2] = 50  # one row decides


def dataset(table=X):
    return Dataset(table, Y, NAMES, ["u", "v"])


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("selector", [
    S2FS(2), PairCover(2), SelectorCV(2, cv=2), StabilitySelector(selector=S2FS(2), n_resamples=4),
])  # fmt: skip
def test_a_named_array_is_a_data_frame_to_a_selector(selector):
    named = selector.fit(dataset().named_X(), Y)
    names = named.feature_names_.tolist()
    assert named.feature_names_in_.tolist() == NAMES
    truth = selector.fit(pd.DataFrame(X, columns=NAMES), Y)
    assert truth.feature_names_.tolist() == names
    assert not hasattr(selector.fit(X, Y), "feature_names_in_")


def test_nothing_is_copied():
    data = dataset()
    assert np.shares_memory(data.named_X(), data.X)
    table = csc_array(X)
    sparse = dataset(table)
    named = sparse.named_X()
    assert named.data is table.data
    assert not hasattr(table, "columns")
    assert PairCover(2).fit(named, Y).feature_names_in_.tolist() == NAMES


def test_rows_keep_the_names_and_columns_do_not():
    named = dataset().named_X()
    assert named[Y == 0].columns == NAMES
    assert named[:5].columns == NAMES
    assert named[:, [1, 0]].columns is None
    assert (named + 1).columns is None
    assert named.sum(axis=0).columns is None


def test_other_selectors_take_it_for_an_array():
    named = dataset().named_X()
    expected = SelectKBest(k=2).fit(X, Y).get_support()
    np.testing.assert_array_equal(SelectKBest(k=2).fit(named, Y).get_support(), expected)


def test_notes_of_the_command_line_name_the_columns_of_the_file(tmp_path):
    frame = pd.DataFrame(X, columns=NAMES)
    frame.insert(0, "Idx", np.arange(N) + 1)  # left out, so that positions differ from the file
    frame.assign(kind=Y).to_csv(tmp_path / "t.csv", index=False)
    command = ["select", str(tmp_path / "t.csv"), "-t", "kind", "-k", "4", "--method", "s2fs"]
    result = CliRunner().invoke(main, [*command, "--no-verdict"])
    assert result.exit_code == 0, result.output
    assert "('dose')" in result.stderr
    assert "'x" not in result.stderr


def test_errors_name_the_columns_of_the_file(tmp_path):
    holes = pd.DataFrame(X, columns=NAMES).assign(crp=[np.nan, *X[1:, 1]], Idx=range(N), kind=Y)
    holes.to_csv(tmp_path / "t.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadWarning)
        data = read_table(tmp_path / "t.csv", "kind", impute="keep")
    with pytest.raises(ValueError, match=r"NaN in column 'crp'"):
        S2FS(2).fit(data.named_X(), data.y)
