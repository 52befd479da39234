"""The loops of the baselines in plain NumPy, for tests of those that numba compiles.

They take the sums in the same order, so that both give the same digits (where no exponential or
power is taken, in which libraries differ by a last bit).
"""

from itertools import pairwise

import numpy as np

#: How sums over pairs are cut.
_CHUNK, _LANES = 1024, 8


def compute_discernibility(of, feature):
    """How well a feature tells each pair of samples apart, 0 to 1."""
    x = of.columns[feature]
    scaled = np.abs(x[of.left] - x[of.right]) / of.widths[feature]
    if of.gaussian:
        return np.asarray(1.0 - np.exp(-0.5 * scaled * scaled))
    return np.minimum(1.0, scaled)


def join_degrees(satisfied, discerned, largest):
    """The s-norm of two degrees: their maximum, or their bounded sum."""
    if largest:
        return np.maximum(satisfied, discerned)
    return np.minimum(1.0, satisfied + discerned)


def compute_satisfaction(of, candidates, satisfied, largest):
    sums = np.empty(len(candidates))
    for i, candidate in enumerate(candidates):
        degrees = compute_discernibility(of, candidate)
        sums[i] = sum_over_pairs(join_degrees(satisfied, degrees, largest))
    return sums


def find_settled_pairs(of, feature, threshold):
    return compute_discernibility(of, feature) >= threshold


def sum_settled_weights(of, candidates, threshold, weight):
    sums = np.empty(len(candidates))
    for i, candidate in enumerate(candidates):
        is_settled = find_settled_pairs(of, candidate, threshold)
        sums[i] = sum_over_pairs(np.where(is_settled, weight, 0.0))
    return sums


def sum_over_pairs(terms):
    """Sum in chunks, and in each chunk lane by lane, then half the lanes to the other half."""
    n_chunks = -(-len(terms) // _CHUNK)
    padded = np.zeros((n_chunks, _CHUNK // _LANES, _LANES))
    padded.ravel()[: len(terms)] = terms
    lanes = padded.sum(axis=1)  # not along the memory, hence one by one
    while lanes.shape[1] > 1:
        half = lanes.shape[1] // 2
        lanes = lanes[:, :half] + lanes[:, half:]
    return sum_in_order(lanes[:, 0])


def sum_in_order(terms):
    """Sum one by one from the first."""
    return float(np.add.accumulate(terms)[-1]) if len(terms) else 0.0


def find_similarities_to_classes(of, candidate):
    """The largest similarity of each sample to each class, with a candidate added."""
    x = of.columns[candidate]
    distance = np.abs(x[:, None] - x[of.who])
    joined = np.where(distance <= of.radius, np.minimum(of.similarities, 1.0 - distance), 0.0)
    # For reduceat, a class that no sample has would look like the next one.
    to_class = np.zeros((len(x), len(of.bounds) - 1))
    for q, (start, stop) in enumerate(pairwise(of.bounds)):
        to_class[:, q] = joined[:, start:stop].max(axis=1, initial=0.0)
    return to_class


def find_nearest_others(of, candidates):
    n, p = len(of.similarities), len(of.bounds) - 1
    own = np.repeat(np.arange(p), np.diff(of.bounds))
    nearest, reach = np.empty((len(candidates), n)), np.empty((len(candidates), p))
    for c, candidate in enumerate(candidates):
        to_class = find_similarities_to_classes(of, candidate)
        to_class[np.arange(n), own] = 0.0
        nearest[c] = to_class.max(axis=1)
        reach[c] = np.add.accumulate(to_class, axis=0)[-1]
    return nearest, reach


def find_two_nearest(of, candidates):
    shape = len(candidates), len(of.similarities)
    first, second, where = np.empty(shape), np.zeros(shape), np.empty(shape, dtype=np.intp)
    rows = np.arange(shape[1])
    for c, candidate in enumerate(candidates):
        to_class = find_similarities_to_classes(of, candidate)
        where[c] = to_class.argmax(axis=1)
        first[c] = to_class[rows, where[c]]
        to_class[rows, where[c]] = 0.0
        second[c] = to_class.max(axis=1)
    return first, second, where


def intersect(columns, features, relation, radius):
    for x in columns[features]:
        distance = np.abs(x[:, None] - x)
        np.minimum(relation, np.where(distance <= radius, 1.0 - distance, 0.0), out=relation)


def compute_approximation_sizes(columns, candidates, relation, decision, radius):
    lower = np.empty((len(candidates), len(decision)))
    upper = np.empty_like(lower)
    for c, candidate in enumerate(candidates):
        joined = relation.copy()
        intersect(columns, np.array([candidate]), joined, radius)
        for q, membership in enumerate(decision):
            lower[c, q] = sum_in_order(np.maximum(1.0 - joined, membership).min(axis=1))
            upper[c, q] = sum_in_order(np.minimum(joined, membership).max(axis=1))
    return lower, upper


def sum_largest_differences(columns, furthest, bounds):
    own, every = np.empty(columns.shape), np.zeros(columns.shape)
    for c, x in enumerate(columns):
        largest = np.maximum(furthest, np.abs(x - x[:, None]))
        for start, stop in pairwise(bounds):
            rows, in_fours = largest[start:stop], (stop - start) // 4 * 4
            fours = rows[:in_fours].reshape(-1, 4, len(x))
            by_four = (fours[:, 0] + fours[:, 1]) + (fours[:, 2] + fours[:, 3])
            sums = np.concatenate([np.zeros((1, len(x))), by_four, rows[in_fours:]])
            to_class = np.add.accumulate(sums, axis=0)[-1]
            own[c, start:stop] = to_class[start:stop]
            every[c] += to_class
    return own, every


def add_gaussian_changes(of, columns, own, every):
    codes = np.repeat(np.arange(len(of.bounds) - 1), np.diff(of.bounds))
    is_own = codes[:, None] == codes
    for c, x in enumerate(columns):
        apart = np.abs(x[:, None] - x)
        further = np.exp(-of.scale * (apart * apart)) - of.relation
        change = np.where(apart > of.furthest, further, 0.0) * of.weights
        every[c] += change.sum(axis=1)
        own[c] += np.where(is_own, change, 0.0).sum(axis=1)


def compute_aggregation(of, columns, centres):
    out, rows = np.empty(len(columns)), np.arange(len(of.codes))
    for c, (x, centre) in enumerate(zip(columns, centres, strict=True)):
        squares = np.maximum(of.squares + (x[:, None] - centre) ** 2, of.floor)
        ratios = squares[rows, of.codes, None] / squares
        if of.power != 1.0:
            ratios **= of.power
        out[c] = sum_in_order(1.0 / np.add.accumulate(ratios, axis=1)[:, -1])
    return out
