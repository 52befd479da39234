"""What workers do during the search, as functions of (rows, features chosen so far).

A shard remembers the subset it was asked about last, so that the next one costs an addition. Its
answers do not depend on that: the scheduler may ask again, elsewhere, after a worker was lost, and
gets the same numbers.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._core.problem import Problem, Scaling
from s2fs._engine.memory import Memory
from s2fs._engine.native import NativeState
from s2fs._engine.reference import SubsetState
from s2fs._engine.separability import empty_state
from s2fs._util.types import Floats, Indices
from s2fs.distributed._exchange import Question, as_sent
from s2fs.distributed._rows import Piece, Rows, add_up

#: The state of a subset on the rows of one chunk.
ChunkState = NativeState | SubsetState


class Kept(NamedTuple):
    """A subset that searches will come back to: its features as they joined, and the memories."""

    features: tuple[int, ...]
    memories: list[Memory]


class Shard:
    """The chunks one worker takes care of, in their order, as long as the search lasts.

    The ``options`` are the variants of Eq. 20 and of the compactness.
    """

    def __init__(self, parts: Iterable[Problem], options: tuple[Any, ...]) -> None:
        self._parts, self._options = tuple(parts), options
        self._chunks: tuple[ChunkState, ...] = tuple(
            empty_state(part, *options) for part in self._parts
        )
        self._latest: tuple[tuple[int, ...], list[ChunkState]] | None = None
        self._lock = Lock()

    @property
    def pieces(self) -> list[Piece]:
        """The numbers of each chunk, and the share of each row in the weight of the table."""
        return [(part.X, part.weight) for part in self._parts]

    @contextmanager
    def after(self, features: tuple[int, ...], kept: Kept | None) -> Iterator[list[ChunkState]]:
        """The chunks once the features have joined in this order, with all threads of the worker.

        ``kept`` is what to begin with if the shard remembers nothing nearer.
        """
        with self._lock:
            before, chunks = self._nearest(features, kept)
            self._latest = None  # what is interrupted half-way is not to be trusted
            chunks = [chunk.with_threads(_threads()) for chunk in chunks]
            for chunk in chunks:
                for feature in features[len(before) :]:
                    chunk.add(feature)
            self._latest = features, chunks
            yield chunks

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
            return start, [chunk.copy() for chunk in self._chunks]
        return start, [
            chunk.at({name: array.copy() for name, array in memory.items()})
            for chunk, memory in zip(self._chunks, kept.memories, strict=True)
        ]

    def __sizeof__(self) -> int:
        # The scheduler weighs by this what it would cost to move the shard.
        return sum(chunk.nbytes for chunk in self._chunks)

    def __reduce__(self) -> tuple[Any, ...]:
        return Shard, (self._parts, self._options)  # elsewhere it begins with the empty subset


def build(
    chunks: Sequence[Rows], known: tuple[NDArray[Any], Scaling], options: tuple[Any, ...]
) -> Shard:
    """The shard of some chunks, with the classes and the scaling of the whole table."""
    return Shard((rows.problem(*known) for rows in chunks if len(rows.labels)), options)


def keep(shard: Shard, kept: Kept | None, features: tuple[int, ...]) -> Kept:
    """A subset to come back to."""
    with shard.after(features, kept) as chunks:
        return Kept(features, [chunk.memory() for chunk in chunks])


def answer(
    shard: Shard, kept: Kept | None, features: tuple[int, ...], question: Question
) -> dict[str, NDArray[Any]]:
    """The shard's share of the compactness of the features joined by each candidate."""
    asked = question.candidates()
    with shard.after(features, kept) as chunks:
        least = [chunk.least_compactness for chunk in chunks]
        single = [partial(chunk.compactness, single=True) for chunk in chunks]
        double = [partial(chunk.compactness, single=False) for chunk in chunks]
        return as_sent(
            {
                "least": _sum(2, asked["least"], least),
                "single": _sum(3, asked["single"], single),
                "double": _sum(3, asked["double"], double),
            }
        )


def _sum(n: int, candidates: Indices, measures: Sequence[Callable[[Indices], Floats]]) -> Floats:
    """The sum over the chunks of ``n`` numbers for each candidate."""
    if not len(candidates):
        return np.zeros((n, 0))
    return add_up([measure(candidates) for measure in measures], np.zeros((n, len(candidates))))


def _threads() -> int:
    """How many threads the worker that runs this task has."""
    from distributed import get_worker

    return int(get_worker().state.nthreads)
