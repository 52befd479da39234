"""The samples of an evaluation, checked: values, classes, and what goes with them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array, issparse
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.utils import _safe_indexing, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from s2fs._utils.columns import reject_nonfinite_columns, reject_text_columns
from s2fs._utils.features import Features
from s2fs._utils.labels import reject_quantity
from s2fs._utils.named import names_of
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.covariates import (
    Covariates,
    check_complete,
    covariate_columns,
    encode_covariates,
    remove_learnt_covariates,
)
from s2fs.criteria.weights import check_sample_weight
from s2fs.search.constraints import find_features


@dataclass(frozen=True)
class EvaluationSamples:
    """What selectors and the learner are given.

    Attributes
    ----------
    X : array, sparse array or data frame of shape (n_samples, n_features)
        The table as given, for selectors that know features by name.
    values : ndarray or csc_array of shape (n_samples, n_features)
        The same as numbers; a sparse table stays sparse.
    y : ndarray of shape (n_samples,)
        Class labels.
    classes : ndarray of shape (n_classes,)
        The labels, each once, sorted.
    codes : ndarray of shape (n_samples,)
        For each sample the position of its label in ``classes``.
    groups : ndarray of shape (n_samples,) or None
        What each sample belongs to.
    sample_weight : ndarray of shape (n_samples,) or None
        How much each sample counts in a selection.
    covariates : structured ndarray of shape (n_samples,) or None
        What features are adjusted for, a field for each.
    encoded_covariates : Covariates or None
        The same, encoded.
    imputer : transformer or None
        What fills in missing values.
    features : Features
        Which columns are one feature.
    has_missing : bool
        Whether there are any.
    group_name : str
        What the groups are called, if they have a name.
    """

    X: Any
    values: Any
    y: NDArray[Any]
    classes: NDArray[Any]
    codes: Indices
    groups: NDArray[Any] | None
    sample_weight: Floats | None
    covariates: NDArray[Any] | None
    encoded_covariates: Covariates | None
    imputer: Any
    features: Features
    has_missing: bool
    group_name: str = ""

    @property
    def covariate_names(self) -> list[str]:
        """What the covariates are called."""
        return [] if self.covariates is None else list(self.covariates.dtype.names or ())

    @property
    def n_features(self) -> int:
        """The number of features, however many columns they have."""
        return self.features.n

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return int(self.values.shape[1])

    def adjust(self, values: Any, train: Indices) -> Any:
        """The complete table of a fold less what its training samples say of the covariates."""
        if self.encoded_covariates is None:
            return values
        return remove_learnt_covariates(values, self.codes, self.encoded_covariates, train)

    def fill(self, train: Indices) -> Any:
        """The table with its missing values filled in by what the training samples say."""
        if self.imputer is not None:
            return fill_missing(self.values, train, self.imputer)
        if not self.has_missing:
            return self.values
        return fill_missing(self.values, train, _make_median_imputer())


def fill_missing(X: Any, train: Indices, imputer: Any) -> Any:
    """The table as it is in one fold: what is missing is filled in by the training samples."""
    if imputer is None:
        return X
    return clone(imputer).fit(_safe_indexing(X, train)).transform(X)


def fill_by_medians(values: Any) -> Any:
    """A whole table, to be looked at: what is missing is filled in by the median of the feature."""
    return _make_median_imputer().fit_transform(values) if _has_missing(values) else values


def take_columns(values: Any, samples: Indices | None, columns: Indices) -> Floats:
    """Some columns of some samples, or of all if these are None, as a dense table of its own."""
    if issparse(values):
        part = values[:, columns]
        if samples is not None:
            part = part[samples]
        return np.asarray(part.toarray())
    if samples is None:
        return np.asarray(np.take(values, columns, axis=1))
    return np.asarray(values[np.ix_(samples, columns)])


def check_samples(
    X: Any,
    y: ArrayLike,
    imputer: Any,
    groups: Any,
    sample_weight: Any,
    covariates: Any,
    feature_groups: Any = None,
) -> EvaluationSamples:
    """Check what a comparison is given; error messages name the argument and the columns."""
    reject_text_columns(X)
    is_sparse = issparse(X)
    if is_sparse and covariates is not None:  # what is left of a feature has no zeros
        X, is_sparse = X.toarray(), False
    values = csc_array(X, dtype=np.float64) if is_sparse else np.asarray(X, dtype=np.float64)
    labels = column_or_1d(y)
    check_consistent_length(values, labels)
    reject_quantity(labels)
    check_classification_targets(labels)
    reject_nonfinite_columns(values, getattr(X, "columns", None), allow_nan=True)
    group_name = str(getattr(groups, "name", None) or "")
    if groups is not None:
        groups = column_or_1d(groups)
        check_consistent_length(values, groups)
    classes, codes = np.unique(labels, return_inverse=True)
    encoded_covariates = None
    if covariates is not None:
        if imputer is None:  # with one, the table of every fold is complete
            check_complete(values)
        covariates = covariate_columns(covariates, len(labels))
        encoded_covariates = encode_covariates(covariates, codes)
    return EvaluationSamples(
        X,
        values,
        labels,
        classes,
        codes,
        groups,
        None if sample_weight is None else check_sample_weight(sample_weight, len(labels)),
        covariates,
        encoded_covariates,
        imputer,
        find_features(feature_groups, values.shape[1], names_of(X)),
        _has_missing(values),
        group_name,
    )


def _make_median_imputer() -> SimpleImputer:
    # Features without any value stay: positions must not change.
    return SimpleImputer(strategy="median", keep_empty_features=True)


def _has_missing(values: Any) -> bool:
    stored = values.data if issparse(values) else values
    return bool(stored.size and np.isnan(stored.min()))  # no mask of the size of the table
