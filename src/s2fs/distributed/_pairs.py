"""Pair cover of rows that are on a cluster: one pass over them, then the search is here.

Each chunk gives the moments of its rows. They are merged along a tree whose shape depends on the
number of chunks alone, so neither the number of workers nor who is done first changes the order of
the sums. The rows are let go of at once, unless correlations are wanted: these take one product of
a chosen feature with all others at each step, summed along the same tree.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from dask import delayed
from numpy.typing import NDArray

from s2fs._core.pairs import Moments
from s2fs._core.weights import counting_factor, reject_extreme_weights
from s2fs._engine.copies import Copies
from s2fs._engine.native_pairs import NativeCorrelations, cover_of
from s2fs._engine.pairs import Correlations, Cover, checked, counted
from s2fs._util.types import Floats, Indices
from s2fs.distributed._cluster import Cluster
from s2fs.distributed._moments import chunk_found, factors_of, together, tree
from s2fs.distributed._problem import check_rows, chunks_of, too_few_rows
from s2fs.distributed._rows import Rows, add_up
from s2fs.distributed._twins import ClusterCopies, ClusterOverallCorrelations


class ClusterCorrelations:
    """Correlations inside the classes of one feature with all others, over all chunks.

    Parameters
    ----------
    cluster : Cluster
        Where the rows are.
    chunks : list of Future
        The chunks in their order, see :class:`~s2fs.distributed._rows.Rows`.
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    factors : ndarray of shape (n_classes,)
        What the weights of the rows of each class are multiplied by.
    known : Moments
        The moments of all rows.
    """

    def __init__(
        self,
        cluster: Cluster,
        chunks: list[Any],
        classes: NDArray[Any],
        factors: Floats,
        known: Moments,
    ) -> None:
        self._cluster = cluster
        whole = cluster.hand_out((classes, factors, known))
        self._parts = cluster.map(chunk_correlations, chunks, whole=whole)

    def __call__(self, feature: int) -> Floats:
        """The correlations of ``feature`` with every feature, 1 with itself."""
        shares = self._cluster.map(chunk_share, self._parts, feature=feature)
        (products,) = self._cluster.gather([tree(shares, add_up, self._cluster.submit)])
        products[feature] = 1.0
        return products

    def among(self, features: Indices) -> Floats:
        """The correlations of some features with each other."""
        shares = self._cluster.map(chunk_among, self._parts, features=features)
        (products,) = self._cluster.gather([tree(shares, add_up, self._cluster.submit)])
        return np.asarray(products)


def cluster_cover(
    selector: Any, client: Any, X: Any, y: Any, sample_weight: Any = None
) -> tuple[Cover, NDArray[Any], ClusterOverallCorrelations | None]:
    """Take the moments of the rows of a Dask collection where they are.

    Parameters
    ----------
    selector : estimator
        A :class:`~s2fs.PairCover`, whose ``correlation``, ``max_correlation`` and ``class_weight``
        are used; ``n_features_in_`` and ``feature_names_in_`` are set.
    client : distributed.Client
        The cluster.
    X : dask array or data frame of shape (n_samples, n_features)
        Numbers, dense or sparse, in row chunks; NaN is missing.
    y, sample_weight : dask array or series, or array-like, of shape (n_samples,)
        Labels and weights.

    Returns
    -------
    criterion : Cover
        The criterion of the empty subset.
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    overall : callable or None
        The correlations of a feature with every feature over all rows, for ``max_correlation``.
    """
    cluster = Cluster(client)
    ready, _, factors = chunks_of(selector, cluster, X, y, sample_weight, apart=True)
    chunks: list[Any] = []
    guarded = selector.max_correlation is not None
    if selector.correlation != 0 or guarded:
        chunks = cluster.compute(ready)
        parts = cluster.map(chunk_found, chunks, factors=factors)
        total = tree(parts, together, cluster.submit)
    else:
        parts = [delayed(chunk_found, pure=True)(rows, factors) for rows in ready]
        (total,) = cluster.compute([tree(parts, together, _delay)])
    (found,) = cluster.gather([total])
    if found is None:
        raise too_few_rows(0)
    infinite = (found.known.lower == -np.inf) | (found.known.upper == np.inf)
    reject_extreme_weights(np.array([found.lightest, found.heaviest]))
    check_rows(selector, found.n_rows, found.classes, {"infinity": infinite})
    overall = ClusterOverallCorrelations(cluster, chunks) if guarded else None
    of_class = factors_of(factors, found.classes)
    samples = counting_factor(found.weight_of_class.sum(), found.n_rows)
    known = checked(counted(found.known, samples / of_class))
    copies = None
    if chunks:  # the rows are kept
        copies = Copies(known, ClusterCopies(cluster, chunks))
    if selector.correlation == 0:
        return cover_of(known, copies=copies), found.classes, overall
    # The squares of all rows together are those by the counts of samples.
    of_class *= samples * found.weight_of_class.sum() / (found.weight_of_class @ of_class)
    correlations = ClusterCorrelations(cluster, chunks, found.classes, of_class, known)
    return cover_of(known, selector.correlation, correlations, copies), found.classes, overall


def chunk_correlations(
    rows: Rows, whole: tuple[NDArray[Any], Floats, Moments]
) -> Correlations | None:
    """The share of one chunk in the correlations of all rows; None if it has no rows."""
    if not len(rows.labels):
        return None
    classes, factors, known = whole
    codes = np.searchsorted(classes, rows.labels)
    weight = factors[codes]
    if rows.sample_weight is not None:
        weight = weight * rows.sample_weight
    missing = bool(known.missing.any())
    return NativeCorrelations(rows.X, codes, known, weight, missing=missing)


def chunk_share(part: Correlations | None, feature: int) -> Floats | float:
    """The share of one chunk in the correlations of a feature; that with itself is not meant."""
    return 0.0 if part is None else part(feature)


def chunk_among(part: Correlations | None, features: Indices) -> Floats | float:
    """The share of one chunk in the correlations of some features with each other."""
    return 0.0 if part is None else part.among(features)


def _delay(join: Callable[..., Any], parts: list[Any]) -> Any:
    return delayed(join, pure=True)(parts)
