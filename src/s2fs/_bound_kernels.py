"""The compiled loops that bound the compactness of all candidates from below, and Sep from above.

What they compute, and why it is a bound, is told in ``_compiled.py``. Signatures are given, so that
all is compiled, and stored on disk, when the module is imported.
"""

from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numba import float32, float64, int32, int64, void

from s2fs._jit import compiled
from s2fs._kernels import LANES

#: So many numbers are summed in single precision before double precision takes over.
CHUNK = 512
_AT_ONCE = 8


def _tangent_types(real: Any) -> Any:
    state = float64[:, :, ::1]
    return float64(
        state, state, int32[:, ::1], float64[:, ::1], int64, real[:, ::1], real[::1], real[::1],
        float64[::1],
    )  # fmt: skip


@compiled(
    _tangent_types(float32), _tangent_types(float64),
    error_model="numpy", fastmath={"contract"},
)  # fmt: skip
def direction_tangent(D, P, own, weight, size, K, near, curvature, slopes):  # type: ignore[no-untyped-def]
    """Bound Θ_dir of the subset joined by any candidate: a constant less Σ K b² over all (i, r).

    Parameters
    ----------
    D, P : (blocks, classes, lanes)
        The state.
    own, weight : (blocks, lanes)
        Class and weight of each instance; padding has the weight 0.
    size : int
        Features in the subset: the tangent touches where a candidate is like one of them.
    K : (classes or more, instances)
        Where the slopes are written.
    near : (instances,)
        Where the squared distances to the own centroid are written.
    curvature, slopes : (instances,) and (classes,)
        Where the sums of K over the classes and over the instances are written.

    Returns
    -------
    float
        The constant.
    """
    n_blocks, p = D.shape[0], D.shape[1]
    sum_all, sum_own = 0.0, 0.0
    for k in range(n_blocks):
        for r in range(p):
            for i in range(LANES):
                sum_all += D[k, r, i]
        for i in range(LANES):
            sum_own += D[k, own[k, i], i]
    n = n_blocks * LANES
    b2 = sum_all / (n * p * max(size, 1))
    a2 = sum_own / (n * max(size, 1))
    home = np.empty(LANES)  # distance to the own centroid
    u = np.empty(LANES)
    factor = np.empty(LANES)
    rise = np.empty(LANES)
    total = np.empty(LANES)
    constant = 0.0
    slopes[:] = 0.0
    for k in range(n_blocks):
        for i in range(LANES):
            d = D[k, own[k, i], i]
            near[k * LANES + i] = d
            home[i] = sqrt(d)
            u[i] = d + a2
            total[i] = 0.0
            rise[i] = 0.0
        for r in range(p):
            for i in range(LANES):
                total[i] += 1.0 / D[k, r, i]
        for i in range(LANES):
            # An instance on a centroid, where the sum is infinite, adds nothing to the bound.
            factor[i] = weight[k, i] / (total[i] * sqrt(u[i])) if total[i] < np.inf else 0.0
            total[i] = 0.0
        for r in range(p):
            row = K[r, k * LANES : (k + 1) * LANES]
            for i in range(LANES):
                v = max(D[k, r, i] + b2, 1e-90)
                missing = max(home[i] * sqrt(D[k, r, i]) - P[k, r, i], 0.0)
                g = factor[i] * missing / (v * sqrt(v))
                total[i] += g
                rise[i] += g * 1.5 * b2 / v
                row[i] = 1.5 * g / v
        for i in range(LANES):
            slope = 0.5 * total[i] / max(u[i], 1e-90)
            constant += total[i] + rise[i] + slope * a2
            K[own[k, i], k * LANES + i] += slope
    curvature[:] = 0
    for r in range(p):
        for i in range(n):
            curvature[i] += K[r, i]
            slopes[r] += K[r, i]
    return constant


# The order of the sums of the two kernels below is free: their bound holds for any.
_screen = partial(compiled, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})


