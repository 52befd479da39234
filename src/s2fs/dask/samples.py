"""The samples of a Dask collection: left where they are, summed up there chunk by chunk.

Sums are taken along a tree whose shape depends on the number of chunks alone, so neither the number
of workers nor who is done first changes their order.
"""

from collections.abc import Callable
from typing import Any

from dask import delayed
from numpy.typing import NDArray

from s2fs._utils.dask_inputs import current_client, is_dask
from s2fs._utils.types import Floats
from s2fs.criteria.summary import Summary, merge_summaries
from s2fs.dask import inputs
from s2fs.dask.chunks import summarize_chunk, weigh_chunk
from s2fs.dask.local import LocalScheduler, reduce_tree


class ClusterSamples:
    """The samples of a Dask collection, with their labels and weights.

    Parameters
    ----------
    X : dask array or data frame of shape (n_samples, n_features)
        Numbers, dense or sparse, in chunks of samples.
    y, sample_weight : dask array or series, or array-like, of shape (n_samples,)
        Labels and weights.
    stay : bool
        Whether the samples are to stay in the memory of the workers; else each pass over them reads
        them again, and lets go of them.

    Attributes
    ----------
    scheduler : Cluster or LocalScheduler
        The cluster of the current client; without one, Dask's scheduler of this process.
    n_features : int
        How many features there are.
    feature_names : ndarray of str or None
        Their names.
    chunks : list
        Each a :class:`~s2fs.dask.chunks.Chunk`: futures, or tasks that are not computed yet.
    """

    def __init__(self, X: Any, y: Any, sample_weight: Any = None, *, stay: bool = False) -> None:
        self.n_features, self.feature_names = inputs.check_columns(X)
        if y is None:
            raise ValueError("y is None; give the class of each sample.")
        self.scheduler = _find_scheduler()
        self.scheduler.check_versions()
        chunks, sizes = inputs.split_samples(X), inputs.get_chunk_sizes(X)
        if sizes is None and not (is_dask(y) and (sample_weight is None or is_dask(sample_weight))):
            sizes = self.scheduler.compute(inputs.count_chunk_samples(chunks))
        labels = inputs.split_like(y, "y", sizes, chunks)
        weights = inputs.split_like(sample_weight, "sample_weight", sizes, chunks)
        self.chunks = inputs.make_chunks(chunks, labels, weights)
        self._shards: list[list[int]] | None = None
        if stay:
            self.chunks, self._shards = self.scheduler.place(self.chunks, sizes, X)

    @property
    def shards(self) -> list[list[Any]]:
        """The chunks that one worker takes care of, if they stay there."""
        return [[self.chunks[i] for i in shard] for shard in self._shards or []]

    def summarize(self) -> Summary | None:
        """What the samples tell, in one pass over them; None if there are none."""
        return self.reduce(summarize_chunk, merge_summaries)

    def weigh(self, classes: NDArray[Any], factors: Floats) -> None:
        """Let the samples of each class count ``factors`` times from now on, 0 is not at all."""
        if (factors == 1).all():
            return
        if self._shards is None:
            weigh = delayed(weigh_chunk, pure=True)
            self.chunks = [weigh(chunk, (classes, factors)) for chunk in self.chunks]
        else:
            self.chunks = self.scheduler.map(weigh_chunk, self.chunks, factors=(classes, factors))

    def reduce(
        self, function: Callable[..., Any], join: Callable[[list[Any]], Any], **same: Any
    ) -> Any:
        """Join what a function makes of each chunk; the result comes here."""
        if self._shards is not None:
            return self.scheduler.reduce(self.scheduler.map(function, self.chunks, **same), join)
        make = delayed(function, pure=True)
        parts = [make(chunk, **same) for chunk in self.chunks]
        return self.scheduler.compute([reduce_tree(parts, join, _delay)])[0]

    def broadcast(self, value: Any) -> Any:
        """Something for all chunks, which travels once if these stay where they are."""
        return value if self._shards is None else self.scheduler.broadcast(value)


def _find_scheduler() -> Any:
    """The cluster of the current client, or Dask's scheduler of this process."""
    client = current_client()
    if client is None:
        return LocalScheduler()
    from s2fs.dask.cluster import Cluster  # loads distributed

    return Cluster(client)


def _delay(join: Callable[..., Any], parts: list[Any]) -> Any:
    return delayed(join, pure=True)(parts)
