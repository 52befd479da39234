"""Labels as codes: what is a class, what is missing, and in which order classes come."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

import s2fs
from s2fs import S2FS, PairCover, SelectorCV, StabilitySelector
from s2fs.baselines import AnovaF
from s2fs.io import read_table

#: A label may stand for a single sample here: this is about labels.
pytestmark = pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")


def fit(labels):
    """Select from a table with a row for each label."""
    n = labels.shape[0] if hasattr(labels, "shape") else len(labels)
    return S2FS(1).fit(np.arange(2.0 * n).reshape(n, 2), labels)


def read(path, labels, **options):
    """Write labels beside a feature that numbers the rows, and read them again."""
    if path.suffix == ".npz":
        np.savez(path, X=np.arange(float(len(labels)))[:, None], y=labels)
        return read_table(path, **options)
    frame = pd.DataFrame({"x": np.arange(len(labels)) / 2, "y": labels})
    frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_excel(path, index=False)
    return read_table(path, "y", **options)


@pytest.mark.parametrize(
    ("file", "labels", "classes", "codes"),
    [
        ("t.parquet", ["b", "a ", "b"], ["a", "b"], [1, 0, 1]),
        ("t.parquet", [10.0, 9, -1, np.nan, np.inf], ["-1", "9", "10"], [2, 1, 0, -1, -1]),
        ("t.parquet", [True, False, None], ["False", "True"], [1, 0, -1]),
        ("t.parquet", ["10", "9", "NA", "none"], ["10", "9", "none"], [0, 1, -1, 2]),
        ("t.xlsx", [1, "a", 1], ["1", "a"], [0, 1, 0]),
        ("t.npz", np.array(["u", "v"]), ["u", "v"], [0, 1]),
    ],
)
def test_labels_of_files(tmp_path, file, labels, classes, codes):
    if -1 in codes:  # the label is missing
        words = rf"no label in {codes.count(-1)} of {len(codes)} rows"
        with pytest.warns(UserWarning, match=words):
            found = read(tmp_path / file, labels)
        rows = [row for row, code in enumerate(codes) if code >= 0]
        assert (found.X[:, 0] * 2).tolist() == rows
    else:
        found = read(tmp_path / file, labels)
    assert found.class_names == classes
    assert found.y.tolist() == [code for code in codes if code >= 0]


def test_labels_of_files_that_are_all_missing(tmp_path):
    with pytest.raises(ValueError, match=r"has 3 missing labels"):
        read(tmp_path / "t.parquet", [None, float("nan"), "?"])


def test_a_quantity_is_no_class(tmp_path):
    with pytest.raises(ValueError, match=r"'y' of .*holds fractions such as 0\.5, so it is a quan"):
        read(tmp_path / "t.parquet", [1.0, 0.5, None])


def test_labels_of_selectors():
    assert fit(np.array([2, 1, 2])).classes_.tolist() == [1, 2]
    X, y = np.array([[0.0, 5], [1, 4], [2, 8], [3, 1]]), np.array([7, 3, 7, 3])
    numbered, named = S2FS(2).fit(X, y), S2FS(2).fit(X, np.array(["b", "a"])[(y == 3).astype(int)])
    assert named.classes_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(numbered.scores_, named.scores_)


def test_one_class_is_not_enough():
    with pytest.raises(ValueError, match=r"y has one class only \('a'\); at least two are needed"):
        fit(np.array(["a", "a"]))


EVENTS = [(True, 3.2), (False, 1.0)]


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([1, "1"], r"different kinds \(numbers, text\)"),
        (["a", None, "b"], r"missing labels .* in sample 1; give"),
        (["a", float("nan")], r"in sample 1"),
        (pd.Series(["a", None], dtype="string"), r"in sample 1"),
        (pd.Series([1, None], dtype="Int64"), r"in sample 1"),
        (pl.Series(["a", None]), r"in sample 1"),
        ([b"a", b"b"], "holds bytes; give whole numbers or text"),
        (np.array([b"a", b"b"]), "holds bytes"),
        (np.array(["2020-01-01"], "M8[D]"), "holds dates"),
        ([2**53, 2**53 + 1.0], "9007199254740992 in floating point"),
        ([2**64, 2**64 + 1], "more than 63 bits; give them as text"),
        (np.array([0.5, 1.0]), r"fractions such as 0\.5, so it is a quantity"),
        (EVENTS, r"the shape \(2, 2\), so samples do not have one label each"),
        (
            np.array(EVENTS, dtype=[("event", bool), ("time", float)]),
            "fields 'event', 'time', such",
        ),
        ([[1, 0], [0, 1]], r"shape \(2, 2\)"),
        ([[1, 2], [3]], "holds list"),
        (csr_array([[1, 0], [0, 1]]), "sparse table of labels"),
        ("abc", r"shape \(\)"),
    ],
)
def test_what_is_no_class(labels, words):
    with pytest.raises(ValueError, match=f"^y .*{words}"):
        fit(labels)


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([2**53, 2**53 + 1], "i"),
        ([True, False], "b"),
        (["a", "b"], "O"),
        (np.array(["a", "b"]), "U"),
        (pd.Series(["a", "b"], dtype="category"), "O"),
        (np.array([1, 2], dtype=object), "i"),
        (np.array([2.0, 1.0]), "f"),
    ],
)
def test_classes_keep_their_kind(labels, kind):
    found = fit(labels).classes_
    assert found.dtype.kind == kind
    assert len(found) == 2


QUANTITY = np.random.default_rng(0).integers(20, 300, 120)


@pytest.mark.parametrize(
    "ask",
    [
        lambda X, y: PairCover(2).fit(X, y),
        lambda X, y: S2FS(2).fit(pd.DataFrame(X), pd.Series(y)),
        lambda X, y: SelectorCV(2, cv=2).fit(X, y),
        lambda X, y: StabilitySelector(n_resamples=2).fit(X, y),
        lambda X, y: AnovaF(2).fit(X, y.astype(float)),
        lambda X, y: s2fs.compare(X, y, k=2),
        lambda X, y: PairCover(2).fit(pl.LazyFrame({"a": X[:, 0], "b": X[:, 1], "y": y}), "y"),
    ],
)
def test_a_quantity_of_whole_numbers_is_no_class(ask):
    """Each number would be a class of one or two samples, and the list would say nothing."""
    X = np.random.default_rng(1).normal(size=(120, 4))
    with pytest.raises(ValueError, match=r"y looks like a quantity: it has \d+ different numbers"):
        ask(X, QUANTITY)


@pytest.mark.parametrize(
    "y",
    [
        np.arange(120) % 40,  # codes, of three samples each
        np.arange(120) % 60,  # of two: nothing is between them
        np.arange(120) % 60 + 100,
        3 * (np.arange(120) % 40),  # of three
        3 * (np.arange(120) % 20),
        QUANTITY.astype(str),
    ],
)
def test_classes_of_few_samples_are_classes(y):
    X = np.random.default_rng(1).normal(size=(120, 4))
    assert len(S2FS(2).fit(X, y).indices_) == 2


def test_inside_folds_every_class_is_smaller():
    """Faces, three of each person: two of them are left in a fold, and persons they stay."""
    X = np.random.default_rng(1).normal(size=(90, 4))
    y = 7 * (np.arange(90) % 30)
    result = s2fs.compare(X, y, k=2, selectors=["paircover"], cv=3, n_repeats=1)
    assert len(result.classes) == 30


def test_a_quantity_in_a_file(tmp_path):
    frame = pd.DataFrame({"x": QUANTITY / 7, "y": QUANTITY})
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match=r"'y' of .*looks like a quantity: it has \d+ different"):
        read_table(tmp_path / "t.csv", "y")
