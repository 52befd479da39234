"""Correlations over all rows, which are on a cluster: what ``max_correlation`` decides by.

The rows are looked at once for their means and spreads. Each feature that is chosen then takes one
product of its column with all others on the parts of the table, summed along a tree.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from s2fs._core.pairs import Moments
from s2fs._engine.pairs import shifted_moments
from s2fs._engine.twins import OverallCorrelations, Whole
from s2fs._util.types import Floats, Indices
from s2fs.distributed._cluster import Cluster
from s2fs.distributed._moments import Found, chunk_found, together, tree
from s2fs.distributed._rows import Piece, Rows, add_up


class Part(Protocol):
    """Some rows of a table: a chunk, or the chunks of a shard."""

    @property
    def pieces(self) -> list[Piece]:
        """The tables of the rows, and how much each row counts."""


class ClusterOverallCorrelations:
    """Pearson's r of one feature with every feature, over the rows of all parts.

    Parameters
    ----------
    cluster : Cluster
        Where the rows are.
    parts : list of Future
        The parts in their order, each a :class:`Part`.
    """

    def __init__(self, cluster: Cluster, parts: list[Any]) -> None:
        self._cluster, self._parts = cluster, parts
        self._whole = cluster_whole(cluster, parts)
        self._handed = cluster.hand_out(self._whole)

    def __call__(self, feature: int) -> Floats:
        """The correlation of ``feature`` with every feature."""
        shares = self._cluster.map(part_sums, self._parts, whole=self._handed, feature=feature)
        (sums,) = self._cluster.gather([tree(shares, add_up, self._cluster.submit)])
        return self._whole.correlations(sums, feature)


class ClusterCopies:
    """Which features repeat another one, by the rows of all parts.

    Parameters
    ----------
    cluster : Cluster
        Where the rows are.
    parts : list of Future
        The parts in their order, each a :class:`Part`.
    """

    def __init__(self, cluster: Cluster, parts: list[Any]) -> None:
        self._cluster, self._parts = cluster, parts
        self._whole: Whole | None = None

    def __call__(self, feature: int, others: Indices) -> NDArray[np.bool_]:
        """Mask of the ``others`` that are copies of ``feature``."""
        if self._whole is None:  # most tables have nothing to compare
            self._whole = cluster_whole(self._cluster, self._parts)
        columns = np.append(feature, others)
        whole = self._whole.of_columns(columns)
        shares = self._cluster.map(column_sums, self._parts, whole=whole, columns=columns)
        (sums,) = self._cluster.gather([tree(shares, add_up, self._cluster.submit)])
        return whole.copies(sums, 0)[1:]


def cluster_whole(cluster: Cluster, parts: list[Any]) -> Whole:
    """What all rows have in common, from one pass over them, or two if offsets are large."""

    def moments(offset: Floats | None = None) -> Moments:
        found = cluster.map(part_found, parts, offset=offset)
        (all_rows,) = cluster.gather([tree(found, together, cluster.submit)])
        return all_rows.known

    return Whole.of(moments(), moments)


def part_found(part: Part, offset: Floats | None = None) -> Found | None:
    """What the rows of one part tell, as if all were of one class; None if it has none.

    With an ``offset`` of each feature it is what their values less that tell.
    """
    found = []
    for X, weight in part.pieces:
        one = Rows(X, np.zeros(X.shape[0], np.intp), weight)
        piece = chunk_found(one)
        if offset is not None and piece is not None:
            weight = np.ones(X.shape[0]) if weight is None else weight
            known = shifted_moments(X, one.labels, 1, weight, offset)
            piece = piece._replace(known=known)
        found.append(piece)
    return together(found)


def part_sums(part: Part, whole: Whole, feature: int) -> Floats:
    """The share of one part in the sums that the correlations of a feature are made of."""
    return add_up([OverallCorrelations(*piece, whole).sums(feature) for piece in part.pieces])


def column_sums(part: Part, whole: Whole, columns: Indices) -> Floats:
    """The same of some columns, with the first of them."""
    return add_up(
        [OverallCorrelations(X[:, columns], weight, whole).sums(0) for X, weight in part.pieces]
    )
