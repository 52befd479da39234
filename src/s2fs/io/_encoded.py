"""Features as numbers, with columns of text as columns of 0 and 1."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from s2fs._utils.arguments import Argument
from s2fs._utils.cells import is_missing
from s2fs._utils.types import Floats
from s2fs.io._errors import UnreadableError
from s2fs.io._frame import Frame
from s2fs.io._options import ReadOptions
from s2fs.io._text_columns import MANY_WORDS


def make_features(
    frame: Frame, kept: list[int], encoded: list[int], options: ReadOptions
) -> tuple[Floats, list[str], list[list[int]], dict[str, list[str]]]:
    """The features as numbers, with text encoded; names; columns that belong together; words."""
    numbers = {f: frame.parse(frame.cells[f]) for f in kept if f in frame.cells}
    if not numbers:
        return frame.take(kept), [frame.names[f] for f in kept], [], {}
    columns: list[Floats] = []
    names: list[str] = []
    groups: list[list[int]] = []
    levels: dict[str, list[str]] = {}
    for f in kept:
        if f in encoded:
            levels[frame.names[f]] = find_words(frame.cells[f], options.missing_words)
            made = _one_hot(frame, f, options.missing_words)
            groups.append(list(range(len(names), len(names) + len(made))))
            names += made
            columns += made.values()
        else:
            names.append(frame.names[f])
            values = numbers.get(f)
            columns.append(frame.column(f) if values is None else values)
    return np.column_stack(columns), names, groups, levels


def find_words(cells: Iterable[Any], missing: frozenset[str]) -> list[str]:
    """The different words of a column of text, sorted, without those that stand for nothing."""
    return sorted(word for word in {str(c).strip() for c in cells} if not is_missing(word, missing))


def _one_hot(frame: Frame, position: int, missing: frozenset[str]) -> dict[str, Floats]:
    """A column for each word; of two words the second has one."""
    name = frame.names[position]
    cells = [str(cell).strip() for cell in frame.cells[position]]
    different = set(cells)
    words = find_words(different, missing)
    if len(words) > MANY_WORDS:
        raise UnreadableError(
            f"{frame.source} has {len(words)} different words in column {name!r}, too many for a "
            "category; leave it out with ",
            Argument("drop"),
            ".",
        )
    code_of = {word: code for code, word in enumerate(words)}
    codes = np.array([code_of.get(cell, -1) for cell in cells])
    if len(words) == len(different) == 2:
        words = words[1:]
    return {f"{name}={word}": (codes == code_of[word]).astype(np.float64) for word in words}
