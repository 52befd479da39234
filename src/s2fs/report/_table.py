"""The data of a report: values, classes and the names of everything, whatever was given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array, issparse
from sklearn.impute import SimpleImputer
from sklearn.utils.validation import check_consistent_length, column_or_1d

from s2fs._utils.features import Features
from s2fs._utils.types import Floats, Indices
from s2fs.evaluation.samples import take_columns
from s2fs.io import Dataset
from s2fs.search.constraints import find_features

#: How many numbers of a table go into its fingerprint at once.
_BLOCK = 1 << 20


@dataclass(frozen=True, eq=False)
class Table:
    """What a report is about.

    ``X`` and ``labels`` are as the selector got them; ``values`` are numbers, sparse if ``X`` is,
    with the median of a feature where a value is missing, and ``codes`` the positions of the
    classes.
    Samples without a name are "row 1", "row 2", …. Most of the others are those of a Dataset.
    """

    X: Any
    labels: NDArray[Any]
    values: Any
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
    group_name: str = ""
    feature_groups: Any = None
    level_of: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        groups: Any = None,
        sample_weight: Any = None,
        covariates: Any = None,
        feature_groups: Any = None,
    ) -> "Table":
        """Take a dataset, or a table and its labels.

        The columns of text of a dataset are called by their own names, and not by their levels, if
        the selector was told which columns are one feature (``feature_groups``).
        """
        if isinstance(X, Dataset):
            if y is not None:
                raise ValueError("y is given, but X is a Dataset, which has its own; leave it out.")
            data = X
            is_whole = feature_groups is not None or data.feature_groups is None
            return cls(
                data.X,
                data.y,
                _numbers(data.X),
                data.y,
                data.columns if is_whole else list(data.feature_names),
                list(data.class_names),
                _names(data.sample_ids, data.X.shape[0]),
                data.image_shape,
                data.image_order or "C",
                *data.for_folds(),
                data.groups if groups is None else groups,
                sample_weight,
                data.covariates if covariates is None else covariates,
                data.repeated_subjects,
                feature_groups=feature_groups,
                level_of={f: word for f, (_, word) in data.level_of.items() if is_whole},
            )
        if y is None:
            raise ValueError("y is None; give a label per sample of X.")
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
            _names(None if counted else index, values.shape[0]),
            groups=None if groups is None else column_or_1d(groups),
            sample_weight=sample_weight,
            covariates=covariates,
            group_name=str(getattr(groups, "name", None) or ""),
            feature_groups=feature_groups,
        )

    @cached_property
    def layout(self) -> Features:
        """Which columns are one feature."""
        return find_features(self.feature_groups, self.values.shape[1], self.features)

    def columns(self, features: ArrayLike) -> Floats:
        """Some features of all samples, dense."""
        return take_columns(self.values, None, np.asarray(features, dtype=np.intp))

    @property
    def with_gaps(self) -> Any:
        """The table with NaN where a value is missing."""
        return self.X if self.imputer is None else self.incomplete

    @property
    def n_constant(self) -> int:
        """How many features have the same value in all samples."""
        ends = self.values.min(axis=0), self.values.max(axis=0)
        if issparse(self.values):
            ends = ends[0].toarray(), ends[1].toarray()
        return int(np.equal(*ends).sum())

    @property
    def n_filled(self) -> int:
        """How many values were missing and have been filled in."""
        return 0 if self.imputer is None else _count_missing(self.incomplete)

    @property
    def n_missing(self) -> int:
        """How many values are missing."""
        return _count_missing(self.X)

    @property
    def fingerprint(self) -> str:
        """The SHA-256 digest of values and classes, to recognise the data again."""
        n, m = self.values.shape
        digest = sha256(repr((n, m)).encode())
        rows = self.values.tocsr() if issparse(self.values) else self.values
        step = max(1, _BLOCK // max(m, 1))
        for start in range(0, n, step):
            block = rows[start : start + step]
            digest.update(np.ascontiguousarray(block.toarray() if issparse(block) else block))
        digest.update(np.ascontiguousarray(self.codes, dtype=np.int64))
        return digest.hexdigest()


def _numbers(X: Any) -> Any:
    """The values, with the median of a feature where one is missing; a sparse table stays so."""
    values = csc_array(X, dtype=np.float64) if issparse(X) else np.asarray(X, dtype=np.float64)
    stored = np.asarray(values.data if issparse(values) else values)
    # One value that is not finite makes the ends so; no mask of the size of the table is needed.
    lowest, highest = (stored.min(), stored.max()) if stored.size else (0.0, 0.0)
    if np.isfinite(lowest) and np.isfinite(highest):
        return values
    if np.isinf(stored).any():
        raise ValueError("X has infinite values; replace them before you select.")
    return SimpleImputer(strategy="median", keep_empty_features=True).fit_transform(values)


def _count_missing(X: Any) -> int:
    stored = X.data if issparse(X) else np.asarray(X, dtype=np.float64)
    return int(np.isnan(stored).sum())


def _names(names: Any, n: int) -> list[str]:
    return [f"row {i + 1}" for i in range(n)] if names is None else [str(name) for name in names]
