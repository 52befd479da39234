"""Which features could take the place of a selected one."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from s2fs._utils.types import Floats, Indices
from s2fs.criteria.protocol import Criterion
from s2fs.search.constraints import Constraints
from s2fs.search.forward import eligible, order_by_score

#: At most that many substitutes of a feature are named, the best ones.
MAX_SUBSTITUTES = 20


class Substitutes(NamedTuple):
    """The features that could take the place of one, the best first.

    Attributes
    ----------
    features : ndarray of shape (n_substitutes,)
        The substitutes.
    scores : ndarray of shape (n_substitutes,)
        The criterion with each of them.
    correlations : ndarray of shape (n_substitutes,)
        How each correlates with the feature whose place it takes.
    """

    features: Indices
    scores: Floats
    correlations: Floats


def find_substitutes(
    criterion: Criterion,
    selected: list[int],
    constraints: Constraints,
    correlations: Callable[[int], Floats],
    tolerance: float,
) -> list[Substitutes]:
    """For each selected feature those that keep the score up to ``tolerance`` in its place.

    Parameters
    ----------
    criterion : Criterion
        That of the empty subset.
    selected : list of int
        The selected features.
    constraints : Constraints
        What may be selected one by one; features of groups have no substitutes.
    correlations : callable
        Gives the correlations of a feature with every feature.
    tolerance : float
        The share of the score that may be lost.
    """
    if not selected:
        return []
    groups = (*constraints.groups, *constraints.included)
    in_groups = {f for group in groups if len(group) > 1 for f in group}
    substitutes = {}
    for feature, others in _leave_one_out(criterion, selected):
        rest = [(f,) for f in selected if f != feature]
        left = constraints.after_adding(rest).without([(feature,)]).that_fit(1)
        candidates = left.singles
        if len(candidates):
            candidates = eligible(others.distinct, left).singles
        if feature in in_groups or not len(candidates):
            substitutes[feature] = Substitutes(np.arange(0), np.zeros(0), np.zeros(0))
            continue
        shortlist = others.shortlist(candidates, min(MAX_SUBSTITUTES, len(candidates)))
        scores = others.score(shortlist).scores
        order = np.array(order_by_score(scores, MAX_SUBSTITUTES))
        lowest = others.score(np.array([feature])).scores[0] * (1 - tolerance)
        order = order[scores[order] >= lowest]
        features = shortlist[order]
        r = correlations(feature)[features]
        substitutes[feature] = Substitutes(features, scores[order], r)
    return [substitutes[feature] for feature in selected]


def _leave_one_out(
    criterion: Criterion, features: Sequence[int]
) -> Iterator[tuple[int, Criterion]]:
    """For each feature the criterion of all the others, in O(k log k) additions."""
    if len(features) == 1:
        yield features[0], criterion
        return
    half = len(features) // 2
    for inside, outside in ((features[half:], features[:half]), (features[:half], features[half:])):
        joined = criterion.copy()
        for feature in inside:
            joined.add(feature)
        yield from _leave_one_out(joined, outside)
