"""The cells of a file: numbers, and what says that a value is not known."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.types import Floats

#: Cells that stand for "not known", in any case. The word "none" is not among them: it is a
#: class label in many tables.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "?"})

#: What many programs write where a number is not known, beside these.
_GAPS = frozenset(
    {"#n/a", "#value!", "#div/0!", "-", "--", ".", "*", "nd", "n.d.", "none", "missing", "<null>"}
)


def is_gap(cell: str) -> bool:
    """Whether a cell among numbers says that one is not known."""
    return cell.strip().lower() in _GAPS


def is_missing(cell: Any, missing: frozenset[str] = MISSING) -> bool:
    """Whether a cell is empty, or says that the value is not known."""
    if isinstance(cell, str):
        return cell.strip().lower() in missing
    return cell is None or bool(cell != cell)  # NaN is not equal to itself


def is_counter(cells: Sequence[str]) -> bool:
    """Whether cells are 0, 1, … or 1, 2, …, as row numbers are."""
    return any(list(cells) == [str(i + first) for i in range(len(cells))] for first in (0, 1))


def as_numbers(
    cells: Sequence[Any] | NDArray[Any], missing: frozenset[str] = MISSING
) -> Floats | None:
    """The cells as float64, NaN where one is missing; None if one of them is text."""
    if isinstance(cells, np.ndarray):
        return np.asarray(cells, dtype=np.float64)
    try:
        # Python reads 1_2 as twelve; in a data file it is an identifier.
        if "_" in "".join(cells):
            return None
        return np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except (TypeError, ValueError):  # not all cells are text, or not all of the text is numbers
        pass
    try:
        return np.array([np.nan if is_missing(cell, missing) else float(cell) for cell in cells])
    except ValueError:
        return None
