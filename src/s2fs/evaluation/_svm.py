"""The support vector machine on the prefixes of a ranking, one class against one by votes."""

import numpy as np
from numpy.typing import NDArray

from s2fs._jit import compiled
from s2fs.evaluation._kernels import gaussian, grow
from s2fs.evaluation._lanes import Array, padded
from s2fs.evaluation._smo import scratch, solve

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Distances come from memory once for this many sizes; more would crowd out the test kernels.
SIZES_AT_ONCE = 4

_jit = compiled(error_model="numpy")


def predict(A: Floats, codes: Indices, B: Floats, sizes: Indices, C: float) -> Indices:
    """Classes of the test rows B by the machine trained on A, with the first k columns each.

    The width of the kernel is scikit-learn's "scale".
    """
    counts = np.bincount(codes)
    # Training rows are sorted by class; as columns of distances each class is padded, see LANES.
    starts = np.concatenate([[0], np.cumsum(counts)])
    widths = np.array([padded(int(count)) for count in counts])
    lefts = np.concatenate([[0], np.cumsum(widths)])
    rows = np.ascontiguousarray(A[np.argsort(codes, kind="stable")].T)
    columns, test = np.zeros((len(rows), lefts[-1])), np.zeros((len(rows), padded(len(B))))
    columns[:, np.arange(len(A)) + np.repeat(lefts[:-1] - starts[:-1], counts)] = rows
    test[:, : len(B)] = B.T
    within = np.zeros(int(np.triu(np.outer(counts, widths)).sum()))
    across = np.zeros((len(A), test.shape[1]))
    own = np.empty((SIZES_AT_ONCE, len(counts), counts.max(), widths.max()), dtype=np.float32)
    kernel = np.empty((SIZES_AT_ONCE, *across.shape))
    votes = np.zeros((len(sizes), len(counts), test.shape[1]), dtype=np.intp)
    steps = np.concatenate([[0], sizes])
    gammas = scale_gammas(A, sizes)
    for s in range(0, len(sizes), SIZES_AT_ONCE):
        vote(
            within,
            across,
            own,
            kernel,
            rows,
            columns,
            test,
            starts,
            lefts,
            steps[s : s + SIZES_AT_ONCE + 1],
            gammas[s : s + SIZES_AT_ONCE],
            C,
            votes[s : s + SIZES_AT_ONCE],
        )
    return votes[:, :, : len(B)].argmax(axis=1)


def scale_gammas(A: Floats, sizes: Indices) -> Floats:
    """Kernel widths by scikit-learn's rule: 1 over the first k features times their variance."""
    means, variances = A.mean(axis=0), A.var(axis=0)
    gammas = np.ones(len(sizes))
    for s, k in enumerate(sizes):
        apart = means[:k] - means[:k].mean()
        variance = (variances[:k] + apart * apart).mean()
        if variance > 0:
            gammas[s] = 1 / (k * variance)
    return gammas


@_jit
def vote(
    within: Array,
    across: Array,
    own: Array,
    kernel: Array,
    rows: Array,
    columns: Array,
    test: Array,
    starts: Array,
    lefts: Array,
    steps: Array,
    gammas: Array,
    C: float,
    votes: Array,
) -> None:
    """Let every pair of classes vote on every test row, at some sizes one after the other.

    Class q owns the training rows ``starts[q]:starts[q + 1]`` and the padded ``columns`` from
    ``lefts[q]`` on. ``within`` holds, one after the other, the distances within each class and
    those of each pair of classes, ``across`` those of training × test rows, with the first
    ``steps[0]`` features; they grow to ``steps[1]``, ``steps[2]``, … ``own`` and ``kernel`` are
    room for the kernel within each class and with the test rows, at each of the sizes.
    """
    p, most = len(starts) - 1, (starts[1:] - starts[:-1]).max()
    at = 0
    for q in range(p):
        D, at = block(within, at, starts[q + 1] - starts[q], lefts[q + 1] - lefts[q])
        for s in range(len(gammas)):
            new = slice(steps[s], steps[s + 1])
            grow(D, rows[new, starts[q] : starts[q + 1]], columns[new, lefts[q] : lefts[q + 1]])
            for i in range(len(D)):
                gaussian(D[i], gammas[s], own[s, q, i])
    for s in range(len(gammas)):
        new = slice(steps[s], steps[s + 1])
        grow(across, rows[new], test[new])
        for i in range(len(across)):
            gaussian(across[i], gammas[s], kernel[s, i])

    room = scratch(most)
    alpha, decision = np.empty(2 * most), np.empty(across.shape[1])
    for a in range(p):
        for b in range(a + 1, p):
            n_a, n_b = starts[a + 1] - starts[a], starts[b + 1] - starts[b]
            D, at = block(within, at, n_a, lefts[b + 1] - lefts[b])
            for s in range(len(gammas)):
                new = slice(steps[s], steps[s + 1])
                grow(D, rows[new, starts[a] : starts[a + 1]], columns[new, lefts[b] : lefts[b + 1]])
                rho = solve(D, own[s], (a, b, n_a, n_b), gammas[s], C, room, alpha)
                decision[:] = 0
                for i in range(n_a):
                    add_scaled(decision, alpha[i], kernel, s, starts[a] + i)
                for i in range(n_b):
                    add_scaled(decision, -alpha[n_a + i], kernel, s, starts[b] + i)
                for t in range(len(decision)):
                    for_a = decision[t] > rho
                    votes[s, a, t] += for_a
                    votes[s, b, t] += not for_a


@compiled(error_model="numpy", inline="always")
def block(flat: Array, at: int, height: int, width: int) -> tuple[Array, int]:
    """Part of a flat array as a matrix, and where the next one begins."""
    end = at + height * width
    return flat[at:end].reshape(height, width), end


@compiled(error_model="numpy", inline="always")
def add_scaled(total: Array, c: float, X: Array, s: int, i: int) -> None:
    """Add c times a row of X to the total."""
    if c != 0:
        for t in range(len(total)):
            total[t] += c * X[s, i, t]
