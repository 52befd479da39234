"""Compiled loops over running squared distances and the Gaussian kernel.

Only this module and ``_smo`` need numba here, so import them on first use.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2fs._jit import compiled

Array = NDArray[Any]

#: Arrays the inner loops run over are padded to a multiple of this many numbers: compiled loops
#: take as many at a time, and a remainder taken one by one costs as much as all the rest.
LANES = 16

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01  # trailing zeros: a multiple of it is exact
_LN2_LOW = 1.90821492927058770002e-10
_ROUND = 6755399441055744.0  # 1.5 · 2⁵²: adding it rounds to an integer, kept in the low bits

_jit = compiled(error_model="numpy")


@_jit
def padded(n: int) -> int:
    """Smallest multiple of LANES that is not below n."""
    return (n + LANES - 1) // LANES * LANES


@compiled(fastmath={"contract"})  # fused multiply-add
def exponential(x: Array, out: Array, power: Array) -> None:
    """Write exp(x) for x ≤ 0 into ``out``, using ``power`` as scratch; written to vectorise."""
    for j in range(len(x)):
        t = max(x[j], -700.0)
        rounded = t * _LOG2_E + _ROUND
        n = rounded - _ROUND
        r = (t - n * _LN2_HIGH) - n * _LN2_LOW
        # Taylor's series; |r| ≤ ln 2 / 2 leaves an error below the last bit.
        e = 1 / 6227020800.0
        e = e * r + 1 / 479001600.0
        e = e * r + 1 / 39916800.0
        e = e * r + 1 / 3628800.0
        e = e * r + 1 / 362880.0
        e = e * r + 1 / 40320.0
        e = e * r + 1 / 5040.0
        e = e * r + 1 / 720.0
        e = e * r + 1 / 120.0
        e = e * r + 1 / 24.0
        e = e * r + 1 / 6.0
        e = e * r + 0.5
        e = e * r + 1.0
        out[j] = e * r + 1.0
        power[j] = rounded
    bits = power.view(np.int64)
    for j in range(len(x)):
        bits[j] = (bits[j] + 1023) << 52  # 2ⁿ: the low bits of ``rounded`` as an exponent
    for j in range(len(x)):
        out[j] *= power[j]


@_jit
def grow(D: Array, rows: Array, columns: Array) -> None:
    """Add to squared distances the terms of new features, given as feature × instance."""
    for i in range(D.shape[0]):
        line = D[i]
        for f in range(rows.shape[0]):
            x, others = rows[f, i], columns[f]
            for j in range(len(line)):
                d = x - others[j]
                line[j] += d * d


@_jit
def grow_lower(D: Array, features: Array) -> None:
    """Do as :func:`grow` for distances within one set of rows, below and on the diagonal only."""
    for i in range(D.shape[0]):
        line = D[i, : i + 1]
        for f in range(features.shape[0]):
            x, others = features[f, i], features[f]
            for j in range(len(line)):
                d = x - others[j]
                line[j] += d * d


@_jit
def fill_kernel(K: Array, D: Array, gamma: float, at: int, across: int, scratch: Array) -> None:
    """Put exp(−γ D) of a block at ``K[at:, across:]``, and its transpose where that belongs."""
    height, width = D.shape
    size = padded(height * width)
    x, e = scratch[0, :size], scratch[1, :size]
    x[height * width :] = 0
    for i in range(height):
        for j in range(width):
            x[i * width + j] = -gamma * D[i, j]
    exponential(x, e, scratch[2, :size])
    for i in range(height):
        for j in range(width):
            K[at + i, across + j] = e[i * width + j]
    for j in range(width):
        for i in range(height):
            K[across + j, at + i] = e[i * width + j]


@_jit
def fill_own_kernel(K: Array, D: Array, gamma: float, scratch: Array) -> None:
    """Do as :func:`fill_kernel` for one class with itself, of which D holds the lower half."""
    for i in range(D.shape[0]):
        fill_kernel(K, D[i : i + 1, : i + 1], gamma, i, 0, scratch)


@_jit
def copy_block(K: Array, block: Array, at: int, n: int) -> None:
    """Put the first n rows and columns of a block at ``K[at:, at:]``."""
    for i in range(n):
        for j in range(n):
            K[at + i, at + j] = block[i, j]


@_jit
def add_scaled(total: Array, c: float, x: Array) -> None:
    """Add c x to the total."""
    for t in range(len(total)):
        total[t] += c * x[t]
