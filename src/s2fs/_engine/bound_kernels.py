"""The compiled loops that bound the compactness of all candidates from below, and Sep from above.

What they compute, and why it is a bound, is told in ``_compiled.py``. Signatures are given, so that
all is compiled, and stored on disk, when the module is imported.
"""

from math import sqrt
from typing import Any

import numpy as np
from numba import float32, float64, int32, int64, void
from numba.types import UniTuple

from s2fs._engine.jit import compiled
from s2fs._engine.kernels import LANES

#: So many numbers are summed in single precision before double precision takes over.
CHUNK = 512
#: So many candidates are taken at once over pairs of classes.
_WIDTH = 64


def _tangent_types(real: Any) -> Any:
    state = float64[:, :, ::1]
    return UniTuple(float64, 3)(
        state, state, int32[:, ::1], float64[:, ::1], int64, real[::1], real[::1], real[:, ::1]
    )


@compiled(
    _tangent_types(float32), _tangent_types(float64),
    error_model="numpy", fastmath={"contract"},
)  # fmt: skip
def direction_tangent(D, P, own, weight, size, near, curvature, slopes):  # type: ignore[no-untyped-def]
    """Bound Θ_dir of the subset joined by a candidate: a constant less Σ κ a² and Σ S g².

    The last sum is over unordered pairs of classes.

    Parameters
    ----------
    D, P : (blocks, classes, lanes)
        The state.
    own, weight : (blocks, lanes)
        Class and weight of each instance; padding has the weight 0.
    size : int
        Features in the subset: the tangent touches where a candidate is like one of them.
    near, curvature : (instances,)
        Where the squared distances to the own centroid, and κ, are written.
    slopes : (classes, classes)
        Where S is written, above the diagonal.

    Returns
    -------
    tuple of float
        The constant, Σ κ and Σ S.
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
    slope = np.empty((p, LANES))
    S = np.zeros((p, p))
    constant, sum_kappa, sum_S = 0.0, 0.0, 0.0
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
            row = slope[r]
            for i in range(LANES):
                inverse = 1.0 / max(D[k, r, i] + b2, 1e-90)
                missing = max(home[i] * sqrt(D[k, r, i]) - P[k, r, i], 0.0)
                g = factor[i] * missing * (inverse * sqrt(inverse))
                total[i] += g
                row[i] = 1.5 * g * inverse
                rise[i] += row[i]
        for i in range(LANES):
            own_slope = 0.5 * total[i] / max(u[i], 1e-90)
            constant += total[i] + rise[i] * b2 + own_slope * a2
            kappa = own_slope + 2.0 * rise[i]
            curvature[k * LANES + i] = kappa
            sum_kappa += kappa
            for r in range(p):
                S[own[k, i], r] += 2.0 * slope[r, i]
    for q in range(p):
        for r in range(q):
            slopes[r, q] = S[q, r] + S[r, q]
            sum_S += slopes[r, q]
    return constant, sum_kappa, sum_S


def _least_types(real: Any) -> Any:
    table, line = real[:, ::1], real[::1]
    return void(table, int64[::1], table, line, line, line, table, float64[::1], float64[:, ::1])


# The order of the sums is free: the bound holds for any.
@compiled(
    _least_types(float32), _least_types(float64),
    error_model="numpy", fastmath={"contract", "reassoc", "nsz"},
)  # fmt: skip
def least_compactness(A, where, C, near, curvature, weight, slopes, room, out):  # type: ignore[no-untyped-def]
    """Lower bounds of Θ_dis and Θ_dir of the subset joined by each candidate.

    Parameters
    ----------
    A, where, C : as for :func:`compactness`
        The candidates.
    near, curvature, weight : (instances,)
        Of each instance the squared distance to the own centroid, κ, and the weight.
    slopes : (classes, classes)
        S, above the diagonal.
    room : (3,)
        Θ_dis is at least its sum times the first number, Θ_dir at least the second one less
        the two sums and the third one.
    out : (2, candidates)
        Where the bounds are written.
    """
    n, p, m = A.shape[1], C.shape[1], where.shape[0]
    nought = A.dtype.type(0)
    width = min(_WIDTH, m)
    c = np.empty((p, width), A.dtype)
    form = np.empty(width, A.dtype)  # Σ S g², with a candidate in each lane
    for first in range(0, m, width):
        for i in range(width):
            f = where[min(first + i, m - 1)]
            for q in range(p):
                c[q, i] = C[f, q]
        form[:] = nought
        for q in range(p):
            here = c[q]
            for r in range(q + 1, p):
                there, slope = c[r], slopes[q, r]
                for i in range(width):
                    gap = here[i] - there[i]
                    form[i] += slope * (gap * gap)
        for j in range(first, min(first + width, m)):
            distance, penalty = 0.0, float64(form[j - first])
            for start in range(0, n, CHUNK):
                a, share = A[where[j], start : start + CHUNK], weight[start : start + CHUNK]
                d, kappa = near[start : start + CHUNK], curvature[start : start + CHUNK]
                part, square = nought, nought
                for i in range(len(a)):
                    part += share[i] * sqrt(d[i] + a[i] * a[i])
                    square += kappa[i] * a[i] * a[i]
                distance += part
                penalty += square
            out[0, j] = distance * room[0]
            out[1, j] = max(room[1] - penalty - room[2], 0.0)


@compiled(float64(float64, float64), error_model="numpy")
def _ratio(separation, compactness):  # type: ignore[no-untyped-def]
    """Sep, as in :meth:`Components.separability`."""
    if compactness > 0.0:
        return separation / compactness
    return np.inf if separation > 0.0 else 0.0


@compiled(
    void(float64[:, :], float64[:, :], float64, int64, float64[:, :], float64[:, ::1],
         float64[:, ::1]),
    error_model="numpy",
)  # fmt: skip
def separability_between(thetas, lambdas, roundoff, n_classes, weights, low, high):  # type: ignore[no-untyped-def]
    """Smallest and largest Sep that candidates may have, given how Θ was rounded.

    Parameters
    ----------
    thetas : (3, candidates)
        Θ_dis, Θ_dir and the part of the error of the latter that depends on the data.
    lambdas : (2, candidates)
        Λ_dis and Λ_dir.
    roundoff : float
        The relative error of a number in Θ; 0 if Θ is taken as exact.
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
            distance_error = roundoff * 40 * distance
            direction_error = roundoff * (32 * direction + 90 + 4 * n_classes) + thetas[2, j]
        for pair in range(len(weights)):
            alpha, beta = weights[pair]
            separation = lambdas[0, j] + beta * lambdas[1, j]
            largest = distance + distance_error + alpha * (direction + direction_error)
            smallest = max(distance - distance_error, 0.0)
            smallest += alpha * max(direction - direction_error, 0.0)
            low[pair, j] = _ratio(separation, largest)
            high[pair, j] = _ratio(separation, smallest)


@compiled(
    void(float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], int64[:, ::1]),
    error_model="numpy",
)
def most_separable(thetas, lambdas, weights, most, tops):  # type: ignore[no-untyped-def]
    """Sep of each candidate, and where the largest are.

    Parameters
    ----------
    thetas, lambdas : (2, candidates)
        By distance and by direction.
    weights : (pairs, 2)
        Pairs (alpha, beta).
    most : (pairs, candidates)
        Where Sep is written.
    tops : (pairs, any)
        Where the positions of so many of the largest are written, in any order.
    """
    n = tops.shape[1]
    for pair in range(len(weights)):
        (alpha, beta), sep, top = weights[pair], most[pair], tops[pair]
        lowest = 0  # of those in `top`
        for j in range(len(sep)):
            separation = lambdas[0, j] + beta * lambdas[1, j]
            sep[j] = _ratio(separation, thetas[0, j] + alpha * thetas[1, j])
            if j < n:
                top[j] = j
            elif n > 0 and sep[j] > sep[top[lowest]]:
                top[lowest] = j
            else:
                continue
            if j >= n - 1:
                for k in range(n):
                    if sep[top[k]] < sep[top[lowest]]:
                        lowest = k
