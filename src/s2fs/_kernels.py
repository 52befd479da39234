"""The compiled loops of the search, and nothing else.

Instances are laid out in blocks of ``LANES``: an array over instances and classes has the shape
(blocks, classes, lanes), so the innermost loop runs over neighbouring numbers and vectorises. Sums
over classes and blocks are kept per lane and need no reordering, so where a choice is made no
unsafe floating-point option is used: ``contract`` only lets a multiplication and an addition become
one instruction. The result for a candidate does not depend on which others are in the call.

Signatures are given, so that all is compiled, and stored on disk, when the module is imported.
"""

from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numba import float32, float64, int32, int64, none, void

from s2fs._jit import compiled

LANES = 16
#: So many numbers are summed in single precision before double precision takes over.
CHUNK = 512
_HALF = LANES // 2
_kernel = partial(compiled, error_model="numpy", fastmath={"contract"})


def _compactness_types(real: Any, tolerance: Any) -> Any:
    table = real[:, ::1]
    state = float64[:, :, ::1]
    return void(
        table, int64[::1], table, tolerance, state, state, int32[:, ::1], table, real, real,
        int64, float64[:, ::1],
    )  # fmt: skip


@_kernel(_compactness_types(float32, none), _compactness_types(float64, float64[::1]))
def compactness(Z, where, C, on_centroid, D, P, own, weight, zero, kappa, group, out):  # type: ignore[no-untyped-def]
    """Sum, for each candidate, what Θ_dis and Θ_dir and the rounding error of Θ_dir are made of.

    Parameters
    ----------
    Z : (any, instances)
        Scaled columns; that of candidate j is ``Z[where[j]]``, its centroids are ``C[where[j]]``.
    C : (any, classes)
        Centroids.
    on_centroid : (any,) or None
        Offsets up to this size are taken as 0; None leaves them as they are.
    D, P : (blocks, classes, lanes)
        The state.
    own, weight : (blocks, lanes)
        Class and weight of each instance; padding has the weight 0.
    zero : float
        Squared distances below this are zero.
    kappa : float
        The direction term of one instance has the error ``kappa * x * sqrt(Σ 1/D)``, at most 2.
    group : int
        So many blocks are summed per lane before the lanes are; the state of a group should fit
        into the first-level cache.
    out : (3, candidates)
        Where the sums of distance, direction and error are added.
    """
    n_blocks, n_classes = D.shape[0], D.shape[1]
    real = Z.dtype.type
    nought, one, two = real(0), real(1), real(2)
    a = np.empty(LANES, Z.dtype)
    S = np.empty(LANES, Z.dtype)
    U = np.empty(LANES, Z.dtype)
    distance = np.empty(LANES, Z.dtype)
    direction = np.empty(LANES, Z.dtype)
    error = np.empty(LANES, Z.dtype)
    D_near = np.empty((group, n_classes, LANES), Z.dtype)  # the state of a group, as precise as Z
    P_near = np.empty((group, n_classes, LANES), Z.dtype)
    for start in range(0, n_blocks, group):
        n_near = min(group, n_blocks - start)
        for k in range(n_near):
            for r in range(n_classes):
                for i in range(LANES):
                    D_near[k, r, i] = D[start + k, r, i]
                    P_near[k, r, i] = P[start + k, r, i]
        for j in range(where.shape[0]):
            f = where[j]
            for i in range(LANES):
                distance[i] = nought
                direction[i] = nought
                error[i] = nought
            for k in range(n_near):
                z = Z[f, (start + k) * LANES : (start + k + 1) * LANES]
                home = own[start + k]
                share = weight[start + k]
                for i in range(LANES):
                    b = z[i] - C[f, home[i]]
                    if on_centroid is not None:
                        b = b if abs(b) > on_centroid[f] else nought
                    a[i] = b
                    S[i] = nought
                    U[i] = nought
                for r in range(n_classes):
                    c = C[f, r]
                    for i in range(LANES):
                        b = z[i] - c
                        if on_centroid is not None:
                            b = b if abs(b) > on_centroid[f] else nought
                        w = one / sqrt(max(D_near[k, r, i] + b * b, zero))
                        w2 = w * w
                        S[i] += w2
                        U[i] += ((P_near[k, r, i] + a[i] * b) * w) * w2
                for i in range(LANES):
                    d = D_near[k, home[i], i] + a[i] * a[i]
                    root = sqrt(max(d, zero))
                    turned = min(max(one - U[i] / (S[i] * root), nought), two)
                    distance[i] += share[i] * (root if d >= zero else nought)
                    direction[i] += share[i] * (turned if d >= zero else nought)
                    error[i] += share[i] * min(kappa * z[i] * sqrt(S[i]), two)
            for i in range(_HALF):
                distance[i] += distance[i + _HALF]
                direction[i] += direction[i + _HALF]
                error[i] += error[i + _HALF]
            for i in range(1, _HALF):
                distance[0] += distance[i]
                direction[0] += direction[i]
                error[0] += error[i]
            out[0, j] += distance[0]
            out[1, j] += direction[0]
            out[2, j] += error[0]


