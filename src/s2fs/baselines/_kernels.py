"""Compiled loops over pairs of instances, for the fuzzy-relation baselines.

Import this module inside functions only: it loads numba. Data come as ``columns``, one contiguous
row per feature, so that the loops over instances run along memory. Nothing here allocates more
than a row of instances, and every sum is taken in a fixed order.
"""

import math
from typing import Any

from numpy import empty, intp

from s2fs._engine.jit import compiled

#: Pairs summed up before the partial sum joins the total, so that long sums keep their digits.
_CHUNK = 1024


@compiled(inline="always")
def _discerned(difference: Any, width: Any, gaussian: Any) -> Any:
    """How far a feature tells two instances apart, 0 to 1."""
    scaled = abs(difference) / width
    if gaussian:
        return 1.0 - math.exp(-0.5 * scaled * scaled)
    return min(1.0, scaled)


@compiled()
def satisfaction(
    columns: Any,
    candidates: Any,
    widths: Any,
    gaussian: Any,
    left: Any,
    right: Any,
    satisfied: Any,
    largest: Any,
    out: Any,
) -> None:
    """For each candidate, Σ over pairs of S(satisfied, discerned by the candidate).

    The s-norm S is the maximum where ``largest``, else the bounded sum.
    """
    for c in range(len(candidates)):
        x = columns[candidates[c]]
        width = widths[candidates[c]]
        total = 0.0
        for start in range(0, len(left), _CHUNK):
            part = 0.0
            for p in range(start, min(start + _CHUNK, len(left))):
                mu = _discerned(x[left[p]] - x[right[p]], width, gaussian)
                part += max(satisfied[p], mu) if largest else min(1.0, satisfied[p] + mu)
            total += part
        out[c] = total


@compiled()
def satisfy(
    x: Any, width: Any, gaussian: Any, left: Any, right: Any, satisfied: Any, largest: Any
) -> None:
    """Join one feature to ``satisfied``, in place."""
    for p in range(len(left)):
        mu = _discerned(x[left[p]] - x[right[p]], width, gaussian)
        satisfied[p] = max(satisfied[p], mu) if largest else min(1.0, satisfied[p] + mu)


@compiled()
def settled_weight(
    columns: Any,
    candidates: Any,
    widths: Any,
    left: Any,
    right: Any,
    threshold: Any,
    weight: Any,
    out: Any,
) -> None:
    """For each candidate, Σ of the weights of the pairs it discerns to the threshold or beyond."""
    for c in range(len(candidates)):
        x = columns[candidates[c]]
        width = widths[candidates[c]]
        total = 0.0
        for start in range(0, len(left), _CHUNK):
            part = 0.0
            for p in range(start, min(start + _CHUNK, len(left))):
                mu = _discerned(x[left[p]] - x[right[p]], width, False)
                part += weight[p] if mu >= threshold[p] else 0.0
            total += part
        out[c] = total


@compiled()
def settled(x: Any, width: Any, left: Any, right: Any, threshold: Any, out: Any) -> None:
    """Mark the pairs that one feature discerns to the threshold or beyond."""
    for p in range(len(left)):
        out[p] = _discerned(x[left[p]] - x[right[p]], width, False) >= threshold[p]


@compiled()
def nearest_others(
    columns: Any,
    candidates: Any,
    similarities: Any,
    who: Any,
    bounds: Any,
    radius: Any,
    nearest: Any,
    reach: Any,
) -> None:
    """Largest similarities to the other classes, in the relation joined by each candidate.

    ``similarities[i]`` are those of instance i to the instances ``who[i]``, class by class (class q
    from ``bounds[q]`` to ``bounds[q + 1] - 1``) and the largest first in each class. The instances
    are in class order. ``nearest[c, i]`` is the largest similarity of i to any other class, and
    ``reach[c, q]``, which starts at 0, the sum of those of the instances outside q to class q.
    """
    for own in range(len(bounds) - 1):
        for i in range(bounds[own], bounds[own + 1]):
            for c in range(len(candidates)):
                x = columns[candidates[c]]
                nearest[c, i] = 0.0
                for q in range(len(bounds) - 1):
                    top = 0.0
                    for p in range(bounds[q], bounds[q + 1]):
                        # A candidate can only lower a similarity, and all that follow are smaller.
                        if q == own or similarities[i, p] <= top:
                            break
                        distance = abs(x[i] - x[who[i, p]])
                        if distance <= radius:
                            top = max(top, min(similarities[i, p], 1.0 - distance))
                    nearest[c, i] = max(nearest[c, i], top)
                    reach[c, q] += top


@compiled()
def two_nearest(
    columns: Any,
    candidates: Any,
    similarities: Any,
    who: Any,
    bounds: Any,
    radius: Any,
    first: Any,
    second: Any,
    where: Any,
) -> None:
    """Largest similarity of each instance to any class, to any other than that, and which it is.

    Arguments as for :func:`nearest_others`; the results have shape (candidates, instances).
    """
    for i in range(len(similarities)):
        for c in range(len(candidates)):
            x = columns[candidates[c]]
            nearest = runner_up = 0.0
            place = 0
            for q in range(len(bounds) - 1):
                # What is not above the second largest so far need not be known.
                top = runner_up
                for p in range(bounds[q], bounds[q + 1]):
                    if similarities[i, p] <= top:
                        break
                    distance = abs(x[i] - x[who[i, p]])
                    if distance <= radius:
                        top = max(top, min(similarities[i, p], 1.0 - distance))
                if top > nearest:
                    runner_up = nearest
                    nearest = top
                    place = q
                else:
                    runner_up = top
            first[c, i] = nearest
            second[c, i] = runner_up
            where[c, i] = place


@compiled()
def intersect(columns: Any, features: Any, relation: Any, radius: Any) -> None:
    """Join features to the relation by the minimum, in place."""
    for i in range(len(relation)):
        row = relation[i]
        for f in features:
            x = columns[f]
            for j in range(len(row)):
                distance = abs(x[i] - x[j])
                similarity = 1.0 - distance if distance <= radius else 0.0
                row[j] = min(row[j], similarity)


@compiled()
def approximation_sizes(
    columns: Any,
    candidates: Any,
    relation: Any,
    decision: Any,
    radius: Any,
    lower: Any,
    upper: Any,
) -> None:
    """Σ over instances of the lower and upper approximations of each fuzzy decision class.

    ``decision[q, j]`` is the membership of instance j in class q; ``lower`` and ``upper`` have
    shape (candidates, classes) and start at 0.
    """
    n = len(relation)
    near = empty(n)
    who = empty(n, intp)
    for i in range(n):
        row = relation[i]
        for c in range(len(candidates)):
            x = columns[candidates[c]]
            # An instance of similarity 0 leaves both approximations as they are.
            count = 0
            for j in range(n):
                distance = abs(x[i] - x[j])
                if distance <= radius and row[j] > 0.0:
                    near[count] = min(row[j], 1.0 - distance)
                    who[count] = j
                    count += 1
            for q in range(decision.shape[0]):
                low = 1.0
                up = 0.0
                for t in range(count):
                    membership = decision[q, who[t]]
                    low = min(low, max(1.0 - near[t], membership))
                    up = max(up, min(near[t], membership))
                lower[c, q] += low
                upper[c, q] += up