def _product_types(real: Any) -> Any:
    return void(real[:, ::1], int64[::1], real[:, ::1], float64[:, ::1])


@_screen(_product_types(float32), _product_types(float64))
def products(Z, where, K, out):  # type: ignore[no-untyped-def]
    """Σ_i K[r, i] Z[where[j], i] for all j and r; K has a multiple of four rows."""
    m, n = where.shape[0], Z.shape[1]
    nought = Z.dtype.type(0)
    out[:] = 0.0
    for j in range(0, m, 2):  # two columns by four rows at a time: that many sums fit in registers
        other = min(j + 1, m - 1)
        for start in range(0, n, CHUNK):
            x = Z[where[j], start : start + CHUNK]
            y = Z[where[other], start : start + CHUNK]
            for r in range(0, K.shape[0], 4):
                k0 = K[r, start : start + CHUNK]
                k1 = K[r + 1, start : start + CHUNK]
                k2 = K[r + 2, start : start + CHUNK]
                k3 = K[r + 3, start : start + CHUNK]
                x0 = x1 = x2 = x3 = nought
                y0 = y1 = y2 = y3 = nought
                for i in range(len(x)):
                    x0 += x[i] * k0[i]
                    x1 += x[i] * k1[i]
                    x2 += x[i] * k2[i]
                    x3 += x[i] * k3[i]
                    y0 += y[i] * k0[i]
                    y1 += y[i] * k1[i]
                    y2 += y[i] * k2[i]
                    y3 += y[i] * k3[i]
                out[j, r] += x0
                out[j, r + 1] += x1
                out[j, r + 2] += x2
                out[j, r + 3] += x3
                if other > j:
                    out[other, r] += y0
                    out[other, r + 1] += y1
                    out[other, r + 2] += y2
                    out[other, r + 3] += y3


def _least_types(real: Any) -> Any:
    table, line = real[:, ::1], real[::1]
    return void(
        table, int64[::1], table, table, line, line, int64[::1], int64[::1], line, float64[::1],
        float64[::1], float64[:, ::1],
    )  # fmt: skip


@_screen(_least_types(float32), _least_types(float64))
def least_compactness(Z, where, C, K, near, curvature, runs, own, weight, slopes, room, out):  # type: ignore[no-untyped-def]
    """Lower bounds of Θ_dis and Θ_dir of the subset joined by each candidate.

    Parameters
    ----------
    Z, where, C : as for :func:`compactness`
        The candidates.
    K : (classes or more, instances)
        The slopes of Θ_dir; a multiple of four rows.
    near, curvature, weight : (instances,)
        Of each instance the squared distance to the own centroid, the sum of K over the classes,
        and the weight.
    runs, own : (runs + 1,) and (runs,)
        Where runs of instances of one class begin, with the end of the last one, and their classes.
    slopes : (classes,)
        Σ_i K.
    room : (4,)
        Θ_dis is at least its sum times the first number less the second one, Θ_dir at least the
        third one less Σ K b² and the fourth one.
    out : (2, candidates)
        Where the bounds are written.
    """
    n, p, m = Z.shape[1], C.shape[1], where.shape[0]
    # Several candidates at a time: what was just written in pieces is slow to read as a whole.
    home = np.empty((_AT_ONCE, CHUNK), Z.dtype)
    linear = np.empty((_AT_ONCE, K.shape[0]))  # Σ K x
    out[:] = 0.0
    for j in range(0, m, _AT_ONCE):
        batch = where[j : j + _AT_ONCE]
        run = 0
        for start in range(0, n, CHUNK):
            stop = min(start + CHUNK, n)
            at = start
            while at < stop:
                end = min(runs[run + 1], stop)
                for s in range(len(batch)):
                    home[s, at - start : end - start] = C[batch[s], own[run]]
                run += 1 if end == runs[run + 1] else 0
                at = end
            d, kappa, share = near[start:stop], curvature[start:stop], weight[start:stop]
            for s in range(len(batch)):
                z, centroid = Z[batch[s], start:stop], home[s]
                distance, square = Z.dtype.type(0), Z.dtype.type(0)
                for i in range(len(z)):
                    b = z[i] - centroid[i]
                    distance += share[i] * sqrt(d[i] + b * b)
                    square += kappa[i] * z[i] * z[i]
                out[0, j + s] += distance
                out[1, j + s] += square
        products(Z, batch, K, linear)
        for s in range(len(batch)):
            penalty = out[1, j + s]
            for r in range(p):
                c = float64(C[batch[s], r])
                penalty += c * (c * slopes[r] - 2.0 * linear[s, r])
            out[0, j + s] = max(out[0, j + s] * room[0] - room[1], 0.0)
            out[1, j + s] = max(room[2] - penalty - room[3], 0.0)


