"""The support vector machine on the prefixes of a ranking, one class against one by votes.

Each pair of classes is solved by sequential minimal optimisation with second-order choice of the
two samples to move (Fan, Chen and Lin 2005) and shrinking. What these leave open, such as the
tolerance, ties, the float32 training kernel and when to shrink, is settled as LIBSVM does, so that
iterates and predictions are those of scikit-learn. In place of the gradient G of the dual the loops
keep v = −y G, which needs no case by label.
"""

from itertools import pairwise

import numpy as np

from s2fs._utils.types import Floats, Indices
from s2fs_bench.learners.jit import Array, compiled, larger, smaller

#: The largest violation of optimality at which to stop, scikit-learn's default.
TOLERANCE = 1e-3
#: Curvature used along a direction without any, between samples with equal features.
FLAT = 1e-12

#: No fused multiply-add: its other rounding would leave LIBSVM's path.
_jit = compiled(error_model="numpy")


def predict(
    A: Floats, codes: Indices, B: Floats, sizes: Indices, C: float, gamma: str | float = "scale"
) -> Indices:
    """Classes of the test samples B by the machine trained on A, with the first k columns each.

    ``gamma``, the width of the kernel, is what scikit-learn's ``SVC`` takes.
    """
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes))])
    classes = [slice(*ends) for ends in pairwise(starts)]
    rows = np.ascontiguousarray(A[np.argsort(codes, kind="stable")].T)
    test = np.ascontiguousarray(B.T)
    # Squared distances: of each class to itself and those after it, and of all to the test samples.
    within = [np.zeros((q.stop - q.start, len(A) - q.start)) for q in classes]
    across = np.zeros((len(A), len(B)))
    kernel = np.empty((len(A), len(A)), dtype=np.float32)
    predicted = np.empty((len(sizes), len(B)), dtype=np.intp)
    known = 0
    for s, (size, width) in enumerate(zip(sizes, kernel_gammas(A, sizes, gamma), strict=True)):
        new, known = slice(known, size), size
        for q, D in zip(classes, within, strict=True):
            grow(D, rows[new, q], rows[new, q.start :])
            kernel[q, q.start :] = np.exp(-width * D)
        grow(across, rows[new], test[new])
        predicted[s] = votes(kernel, np.exp(-width * across), starts, C).argmax(axis=0)
    return predicted


def kernel_gammas(A: Floats, sizes: Indices, gamma: str | float) -> Floats:
    """Kernel widths by scikit-learn's rules.

    "scale": 1 over the first k features times their variance; "auto": 1 over the k features.
    """
    if gamma == "auto":
        return np.asarray(1 / sizes)
    if gamma != "scale":
        return np.full(len(sizes), float(gamma))
    means, variances = A.mean(axis=0), A.var(axis=0)
    gammas = np.ones(len(sizes))
    for s, k in enumerate(sizes):
        apart = means[:k] - means[:k].mean()
        variance = (variances[:k] + apart * apart).mean()
        if variance > 0:
            gammas[s] = 1 / (k * variance)
    return gammas


@_jit
def grow(D: Array, rows: Array, columns: Array) -> None:
    """Add to squared distances the terms of some features; both sides are feature × sample."""
    for f in range(len(rows)):
        for i in range(D.shape[0]):
            for j in range(D.shape[1]):
                d = rows[f, i] - columns[f, j]
                D[i, j] += d * d


@_jit
def votes(kernel: Array, across: Array, starts: Array, C: float) -> Array:
    """Votes of the machines, class × test sample, from the kernels of training × training and test.

    Training samples are sorted by class, and their kernel is given for the same and later classes.
    """
    p, n_test = len(starts) - 1, across.shape[1]
    counts = np.zeros((p, n_test), np.intp)
    buffer = np.empty(4 * (starts[1:] - starts[:-1]).max() ** 2, np.float32)
    for a in range(p):
        for b in range(a + 1, p):
            first, second = slice(starts[a], starts[a + 1]), slice(starts[b], starts[b + 1])
            n_a, n = first.stop - first.start, first.stop - first.start + second.stop - second.start
            K = buffer[: n * n].reshape(n, n)
            K[:n_a, :n_a] = kernel[first, first]
            K[:n_a, n_a:] = kernel[first, second]
            K[n_a:, :n_a] = kernel[first, second].T
            K[n_a:, n_a:] = kernel[second, second]
            weights, offset = solve(K, n_a, C)
            decision = np.zeros(n_test)
            for i in np.flatnonzero(weights):
                row = across[starts[a] + i if i < n_a else starts[b] - n_a + i]
                for t in range(n_test):
                    decision[t] += weights[i] * row[t]
            for t in range(n_test):
                counts[a if decision[t] > offset else b, t] += 1
    return counts


