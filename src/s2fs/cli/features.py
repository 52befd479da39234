"""The features of a table as users name them: one for each column of the file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from s2fs._utils.columns import Columns
from s2fs._utils.features import Features

if TYPE_CHECKING:
    from s2fs.io import Dataset


def list_features(data: "Dataset") -> tuple[Features, list[str]]:
    """Which columns of the numbers are one feature, and the name of each feature."""
    features = Features(len(data.feature_names), data.feature_groups or ())
    columns = data.columns
    return features, [columns[features.columns_of(f)[0]] for f in range(features.n)]


def find_features(
    data: "Dataset", wanted: Sequence[str], argument: str, file: Path
) -> list[list[int]]:
    """The columns of each feature that was named, by its name, a level of it or its position."""
    features, names = list_features(data)
    named = [part.strip() for one in wanted for part in str(one).split(",")]
    levels = [n for n in data.feature_names if n not in names and (n in wanted or n in named)]
    positions = Columns.of_file([*names, *levels], file).positions(wanted, argument)
    return [
        features.columns_of(p)
        if p < features.n
        else [data.feature_names.index(levels[p - features.n])]
        for p in positions
    ]
