"""Class labels: how they are checked and encoded as 0, 1 and so on."""

import math
from collections.abc import Sequence
from itertools import compress
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._utils.cells import is_missing
from s2fs._utils.messages import format_named, format_names
from s2fs._utils.types import Floats, Indices

#: Numbers of more classes than this, most with fewer samples than that, are a quantity.
_MANY_CLASSES, _FEW_SAMPLES = 20, 3


def check_labels(y: Any, source: str = "y") -> NDArray[Any]:
    """The labels as an array, if they are classes: whole numbers, truth values, text.

    Labels keep their kind, so 1 and "1" in a list are not taken for one class. A table of a single
    column is taken as it is. Error messages call the labels ``source``.
    """
    if issparse(y):
        raise ValueError(f"{source} is a sparse table of labels; give one class per sample.")
    labels = np.array(y, dtype=object) if isinstance(y, list | tuple) else np.asarray(y)
    if labels.dtype == object:
        labels = _unify_kind(labels.ravel(), source).reshape(labels.shape)
    if labels.dtype.names:
        raise ValueError(
            f"{source} holds records with the fields {format_names(labels.dtype.names)}, such as "
            "survival times; give one class per sample."
        )
    if labels.ndim == 0 or labels.ndim > 2 or (labels.ndim == 2 and labels.shape[1] != 1):
        raise ValueError(
            f"{source} has the shape {labels.shape}, so samples do not have one label each; give "
            "one class per sample."
        )
    if labels.dtype.kind == "c":
        raise ValueError(f"{source}: Complex data not supported; give whole numbers or text.")
    if labels.dtype.kind not in "biufUTO":
        noun = {"S": "bytes", "M": "dates", "m": "durations"}.get(labels.dtype.kind, labels.dtype)
        raise ValueError(f"{source} holds {noun}; give whole numbers or text.")
    if labels.dtype.kind == "f":
        _reject_quantities(labels.ravel(), source)
    return labels


def reject_quantity(y: Any, source: str = "y") -> None:
    """Raise if labels are numbers of which most stand for one or two samples alone.

    Only whoever has all samples can tell: inside a fold every class is smaller.
    """
    labels = check_labels(y, source)
    if labels.dtype.kind in "iuf":
        values, counts = np.unique(labels, return_counts=True)
        reject_quantity_of_counts(values, counts, source)


def reject_quantity_of_counts(
    values: NDArray[Any] | Sequence[int], counts: NDArray[Any], source: str
) -> None:
    """Raise if these whole numbers, which so many samples have, are a quantity and no classes.

    Numbers without a gap, such as 0, 1, 2, …, number classes.
    """
    n = len(values)
    if n <= _MANY_CLASSES or 2 * np.count_nonzero(counts < _FEW_SAMPLES) <= n:
        return
    least, largest = int(min(values)), int(max(values))
    if largest - least + 1 > n:
        raise ValueError(
            f"{source} looks like a quantity: it has {n} different numbers, from {least} to "
            f"{largest}, most of them in fewer than {_FEW_SAMPLES} samples; cut it into classes, "
            "for example at its median, or write the numbers of classes as text."
        )


def are_numbers(names: Sequence[str]) -> bool:
    """Whether the classes are called by bare numbers, which say nothing in a sentence."""
    try:
        for name in names:
            float(name)
    except ValueError:
        return False
    return True


def _unify_kind(labels: NDArray[Any], source: str) -> NDArray[Any]:
    """Labels that may be any objects as an array of numbers or text."""
    missing = [sample for sample, label in enumerate(labels) if _is_missing_label(label)]
    if missing:
        raise ValueError(
            f"{source} has missing labels (None, NaN or infinity) in "
            f"{format_named('sample', missing)}; give every sample a class."
        )
    kinds = {_name_kind(type_) for type_ in set(map(type, labels.tolist()))}
    if len(kinds) > 1:
        raise ValueError(
            f"{source} has labels of different kinds ({', '.join(sorted(kinds))}); give all as "
            "whole numbers, or all as text."
        )
    if kinds == {"text"}:
        return labels
    if kinds and kinds != {"numbers"}:
        raise ValueError(f"{source} holds {kinds.pop()}; give whole numbers or text.")
    if all(isinstance(label, Integral) for label in labels):
        integers = np.array(labels.tolist())
        if integers.dtype.kind not in "biu":
            raise ValueError(
                f"{source} holds whole numbers of more than 63 bits; give them as text."
            )
        return integers
    return labels.astype(np.float64)


