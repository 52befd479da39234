"""Compiled loops over running squared distances: nearest neighbours.

This module and those built on it need numba, so import them on first use.
"""

import numpy as np

from s2fs._core.criterion import EQUAL
from s2fs._engine.jit import compiled
from s2fs._engine.lanes import Array, smaller

#: So many distances are looked at together first, to see whether one is near enough.
STRETCH = 64

_jit = compiled(error_model="numpy")


@_jit
def grow(D: Array, rows: Array, columns: Array, start: int, stop: int, top: int, left: int) -> None:
    """Add to squared distances the terms of the features from start to stop.

    ``rows`` and ``columns`` are feature × instance; those that D is about begin at top and left.
    They come whole, as a loop over part of a part would not be known to run through memory in
    order and be taken one by one.
    """
    for f in range(start, stop):
        there = columns[f, left:]
        for i in range(D.shape[0]):
            x = rows[f, top + i]
            for j in range(D.shape[1]):
                d = x - there[j]
                D[i, j] += d * d


@_jit
def nearest(distances: Array, near: Array, neighbours: Array) -> None:
    """Write the nearest ones of the distances, in any order; of equally far ones the earlier.

    Up to rounding: distances are equal if they differ by a share of ``EQUAL`` at most. ``near``
    holds one more than asked for, those that were nearest with fewer features (−1 where there were
    none yet), and then those nearest now: none of them is further than the furthest before.
    """
    k, furthest = len(neighbours), -np.inf
    for j in near:
        furthest = max(furthest, distances[j] if j >= 0 else np.inf)
    # Distances of those in ``near``, sorted, the later of equal ones last.
    found = np.full(k + 1, np.nextafter(furthest, np.inf))
    near[:] = -1
    for start in range(0, len(distances), STRETCH):
        stop, least = min(start + STRETCH, len(distances)), np.inf
        for j in range(start, stop):
            least = smaller(least, distances[j])
        if least >= found[k]:
            continue
        for j in range(start, stop):
            d = distances[j]
            if d < found[k]:
                place = k
                while place > 0 and d < found[place - 1]:
                    found[place], near[place] = found[place - 1], near[place - 1]
                    place -= 1
                found[place], near[place] = d, j
    last = found[k - 1]
    if found[k] > last * (1 + EQUAL):
        neighbours[:] = near[:k]
        return
    n = 0
    for j in range(len(distances)):
        if distances[j] < last * (1 - EQUAL):
            neighbours[n] = j
            n += 1
    for j in range(len(distances)):
        if n < k and np.abs(distances[j] - last) <= last * EQUAL:
            neighbours[n] = j
            n += 1


@_jit
def vote_of_nearest(
    D: Array, test: Array, train: Array, near: Array, codes: Array, p: int, winners: Array
) -> None:
    """Grow distances of test × training rows by new features, then let the k nearest rows vote.

    The features are given as feature × instance; equal votes go to the smaller label.
    """
    votes, neighbours = np.zeros(p, dtype=np.int64), np.empty(near.shape[1] - 1, dtype=np.int64)
    grow(D, test, train, 0, len(test), 0, 0)
    for i in range(len(D)):
        nearest(D[i], near[i], neighbours)
        votes[:] = 0
        for j in neighbours:
            votes[codes[j]] += 1
        winners[i] = votes.argmax()
