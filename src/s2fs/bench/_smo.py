"""The support vector machine from running distances: SMO, pair by pair of classes.

The machine is the usual one-against-one C-SVC. Each pair of classes is solved by sequential
minimal optimisation with second-order choice of the working set (Fan, Chen and Lin 2005) and
shrinking. What these leave open, such as the tolerance, ties, the float32 training kernel and when
to shrink, is settled as LIBSVM does, so that iterates and predictions are those of scikit-learn.

In place of the gradient G of the dual the loops keep v = −y G, which needs no case by label.
Instances stay where they are: those set aside by shrinking are only barred from the choice, and
``position`` keeps the order that LIBSVM would have them in, as that order decides ties.
"""

from typing import NamedTuple

import numpy as np

from s2fs.bench._distances import exponential
from s2fs.bench._jit import Array, compiled, padded
from s2fs.bench._working_set import (
    FLAT,
    ROUNDING,
    advance,
    best_partner,
    first_and_last,
    last_highest,
    screen,
)

#: The largest violation of optimality at which to stop, scikit-learn's default.
TOLERANCE = 1e-3
#: No fused multiply-add: its other rounding would leave LIBSVM's path.
_jit = compiled(error_model="numpy")


class Scratch(NamedTuple):
    """Arrays for the work on one pair of classes after the other."""

    K: Array
    inverse: Array
    v: Array
    up: Array
    low: Array
    gains: Array
    position: Array
    place: Array
    row: Array
    line: Array


@_jit
def scratch(n: int) -> Scratch:
    """Room for pairs of classes with up to n members each."""
    width = 2 * padded(n)
    return Scratch(
        np.zeros((2 * n, width), np.float32),
        np.zeros((2 * n, width), np.float32),
        np.empty(width),
        np.empty(width),
        np.empty(width),
        np.empty(width, np.float32),
        np.empty(width),
        np.empty(width, np.int64),
        np.empty(width, np.int64),
        np.zeros(width),
    )


@_jit
def set_bounds(k: int, n_a: int, alpha: Array, C: float, up: Array, low: Array) -> None:
    """Note whether y α of instance k can still go up and down: 0 if so, else −∞ or ∞."""
    below, above = alpha[k] < C, alpha[k] > 0
    up[k] = 0.0 if (below if k < n_a else above) else -np.inf
    low[k] = 0.0 if (above if k < n_a else below) else np.inf


@_jit
def optimise(
    i: int, j: int, n_a: int, K_ij: float, v: Array, alpha: Array, C: float
) -> tuple[float, float]:
    """Optimise the pair (i, j) within its box; returns by how much y α of both has changed."""
    y_i, y_j = 1.0 if i < n_a else -1.0, 1.0 if j < n_a else -1.0
    old_i, old_j = alpha[i], alpha[j]
    curvature = 2.0 - 2.0 * np.float64(K_ij)
    move = (v[i] - v[j]) / (curvature if curvature > 0 else FLAT)
    if y_i != y_j:
        difference = old_i - old_j
        a, b = old_i + y_i * move, old_j + y_i * move
        if difference > 0:
            if b < 0:
                a, b = difference, 0.0
            if a > C:
                a, b = C, C - difference
        else:
            if a < 0:
                a, b = 0.0, -difference
            if b > C:
                a, b = C + difference, C
    else:
        total = old_i + old_j
        a, b = old_i + y_i * move, old_j - y_i * move
        if total > C:
            if a > C:
                a, b = C, total - C
            if b > C:
                a, b = total - C, C
        else:
            if b < 0:
                a, b = total, 0.0
            if a < 0:
                a, b = 0.0, total
    alpha[i], alpha[j] = a, b
    return y_i * (a - old_i), y_j * (b - old_j)


@_jit
def settled(k: int, v: Array, up: Array, low: Array, highest: float, lowest: float) -> bool:
    """Whether instance k sits at a bound that the optimum will hardly leave."""
    return (up[k] != 0 and v[k] > highest) or (low[k] != 0 and v[k] < lowest)


@_jit
def shrink(
    v: Array,
    up: Array,
    low: Array,
    extremes: tuple[float, float],
    place: Array,
    position: Array,
    n: int,
) -> int:
    """Bar settled instances, last in order from now on; returns how many of n are left."""
    highest, lowest = extremes
    before = n
    i = 0
    while i < n:
        if settled(place[i], v, up, low, highest, lowest):
            n -= 1
            while n > i:
                if not settled(place[n], v, up, low, highest, lowest):
                    place[i], place[n] = place[n], place[i]
                    break
                n -= 1
        i += 1
    for i in range(before):
        position[place[i]] = i
    for k in place[n:before]:
        up[k], low[k] = -np.inf, np.inf
    return n


