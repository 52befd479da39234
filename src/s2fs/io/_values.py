"""The values of the features: filled in, on a log scale, or looked at."""

from typing import Any

import numpy as np
from scipy.sparse import issparse

from s2fs._utils.arguments import Argument
from s2fs._utils.messages import format_count, format_named
from s2fs._utils.types import Indices
from s2fs.io._remarks import warn_reader

#: Tables with fewer features than this are hardly intensities, nor are values up to this one.
_WIDE, _MAX_LOG_VALUE = 200, 255
#: In two classes of at least so many samples one value each is hardly measured.
_MANY_SAMPLES = 10
#: So many rows, and columns at a time, are looked at first for one value inside every class.
_FIRST_ROWS, _COLUMNS = 64, 1024
#: How many neighbours fill in a missing value.
_NEIGHBOURS = 5


def make_imputer(kind: str) -> Any:
    from sklearn.impute import KNNImputer, SimpleImputer

    if kind == "knn":
        return KNNImputer(n_neighbors=_NEIGHBOURS, keep_empty_features=True)
    return SimpleImputer(strategy="median", keep_empty_features=True)


def take_log2(X: Any, path: Any) -> Any:
    """log2(1 + x); what is below 0 counts as 0, as in background-corrected intensities."""
    values = X.data if issparse(X) else X
    if below := int((values < 0).sum()):
        warn_reader(
            f"{path} has {format_count(below, 'value')} below 0, which count as 0 for ",
            Argument("log2"),
            ".",
        )
    logs = np.log2(np.maximum(values, 0) + 1)
    if not issparse(X):
        return logs
    X = X.copy()
    X.data = logs
    return X


def remark_on_intensities(X: Any, source: str) -> None:
    """Warn about raw intensities: positive, large and skewed."""
    if issparse(X) or X.shape[1] < _WIDE:
        return
    values = X[:, :: max(1, X.shape[1] // 2000)]
    if np.fmin.reduce(values, axis=None) < 0:
        return
    low, middle, high = np.nanquantile(values, [0, 0.5, 0.99])
    if low >= 0 and high > _MAX_LOG_VALUE and np.nanmean(values) > 1.5 * middle:
        warn_reader(
            f"{source} looks like raw intensities or counts, positive and skewed; ",
            Argument("log2", True),
            " usually selects better features.",
        )


def remark_on_copies(X: Any, codes: Indices, columns: list[str], source: str) -> None:
    """Warn about features with one value inside every class, as those made from the classes have.

    Two large classes must differ in them: few samples may well agree by chance. The ``columns``
    are those of the file that the features come from.
    """
    if issparse(X) or not X.size:
        return
    is_large = np.bincount(codes) >= _MANY_SAMPLES
    if is_large.sum() < 2:
        return
    found = _find_constant_inside(X, codes)
    values = X[np.ix_(np.unique(codes, return_index=True)[1][is_large], found)]
    found = found[(values != values[0]).any(axis=0)]
    if copies := list(dict.fromkeys(columns[f] for f in found)):
        advice = Argument("drop", copies[0]) if len(copies) == 1 else Argument("drop")
        warn_reader(
            f"{source} has one value inside every class in {format_named('column', copies)}; if "
            f"that was made from the classes, leave it out with ",
            advice,
            ".",
            kind="one value in every class",
        )


def _find_constant_inside(X: Any, codes: Indices) -> Indices:
    """The columns with one value inside every class; NaN is not equal to itself.

    A few rows rule out most columns of measured values.
    """
    first_rows = np.unique(codes, return_index=True)[1]
    found = [np.empty(0, np.intp)]
    for start in range(0, X.shape[1], _COLUMNS):
        columns = np.arange(start, min(start + _COLUMNS, X.shape[1]))
        row, n_rows = 0, _FIRST_ROWS
        while row < len(codes) and len(columns):
            rows = slice(row, row + n_rows)
            firsts = X[np.ix_(first_rows, columns)]
            columns = columns[(X[rows][:, columns] == firsts[codes[rows]]).all(axis=0)]
            row, n_rows = row + n_rows, 8 * n_rows
        found.append(columns)
    return np.concatenate(found)
