"""Which columns of a table are one feature."""

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from s2fs._utils.types import Indices


class Features:
    """The features of a table: single columns, and groups of columns that are one feature.

    Features are numbered in the order of their first columns; without groups a feature has the
    number of its column.

    Parameters
    ----------
    n_columns : int
        How many columns the table has.
    groups : iterable of sequence of int, optional
        The columns of each feature that has several, in the order in which they are selected.

    Attributes
    ----------
    n : int
        How many features there are.
    of_column : ndarray of shape (n_columns,)
        The feature of each column.
    """

    def __init__(self, n_columns: int, groups: Iterable[Sequence[int]] = ()) -> None:
        self._groups = [list(group) for group in groups if len(group) > 1]
        first = np.arange(n_columns)
        for group in self._groups:
            first[group] = min(group)
        self._first, self.of_column = first, first
        if self._groups:
            self._first, self.of_column = np.unique(first, return_inverse=True)
        self.n = len(self._first)
        self._columns_of = {int(self.of_column[group[0]]): group for group in self._groups}

    @property
    def groups(self) -> list[list[int]] | None:
        """The columns of each feature that has several; None if there is no such feature."""
        return self._groups or None

    def columns_of(self, feature: int) -> list[int]:
        """The columns of a feature."""
        return self._columns_of.get(feature) or [int(self._first[feature])]

    def find(self, columns: Iterable[int] | Indices) -> Indices:
        """The features of some columns, each once, in the order in which they come."""
        found = self.of_column[np.asarray(columns, dtype=np.intp)]
        return found if not self._groups else np.array([*dict.fromkeys(found.tolist())], np.intp)

    def expand(self, features: Indices) -> tuple[Indices, Indices]:
        """The columns of some features, and for each number of first features how many they are.

        The second has an entry more than there are features: no feature has no column.
        """
        if not self._groups:
            return self._first[features], np.arange(len(features) + 1)
        parts = [self.columns_of(f) for f in np.asarray(features).tolist()]
        ends = np.concatenate([[0], np.cumsum([len(part) for part in parts], dtype=np.intp)])
        return np.fromiter(chain.from_iterable(parts), np.intp), ends
