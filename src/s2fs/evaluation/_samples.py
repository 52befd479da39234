"""The samples of an evaluation, checked: values, classes, and what goes with them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.impute import SimpleImputer
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from s2fs._core.covariates import (
    Covariates,
    check_complete,
    covariate_columns,
    encode_covariates,
    remove_learnt_covariates,
)
from s2fs._core.weights import check_sample_weight
from s2fs._util.inputs import reject_nonfinite_columns, reject_text_columns
from s2fs._util.types import Floats, Indices
from s2fs.evaluation._folds import filled


@dataclass(frozen=True)
class EvaluationData:
    """What selectors and the learner are given."""

    X: Any  # as given, for selectors that know features by name
    values: Floats
    y: NDArray[Any]
    classes: NDArray[Any]
    codes: Indices
    groups: NDArray[Any] | None
    sample_weight: Floats | None
    covariates: NDArray[Any] | None  # a field for each
    adjusted_for: Covariates | None  # the same, encoded
    imputer: Any
    has_missing: bool

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.values.shape[1]

    def adjust(self, values: Floats, train: Indices) -> Floats:
        """The complete table of a fold less what its training samples say of the covariates."""
        if self.adjusted_for is None:
            return values
        return remove_learnt_covariates(values, self.codes, self.adjusted_for, train)

    def fill(self, train: Indices) -> Floats:
        """The table with its missing values filled in by what the training samples say."""
        if self.imputer is not None:
            return filled(self.values, train, self.imputer)
        if not self.has_missing:
            return self.values
        median = SimpleImputer(strategy="median", keep_empty_features=True)
        return filled(self.values, train, median)


def check_data(
    X: Any, y: ArrayLike, imputer: Any, groups: Any, sample_weight: Any, covariates: Any
) -> EvaluationData:
    """Check what a comparison is given; error messages name the argument and the columns."""
    reject_text_columns(X)
    if issparse(X):
        X = X.toarray()
    values, labels = np.asarray(X, dtype=np.float64), column_or_1d(y)
    check_consistent_length(values, labels)
    check_classification_targets(labels)
    reject_nonfinite_columns(values, getattr(X, "columns", None), allow_nan=True)
    if groups is not None:
        groups = column_or_1d(groups)
        check_consistent_length(values, groups)
    classes, codes = np.unique(labels, return_inverse=True)
    adjusted_for = None
    if covariates is not None:
        check_complete(values)
        covariates = covariate_columns(covariates, len(labels))
        adjusted_for = encode_covariates(covariates, codes)
    return EvaluationData(
        X,
        values,
        labels,
        classes,
        codes,
        groups,
        None if sample_weight is None else check_sample_weight(sample_weight, len(labels)),
        covariates,
        adjusted_for,
        imputer,
        bool(np.isnan(values).any()),
    )
