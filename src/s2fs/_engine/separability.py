"""Sep of a growing subset, on the engine that suits the problem."""

import numpy as np
from numpy.typing import NDArray

from s2fs._core.criterion import CentroidMembership
from s2fs._core.problem import Problem
from s2fs._engine.protocol import Scored, State
from s2fs._engine.reference import SubsetState
from s2fs._util.types import Indices

#: From this many (instance, class, candidate) updates on, compiled loops repay the import of numba:
#: plain NumPy takes about as long for them, some 0.4 s.
COMPILED_FROM = 8e6


class Separability:
    """Sep (Eq. 23) of a growing subset for one pair of weights.

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
    def varying(self) -> NDArray[np.bool_]:
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


def empty_state(
    problem: Problem, centroid_membership: CentroidMembership, n_steps: int, n_threads: int = 1
) -> State:
    """The state of the empty subset, in the form that suits the size of the problem."""
    p = problem.n_classes
    work = (problem.n_samples * p + p * p) * problem.n_features * n_steps
    if work < COMPILED_FROM:
        return SubsetState(problem, centroid_membership)
    from s2fs._engine.compiled import CompiledState  # loads numba

    return CompiledState(problem, centroid_membership, n_threads)
