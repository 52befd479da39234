"""The selected columns of a table that stays elsewhere: in a database, lazy frame or cluster."""

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from s2fs._utils.dask_inputs import compute_dask, is_dask
from s2fs._utils.labels import check_labels
from s2fs._utils.types import Floats, Indices
from s2fs.io.memory import check_size, parse_memory
from s2fs.lazy.frames import is_lazy_frame


def stays_elsewhere(X: Any) -> bool:
    """Whether the samples of a table are not in memory."""
    return is_dask(X) or is_lazy_frame(X)


def fetch_selected(
    X: Any, y: Any, indices: Indices, names: NDArray[Any], max_memory: int | str | None = None
) -> tuple[Floats, NDArray[Any]]:
    """The selected columns and the labels; raises ValueError if they take more than there is."""
    limit = parse_memory(max_memory)
    if is_dask(X):
        columns = X.iloc[:, indices] if hasattr(X, "iloc") else X[:, indices]
        values, labels = compute_dask(columns, y)
        return np.asarray(values, dtype=np.float64), check_labels(labels)
    frame = nw.from_native(X)
    n_rows = int(frame.select(nw.len()).collect().item())
    check_size(n_rows * (len(indices) + 1) * 8, limit, "What is selected of the table")
    selected = [str(names[f]) for f in indices]
    found = frame.select(*selected, y).collect()
    columns = [np.array(found[name].to_list(), dtype=np.float64) for name in selected]
    values = np.column_stack(columns) if columns else np.empty((n_rows, 0))
    labels = np.array(found[y].to_list(), dtype=object)
    has_label = np.array([label is not None for label in labels], dtype=bool)
    return values[has_label], check_labels(labels[has_label])
