"""Dask's scheduler of this process: work on a collection while there is no client.

It has the methods of :class:`~s2fs.dask.cluster.Cluster`; what is a future there is the result
itself here.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dask
from dask.system import CPU_COUNT

from s2fs._utils.dask_inputs import compute_dask

#: How many neighbours are merged at once.
_BRANCHES = 8


class LocalScheduler:
    """Dask's scheduler of this process."""

    def check_versions(self) -> None:
        """Nothing to check: there is one s2fs."""

    def compute(self, tasks: list[Any]) -> list[Any]:
        """The results of some tasks."""
        return list(compute_dask(*tasks))

    def place(
        self, chunks: list[Any], sizes: list[int] | None, source: Any
    ) -> tuple[list[Any], list[list[int]]]:
        """The chunks in memory, and those that one thread takes care of, by position."""
        threads = [1] * int(dask.config.get("num_workers", None) or CPU_COUNT)
        return self.compute(chunks), [run for run in deal_out(chunks, sizes, threads) if run]

    def map(self, function: Callable[..., Any], *arguments: list[Any], **same: Any) -> list[Any]:
        """The results of a pure function, one for each part, some of them at a time."""
        with ThreadPoolExecutor(CPU_COUNT) as threads:
            calls = [
                threads.submit(function, *each, **same) for each in zip(*arguments, strict=True)
            ]
            return [call.result() for call in calls]

    def broadcast(self, value: Any) -> Any:
        """The value: it is there."""
        return value

    def gather(self, results: list[Any]) -> list[Any]:
        """The results: they are there."""
        return results

    def reduce(self, parts: list[Any], join: Callable[[list[Any]], Any]) -> Any:
        """Join some results along a tree."""
        return reduce_tree(parts, join, lambda join, some: join(some))

    def close(self) -> None:
        """Nothing to let go of."""


def reduce_tree(
    parts: list[Any], join: Callable[[list[Any]], Any], call: Callable[..., Any]
) -> Any:
    """Join neighbours, and neighbours of these, until one is left.

    The shape depends on the number of parts alone, so the order of sums is always the same.
    """
    while True:
        parts = [call(join, parts[i : i + _BRANCHES]) for i in range(0, len(parts), _BRANCHES)]
        if len(parts) == 1:
            return parts[0]


def deal_out(chunks: list[Any], sizes: list[int] | None, threads: list[int]) -> list[list[int]]:
    """Runs of neighbouring chunks, as many samples for each keeper as it has threads."""
    size = sizes if sizes and sum(sizes) else [1] * len(chunks)
    runs: list[list[int]] = [[] for _ in threads]
    done, keeper = 0, 0
    for i, n in enumerate(size):
        middle = (done + n / 2) / sum(size)
        while middle > sum(threads[: keeper + 1]) / sum(threads) and keeper < len(threads) - 1:
            keeper += 1
        runs[keeper].append(i)
        done += n
    return runs
