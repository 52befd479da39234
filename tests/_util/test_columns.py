"""Columns are found by name or position, and every refusal says what there is."""

import numpy as np
import pytest
from scipy.sparse import csc_array

from s2fs._util.inputs import Columns, as_numbers, is_missing, nonfinite_columns

NAMED = Columns(["a", "b", "2", "twin", "twin"], 5)
FILE = Columns.of_file(["a", "b", "2"], "t.csv")
UNNAMED = Columns(None, 3)


@pytest.mark.parametrize(
    ("columns", "wanted", "position"),
    [
        (NAMED, "b", 1),
        (NAMED, "2", 2),
        (NAMED, 2, 2),
        (NAMED, np.int64(4), 4),
        (UNNAMED, 0, 0),
        (FILE, "2", 2),  # a name goes before a position
        (FILE, "1", 1),
        (FILE, " -1 ", 2),
        (FILE, -3, 0),
    ],
)
def test_found(columns, wanted, position):
    assert columns.position(wanted, "target") == position
    assert columns.positions([wanted], "drop") == [position]


@pytest.mark.parametrize(
    ("columns", "wanted", "message"),
    [
        (NAMED, "c", "target is 'c', but X has no such column; it has 'a', 'b', '2', 'twin'."),
        (NAMED, "aa", "target is 'aa', but X has no such column (did you mean 'a'?)."),
        (NAMED, "1", "target is '1', but X has no such column; it has 'a', 'b', '2', 'twin'."),
        (
            NAMED,
            "twin",
            "target is 'twin', but X has 2 columns of this name; give the position of the one you "
            "mean.",
        ),
        (NAMED, -1, "target is -1, but the columns of X are numbered from 0 to 4."),
        (NAMED, True, "target is True, but the columns of X are numbered from 0 to 4."),
        (NAMED, 1.0, "target is 1.0, but the columns of X are numbered from 0 to 4."),
        (UNNAMED, "a", "target is 'a', but X has no column names; give positions from 0 to 2."),
        (FILE, "3", "target is '3', but the columns of t.csv are numbered from 0 to 2."),
        (FILE, "1.5", "target is '1.5', but t.csv has no such column; it has 'a', 'b', '2'."),
    ],
)
def test_not_found(columns, wanted, message):
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the whole message is compared
        columns.position(wanted, "target")
    assert str(raised.value) == message


def test_some_columns():
    assert NAMED.positions(None, "include") == []
    assert NAMED.positions(["2", 0], "include") == [2, 0]
    with pytest.raises(ValueError, match="include has 'a' more than once; give each once"):
        NAMED.positions(["a", 0], "include")
    with pytest.raises(ValueError, match="include has 'c', but X has no such column"):
        NAMED.positions(["a", "c"], "include")


def test_what_is_left_of_a_file():
    assert FILE.without(["b"], 2) == [0]
    with pytest.raises(ValueError, match="'b' is both target and in drop"):
        FILE.without(["b"], 1)
    with pytest.raises(ValueError, match=r"t\.csv has no features left"):
        FILE.without([0, 1], 2)


def test_cells():
    assert all(map(is_missing, ["", " NA ", "n/a", "NaN", "null", "?", None, float("nan")]))
    assert not any(map(is_missing, ["none", "0", 0, 0.0, float("inf")]))
    np.testing.assert_array_equal(as_numbers(["1", " 2.5", "?"]), [1, 2.5, np.nan])
    np.testing.assert_array_equal(as_numbers([1, 2.5, "-inf"]), [1, 2.5, -np.inf])
    assert as_numbers(["1", "1_2"]) is None
    assert as_numbers(["1", "two"]) is None


@pytest.mark.parametrize("kind", [np.asarray, csc_array])
def test_columns_that_are_not_finite(kind):
    X = np.ones((3, 5))
    X[1, 1], X[2, 2], X[0, 4], X[1, 4] = np.nan, np.inf, np.nan, -np.inf
    X[:, 3] = 1e308  # the sum overflows, the numbers are finite
    assert nonfinite_columns(kind(X)) == {"NaN": [1, 4], "infinity": [2, 4]}
    assert nonfinite_columns(kind(np.ones((2, 2)))) == {}
