"""The samples of one fold or subsample after the other, taken to one place in memory."""

import math
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from s2fs._utils.named import names_of, with_names
from s2fs._utils.types import Indices


class TrainingRows(threading.local):
    """Takes rows of a table; those it has taken before are overwritten, in each thread.

    To ask the system for the memory of a large table takes longer than to fill it, and the samples
    of a fold or subsample are not needed any more when the next one begins.
    """

    def __init__(self) -> None:
        self._place: NDArray[Any] = np.empty(0)

    def __reduce__(self) -> tuple[type["TrainingRows"], tuple[()]]:
        """Another process has a place of its own."""
        return TrainingRows, ()

    def take(self, X: Any, rows: Indices) -> Any:
        """Some rows of an array, sparse array or data frame; the place is for plain arrays only."""
        if not isinstance(X, np.ndarray) or not X.flags.c_contiguous:
            return _safe_indexing(X, rows)
        shape = len(rows), *X.shape[1:]
        size = math.prod(shape)
        if self._place.dtype != X.dtype or self._place.size < size:
            self._place = np.empty(size, X.dtype)
        taken = self._place[:size].reshape(shape)
        # Else NumPy fills a copy first, to leave the place alone if a row is not in the table.
        np.take(X, rows, axis=0, out=taken, mode="clip")
        names = names_of(X)
        return taken if names is None else with_names(taken, names.tolist())
