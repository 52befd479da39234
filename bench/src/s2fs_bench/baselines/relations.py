"""Fuzzy relations between samples, and the approximations of the classes they give.

Two views of one thing. Baselines that only ask how well samples of *different* classes are told
apart work on the list of those pairs (:func:`list_different_class_pairs`). Baselines that also
look at neighbours of the own class keep the whole relation (:class:`Relation`). Either way a
feature's relation is recomputed from its column when it is needed: memory stays O(n²), whatever the
number of features.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.types import Floats, Indices
from s2fs_bench.baselines import loops
from s2fs_bench.baselines.loops import SortedRelation

Similarity = Literal["sigma", "range", "gaussian"]

#: Distances and degrees of discernibility are compared with this allowance: scaling rounds them.
SLACK = 1e-12


class Pairs(NamedTuple):
    """Samples ``left[p]`` and ``right[p]`` form pair p."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]

    def where(self, keep: NDArray[np.bool_]) -> "Pairs":
        """Return the pairs that a mask keeps."""
        return Pairs(self.left[keep], self.right[keep])


def list_different_class_pairs(codes: Indices) -> Pairs:
    """List the pairs ``i < j`` of samples of different class."""
    left, right = np.nonzero(np.triu(codes[:, None] != codes[None, :]))
    return Pairs(left.astype(np.int32), right.astype(np.int32))


def compute_widths(X: Floats, similarity: Similarity) -> Floats:
    """Return for each feature the difference that counts as one unit of discernibility.

    It is the sample standard deviation (divisor n − 1) for "sigma" and "gaussian", and the range,
    which is 1 for scaled data, for "range". No column of ``X`` may be constant.
    """
    if similarity == "range":
        return np.ones(X.shape[1])
    return np.asarray(X.std(axis=0, ddof=1))


def compute_lower_approximation(pairs: Pairs, discerned: Floats, n: int) -> Floats:
    """Membership of each of n samples in the lower approximation of its own class.

    With a crisp decision that is how far the sample is told apart from the nearest one of
    another class: min over the pairs it is in of 1 − similarity; 1 if it is in none.
    """
    lower = np.ones(n)
    np.minimum.at(lower, pairs.left, discerned)
    np.minimum.at(lower, pairs.right, discerned)
    return lower


class Relation:
    """The similarity of all samples in a growing set of features.

    ``R_a(x, y) = 1 − |a(x) − a(y)|``, or 0 where the difference is above the radius, if there is
    one; ``R_B = min over a in B``. A sample is similar to itself (1) where ``reflexive``, else
    not (0). Inside, samples are sorted by class; ``codes`` is the class of each in that order,
    and class q takes the places ``bounds[q]`` to ``bounds[q + 1] - 1``.
    """

    def __init__(self, X: Floats, codes: Indices, radius: float | None, *, reflexive: bool):
        order = np.argsort(codes, kind="stable")
        self.codes = codes[order]
        self.bounds = np.append(0, np.cumsum(np.bincount(codes)))
        self.columns = np.ascontiguousarray(X[order].T)
        self.radius = np.inf if radius is None else radius + SLACK
        self.reflexive = reflexive
        self.clear()

    def clear(self) -> None:
        """Take all features out: everything is similar to everything else."""
        self.matrix = np.ones((len(self.codes), len(self.codes)))
        if not self.reflexive:
            np.fill_diagonal(self.matrix, 0.0)
        self._sort()

    def add(self, features: Indices) -> None:
        """Put features in."""
        loops.intersect(self.columns, features, self.matrix, self.radius)
        self._sort()

    def _sort(self) -> None:
        """List each sample's neighbours, class by class, the most similar first."""
        who = np.empty(self.matrix.shape, dtype=np.int32)
        for start, stop in pairwise(self.bounds):
            by_similarity = np.argsort(-self.matrix[:, start:stop], axis=1, kind="stable")
            who[:, start:stop] = start + by_similarity
        similarities = np.take_along_axis(self.matrix, who, axis=1)
        self._sorted = SortedRelation(self.columns, similarities, who, self.bounds, self.radius)

    def blocks(self, candidates: Indices) -> Iterator[Indices]:
        """Cut candidates so that a number per candidate and sample takes no more than n²."""
        for start in range(0, len(candidates), len(self.codes)):
            yield candidates[start : start + len(self.codes)]

    def nearest_others(self, candidates: Indices) -> tuple[Floats, Floats]:
        """See ``loops.find_nearest_others``; ask for one of :meth:`blocks` at a time."""
        return loops.find_nearest_others(self._sorted, candidates)

    def two_nearest(self, candidates: Indices) -> tuple[Floats, Floats, Indices]:
        """See ``loops.find_two_nearest``; ask for one of :meth:`blocks` at a time."""
        return loops.find_two_nearest(self._sorted, candidates)

    def approximation_sizes(self, candidates: Indices, decision: Floats) -> tuple[Floats, Floats]:
        """Sizes of the approximations of fuzzy classes, with each candidate added alone.

        ``low(x) = min_y max(1 − R(x, y), F(y))`` and ``up(x) = max_y min(R(x, y), F(y))``, summed
        over x. The memberships F, class × sample, follow the order of this relation.
        """
        return loops.compute_approximation_sizes(
            self.columns, candidates, self.matrix, decision, self.radius
        )
