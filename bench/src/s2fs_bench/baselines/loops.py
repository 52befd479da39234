"""The loops the baselines spend their time in, compiled by numba when they are first called.

Data come as ``columns``, one contiguous row per feature, so that loops over samples run along
memory. Every sum is taken in a fixed order: over pairs in lanes (``_sum_lanes``), elsewhere one by
one. So a ranking has the same digits on every machine.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.types import Floats, Indices
from s2fs_bench.learners.jit import Array, compiled, larger, smaller

#: Numbers that are summed side by side, whatever the width of the registers.
LANES = 8
#: Pairs that are summed up before their sum joins the total, so that long sums keep their digits.
CHUNK = 1024
#: Candidates that share one walk over an n × n table: the table is the larger, read it less.
SHARING_A_WALK = 8

_jit = compiled(error_model="numpy")


class Discernibility(NamedTuple):
    """How far features tell pairs of samples apart.

    That is ``min(1, |difference| / width)``, or ``1 − exp(−½ (difference / width)²)`` where
    gaussian. Pair p is made of the samples ``left[p]`` and ``right[p]``.
    """

    columns: Floats
    widths: Floats
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    gaussian: bool = False


class SortedRelation(NamedTuple):
    """A fuzzy relation of samples in class order, sorted for a search of the nearest.

    ``similarities[i]`` are those of sample i to the samples ``who[i]``, class by class (class q
    from ``bounds[q]`` to ``bounds[q + 1] - 1``) and the largest first in each class. A difference
    above the radius leaves no similarity.
    """

    columns: Floats
    similarities: Floats
    who: NDArray[np.int32]
    bounds: Indices
    radius: float


class Granules(NamedTuple):
    """What a set of features says of each two samples, which are in class order.

    ``furthest`` holds their largest difference, ``relation`` their similarity
    ``exp(−scale · furthest²)``, both n × n. Class q takes the places ``bounds[q]`` to
    ``bounds[q + 1] - 1``.
    """

    furthest: Floats
    relation: Floats
    bounds: Indices
    weights: Floats
    scale: float


class Centres(NamedTuple):
    """Squared distances of samples to the class centres, n × p, in the set so far.

    ``power`` is the exponent of a ratio of them; none counts as less than ``floor``.
    """

    squares: Floats
    codes: Indices
    power: float
    floor: float


@_jit
def compute_satisfaction(
    of: Discernibility, candidates: Array, satisfied: Array, largest: bool
) -> Array:
    """For each candidate, Σ over pairs of S(satisfied, discerned by the candidate).

    The s-norm S is the maximum where ``largest``, else the bounded sum.
    """
    sums, terms = np.zeros(len(candidates)), np.empty(CHUNK)
    for c in range(len(candidates)):
        for begin in range(0, len(of.left), CHUNK):
            count = min(CHUNK, len(of.left) - begin)
            _discern(of, candidates[c], begin, terms[:count])
            _join(satisfied[begin : begin + count], terms, largest, terms)
            sums[c] += _sum_lanes(terms, count)
    return sums


@_jit
def satisfy(of: Discernibility, feature: int, satisfied: Array, largest: bool) -> None:
    """Join one feature to ``satisfied``, in place."""
    terms = np.empty(CHUNK)
    for begin in range(0, len(of.left), CHUNK):
        part = satisfied[begin : begin + CHUNK]
        _discern(of, feature, begin, terms[: len(part)])
        _join(part, terms, largest, part)


@_jit
def sum_settled_weights(
    of: Discernibility, candidates: Array, threshold: Array, weight: Array
) -> Array:
    """For each candidate, Σ of the weights of the pairs it discerns to the threshold or beyond."""
    sums, terms = np.zeros(len(candidates)), np.empty(CHUNK)
    for c in range(len(candidates)):
        for begin in range(0, len(of.left), CHUNK):
            count = min(CHUNK, len(of.left) - begin)
            _discern(of, candidates[c], begin, terms[:count])
            least, counted = threshold[begin : begin + count], weight[begin : begin + count]
            for p in range(count):
                terms[p] = counted[p] if terms[p] >= least[p] else 0.0
            sums[c] += _sum_lanes(terms, count)
    return sums


@_jit
def find_settled_pairs(of: Discernibility, feature: int, threshold: Array) -> Array:
    """Mask of the pairs that one feature discerns to the threshold or beyond."""
    discerned = np.empty(len(threshold))
    _discern(of, feature, 0, discerned)
    return discerned >= threshold


@_jit
def _discern(of: Discernibility, feature: int, begin: int, out: Array) -> None:
    """How well a feature tells apart the pairs from ``begin`` on, as many as ``out`` takes."""
    x, width = of.columns[feature], of.widths[feature]
    left, right = of.left[begin : begin + len(out)], of.right[begin : begin + len(out)]
    for p in range(len(out)):
        out[p] = abs(x[left[p]] - x[right[p]]) / width
    if of.gaussian:
        for p in range(len(out)):
            out[p] = 1.0 - math.exp(-0.5 * out[p] * out[p])
    else:
        for p in range(len(out)):
            out[p] = smaller(1.0, out[p])


@_jit
def _join(satisfied: Array, discerned: Array, largest: bool, out: Array) -> None:
    """The s-norm of two degrees: their maximum, or their bounded sum."""
    if largest:
        for p in range(len(satisfied)):
            out[p] = larger(satisfied[p], discerned[p])
    else:
        for p in range(len(satisfied)):
            out[p] = smaller(1.0, satisfied[p] + discerned[p])


@_jit
def _sum_lanes(terms: Array, count: int) -> float:
    """Sum lane by lane, then half the lanes to the other half; ends the last row with zeros."""
    while count % LANES:
        terms[count] = 0.0
        count += 1
    lanes = np.zeros(LANES)
    for p in range(0, count, LANES):
        for lane in range(LANES):
            lanes[lane] += terms[p + lane]
    half = LANES // 2
    while half:
        for lane in range(half):
            lanes[lane] += lanes[lane + half]
        half //= 2
    return lanes[0]


@_jit
def find_nearest_others(of: SortedRelation, candidates: Array) -> tuple[Array, Array]:
    """Largest similarities to the other classes, in the relation joined by each candidate.

    For each candidate: of each sample to any other class, 0 where none is similar; and of each
    class the sum over the samples outside it of their largest similarity to it.
    """
    n, n_classes = len(of.similarities), len(of.bounds) - 1
    nearest, reach = np.empty((len(candidates), n)), np.zeros((len(candidates), n_classes))
    columns, bounds, radius = of.columns, of.bounds, of.radius
    for own in range(n_classes):
        for i in range(bounds[own], bounds[own + 1]):
            similarity, other = of.similarities[i], of.who[i]
            for c in range(len(candidates)):
                x, most = columns[candidates[c]], 0.0
                for q in range(n_classes):
                    if q != own:
                        places = bounds[q], bounds[q + 1]
                        top = _find_nearest(x, i, similarity, other, places, radius, 0.0)
                        most = larger(most, top)
                        reach[c, q] += top
                nearest[c, i] = most
    return nearest, reach


@_jit
def find_two_nearest(of: SortedRelation, candidates: Array) -> tuple[Array, Array, Array]:
    """Largest similarity of each sample to any class, to any other than that, and which it is.

    For each candidate and sample; 0 where no class has a similar sample, or only one. Where
    both are equal, either class may be named.
    """
    n, n_classes = len(of.similarities), len(of.bounds) - 1
    nearest, second = np.empty((len(candidates), n)), np.empty((len(candidates), n))
    where = np.empty((len(candidates), n), np.intp)
    columns, bounds, radius = of.columns, of.bounds, of.radius
    for i in range(n):
        similarity, other = of.similarities[i], of.who[i]
        for c in range(len(candidates)):
            x = columns[candidates[c]]
            most, runner_up, place = 0.0, 0.0, 0
            for q in range(n_classes):
                # What is not above the second largest so far need not be known.
                places = bounds[q], bounds[q + 1]
                top = _find_nearest(x, i, similarity, other, places, radius, runner_up)
                if top > most:
                    most, runner_up, place = top, most, q
                else:
                    runner_up = top
            nearest[c, i], second[c, i], where[c, i] = most, runner_up, place
    return nearest, second, where


@_jit
def _find_nearest(
    x: Array,
    i: int,
    similarity: Array,
    other: Array,
    places: tuple[int, int],
    radius: float,
    floor: float,
) -> float:
    """The largest similarity of sample i in a class joined by the feature x, or the floor."""
    top, (p, stop) = floor, places
    # A feature can only lower a similarity, and all that follow are smaller.
    while p < stop and similarity[p] > top:  # a range costs numba seven times as much here
        distance = abs(x[i] - x[other[p]])
        if distance <= radius:
            top = larger(top, smaller(similarity[p], 1.0 - distance))
        p += 1
    return top


@_jit
def intersect(columns: Array, features: Array, relation: Array, radius: float) -> None:
    """Join features to the relation by the minimum, in place."""
    for feature in features:
        x = columns[feature]
        for i in range(len(relation)):
            row = relation[i]
            for j in range(len(row)):
                distance = abs(x[i] - x[j])
                row[j] = smaller(row[j], 1.0 - distance if distance <= radius else 0.0)


@_jit
def compute_approximation_sizes(
    columns: Array, candidates: Array, relation: Array, decision: Array, radius: float
) -> tuple[Array, Array]:
    """Σ over samples of the lower and upper approximations of each fuzzy decision class.

    ``decision[q, j]`` is the membership of sample j in class q. The results have shape
    (n_candidates, n_classes).
    """
    n_classes, n = decision.shape
    lower, upper = np.zeros((len(candidates), n_classes)), np.zeros((len(candidates), n_classes))
    for i in range(n):
        # A sample of similarity 0 leaves both approximations as they are: those that the relation
        # already holds apart are left out once for all candidates.
        who = np.flatnonzero(relation[i] > 0.0)
        similarities, memberships = relation[i][who], np.empty((n_classes, len(who)))
        for q in range(n_classes):
            memberships[q] = decision[q][who]
        near = np.empty(len(who))
        for c in range(len(candidates)):
            x = columns[candidates[c]]
            _find_similarities(x, x[i], who, similarities, radius, near)
            for q in range(n_classes):
                low, up = _approximate(near, memberships[q])
                lower[c, q] += low
                upper[c, q] += up
    return lower, upper


@_jit
def _find_similarities(
    x: Array, value: float, who: Array, similarities: Array, radius: float, out: Array
) -> None:
    """The similarities of samples to one with this value, joined by the feature x."""
    for t in range(len(who)):
        out[t] = abs(value - x[who[t]])
    for t in range(len(who)):
        joined = smaller(similarities[t], 1.0 - out[t])
        out[t] = joined if out[t] <= radius else 0.0


@_jit
def _approximate(near: Array, membership: Array) -> tuple[float, float]:
    """The lower and the upper approximation of a class at one sample."""
    low, up = 1.0, 0.0
    for t in range(len(near)):
        low = smaller(low, larger(1.0 - near[t], membership[t]))
        up = larger(up, smaller(near[t], membership[t]))
    return low, up


@_jit
def sum_largest_differences(columns: Array, furthest: Array, bounds: Array) -> tuple[Array, Array]:
    """Sums of the largest differences of each sample to its own class, and to all samples.

    The samples are in class order, class q from ``bounds[q]`` to ``bounds[q + 1] - 1``, and
    ``furthest`` holds the largest difference of each two in the set so far. The rows of
    ``columns`` are the candidates, and both results have their shape.
    """
    n = len(furthest)
    own, every = np.empty(columns.shape), np.zeros(columns.shape)
    sums = np.empty((SHARING_A_WALK, n))
    for first in range(0, len(columns), SHARING_A_WALK):
        some = columns[first : first + SHARING_A_WALK]
        for q in range(len(bounds) - 1):
            start, stop = bounds[q], bounds[q + 1]
            fours = start + (stop - start) // 4 * 4
            sums[:] = 0.0
            # Down the table, so that neighbouring samples fill the lanes of a vector, and four rows
            # at a time, because the traffic to memory is what costs.
            for i in range(start, fours, 4):
                row0, row1, row2, row3 = (
                    furthest[i],
                    furthest[i + 1],
                    furthest[i + 2],
                    furthest[i + 3],
                )
                for c in range(len(some)):
                    x, total = some[c], sums[c]
                    x0, x1, x2, x3 = x[i], x[i + 1], x[i + 2], x[i + 3]
                    for j in range(n):
                        total[j] += (
                            larger(row0[j], abs(x[j] - x0)) + larger(row1[j], abs(x[j] - x1))
                        ) + (larger(row2[j], abs(x[j] - x2)) + larger(row3[j], abs(x[j] - x3)))
            for i in range(fours, stop):
                for c in range(len(some)):
                    x, total = some[c], sums[c]
                    for j in range(n):
                        total[j] += larger(furthest[i, j], abs(x[j] - x[i]))
            for c in range(len(some)):
                own[first + c, start:stop] = sums[c, start:stop]
                every[first + c] += sums[c]
    return own, every


@_jit
def add_gaussian_changes(of: Granules, columns: Array, own: Array, every: Array) -> None:
    """Change the granule sizes of a set to those of the set with each candidate added.

    ``own`` counts inside the class and ``every`` altogether; their rows and those of ``columns``
    are the candidates.
    """
    n = len(of.furthest)
    changed = np.empty(n + 1, np.intp)  # one more: the place after the last is written as well
    for first in range(0, len(columns), SHARING_A_WALK):
        for q in range(len(of.bounds) - 1):
            for i in range(of.bounds[q], of.bounds[q + 1]):
                for c in range(first, min(first + SHARING_A_WALK, len(columns))):
                    x, far = columns[c], of.furthest[i]
                    # Only pairs that the candidate puts further apart need an exponential. They are
                    # first collected without a branch, which no processor could predict.
                    count = 0
                    for j in range(i + 1, n):
                        changed[count] = j
                        count += abs(x[j] - x[i]) > far[j]
                    for j in changed[:count]:
                        apart = x[j] - x[i]
                        change = math.exp(-of.scale * (apart * apart)) - of.relation[i, j]
                        every[c, i] += change * of.weights[j]
                        every[c, j] += change * of.weights[i]
                        if j < of.bounds[q + 1]:
                            own[c, i] += change * of.weights[j]
                            own[c, j] += change * of.weights[i]


@_jit
def compute_aggregation(of: Centres, columns: Array, centres: Array) -> Array:
    """Sum, per candidate, the memberships of the samples in their own class.

    The rows of ``columns`` and ``centres`` are the candidates.
    """
    sums, n_classes = np.zeros(len(columns)), of.squares.shape[1]
    squares, codes, power, floor = of.squares, of.codes, of.power, of.floor
    for c in range(len(columns)):
        x, centre = columns[c], centres[c]
        for i in range(len(codes)):
            apart = x[i] - centre[codes[i]]
            own = larger(squares[i, codes[i]] + apart * apart, floor)
            ratios = 0.0
            for q in range(n_classes):
                apart = x[i] - centre[q]
                ratio = own / larger(squares[i, q] + apart * apart, floor)
                ratios += ratio if power == 1.0 else ratio**power
            sums[c] += 1.0 / ratios
    return sums
