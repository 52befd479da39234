"""Correlations over all samples of a Dask collection, and exact copies.

Means and standard deviations are known from the summary. Each selected feature then takes one
product of its column with all others on every chunk, summed along a tree: ``max_correlation``
decides by these. Copies are looked for among the few features whose moments are those of a copy.
"""

import numpy as np
from numpy.typing import NDArray

from s2fs._native.correlations import OverallCorrelations, OverallMoments
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
        self._samples = samples
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
        return whole.is_copy(sums, 0)[1:]


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
