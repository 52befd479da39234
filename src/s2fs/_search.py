"""Greedy forward search over a subset state (Algorithm 1)."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from s2fs._criterion import Components
from s2fs._problem import Features
from s2fs._state import State, Weights, may_be_best


class Step(NamedTuple):
    """One choice of the search: the feature, and the subset it completes."""

    feature: int
    sep: float
    gain: float
    components: Components


def forward(state: State, k: int, alpha: float, beta: float) -> Iterator[Step]:
    """Add ``k`` features one by one, each time the one with the largest gain.

    Gains may be negative; the search goes on.
    """
    left = np.arange(state.problem.n_features)
    sep = 0.0
    for _ in range(k):
        candidates = eligible(state, left)
        (shortlist,) = state.shortlists(candidates, [(alpha, beta)])
        step = best(shortlist, state.score(shortlist), alpha, beta, sep)
        state.add(step.feature)
        left = left[left != step.feature]
        sep = step.sep
        yield step


def forward_grid(state: State, k: int, weights: list[Weights]) -> Iterator[list[Step]]:
    """Run :func:`forward` for many pairs (alpha, beta) in lockstep.

    The components of a set do not depend on the weights, nor on the order in which the set was
    filled, so the pairs that stand at the same set share its state and its evaluation.
    """
    everything = np.arange(state.problem.n_features)
    seps = [0.0] * len(weights)
    groups = {frozenset[int](): (state, list(range(len(weights))))}
    for _ in range(k):
        steps: dict[int, Step] = {}
        grown: dict[frozenset[int], tuple[State, list[int]]] = {}
        for chosen, (shared, pairs) in groups.items():
            left = np.delete(everything, list(chosen))
            shortlists = shared.shortlists(
                eligible(shared, left), [weights[pair] for pair in pairs]
            )
            contenders = np.unique(np.concatenate(shortlists))
            parts = shared.score(contenders)  # once for all pairs
            for pair, shortlist in zip(pairs, shortlists, strict=True):
                own = Components(*(part[np.searchsorted(contenders, shortlist)] for part in parts))
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


def eligible(state: State, left: Features) -> Features:
    """The features that may be chosen now: constant ones wait until no other is left."""
    varying = left[state.problem.varying[left]]
    return varying if len(varying) else left[:1]


def best(candidates: Features, parts: Components, alpha: float, beta: float, before: float) -> Step:
    """The candidate with the largest gain over ``before``, the first one among equals.

    ``parts`` are the components of the subset joined by each candidate.
    """
    seps = parts.separability(alpha, beta)
    i = int(np.argmax(may_be_best(seps, seps)))
    sep = float(seps[i])
    gain = 0.0 if sep == before else sep - before  # two infinities are equal
    return Step(int(candidates[i]), sep, gain, Components(*(float(part[i]) for part in parts)))
