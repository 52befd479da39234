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

from s2fs._engine.jit import compiled

LANES = 16
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
def compactness(A, where, C, on_centroid, D, P, own, weight, zero, kappa, group, out):  # type: ignore[no-untyped-def]
    """Sum, for each candidate, what Θ_dis and Θ_dir and the rounding error of Θ_dir are made of.

    Parameters
    ----------
    A : (any, instances)
        Offsets of scaled columns from the own centroids; those of candidate j are ``A[where[j]]``,
        its centroids are ``C[where[j]]``.
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
        The direction term of one instance has the error ``kappa (x + 3/2 |a|) sqrt(Σ 1/D)``, at
        most 2.
    group : int
        So many blocks are summed per lane before the lanes are; the state of a group should fit
        into the first-level cache.
    out : (3, candidates)
        Where the sums of distance, direction and error are added.
    """
    n_blocks, n_classes = D.shape[0], D.shape[1]
    real = A.dtype.type
    nought, one, two = real(0), real(1), real(2)
    three_halves = real(1.5)
    centre = np.empty(LANES, A.dtype)  # the own centroid
    a = np.empty(LANES, A.dtype)
    S = np.empty(LANES, A.dtype)
    U = np.empty(LANES, A.dtype)
    distance = np.empty(LANES, A.dtype)
    direction = np.empty(LANES, A.dtype)
    error = np.empty(LANES, A.dtype)
    D_near = np.empty((group, n_classes, LANES), A.dtype)  # the state of a group, as precise as A
    P_near = np.empty((group, n_classes, LANES), A.dtype)
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
                offset = A[f, (start + k) * LANES : (start + k + 1) * LANES]
                home = own[start + k]
                share = weight[start + k]
                for i in range(LANES):
                    centre[i] = C[f, home[i]]
                    b = offset[i]
                    if on_centroid is not None:
                        b = b if abs(b) > on_centroid[f] else nought
                    a[i] = b
                    S[i] = nought
                    U[i] = nought
                for r in range(n_classes):
                    c = C[f, r]
                    for i in range(LANES):
                        b = offset[i] + (centre[i] - c)
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
                    size = centre[i] + a[i] + three_halves * abs(a[i])
                    error[i] += share[i] * min(kappa * size * sqrt(S[i]), two)
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


@_kernel(
    void(float64[::1], float64[::1], float64, int32[:, ::1], float64[:, :, ::1],
         float64[:, :, ::1], float64[:, ::1])
)  # fmt: skip
def add_feature(x, c, on_centroid, own, D, P, G):  # type: ignore[no-untyped-def]
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
    for q in range(len(c)):
        for r in range(len(c)):
            gap = c[q] - c[r]
            gap = gap if abs(gap) > on_centroid else 0.0
            G[q, r] += gap * gap
