"""Lazy frames of any engine: which columns are features, and which one holds the classes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from scipy.sparse import issparse

from s2fs._utils.columns import Columns, reject_text
from s2fs._utils.dask_inputs import is_dask
from s2fs._utils.messages import format_names


def is_lazy_frame(X: Any) -> bool:
    """Whether ``X`` is a table that is computed elsewhere or later, as a DuckDB relation is.

    A Dask collection is not meant: it has a way of its own.
    """
    # Narwhals takes longer to say no: it compares the names of all columns.
    if isinstance(X, np.ndarray) or issparse(X) or is_dask(X):
        return False
    if nw.dependencies.is_pandas_dataframe(X):
        return False
    try:
        return isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame)
    except nw.exceptions.DuplicateError:  # only a frame in memory has two columns of one name
        return False


@dataclass
class LazyTable:
    """A lazy frame whose columns are known.

    Attributes
    ----------
    frame : narwhals.LazyFrame
        The table.
    target : str
        The column with the classes.
    features : list of str
        All other columns, in their order.
    schema : mapping of str to DType
        The type of each column.
    """

    frame: "nw.LazyFrame[Any]"
    target: str
    features: list[str]
    schema: Mapping[str, Any]

    @classmethod
    def from_native(cls, X: Any, y: Any) -> "LazyTable":
        """Check the columns of a lazy frame; only its schema is looked at."""
        frame = nw.from_native(X)
        schema = frame.collect_schema()
        if not isinstance(y, str):
            raise ValueError(
                f"X is a lazy frame, but y is a {type(y).__name__}; give y as the name of the "
                f"column of X that holds the classes, one of {format_names(schema)}."
            )
        position = Columns(list(schema), len(schema)).position(y, "y")
        if schema[y].is_nested():
            raise ValueError(
                f"y is {y!r}, whose values are lists or records; give a column of whole numbers or "
                "text."
            )
        features = [name for name in schema if name != y]
        if not features:
            raise ValueError(f"X has no column beside {y!r}; give a table with features.")
        reject_text([name for name in features if not is_number(schema[name])])
        return cls(frame, list(schema)[position], features, schema)


def select_columns(
    X: Any,
    target: str | int,
    drop: Iterable[str | int] = (),
    source: str = "X",
) -> tuple[Any, list[str], list[str]]:
    """The features and the target of a lazy frame, by name or position, as a lazy frame.

    Columns that are no numbers are left out. The names of the features follow, and those of the
    columns that were left out.
    """
    frame = nw.from_native(X)
    schema = frame.collect_schema()
    names = list(schema)
    columns = Columns.of_file(names, source)
    label = columns.position(target, "target")
    kept = [names[f] for f in columns.without(drop, label)]
    features = [name for name in kept if is_number(schema[name])]
    text = [name for name in kept if not is_number(schema[name])]
    if not features:
        raise ValueError(
            f"{source} has no column of numbers beside the target; give a table with features."
        )
    return frame.select(*features, names[label]).to_native(), features, text


def take_first_rows(X: Any, names: Iterable[str], n_rows: int) -> dict[str, Any]:
    """The first rows of some columns of a lazy frame: numbers as float64, all else as lists."""
    columns = nw.from_native(X).select(*names).head(n_rows).collect()
    values: dict[str, Any] = {}
    for column in columns.iter_columns():
        if is_number(column.dtype):
            column = column.cast(nw.Float64)
            values[column.name] = np.array(column.to_list(), dtype=np.float64)
        else:
            values[column.name] = column.to_list()
    return values


def is_number(dtype: Any) -> bool:
    """Whether a column of this type can be a feature."""
    return bool(dtype.is_numeric()) or dtype == nw.Boolean
