"""Correlations over all rows, which are on a cluster: what ``max_correlation`` decides by.

The rows are looked at once for their means and spreads. Each feature that is chosen then takes one
product of its column with all others on the parts of the table, summed along a tree.
"""

from typing import Any, Protocol

import numpy as np

from s2fs._engine.twins import OverallCorrelations, Whole
from s2fs._util.types import Floats
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
        (found,) = cluster.gather([tree(cluster.map(part_found, parts), together, cluster.submit)])
        self._whole = Whole.of(found.known, missing=found.missing)
        self._handed = cluster.hand_out(self._whole)

    def __call__(self, feature: int) -> Floats:
        """The correlation of ``feature`` with every feature."""
        shares = self._cluster.map(part_sums, self._parts, whole=self._handed, feature=feature)
        (sums,) = self._cluster.gather([tree(shares, add_up, self._cluster.submit)])
        return self._whole.correlations(sums, feature)


def part_found(part: Part) -> Found | None:
    """What the rows of one part tell, as if all were of one class; None if it has none."""
    return together(
        [chunk_found(Rows(X, np.zeros(X.shape[0], np.intp), weight)) for X, weight in part.pieces]
    )


def part_sums(part: Part, whole: Whole, feature: int) -> Floats:
    """The share of one part in the sums that the correlations of a feature are made of."""
    return add_up([OverallCorrelations(*piece, whole).sums(feature) for piece in part.pieces])
