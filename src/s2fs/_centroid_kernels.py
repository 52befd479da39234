"""The compiled loops over pairs of centroids: how far apart the classes are.

Signatures are given, so that all is compiled, and stored on disk, when the module is imported.
"""

from math import sqrt

import numpy as np
from numba import boolean, float64, int64, void

from s2fs._criterion import EQUAL
from s2fs._jit import compiled

_TYPES = void(float64[:, ::1], int64[::1], float64[::1], float64[:, ::1], boolean, float64[:, ::1])


@compiled(_TYPES, error_model="numpy", fastmath={"contract"})
def separation(C, where, on_centroid, G, printed, out):  # type: ignore[no-untyped-def]
    """Λ_dis and Λ_dir (Eqs. 16, 21) of the subset joined by each candidate.

    Parameters
    ----------
    C : (any, classes)
        Centroids; those of candidate j are ``C[where[j]]``.
    on_centroid : (any,)
        Differences of centroids up to this size are 0.
    G : (classes, classes)
        The state.
    printed : bool
        Whether Eq. 20 is taken as printed.
    out : (2, candidates)
        Where the two components are written.
    """
    p = G.shape[0]
    lead = 1.0 if printed else 0.0
    nearest = np.empty(p)  # squared distance to the nearest centroid
    twins = np.empty(p)  # how many other centroids coincide
    inverses = np.empty(p)  # Σ 1/G over the others that do not
    H = np.empty((p, p))  # G with the candidate
    norm = np.empty((p, p))  # its square roots
    turned = np.empty(p)
    for j in range(where.shape[0]):
        c = C[where[j]]
        tolerance = on_centroid[where[j]]
        for q in range(p):
            nearest[q] = np.inf
            twins[q] = 0.0
            inverses[q] = 0.0
            turned[q] = 0.0
        for q in range(p):
            for r in range(p):
                gap = c[q] - c[r]
                gap = gap if abs(gap) > tolerance else 0.0
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
        for r in range(p):
            direction += turned[r]
        out[0, j] = distance / p
        out[1, j] = direction / p


@compiled(_TYPES, error_model="numpy")
def separation_by_lanes(C, where, on_centroid, G, printed, out):  # type: ignore[no-untyped-def]
    """Do as :func:`separation` with a candidate in each lane, which pays for few classes.

    Candidates for which centroids coincide are left to :func:`separation`.
    """
    p, n = G.shape[0], where.shape[0]
    width = max(8, min(128, 16384 // (p * p)))
    lead = 1.0 if printed else 0.0
    c = np.empty((p, width))
    tolerance = np.empty(width)
    H = np.empty((p, p, width))  # G with the candidate
    w = np.empty((p, p, width))  # 1 over its square roots
    nearest = np.empty((p, width))  # squared distance to the nearest centroid
    inverses = np.empty((p, width))  # Σ 1/G over the others
    near = np.empty(width, np.uint64)
    h_near = np.empty(width)
    w_near = np.empty(width)
    i_near = np.empty(width)
    across = np.empty(width)  # G of the nearest centroid and another one
    cosine = np.empty(width)
    distance = np.empty(width)
    turned = np.empty(width)
    alone = np.empty((2, 1))
    for start in range(0, n, width):
        for i in range(width):
            f = where[min(start + i, n - 1)]
            tolerance[i] = on_centroid[f]
            for q in range(p):
                c[q, i] = C[f, q]
        distance[:] = 0.0
        turned[:] = 0.0
        nearest[:] = np.inf
        inverses[:] = 0.0
        # Loops over few arrays each: over many the compiler does not vectorise.
        for q in range(p):
            H[q, q] = 0.0
            for r in range(q):
                g, here, there, h, root = G[q, r], c[q], c[r], H[q, r], w[q, r]
                for i in range(width):
                    gap = here[i] - there[i]
                    gap = gap if abs(gap) > tolerance[i] else 0.0
                    h[i] = g + gap * gap
                for i in range(width):
                    root[i] = 1.0 / sqrt(h[i])
                H[r, q] = h
                w[r, q] = root
                for a in (q, r):
                    of_a, least = inverses[a], nearest[a]
                    for i in range(width):
                        of_a[i] += root[i] * root[i]
                    for i in range(width):
                        least[i] = min(least[i], h[i])
        for q in range(p):
            least = nearest[q]
            for i in range(width):
                near[i] = 0
                distance[i] += sqrt(least[i])
                least[i] *= (1 + EQUAL) ** 2
            for r in range(p - 1, -1, -1):  # the first among equals is the last to be seen
                if r != q:
                    h = H[q, r]
                    for i in range(width):
                        near[i] = np.uint64(r) if h[i] <= least[i] else near[i]
            for i in range(width):
                h_near[i] = H[q, near[i], i]
                w_near[i] = 0.5 * w[q, near[i], i]
                i_near[i] = inverses[near[i], i]
            for r in range(p):
                if r != q:
                    h, root = H[q, r], w[q, r]
                    for i in range(width):
                        across[i] = H[near[i], r, i]
                    for i in range(width):
                        cosine[i] = (h_near[i] + h[i] - across[i]) * (w_near[i] * root[i])
                    for i in range(width):
                        share = min(max(1.0 - cosine[i], 0.0), 2.0)
                        share /= lead + across[i] * i_near[i]
                        turned[i] += share if near[i] != np.uint64(r) else 0.0
        for i in range(min(width, n - start)):
            out[0, start + i] = distance[i] / p
            out[1, start + i] = turned[i] / p
            for q in range(p):
                if inverses[q, i] == np.inf:
                    j = start + i
                    separation(C, where[j : j + 1], on_centroid, G, printed, alone)
                    out[0, j], out[1, j] = alone[0, 0], alone[1, 0]
                    break
