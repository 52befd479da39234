"""The compiled loops of the search, and nothing else.

Instances are laid out in blocks of ``LANES``: an array over instances and classes has the shape
(blocks, classes, lanes), so the innermost loop runs over neighbouring numbers and vectorises. Sums
over classes and blocks are kept per lane and need no reordering, so no unsafe floating-point
option is used: ``contract`` only lets a multiplication and an addition become one instruction.
The result for a candidate does not depend on which other candidates are in the call.

Signatures are given, so that all is compiled, and stored on disk, when the module is imported.
"""

from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numba import boolean, float32, float64, int32, int64, none, void

from s2fs._criterion import EQUAL
from s2fs._jit import compiled

LANES = 16
_HALF = LANES // 2
_kernel = partial(compiled, error_model="numpy", fastmath={"contract"})


def _signature(real: Any, tolerance: Any) -> Any:
    lanes, table = real[:, :, ::1], real[:, ::1]
    return void(
        lanes, int64[::1], table, tolerance, lanes, lanes, int32[:, ::1], table, real, real,
        int64, float64[:, ::1],
    )  # fmt: skip


@_kernel(_signature(float32, none), _signature(float64, float64[::1]))
def compactness(Z, where, C, on_centroid, D, P, own, weight, zero, kappa, group, out):  # type: ignore[no-untyped-def]
    """Sum, for each candidate, what Θ_dis and Θ_dir and the rounding error of Θ_dir are made of.

    Parameters
    ----------
    Z : (blocks, any, lanes)
        Scaled columns; that of candidate j is ``Z[:, where[j]]``.
    C : (candidates, classes)
        Centroids.
    on_centroid : (candidates,) or None
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
    for start in range(0, n_blocks, group):
        stop = min(start + group, n_blocks)
        for j in range(where.shape[0]):
            f = where[j]
            for i in range(LANES):
                distance[i] = nought
                direction[i] = nought
                error[i] = nought
            for k in range(start, stop):
                for i in range(LANES):
                    b = Z[k, f, i] - C[j, own[k, i]]
                    if on_centroid is not None:
                        b = b if abs(b) > on_centroid[j] else nought
                    a[i] = b
                    S[i] = nought
                    U[i] = nought
                for r in range(n_classes):
                    c = C[j, r]
                    for i in range(LANES):
                        b = Z[k, f, i] - c
                        if on_centroid is not None:
                            b = b if abs(b) > on_centroid[j] else nought
                        w = one / sqrt(max(D[k, r, i] + b * b, zero))
                        w2 = w * w
                        S[i] += w2
                        U[i] += ((P[k, r, i] + a[i] * b) * w) * w2
                for i in range(LANES):
                    d = D[k, own[k, i], i] + a[i] * a[i]
                    root = sqrt(max(d, zero))
                    turned = min(max(one - U[i] / (S[i] * root), nought), two)
                    distance[i] += weight[k, i] * (root if d >= zero else nought)
                    direction[i] += weight[k, i] * (turned if d >= zero else nought)
                    error[i] += weight[k, i] * min(kappa * Z[k, f, i] * sqrt(S[i]), two)
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
    void(float64[:, ::1], float64[::1], float64[:, ::1], boolean, float64[:, ::1], float64[::1],
         float64[:, ::1])
)  # fmt: skip
def separation(C, on_centroid, G, printed, deviations, own_distances, out):  # type: ignore[no-untyped-def]
    """Λ_dis, Λ_dir (Eqs. 16, 21) and a bound of Θ_dis of the subset joined by each candidate.

    Parameters
    ----------
    C : (candidates, classes)
        Centroids.
    on_centroid : (candidates,)
        Differences of centroids up to this size are 0.
    G : (classes, classes)
        The state.
    printed : bool
        Whether Eq. 20 is taken as printed.
    deviations : (candidates, classes)
        Weighted sums over each class of |x_i − c_own| in the candidate, or less.
    own_distances : (classes,)
        Weighted sums over each class of the distances to the own centroid in the subset.
    out : (3, candidates)
        Where the two components and a lower bound of Θ_dis are written.
    """
    p = G.shape[0]
    lead = 1.0 if printed else 0.0
    nearest = np.empty(p)  # squared distance to the nearest centroid
    twins = np.empty(p)  # how many other centroids coincide
    inverses = np.empty(p)  # Σ 1/G over the others that do not
    H = np.empty((p, p))  # G with the candidate
    norm = np.empty((p, p))  # its square roots
    turned = np.empty(p)
    for j in range(C.shape[0]):
        for q in range(p):
            nearest[q] = np.inf
            twins[q] = 0.0
            inverses[q] = 0.0
            turned[q] = 0.0
        for q in range(p):
            for r in range(p):
                gap = C[j, q] - C[j, r]
                gap = gap if abs(gap) > on_centroid[j] else 0.0
                h = G[q, r] + gap * gap
                same = h == 0.0
                other = q != r
                H[q, r] = h
                norm[q, r] = sqrt(h)
                nearest[r] = min(nearest[r], h if other else np.inf)
                twins[r] += 1.0 if same and other else 0.0
                inverses[r] += 0.0 if same else 1.0 / h
        distance = 0.0
        for q in range(p):
            limit = nearest[q] * (1 + EQUAL) ** 2
            a = 0 if q > 0 else 1
            while a == q or H[q, a] > limit:
                a += 1
            distance += sqrt(nearest[q])
            if nearest[q] > 0.0 and twins[a] == 0.0:
                # μ (1 − cos) as one fraction; no norm but that of r = q is 0 here
                for r in range(p):
                    norms = norm[q, a] * norm[q, r]
                    dot = (H[q, a] + H[q, r] - H[a, r]) / 2
                    share = min(max(norms - dot, 0.0), 2 * norms)
                    share /= norms * (lead + H[a, r] * inverses[a])
                    turned[r] += share if r != q and r != a else 0.0
            else:
                for r in range(p):
                    norms = norm[q, a] * norm[q, r]
                    dot = (H[q, a] + H[q, r] - H[a, r]) / 2
                    cosine = min(max(dot / norms, -1.0), 1.0) if norms > 0.0 else 0.0
                    if twins[a] == 0.0:
                        membership = 1.0 / (lead + H[a, r] * inverses[a])
                    else:
                        membership = 1.0 / (lead + twins[a]) if H[a, r] == 0.0 else 0.0
                    turned[r] += membership * (1.0 - cosine) if r != q and r != a else 0.0
        direction = 0.0
        least = 0.0
        for r in range(p):
            direction += turned[r]
            least += sqrt(own_distances[r] ** 2 + deviations[j, r] ** 2)
        out[0, j] = distance / p
        out[1, j] = direction / p
        out[2, j] = least


@_kernel(
    void(float64[:, ::1], float64[::1], float64, int32[:, ::1], float64[:, ::1],
         float64[:, :, ::1], float64[:, :, ::1], float32[:, :, ::1], float32[:, :, ::1],
         float64[::1])
)  # fmt: skip
def add_feature(x, c, on_centroid, own, weight, D, P, D_single, P_single, own_distances):  # type: ignore[no-untyped-def]
    """Let a feature with column ``x`` and centroids ``c`` join the state, in both precisions."""
    own_distances[:] = 0.0
    for k in range(D.shape[0]):
        for r in range(D.shape[1]):
            for i in range(LANES):
                a = x[k, i] - c[own[k, i]]
                b = x[k, i] - c[r]
                a = a if abs(a) > on_centroid else 0.0
                b = b if abs(b) > on_centroid else 0.0
                D[k, r, i] += b * b
                P[k, r, i] += a * b
                D_single[k, r, i] = D[k, r, i]
                P_single[k, r, i] = P[k, r, i]
        for i in range(LANES):
            own_distances[own[k, i]] += weight[k, i] * sqrt(D[k, own[k, i], i])
