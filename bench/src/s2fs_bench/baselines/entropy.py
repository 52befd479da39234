"""Granules of samples and the entropies made of their sizes.

A granule of a sample is what lies near it: a crisp neighbourhood, or a fuzzy set of samples.
Small granules mean a feature set that tells much apart, and logarithms of their sizes give the
entropies of the neighbourhood and fuzzy rough set literature. All logarithms have base 2.
"""

from abc import ABC, abstractmethod
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform

from s2fs._utils.types import Floats, Indices
from s2fs_bench.baselines import loops
from s2fs_bench.baselines.loops import Granules

Bits = NDArray[np.uint64]

#: Added to a radius so that rounding cannot push a neighbour at exactly that distance outside.
SLACK = 1e-12


def granule_entropy(sizes: NDArray[np.floating] | NDArray[np.integer]) -> Floats:
    """Entropy −(1/n) Σ log(size / n) of granules of n samples, along the last axis."""
    n = sizes.shape[-1]
    return np.asarray(np.log2(n) - np.log2(sizes).mean(axis=-1))


def label_entropy(codes: Indices) -> float:
    """Entropy of the class label, in bits."""
    return float(granule_entropy(np.bincount(codes)[codes]))


def count_neighbours(column: Floats, delta: float) -> Indices:
    """Count, for each value of a feature, the values at most ``delta`` away, itself included."""
    ascending = np.sort(column)
    radius = delta + SLACK
    upto = np.searchsorted(ascending, column + radius, side="right")
    return np.asarray(upto - np.searchsorted(ascending, column - radius, side="left"))


def neighbourhood_bits(X: Floats, delta: float) -> Bits:
    """Write the neighbourhoods of every feature as bits: feature × word × sample.

    Bit z of column x, counted through the words, says whether sample z is near x on the feature;
    bits past the last sample are 0. A neighbourhood on several features is the bitwise "and".
    """
    radius = delta + SLACK
    n, m = X.shape
    bits = np.empty((m, -(-n // 64), n), dtype=np.uint64)
    for f, x in enumerate(X.T):
        bits[f] = _pack_bits(np.abs(x[:, None] - x) <= radius)
    return bits


def class_bits(codes: Indices) -> Bits:
    """Write the classes as bits: bit z of column x says whether z has the label of x."""
    return _pack_bits(codes[:, None] == codes)


def _pack_bits(table: NDArray[np.bool_]) -> Bits:
    n = len(table)
    octets = np.zeros((n, -(-n // 64) * 8), dtype=np.uint8)
    octets[:, : -(-n // 8)] = np.packbits(table, axis=1, bitorder="little")
    return octets.view(np.uint64).T


def count_bits(bits: Bits) -> Indices:
    """How many samples each granule holds: the bits set in each column."""
    return np.asarray(np.bitwise_count(bits).sum(axis=-2, dtype=np.uint32), dtype=np.intp)


class FuzzyGranules(ABC):
    """Sizes of the fuzzy granules of a growing feature set.

    The relation of one feature is a falling function of the difference of two values, and that of
    a set is the minimum over its features: the same function of the largest difference. One table
    of largest differences is therefore all there is to keep, whatever the size of the set.

    Arrays over samples are in class order: ``codes``, ``sample_weight`` (how much each counts
    inside a granule), and ``own`` and ``every``, the size of the granule of each sample, counted
    inside its class and altogether.
    """

    def __init__(self, X: Floats, codes: Indices, sample_weight: Floats | None = None) -> None:
        order = np.argsort(codes, kind="stable")
        n = len(order)
        self.codes = codes[order]
        self.sample_weight = np.ones(n) if sample_weight is None else sample_weight[order]
        self._columns = np.ascontiguousarray(X[order].T)
        self._class_sizes = np.bincount(codes)
        self._bounds = np.concatenate([[0], np.cumsum(self._class_sizes)])  # of the classes
        self._furthest = np.zeros((n, n))
        self._relation = self.relation(self._furthest)
        self.own, self.every = self._sums(self._relation)

    @abstractmethod
    def relation(self, difference: Floats) -> Floats:
        """Similarity of two samples, given their largest difference."""

    @abstractmethod
    def sizes(self, candidates: Indices) -> tuple[Floats, Floats]:
        """As ``own`` and ``every``, a row for each candidate when it is added alone."""

    def add(self, feature: int) -> None:
        """Put a feature in for good."""
        x = self._columns[feature]
        np.maximum(self._furthest, np.abs(x[:, None] - x), out=self._furthest)
        self._relation = self.relation(self._furthest)
        self.own, self.every = self._sums(self._relation)

    def sizes_with_all(self) -> tuple[Floats, Floats]:
        """Granule sizes of the set of all features, inside the class and altogether."""
        return self._sums(self.relation(squareform(pdist(self._columns.T, "chebyshev"))))

    def _sums(self, relation: Floats) -> tuple[Floats, Floats]:
        # Not a matrix product: its last digits would depend on the number of threads.
        weighted = relation * self.sample_weight
        own = [weighted[a:b, a:b].sum(axis=1) for a, b in pairwise(self._bounds)]
        return np.concatenate(own), weighted.sum(axis=1)


class LinearGranules(FuzzyGranules):
    """Granules of the relation 1 − |difference|; every sample counts the same."""

    def relation(self, difference: Floats) -> Floats:
        """Similarity of two samples, given their largest difference."""
        return 1 - difference

    def sizes(self, candidates: Indices) -> tuple[Floats, Floats]:
        """Granule sizes inside the class and altogether, with each candidate added alone."""
        columns = self._columns[candidates]
        own, every = loops.sum_largest_differences(columns, self._furthest, self._bounds)
        return self._class_sizes[self.codes] - own, len(self.codes) - every


class GaussianGranules(FuzzyGranules):
    """Granules of the relation exp(−difference² / 2σ²), see :class:`FuzzyGranules`."""

    def __init__(
        self, X: Floats, codes: Indices, sigma: float, sample_weight: Floats | None = None
    ) -> None:
        self._scale = 1 / (2 * sigma**2)
        super().__init__(X, codes, sample_weight)

    def relation(self, difference: Floats) -> Floats:
        """Similarity of two samples, given their largest difference."""
        return np.asarray(np.exp(-self._scale * difference**2))

    def sizes(self, candidates: Indices) -> tuple[Floats, Floats]:
        """Granule sizes inside the class and altogether, with each candidate added alone."""
        own = np.tile(self.own, (len(candidates), 1))
        every = np.tile(self.every, (len(candidates), 1))
        granules = Granules(
            self._furthest, self._relation, self._bounds, self.sample_weight, self._scale
        )
        loops.add_gaussian_changes(granules, self._columns[candidates], own, every)
        return own, every
