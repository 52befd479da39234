"""Arrays whose columns have names, for tables read from a file: no copy, no data frame library."""

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse


class NamedArray(np.ndarray[Any, Any]):
    """An array that knows the names of its columns, as do some of its rows; None if it does not."""

    columns: list[str] | None = None

    def __getitem__(self, key: Any) -> Any:
        """As of any array; rows keep the names."""
        found = super().__getitem__(key)
        if isinstance(found, NamedArray) and found.ndim == 2 and not isinstance(key, tuple):
            found.columns = self.columns
        return found


def with_names(X: Any, names: Sequence[str]) -> Any:
    """The same numbers, dense or sparse, with names for the columns; nothing is copied."""
    named: Any = copy(X) if issparse(X) else np.asarray(X).view(NamedArray)
    named.columns = list(names)
    return named


def names_of(X: Any) -> NDArray[Any] | None:
    """The names that :func:`with_names` has given to an array."""
    names = getattr(X, "columns", None) if isinstance(X, NamedArray) or issparse(X) else None
    return None if names is None else np.array(names, dtype=object)
