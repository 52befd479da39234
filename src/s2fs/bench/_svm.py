"""The support vector machine on the prefixes of a ranking, one class against one by votes."""

from typing import NamedTuple

import numpy as np

from s2fs._util.types import Floats, Indices
from s2fs.bench._distances import gaussian, grow
from s2fs.bench._jit import Array, compiled, padded
from s2fs.bench._smo import scratch, solve

#: Distances between training rows come from memory once for this many sizes.
SIZES_AT_ONCE = 4
#: Test rows vote in blocks whose kernel takes no more bytes than this, and so stays in the cache.
BLOCK_BYTES = 460_000
#: Support vectors are added to a decision this many at a time, so that it is read and written less.
TOGETHER = 4

_jit = compiled(error_model="numpy")


class TrainingRows(NamedTuple):
    """The training rows, feature × instance, and the distances between them.

    Class q owns the ``rows`` ``starts[q]:starts[q + 1]`` and the padded ``columns`` from
    ``lefts[q]`` on. ``within`` holds, one after the other, the distances within each class and
    those of each pair of classes. ``own`` is room for the kernel within each class at some sizes.
    """

    rows: Array
    columns: Array
    starts: Array
    lefts: Array
    within: Array
    own: Array


class TestRows(NamedTuple):
    """A block of test rows, feature × instance, and their distances to the training rows.

    ``across`` holds the distances of training × test rows, ``kernel`` is room for theirs.
    """

    rows: Array
    test: Array
    across: Array
    kernel: Array


class Machines(NamedTuple):
    """The machines of some sizes: arrays over size × pair of classes.

    Each has the training rows that support it with their weights, up to a count, and an offset.
    """

    support: Array
    weights: Array
    counts: Array
    offsets: Array


