"""Labels as codes: what is a class, what is missing, and in which order classes come."""

import numpy as np
import pytest

from s2fs._util.inputs import encode_classes, read_labels, reject_one_class


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
        with pytest.raises(ValueError, match="y has missing labels, or of different kinds"):
            encode_classes(y)


def test_one_class_is_not_enough():
    reject_one_class(np.array(["a", "b"]))
    with pytest.raises(ValueError, match=r"y has one class only \('a'\); at least two are needed"):
        reject_one_class(np.array(["a"]))