def _tangent_types(real: Any) -> Any:
    state = float64[:, :, ::1]
    return float64(
        state, state, int32[:, ::1], float64[:, ::1], int64, real[:, ::1], real[::1], real[::1],
        float64[::1],
    )  # fmt: skip


@_kernel(_tangent_types(float32), _tangent_types(float64))
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


# The order of the sums in the next two is free: their bound holds for any.
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
        table, int64[::1], table, line, line, int32[::1], line, float64[:, ::1], float64[::1],
        float64[:, ::1],
    )  # fmt: skip


@_screen(_least_types(float32), _least_types(float64))
def least_compactness(Z, where, C, near, curvature, own, weight, linear, slopes, out):  # type: ignore[no-untyped-def]
    """Θ_dis of the subset joined by each candidate, and Σ K b² over all (i, r).

    Parameters
    ----------
    Z, where, C : as for :func:`compactness`
        The candidates.
    near, curvature, own, weight : (instances,)
        Of each instance the squared distance to the own centroid, the sum of K over the classes,
        the class and the weight.
    linear : (candidates, classes or more)
        Σ_i K x, see :func:`products`.
    slopes : (classes,)
        Σ_i K.
    out : (2, candidates)
        Where the two sums are written.
    """
    n, p = Z.shape[1], C.shape[1]
    home = np.empty(CHUNK, Z.dtype)
    for j in range(where.shape[0]):
        f = where[j]
        distance, penalty = 0.0, 0.0
        for start in range(0, n, CHUNK):
            z = Z[f, start : start + CHUNK]
            classes, share = own[start : start + CHUNK], weight[start : start + CHUNK]
            d, kappa = near[start : start + CHUNK], curvature[start : start + CHUNK]
            for i in range(len(z)):
                home[i] = C[f, classes[i]]
            part, square = Z.dtype.type(0), Z.dtype.type(0)
            for i in range(len(z)):
                b = z[i] - home[i]
                part += share[i] * sqrt(d[i] + b * b)
                square += kappa[i] * z[i] * z[i]
            distance += part
            penalty += square
        for r in range(p):
            c = float64(C[f, r])
            penalty += c * (c * slopes[r] - 2.0 * linear[j, r])
        out[0, j] = distance
        out[1, j] = penalty


@_kernel(
    void(float64[::1], float64[::1], float64, int32[:, ::1], float64[:, :, ::1],
         float64[:, :, ::1])
)  # fmt: skip
def add_feature(x, c, on_centroid, own, D, P):  # type: ignore[no-untyped-def]
    """Let a feature with column ``x`` and centroids ``c`` join the state."""
    for k in range(D.shape[0]):
        z = x[k * LANES : (k + 1) * LANES]
        for r in range(D.shape[1]):
            for i in range(LANES):
                a = z[i] - c[own[k, i]]
                b = z[i] - c[r]
                a = a if abs(a) > on_centroid else 0.0
                b = b if abs(b) > on_centroid else 0.0
                D[k, r, i] += b * b
                P[k, r, i] += a * b
