"""The training samples of a fold in one place in memory, against plain indexing."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.utils import _safe_indexing

from inner import TrainingRows
from s2fs import read_table


def tables():
    X = np.arange(24.0).reshape(6, 4)
    return {
        "plain": X,
        "single": X.astype(np.float32),
        "whole": X.astype(int),
        "fortran": np.asfortranarray(X),
        "every second": np.arange(48.0).reshape(6, 8)[:, ::2],
        "sparse": csr_array(X),
    }


@pytest.mark.parametrize("kind", list(tables()))
def test_rows_are_those_of_plain_indexing(kind):
    X, rows = tables()[kind], TrainingRows()
    for some in (np.array([0, 2, 5]), np.array([1, 3]), np.arange(6)):
        taken, expected = rows.take(X, some), _safe_indexing(X, some)
        assert taken.dtype == expected.dtype
        assert type(taken) is type(expected)
        if kind == "sparse":
            taken, expected = taken.toarray(), expected.toarray()
        assert taken.tolist() == expected.tolist()


def test_the_names_of_a_file_stay(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("class,a,b\n" + "".join(f"{'xy'[i % 2]},{i}.5,{-i}\n" for i in range(8)))
    X, _ = read_table(file, target="class").for_folds()
    taken = TrainingRows().take(X, np.array([1, 5, 6]))
    assert taken.columns == X.columns == ["a", "b"]
    assert taken.tolist() == [[1.5, -1], [5.5, -5], [6.5, -6]]


def test_a_data_frame_stays_one():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]})
    taken = TrainingRows().take(frame, np.array([0, 2]))
    assert taken.equals(frame.iloc[[0, 2]])


def test_the_place_is_used_again():
    X, rows = tables()["plain"], TrainingRows()
    first = rows.take(X, np.array([0, 1, 2]))
    assert np.shares_memory(first, rows.take(X, np.array([3, 4])))


def test_another_process_has_a_place_of_its_own():
    X, rows = tables()["plain"], TrainingRows()
    rows.take(X, np.arange(6))
    other = pickle.loads(pickle.dumps(rows))  # nosec B301
    assert other._place.size == 0
    assert other.take(X, np.array([4])).tolist() == X[[4]].tolist()
