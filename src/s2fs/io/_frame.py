"""A table as found in a file, before anything is known about what its columns mean."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np

from s2fs._utils.cells import as_numbers, is_missing
from s2fs._utils.columns import find_repeated
from s2fs._utils.messages import format_names
from s2fs._utils.types import Floats
from s2fs.io._remarks import warn_reader

#: What pandas and R write for truth values, in lower case.
_TRUTH = {"true": "1", "false": "0"}
#: What stands before or behind every amount of a column.
_UNITS = ("%", "$", "€", "£")


@dataclass
class Frame:
    """Columns of numbers in one array, in their order, and the others cell by cell by position.

    A column without a name has an empty one. The ``annotation`` is what else a file says about
    its rows; cells are text as in the file (``is_text``), or values of several types. The file of a
    ``transposed`` one has features in rows. Text is read as numbers by ``parse``; the file
    ``has_mixed_marks`` if some numbers have a decimal comma and others a point. The ``partitions``
    are columns that stand in the names of folders. What the file itself says columns are for is
    ``declared``: "class", "meta", "ignore" or "weight" by name.
    """

    source: str
    names: list[str]
    numbers: Floats
    cells: dict[int, Any]
    row_names: list[str] | None = None
    annotation: dict[str, list[str]] = field(default_factory=dict)
    is_text: bool = True
    transposed: bool = False
    parse: Callable[[Sequence[Any]], Floats | None] = as_numbers
    has_mixed_marks: bool = False
    partitions: tuple[str, ...] = ()
    declared: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_columns(
        cls, source: str, names: list[str], columns: Sequence[Any], **more: Any
    ) -> "Frame":
        """A frame of columns that are arrays of float64, or sequences of anything else."""
        cells = {j: c for j, c in enumerate(columns) if not isinstance(c, np.ndarray)}
        arrays = [column for column in columns if isinstance(column, np.ndarray)]
        n = len(columns[0]) if columns else 0
        numbers = np.array(arrays, np.float64).reshape(len(arrays), n).T
        return cls(source, names, numbers, cells, is_text=False, **more)

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

    def with_row_names(self) -> "Frame":
        """The same with names of rows that have no place in the header as a first column."""
        if self.row_names is None or self.transposed:
            return self
        cells = {0: self.row_names, **{j + 1: column for j, column in self.cells.items()}}
        return replace(self, names=["", *self.names], cells=cells, row_names=None)

    def without_rows(self, left_out: Any) -> None:
        """Leave out the rows of a mask."""
        kept = np.flatnonzero(~left_out).tolist()
        self.numbers = self.numbers[kept]
        self.cells = {j: [column[i] for i in kept] for j, column in self.cells.items()}
        if self.row_names is not None:
            self.row_names = [self.row_names[i] for i in kept]
        self.annotation = {k: [v[i] for i in kept] for k, v in self.annotation.items()}


def unique_names(header: Sequence[str], source: str) -> list[str]:
    """The names with the later ones of equal ones numbered: a, a.1, a.2.

    The first column may be without a name, others are numbered; a note says what was done.
    """
    given = [name or (f"unnamed_{j}" if j else "") for j, name in enumerate(header)]
    names = numbered(given, ".")
    if twice := find_repeated(given):
        first = given.index(twice[0])
        later = next(new for old, new in zip(given[first + 1 :], names[first + 1 :], strict=True)
                     if old == twice[0])  # fmt: skip
        warn_reader(
            f"{source} has more than one column named {format_names(twice)}; the later ones are "
            f"called {later} and so on.",
            kind="equal names",
        )
    return names


def numbered(names: list[str], mark: str) -> list[str]:
    """The names with a number, after a mark, at the later ones of equal ones."""
    taken, result = set(names), []
    numbers: dict[str, Iterator[int]] = {}
    for name in names:
        new = name
        if name in numbers:
            new = next(n for i in numbers[name] if (n := f"{name}{mark}{i}") not in taken)
            taken.add(new)
        else:
            numbers[name] = count(1)
        result.append(new)
    return result


def as_plain_numbers(cells: Sequence[Any]) -> list[str] | None:
    """A column of true and false as 1 and 0, or of amounts such as 12% without their unit.

    Missing cells stay. None if the column holds anything else.
    """
    words = ["" if cell is None else str(cell).strip() for cell in cells]
    known = {word for word in set(words) if not is_missing(word)}
    if known and all(word.lower() in _TRUTH for word in known):
        return [_TRUTH.get(word.lower(), "") for word in words]
    for unit in _UNITS:
        if known and all(word.startswith(unit) or word.endswith(unit) for word in known):
            return [
                word.removeprefix(unit).removesuffix(unit).strip() if word in known else ""
                for word in words
            ]
    return None
