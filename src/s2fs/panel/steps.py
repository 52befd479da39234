"""What was done to a table before its features were selected, to be done to every new one."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from s2fs._utils.types import Floats


class Steps(NamedTuple):
    """The steps before the selection.

    Attributes
    ----------
    log2 : bool
        Whether log2(1 + x) was taken of all values.
    transpose : bool
        Whether the file had features in rows; a new one may have them in columns.
    impute : str or None
        What filled in missing values for the selection; the model always sees medians.
    levels : dict of str to list of str
        For each column of text that was encoded the words it had: ``colour=red`` is 1 where
        ``colour`` is "red".
    """

    log2: bool = False
    transpose: bool = False
    impute: str | None = None
    levels: Mapping[str, Sequence[str]] = {}

    def apply(self, values: Floats) -> Floats:
        """The values of features as the selection has seen them."""
        return take_log2(values) if self.log2 else values

    def to_dict(self) -> dict[str, Any]:
        """As a file holds it."""
        levels = {name: list(words) for name, words in self.levels.items()}
        return {**self._asdict(), "levels": levels}

    @classmethod
    def of_dict(cls, part: Any, source: str) -> "Steps":
        """Take them from a file; raises ValueError if something in it cannot be."""
        if part is None:
            return cls()
        if not isinstance(part, Mapping) or set(part) != set(cls._fields):
            raise ValueError(f"{source} is damaged: steps is no object; select and save again.")
        levels = part["levels"]
        is_right = (
            all(type(part[name]) is bool for name in ("log2", "transpose"))
            and (part["impute"] is None or isinstance(part["impute"], str))
            and isinstance(levels, Mapping)
            and all(
                isinstance(words, list) and all(isinstance(word, str) for word in words)
                for words in levels.values()
            )
        )
        if not is_right:
            raise ValueError(
                f"{source} is damaged: steps has a value that cannot be; select and save again."
            )
        return cls(**part)


def take_log2(values: Floats) -> Floats:
    """log2(1 + x); what is below 0 counts as 0."""
    return np.log2(np.maximum(values, 0) + 1)


def undo_log2(values: Floats) -> Floats:
    """2ˣ − 1, infinite where no number is as large."""
    with np.errstate(over="ignore"):
        return np.exp2(values) - 1
