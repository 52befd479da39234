"""Labels as codes: what is a class, what is missing, and in which order classes come."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from s2fs._util.inputs import check_labels, encode_classes, read_labels, reject_one_class


@pytest.mark.parametrize(
    ("labels", "classes", "codes"),
    [
        (["b", "a ", "b"], ["a", "b"], [1, 0, 1]),
        (np.array([10.0, 9, -1, np.nan, np.inf]), [-1, 9, 10], [2, 1, 0, -1, -1]),
        ([True, False, None], [False, True], [1, 0, -1]),
        (["10", "9", "NA", "none"], ["10", "9", "none"], [0, 1, -1, 2]),
        ([1, "a", 1], ["1", "a"], [0, 1, 0]),
        ([None, float("nan"), "?"], [], [-1, -1, -1]),
        (np.array(["u", "v"]), ["u", "v"], [0, 1]),
    ],
)
def test_labels_of_files(labels, classes, codes):
    found, found_codes = read_labels(labels, "y")
    assert found.tolist() == classes
    assert found_codes.tolist() == codes


def test_a_quantity_is_no_class():
    with pytest.raises(ValueError, match=r"age holds fractions such as 0\.5, so it is a quantity"):
        read_labels([1.0, 0.5, None], "age")


def test_labels_of_selectors():
    classes, codes = encode_classes(np.array([2.5, 1.5, 2.5]))
    assert (classes.tolist(), codes.tolist()) == ([1.5, 2.5], [1, 0, 1])
    for y in (np.array([1.0, np.nan]), np.array(["a", 1], dtype=object)):
        with pytest.raises(ValueError, match="y has missing labels, or labels of different kinds"):
            encode_classes(y)


def test_one_class_is_not_enough():
    reject_one_class(np.array(["a", "b"]))
    with pytest.raises(ValueError, match=r"y has one class only \('a'\); at least two are needed"):
        reject_one_class(np.array(["a"]))


EVENTS = [(True, 3.2), (False, 1.0)]


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([1, "1"], r"different kinds \(numbers, text\)"),
        (["a", None, "b"], r"missing labels .* in row\(s\) 1; give"),
        (["a", float("nan")], r"in row\(s\) 1"),
        (pd.Series(["a", None], dtype="string"), r"in row\(s\) 1"),
        (pd.Series([1, None], dtype="Int64"), r"in row\(s\) 1"),
        (pl.Series(["a", None]), r"in row\(s\) 1"),
        ([b"a", b"b"], "holds bytes; give whole numbers or text"),
        (np.array([b"a", b"b"]), "holds bytes"),
        (np.array(["2020-01-01"], "M8[D]"), "holds dates"),
        ([2**53, 2**53 + 1.0], "9007199254740992 in floating point"),
        ([2**64, 2**64 + 1], "more than 63 bits; give them as text"),
        (np.array([0.5, 1.0]), r"fractions such as 0\.5, so it is a quantity"),
        (EVENTS, r"the shape \(2, 2\), so the rows do not have one label each"),
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
    with pytest.raises(ValueError, match=f"^when .*{words}"):
        check_labels(labels, "when")


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
    found = check_labels(labels)
    assert found.dtype.kind == kind
    assert len(np.unique(found)) == 2
