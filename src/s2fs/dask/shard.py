"""What a worker holds and does during a search by S²FS.

A shard is a set of samples with their state. What it answers depends on the samples and the
selected features alone: after a worker is lost, the scheduler asks another one, which gives the
same numbers. To save time a shard remembers the last subsets it was asked about.
"""

import sys
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._native.separability import empty_state
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.problem import Problem, Scaling
from s2fs.dask.chunks import Chunk, add_up, align

#: How many subsets a shard remembers: the selected features, and a group that may join them.
_N_SUBSETS = 2


class Shard:
    """The chunks one worker takes care of, in their order, as long as the search lasts.

    Parameters
    ----------
    problems : iterable of Problem
        The samples of each chunk, scaled as all of the table.
    options : tuple
        The variants of Eq. 20 and of the compactness.
    """

    def __init__(self, problems: Iterable[Problem], options: tuple[Any, ...]) -> None:
        self._problems, self._options = tuple(problems), options
        self._empty: list[Any] = []
        self._states: dict[tuple[int, ...], list[Any]] = {}
        self._lock = Lock()

    def sum_samples(self, selected: tuple[int, ...], candidates: Indices) -> Floats:
        """The share of these samples in the compactness of a subset joined by each candidate.

        Returns
        -------
        ndarray of shape (2, n_candidates)
            The sums that Θ_dis and Θ_dir are made of.
        """
        with self._lock:
            parts = [state.row_sums(candidates) for state in self._grow_states(selected)]
        return np.zeros((2, len(candidates))) + add_up(parts)

    def _grow_states(self, selected: tuple[int, ...]) -> list[Any]:
        """The state of each chunk; it grows from the nearest subset that is remembered."""
        if not self._empty:
            centroid_membership, compactness = self._options
            self._empty = [
                empty_state(problem, centroid_membership, compactness, _count_threads())
                for problem in self._problems
            ]
        prefixes = [subset for subset in self._states if selected[: len(subset)] == subset]
        nearest = max(prefixes, key=len, default=())
        states = self._states.pop(nearest, self._empty)
        if nearest:
            self._states[nearest] = states  # back at the end: the subset used last
        if nearest != selected:
            states = [state.copy() for state in states]
            for state in states:
                for feature in selected[len(nearest) :]:
                    state.add(feature)
            self._states[selected] = states
            while len(self._states) > _N_SUBSETS:
                del self._states[next(iter(self._states))]
        return states

    def __sizeof__(self) -> int:
        # The scheduler weighs by this what it would cost to move the shard.
        return sum(_count_bytes(problem.X) for problem in self._problems)

    def __reduce__(self) -> tuple[Any, ...]:
        return Shard, (self._problems, self._options)  # elsewhere it begins with the empty subset


def build_shard(
    chunks: Sequence[Chunk], scaled: tuple[NDArray[Any], Scaling], options: tuple[Any, ...]
) -> Shard:
    """The shard of some chunks, with the classes and the scaling of the whole table."""
    classes, scaling = align(scaled)
    filled = [align(chunk) for chunk in chunks if len(chunk.labels)]
    return Shard((chunk.as_problem(classes, scaling) for chunk in filled), options)


def sum_samples(shard: Shard, selected: tuple[int, ...], candidates: Indices) -> Floats:
    """See :meth:`Shard.sum_samples`."""
    return shard.sum_samples(selected, candidates)


def _count_bytes(X: Any) -> int:
    """The size of a table, dense or sparse."""
    if issparse(X):
        return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
    return int(X.nbytes)


def _count_threads() -> int:
    """How many threads the worker that runs this task has; without a cluster there is one each."""
    if "distributed" not in sys.modules:
        return 1
    from distributed import get_worker

    try:
        return int(get_worker().state.nthreads)
    except ValueError:  # not on a worker
        return 1
