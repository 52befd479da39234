"""The compiled loop of a step: from all candidates to the few that may be the best.

What it relies on is told in ``_compiled.py``. Signatures are given, so that all is compiled, and
stored on disk, when the module is imported.
"""

from typing import Any

import numpy as np
from numba import boolean, float32, float64, int32, int64, none
from numba.types import Tuple

from s2fs._bound_kernels import least_compactness, most_separable, separability_between
from s2fs._centroid_kernels import most_separation, separation
from s2fs._criterion import EQUAL
from s2fs._jit import compiled
from s2fs._kernels import compactness


@compiled(error_model="numpy")
def _judge(these, columns, subset, precision, classes, weights, unit):  # type: ignore[no-untyped-def]
    """Smallest and largest Sep that some candidates may have, a row for each pair of weights."""
    A, where, C, tolerance = columns
    D, P, own, weight = subset
    roundoff, zero, kappa, group = precision
    centroids, candidates, on_centroid, G, printed = classes
    thetas, lambdas = np.zeros((3, len(these))), np.empty((2, len(these)))
    compactness(A, where[these], C, tolerance, D, P, own, weight, zero, kappa, group, thetas)
    separation(centroids, candidates[these], on_centroid, G, printed, lambdas)
    thetas[0] *= unit
    lambdas[0] *= unit
    low, high = np.empty((len(weights), len(these))), np.empty((len(weights), len(these)))
    separability_between(thetas, lambdas, roundoff, G.shape[0], weights, low, high)
    return low, high


@compiled(error_model="numpy")
def _reaching(most, reached):  # type: ignore[no-untyped-def]
    """Where Sep may be as large as what is reached, for some pair of weights."""
    open_ = np.zeros(most.shape[1], np.bool_)
    for pair in range(len(most)):
        for j in range(len(open_)):
            open_[j] |= most[pair, j] >= reached[pair]
    return np.flatnonzero(open_)


def _types(real: Any, tolerance: Any) -> Any:
    numbers, table, state = float64[:, ::1], real[:, ::1], float64[:, :, ::1]
    columns = Tuple((table, int64[::1], table, tolerance))
    subset = Tuple((state, state, int32[:, ::1], table))
    precision = Tuple((float64, real, real, int64))
    classes = Tuple((numbers, int64[::1], float64[::1], numbers, boolean))
    tangent = Tuple((real[::1], real[::1], table, float64[::1]))
    options = (numbers, float64, int64, int64, int64, float64[::1])
    result = Tuple((int64[::1], numbers, numbers))
    return result(columns, subset, precision, classes, tangent, *options)


@compiled(_types(float32, none), _types(float64, float64[::1]), error_model="numpy")
def contenders(  # type: ignore[no-untyped-def]
    columns, subset, precision, classes, tangent, weights, unit, width, n_first, n_best, reached
):
    """Judge the candidates that may be among the best ones.

    Parameters
    ----------
    columns : (A, where, C, on_centroid)
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

    Returns
    -------
    candidates : (any,)
        Those that were judged: all that may be among the best ones of some pair, and some more.
    low, high : (pairs, any)
        The smallest and the largest Sep that they may have.
    """
    A, where, C, _ = columns
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
    judged = np.unique(tops)
    low, high = _judge(judged, columns, subset, precision, classes, weights, unit)
    for pair in range(n_pairs):
        if len(judged) >= n_best:
            level = np.sort(low[pair])[-n_best] * (1 - EQUAL)
            reached[pair] = max(reached[pair], level)
        for j in judged:
            most[pair, j] = -1.0  # Sep is never negative
    rest = _reaching(most, reached)
    if len(rest) > n_first:
        thetas, lambdas, most = thetas[:, rest], np.empty((2, len(rest))), most[:, rest]
        at_once = min(width, len(rest))
        most_separation(
            centroids, candidates[rest], on_centroid, G, printed, unit, False, at_once, lambdas
        )
        most_separable(thetas, lambdas, weights, most, tops[:, :0].copy())
        rest = rest[_reaching(most, reached)]
    if len(rest):
        more_low, more_high = _judge(rest, columns, subset, precision, classes, weights, unit)
        low, high = np.hstack((low, more_low)), np.hstack((high, more_high))
        judged = np.append(judged, rest)
    return candidates[judged], low, high
