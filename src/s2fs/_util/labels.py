"""Class labels as codes."""

import math
from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2fs._util.columns import is_missing
from s2fs._util.messages import some_of
from s2fs._util.types import Indices


def encode_classes(y: NDArray[Any]) -> tuple[NDArray[Any], Indices]:
    """The classes of ``y``, sorted, and for each label the position of its class.

    The classes are the labels as they are given. None may be missing.
    """
    try:
        classes, codes = np.unique(y, return_inverse=True)
        missing = classes.dtype.kind == "f" and bool(np.isnan(classes).any())
    except TypeError:  # labels that cannot be sorted
        missing = True
    if missing:
        raise ValueError("y has missing labels, or of different kinds; give every row a class.")
    return classes, codes


def read_labels(labels: Sequence[Any] | NDArray[Any], source: str) -> tuple[NDArray[Any], Indices]:
    """The classes of labels as found in a file, and their codes, −1 where a label is missing.

    Whole numbers and truth values stay what they are and are sorted by value; anything else is
    text. Missing are None, NaN, infinity, and text such as "NA".

    Parameters
    ----------
    labels : sequence or array
        One label for each row.
    source : str
        What error messages call the labels.

    Returns
    -------
    classes : ndarray
        The classes, sorted.
    codes : ndarray
        For each label the position of its class in ``classes``.
    """
    position_of: dict[Any, int] = {}  # each distinct label is looked at once
    found = labels.tolist() if isinstance(labels, np.ndarray) else labels
    positions = [position_of.setdefault(label, len(position_of)) for label in found]
    infinite = (math.inf, -math.inf)
    known = [not is_missing(label) and label not in infinite for label in position_of]
    values = np.array(list(compress(position_of, known)))
    if values.dtype.kind == "f":
        if (fractions := values[values != np.floor(values)]).size:
            raise ValueError(
                f"{source} holds fractions such as {fractions[0]:g}, so it is a quantity and not a "
                "class; choose another column or group the values."
            )
        values = values.astype(np.int64)
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
            f"{source} has one class only ({some_of(classes)}); at least two are needed."
        )
