"""The compiled loop of a step: from all candidates to the few that may be the best.

What it relies on is told in ``_compiled.py``. A signature is given, so that all is compiled, and
stored on disk, when the module is imported. Results are written into arrays of the caller: to hand
back an array, the interpreter is asked for its type, and a Ctrl-C at that moment is an error.
"""

import numpy as np
from numba import boolean, float32, float64, int32, int64
from numba.types import Tuple

from s2fs._core.criterion import EQUAL
from s2fs._engine.bound_kernels import least_compactness, most_separable, separability_between
from s2fs._engine.centroid_kernels import most_separation, separation
from s2fs._engine.jit import compiled
from s2fs._engine.kernels import compactness


@compiled(error_model="numpy")
def _taken(values, where):  # type: ignore[no-untyped-def]
    """Some of the values; plain loops are compiled far sooner than NumPy's own functions."""
    some = np.empty(len(where), np.int64)
    for i in range(len(where)):
        some[i] = values[where[i]]
    return some


@compiled(error_model="numpy")
def _holds(mask):  # type: ignore[no-untyped-def]
    """Where a mask holds."""
    where, n = np.empty(len(mask), np.int64), 0
    for j in range(len(mask)):
        if mask[j]:
            where[n] = j
            n += 1
    return where[:n]


@compiled(error_model="numpy")
def _reaching(most, reached):  # type: ignore[no-untyped-def]
    """Where Sep may be as large as what is reached, for some pair of weights."""
    open_ = np.zeros(most.shape[1], np.bool_)
    for pair in range(len(most)):
        for j in range(len(open_)):
            open_[j] |= most[pair, j] >= reached[pair]
    return _holds(open_)


@compiled(error_model="numpy")
def _nth_largest(values, n):  # type: ignore[no-untyped-def]
    """The n-th largest value; n is small."""
    largest = np.full(n, -np.inf)  # so far, the largest first
    for value in values:
        for i in range(n):
            if value > largest[i]:
                value, largest[i] = largest[i], value
    return largest[n - 1]


@compiled(error_model="numpy")
def _judge(these, columns, subset, precision, classes, weights, unit, n, judged, low, high):  # type: ignore[no-untyped-def]
    """Judge some candidates, and write the results behind the first ``n``; returns how many."""
    A, where, C = columns
    D, P, own, weight = subset
    roundoff, zero, kappa, group = precision
    centroids, candidates, on_centroid, G, printed = classes
    thetas, lambdas = np.zeros((3, len(these))), np.empty((2, len(these)))
    some = _taken(candidates, these)
    compactness(A, _taken(where, these), C, None, D, P, own, weight, zero, kappa, group, thetas)
    separation(centroids, some, on_centroid, G, printed, lambdas)
    size = (len(weights), len(these))
    smallest, largest = np.empty(size), np.empty(size)
    for i in range(len(these)):
        thetas[0, i] *= unit
        lambdas[0, i] *= unit
    separability_between(thetas, lambdas, roundoff, G.shape[0], weights, smallest, largest)
    for i in range(len(these)):
        judged[n + i] = some[i]
        for pair in range(len(weights)):
            low[pair, n + i], high[pair, n + i] = smallest[pair, i], largest[pair, i]
    return n + len(these)


_NUMBERS, _STATE = float64[:, ::1], float64[:, :, ::1]


@compiled(
    int64(
        Tuple((float32[:, ::1], int64[::1], float32[:, ::1])),
        Tuple((_STATE, _STATE, int32[:, ::1], float32[:, ::1])),
        Tuple((float64, float32, float32, int64)),
        Tuple((_NUMBERS, int64[::1], float64[::1], _NUMBERS, boolean)),
        Tuple((float32[::1], float32[::1], float32[:, ::1], float64[::1])),
        _NUMBERS, float64, int64, int64, int64, float64[::1], int64[::1], _NUMBERS, _NUMBERS,
    ),
    error_model="numpy",
)  # fmt: skip
def contenders(  # type: ignore[no-untyped-def]
    columns, subset, precision, classes, tangent, weights, unit, width, n_first, n_best, reached,
    judged, low, high,
):  # fmt: skip
    """Judge the candidates that may be among the best ones.

    Parameters
    ----------
    columns : (A, where, C)
        The candidates, as for :func:`compactness`.
    subset : (D, P, own, weight)
        The state and the instances, as for :func:`compactness`.
    precision : (roundoff, zero, kappa, group)
        How Θ is rounded, as for :func:`separability_between` and :func:`compactness`.
    classes : (C, where, on_centroid, G, printed)
        The candidates and the state, as for :func:`separation`.
    tangent : (near, curvature, slopes, room)
        What bounds Θ from below, as for :func:`least_compactness`.
    weights : (pairs, 2)
        Pairs (alpha, beta).
    unit : float
        Distances are multiplied by this.
    width : int
        Most candidates that :func:`most_separation` takes at once.
    n_first : int
        So many of the most promising candidates are judged first, ``n_best`` or more.
    n_best : int
        So many best candidates are wanted for each pair.
    reached : (pairs,)
        Sep that so many candidates are known to reach; raised to what those here do.
    judged : (candidates,)
        Where those that were judged are written: all that may be among the best ones of some
        pair, and some more.
    low, high : (pairs, candidates)
        Where the smallest and the largest Sep that they may have are written.

    Returns
    -------
    int
        How many were judged.
    """
    A, where, C = columns
    weight = subset[3].reshape(-1)
    centroids, candidates, on_centroid, G, printed = classes
    near, curvature, slopes, room = tangent
    m, n_pairs = len(where), len(weights)
    thetas, lambdas, most = np.empty((2, m)), np.empty((2, m)), np.empty((n_pairs, m))
    tops = np.empty((n_pairs, min(n_first, m)), np.int64)
    least_compactness(A, where, C, near, curvature, weight, slopes, room, thetas)
    at_once = min(width, m)
    most_separation(centroids, candidates, on_centroid, G, printed, unit, True, at_once, lambdas)
    most_separable(thetas, lambdas, weights, most, tops)
    # Which ones are judged first matters to the time only, not to the outcome.
    is_first = np.zeros(m, np.bool_)
    for pair in range(n_pairs):
        for i in range(tops.shape[1]):
            is_first[tops[pair, i]] = True
    first = _holds(is_first)
    n = _judge(first, columns, subset, precision, classes, weights, unit, 0, judged, low, high)
    for pair in range(n_pairs):
        if n >= n_best:
            level = _nth_largest(low[pair, :n], n_best) * (1 - EQUAL)
            reached[pair] = max(reached[pair], level)
        for i in range(n):
            most[pair, first[i]] = -1.0  # Sep is never negative
    rest = _reaching(most, reached)
    if len(rest) > n_first:
        few, lambdas = np.empty((2, len(rest))), np.empty((2, len(rest)))
        for i in range(len(rest)):
            few[0, i], few[1, i] = thetas[0, rest[i]], thetas[1, rest[i]]
        at_once = min(width, len(rest))
        some = _taken(candidates, rest)
        most_separation(centroids, some, on_centroid, G, printed, unit, False, at_once, lambdas)
        most = np.empty((n_pairs, len(rest)))
        most_separable(few, lambdas, weights, most, np.empty((n_pairs, 0), np.int64))
        rest = _taken(rest, _reaching(most, reached))
    return _judge(rest, columns, subset, precision, classes, weights, unit, n, judged, low, high)
