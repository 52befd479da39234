"""What workers do during the search, as functions of (rows, features chosen so far).

A shard remembers the subset it was asked about last, so that the next one costs an addition. Its
answers do not depend on that: the scheduler may ask again, elsewhere, after a worker was lost, and
gets the same numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import copy
from functools import partial
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._engine.bound_kernels import least_compactness
from s2fs._engine.compiled import NS_BOUND, CompiledState
from s2fs._util.types import Floats, Indices
from s2fs.distributed._exchange import Question, pack
from s2fs.distributed._rows import Part, Rows, add_up

#: What a chunk remembers of the chosen features, by name.
Memory = dict[str, NDArray[Any]]


class ChunkState(CompiledState):
    """The state of a subset on the rows of one chunk."""

    #: What grows with the subset; everything else is the same for all subsets.
    _GROWING = ("_D", "_P", "_G", "_size")

    def memory(self) -> Memory:
        """What to remember of the subset."""
        return {name: getattr(self, name).copy() for name in self._GROWING}

    def at(self, memory: Memory) -> "ChunkState":
        """The state of the subset that is remembered; the memory is its own from now on."""
        twin = copy(self)
        twin.__dict__.update(memory)
        return twin

    def add_all(self, features: tuple[int, ...]) -> None:
        """Let some features join the subset."""
        for feature in features:
            self.add(feature)

    def with_threads(self, pool: ThreadPoolExecutor, n_threads: int) -> "ChunkState":
        """The same state, at work in some threads."""
        twin = copy(self)
        twin._pool, twin._n_threads = pool, n_threads
        return twin

    def least(self, candidates: Indices) -> Floats:
        """Lower bounds of what Θ_dis and Θ_dir are made of, for each candidate."""
        near, curvature, slopes, room = self._tangent()
        weight = self._weight[self._screen_in].ravel()

        def bound(piece: Indices) -> Floats:
            A, where, C, _ = self._columns(piece, self._screen_in)
            out = np.empty((2, len(piece)))
            least_compactness(A, where, C, near, curvature, weight, slopes, room, out)
            return out

        ns = NS_BOUND * self.problem.n_samples
        pieces = self._pieces(candidates, ns, self._screen_in)
        return np.concatenate(self._for_each(bound, pieces), axis=1)

    def single(self, candidates: Indices) -> Floats:
        """What Θ_dis, Θ_dir and the rounding error of the latter are made of, for each one."""
        return self._compactness(candidates, np.float32)

    def double(self, candidates: Indices) -> Floats:
        """The same in double precision."""
        return self._compactness(candidates, np.float64)

    @property
    def nbytes(self) -> int:
        """Size of the rows as they came, and of what was made of them."""
        X = self.problem.X
        rows = (X.data, X.indices, X.indptr) if self.problem.is_sparse else (X,)
        made = (*vars(self).values(), *self._weight.values())
        return sum(array.nbytes for array in (*rows, *made) if isinstance(array, np.ndarray))


class Kept(NamedTuple):
    """A subset that searches will come back to: its features as they joined, and the memories."""

    features: tuple[int, ...]
    memories: list[Memory]


class Shard:
    """The chunks one worker takes care of, in their order, as long as the search lasts.

    Parameters
    ----------
    chunks : iterable of ChunkState
        The states of the empty subset.
    """

    def __init__(self, chunks: Iterable[ChunkState]) -> None:
        self._chunks = tuple(chunks)
        self._latest: tuple[tuple[int, ...], list[ChunkState]] | None = None
        self._lock = Lock()

    @contextmanager
    def after(self, features: tuple[int, ...], kept: Kept | None) -> Iterator[list[ChunkState]]:
        """The chunks once the features have joined in this order, with all threads of the worker.

        ``kept`` is what to begin with if the shard remembers nothing nearer.
        """
        with self._lock, ThreadPoolExecutor(n_threads := _threads()) as pool:
            before, chunks = self._nearest(features, kept)
            self._latest = None  # what is interrupted half-way is not to be trusted
            grow = partial(ChunkState.add_all, features=features[len(before) :])
            list(pool.map(grow, chunks))
            self._latest = features, chunks
            yield [chunk.with_threads(pool, n_threads) for chunk in chunks]

    def _nearest(
        self, features: tuple[int, ...], kept: Kept | None
    ) -> tuple[tuple[int, ...], list[ChunkState]]:
        """The longest known beginning of the features, and its states, to be changed at will."""
        start = () if kept is None else kept.features
        if self._latest is not None:
            before = self._latest[0]
            if len(before) >= len(start) and features[: len(before)] == before:
                return self._latest
        self._latest = None  # there is no room for two
        if kept is None:
            return start, [chunk.at(chunk.memory()) for chunk in self._chunks]
        return start, [
            chunk.at({name: array.copy() for name, array in memory.items()})
            for chunk, memory in zip(self._chunks, kept.memories, strict=True)
        ]

    def __sizeof__(self) -> int:
        # The scheduler weighs by this what it would cost to move the shard.
        return sum(chunk.nbytes for chunk in self._chunks)

    def __reduce__(self) -> tuple[Any, ...]:
        return Shard, (self._chunks,)  # elsewhere it begins with the empty subset


def build(chunks: Sequence[Rows], facts: Mapping[str, Any], reading: Any) -> Shard:
    """The shard of some chunks, with the ranges, centroids and weights of the whole problem."""
    return Shard(ChunkState(Part(rows, **facts), reading) for rows in chunks if len(rows.labels))


def keep(shard: Shard, kept: Kept | None, features: tuple[int, ...]) -> Kept:
    """A subset to come back to."""
    with shard.after(features, kept) as chunks:
        return Kept(features, [chunk.memory() for chunk in chunks])


def answer(shard: Shard, kept: Kept | None, features: tuple[int, ...], question: Question) -> bytes:
    """The shard's share of the compactness of the features joined by each candidate, packed."""
    asked = question.candidates()
    with shard.after(features, kept) as chunks:
        return pack(
            {
                "least": _sum(2, asked["least"], chunks, ChunkState.least),
                "single": _sum(3, asked["single"], chunks, ChunkState.single),
                "double": _sum(3, asked["double"], chunks, ChunkState.double),
            }
        )


def _sum(n: int, candidates: Indices, chunks: list[ChunkState], of_one: Any) -> Floats:
    """The sum over the chunks of ``n`` numbers for each candidate."""
    if not len(candidates):
        return np.zeros((n, 0))
    return add_up([of_one(chunk, candidates) for chunk in chunks], np.zeros((n, len(candidates))))


def _threads() -> int:
    """How many threads the worker that runs this task has."""
    from distributed import get_worker

    return int(get_worker().state.nthreads)
