"""Greedy forward search (Algorithm 1), for any criterion."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._engine.protocol import Criterion, RunsAhead, Scored, may_be_best, no_number
from s2fs._search.choices import Choices, Group
from s2fs._util.types import Floats, Indices


class Step(NamedTuple):
    """One choice of the search: the feature, and the subset it completes.

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
    criterion: Criterion, k: int, choices: Choices | None = None, *, ahead: bool = True
) -> Iterator[Step]:
    """Add ``k`` features one by one, each time the one with the largest gain.

    Gains may be negative; the search goes on. A group of features competes as a whole, and then
    joins feature by feature. The search ends early if nothing is left that fits. With ``ahead`` the
    criterion may already have more features than were yielded.
    """
    left = Choices.everything(len(criterion.distinct)) if choices is None else choices
    score, n_left = 0.0, k - len(left.included)
    for feature in left.included:
        step = best(np.array([feature]), criterion.score(np.array([feature])), score)
        criterion.add(feature)
        score = step.score
        yield step
    runner = criterion if ahead and isinstance(criterion, RunsAhead) else None
    while left := left.fitting(n_left):
        free = not left.groups and left.twins is None and left.costs is None
        if runner is not None and free:
            ready = eligible(criterion.distinct, left).singles
            taken: list[Group] = []
            for feature, now, parts in runner.run(ready, min(n_left, len(ready))):
                taken.append((feature,))
                yield Step(feature, now, _gain(now, score), parts)
                score = now
            left, n_left = left.minus(taken), n_left - len(taken)
            continue
        ((group, scored),) = extensions(criterion, left)
        left, n_left = left.minus([group]), n_left - len(group)
        for feature in group:
            if len(group) > 1:
                scored = criterion.score(np.array([feature]))
            step = best(np.array([feature]), scored, score)
            criterion.add(feature)
            score = step.score
            yield step


def extensions(criterion: Criterion, left: Choices, n_best: int = 1) -> list[tuple[Group, Scored]]:
    """What is best added next: up to ``n_best`` groups, with the scores of the joined subsets."""
    ready = eligible(criterion.distinct, left)
    groups: list[Group] = []
    scored: list[Scored] = []
    if len(ready.singles):
        shortlist = criterion.shortlist(ready.singles, n_best)
        groups += [(f,) for f in shortlist.tolist()]
        scored.append(criterion.score(shortlist))
    for group in ready.groups:
        groups.append(group)
        joined = criterion.copy()
        for feature in group[:-1]:
            joined.add(feature)
        scored.append(joined.score(np.array(group[-1:])))
    scores = np.concatenate([one.scores for one in scored])
    if np.isnan(scores).all():  # also if the shortlist is empty
        raise no_number()
    parts = np.concatenate([one.parts for one in scored], axis=1)
    if ready.groups:  # ties go to the smaller index
        order = sorted(range(len(groups)), key=lambda i: min(groups[i]))
        groups, scores, parts = [groups[i] for i in order], scores[order], parts[:, order]
    return [
        (groups[i], Scored(scores[i : i + 1], parts[:, i : i + 1]))
        for i in best_first(scores, n_best)
    ]


def eligible(distinct: NDArray[np.bool_], left: Choices) -> Choices:
    """What may be chosen now: constant features and copies wait until no other is left."""
    if distinct.all():
        return left
    singles = left.singles[distinct[left.singles]]
    groups = tuple(group for group in left.groups if distinct[list(group)].any())
    if len(singles) or groups:
        return replace(left, singles=singles, groups=groups)
    first = [*((int(f),) for f in left.singles[:1]), *left.groups[:1]]
    return left.only([min(first, key=min)])


def best(candidates: Indices, scored: Scored, before: float) -> Step:
    """The candidate with the largest gain over ``before``, the first one among equals."""
    scores = scored.scores
    i = int(np.argmax(may_be_best(scores, scores))) if len(scores) > 1 else 0
    score = float(scores[i])
    return Step(int(candidates[i]), score, _gain(score, before), scored.parts[:, i])


def _gain(score: float, before: float) -> float:
    return 0.0 if score == before else score - before  # two infinities are equal


def best_first(scores: Floats, n_best: int) -> list[int]:
    """The positions of the largest values, the largest first, the first one among equals."""
    left, order = np.array(scores), []
    for _ in range(min(n_best, len(left))):
        order.append(int(np.argmax(may_be_best(left, left))))
        left[order[-1]] = -np.inf
    return order
