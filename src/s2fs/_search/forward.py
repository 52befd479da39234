"""Greedy forward search over a subset state (Algorithm 1)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from s2fs._core.criterion import Components
from s2fs._core.problem import Problem
from s2fs._engine.protocol import State, Weights, may_be_best
from s2fs._search.choices import Choices, Unit
from s2fs._util.types import Floats, Indices


class Step(NamedTuple):
    """One choice of the search: the feature, and the subset it completes."""

    feature: int
    sep: float
    gain: float
    components: Components


def forward(
    state: State, k: int, alpha: float, beta: float, choices: Choices | None = None
) -> Iterator[Step]:
    """Add ``k`` features one by one, each time the one with the largest gain.

    Gains may be negative; the search goes on. A group of features competes as a whole, and then
    joins feature by feature; it ends early if nothing is left that fits.
    """
    left = Choices.everything(state.problem.n_features) if choices is None else choices
    sep, room = 0.0, k - len(left.first)
    for feature in left.first:
        one = np.array([feature])
        step = best(one, state.score(one), alpha, beta, sep)
        state.add(feature)
        sep = step.sep
        yield step
    while left := left.fitting(room):
        unit, parts = extensions(state, left, alpha, beta)[0]
        left, room = left.minus([unit]), room - len(unit)
        for feature in unit:
            if len(unit) > 1:
                parts = state.score(np.array([feature]))
            step = best(np.array([feature]), parts, alpha, beta, sep)
            state.add(feature)
            sep = step.sep
            yield step


def forward_grid(
    state: State, k: int, weights: list[Weights], choices: Choices
) -> Iterator[list[Step]]:
    """Run :func:`forward` for many pairs (alpha, beta) in lockstep, without groups of features.

    The components of a set do not depend on the weights, nor on the order in which the set was
    filled, so the pairs that stand at the same set share its state and its evaluation.
    """
    free = np.zeros(state.problem.n_features, dtype=bool)
    free[choices.singles] = True
    seps = [0.0] * len(weights)
    groups = {frozenset[int](): (state, list(range(len(weights))))}
    for row in range(k):
        steps: dict[int, Step] = {}
        grown: dict[frozenset[int], tuple[State, list[int]]] = {}
        for chosen, (shared, pairs) in groups.items():
            if row < len(choices.first):
                candidates = np.array(choices.first[row : row + 1])
            else:
                left = free.copy()
                left[list(chosen)] = False
                candidates = eligible(shared.problem, Choices((), np.flatnonzero(left))).singles
            shortlists = shared.shortlists(candidates, [weights[pair] for pair in pairs])
            contenders = np.unique(np.concatenate(shortlists))
            parts = shared.score(contenders)  # once for all pairs
            for pair, shortlist in zip(pairs, shortlists, strict=True):
                where = np.searchsorted(contenders, shortlist)
                own = Components(*(part[where] for part in parts))
                steps[pair] = best(shortlist, own, *weights[pair], seps[pair])
                seps[pair] = steps[pair].sep
            for feature in dict.fromkeys(steps[pair].feature for pair in pairs):
                followers = [pair for pair in pairs if steps[pair].feature == feature]
                joined = chosen | {feature}
                if joined in grown:
                    grown[joined][1].extend(followers)
                else:
                    twin = shared.copy()
                    twin.add(feature)
                    grown[joined] = twin, followers
        groups = grown
        yield [steps[pair] for pair in range(len(weights))]


def extensions(
    state: State, left: Choices, alpha: float, beta: float, n_best: int = 1
) -> list[tuple[Unit, Components]]:
    """What is best added next: up to ``n_best`` units, with the components of the joined subset."""
    ready = eligible(state.problem, left)
    units: list[Unit] = []
    scored: list[Components] = []
    if len(ready.singles):
        (shortlist,) = state.shortlists(ready.singles, [(alpha, beta)], n_best)
        units += [(f,) for f in shortlist.tolist()]
        scored.append(state.score(shortlist))
    for bundle in ready.bundles:
        units.append(bundle)
        twin = state.copy()
        for feature in bundle[:-1]:
            twin.add(feature)
        scored.append(twin.score(np.array(bundle[-1:])))
    parts = np.concatenate(scored, axis=1)
    if ready.bundles:  # ties go to the smaller index
        order = sorted(range(len(units)), key=lambda i: min(units[i]))
        units, parts = [units[i] for i in order], parts[:, order]
    if len(units) == 1:
        return [(units[0], Components(*parts))]
    seps = Components(*parts).separability(alpha, beta)
    return [(units[i], Components(*parts[:, i, None])) for i in best_first(seps, n_best)]


def eligible(problem: Problem, left: Choices) -> Choices:
    """What may be chosen now: constant features wait until no other is left."""
    varying = problem.varying
    if problem.all_vary:
        return left
    singles = left.singles[varying[left.singles]]
    bundles = tuple(b for b in left.bundles if varying[list(b)].any())
    if len(singles) or bundles:
        return replace(left, singles=singles, bundles=bundles)
    units = [*((int(f),) for f in left.singles[:1]), *left.bundles[:1]]
    return left.only([min(units, key=min)])


def best(candidates: Indices, parts: Components, alpha: float, beta: float, before: float) -> Step:
    """The candidate with the largest gain over ``before``, the first one among equals.

    ``parts`` are the components of the subset joined by each candidate.
    """
    seps = parts.separability(alpha, beta)
    i = int(np.argmax(may_be_best(seps, seps))) if len(seps) > 1 else 0
    sep = float(seps[i])
    gain = 0.0 if sep == before else sep - before  # two infinities are equal
    return Step(int(candidates[i]), sep, gain, Components(*(float(part[i]) for part in parts)))


def best_first(seps: Floats, n_best: int) -> list[int]:
    """The positions of the largest values, the largest first, the first one among equals."""
    left, order = np.array(seps), []
    for _ in range(min(n_best, len(left))):
        order.append(int(np.argmax(may_be_best(left, left))))
        left[order[-1]] = -1.0  # Sep is never negative
    return order
