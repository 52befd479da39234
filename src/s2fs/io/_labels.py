"""Labels of samples as codes and names of classes."""

from collections.abc import Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from s2fs._utils.cells import as_numbers, is_missing
from s2fs._utils.columns import find_repeated
from s2fs._utils.labels import read_labels, reject_quantity_of_counts
from s2fs._utils.messages import format_names
from s2fs._utils.types import Indices
from s2fs.io._errors import UnreadableError
from s2fs.io._remarks import warn_reader

#: More classes than this, all whole numbers, are more likely a quantity; so are this many that do
#: not count from 0 or 1, such as grades or doses.
_MANY_CLASSES, _FEWEST_GRADES = 30, 5


class Labels(NamedTuple):
    """The labels of rows as codes, −1 where one is missing, and the names of the classes."""

    codes: Indices
    names: list[str]
    are_whole_numbers: bool


def encode_labels(
    cells: Sequence[Any], source: str, missing: frozenset[str], *, is_text: bool = False
) -> Labels:
    """Labels as codes.

    Where all cells are text because the file is (``is_text``), text that is numbers is sorted by
    value, and stays as it is written.
    """
    if not is_text:
        classes, codes = read_labels(cells, source)
        return Labels(codes, [str(name) for name in classes], classes.dtype.kind in "iuO")
    words = ["" if is_missing(cell, missing) else cell.strip() for cell in cells]
    known = sorted({word for word in words if word})
    values = as_numbers(known, frozenset())
    if values is not None and len(known):
        finite = np.isfinite(values)
        if (fractions := values[finite & (values != np.floor(values))]).size:
            raise _quantity_error(source, f"{fractions[0]:g}")
        exact = {word: whole_number(word) for word in compress(known, finite)}
        known = sorted(exact, key=lambda word: (exact[word], word))
        if twice := find_repeated(exact.values()):
            warn_reader(
                f"{source} writes one number in several ways "
                f"({format_names(word for word in known if exact[word] in twice)}); these are "
                "taken as different classes."
            )
    elif _are_mostly_fractions(known):
        raise _quantity_error(source, next(word for word in known if _is_fraction(word)))
    position = {word: code for code, word in enumerate(known)}
    codes = np.array([position.get(word, -1) for word in words], dtype=np.intp)
    return Labels(codes, known, values is not None)


def _quantity_error(source: str, example: str) -> UnreadableError:
    """The error on a target that is measured."""
    return UnreadableError(
        f"{source} holds fractions such as {example}, so it is a quantity and not a "
        "class; choose another column or group the values.",
        reason="quantity",
    )


def _are_mostly_fractions(words: list[str]) -> bool:
    """Whether labels are a quantity in which a few words stand for something else."""
    n_fractions = sum(map(_is_fraction, words))
    return len(words) > _MANY_CLASSES and n_fractions > len(words) / 2


def _is_fraction(word: str) -> bool:
    try:
        return not float(word).is_integer()
    except ValueError:
        return False


def whole_number(word: str) -> int:
    """A whole number without rounding, whatever its size."""
    try:
        return int(word)
    except ValueError:
        return int(float(word))


def remark_on_quantity(labels: Labels, source: str) -> None:
    """Say that whole numbers which are hardly the codes of classes are taken as such."""
    n = len(labels.names)
    if not labels.are_whole_numbers or n < _FEWEST_GRADES:
        return
    values = sorted(whole_number(name) for name in labels.names)
    try:
        reject_quantity_of_counts(values, np.bincount(labels.codes[labels.codes >= 0]), source)
    except ValueError as error:
        raise UnreadableError(str(error), reason="quantity") from None
    are_codes = values in (list(range(n)), list(range(1, n + 1)))
    if n > _MANY_CLASSES or not are_codes:
        warn_reader(
            f"{source} looks like a quantity: it has {n} different whole numbers, from "
            f"{values[0]} to {values[-1]}, each taken as a class; if it is one, choose another "
            "target or group the values.",
            kind="quantity",
        )
