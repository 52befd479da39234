"""What a single cell or label means: a number, a missing value, a class."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Cells that stand for "not known", in any case. The word "none" is not among them: it is a
#: class label in many tables.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "?"})


def as_numbers(column: Sequence[Any] | NDArray[Any]) -> NDArray[np.float64] | None:
    """Give the cells as float64, NaN where missing; None if one of them is text."""
    if isinstance(column, np.ndarray) and column.dtype == np.float64:
        return column
    # Python and NumPy read 1_2 as twelve; in a data file it is an identifier.
    if any(isinstance(cell, str) and "_" in cell for cell in column):
        return None
    try:
        return np.array(column, dtype=np.float64)
    except ValueError:
        pass
    try:
        return np.array([np.nan if is_missing(cell) else float(cell) for cell in column])
    except ValueError:
        return None


def is_missing(cell: Any) -> bool:
    """Tell whether a cell is empty or says that the value is not known."""
    if isinstance(cell, str):
        return cell.strip().lower() in MISSING
    return bool(np.isnan(cell))


def first_text(column: Sequence[Any]) -> str:
    """The first cell that is no number, to show in a complaint."""
    return str(next(cell for cell in column if as_numbers([cell]) is None))


def encode_labels(
    labels: Sequence[Any] | NDArray[Any], source: str
) -> tuple[NDArray[np.intp], list[str]]:
    """Turn labels into codes; numbers are sorted by value, everything else as text."""
    if isinstance(labels, np.ndarray):
        labels = labels.astype(np.float64) if labels.dtype.kind in "biuf" else labels.astype(str)
    numbers = as_numbers(labels)
    missing = (
        ~np.isfinite(numbers)
        if numbers is not None
        else np.array([is_missing(label) for label in labels])
    )
    if missing.any():
        raise ValueError(
            f"{source} has {missing.sum()} missing label(s), the first in data row "
            f"{np.argmax(missing) + 1}; label or remove these rows."
        )
    if numbers is None:
        classes, y = np.unique([str(label).strip() for label in labels], return_inverse=True)
        class_names = [str(name) for name in classes]
    else:
        whole = numbers == np.floor(numbers)
        if not whole.all():
            raise ValueError(
                f"{source} holds fractions such as {numbers[~whole][0]:g}, so it is a quantity and "
                "not a class; choose another column or group the values."
            )
        values, y = np.unique(numbers, return_inverse=True)
        class_names = [str(int(value)) for value in values]
    if len(class_names) < 2:
        raise ValueError(
            f"{source} has one class only ({class_names[0]!r}); at least two are needed."
        )
    return y, class_names
