"""Correlations over all samples of a Dask collection, and exact copies.

Means and standard deviations are known from the summary. Each selected feature then takes one
product of its column with all others on every chunk, summed along a tree: ``max_correlation``
decides by these. Copies are looked for among the few features whose moments are those of a copy.
"""

from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._native.correlated_features import stay_copies
from s2fs._native.correlations import OverallCorrelations, OverallMoments, to_dense
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.class_moments import (
    ClassMoments,
    common_offset,
    compute_shifted_moments,
    merge_moments,
)
from s2fs.criteria.summary import Summary
from s2fs.dask.chunks import Chunk, add_up, align
from s2fs.dask.samples import ClusterSamples


class ClusterCorrelations:
    """Pearson's r of one feature with every feature, over all samples.

    Parameters
    ----------
    samples : ClusterSamples
        The samples, which stay where they are.
    summary : Summary
        What they tell.
    """

    def __init__(self, samples: ClusterSamples, summary: Summary) -> None:
        self._samples = copy(samples)  # a search may let go of the chunks
        self._whole = OverallMoments.from_moments(
            summary.join_classes(),
            lambda offset: samples.reduce(
                shift_chunk, merge_shifted, offset=samples.broadcast(offset)
            ),
        )
        self._broadcast_whole = samples.broadcast(self._whole)

    def __call__(self, feature: int) -> Floats:
        """The correlation of ``feature`` with every feature."""
        sums = self._samples.reduce(
            sum_products, add_up, whole=self._broadcast_whole, feature=feature
        )
        return self._whole.correlations(sums, feature)


class ClusterCopies:
    """Which features repeat another one, by one pass over the samples.

    Parameters
    ----------
    samples : ClusterSamples
        The samples.
    summary : Summary
        What they tell.
    """

    def __init__(self, samples: ClusterSamples, summary: Summary) -> None:
        self._samples = samples
        moments = summary.join_classes()
        offset = common_offset(moments.lower, moments.upper)
        # As if values were missing, six sums are taken: they need no exact mean.
        self._whole = OverallMoments(
            offset, moments.means[0] - offset, offset, moments.counts[0], has_missing=True
        )

    def __call__(self, feature: int, others: Indices) -> NDArray[np.bool_]:
        """Mask of the ``others`` that equal ``feature`` up to sign, scale and offset."""
        columns = np.append(feature, others)
        whole = self._whole.of_columns(columns)
        sums = self._samples.reduce(sum_column_products, add_up, whole=whole, columns=columns)
        is_copy = whole.is_copy(sums, 0)[1:]
        is_copy[is_copy] = self._stay_copies(feature, others[is_copy])
        return is_copy

    def _stay_copies(self, feature: int, others: Indices) -> NDArray[np.bool_]:
        """Which are copies without the rows equal to the one with the largest share, too."""
        if not len(others):
            return np.zeros(0, dtype=bool)
        columns = np.append(feature, others)
        mean = self._whole.mean[columns] + self._whole.offset[columns]
        rows = self._samples.reduce(find_decisive, take_largest, columns=columns, mean=mean)[1:]
        lower, upper = self._samples.reduce(find_ranges, merge_ranges, columns=columns, rows=rows)
        sums = self._samples.reduce(
            sum_others, add_up, columns=columns, rows=rows, offsets=common_offset(lower, upper)
        )
        return stay_copies(lower, upper, sums)


def shift_chunk(chunk: Chunk, offset: Floats) -> ClassMoments | None:
    """The moments of the samples of a chunk as one class, their values less an offset each."""
    n = len(chunk.labels)
    if not n:
        return None
    X, _, weight = align(chunk)
    weight = np.ones(n) if weight is None else weight
    return compute_shifted_moments(X, np.zeros(n, np.intp), 1, weight, align(offset))


def merge_shifted(parts: list[ClassMoments | None]) -> ClassMoments | None:
    """The moments of some chunks together, taken in their order."""
    total = None
    for part in parts:
        if part is not None:
            total = part if total is None else merge_moments(total, part)
    return total


