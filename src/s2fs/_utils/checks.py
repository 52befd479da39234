"""Features whose separation of the classes rests on very few samples.

Two rules.

1. Hardly varies. The values differ from the most common one in fewer than 2 % of the samples.
2. One or two samples. The separation of a feature is the mean gap from a class mean to the nearest
   other one, over the mean distance of the samples from the mean of their class. Without the sample
   that is farthest from the mean of the feature, or without the two, less than half of it is left.
   Features that separate no more than 2.5 √(2 p / n), which noise does among n samples of p
   classes, are not checked.

A fit warns of selected features that hardly vary or rest on one sample, in tables of 50 samples or
more; below that every sample is 2 % of the table. The checks of an evaluation name the one or two
samples, in any table.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from s2fs._utils.messages import format_names, join_alternatives
from s2fs._utils.types import Floats, Indices
from s2fs._utils.warn import warn_user

#: Skip tables with fewer samples; skip rule 2 with more.
_MIN_SAMPLES, _MAX_SAMPLES = 50, 100_000
#: How many numbers are held at once.
_BLOCK = 1 << 17
#: Rule 1: the share of samples that differ from the most common value.
_RARE_SHARE = 0.02
#: Rule 2: the share of the separation that must be left.
_LEFT_SHARE = 0.5
#: Rule 2: what noise separates, in units of √(2 p / n).
_NOISE = 2.5


class FragileFeatures(NamedTuple):
    """For each feature whether it hardly varies, and the sample it depends on, or −1."""

    hardly_varies: NDArray[np.bool_]
    sample: Indices


def warn_fragile(
    X: Any,
    codes: Indices,
    sample_weight: Floats | None,
    indices: Indices,
    names: NDArray[Any],
    remedies: Sequence[str],
    outlier_remedies: Sequence[str] = (),
) -> None:
    """Warn of selected features that rest on very few samples.

    Parameters
    ----------
    X, codes, sample_weight
        The table, the class of each sample as 0, 1, …, and how much each counts.
    indices, names : ndarray
        The selected features, by position and by name.
    remedies : sequence of str
        What the user can do instead, each as a command.
    outlier_remedies : sequence of str
        What helps against a single sample, too.
    """
    k, fragile = len(indices), find_fragile(X, codes, sample_weight, indices)
    if fragile.hardly_varies.any():
        shown = format_names(names[fragile.hardly_varies])
        warn_user(
            f"Few samples decide on {fragile.hardly_varies.sum()} of {k} selected features "
            f"({shown}): fewer than {_RARE_SHARE:.0%} differ from the most common value; "
            f"{join_alternatives(remedies)}.",
        )
    depends = fragile.sample >= 0
    if depends.any():
        warn_user(
            f"One sample decides on {depends.sum()} of {k} selected features "
            f"({format_names(names[depends])}): the most extreme value makes more than half of the "
            "separation of the classes; "
            f"{join_alternatives(['take logarithms', *outlier_remedies, *remedies])}.",
        )


def find_fragile(
    X: Any, codes: Indices, sample_weight: Floats | None = None, indices: Indices | None = None
) -> FragileFeatures:
    """Apply both rules to some features, by default to all; NaN is missing.

    Constant features are not fragile, and one that hardly varies depends on no single sample.
    """
    n = len(codes)
    features = np.arange(X.shape[1]) if indices is None else indices
    fragile = FragileFeatures(np.zeros(len(features), dtype=bool), np.full(len(features), -1))
    if n < _MIN_SAMPLES:
        return fragile
    step = max(1, _BLOCK // n)
    for start in range(0, len(features), step):
        block = slice(start, start + step)
        columns = X[:, features[block]]
        columns = columns.toarray() if issparse(X) else np.asarray(columns, order="C")
        columns = columns.astype(np.float64, copy=False)
        n_uncommon = _count_uncommon(columns)
        fragile.hardly_varies[block] = (n_uncommon > 0) & (n_uncommon < _RARE_SHARE * n)
        varying = np.flatnonzero(n_uncommon >= max(_RARE_SHARE * n, 1))
        if n <= _MAX_SAMPLES and len(varying):
            found = find_decisive_samples(columns[:, varying], codes, sample_weight, most=1)
            for f, (sample,) in found.items():
                fragile.sample[start + varying[f]] = sample
    return fragile


def _count_uncommon(columns: Floats) -> Indices:
    """How many values of each column are not the most common one; n if that is clearly not rare.

    A value of all but 2 % of the samples is also most of every 20th sample, so it stands in the
    sorted ones from below the middle to above it. Where values are missing, every sample counts.
    """
    n, k = columns.shape
    is_missing = np.isnan(columns.sum(axis=0))
    step = 1 if is_missing.any() else max(int(0.4 / _RARE_SHARE), n // 1000)
    ordered = np.sort(columns[::step], axis=0)
    n_known = np.maximum((~np.isnan(ordered)).sum(axis=0), 1)  # NaN comes last
    every = np.arange(k)
    low = ordered[2 * n_known // 5, every]
    middle = ordered[(n_known - 1) // 2, every]
    high = ordered[3 * n_known // 5, every]
    suspects = np.flatnonzero((low == high) | is_missing)
    values, common = columns[:, suspects], middle[suspects]
    n_uncommon = np.full(k, n)
    n_uncommon[suspects] = ((values < common) | (values > common)).sum(axis=0)
    return n_uncommon


def find_decisive_samples(
    X: Floats, codes: Indices, sample_weight: Floats | None = None, most: int = 2
) -> dict[int, list[int]]:
    """Rule 2: the samples that a feature rests on.

    Parameters
    ----------
    X : ndarray of shape (n_samples, k)
        Some columns; NaN is missing.
    codes : ndarray of shape (n_samples,)
        The class of each sample.
    sample_weight : ndarray of shape (n_samples,), optional
        How much each sample counts.
    most : int, default=2
        How many samples are left out at most.

    Returns
    -------
    dict of int to list of int
        For each feature that rests on few samples, by its position, these samples.
    """
    k = X.shape[1]
    weights = np.ones(X.shape) if sample_weight is None else np.tile(sample_weight, (k, 1)).T
    is_missing = np.isnan(X)
    if is_missing.any():
        X = np.where(is_missing, 0.0, X)
        weights[is_missing] = 0.0
    total = np.maximum(weights.sum(axis=0), np.finfo(float).tiny)
    ends = np.cumsum(np.bincount(codes))
    by_class = np.ones(len(codes)), np.argsort(codes, kind="stable"), np.append(0, ends)
    members = csr_array(by_class, shape=(len(ends), len(codes)))
    before = _compute_separation(X, weights, codes, members)
    separates = np.flatnonzero(before > _NOISE * np.sqrt(2 * (codes.max() + 1) / total))
    if not len(separates):
        return {}
    X, weights, before = X[:, separates], weights[:, separates], before[separates]
    centre = (weights * X).sum(axis=0) / total[separates]
    distances = np.where(weights > 0, np.abs(X - centre), -1.0)
    decisive: dict[int, list[int]] = {}
    left_out: list[Indices] = []
    every = np.arange(len(separates))
    for _ in range(most):
        left_out.append(distances.argmax(axis=0))
        distances[left_out[-1], every] = -1.0
        weights[left_out[-1], every] = 0.0
        after = _compute_separation(X, weights, codes, members)
        # NaN where no class is left beside another: without the samples there is no separation.
        for f in np.flatnonzero(~(after >= _LEFT_SHARE * before)):
            decisive.setdefault(int(separates[f]), [int(samples[f]) for samples in left_out])
    return dict(sorted(decisive.items()))


def _compute_separation(X: Floats, weights: Floats, codes: Indices, members: csr_array) -> Floats:
    """The separation of every column; classes without weight do not count."""
    counts = members @ weights
    has_samples = counts > 0
    means = members @ (weights * X) / np.where(has_samples, counts, 1.0)
    within = (weights * np.abs(X - means[codes])).sum(axis=0)
    # Classes without samples come last in the order of the means.
    gaps = np.diff(np.sort(np.where(has_samples, means, np.nan), axis=0), axis=0)
    edge = np.full((1, X.shape[1]), np.nan)
    nearest = np.fmin(np.vstack([edge, gaps]), np.vstack([gaps, edge]))
    n_classes = has_samples.sum(axis=0)
    between = np.nansum(nearest, axis=0) / np.maximum(n_classes, 1)
    between = np.where(n_classes > 1, between, np.nan)
    total = counts.sum(axis=0)
    # A feature that is constant inside the classes separates very well, not infinitely.
    smallest = 1e-12 * np.abs(X).max(axis=0)
    return between / np.maximum(within / np.where(total > 0, total, 1.0), smallest)