@_jit
def solve(K: Array, n_a: int, C: float) -> tuple[Array, float]:
    """Weights y α and offset ρ of one pair of classes; the first n_a samples of K are of the first.

    Of ``order`` the first n samples are at work, and those behind are set aside by shrinking.
    ``up`` and ``low`` are 0 where y α can go up and down, else −∞ and ∞.
    """
    size = len(K)
    order = np.arange(size)
    y = np.where(order < n_a, 1.0, -1.0)
    alpha, v, gains = np.zeros(size), y.copy(), np.empty(size)
    up, low = np.where(y > 0, 0.0, -np.inf), np.where(y > 0, np.inf, 0.0)
    n, near_end, countdown = size, False, min(size, 1000) + 1
    while True:
        highest, lowest = extremes(v, up, low, n)
        countdown -= 1
        if countdown == 0:
            countdown = min(size, 1000)
            if not near_end and highest - lowest <= 10 * TOLERANCE:
                near_end, n = True, size
            now, n = shrink(v, up, low, highest, lowest, n)
            K = np.ascontiguousarray(K[now][:, now])
            order, y, alpha, v, up, low = order[now], y[now], alpha[now], v[now], up[now], low[now]
            highest, lowest = extremes(v, up, low, n)
        if highest - lowest < TOLERANCE:
            n = size
            highest, lowest = extremes(v, up, low, n)
            if highest - lowest < TOLERANCE:
                break
            countdown = 1
        i = n - 1
        while v[i] + up[i] != highest:
            i -= 1
        j = partner(K, i, v, low, highest, gains[:n])
        by_i, by_j = optimise(i, j, y, K[i, j], v, alpha, C)
        for k in range(size):
            v[k] -= K[i, k] * by_i + K[j, k] * by_j
        for k in (i, j):
            below, above = alpha[k] < C, alpha[k] > 0
            up[k] = 0.0 if (below if y[k] > 0 else above) else -np.inf
            low[k] = 0.0 if (above if y[k] > 0 else below) else np.inf
    weights = np.empty(size)
    weights[order] = y * alpha
    # The offset: the mean of −v over free samples, else the middle of what bounds it.
    free = (up == 0) & (low == 0)
    if free.any():
        return weights, -v[free].sum() / free.sum()
    return weights, -(highest + lowest) / 2


@_jit
def extremes(v: Array, up: Array, low: Array, n: int) -> tuple[float, float]:
    """The highest v free to go up and the lowest free to go down, among the first n."""
    highest, lowest = -np.inf, np.inf
    for k in range(n):
        highest = larger(highest, v[k] + up[k])
        lowest = smaller(lowest, v[k] + low[k])
    return highest, lowest


@_jit
def partner(K: Array, i: int, v: Array, low: Array, highest: float, gains: Array) -> int:
    """The sample free to go down that gains most together with i, the last of several."""
    best = 0.0
    for k in range(len(gains)):
        step = larger(highest - (v[k] + low[k]), 0.0)
        gains[k] = step * step / larger(2.0 - 2.0 * np.float64(K[i, k]), FLAT)
        best = larger(best, gains[k])
    j = len(gains) - 1
    while gains[j] != best:
        j -= 1
    return j


@_jit
def optimise(
    i: int, j: int, y: Array, K_ij: float, v: Array, alpha: Array, C: float
) -> tuple[float, float]:
    """Optimise the pair (i, j) within its box; returns by how much y α of both has changed."""
    y_i, y_j = y[i], y[j]
    old_i, old_j = alpha[i], alpha[j]
    shift = (v[i] - v[j]) / max(2.0 - 2.0 * np.float64(K_ij), FLAT)
    if y_i != y_j:
        difference = old_i - old_j
        a, b = old_i + y_i * shift, old_j + y_i * shift
        if difference > 0:
            if b < 0:
                a, b = difference, 0.0
            if a > C:
                a, b = C, C - difference
        else:
            if a < 0:
                a, b = 0.0, -difference
            if b > C:
                a, b = C + difference, C
    else:
        total = old_i + old_j
        a, b = old_i + y_i * shift, old_j - y_i * shift
        if total > C:
            if a > C:
                a, b = C, total - C
            if b > C:
                a, b = total - C, C
        else:
            if b < 0:
                a, b = total, 0.0
            if a < 0:
                a, b = 0.0, total
    alpha[i], alpha[j] = a, b
    return y_i * (a - old_i), y_j * (b - old_j)


@_jit
def shrink(
    v: Array, up: Array, low: Array, highest: float, lowest: float, n: int
) -> tuple[Array, int]:
    """Order with samples last that will hardly leave their bound; how many of n are left."""
    settled = ((up != 0) & (v > highest)) | ((low != 0) & (v < lowest))
    now = np.arange(len(v))
    i = 0
    while i < n:
        if settled[now[i]]:
            n -= 1
            while n > i:
                if not settled[now[n]]:
                    now[i], now[n] = now[n], now[i]
                    break
                n -= 1
        i += 1
    return now, n