def sum_products(chunk: Chunk, whole: OverallMoments, feature: int) -> Floats | None:
    """The share of one chunk in the sums that the correlations of a feature are made of."""
    if not len(chunk.labels):
        return None
    X, _, weight = align(chunk)
    return OverallCorrelations(X, weight, align(whole)).sums(feature)


def sum_column_products(chunk: Chunk, whole: OverallMoments, columns: Indices) -> Floats | None:
    """The share of one chunk in the sums of the first of some columns with all of them."""
    if not len(chunk.labels):
        return None
    X, _, weight = align(chunk)
    return OverallCorrelations(X[:, align(columns)], weight, align(whole)).sums(0)


class _Pairs(NamedTuple):
    """The first of some columns beside each of the others, where they have values."""

    x: Floats  # (n_samples, 1)
    z: Floats  # (n_samples, n_pairs)
    weight: Floats  # (n_samples, 1); 0 where values are missing


def _take_pairs(chunk: Chunk, columns: Indices) -> _Pairs:
    X, _, weight = align(chunk)
    values = to_dense(X[:, align(columns)]).astype(np.float64)
    is_known = ~np.isnan(values[:, 0])  # copies miss values in the same rows
    weight = np.ones(len(values)) if weight is None else weight
    values, weight = values[is_known], weight[is_known]
    return _Pairs(values[:, :1], values[:, 1:], weight[:, None])


def find_decisive(chunk: Chunk, columns: Indices, mean: Floats) -> Floats | None:
    """For each pair the largest share of a row in the correlation, and the two values there."""
    if not len(chunk.labels):
        return None
    x, z, weight = _take_pairs(chunk, columns)
    if not len(x):
        return None
    shares = weight * np.abs((x - mean[0]) * (z - mean[1:]))
    rows, pairs = shares.argmax(axis=0), np.arange(z.shape[1])
    return np.array([shares[rows, pairs], x[rows, 0], z[rows, pairs]])


def take_largest(parts: list[Floats | None]) -> Floats | None:
    """For each pair the row with the largest share, the first of equal ones."""
    filled = np.array([part for part in parts if part is not None])
    if not len(filled):
        return None
    best = filled[:, 0].argmax(axis=0)
    largest: Floats = np.take_along_axis(filled, best[None, None], axis=0)[0]
    return largest


def find_ranges(chunk: Chunk, columns: Indices, rows: Floats) -> Floats | None:
    """The ranges of both columns of each pair over the rows that are not the decisive one."""
    if not len(chunk.labels):
        return None
    x, z, _ = _take_pairs(chunk, columns)
    is_other = (x != rows[0]) | (z != rows[1])
    both = np.array([np.broadcast_to(x, z.shape), z])
    return np.array([
        np.where(is_other, both, np.inf).min(axis=1, initial=np.inf),
        np.where(is_other, both, -np.inf).max(axis=1, initial=-np.inf),
    ])  # fmt: skip


def merge_ranges(parts: list[Floats | None]) -> Floats | None:
    """The ranges over all samples."""
    filled = np.array([part for part in parts if part is not None])
    if not len(filled):
        return None
    return np.array([filled[:, 0].min(axis=0), filled[:, 1].max(axis=0)])


def sum_others(chunk: Chunk, columns: Indices, rows: Floats, offsets: Floats) -> Floats | None:
    """The sums that the correlation of each pair without the decisive row is made of."""
    if not len(chunk.labels):
        return None
    x, z, weight = _take_pairs(chunk, columns)
    weight = np.where((x != rows[0]) | (z != rows[1]), weight, 0.0)
    x, z = np.where(weight > 0, x - offsets[0], 0.0), np.where(weight > 0, z - offsets[1], 0.0)
    terms = (weight, weight * z, weight * z**2, weight * x, weight * x**2, weight * x * z)
    return np.array([term.sum(axis=0) for term in terms])
