"""What a search asks of the state of a subset, and what the answers have in common."""

from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from s2fs._core.criterion import EQUAL, Components
from s2fs._core.problem import Problem
from s2fs._util.types import Floats, Indices

Weights = tuple[float, float]  # (alpha, beta)


class State(Protocol):
    """What a search asks of the state of a subset."""

    problem: Problem

    def shortlists(
        self, candidates: Indices, weights: list[Weights], n_best: int = 1
    ) -> list[Indices]:
        """For each pair (alpha, beta) the candidates that may have the largest Sep, or equal it.

        With ``n_best`` those that may be among so many best, or equal the last of them.
        """

    def score(self, candidates: Indices) -> Components:
        """The components of the subset joined by each candidate, in double precision."""

    def add(self, feature: int) -> None:
        """Let a feature join the subset."""

    def copy(self) -> Self:
        """An independent state of the same subset."""


def may_be_best(low: Floats, high: Floats, n_best: int = 1) -> NDArray[np.bool_]:
    """Mask of the candidates whose score, between ``low`` and ``high``, may be the largest.

    Or one of the ``n_best`` largest, along the last axis.
    """
    if n_best == 1:
        reached = low.max(axis=-1, keepdims=True)
    else:
        reached = np.sort(low, axis=-1)[..., [-min(n_best, low.shape[-1])]]
    return high >= reached * (1 - EQUAL)


def best_scored(
    candidates: Indices, scores: Components, weights: list[Weights], n_best: int
) -> list[Indices]:
    """For each pair (alpha, beta) the candidates with the largest Sep, given their scores."""
    seps = (scores.separability(*pair) for pair in weights)
    return [candidates[may_be_best(sep, sep, n_best)] for sep in seps]
