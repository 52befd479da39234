"""Names as a page shows them: short ones of long ones, and symbols for identifiers."""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from s2fs._utils.labels import are_numbers
from s2fs._utils.messages import truncate_middle

#: The longest name of a feature, and of a class, that is shown in full.
LONGEST_FEATURE, LONGEST_CLASS = 26, 22
#: A shared beginning or end is left out if it has at least so many characters.
_LEAST_SHARED = 6
#: Where a name may be parted.
_SEPARATORS = "_-.:/| ;,"


class FeatureLabel(NamedTuple):
    """What a feature is called on a page.

    Attributes
    ----------
    symbol : str
        What is shown in place of the name, such as a gene symbol.
    description : str
        What is shown when pointed at.
    """

    symbol: str
    description: str = ""


def read_feature_labels(path: str | PathLike[str]) -> dict[str, FeatureLabel]:
    r"""Read symbols and descriptions of features from a table.

    Parameters
    ----------
    path : str or path-like
        A CSV file with a heading and two or three columns: the name of the feature in the data,
        its symbol, and a description. Tabs part the columns if the name ends in ``.tsv`` or
        ``.txt``.

    Returns
    -------
    dict of str to FeatureLabel
        For :class:`s2fs.report.Report`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from s2fs.report import read_feature_labels
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "genes.csv"
    >>> _ = path.write_text("id,symbol,description\nV153,CD99,a surface protein\n")
    >>> read_feature_labels(path)["V153"].symbol
    'CD99'
    """
    place = Path(path)
    delimiter = "\t" if place.suffix.lower() in (".tsv", ".txt") else ","
    try:
        with place.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file, delimiter=delimiter) if any(row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
        raise ValueError(
            f"names is {place.name!r}, which cannot be read ({reason}); give a CSV file."
        ) from None
    if len(rows) < 2 or len(rows[0]) < 2:
        raise ValueError(
            f"names is {place.name!r}, which has no table; give a heading and two columns: the "
            "name of each feature, and its symbol."
        )
    labels = {}
    for row in rows[1:]:
        name, symbol, description = [*row[:3], "", ""][:3]
        if symbol.strip():
            labels[name.strip()] = FeatureLabel(symbol.strip(), description.strip())
    return labels


def shorten_names(names: Sequence[str], longest: int) -> dict[str, str]:
    """What to show for each name: distinct, and at most ``longest`` characters or so.

    What all names begin or end with says nothing and is left out; what is still too long is cut in
    the middle. Names that are then equal get a number.
    """
    unique = list(dict.fromkeys(names))
    if all(len(name) <= longest for name in unique):
        return {name: truncate_middle(name, longest) for name in unique}
    start, end = _ends_to_leave_out(unique, longest)
    short = {}
    for name in unique:
        core = name[start : len(name) - end]
        short[name] = truncate_middle(f"{'…' if start else ''}{core}{'…' if end else ''}", longest)
    counts = Counter(short.values())
    numbers: Counter[str] = Counter()
    for name, text in short.items():
        if counts[text] > 1:
            numbers[text] += 1
            short[name] = f"{truncate_middle(text, longest - 4)} #{numbers[text]}"
    return short


def _ends_to_leave_out(names: Sequence[str], longest: int) -> tuple[int, int]:
    """How many characters at the beginning and at the end of all names are left out.

    The end alone if that is enough, then the beginning alone, then both.
    """
    start, end = _shared_ends(names)
    longest_name = max(map(len, names))
    for leave_out in ((0, end), (start, 0)):
        if sum(leave_out) > 0 and longest_name - sum(leave_out) < longest:
            return leave_out
    return start, end


def _shared_ends(names: Sequence[str]) -> tuple[int, int]:
    """How many characters all names share at the beginning and at the end, whole words if any."""
    if len(names) < 2:
        return 0, 0
    start = _length_to_strip(_shared_start(names))
    end = _length_to_strip(_shared_start([name[start:][::-1] for name in names]))
    if min(map(len, names)) <= start + end:  # nothing would be left of one of them
        return 0, 0
    return start, end


def _length_to_strip(shared: str) -> int:
    """Up to the last separator if that is worth it, else all of it if that is."""
    for length in (len(_up_to_separator(shared)), len(shared)):
        if length >= _LEAST_SHARED:
            return length
    return 0


def _shared_start(names: Sequence[str]) -> str:
    first, last = min(names), max(names)  # what these two share, all share
    for i, (one, other) in enumerate(zip(first, last, strict=False)):
        if one != other:
            return first[:i]
    return first


def _up_to_separator(text: str) -> str:
    """A shared end without the part of a word at which it happens to stop."""
    cuts = [i for i, character in enumerate(text) if character in _SEPARATORS]
    return text[: cuts[-1] + 1] if cuts else ""


def label_classes(classes: Sequence[str]) -> list[str]:
    """The names of classes for sentences: a bare number is called ``class 0``."""
    if are_numbers(classes):
        return [f"class {name}" for name in classes]
    return list(classes)


def label_features(
    names: Sequence[str], labels: Mapping[str, FeatureLabel] | None
) -> dict[str, FeatureLabel]:
    """What to show for each feature: its symbol, or its name as short as is needed."""
    known = labels or {}
    short = shorten_names([name for name in names if name not in known], LONGEST_FEATURE)
    shown = {}
    for name in names:
        if name in known:
            symbol, description = known[name]
            about = f"{name}: {description}" if description else name
            shown[name] = FeatureLabel(truncate_middle(symbol, LONGEST_FEATURE), about)
        else:
            shown[name] = FeatureLabel(short[name], name if short[name] != name else "")
    return shown
