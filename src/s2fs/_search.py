"""Greedy forward search over a subset state (Algorithm 1)."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._criterion import EQUAL, Components, Floats
from s2fs._state import SubsetState


class Step(NamedTuple):
    """One choice of the search: the feature, and the subset it completes."""

    feature: int
    sep: float
    gain: float
    components: Components


def forward(state: SubsetState, k: int, alpha: float, beta: float) -> Iterator[Step]:
    """Add ``k`` features one by one, each time the one with the largest gain.

    Gains may be negative; the search goes on. Equal gains go to the smaller feature index, and
    constant features wait until no other is left.
    """
    varying = state.problem.varying
    left = np.flatnonzero(varying)
    constant = np.flatnonzero(~varying)
    sep = 0.0
    for step in range(k):
        if step < varying.sum():
            feature = first_best(left, state.score(left).separability(alpha, beta))
            left = left[left != feature]
        else:
            feature = int(constant[step - varying.sum()])
        state.add(feature)
        before, parts = sep, state.components()
        sep = float(parts.separability(alpha, beta))
        gain = 0.0 if sep == before else sep - before  # two infinities are equal
        yield Step(feature, sep, gain, parts)


def first_best(features: NDArray[np.intp], scores: Floats) -> int:
    """The feature with the largest score, the first one among equals."""
    return int(features[np.argmax(scores >= scores.max() * (1 - EQUAL))])
