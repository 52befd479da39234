"""The state of a search whose rows are on a cluster.

The driver has what all rows have in common: ranges, centroids, the class sums, and G. Everything
that is a sum over rows is asked of the shards, and added up in double precision in their order.
"""

from copy import copy
from typing import Any

import numpy as np

from s2fs._compiled import CompiledState
from s2fs._criterion import CentroidMembership, Floats
from s2fs._problem import Features
from s2fs.distributed import _shard as on_shard
from s2fs.distributed._problem import ClusterProblem
from s2fs.distributed._rows import add_up


class DistributedState(CompiledState):
    """The state of a growing subset over the shards of a cluster, empty at first.

    It decides as :class:`~s2fs._compiled.CompiledState` does. Per step each shard sends its share
    of the lower bounds of Θ for all candidates (6 bytes each), of Θ in single precision for those
    that are judged (8 bytes each), and in double precision for those that may be the best (16).

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
        self._ahead: tuple[int, list[Any]] | None = None

    def add(self, feature: int) -> None:
        """Let ``feature`` join the subset."""
        if self._ahead is not None and self._ahead[0] == feature:
            self._memories = self._ahead[1]
        else:
            self._memories = self._grown(feature)
        self._ahead = None
        self._G = self._G + self.problem.centroid_gaps(np.array([feature]))[0] ** 2

    def copy(self) -> "DistributedState":
        """An independent state of the same subset, on the same shards."""
        # :meth:`add` makes new arrays and futures, so these can be shared.
        return copy(self)

    def _grown(self, feature: int) -> list[Any]:
        """Futures of what the shards remember after one more feature."""
        return self._cluster.map(on_shard.grow, self._shards, self._memories, feature=feature)

    def _least_compactness(self, candidates: Features) -> Floats:
        """Lower bounds of Θ_dis and Θ_dir of the subset joined by each candidate."""
        return self._ask(candidates, on_shard.least_compactness, on_shard.read_least)

    def _compactness(self, pieces: list[Features], real: Any) -> Floats:
        """Θ_dis, Θ_dir and the part of its error that depends on the data, for all candidates."""
        candidates = np.concatenate(pieces)
        if real is np.float64 and len(candidates) == 1:
            return self._settled(int(candidates[0]))
        # The bounds of the rounding errors are sums over rows too. They have room for one more
        # rounding to single precision, that of the sums on their way here.
        return self._ask(candidates, on_shard.compactness, on_shard.read_compactness, real=real)

    def _ask(self, candidates: Features, function: Any, read: Any, **arguments: Any) -> Floats:
        """The sum of what the shards answer for each candidate; distances come first."""
        announced = np.zeros(self.problem.n_features, dtype=bool)
        announced[candidates] = True
        bits = np.packbits(announced)  # a bit for each feature is all that the shards are sent
        parts = self._cluster.map(
            function, self._shards, self._memories, announced=bits, **arguments
        )
        total = add_up([read(part) for part in self._cluster.gather(parts)])
        sums = np.empty((len(total), len(candidates)))
        sums[:, candidates.argsort()] = total
        sums[0] *= self.problem.unit
        return sums

    def _settled(self, feature: int) -> Floats:
        """Θ_dis, Θ_dir and no error with the only candidate, which the shards add at once.

        A search that has one candidate left will choose it, and need not wait to say so.
        """
        grown = self._grown(feature)
        parts = self._cluster.map(
            on_shard.settle, self._shards, self._memories, grown, feature=feature
        )
        self._ahead = feature, grown
        dis, dir_ = add_up(self._cluster.gather(parts))
        return np.array([[dis * self.problem.unit], [dir_], [0.0]])