def _name_kind(type_: type) -> str:
    if issubclass(type_, str):
        return "text"
    if issubclass(type_, Real):
        return "numbers"
    return type_.__name__


def _is_missing_label(label: Any) -> bool:
    try:
        return label is None or bool(label != label) or label in (math.inf, -math.inf)
    except (TypeError, ValueError):  # pandas does not say whether NA is NA
        return not isinstance(label, list | tuple | np.ndarray)


def _reject_quantities(labels: Floats, source: str) -> None:
    """Raise if numbers in floating point are no classes."""
    if (missing := np.flatnonzero(~np.isfinite(labels))).size:
        raise ValueError(
            f"{source} has missing labels (NaN or infinity) in "
            f"{format_named('sample', missing)}; give every sample a class."
        )
    if (fractions := labels[labels != np.floor(labels)]).size:
        raise ValueError(
            f"{source} holds fractions such as {fractions[0]:g}, so it is a quantity (continuous) "
            "and not a class; group its values."
        )
    if (large := labels[np.abs(labels) >= 2**53]).size:
        raise ValueError(
            f"{source} holds {large[0]:.0f} in floating point, where neighbouring whole numbers of "
            "that size are equal; give integers or text."
        )


def encode_classes(y: NDArray[Any]) -> tuple[NDArray[Any], Indices]:
    """The classes of ``y``, sorted, and for each label the position of its class.

    The classes are the labels as they are given. None may be missing.
    """
    try:
        classes = np.unique(y)
        missing = classes.dtype.kind == "f" and bool(np.isnan(classes).any())
    except TypeError:  # labels that cannot be sorted
        missing = True
    if missing:
        raise ValueError(
            "y has missing labels, or labels of different kinds; give every sample a class."
        )
    return classes, np.searchsorted(classes, y)


def read_labels(labels: Sequence[Any] | NDArray[Any], source: str) -> tuple[NDArray[Any], Indices]:
    """The classes of labels as found in a file, and their codes, −1 where a label is missing.

    Whole numbers and truth values stay what they are and are sorted by value; anything else is
    text. Missing are None, NaN, infinity, and text such as "NA".
    """
    position_of: dict[Any, int] = {}  # each distinct label is looked at once
    given = labels.tolist() if isinstance(labels, np.ndarray) else labels
    positions = [position_of.setdefault(label, len(position_of)) for label in given]
    infinite = (math.inf, -math.inf)
    known = [not is_missing(label) and label not in infinite for label in position_of]
    labels_of_classes = list(compress(position_of, known))
    values = np.array(labels_of_classes)
    if values.dtype.kind in "fO" and all(type(label) is int for label in labels_of_classes):
        values = np.array(labels_of_classes, dtype=object)  # beyond 64 bits; floats would round
    elif values.dtype.kind == "f":
        if (fractions := values[values != np.floor(values)]).size:
            raise ValueError(
                f"{source} holds fractions such as {fractions[0]:g}, so it is a quantity and not a "
                "class; choose another column or group the values."
            )
        if (np.abs(values) < 2.0**63).all():
            values = values.astype(np.int64)
        else:
            values = np.array([int(value) for value in values], object)
    elif values.dtype.kind not in "biu":
        values = np.char.strip(values.astype(str))
    classes, codes_of_known = np.unique(values, return_inverse=True)
    codes = np.full(len(known), -1)
    codes[known] = codes_of_known
    return classes, codes[positions]


def reject_one_class(classes: NDArray[Any], source: str = "y") -> None:
    """Raise if there is a single class."""
    if len(classes) == 1:
        raise ValueError(
            f"{source} has one class only ({format_names(classes)}); at least two are needed."
        )
