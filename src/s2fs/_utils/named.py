"""Arrays whose columns have names, for tables read from a file: no copy, no data frame library."""

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse


class NamedArray(np.ndarray[Any, Any]):
    """An array that knows the names of its columns; ``columns`` is None if they are not known."""

    columns: list[str] | None = None

    def __getitem__(self, key: Any) -> Any:
        """Index as any array; a selection of rows keeps the names of the columns."""
        part = super().__getitem__(key)
        if isinstance(part, NamedArray) and part.ndim == 2 and not isinstance(key, tuple):
            part.columns = self.columns
        return part


def with_names(X: Any, names: Sequence[str]) -> Any:
    """The same numbers, dense or sparse, with names for the columns; nothing is copied."""
    named: Any = copy(X) if issparse(X) else np.asarray(X).view(NamedArray)
    named.columns = list(names)
    return named


def names_of(X: Any) -> NDArray[Any] | None:
    """The names that :func:`with_names` has given to an array."""
    if not (isinstance(X, NamedArray) or issparse(X)):
        return None
    names = getattr(X, "columns", None)
    return None if names is None else np.array(names, dtype=object)
