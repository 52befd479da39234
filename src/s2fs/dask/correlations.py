"""Correlations over all samples, which are on a cluster: what ``max_correlation`` decides by.

One pass over the samples gives means and standard deviations. Each selected feature then takes one
product of its column with all others on the parts of the table, summed along a tree.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from s2fs._native.correlations import OverallCorrelations, OverallMoments
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.class_moments import ClassMoments, compute_shifted_moments
from s2fs.dask.chunks import Chunk, Piece, add_up
from s2fs.dask.cluster import Cluster
from s2fs.dask.moments import ChunkMoments, compute_moments, merge_moments


class Part(Protocol):
    """Some samples of a table: a chunk, or the chunks of a shard."""

    @property
    def pieces(self) -> list[Piece]:
        """The tables of the samples, and how much each sample counts."""


class ClusterOverallCorrelations:
    """Pearson's r of one feature with every feature, over the samples of all parts.

    Parameters
    ----------
    cluster : Cluster
        Where the samples are.
    parts : list of Future
        The parts in their order, each a :class:`Part`.
    """

    def __init__(self, cluster: Cluster, parts: list[Any]) -> None:
        self._cluster, self._parts = cluster, parts
        self._whole = compute_overall_moments(cluster, parts)
        self._broadcast_whole = cluster.broadcast(self._whole)

    def __call__(self, feature: int) -> Floats:
        """The correlation of ``feature`` with every feature."""
        shares = self._cluster.map(
            sum_part_products, self._parts, whole=self._broadcast_whole, feature=feature
        )
        sums = self._cluster.reduce(shares, add_up)
        return self._whole.correlations(sums, feature)


class ClusterCopies:
    """Which features repeat another one, by the samples of all parts.

    Parameters
    ----------
    cluster : Cluster
        Where the samples are.
    parts : list of Future
        The parts in their order, each a :class:`Part`.
    """

    def __init__(self, cluster: Cluster, parts: list[Any]) -> None:
        self._cluster, self._parts = cluster, parts
        self._whole: OverallMoments | None = None

    def __call__(self, feature: int, others: Indices) -> NDArray[np.bool_]:
        """Mask of the ``others`` that are copies of ``feature``."""
        if self._whole is None:  # most tables have nothing to compare
            self._whole = compute_overall_moments(self._cluster, self._parts)
        columns = np.append(feature, others)
        whole = self._whole.of_columns(columns)
        shares = self._cluster.map(sum_column_products, self._parts, whole=whole, columns=columns)
        sums = self._cluster.reduce(shares, add_up)
        return whole.is_copy(sums, 0)[1:]


def compute_overall_moments(cluster: Cluster, parts: list[Any]) -> OverallMoments:
    """Means and norms over all samples, from one pass over them, or two if offsets are large."""

    def compute(offset: Floats | None = None) -> ClassMoments:
        of_parts = cluster.map(compute_part_moments, parts, offset=offset)
        return cluster.reduce(of_parts, merge_moments).moments

    return OverallMoments.from_moments(compute(), compute)


def compute_part_moments(part: Part, offset: Floats | None = None) -> ChunkMoments | None:
    """What the samples of one part tell, as if all were of one class; None if it has none.

    With an ``offset`` of each feature it is what their values less that tell.
    """
    of_pieces = []
    for X, weight in part.pieces:
        chunk = Chunk(X, np.zeros(X.shape[0], np.intp), weight)
        piece = compute_moments(chunk)
        if offset is not None and piece is not None:
            weight = np.ones(X.shape[0]) if weight is None else weight
            moments = compute_shifted_moments(X, chunk.labels, 1, weight, offset)
            piece = piece._replace(moments=moments)
        of_pieces.append(piece)
    return merge_moments(of_pieces)


def sum_part_products(part: Part, whole: OverallMoments, feature: int) -> Floats:
    """The share of one part in the sums that the correlations of a feature are made of."""
    return add_up([OverallCorrelations(*piece, whole).sums(feature) for piece in part.pieces])


def sum_column_products(part: Part, whole: OverallMoments, columns: Indices) -> Floats:
    """The share of one part in the sums of the first of some columns with all of them."""
    return add_up(
        [OverallCorrelations(X[:, columns], weight, whole).sums(0) for X, weight in part.pieces]
    )