@_jit
def fill_row(
    row: int,
    r: int,
    D: Array,
    own: Array,
    pair: tuple[int, int, int, int],
    gamma: float,
    room: Scratch,
) -> None:
    """Put the kernel of instance r with all others into a row, and what it divides a gain by.

    Counts are unsigned, as a signed index might be negative, and then loops do not vectorise.
    No array is used in a branch only: all would be reference-counted, at the cost of the copies.
    """
    K, inverse, line = room.K, room.inverse, room.line
    at, n_a, n_b = np.uint64(row), np.uint64(pair[2]), np.uint64(pair[3])
    zero, one = np.uint64(0), np.uint64(1)
    if r < pair[2]:
        q, member = pair[0], np.uint64(r)
        to_own, n_own, to_other, n_other = zero, n_a, n_a, n_b
        i, j, down, right = member, zero, zero, one  # along a row of D
    else:
        q, member = pair[1], np.uint64(r) - n_a
        to_own, n_own, to_other, n_other = n_a, n_b, zero, n_a
        i, j, down, right = zero, member, one, zero  # along a column
    for k in range(n_other):
        line[k] = D[i + k * down, j + k * right]
    for k in range(np.uint64(padded(np.int64(n_other)))):
        K[at, to_other + k] = exponential(-gamma * line[k])
    for k in range(n_own):  # afterwards, as the padding of the others may reach into these
        K[at, to_own + k] = own[q, member, k]
    for k in range(np.uint64(padded(pair[2] + pair[3]))):
        curvature = np.float32(2) - np.float32(2) * K[at, k]
        inverse[at, k] = np.float32(1) / (curvature if curvature > 0 else np.float32(FLAT))


@_jit
def solve(
    D: Array,
    own: Array,
    pair: tuple[int, int, int, int],
    gamma: float,
    C: float,
    room: Scratch,
    alpha: Array,
) -> float:
    """Solve one pair of classes; writes α, first class first, and returns the offset ρ.

    ``pair`` names the two classes and how many instances they have. D holds the squared distances
    of the first × the second, ``own`` the kernel within each class. A row of the kernel is computed
    when it is first needed.
    """
    n_a, size = pair[2], pair[2] + pair[3]
    width = padded(size)
    K, inverse, gains = room.K, room.inverse, room.gains[:width]
    v, up, low = room.v[:width], room.up[:width], room.low[:width]
    position, place, row = room.position[:width], room.place[:size], room.row[:size]
    for k in range(width):
        v[k], position[k] = 1.0 if k < n_a else -1.0, k
        up[k] = 0.0 if k < n_a else -np.inf
        low[k] = 0.0 if n_a <= k < size else np.inf
    for k in range(size):
        place[k], row[k], alpha[k] = k, -1, 0.0
    n, used, near_end, countdown = size, 0, False, min(size, 1000) + 1
    highest, lowest = 1.0, -1.0
    while True:
        countdown -= 1
        if countdown == 0:
            countdown = min(size, 1000)
            if not near_end and highest - lowest <= 10 * TOLERANCE:
                near_end = True
                for k in place[n:]:
                    set_bounds(k, n_a, alpha, C, up, low)
                n = size
            n = shrink(v, up, low, (highest, lowest), place, position, n)
            highest, lowest = advance(K, (0, 0, 0.0, 0.0), v, up, low)
        if highest - lowest < TOLERANCE:
            for k in place[n:]:
                set_bounds(k, n_a, alpha, C, up, low)
            n = size
            highest, lowest = advance(K, (0, 0, 0.0, 0.0), v, up, low)
            if highest - lowest < TOLERANCE:
                break
            countdown = 1
        i = last_highest(v, up, highest, position, place)
        if row[i] < 0:
            fill_row(used, i, D, own, pair, gamma, room)
            row[i] = used
            used += 1
        best = screen(inverse, row[i], v, low, highest, gains)
        j, last = first_and_last(gains, best * np.float32(1 - ROUNDING))
        if j != last:  # too near to tell in float32
            j = best_partner(K, row[i], v, low, highest, position, (j, last))
        if row[j] < 0:
            fill_row(used, j, D, own, pair, gamma, room)
            row[j] = used
            used += 1
        by_i, by_j = optimise(i, j, n_a, K[row[i], j], v, alpha, C)
        set_bounds(i, n_a, alpha, C, up, low)
        set_bounds(j, n_a, alpha, C, up, low)
        highest, lowest = advance(K, (row[i], row[j], by_i, by_j), v, up, low)
    return offset(v, alpha, up, C, place)


@_jit
def offset(v: Array, alpha: Array, up: Array, C: float, place: Array) -> float:
    """The offset ρ: mean of −v over free instances, else the middle of what bounds it."""
    total, free, upper, lower = 0.0, 0, np.inf, -np.inf
    for k in place:
        if 0 < alpha[k] < C:
            total -= v[k]
            free += 1
        elif up[k] == 0:
            upper = min(upper, -v[k])
        else:
            lower = max(lower, -v[k])
    return total / free if free else (upper + lower) / 2
