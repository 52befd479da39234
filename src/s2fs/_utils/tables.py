"""Small tables in whatever data frame library is installed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def as_table(columns: dict[str, NDArray[Any]]) -> Any:
    """A pandas or polars data frame, or a structured array where neither is installed."""
    for library in ("pandas", "polars"):
        try:
            return __import__(library).DataFrame(columns)
        except ImportError:
            continue
    table = np.empty(
        len(next(iter(columns.values()))), dtype=[(n, c.dtype) for n, c in columns.items()]
    )
    for name, column in columns.items():
        table[name] = column
    return table
