"""What workers do during the search, as functions of (rows, features chosen so far).

Nothing here changes its arguments: the scheduler may run any of it again, elsewhere, after a worker
was lost, and get the same numbers.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2fs._compiled import CompiledState
from s2fs._criterion import Floats
from s2fs._problem import Features, blocks
from s2fs.distributed._rows import Part, Rows, add_up

#: What a chunk remembers of the chosen features, by name.
Memory = dict[str, NDArray[Any]]


class ChunkState(CompiledState):
    """The state of a subset on the rows of one chunk."""

    #: What grows with the subset; everything else is the same for all subsets.
    _GROWING = ("_D", "_P", "_size")

    def at(self, memory: dict[str, Any]) -> "ChunkState":
        """The state after the features it is to remember."""
        twin = copy(self)
        twin.__dict__.update(memory)
        return twin

    def grown(self, feature: int) -> Memory:
        """What to remember once a feature has joined."""
        twin = self.at({name: getattr(self, name).copy() for name in (*self._GROWING, "_G")})
        twin.add(feature)
        return {name: getattr(twin, name) for name in self._GROWING}

    def sums(self, candidates: Features, real: Any) -> Floats:
        """What Θ_dis, Θ_dir and the rounding error of the latter are made of, for each one."""
        small = blocks(candidates, self.problem.n_samples)
        return self._compactness(small if real is np.float64 else self._pieces(candidates), real)

    def least(self, candidates: Features) -> Floats:
        """Lower bounds of what Θ_dis and Θ_dir are made of, for each one."""
        return self._least_compactness(candidates)

    @property
    def nbytes(self) -> int:
        """Size of the rows, scaled and as they came; what grows is counted elsewhere."""
        X = self.problem._X
        arrays = (X.data, X.indices, X.indptr) if self.problem.is_sparse else (X,)
        return sum(
            a.nbytes for a in (*arrays, self._Z, self._own, *self._weight.values()) if a is not None
        )


class Shard(tuple[ChunkState, ...]):
    """The chunks one worker takes care of, in their order, as long as the search lasts."""

    def at(self, memories: list[Memory] | None) -> list[ChunkState]:
        """The states of the chunks after the features they remember; None is no feature yet."""
        if memories is None:
            return list(self)
        return [chunk.at(memory) for chunk, memory in zip(self, memories, strict=True)]

    def __sizeof__(self) -> int:
        # The scheduler weighs by this what it would cost to move the shard.
        return sum(chunk.nbytes for chunk in self)


def build(chunks: Sequence[Rows], facts: Mapping[str, Any], reading: Any) -> Shard:
    """The shard of some chunks, with the ranges, centroids and weights of the whole problem."""
    return Shard(ChunkState(Part(rows, **facts), reading) for rows in chunks if len(rows.labels))


def grow(shard: Shard, memories: list[Memory] | None, feature: int) -> list[Memory]:
    """What the chunks remember after one more feature."""
    return [chunk.grown(feature) for chunk in shard.at(memories)]


def least_compactness(
    shard: Shard, memories: list[Memory] | None, announced: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.uint16]]:
    """Lower bounds of the shard's share of Θ_dis and Θ_dir for the announced candidates.

    Half of the digits are enough for the direction; cut off, it is still a bound.
    """
    candidates = np.flatnonzero(np.unpackbits(announced))
    with _at_work(shard, memories) as chunks:
        total = add_up([c.least(candidates) for c in chunks], np.zeros((2, len(candidates))))
    # Rounding must not make them larger.
    distance, direction = (total * (1 - 2.0**-23)).astype(np.float32)
    return distance, (direction.view(np.uint32) >> 16).astype(np.uint16)


def read_least(sent: tuple[NDArray[np.float32], NDArray[np.uint16]]) -> Floats:
    """What :func:`least_compactness` has sent: a row for Θ_dis and one for Θ_dir."""
    distance, direction = sent
    return np.array([distance, (direction.astype(np.uint32) << 16).view(np.float32)], np.float64)


def compactness(
    shard: Shard, memories: list[Memory] | None, announced: NDArray[np.uint8], real: Any
) -> NDArray[Any]:
    """The shard's share of Θ_dis, then of Θ_dir, of the announced candidates, by increasing index.

    In single precision their largest rounding error comes last.
    """
    candidates = np.flatnonzero(np.unpackbits(announced))
    with _at_work(shard, memories) as chunks:
        total = add_up([c.sums(candidates, real) for c in chunks], np.zeros((3, len(candidates))))
    shares = total[:2].ravel()
    return (shares if real is np.float64 else np.append(shares, total[2].max())).astype(real)


def read_compactness(sent: NDArray[Any]) -> Floats:
    """What :func:`compactness` has sent: a row for Θ_dis, for Θ_dir and for the rounding error."""
    n = len(sent) // 2
    rows = np.zeros((3, n))
    rows[:2] = sent[: 2 * n].reshape(2, n)
    rows[2] = sent[2 * n :].sum()
    return rows


def settle(
    shard: Shard, memories: list[Memory] | None, grown: list[Memory], feature: int
) -> Floats:
    """The shard's share of Θ_dis and Θ_dir for one candidate, once it has joined as well."""
    one = np.array([feature])
    thetas = [chunk.sums(one, np.float64)[:2, 0] for chunk in shard.at(memories)]
    return add_up(thetas, np.zeros(2))


@contextmanager
def _at_work(shard: Shard, memories: list[Memory] | None) -> Iterator[list[ChunkState]]:
    """The chunks, with all threads of the worker: a shard has a worker to itself."""
    chunks, n_threads = shard.at(memories), _threads()
    with ThreadPoolExecutor(n_threads) as pool:
        yield [chunk.at({"_pool": pool, "_n_threads": n_threads}) for chunk in chunks]


def _threads() -> int:
    """How many threads the worker that runs this task has."""
    from distributed import get_worker

    return int(get_worker().state.nthreads)