def predict(
    A: Floats, codes: Indices, B: Floats, sizes: Indices, C: float, gamma: str | float = "scale"
) -> Indices:
    """Classes of the test rows B by the machine trained on A, with the first k columns each.

    ``gamma``, the width of the kernel, is what scikit-learn's ``SVC`` takes.
    """
    counts = np.bincount(codes)
    p, most = len(counts), int(counts.max())
    # Training rows are sorted by class; as columns of distances each class is padded, see LANES.
    starts = np.concatenate([[0], np.cumsum(counts)])
    widths = np.array([padded(int(count)) for count in counts])
    lefts = np.concatenate([[0], np.cumsum(widths)])
    rows = np.ascontiguousarray(A[np.argsort(codes, kind="stable")].T)
    columns = np.zeros((len(rows), lefts[-1]))
    columns[:, np.arange(len(A)) + np.repeat(lefts[:-1] - starts[:-1], counts)] = rows
    within = np.zeros(int(np.triu(np.outer(counts, widths)).sum()))
    own = np.empty((SIZES_AT_ONCE, p, most, widths.max()), dtype=np.float32)
    training = TrainingRows(rows, columns, starts, lefts, within, own)

    test = in_blocks(B, max(1, BLOCK_BYTES // (8 * len(A))))
    across = np.zeros((len(test), len(A), test.shape[2]))
    kernel = np.empty(across.shape[1:])

    room = (SIZES_AT_ONCE, p * (p - 1) // 2, -(-2 * most // TOGETHER) * TOGETHER)
    machines = Machines(
        np.empty(room, dtype=np.uint32),
        np.empty(room),
        np.empty(room[:2], dtype=np.intp),
        np.empty(room[:2]),
    )
    votes = np.zeros((len(test), len(sizes), p, test.shape[2]))
    steps, gammas = np.concatenate([[0], sizes]), kernel_gammas(A, sizes, gamma)
    for s in range(0, len(sizes), SIZES_AT_ONCE):
        now, new = slice(s, s + SIZES_AT_ONCE), steps[s : s + SIZES_AT_ONCE + 1]
        train(training, new, gammas[now], C, machines)
        for t in range(len(test)):
            block = TestRows(rows, test[t], across[t], kernel)
            vote(block, new, gammas[now], machines, votes[t, now])
    return np.hstack(votes.argmax(axis=2))[:, : len(B)]


def in_blocks(B: Floats, most: int) -> Floats:
    """Rows of B as block × feature × row, with about ``most`` rows each; the rest is padding."""
    n_blocks = -(-len(B) // most)
    width = padded(-(-len(B) // n_blocks))
    n_blocks = -(-len(B) // width)
    blocks = np.zeros((n_blocks, B.shape[1], width))
    for t, block in enumerate(blocks):
        some = B[t * width : (t + 1) * width]
        block[:, : len(some)] = some.T
    return blocks


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
def train(
    training: TrainingRows, steps: Array, gammas: Array, C: float, machines: Machines
) -> None:
    """Train the machine of every pair of classes, at some sizes one after the other.

    The distances are those with the first ``steps[0]`` features; they grow to ``steps[1]``,
    ``steps[2]``, …
    """
    rows, columns, starts, lefts, within, own = training
    p, most = len(starts) - 1, (starts[1:] - starts[:-1]).max()
    at = 0
    for q in range(p):
        D, at = matrix(within, at, starts[q + 1] - starts[q], lefts[q + 1] - lefts[q])
        for s in range(len(gammas)):
            grow(D, rows, columns, steps[s], steps[s + 1], starts[q], lefts[q])
            for i in range(len(D)):
                gaussian(D[i], gammas[s], own[s, q, i])

    room, alpha, m = scratch(most), np.empty(2 * most), 0
    for a in range(p):
        for b in range(a + 1, p):
            n_a, n_b = starts[a + 1] - starts[a], starts[b + 1] - starts[b]
            D, at = matrix(within, at, n_a, lefts[b + 1] - lefts[b])
            for s in range(len(gammas)):
                grow(D, rows, columns, steps[s], steps[s + 1], starts[a], lefts[b])
                pair = (a, b, n_a, n_b)
                machines.offsets[s, m] = solve(D, own[s], pair, gammas[s], C, room, alpha)
                n = 0
                for i in range(n_a):
                    machines.support[s, m, n] = starts[a] + i
                    machines.weights[s, m, n] = alpha[i]
                    n += alpha[i] > 0
                for i in range(n_b):
                    machines.support[s, m, n] = starts[b] + i
                    machines.weights[s, m, n] = -alpha[n_a + i]
                    n += alpha[n_a + i] > 0
                machines.counts[s, m] = n
                while n % TOGETHER:
                    machines.support[s, m, n], machines.weights[s, m, n] = 0, 0.0
                    n += 1
            m += 1


@_jit
def vote(block: TestRows, steps: Array, gammas: Array, machines: Machines, votes: Array) -> None:
    """Let the machines vote on every row of a block of test rows, at some sizes.

    The distances are those with the first ``steps[0]`` features, and grow as in :func:`train`.
    """
    rows, test, across, kernel = block
    decision = np.empty(across.shape[1])
    by_four = (*machines.counts.shape, machines.support.shape[2] // TOGETHER, TOGETHER)
    support, weights = machines.support.reshape(by_four), machines.weights.reshape(by_four)
    for s in range(len(gammas)):
        grow(across, rows, test, steps[s], steps[s + 1], 0, 0)
        gaussian(across.ravel(), gammas[s], kernel.ravel())
        m = 0
        for a in range(votes.shape[1]):
            for b in range(a + 1, votes.shape[1]):
                decision[:] = 0
                for g in range((machines.counts[s, m] + TOGETHER - 1) // TOGETHER):
                    add_four(decision, kernel, support, weights, s, m, g)
                offset = machines.offsets[s, m]
                for t in range(len(decision)):
                    votes[s, a, t] += 1.0 if decision[t] > offset else 0.0
                    votes[s, b, t] += 0.0 if decision[t] > offset else 1.0
                m += 1


@compiled(error_model="numpy", inline="always")
def matrix(flat: Array, at: int, height: int, width: int) -> tuple[Array, int]:
    """Part of a flat array as a matrix, and where the next one begins."""
    end = at + height * width
    return flat[at:end].reshape(height, width), end


@compiled(error_model="numpy", inline="always")
def add_four(
    total: Array, X: Array, support: Array, weights: Array, s: int, m: int, g: int
) -> None:
    """Add a group of four weighted rows of X to the total, one after the other as LIBSVM does."""
    i, j, k, o = support[s, m, g, 0], support[s, m, g, 1], support[s, m, g, 2], support[s, m, g, 3]
    c, d, e, f = weights[s, m, g, 0], weights[s, m, g, 1], weights[s, m, g, 2], weights[s, m, g, 3]
    for t in range(len(total)):
        total[t] = total[t] + c * X[i, t] + d * X[j, t] + e * X[k, t] + f * X[o, t]
