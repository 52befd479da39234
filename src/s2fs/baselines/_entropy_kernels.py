"""Compiled loops of the baselines built on class centres, granules and entropies.

Imported on first use only, because numba is slow to import. No loop lets the compiler reorder a
sum, so that every machine takes the same sums in the same order.
"""

from math import exp

import numpy as np

from s2fs._engine.jit import compiled
from s2fs._util.types import Floats, Indices

#: How many candidates share one walk over an n × n table: the table is the larger, read it less.
_BLOCK = 8


@compiled()
def largest_difference_sums(
    columns: Floats, furthest: Floats, bounds: Indices, own: Floats, every: Floats
) -> None:
    """Add up, per candidate and instance, the largest differences to all and to its own class.

    The instances are in class order; ``bounds`` holds where the classes begin, and their number.
    Sums run down the table, so that neighbouring instances fill the lanes of a vector, and take
    four rows at a time, because the traffic to memory is what costs.
    """
    m, n = columns.shape
    to_class = np.empty((_BLOCK, n))
    every[:] = 0.0
    for first in range(0, m, _BLOCK):
        last = min(first + _BLOCK, m)
        for c in range(len(bounds) - 1):
            start, stop = bounds[c], bounds[c + 1]
            in_fours = start + (stop - start) // 4 * 4
            to_class[:] = 0.0
            for i in range(start, in_fours, 4):
                row, row1 = furthest[i], furthest[i + 1]
                row2, row3 = furthest[i + 2], furthest[i + 3]
                for f in range(first, last):
                    x = columns[f]
                    sums = to_class[f - first]
                    for j in range(n):
                        sums[j] += (
                            max(row[j], abs(x[j] - x[i])) + max(row1[j], abs(x[j] - x[i + 1]))
                        ) + (
                            max(row2[j], abs(x[j] - x[i + 2])) + max(row3[j], abs(x[j] - x[i + 3]))
                        )
            for i in range(in_fours, stop):
                row = furthest[i]
                for f in range(first, last):
                    x = columns[f]
                    sums = to_class[f - first]
                    for j in range(n):
                        sums[j] += max(row[j], abs(x[j] - x[i]))
            for f in range(first, last):
                own[f, start:stop] = to_class[f - first, start:stop]
                every[f] += to_class[f - first]


@compiled()
def gaussian_changes(
    columns: Floats,
    furthest: Floats,
    relation: Floats,
    stop: Indices,
    weights: Floats,
    scale: float,
    own: Floats,
    every: Floats,
) -> None:
    """Change the granule sizes of a set to those of the set with each candidate added.

    ``stop`` holds, per instance in class order, where its class ends. Only pairs that the
    candidate puts further apart need an exponential, and they become few as the set grows. They
    are first collected without a branch, which no processor could predict.
    """
    m, n = columns.shape
    changed = np.empty(n, dtype=np.intp)
    for first in range(0, m, _BLOCK):
        for i in range(n):
            for f in range(first, min(first + _BLOCK, m)):
                x = columns[f]
                count = 0
                for j in range(i + 1, n):
                    changed[count] = j
                    count += abs(x[j] - x[i]) > furthest[i, j]
                for c in range(count):
                    j = changed[c]
                    change = exp(-scale * (x[j] - x[i]) ** 2) - relation[i, j]
                    every[f, i] += change * weights[j]
                    every[f, j] += change * weights[i]
                    if j < stop[i]:
                        own[f, i] += change * weights[j]
                        own[f, j] += change * weights[i]


@compiled()
def aggregation(
    columns: Floats,
    centres: Floats,
    squares: Floats,
    codes: Indices,
    power: float,
    floor: float,
    out: Floats,
) -> None:
    """Sum, per candidate, the memberships of the instances in their own class.

    ``squares`` holds the squared distances of the instances to the class centres in the set so
    far; ``power`` is the exponent of a ratio of squared distances.
    """
    m, n = columns.shape
    p = squares.shape[1]
    for f in range(m):
        x = columns[f]
        centre = centres[f]
        total = 0.0
        for i in range(n):
            q = codes[i]
            mine = max(squares[i, q] + (x[i] - centre[q]) ** 2, floor)
            ratios = 0.0
            if power == 1.0:
                for r in range(p):
                    ratios += mine / max(squares[i, r] + (x[i] - centre[r]) ** 2, floor)
            else:
                for r in range(p):
                    ratios += (mine / max(squares[i, r] + (x[i] - centre[r]) ** 2, floor)) ** power
            total += 1.0 / ratios
        out[f] = total
