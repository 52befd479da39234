"""The values of the features: filled in, on a log scale, or looked at."""

from typing import Any

import numpy as np
from scipy.sparse import issparse

from s2fs._utils.messages import format_count
from s2fs.io._remarks import warn_reader

#: Tables with fewer features than this are hardly intensities, nor are values up to this one.
_WIDE, _MAX_LOG_VALUE = 200, 255
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
            f"{path} has {format_count(below, 'value')} below 0, which count as 0 for `log2`."
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
            f"{source} looks like raw intensities or counts, positive and skewed; "
            "`log2=True` usually selects better features."
        )
