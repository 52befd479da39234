"""From the samples of a Dask collection to a problem of S²FS: ranges, scaling, centroids."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2fs._native.class_sums import compute_class_sums
from s2fs._utils.types import Floats
from s2fs.criteria.problem import Problem, Scaling, compute_squares
from s2fs.criteria.separability import CentroidMembership, Compactness, Scale
from s2fs.criteria.summary import Summary
from s2fs.dask.chunks import Chunk, add_up, align
from s2fs.dask.samples import ClusterSamples
from s2fs.dask.shard import build_shard


class ClusterProblem:
    """What stays fixed during a search over samples that are elsewhere.

    Parameters
    ----------
    samples : ClusterSamples
        The samples, which stay where they are.
    summary : Summary
        What they tell.
    scale : {"standard", "minmax", None}
        As in :class:`~s2fs.criteria.problem.Problem`.

    Attributes
    ----------
    scheduler : Cluster or LocalScheduler
        Who does the work.
    centroids : Problem
        A problem whose samples are the class centroids. Whatever depends on these alone can be
        asked of a state on it, and what that allocates per sample is small.
    """

    def __init__(self, samples: ClusterSamples, summary: Summary, scale: Scale) -> None:
        self.scheduler = samples.scheduler
        self._samples, self._classes = samples, summary.classes
        lower, upper = summary.range
        weights, means = summary.weights, summary.means - lower
        with np.errstate(all="ignore"):  # what cannot be scaled is told below
            extent = np.where(upper > lower, upper - lower, 1.0)
            mean = weights @ means / weights.sum()
        # With a pass over what is left the mean of equal values is exactly that value.
        whole = samples.broadcast((summary.classes, lower, means, mean, extent))
        sums = samples.reduce(sum_rest, add_up, whole=whole)
        means = means + sums[:-1] / weights[:, None]
        scaling = Scaling.from_means((lower, upper), weights, scale, means, sums[-1])
        centroids = scaling.lower + scaling.centroids.T * scaling.width
        own = np.arange(len(weights))
        self.centroids = Problem(centroids, own, None, weights, scaling=scaling)

    @property
    def varying(self) -> NDArray[np.bool_]:
        """Mask of the features that are not constant."""
        return self.centroids.varying

    def build_shards(self, options: tuple[CentroidMembership, Compactness]) -> list[Any]:
        """Futures of the shards."""
        # The unit is put back on the client: single precision may not hold it.
        scaled = self._samples.broadcast((self._classes, self.centroids.scaling._replace(unit=1.0)))
        return self.scheduler.map(build_shard, self._samples.shards, scaled=scaled, options=options)


def sum_rest(
    chunk: Chunk, whole: tuple[NDArray[Any], Floats, Floats, Floats, Floats]
) -> Floats | None:
    """What is left of the samples of a chunk beside ``lower`` and the means known so far.

    Returns
    -------
    ndarray of shape (n_classes + 1, n_features)
        Weighted class sums of the differences to ``lower`` and the class mean; below them the
        sum of squares of the differences to ``lower`` and the mean, in units of the extent.
    """
    if not len(chunk.labels):
        return None
    X, labels, weight = align(chunk)
    classes, lower, means, mean, extent = align(whole)
    codes = np.searchsorted(classes, labels)
    # In plain NumPy it takes temporary arrays, and workers of Dask are set to give memory back as
    # soon as it is free: to get it anew for each array takes longer than the sums.
    with np.errstate(all="ignore"):
        sums = compute_class_sums(X, codes, lower, means, weight)
        return np.vstack([sums, compute_squares(X, lower, mean, extent, weight)])
