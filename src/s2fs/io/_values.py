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
    counts = np.bincount(codes)
    low, high = (
        np.array([reduce(X[codes == c], axis=0) for c in range(len(counts))])
        for reduce in (np.min, np.max)
    )
    is_constant = (low == high).all(axis=0)  # NaN is not equal to itself
    large = low[counts >= _MANY_SAMPLES]
    if len(large) < 2:
        return
    found = np.flatnonzero(is_constant & (large != large[0]).any(axis=0))
    if copies := list(dict.fromkeys(columns[f] for f in found)):
        advice = Argument("drop", copies[0]) if len(copies) == 1 else Argument("drop")
        warn_reader(
            f"{source} has one value inside every class in {format_named('column', copies)}; if "
            f"that was made from the classes, leave it out with ",
            advice,
            ".",
            kind="one value in every class",
        )
