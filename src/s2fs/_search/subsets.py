"""Searches for the best set of each size, which need not hold the best smaller one.

Both end at sets whose Sep is at least that of the forward search at the same size. Sets are made of
units: single features, or groups that are chosen together. A smaller set is never found by
subtraction: what is left of a state after that is exact up to rounding only, and an instance that
lies on a centroid would no longer do so. Its state is built anew from the features that stay.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from s2fs._core.criterion import EQUAL
from s2fs._engine.protocol import State, Weights
from s2fs._search.choices import Choices, Unit
from s2fs._search.forward import best_first, extensions

Units = frozenset[Unit]


class Subset(NamedTuple):
    """The units of a set, besides those it had to start with, and its Sep."""

    units: Units
    sep: float


class _Node(NamedTuple):
    """A set of a beam: ``unit`` joins the subset of ``before``."""

    units: Units
    sep: float
    unit: Unit
    before: State
    is_greedy: bool


def beam(state: State, k: int, weights: Weights, choices: Choices, width: int) -> dict[int, Subset]:
    """The best set found of each size: every size keeps its ``width`` best sets to grow from.

    The set of the forward search is kept beyond the width, so no size falls behind it.
    """
    start = _joined(state, [choices.first])
    size = len(choices.first)
    levels: dict[int, dict[Units, _Node]] = {
        size: {frozenset(): _Node(frozenset(), 0.0, (), start, True)}
    }
    found: dict[int, Subset] = {}
    while levels:
        size = min(levels)
        nodes = _kept(list(levels.pop(size).values()), width)
        found[size] = Subset(nodes[0].units, nodes[0].sep)
        for node in nodes:
            here = _joined(node.before, [node.unit])
            left = choices.minus(node.units).fitting(k - size)
            grown = extensions(here, left, *weights, width) if left else []
            for rank, (unit, parts) in enumerate(grown):
                units = node.units | {unit}
                level = levels.setdefault(size + len(unit), {})
                is_greedy = node.is_greedy and rank == 0
                if units not in level:
                    sep = float(parts.separability(*weights)[0])
                    level[units] = _Node(units, sep, unit, here, is_greedy)
                elif is_greedy:
                    level[units] = level[units]._replace(is_greedy=True)
    return found


def floating(state: State, k: int, weights: Weights, choices: Choices) -> dict[int, Subset]:
    """The best set found of each size: add, then drop or swap while that beats the best known.

    Every drop and every swap raises the best Sep of some size, so no set comes back.
    """
    start = _joined(state, [choices.first])
    current = Subset(frozenset(), 0.0)
    found = {len(choices.first): current, **_forward_sets(start.copy(), k, weights, choices)}
    settled: set[Units] = set()
    while left := choices.minus(current.units).fitting(k - _size(choices, current.units)):
        here = _joined(start, current.units)
        ((unit, parts),) = extensions(here, left, *weights)
        sep = float(parts.separability(*weights)[0])
        current = _best_known(found, choices, Subset(current.units | {unit}, sep))
        while current.units not in settled:
            better = _improvement(start, current, k, weights, choices, found)
            if better is None:
                settled.add(current.units)
            else:
                current = _best_known(found, choices, better)
    return found


def _kept(nodes: list[_Node], width: int) -> list[_Node]:
    """The ``width`` best nodes, best first, and the one of the forward search."""
    nodes.sort(key=lambda node: _features(node.units))  # ties go to the smaller indices
    order = best_first(np.array([node.sep for node in nodes]), width)
    greedy = [i for i, node in enumerate(nodes) if node.is_greedy and i not in order]
    return [nodes[i] for i in order + greedy]


def _forward_sets(state: State, k: int, weights: Weights, choices: Choices) -> dict[int, Subset]:
    """The sets the forward search passes through, by size."""
    found: dict[int, Subset] = {}
    units: Units = frozenset()
    while left := choices.minus(units).fitting(k - _size(choices, units)):
        ((unit, parts),) = extensions(state, left, *weights)
        for feature in unit:
            state.add(feature)
        units |= {unit}
        found[_size(choices, units)] = Subset(units, float(parts.separability(*weights)[0]))
    return found


def _improvement(
    start: State,
    current: Subset,
    k: int,
    weights: Weights,
    choices: Choices,
    found: dict[int, Subset],
) -> Subset | None:
    """A set with one unit less, or else one with a unit replaced, that beats the best of its size.

    The units are tried in the order of what their absence costs, the cheapest first.
    """
    without = list(_leave_one_out(start, _in_order(current.units), weights))
    order = best_first(np.array([sep for _, sep in without]), len(without))
    for unit, sep in (without[i] for i in order):
        smaller = Subset(current.units - {unit}, sep)
        if _beats(smaller, found, choices):
            return smaller
    outside = choices.minus(current.units)
    for unit, _ in (without[i] for i in order):
        rest = current.units - {unit}
        if left := outside.fitting(k - _size(choices, rest)):
            ((other, parts),) = extensions(_joined(start, rest), left, *weights)
            swapped = Subset(rest | {other}, float(parts.separability(*weights)[0]))
            if _beats(swapped, found, choices):
                return swapped
    return None


def _leave_one_out(
    state: State, units: Sequence[Unit], weights: Weights, sep: float = 0.0
) -> Iterator[tuple[Unit, float]]:
    """For each unit the Sep of ``state``, which has ``sep``, joined by all the others.

    Halving the units takes O(k log k) additions for k of them.
    """
    if len(units) == 1:
        yield units[0], sep
        return
    half = len(units) // 2
    for inside, outside in ((units[half:], units[:half]), (units[:half], units[half:])):
        most = _joined(state, [*inside[:-1], inside[-1][:-1]])
        last = inside[-1][-1]
        parts = most.score(np.array([last]))
        most.add(last)
        yield from _leave_one_out(most, outside, weights, float(parts.separability(*weights)[0]))


def _joined(state: State, units: Sequence[Unit] | Units) -> State:
    """A new state of the subset joined by ``units``."""
    twin = state.copy()
    for unit in _in_order(units) if isinstance(units, frozenset) else units:
        for feature in unit:
            twin.add(feature)
    return twin


def _best_known(found: dict[int, Subset], choices: Choices, subset: Subset) -> Subset:
    """The best set of its size, which ``subset`` becomes if it beats it."""
    size = _size(choices, subset.units)
    if _beats(subset, found, choices):
        found[size] = subset
    return found[size]


def _beats(subset: Subset, found: dict[int, Subset], choices: Choices) -> bool:
    known = found.get(_size(choices, subset.units))
    return known is None or subset.sep > known.sep * (1 + EQUAL)


def _size(choices: Choices, units: Units) -> int:
    """The number of features, with those the search starts with."""
    return len(choices.first) + sum(map(len, units))


def _in_order(units: Units | Sequence[Unit]) -> list[Unit]:
    return sorted(units, key=min)


def _features(units: Units) -> list[int]:
    return sorted(f for unit in units for f in unit)
