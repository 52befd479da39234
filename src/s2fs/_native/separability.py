"""Sep of a growing subset, on the engine that is there."""

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from s2fs._native.library import load
from s2fs._native.reference import SubsetState
from s2fs._native.subset import NativeState
from s2fs._utils.types import Indices
from s2fs.criteria.problem import Problem
from s2fs.criteria.protocol import Scored, State
from s2fs.criteria.separability import CentroidMembership, Compactness


class Separability:
    """Sep (Eq. 23) of a growing subset for one weighting.

    Parameters
    ----------
    state : State
        What is known of the subset.
    alpha, beta : float
        Weight of direction in the compactness and in the separation.
    """

    def __init__(self, state: State, alpha: float, beta: float) -> None:
        self.state, self.alpha, self.beta = state, alpha, beta

    @property
    def distinct(self) -> NDArray[np.bool_]:
        """Mask of the features that are not constant."""
        return self.state.problem.varying

    def shortlist(self, candidates: Indices, n_best: int = 1) -> Indices:
        """The candidates that may have one of the ``n_best`` largest scores, increasing."""
        return self.state.shortlists(candidates, [(self.alpha, self.beta)], n_best)[0]

    def score(self, candidates: Indices) -> Scored:
        """Sep and its components of the subset joined by each candidate."""
        parts = self.state.score(candidates)
        return Scored(np.atleast_1d(parts.separability(self.alpha, self.beta)), np.array(parts))

    def add(self, feature: int) -> None:
        """Let ``feature`` join the subset."""
        self.state.add(feature)

    def copy(self) -> "Separability":
        """An independent criterion of the same subset."""
        return Separability(self.state.copy(), self.alpha, self.beta)


class NativeSeparability(Separability):
    """The same on a native state, which finds the best candidate by itself."""

    def run(
        self, candidates: Indices, n_steps: int
    ) -> Iterator[tuple[int, float, tuple[float, ...]]]:
        """Let the best candidate join, ``n_steps`` times; yield each with its score and parts.

        Each step is one call of the native library; Ctrl-C is heard between them.
        """
        state = cast(NativeState, self.state)
        for _ in range(n_steps):
            feature, score, parts = state.add_best(candidates, (self.alpha, self.beta))
            candidates = candidates[candidates != feature]
            yield feature, score, tuple(parts.tolist())

    def best_score(self, candidates: Indices, at_least: float) -> float:
        """The largest score of the candidates, or −∞ if none is ``at_least`` that large."""
        state = cast(NativeState, self.state)
        return state.best_score(candidates, (self.alpha, self.beta), at_least)

    def best_group(self, groups: Sequence[Sequence[int]]) -> tuple[int, Scored]:
        """The position of the group that is best to join as a whole, and its score."""
        state = cast(NativeState, self.state)
        group, score, parts = state.best_group(groups, (self.alpha, self.beta))
        return group, Scored(np.array([score]), parts[:, None])

    def copy(self) -> "NativeSeparability":
        """An independent criterion of the same subset."""
        return NativeSeparability(self.state.copy(), self.alpha, self.beta)


def separability_of(state: State, alpha: float, beta: float) -> Separability:
    """The criterion of the subset of a state, for one weighting."""
    kind = NativeSeparability if isinstance(state, NativeState) else Separability
    return kind(state, alpha, beta)


def empty_state(
    problem: Problem,
    centroid_membership: CentroidMembership = "published",
    compactness: Compactness = "mean",
    n_threads: int = 1,
) -> NativeState | SubsetState:
    """The state of the empty subset: native, or in NumPy where there is no library."""
    if load() is None:
        return SubsetState(problem, centroid_membership, compactness)
    return NativeState(problem, centroid_membership, compactness, n_threads)
