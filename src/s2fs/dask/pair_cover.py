"""PairCover of samples that are on a cluster: one pass over them, then the search is here.

Each chunk gives the moments of its samples. They are merged along a tree whose shape depends on the
number of chunks alone, so neither the number of workers nor who is done first changes the order of
the sums. The samples are let go of at once, unless correlations are wanted: these take one product
of a selected feature with all others at each step, summed along the same tree.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from dask import delayed
from numpy.typing import NDArray

from s2fs._native import pair_cover as native
from s2fs._native.correlated_features import ExactCopies
from s2fs._native.correlations import WithinClassCorrelations
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.class_moments import ClassMoments, check_squares, count_samples
from s2fs.criteria.weights import counting_factor, reject_extreme_weights
from s2fs.dask.chunks import Chunk, add_up, align
from s2fs.dask.cluster import Cluster, reduce_tree
from s2fs.dask.correlations import ClusterCopies, ClusterOverallCorrelations
from s2fs.dask.moments import compute_moments, get_factors, merge_moments
from s2fs.dask.problem import check_samples, make_too_few_error, prepare_chunks


class ClusterCorrelations:
    """Correlations inside the classes of one feature with all others, over all chunks.

    Parameters
    ----------
    cluster : Cluster
        Where the samples are.
    chunks : list of Future
        The chunks in their order, see :class:`~s2fs.dask.chunks.Chunk`.
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    factors : ndarray of shape (n_classes,)
        What the weights of the samples of each class are multiplied by.
    moments : ClassMoments
        The moments of all samples.
    """

    def __init__(
        self,
        cluster: Cluster,
        chunks: list[Any],
        classes: NDArray[Any],
        factors: Floats,
        moments: ClassMoments,
    ) -> None:
        self._cluster = cluster
        whole = cluster.broadcast((classes, factors, moments))
        self._parts = cluster.map(prepare_correlations, chunks, whole=whole)

    def __call__(self, feature: int) -> Floats:
        """The correlations of ``feature`` with every feature, 1 with itself."""
        shares = self._cluster.map(correlate_chunk, self._parts, feature=feature)
        products = self._cluster.reduce(shares, add_up)
        products[feature] = 1.0
        return products

    def among(self, features: Indices) -> Floats:
        """The correlations of some features with each other."""
        shares = self._cluster.map(correlate_among, self._parts, features=features)
        products = self._cluster.reduce(shares, add_up)
        return np.asarray(products)


def make_pair_cover(
    selector: Any, client: Any, X: Any, y: Any, sample_weight: Any = None
) -> tuple[native.AnyPairCover, NDArray[Any], ClusterOverallCorrelations | None]:
    """Take the moments of the samples of a Dask collection where they are.

    Parameters
    ----------
    selector : estimator
        A :class:`~s2fs.PairCover`, whose ``correlation``, ``max_correlation`` and ``class_weight``
        are used; ``n_features_in_`` and ``feature_names_in_`` are set.
    client : distributed.Client
        The cluster.
    X : dask array or data frame of shape (n_samples, n_features)
        Numbers, dense or sparse, in chunks of samples; NaN is missing.
    y, sample_weight : dask array or series, or array-like, of shape (n_samples,)
        Labels and weights.

    Returns
    -------
    criterion : AnyPairCover
        The criterion of the empty subset.
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    correlations : callable or None
        The correlations of a feature with every feature over all samples, for ``max_correlation``.
    """
    cluster = Cluster(client)
    lazy_chunks, _, factors = prepare_chunks(selector, cluster, X, y, sample_weight, apart=True)
    has_limit = selector.max_correlation is not None
    chunks: list[Any] = []
    if selector.correlation != 0 or has_limit:  # the samples are needed again
        chunks = cluster.compute(lazy_chunks)
        parts = cluster.map(compute_moments, chunks, factors=factors)
        table = cluster.reduce(parts, merge_moments)
    else:
        parts = [delayed(compute_moments, pure=True)(chunk, factors) for chunk in lazy_chunks]
        (table,) = cluster.gather(cluster.compute([reduce_tree(parts, merge_moments, _delay)]))
    if table is None:
        raise make_too_few_error(0)
    is_infinite = (table.moments.lower == -np.inf) | (table.moments.upper == np.inf)
    reject_extreme_weights(np.array([table.lightest, table.heaviest]))
    check_samples(selector, table.n_samples, table.classes, {"infinity": is_infinite})
    correlations = ClusterOverallCorrelations(cluster, chunks) if has_limit else None
    class_factors = get_factors(factors, table.classes)
    per_weight = counting_factor(table.weight_of_class.sum(), table.n_samples)
    moments = check_squares(count_samples(table.moments, per_weight / class_factors))
    copies = ExactCopies(moments, ClusterCopies(cluster, chunks)) if chunks else None
    if selector.correlation == 0:
        return native.make_pair_cover(moments, copies=copies), table.classes, correlations
    # The squares of all samples together are those by the counts of samples.
    total = table.weight_of_class.sum()
    class_factors *= per_weight * total / (table.weight_of_class @ class_factors)
    within = ClusterCorrelations(cluster, chunks, table.classes, class_factors, moments)
    return (
        native.make_pair_cover(moments, selector.correlation, within, copies),
        table.classes,
        correlations,
    )


def prepare_correlations(
    chunk: Chunk, whole: tuple[NDArray[Any], Floats, ClassMoments]
) -> WithinClassCorrelations | None:
    """The share of one chunk in the correlations of all samples; None if it has none."""
    if not len(chunk.labels):
        return None
    chunk = align(chunk)
    classes, factors, moments = align(whole)
    codes = np.searchsorted(classes, chunk.labels)
    weight = factors[codes]
    if chunk.sample_weight is not None:
        weight = weight * chunk.sample_weight
    return WithinClassCorrelations(chunk.X, codes, moments, weight)


def correlate_chunk(part: WithinClassCorrelations | None, feature: int) -> Floats | float:
    """The share of one chunk in the correlations of a feature; that with itself is not meant."""
    return 0.0 if part is None else part(feature)


def correlate_among(part: WithinClassCorrelations | None, features: Indices) -> Floats | float:
    """The share of one chunk in the correlations of some features with each other."""
    return 0.0 if part is None else part.among(align(features))


def _delay(join: Callable[..., Any], parts: list[Any]) -> Any:
    return delayed(join, pure=True)(parts)
