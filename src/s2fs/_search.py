"""Greedy forward search over a subset state (Algorithm 1)."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from s2fs._criterion import EQUAL, Components
from s2fs._problem import Features
from s2fs._state import Screened, State


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
        step = best(state, candidates, state.screen(candidates), alpha, beta, sep)
        state.add(step.feature)
        left = left[left != step.feature]
        sep = step.sep
        yield step


def eligible(state: State, left: Features) -> Features:
    """The features that may be chosen now: constant ones wait until no other is left."""
    varying = left[state.problem.varying[left]]
    return varying if len(varying) else left[:1]


def best(
    state: State,
    candidates: Features,
    screened: Screened,
    alpha: float,
    beta: float,
    before: float,
) -> Step:
    """The candidate with the largest gain over ``before``, the first one among equals."""
    candidates = candidates[screened.may_be_best(alpha, beta)]
    parts = state.score(candidates)
    seps = parts.separability(alpha, beta)
    i = int(np.argmax(seps >= seps.max() * (1 - EQUAL)))
    sep = float(seps[i])
    gain = 0.0 if sep == before else sep - before  # two infinities are equal
    chosen = Components(*(float(part[i]) for part in parts))
    return Step(int(candidates[i]), sep, gain, chosen)
