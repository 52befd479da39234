"""The support vector machine from given distances: SMO, pair by pair of classes.

The machine is the usual one-against-one C-SVC. Each pair of classes is solved by sequential
minimal optimisation with second-order choice of the working set (Fan, Chen and Lin 2005) and
shrinking. What these leave open, such as the tolerance, ties, the float32 training kernel and when
to shrink, is settled as LIBSVM does, so that iterates and predictions are those of scikit-learn.
In place of the gradient G of the dual the loops keep v = −y G, which needs no case by label.
"""

import numpy as np

from s2fs._jit import compiled
from s2fs.evaluation._kernels import (
    Array,
    add_scaled,
    copy_block,
    exponential,
    fill_kernel,
    fill_own_kernel,
    padded,
)

#: The largest violation of optimality at which to stop, scikit-learn's default.
TOLERANCE = 1e-3
#: Curvature used along a direction without any, between rows with equal features.
FLAT = 1e-12

#: No fused multiply-add: its other rounding would leave LIBSVM's path.
_jit = compiled(error_model="numpy")


@compiled(fastmath={"nnan", "nsz"})
def largest(x: Array, n: int) -> float:
    """Largest of the first n entries, which hold no NaN and so may be taken in any order."""
    best = -np.inf
    for k in range(n):
        best = max(best, x[k])
    return best


@_jit
def last_equal(x: Array, n: int, value: float) -> int:
    """Last of the first n positions with this value, −1 if there is none."""
    k = n - 1
    while k >= 0 and x[k] != value:
        k -= 1
    return k


@_jit
def set_bounds(k: int, alpha: Array, y: Array, C: float, up: Array, low: Array) -> None:
    """Note whether y α of instance k can still go up and down: 0 if so, else −∞ or ∞."""
    below, above = alpha[k] < C, alpha[k] > 0
    up[k] = 0.0 if (below if y[k] > 0 else above) else -np.inf
    low[k] = 0.0 if (above if y[k] > 0 else below) else np.inf


@_jit
def working_set(K: Array, v: Array, up: Array, low: Array, n: int, work: Array) -> tuple[int, int]:
    """Choose the pair to optimise among the first n; −1, −1 at the optimum."""
    m = padded(n)
    for k in range(m):
        work[k] = v[k] + up[k]
    work[n:m] = -np.inf
    highest = largest(work, m)
    i = last_equal(work, n, highest)
    for k in range(m):
        work[k] = -(v[k] + low[k])
    work[n:m] = -np.inf
    if highest == -np.inf or highest + largest(work, m) < TOLERANCE:
        return -1, -1
    row = K[i]
    for k in range(m):
        step = highest + work[k]
        curvature = 2.0 - 2.0 * np.float64(row[k])
        gain = step * step / (curvature if curvature > 0 else FLAT)
        work[k] = gain if step > 0 else -1.0
    return i, last_equal(work, n, largest(work, m))


@_jit
def step(i: int, j: int, K: Array, v: Array, alpha: Array, y: Array, C: float, n: int) -> None:
    """Optimise the pair (i, j) within its box and update v of the first n, at least."""
    old_i, old_j = alpha[i], alpha[j]
    curvature = 2.0 - 2.0 * np.float64(K[i, j])
    move = (v[i] - v[j]) / (curvature if curvature > 0 else FLAT)
    if y[i] != y[j]:
        difference = old_i - old_j
        a, b = old_i + y[i] * move, old_j + y[i] * move
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
        a, b = old_i + y[i] * move, old_j - y[i] * move
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
    by_i, by_j = y[i] * (a - old_i), y[j] * (b - old_j)
    row_i, row_j = K[i], K[j]
    for k in range(padded(n)):
        v[k] -= row_i[k] * by_i + row_j[k] * by_j


@_jit
def restore(K: Array, v: Array, alpha: Array, y: Array, n: int) -> None:
    """Compute v afresh for the instances that were set aside, those from n on."""
    for k in range(n, len(K)):
        total = 0.0
        for s in range(len(K)):
            if alpha[s] > 0:
                total += alpha[s] * y[s] * K[k, s]
        v[k] = y[k] - total


@_jit
def settled(k: int, v: Array, up: Array, low: Array, highest: float, lowest: float) -> bool:
    """Whether instance k sits at a bound that the optimum will hardly leave."""
    return (up[k] != 0 and v[k] > highest) or (low[k] != 0 and v[k] < lowest)


@_jit
def shrink(
    K: Array, v: Array, alpha: Array, y: Array, up: Array, low: Array, place: Array, n: int
) -> int:
    """Move settled instances behind the others; returns how many of the first n are left."""
    highest, lowest = -np.inf, np.inf
    for k in range(n):
        highest, lowest = max(highest, v[k] + up[k]), min(lowest, v[k] + low[k])
    i = 0
    while i < n:
        if settled(i, v, up, low, highest, lowest):
            n -= 1
            while n > i:
                if not settled(n, v, up, low, highest, lowest):
                    swap(i, n, K, v, alpha, y, up, low, place)
                    break
                n -= 1
        i += 1
    return n


