"""Compiled loops over running squared distances, and the Gaussian kernel of them.

This module and those built on it need numba, so import them on first use.
"""

import numpy as np

from s2fs.bench._jit import Array, compiled, larger

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01  # trailing zeros: a multiple of it is exact
_LN2_LOW = 1.90821492927058770002e-10
_ROUND = 6755399441055744.0  # 1.5 · 2⁵²: adding it rounds to an integer, kept in the low bits

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


@compiled(fastmath={"contract"}, forceinline=True)  # fused multiply-add
def exponential(x: float) -> float:
    """Exp of a number that is not positive; loops over it vectorise.

    They should be functions of their own: among other work the constants lose their registers.
    """
    t = larger(x, -700.0)
    rounded = t * _LOG2_E + _ROUND
    n = rounded - _ROUND
    r = (t - n * _LN2_HIGH) - n * _LN2_LOW
    # exp(r) = 1 + r + r² q(r), where the polynomial q meets exp at the Chebyshev nodes of
    # |r| ≤ ln 2 / 2: an error below the last bit. Even and odd powers can go side by side.
    s = r * r
    even = 2.7620088445409746e-07
    even = even * s + 2.4801521295954376e-05
    even = even * s + 0.0013888888917213717
    even = even * s + 0.04166666666662413
    even = even * s + 0.5
    odd = 2.510038549551032e-08
    odd = odd * s + 2.7557268459997064e-06
    odd = odd * s + 0.00019841269863053618
    odd = odd * s + 0.008333333333330062
    odd = odd * s + 0.16666666666666669
    e = 1.0 + (r + s * (even + r * odd))
    # 2ⁿ: the low bits of ``rounded`` as an exponent
    power = np.int64((np.float64(rounded).view(np.int64) + 1023) << 52)
    return e * power.view(np.float64)


@_jit
def gaussian(D: Array, gamma: float, out: Array) -> None:
    """Write exp(−γ D) of squared distances into ``out``."""
    for j in range(len(D)):
        out[j] = exponential(-gamma * D[j])
