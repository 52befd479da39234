"""The data of a report: values, classes and the names of everything, whatever was given."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_consistent_length, column_or_1d

from s2fs._util.types import Floats, Indices
from s2fs.datasets import Dataset

#: A sparse table of at most this many numbers is made dense to be drawn; that takes 128 MB.
MOST_NUMBERS = 1 << 24


def made_dense(data: Dataset) -> Dataset:
    """The same data with a dense table; raise if that would be too large.

    Parameters
    ----------
    data : Dataset
        Data with a dense or a sparse table.

    Returns
    -------
    Dataset
        The data given, if they are dense.

    Examples
    --------
    >>> from s2fs.datasets import load_srbct
    >>> from s2fs.report import made_dense
    >>> data = load_srbct()
    >>> made_dense(data) is data
    True
    """
    return data._replace(X=_dense(data.X)) if issparse(data.X) else data


def _dense(X: Any) -> NDArray[Any]:
    n, m = X.shape
    if n * m > MOST_NUMBERS:
        raise ValueError(
            f"report needs a dense table, but the data are sparse and {n} × {m}, more than "
            f"{MOST_NUMBERS} numbers; leave the report out, or make it of fewer rows or columns."
        )
    return X.toarray()


@dataclass(frozen=True, eq=False)
class Table:
    """What a report is about.

    ``X`` and ``labels`` are as the selector got them, but not sparse; ``values`` are numbers, with
    the median of a feature where a value is missing, and ``codes`` the positions of the classes.
    Samples without a name are "row 1", "row 2", …. The last four are those of a Dataset.
    """

    X: Any
    labels: NDArray[Any]
    values: Floats
    codes: Indices
    features: list[str]
    classes: list[str]
    samples: list[str]
    image_shape: tuple[int, int] | None = None
    image_order: Literal["C", "F"] = "C"
    incomplete: Any = None
    imputer: Any = None
    groups: Any = None
    sample_weight: Any = None
    covariates: Any = None
    repeated_subjects: Sequence[str] = ()

    @classmethod
    def of(
        cls, X: Any, y: Any, groups: Any = None, sample_weight: Any = None, covariates: Any = None
    ) -> "Table":
        """Take a dataset, or a table and its labels."""
        if isinstance(X, Dataset):
            if y is not None:
                raise ValueError("y is given, but X is a Dataset, which has its own; leave it out.")
            data = made_dense(X)
            return cls(
                data.X,
                data.y,
                _numbers(data.X),
                data.y,
                list(data.feature_names),
                list(data.class_names),
                _names(data.sample_ids, data.X.shape[0]),
                data.image_shape,
                data.image_order or "C",
                *data.for_folds(),
                data.groups if groups is None else groups,
                sample_weight,
                data.covariates if covariates is None else covariates,
                data.repeated_subjects,
            )
        if y is None:
            raise ValueError("y is None; give a label per row of X.")
        X = _dense(X) if issparse(X) else X
        labels = column_or_1d(y)
        check_consistent_length(X, labels)
        classes, codes = np.unique(labels, return_inverse=True)
        values = _numbers(X)
        frame = nw.from_native(X, pass_through=True)
        named = isinstance(frame, nw.DataFrame)
        features = frame.columns if named else [f"x{f}" for f in range(values.shape[1])]
        index = getattr(X, "index", None) if named else None
        counted = index is None or type(index).__name__ == "RangeIndex"
        return cls(
            X,
            labels,
            values,
            codes,
            [str(name) for name in features],
            [str(label) for label in classes],
            _names(None if counted else index, len(values)),
            groups=None if groups is None else column_or_1d(groups),
            sample_weight=sample_weight,
            covariates=covariates,
        )

    @property
    def n_filled(self) -> int:
        """How many values were missing and have been filled in."""
        return 0 if self.imputer is None else int(np.isnan(self.incomplete).sum())

    @property
    def n_missing(self) -> int:
        """How many values are missing."""
        return int(np.isnan(np.asarray(self.X, dtype=np.float64)).sum())

    @property
    def fingerprint(self) -> str:
        """The SHA-256 digest of values and classes, to recognise the data again."""
        digest = sha256(repr(self.values.shape).encode())
        digest.update(np.ascontiguousarray(self.values))
        digest.update(np.ascontiguousarray(self.codes, dtype=np.int64))
        return digest.hexdigest()


def _numbers(X: Any) -> Floats:
    """The values, with the median of a feature where one is missing."""
    values = np.asarray(X, dtype=np.float64)
    if np.isinf(values).any():
        raise ValueError("X has infinite values; replace them before you select.")
    if not np.isnan(values).any():
        return values
    median = np.array([np.median(c[~np.isnan(c)]) if len(c[~np.isnan(c)]) else 0 for c in values.T])
    return np.where(np.isnan(values), median, values)


def _names(names: Any, n: int) -> list[str]:
    return [f"row {i + 1}" for i in range(n)] if names is None else [str(name) for name in names]