@_jit
def swap(
    i: int,
    j: int,
    K: Array,
    v: Array,
    alpha: Array,
    y: Array,
    up: Array,
    low: Array,
    place: Array,
) -> None:
    """Exchange two instances in everything."""
    for x in (v, alpha, y, up, low):
        x[i], x[j] = x[j], x[i]
    place[i], place[j] = place[j], place[i]
    for k in range(len(K)):
        K[i, k], K[j, k] = K[j, k], K[i, k]
    for k in range(len(K)):
        K[k, i], K[k, j] = K[k, j], K[k, i]


@_jit
def solve(K: Array, n_first: int, C: float, coefficients: Array) -> float:
    """Solve one pair of classes; writes y α per instance and returns the offset ρ.

    K is the kernel of the instances of the first class followed by those of the second, with
    columns padded by zeros; it is reordered.
    """
    size, columns = K.shape
    alpha, y, v = np.zeros(columns), np.ones(columns), np.ones(columns)
    y[n_first:] = -1
    v[n_first:] = -1
    up, low = np.full(columns, -np.inf), np.full(columns, np.inf)
    work, place = np.empty(columns), np.arange(size)
    for k in range(size):
        set_bounds(k, alpha, y, C, up, low)
    n, near_end, countdown = size, False, min(size, 1000) + 1
    while True:
        countdown -= 1
        if countdown == 0:
            countdown = min(size, 1000)
            if not near_end:
                highest, lowest = -np.inf, np.inf
                for k in range(n):
                    highest, lowest = max(highest, v[k] + up[k]), min(lowest, v[k] + low[k])
                if highest - lowest <= 10 * TOLERANCE:
                    near_end = True
                    restore(K, v, alpha, y, n)
                    n = size
            n = shrink(K, v, alpha, y, up, low, place, n)
        i, j = working_set(K, v, up, low, n, work)
        if i < 0:
            restore(K, v, alpha, y, n)
            n = size
            i, j = working_set(K, v, up, low, n, work)
            if i < 0:
                break
            countdown = 1
        step(i, j, K, v, alpha, y, C, n)
        set_bounds(i, alpha, y, C, up, low)
        set_bounds(j, alpha, y, C, up, low)
    for k in range(size):
        coefficients[place[k]] = y[k] * alpha[k]
    return offset(v[:size], alpha, up, C)


@_jit
def offset(v: Array, alpha: Array, up: Array, C: float) -> float:
    """The offset ρ: mean of −v over free instances, else the middle of what bounds it."""
    total, free, upper, lower = 0.0, 0, np.inf, -np.inf
    for k in range(len(v)):
        if 0 < alpha[k] < C:
            total -= v[k]
            free += 1
        elif up[k] == 0:
            upper = min(upper, -v[k])
        else:
            lower = max(lower, -v[k])
    return total / free if free else (upper + lower) / 2


@_jit
def vote(
    D_train: Array, D_test: Array, starts: Array, gamma: float, C: float, votes: Array
) -> None:
    """Let every pair of classes vote on every test row.

    ``D_train`` holds the squared distances between training rows below the diagonal, ``D_test``
    those of training × test rows; class q owns the rows ``starts[q]:starts[q + 1]``.
    """
    p, n_test = len(starts) - 1, D_test.shape[1]
    most = 0
    for q in range(p):
        most = max(most, starts[q + 1] - starts[q])
    scratch = np.empty((3, padded(max(most * most, n_test))))
    own = np.empty((p, most, most), dtype=np.float32)
    for q in range(p):
        s, e = starts[q], starts[q + 1]
        fill_own_kernel(own[q], D_train[s:e, s:e], gamma, scratch)
    test = np.empty(D_test.shape)
    for i in range(len(D_test)):
        for t in range(n_test):
            scratch[0, t] = -gamma * D_test[i, t]
        exponential(scratch[0, :n_test], test[i], scratch[1, :n_test])

    decision, coefficients = np.empty(n_test), np.empty(2 * most)
    for a in range(p):
        n_a = starts[a + 1] - starts[a]
        for b in range(a + 1, p):
            n_b = starts[b + 1] - starts[b]
            K = np.zeros((n_a + n_b, padded(n_a + n_b)), dtype=np.float32)
            copy_block(K, own[a], 0, n_a)
            copy_block(K, own[b], n_a, n_b)
            cross = D_train[starts[b] : starts[b + 1], starts[a] : starts[a + 1]]
            fill_kernel(K, cross, gamma, n_a, 0, scratch)
            rho = solve(K, n_a, C, coefficients)
            decision[:] = 0
            for k in range(n_a + n_b):
                if coefficients[k] != 0:
                    row = starts[a] + k if k < n_a else starts[b] + k - n_a
                    add_scaled(decision, coefficients[k], test[row])
            for t in range(len(votes)):
                votes[t, a if decision[t] > rho else b] += 1
