"""A sparse table without the effects of categories, which would have no zeros: it is never made.

Samples with the same categories are a stratum, and what is taken away of a feature is one number
for each stratum. So moments inside the strata give those of the adjusted table, and a residual is
the difference to one mean for each class and stratum.
"""

from functools import reduce
from typing import Any

import numpy as np

from s2fs._native.class_moments import compute_class_moments
from s2fs._native.correlations import OverallCorrelations, WithinClassCorrelations
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.class_moments import BLOCK, ClassMoments, merge_moments
from s2fs.criteria.covariates import Covariates, fit_effects


class AdjustedSparse:
    """A sparse table less what categories explain.

    Parameters
    ----------
    X : sparse array of shape (n_samples, n_features)
        The table in CSC format, without missing values.
    codes : ndarray of shape (n_samples,)
        The class of each sample as 0, 1, …
    covariates : Covariates
        The categories; none is a number.
    sample_weight : ndarray of shape (n_samples,) or None
        How much each sample counts.

    Attributes
    ----------
    shape : tuple of int
        The shape of the table.
    """

    def __init__(
        self, X: Any, codes: Indices, covariates: Covariates, sample_weight: Floats | None
    ) -> None:
        self.shape: tuple[int, int] = X.shape
        self._X, self._codes, self._weight = X, codes, sample_weight
        self._n_classes = int(codes.max()) + 1
        _, first, self._strata = np.unique(
            covariates.strata, return_index=True, return_inverse=True
        )
        self._members = [np.flatnonzero(self._strata == s) for s in range(len(first))]
        self._parts = [X[rows] for rows in self._members]
        of_strata = self._compute_moments_of_strata(sample_weight, 1)
        self._effects = fit_effects(  # (n_strata, n_features)
            np.array([moments.means for moments in of_strata]),
            np.array([moments.sizes for moments in of_strata]),
            covariates.design[first],
        )

    def __getitem__(self, key: tuple[Any, Any]) -> Floats:
        """Some columns of all samples, which are dense."""
        _, columns = key
        dense = self._X[:, columns].toarray().astype(np.float64)
        return np.asarray(dense - self._effects[:, columns][self._strata])

    def compute_class_moments(self, weight: Floats | None, n_threads: int = 1) -> ClassMoments:
        """The class moments of the adjusted table."""
        of_strata = self._compute_moments_of_strata(weight, n_threads)
        return reduce(
            merge_moments,
            [
                moments._replace(
                    means=moments.means - effect,
                    lower=moments.lower - effect,
                    upper=moments.upper - effect,
                )
                for moments, effect in zip(of_strata, self._effects, strict=True)
            ],
        )

    def correlate_within_classes(
        self, moments: ClassMoments, weight: Floats | None, n_threads: int = 1
    ) -> WithinClassCorrelations:
        """The correlations inside the classes, where the table has these moments."""
        cells = self._codes * len(self._members) + self._strata
        fitted = (moments.means[:, None] + self._effects).reshape(-1, self.shape[1])
        return WithinClassCorrelations(
            self._X, cells, moments._replace(means=fitted), weight, n_threads
        )

    def correlate(self, feature: int) -> Floats:
        """The correlation of a feature with every feature, over all samples."""
        n, m = self.shape
        step = max(1, BLOCK // n)
        parts = []
        for start in range(0, m, step):
            columns = np.append(feature, np.arange(start, min(start + step, m)))
            parts.append(OverallCorrelations(self[:, columns], self._weight)(0)[1:])
        return np.concatenate(parts)

    def _compute_moments_of_strata(
        self, weight: Floats | None, n_threads: int
    ) -> list[ClassMoments]:
        return [
            compute_class_moments(
                part,
                self._codes[rows],
                self._n_classes,
                None if weight is None else weight[rows],
                n_threads,
            )
            for part, rows in zip(self._parts, self._members, strict=True)
        ]
