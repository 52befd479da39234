"""Names as a page shows them: short ones of long ones, and symbols for identifiers."""

import csv
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from s2fs._utils.labels import are_numbers
from s2fs._utils.messages import truncate_middle
from s2fs._utils.short_names import shorten_names

#: The longest name of a feature, and of a class, that is shown in full.
LONGEST_FEATURE, LONGEST_CLASS = 26, 22


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