@compiled(float64(float64, float64), error_model="numpy")
def _ratio(separation, compactness):  # type: ignore[no-untyped-def]
    """Sep, as in :meth:`Components.separability`."""
    if compactness > 0.0:
        return separation / compactness
    return np.inf if separation > 0.0 else 0.0


@compiled(
    void(float64[:, :], float64[:, :], float64, float64, int64, float64[:, :], float64[:, ::1],
         float64[:, ::1]),
    error_model="numpy",
)  # fmt: skip
def separability_between(thetas, lambdas, roundoff, unit, n_classes, weights, low, high):  # type: ignore[no-untyped-def]
    """Smallest and largest Sep that candidates may have, given how Θ was rounded.

    Parameters
    ----------
    thetas : (3, candidates)
        Θ_dis, Θ_dir and the part of the error of the latter that depends on the data.
    lambdas : (2, candidates)
        Λ_dis and Λ_dir.
    roundoff : float
        The relative error of a number in Θ; 0 if Θ is taken as exact.
    unit : float
        What a distance of 1 stands for.
    n_classes : int
        Number of classes.
    weights : (pairs, 2)
        Pairs (alpha, beta).
    low, high : (pairs, candidates)
        Where the results are written.
    """
    for j in range(thetas.shape[1]):
        distance, direction = thetas[0, j], thetas[1, j]
        distance_error, direction_error = 0.0, 0.0
        if roundoff > 0.0:
            distance_error = roundoff * (40 * distance + 4 * unit)
            direction_error = roundoff * (32 * direction + 88 + 4 * n_classes) + thetas[2, j]
        for pair in range(len(weights)):
            alpha, beta = weights[pair]
            separation = lambdas[0, j] + beta * lambdas[1, j]
            largest = distance + distance_error + alpha * (direction + direction_error)
            smallest = max(distance - distance_error, 0.0)
            smallest += alpha * max(direction - direction_error, 0.0)
            low[pair, j] = _ratio(separation, largest)
            high[pair, j] = _ratio(separation, smallest)


@compiled(
    void(float64[:, ::1], float64[:, ::1], float64, float64, float64[::1], int64[::1]),
    error_model="numpy",
)
def most_separable(thetas, lambdas, alpha, beta, most, first):  # type: ignore[no-untyped-def]
    """Sep of each candidate, and where the largest are.

    Parameters
    ----------
    thetas, lambdas : (2, candidates)
        By distance and by direction.
    alpha, beta : float
        The weights of direction.
    most : (candidates,)
        Where Sep is written.
    first : (any,)
        Where the positions of so many of the largest are written, in any order.
    """
    n = len(first)
    lowest = 0  # of those in `first`
    for j in range(len(most)):
        separation = lambdas[0, j] + beta * lambdas[1, j]
        most[j] = _ratio(separation, thetas[0, j] + alpha * thetas[1, j])
        if j < n:
            first[j] = j
        elif most[j] > most[first[lowest]]:
            first[lowest] = j
        else:
            continue
        if j >= n - 1:
            for k in range(n):
                if most[first[k]] < most[first[lowest]]:
                    lowest = k
