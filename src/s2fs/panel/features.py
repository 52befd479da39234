"""What a panel knows of its features: ranges, how each alone tells the classes, substitutes."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from s2fs._native.correlations import OverallCorrelations
from s2fs._utils.types import Floats, Indices
from s2fs.evaluation.standing_out import compute_pairwise_auc


class PanelFeature(NamedTuple):
    """One selected feature on the training samples.

    Attributes
    ----------
    minimum, percentile_1, percentile_99, maximum : float
        Its range, missing values left out.
    auc : list of float
        For each class how often a sample of it has the larger value than one of the others; ties
        count half. Above 0.5 the feature is high in the class.
    """

    minimum: float
    percentile_1: float
    percentile_99: float
    maximum: float
    auc: list[float]


class Substitute(NamedTuple):
    """The feature that says most nearly the same as a selected one.

    Attributes
    ----------
    name : str
        Its name.
    position : int
        Its position in the training table.
    r : float
        Its correlation with the selected feature on the training samples.
    slope, intercept : float
        What maps its values to those of the selected feature.
    """

    name: str
    position: int
    r: float
    slope: float
    intercept: float

    def map(self, values: Floats) -> Floats:
        """What the selected feature would be."""
        return self.intercept + self.slope * values


def fill_gaps(values: Floats) -> tuple[Floats, Floats]:
    """The medians of the known values of each column, and the table with gaps filled by them.

    A column without any value has the median 0.
    """
    is_missing = np.isnan(values)
    if not is_missing.any():
        return np.median(values, axis=0), values
    some = ~is_missing.all(axis=0)
    medians = np.zeros(values.shape[1])
    medians[some] = np.nanmedian(values[:, some], axis=0)
    return medians, np.where(is_missing, medians, values)


def take_columns(X: Any, indices: Indices) -> Floats:
    """Some columns of a dense or sparse table, as dense float64."""
    columns = X[:, indices]
    return np.asarray(columns.toarray() if issparse(columns) else columns, dtype=np.float64)


def describe_features(values: Floats, codes: Indices, n_classes: int) -> list[PanelFeature]:
    """Range and AUC of each column of the training samples."""
    described = []
    for column in values.T:
        is_known = ~np.isnan(column)
        known, own = column[is_known], codes[is_known]
        if not len(known):
            described.append(PanelFeature(0.0, 0.0, 0.0, 0.0, [0.5] * n_classes))
            continue
        low, high = np.percentile(known, [1, 99])
        described.append(
            PanelFeature(
                float(known.min()),
                float(low),
                float(high),
                float(known.max()),
                [compute_own_auc(known, own == q) for q in range(n_classes)],
            )
        )
    return described


def compute_own_auc(values: Floats, is_positive: Any) -> float:
    """The AUC of one feature for one class against the others; 0.5 where one side is empty."""
    if is_positive.all() or not is_positive.any():
        return 0.5
    return float(compute_pairwise_auc(values, is_positive.astype(np.intp))[1, 0])


def find_nearest_features(
    X: Any, indices: Indices, names: Any, sample_weight: Floats | None
) -> list[Substitute | None]:
    """For each selected feature the one of largest |r| that is not selected, ties to the first.

    None where no other feature varies with it.
    """
    if not len(indices):
        return []
    correlations = OverallCorrelations(X, sample_weight)
    found: list[Substitute | None] = []
    for feature in indices:
        strength = np.abs(correlations(int(feature)))
        strength[indices] = -1.0
        # Rounding must not decide between equal features.
        best = int(np.argmax(strength >= strength.max() - 1e-12))
        if strength[best] <= 0:
            found.append(None)
            continue
        found.append(_map_to(X, int(feature), best, str(names[best]), sample_weight))
    return found


def _map_to(
    X: Any, feature: int, other: int, name: str, sample_weight: Floats | None
) -> Substitute | None:
    """The line from one feature to another over the samples that have both."""
    wanted, given = take_columns(X, np.array([feature, other])).T
    weight = np.ones(len(wanted)) if sample_weight is None else sample_weight
    has_both = ~(np.isnan(wanted) | np.isnan(given))
    wanted, given, weight = wanted[has_both], given[has_both], weight[has_both]
    centre, given_centre = np.average(wanted, weights=weight), np.average(given, weights=weight)
    wanted, given = wanted - centre, given - given_centre
    covariance = float((weight * wanted * given).sum())
    variance, given_variance = (float((weight * v * v).sum()) for v in (wanted, given))
    if variance == 0 or given_variance == 0:
        return None
    slope = covariance / given_variance
    r = float(np.clip(covariance / np.sqrt(variance * given_variance), -1.0, 1.0))
    return Substitute(name, other, r, slope, float(centre - slope * given_centre))
