"""The samples of a search: features, classes, weights, covariates and groups."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import column_or_1d

from s2fs._utils.messages import format_count, format_named
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.covariates import Covariates, remove_covariates
from s2fs.search.adjusted_sparse import AdjustedSparse


@dataclass(frozen=True)
class Samples:
    """What is known of the samples, each by its row.

    Attributes
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        The features, with what covariates explain.
    codes : ndarray of shape (n_samples,)
        The classes as 0, 1, …
    sample_weight : ndarray of shape (n_samples,) or None
        How much each sample counts, None for 1 each.
    covariates : Covariates or None
        What is to be taken away from the features.
    groups : ndarray of shape (n_samples,) or None
        The samples that belong together, as 0, 1, …
    """

    X: Any
    codes: Indices
    sample_weight: Floats | None = None
    covariates: Covariates | None = None
    groups: Indices | None = None

    def __getitem__(self, rows: Any) -> "Samples":
        return Samples(
            self.X[rows],
            self.codes[rows],
            None if self.sample_weight is None else self.sample_weight[rows],
            None if self.covariates is None else self.covariates[rows],
            None if self.groups is None else self.groups[rows],
        )

    @cached_property
    def adjusted(self) -> Any:
        """The features without what covariates explain."""
        if self.covariates is None:
            return self.X
        if issparse(self.X):
            return AdjustedSparse(self.X, self.codes, self.covariates, self.sample_weight)
        return remove_covariates(self.X, self.codes, self.covariates, self.sample_weight)


def check_groups(groups: Any, n_samples: int) -> Indices:
    """The numbers 0, 1, … of the groups that the samples belong to."""
    values = column_or_1d(groups)
    if len(values) != n_samples:
        raise ValueError(
            f"groups has {len(values)} entries for the {format_count(n_samples, 'sample')} of X; "
            "give one for each sample."
        )
    missing = [row for row, value in enumerate(values) if value is None or value != value]
    if missing:
        raise ValueError(
            f"groups has missing values in {format_named('sample', missing)}; give such samples a "
            "group of their own."
        )
    if values.dtype.kind == "O":  # what cannot be sorted has a name
        values = np.array([str(value) for value in values])
    return np.unique(values, return_inverse=True)[1]
