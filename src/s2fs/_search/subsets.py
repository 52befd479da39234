"""Searches for the best set of each size, which need not hold the best smaller one.

Both end at sets whose score is at least that of the forward search at the same size. Sets are made
of groups: features that are chosen together, mostly a single one. A smaller set is never found by
subtraction: what is left after that is exact up to rounding only, and an instance that lies on a
centroid would no longer do so. Its criterion is built anew from the features that stay.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from s2fs._core.criterion import EQUAL
from s2fs._engine.protocol import Criterion
from s2fs._search.choices import Choices, Group
from s2fs._search.forward import best_first, extensions

Groups = frozenset[Group]


class Subset(NamedTuple):
    """The groups of a set, besides those it had to start with, and its score."""

    groups: Groups
    score: float


class _Node(NamedTuple):
    """A set of a beam: ``group`` joins the subset of ``before``."""

    groups: Groups
    score: float
    group: Group
    before: Criterion
    is_greedy: bool


def never() -> bool:
    """Whether the time for a search is over."""
    return False


def beam(
    criterion: Criterion, k: int, choices: Choices, width: int, late: Callable[[], bool] = never
) -> dict[int, Subset]:
    """The best set found of each size: every size keeps its ``width`` best sets to grow from.

    The set of the forward search is kept beyond the width, so no size falls behind it. Once it is
    ``late``, the sets found so far must do.
    """
    start = _joined(criterion, [choices.included])
    size = len(choices.included)
    levels: dict[int, dict[Groups, _Node]] = {
        size: {frozenset(): _Node(frozenset(), 0.0, (), start, True)}
    }
    found: dict[int, Subset] = {}
    while levels and not (late() and len(found) > 1):
        size = min(levels)
        nodes = _kept(list(levels.pop(size).values()), width)
        found[size] = Subset(nodes[0].groups, nodes[0].score)
        for node in nodes:
            here = _joined(node.before, [node.group])
            left = choices.minus(node.groups).fitting(k - size)
            grown = extensions(here, left, width) if left else []
            for rank, (group, scored) in enumerate(grown):
                groups = node.groups | {group}
                level = levels.setdefault(size + len(group), {})
                is_greedy = node.is_greedy and rank == 0
                if groups not in level:
                    score = float(scored.scores[0])
                    level[groups] = _Node(groups, score, group, here, is_greedy)
                elif is_greedy:
                    level[groups] = level[groups]._replace(is_greedy=True)
    return found


def floating(
    criterion: Criterion, k: int, choices: Choices, late: Callable[[], bool] = never
) -> dict[int, Subset]:
    """The best set found of each size: add, then drop or swap while that beats the best known.

    Every drop and every swap raises the best score of some size, so no set comes back. Once it is
    ``late``, the sets found so far must do.
    """
    start = _joined(criterion, [choices.included])
    current = Subset(frozenset(), 0.0)
    found = {len(choices.included): current, **_forward_sets(start.copy(), k, choices, late)}
    settled: set[Groups] = set()
    while left := choices.minus(current.groups).fitting(k - _size(choices, current.groups)):
        here = _joined(start, current.groups)
        if late():
            break
        ((group, scored),) = extensions(here, left)
        score = float(scored.scores[0])
        current = _best_known(found, choices, Subset(current.groups | {group}, score))
        while current.groups not in settled and not late():
            better = _improvement(start, current, k, choices, found)
            if better is None:
                settled.add(current.groups)
            else:
                current = _best_known(found, choices, better)
    return found


def _kept(nodes: list[_Node], width: int) -> list[_Node]:
    """The ``width`` best nodes, best first, and the one of the forward search."""
    nodes.sort(key=lambda node: _features(node.groups))  # ties go to the smaller indices
    order = best_first(np.array([node.score for node in nodes]), width)
    greedy = [i for i, node in enumerate(nodes) if node.is_greedy and i not in order]
    return [nodes[i] for i in order + greedy]


def _forward_sets(
    criterion: Criterion, k: int, choices: Choices, late: Callable[[], bool]
) -> dict[int, Subset]:
    """The sets the forward search passes through, by size."""
    found: dict[int, Subset] = {}
    groups: Groups = frozenset()
    while left := choices.minus(groups).fitting(k - _size(choices, groups)):
        ((group, scored),) = extensions(criterion, left)
        for feature in group:
            criterion.add(feature)
        groups |= {group}
        found[_size(choices, groups)] = Subset(groups, float(scored.scores[0]))
        if late():
            break
    return found


def _improvement(
    start: Criterion,
    current: Subset,
    k: int,
    choices: Choices,
    found: dict[int, Subset],
) -> Subset | None:
    """A set with a group less, or else one with a group replaced, that beats the best of its size.

    The groups are tried in the order of what their absence costs, the cheapest first.
    """
    without = list(_leave_one_out(start, _in_order(current.groups)))
    order = best_first(np.array([score for _, score in without]), len(without))
    for group, score in (without[i] for i in order):
        smaller = Subset(current.groups - {group}, score)
        if _beats(smaller, found, choices):
            return smaller
    for group, _ in (without[i] for i in order):
        rest = current.groups - {group}
        if left := choices.minus(rest).without([group]).fitting(k - _size(choices, rest)):
            ((other, scored),) = extensions(_joined(start, rest), left)
            swapped = Subset(rest | {other}, float(scored.scores[0]))
            if _beats(swapped, found, choices):
                return swapped
    return None


def _leave_one_out(
    criterion: Criterion, groups: Sequence[Group], score: float = 0.0
) -> Iterator[tuple[Group, float]]:
    """For each group the score of ``criterion`` joined by all the others; its own is ``score``.

    Halving the groups takes O(k log k) additions for k of them.
    """
    if len(groups) == 1:
        yield groups[0], score
        return
    half = len(groups) // 2
    for inside, outside in ((groups[half:], groups[:half]), (groups[:half], groups[half:])):
        most = _joined(criterion, [*inside[:-1], inside[-1][:-1]])
        last = inside[-1][-1]
        scored = most.score(np.array([last]))
        most.add(last)
        yield from _leave_one_out(most, outside, float(scored.scores[0]))


def _joined(criterion: Criterion, groups: Sequence[Group] | Groups) -> Criterion:
    """A new criterion of the subset joined by ``groups``."""
    twin = criterion.copy()
    for group in _in_order(groups) if isinstance(groups, frozenset) else groups:
        for feature in group:
            twin.add(feature)
    return twin


def _best_known(found: dict[int, Subset], choices: Choices, subset: Subset) -> Subset:
    """The best set of its size, which ``subset`` becomes if it beats it."""
    size = _size(choices, subset.groups)
    if _beats(subset, found, choices):
        found[size] = subset
    return found[size]


def _beats(subset: Subset, found: dict[int, Subset], choices: Choices) -> bool:
    known = found.get(_size(choices, subset.groups))
    return known is None or subset.score > known.score * (1 + EQUAL)


def _size(choices: Choices, groups: Groups) -> int:
    """The number of features, with those the search starts with."""
    return len(choices.included) + sum(map(len, groups))


def _in_order(groups: Groups | Sequence[Group]) -> list[Group]:
    return sorted(groups, key=min)


def _features(groups: Groups) -> list[int]:
    return sorted(f for group in groups for f in group)
