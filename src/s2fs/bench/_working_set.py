"""Which two instances SMO moves next: the loops that are run at every step.

As in LIBSVM the first instance is the one with the highest v that is free to go up, the second
one the instance free to go down that gains most together with it; of equals the last in order is
taken. These functions become part of the caller's code, as a call takes as long as their work.
"""

from typing import Any

import numpy as np

from s2fs.bench._jit import Array, compiled, larger, smaller

#: Curvature used along a direction without any, between rows with equal features.
FLAT = 1e-12
#: Gains computed in float32 may be off by a smaller share than this.
ROUNDING = 2e-6

_inlined = compiled(error_model="numpy", inline="always")


@_inlined
def advance(
    K: Array, step: tuple[int, int, float, float], v: Array, up: Array, low: Array
) -> tuple[float, float]:
    """Update v after a step; returns its highest value free to go up, lowest free to go down.

    A step names the rows of the two instances and by how much y α of both has changed.
    """
    i, j, by_i, by_j = step
    highest, lowest = -np.inf, np.inf
    for k in range(len(v)):
        new = v[k] - (K[i, k] * by_i + K[j, k] * by_j)
        v[k] = new
        highest = larger(highest, new + up[k])
        lowest = smaller(lowest, new + low[k])
    return highest, lowest


@_inlined
def last_highest(v: Array, up: Array, highest: float, position: Array, place: Array) -> int:
    """The instance with the highest v among those that may go up, the last in order of several."""
    last = -1.0
    for k in range(len(v)):
        last = larger(last, position[k] if v[k] + up[k] == highest else -1.0)
    return place[int(last)]


@_inlined
def screen(inverse: Array, i: int, v: Array, low: Array, highest: float, gains: Array) -> Any:
    """Put the gains of pairing i with those that may go down into ``gains``; returns the largest.

    In float32, which is as fine as needed to leave nearly always a single one that can be best.
    """
    best = np.float32(0)
    for k in range(len(v)):
        step = np.float32(larger(highest - (v[k] + low[k]), 0.0))
        gain = step * step * inverse[i, k]
        gains[k] = gain
        best = larger(best, gain)
    return best


@_inlined
def first_and_last(x: Array, bar: Any) -> tuple[Any, Any]:
    """The first and the last entry that is not below the bar."""
    first, last = np.int32(len(x)), np.int32(-1)
    for k in range(len(x)):
        first = min(first, np.int32(k) if x[k] >= bar else np.int32(len(x)))
        last = max(last, np.int32(k) if x[k] >= bar else np.int32(-1))
    return first, last


@compiled(error_model="numpy")
def best_partner(
    K: Array, i: int, v: Array, low: Array, highest: float, position: Array, span: tuple[Any, Any]
) -> int:
    """The instance of a span that gains most together with i, the last in order of several."""
    best, chosen = -1.0, -1
    for k in range(span[0], span[1] + 1):
        step = highest - (v[k] + low[k])
        curvature = 2.0 - 2.0 * np.float64(K[i, k])
        gain = step * step / (curvature if curvature > 0 else FLAT)
        if step > 0 and (gain > best or (gain == best and position[k] > position[chosen])):
            best, chosen = gain, k
    return chosen
