"""Columns are found by name or position, and every refusal says what there is."""

import numpy as np
import pandas as pd
import pytest
from openpyxl import Workbook
from scipy.sparse import csc_array

from s2fs import S2FS, PairCover
from s2fs.baselines import AnovaF
from s2fs.io import read_table

Y = [0, 1, 0, 1]
UNNAMED = np.random.default_rng(0).normal(size=(4, 4))
NAMED = pd.DataFrame(UNNAMED, columns=["a", "b", "2", "d"])


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A file with the columns a, b and 2, which have two values each."""
    monkeypatch.chdir(tmp_path)
    pd.DataFrame([[0, 3, 6], [1, 4, 7], [0, 3, 7]], columns=["a", "b", "2"]).to_csv(
        "t.csv", index=False
    )
    return "t.csv"


@pytest.mark.parametrize(
    ("X", "wanted", "position"),
    [(NAMED, "b", 1), (NAMED, "2", 2), (NAMED, 2, 2), (NAMED, np.int64(3), 3), (UNNAMED, 0, 0)],
)
def test_found_in_a_table(X, wanted, position):
    assert S2FS(1, include=[wanted]).fit(X, Y).indices_.tolist() == [position]
    others = S2FS("all", exclude=[wanted]).fit(X, Y).indices_.tolist()
    assert sorted(others) == [f for f in range(4) if f != position]


@pytest.mark.parametrize(
    ("wanted", "position"),
    [("2", 2), ("1", 1), (" -1 ", 2), (-3, 0)],  # a name goes before a position
)
def test_found_in_a_file(file, wanted, position):
    rest = [name for f, name in enumerate(["a", "b", "2"]) if f != position]
    classes = [["0", "1"], ["3", "4"], ["6", "7"]][position]
    data = read_table(file, wanted)
    assert (data.feature_names, data.class_names) == (rest, classes)
    kept = read_table(file, rest[0], drop=[wanted])
    assert kept.feature_names == rest[1:]


@pytest.mark.parametrize(
    ("X", "wanted", "message"),
    [
        (NAMED, "c", "include has 'c', but X has no such column; it has 'a', 'b', '2', 'd'."),
        (NAMED, "aa", "include has 'aa', but X has no such column (did you mean 'a'?)."),
        (NAMED, "1", "include has '1', but X has no such column; it has 'a', 'b', '2', 'd'."),
        (NAMED, -1, "include has -1, but the columns of X are numbered from 0 to 3."),
        (NAMED, True, "include has True, but the columns of X are numbered from 0 to 3."),
        (NAMED, 1.0, "include has 1.0, but the columns of X are numbered from 0 to 3."),
        (UNNAMED, "a", "include has 'a', but X has no column names; give positions from 0 to 3."),
    ],
)
def test_not_found_in_a_table(X, wanted, message):
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the whole message is compared
        S2FS(1, include=[wanted]).fit(X, Y)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("3", "target is '3', but the columns of t.csv are numbered from 0 to 2."),
        ("1.5", "target is '1.5', but t.csv has no such column; it has 'a', 'b', '2'."),
    ],
)
def test_not_found_in_a_file(file, wanted, message):
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the whole message is compared
        read_table(file, wanted)
    assert str(raised.value) == message


def test_some_columns():
    without, none = (S2FS("all", include=include).fit(NAMED, Y) for include in (None, []))
    assert without.indices_.tolist() == none.indices_.tolist()
    assert S2FS(2, include=["2", 0]).fit(NAMED, Y).indices_.tolist() == [2, 0]
    with pytest.raises(ValueError, match="include has 'a' more than once; give each once"):
        S2FS(2, include=["a", 0]).fit(NAMED, Y)
    with pytest.raises(ValueError, match="include has 'c', but X has no such column"):
        S2FS(2, include=["a", "c"]).fit(NAMED, Y)


def test_what_is_left_of_a_file(file):
    assert read_table(file, 2, drop=["b"]).feature_names == ["a"]
    with pytest.raises(ValueError, match="'b' is both target and in drop"):
        read_table(file, "b", drop=["b"])
    with pytest.raises(ValueError, match=r"t\.csv has no features left"):
        read_table(file, 2, drop=[0, 1])


def write(path, rows):
    """Cells as a spreadsheet has them: numbers and text."""
    book = Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)


def test_cells_that_are_missing(tmp_path):
    gaps = ["", " NA ", "n/a", "NaN", "null", "?"]
    path = tmp_path / "t.csv"
    lines = [f"{cell},{i % 2},u{i % 2}" for i, cell in enumerate([*gaps, "0", " 2.5"])]
    path.write_text("\n".join(["a,b,kind", *lines]))
    a = read_table(path, "kind", impute="keep").X[:, 0]
    np.testing.assert_array_equal(a, [*[np.nan] * 6, 0, 2.5])
    path.write_text("a,kind\n1,none\n2,0\n3,?\n")  # "none" is a class
    with pytest.warns(UserWarning, match=r"has no label in 1 of 3 rows, which are left out"):
        data = read_table(path, "kind", drop_unlabelled=True)
    assert data.class_names == ["0", "none"]


def test_cells_of_several_types(tmp_path):
    path = tmp_path / "t.xlsx"
    write(path, [["a", "kind"], [1, "u"], [" 2.5", "v"], ["?", "u"], [None, "v"], [0, "u"]])
    a = read_table(path, "kind", impute="keep").X[:, 0]
    np.testing.assert_array_equal(a, [1, 2.5, np.nan, np.nan, 0])
    write(path, [["a", "kind"], [1, "u"], ["-inf", "v"]])
    with pytest.raises(ValueError, match=r"infinite values in column 'a'"):
        read_table(path, "kind")


@pytest.mark.parametrize("cell", ["1_2", "two"])
@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_cells_that_are_text(tmp_path, cell, suffix):
    path = tmp_path / f"t{suffix}"
    rows = [["a", "b", "kind"], *([i, i % 5, "uv"[i % 2]] for i in range(12))]
    rows += [[cell, 7, "v"], [cell, 8, "u"]]
    if suffix == ".csv":
        path.write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    else:
        write(path, rows)
    with pytest.warns(UserWarning, match=rf"numbers in column 'a', but '{cell}' in 2 rows"):
        data = read_table(path, "kind")
    assert data.feature_names == ["b"]


@pytest.mark.parametrize("kind", [np.asarray, csc_array])
def test_columns_that_are_not_finite(kind):
    X = np.ones((3, 5))
    X[1, 1], X[2, 2], X[0, 4], X[1, 4] = np.nan, np.inf, np.nan, -np.inf
    X[:, 3] = 1e308  # the sum overflows, the numbers are finite
    y = [0, 1, 1]
    with pytest.raises(ValueError, match=r"X has NaN and infinity in columns 1, 2, 4; drop"):
        S2FS(1).fit(kind(X), y)
    if kind is np.asarray:
        with pytest.raises(ValueError, match=r"X has infinity in columns 2, 4; drop them\."):
            PairCover(1).fit(X, y)
    with pytest.raises(ValueError, match=r"X has NaN in column 1; drop them or put an imp"):
        S2FS(1).fit(kind(X[:, :2]), y)
    with pytest.raises(ValueError, match=r"X has infinity in column 1; drop them\."):
        S2FS(1).fit(kind(X[:, [0, 2]]), y)
    assert S2FS("all").fit(kind(np.ones((3, 2))), y).indices_.tolist() == [0, 1]


@pytest.mark.parametrize(
    "kinds",
    [
        ["float64"],
        ["float32"],
        ["int8", "float32"],
        ["int64", "float32", "float64"],
        ["uint64", "int64"],
        ["Float64", "float64"],
        ["bool", "float64"],
        ["category", "int32"],
    ],
    ids=" and ".join,
)
def test_a_frame_is_taken_as_its_values(kinds):
    rng = np.random.default_rng(5)
    y = np.arange(40) % 2
    values = np.abs(np.round(10 * rng.normal(size=(40, 6)) + 30 * y[:, None] * np.eye(6)[0]))
    if "bool" in kinds:
        values = np.minimum(values, 1.0)
    frame = pd.DataFrame(
        {f"g{f}": pd.Series(values[:, f]).astype(kinds[f % len(kinds)]) for f in range(6)}
    )
    for make in (S2FS, PairCover):
        of_frame, of_array = make(3).fit(frame, y), make(3).fit(values, y)
        assert of_frame.indices_.tolist() == of_array.indices_.tolist()
        np.testing.assert_allclose(of_frame.scores_, of_array.scores_, rtol=1e-6)
        assert of_frame.feature_names_in_.tolist() == [f"g{f}" for f in range(6)]
        with pytest.raises(ValueError, match="names should match"):
            of_frame.transform(frame.rename(columns={"g0": "other"}))
        refitted = of_frame.fit(values, y)
        assert not hasattr(refitted, "feature_names_in_")


@pytest.mark.parametrize("make", [np.asarray, np.asfortranarray, csc_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_columns_that_are_not_finite_are_those_of_a_mask(make, dtype):
    X = np.arange(24, dtype=dtype).reshape(4, 6) % 5
    X[:, 2] = np.finfo(dtype).max  # finite, but the sum is not
    AnovaF(1).fit(make(X), Y)
    for value, what in ((np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")):
        table = X.copy()
        table[1, 3] = value
        with pytest.raises(ValueError, match=f"X has {what} in column 3;"):
            AnovaF(1).fit(make(table), Y)
    X[0, :2] = np.inf, -np.inf  # their sum is no number
    with pytest.raises(ValueError, match="X has infinity in columns 0, 1;"):
        AnovaF(1).fit(make(X), Y)


@pytest.mark.parametrize("kind", ["double[pyarrow]", "Float64", "float[pyarrow]", "int64[pyarrow]"])
def test_columns_of_arrow_and_with_masks_are_their_numbers(kind):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = pd.DataFrame(rng.integers(0, 9, (40, 6)) + 2.0 * y[:, None], columns=list("abcdef"))
    if not kind.startswith("int"):
        X.iloc[::7, 2] = np.nan
    selector, expected = PairCover(4).fit(X.astype(kind), y), PairCover(4).fit(X, y)
    np.testing.assert_array_equal(selector.indices_, expected.indices_)
    np.testing.assert_allclose(selector.scores_, expected.scores_)
    assert selector.feature_names_.tolist() == expected.feature_names_.tolist()
