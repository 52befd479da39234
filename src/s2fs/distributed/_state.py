"""The state of a search whose rows are on a cluster.

The driver has what all rows have in common: ranges, centroids, the class sums, and G. Everything
that is a sum over rows is asked of the shards, and added up in double precision in their order.
"""

from copy import copy
from typing import Any

import numpy as np

from s2fs._compiled import CompiledState
from s2fs._criterion import CentroidMembership, Components, Floats
from s2fs._problem import Features
from s2fs.distributed import _shard as on_shard
from s2fs.distributed._problem import ClusterProblem
from s2fs.distributed._rows import add_up


class DistributedState(CompiledState):
    """The state of a growing subset over the shards of a cluster, empty at first.

    It decides as :class:`~s2fs._compiled.CompiledState` does. Per step each shard sends its share
    of Θ in single precision for the candidates that are judged (12 bytes each), then in double
    precision for those that may be the best (16 bytes each).

    Parameters
    ----------
    problem : ClusterProblem
        The data.
    reading : {"printed", "normalized"}
        The reading of Eq. 20.
    """

    def __init__(self, problem: ClusterProblem, reading: CentroidMembership = "printed") -> None:
        super().__init__(problem, reading)
        self._cluster = problem.cluster
        self._shards = problem.build_shards(reading)
        self._memories: list[Any] = [None] * len(self._shards)
        self._ahead: dict[int, tuple[list[Any], list[Any]]] = {}

    def score(self, candidates: Features) -> Components:
        """The components of the subset joined by each candidate, in double precision."""
        if len(candidates) == 1:
            # No other can be chosen, so the shards may add it now instead of waiting to be told.
            self._ahead = {int(candidates[0]): self._grown(int(candidates[0]))}
        return super().score(candidates)

    def add(self, feature: int) -> None:
        """Let ``feature`` join the subset."""
        self._memories, own = self._ahead.get(feature) or self._grown(feature)
        self._ahead = {}
        self._own_distances = add_up(self._cluster.gather(own))
        self._G = self._G + self.problem.centroid_gaps(np.array([feature]))[0] ** 2

    def copy(self) -> "DistributedState":
        """An independent state of the same subset, on the same shards."""
        # :meth:`add` makes new arrays and futures, so these can be shared.
        return copy(self)

    def _grown(self, feature: int) -> tuple[list[Any], list[Any]]:
        """Futures of what the shards remember after one more feature, and of its own distances."""
        memories = [
            self._cluster.submit(on_shard.grow, shard, memory, feature)
            for shard, memory in zip(self._shards, self._memories, strict=True)
        ]
        p = self.problem.n_classes
        return memories, [self._cluster.submit(on_shard.own_distances, m, p) for m in memories]

    def _compactness(self, pieces: list[Features], real: Any) -> Floats:
        """Θ_dis, Θ_dir and the part of its error that depends on the data, for all candidates."""
        candidates = np.concatenate(pieces)
        announced = np.zeros(self.problem.n_features, dtype=bool)
        announced[candidates] = True
        bits = np.packbits(announced)  # a bit for each feature is all that travels to the shards
        futures = [
            self._cluster.submit(on_shard.compactness, shard, memory, bits, real)
            for shard, memory in zip(self._shards, self._memories, strict=True)
        ]
        # The bounds of the rounding errors are sums over rows too. They have room for one more
        # rounding to single precision, that of the sums on their way here.
        total = add_up(self._cluster.gather(futures))
        sums = np.zeros((3, len(candidates)))
        sums[: len(total), candidates.argsort()] = total
        sums[0] *= self.problem.unit
        return sums
