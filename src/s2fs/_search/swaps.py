"""Which features could take the place of a selected one."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from s2fs._engine.protocol import Criterion
from s2fs._search.choices import Choices
from s2fs._search.forward import best_first, eligible
from s2fs._util.types import Floats, Indices

#: At most that many are named for a feature, the best ones.
N_STAND_INS = 20


class Swap(NamedTuple):
    """The features that could take the place of one, the best first, and the scores with them."""

    features: Indices
    scores: Floats


def swaps(empty: Criterion, chosen: list[int], choices: Choices, loss: float) -> dict[int, Swap]:
    """For each chosen feature those that keep the score up to a share ``loss`` in its place.

    Parameters
    ----------
    empty : Criterion
        That of the empty subset.
    chosen : list of int
        The selected features.
    choices : Choices
        What may be chosen one by one; features of groups have no stand-ins.
    loss : float
        The share of the score that may be lost.
    """
    in_groups = {f for group in choices.groups for f in group}
    found = {}
    for feature, rest in _leave_one_out(empty, chosen):
        others = [(f,) for f in chosen if f != feature]
        left = choices.minus(others).without([(feature,)]).fitting(1)
        singles = eligible(rest.distinct, left).singles if len(left.singles) else left.singles
        if feature in in_groups or not len(singles):
            found[feature] = Swap(np.arange(0), np.zeros(0))
            continue
        shortlist = rest.shortlist(singles, min(N_STAND_INS, len(singles)))
        scores = rest.score(shortlist).scores
        order = np.array(best_first(scores, N_STAND_INS))
        least = rest.score(np.array([feature])).scores[0] * (1 - loss)
        order = order[scores[order] >= least]
        found[feature] = Swap(shortlist[order], scores[order])
    return found


def _leave_one_out(
    criterion: Criterion, features: Sequence[int]
) -> Iterator[tuple[int, Criterion]]:
    """For each feature the criterion joined by all the others, in O(k log k) additions."""
    if len(features) == 1:
        yield features[0], criterion
        return
    half = len(features) // 2
    for inside, outside in ((features[half:], features[:half]), (features[:half], features[half:])):
        joined = criterion.copy()
        for feature in inside:
            joined.add(feature)
        yield from _leave_one_out(joined, outside)
