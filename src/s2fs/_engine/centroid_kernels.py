"""The compiled loops over pairs of centroids: how far apart the classes are.

Signatures are given, so that all is compiled, and stored on disk, when the module is imported.
"""

from math import sqrt

import numpy as np
from numba import boolean, float64, int64, void

from s2fs._core.criterion import EQUAL
from s2fs._engine.jit import compiled

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


# Twice the error of single precision, so that terms of higher order are covered.
_UNIT = np.float32(2.0**-23)
#: Nearest centroids of which another one is this near to be as near are left to `separation`.
_CLEAR = np.float32(1 + 1e-6)
_LEAST = np.float32(1e-16)  # far above the squares of differences that count as 0


@compiled(
    void(float64[:, ::1], int64[::1], float64[::1], float64[:, ::1], boolean, float64, boolean,
         int64, float64[:, ::1]),
    error_model="numpy", fastmath={"contract"},
)  # fmt: skip
def most_separation(C, where, on_centroid, G, printed, unit, coarse, width, out):  # type: ignore[no-untyped-def]
    """Upper bounds of Λ_dis and Λ_dir of the subset joined by each candidate.

    In single precision, with a candidate in each lane; the largest rounding errors are added (see
    ``_compiled.py``). A candidate is left to :func:`separation` if centroids coincide, or if single
    precision does not tell which one is the nearest.

    Parameters
    ----------
    C, where, on_centroid, G, printed, out : as for :func:`separation`
        The candidates, the state and the result.
    unit : float
        Distances are multiplied by this.
    coarse : bool
        Whether a looser bound of Λ_dir will do, which takes half the time.
    width : int
        So many candidates are taken at once.
    """
    p, n = G.shape[0], where.shape[0]
    rows = -(-p // 4) * 4  # classes are taken by fours
    nought, half, one = np.float32(0), np.float32(0.5), np.float32(1)
    lead = one if printed else nought
    n_angles = np.float32(max(p - 2, 0))  # at each class
    above = one + np.float32(p + 8) * _UNIT
    g = np.full((rows, rows), np.float32(np.inf))  # no class is its own neighbour
    for q in range(p):
        for r in range(p):
            if r != q:
                g[q, r] = G[q, r]
    c = np.zeros((rows, width))
    H = np.empty((rows, rows, width), np.float32)  # G with the candidate
    H_flat = H.reshape(-1)
    nearest = np.empty((p, width), np.float32)  # squared distance to the nearest centroid
    inverses = np.empty((p, width), np.float32)  # Σ 1/G over the others
    near = np.empty(width, np.uint32)
    place = np.empty(width, np.uint64)  # of G of the nearest centroid
    as_near = np.empty(width, np.float32)  # how many centroids seem to be the nearest
    across = np.empty(width, np.float32)  # G of the nearest centroid and another one
    i_near = np.empty(width, np.float32)
    distance = np.empty(width, np.float32)
    turned = np.empty(width, np.float32)
    unclear = np.empty(width, np.float32)
    alone = np.empty((2, 1))
    for start in range(0, n, width):
        for q in range(p):
            here = c[q]
            for i in range(width):
                here[i] = C[where[min(start + i, n - 1)], q]
        distance[:] = nought
        turned[:] = nought
        unclear[:] = nought
        # Loops over few arrays each: over many the compiler does not vectorise.
        for q in range(p):
            here, least, of_q = c[q], nearest[q], inverses[q]
            least[:] = np.float32(np.inf)
            of_q[:] = nought
            for r in range(0, rows, 4):
                for s in range(4):
                    g_s, there, h = g[q, r + s], c[r + s], H[q, r + s]
                    for i in range(width):
                        gap = np.float32(here[i] - there[i])
                        h[i] = g_s + gap * gap
                h0, h1, h2, h3 = H[q, r], H[q, r + 1], H[q, r + 2], H[q, r + 3]
                for i in range(width):
                    a = h0[i] if h0[i] < h1[i] else h1[i]
                    b = h2[i] if h2[i] < h3[i] else h3[i]
                    a = a if a < b else b
                    least[i] = a if a < least[i] else least[i]
                    of_q[i] += (one / h0[i] + one / h1[i]) + (one / h2[i] + one / h3[i])
        for q in range(p):
            least = nearest[q]
            for i in range(width):
                distance[i] += sqrt(least[i])
                as_near[i] = nought
                near[i] = 0
            for r in range(0, rows, 4):
                h0, h1, h2, h3 = H[q, r], H[q, r + 1], H[q, r + 2], H[q, r + 3]
                r0, r1, r2, r3 = np.uint32(r), np.uint32(r + 1), np.uint32(r + 2), np.uint32(r + 3)
                for i in range(width):
                    limit = least[i] * _CLEAR
                    a = r0 if h0[i] <= limit else near[i]
                    a = r1 if h1[i] <= limit else a
                    a = r2 if h2[i] <= limit else a
                    near[i] = r3 if h3[i] <= limit else a
                for i in range(width):
                    limit = least[i] * _CLEAR
                    t0 = one if h0[i] <= limit else nought
                    t1 = one if h1[i] <= limit else nought
                    t2 = one if h2[i] <= limit else nought
                    t3 = one if h3[i] <= limit else nought
                    as_near[i] += (t0 + t1) + (t2 + t3)
            for i in range(width):
                unclear[i] += one if as_near[i] > one or least[i] < _LEAST else nought
            for i in range(width):
                i_near[i] = inverses[near[i], i]
            if coarse:
                of_q = inverses[q]
                for i in range(width):
                    others = of_q[i] * above - one / least[i]
                    turned[i] += half * sqrt(n_angles * others / least[i]) / i_near[i]
                continue
            for i in range(width):
                place[i] = np.uint64(near[i]) * np.uint64(rows * width) + np.uint64(i)
            for r in range(p):
                if r != q:
                    h, other, offset = H[q, r], np.uint32(r), np.uint64(r * width)
                    for i in range(width):
                        across[i] = H_flat[place[i] + offset]
                    for i in range(width):
                        norms = sqrt(least[i] * h[i])
                        share = norms - (least[i] + h[i] - across[i]) * half
                        share = share if share > nought else nought
                        share /= norms * (lead + across[i] * i_near[i])
                        turned[i] += share if near[i] != other else nought
        for i in range(min(width, n - start)):
            j = start + i
            if unclear[i] > nought:
                separation(C, where[j : j + 1], on_centroid, G, printed, alone)
                out[0, j], out[1, j] = unit * alone[0, 0], alone[1, 0]
            else:
                out[0, j] = unit * distance[i] / p * (1 + (p + 4) * _UNIT)
                out[1, j] = turned[i] / p * (1 + (p * p + p + 24) * _UNIT) + 55 * p * _UNIT
