"""Greedy forward search (Algorithm 1), for any criterion."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.messages import format_count
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.protocol import (
    Criterion,
    Scored,
    best_group_by_trial,
    may_be_best,
    no_number,
)
from s2fs.search.constraints import Constraints, Group


class Step(NamedTuple):
    """One step of the search: the feature, and the subset it completes.

    Attributes
    ----------
    feature : int
        The feature that joins.
    score, gain : float
        The criterion of the subset with it, and how much that is above the one before.
    parts : ndarray or tuple
        The quantities the criterion is made of.
    """

    feature: int
    score: float
    gain: float
    parts: Floats | tuple[float, ...]


def forward(
    criterion: Criterion,
    k: int,
    constraints: Constraints | None = None,
    *,
    in_batches: bool = True,
) -> Iterator[Step]:
    """Add ``k`` features one by one, each time the one with the largest gain.

    Gains may be negative; the search goes on. A feature of several columns competes as a whole, and
    then joins column by column: there is a step for each. The search ends early if nothing is left.
    With ``in_batches`` the criterion may already hold features not yet yielded.
    """
    left = constraints
    if left is None:
        left = Constraints.unconstrained(len(criterion.distinct))
    score, n_left = 0.0, k - len(left.included)
    for feature in chain.from_iterable(left.included):
        step = best_step(np.array([feature]), criterion.score(np.array([feature])), score)
        criterion.add(feature)
        score = step.score
        yield step
    run = getattr(criterion, "run", None) if in_batches else None
    while left := left.that_fit(n_left):
        if run is not None and left.only_limits_candidates:
            candidates = eligible(criterion.distinct, left).singles
            added: list[Group] = []
            for feature, new_score, parts in run(candidates, min(n_left, len(candidates))):
                added.append((feature,))
                yield Step(feature, new_score, gain_over(new_score, score), parts)
                score = new_score
            left, n_left = left.after_adding(added), n_left - len(added)
            continue
        group, scored = best_extension(criterion, left)
        left, n_left = left.after_adding([group]), n_left - 1
        for feature in group:
            if len(group) > 1:  # the score so far is that of the whole group
                scored = criterion.score(np.array([feature]))
            step = best_step(np.array([feature]), scored, score)
            criterion.add(feature)
            score = step.score
            yield step
    if left.quota is not None and n_left > 0 and left.quota.missing.any():
        raise ValueError(
            f"min_per_class leaves {format_count(int(left.quota.missing.sum()), 'feature')} "
            "missing: none that serves such a class is within max_correlation; ask for fewer per "
            "class."
        )


def best_extension(criterion: Criterion, left: Constraints) -> tuple[Group, Scored]:
    """The group, or the single feature, that is best added next, and the score of it all then."""
    ready = eligible(criterion.distinct, left)
    best: list[tuple[Group, Scored]] = []
    if len(ready.singles):
        shortlist = criterion.shortlist(ready.singles)
        scored = criterion.score(shortlist)
        if np.isnan(scored.scores).all():  # also if the shortlist is empty
            raise no_number()
        i = int(np.argmax(may_be_best(scored.scores, scored.scores)))
        one = Scored(scored.scores[i : i + 1], scored.parts[:, i : i + 1])
        best.append(((int(shortlist[i]),), one))
    if ready.groups:
        find_best = getattr(criterion, "best_group", partial(best_group_by_trial, criterion))
        place, scored = find_best(ready.groups)
        best.append((ready.groups[place], scored))
    best.sort(key=lambda one: min(one[0]))  # ties go to the smaller index
    scores = np.array([scored.scores[0] for _, scored in best])
    return best[int(np.argmax(may_be_best(scores, scores)))]


def eligible(distinct: NDArray[np.bool_], left: Constraints) -> Constraints:
    """What may be selected now: constant features and copies wait until no other is left."""
    if distinct.all():
        return left
    singles = left.singles[distinct[left.singles]]
    is_distinct = distinct.tolist()
    groups = tuple(group for group in left.groups if any(is_distinct[f] for f in group))
    ready = replace(left, singles=singles, groups=groups)
    return ready if len(singles) or groups else left


def best_step(candidates: Indices, scored: Scored, score_before: float) -> Step:
    """The candidate with the largest score, the first one among equals."""
    scores = scored.scores
    i = int(np.argmax(may_be_best(scores, scores))) if len(scores) > 1 else 0
    score = float(scores[i])
    return Step(int(candidates[i]), score, gain_over(score, score_before), scored.parts[:, i])


def order_by_score(scores: Floats, n_best: int) -> list[int]:
    """The positions of the largest values, the largest first, the first one among equals."""
    left, order = np.array(scores), []
    for _ in range(min(n_best, len(left))):
        order.append(int(np.argmax(may_be_best(left, left))))
        left[order[-1]] = -np.inf
    return order


def gain_over(score: float, score_before: float) -> float:
    """How much a score is above the one before."""
    return 0.0 if score == score_before else score - score_before  # two infinities are equal
