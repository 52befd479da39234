"""A table as found in a file, before it is known what its columns mean."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2fs._util.inputs import repeated
from s2fs._util.messages import some_of
from s2fs._util.types import Floats
from s2fs.datasets._errors import remark


@dataclass
class Frame:
    """Columns of numbers in one array, and the others cell by cell.

    Attributes
    ----------
    source : str
        What error messages call the file.
    names : list of str
        One name for each column; empty where the file has none.
    numbers : ndarray of shape (n_rows, n_numeric)
        The columns in which every cell is a number or missing (NaN), in their order.
    cells : dict of int to sequence
        The other columns by position: text, or values as the file has them.
    row_names : list of str or None
        What the file calls the rows.
    annotation : dict of str to list
        What else the file says about the rows, and what is no feature.
    written : bool
        Whether the cells are text as written in the file, and not values of several types.
    """

    source: str
    names: list[str]
    numbers: Floats
    cells: dict[int, Any]
    row_names: list[str] | None = None
    annotation: dict[str, list[str]] = field(default_factory=dict)
    written: bool = True

    @classmethod
    def of_columns(cls, source: str, names: list[str], columns: Sequence[Any]) -> "Frame":
        """A frame of columns that are arrays of float64, or sequences of anything else."""
        cells = {j: c for j, c in enumerate(columns) if not isinstance(c, np.ndarray)}
        n = len(columns[0]) if columns else 0
        numbers = np.empty((n, len(columns) - len(cells)), order="F")
        arrays = (column for column in columns if isinstance(column, np.ndarray))
        for k, column in enumerate(arrays):
            numbers[:, k] = column
        return cls(source, names, numbers, cells, written=False)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.numbers)

    def place_of(self, position: int) -> int:
        """Where a numeric column is in ``numbers``."""
        return position - sum(j < position for j in self.cells)

    def column(self, position: int) -> Any:
        """One column: float64, or the cells of one that is not numbers."""
        if position in self.cells:
            return self.cells[position]
        return self.numbers[:, self.place_of(position)]

    def take(self, positions: Sequence[int]) -> Floats:
        """Numeric columns as one array, without a copy where they lie side by side."""
        places = np.setdiff1d(np.arange(len(self.names)), list(self.cells), assume_unique=True)
        found = np.searchsorted(places, positions)
        if len(found) and len(found) == found[-1] - found[0] + 1 and (np.diff(found) == 1).all():
            return self.numbers[:, found[0] : found[-1] + 1]
        return self.numbers[:, found]

    def without_rows(self, left_out: Any) -> None:
        """Leave out the rows of a mask."""
        kept = np.flatnonzero(~left_out).tolist()
        self.numbers = self.numbers[kept]
        self.cells = {j: [column[i] for i in kept] for j, column in self.cells.items()}
        if self.row_names is not None:
            self.row_names = [self.row_names[i] for i in kept]
        self.annotation = {k: [v[i] for i in kept] for k, v in self.annotation.items()}


def unique_names(names: Sequence[str], source: str) -> list[str]:
    """The names with the later ones of equal ones numbered: a, a.1, a.2.

    The first column may be without a name, others are numbered; a note says what was done.
    """
    given = [name or (f"unnamed_{j}" if j else "") for j, name in enumerate(names)]
    twice = repeated(given)
    if not twice:
        return given
    taken, count_of, result = set(given), dict.fromkeys(twice, 0), []
    seen: set[str] = set()
    for name in given:
        new = name
        while new in seen:
            count_of[name] += 1
            new = f"{name}.{count_of[name]}"
            if new in taken:
                new = name
        seen.add(new)
        result.append(new)
    remark(
        f"{source} has more than one column named {some_of(twice)}; the later ones are called "
        f"{twice[0]}.1 and so on."
    )
    return result
