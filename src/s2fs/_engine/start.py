"""The engine a search starts with."""

from s2fs._core.criterion import CentroidMembership
from s2fs._core.problem import Problem
from s2fs._engine.protocol import State
from s2fs._engine.reference import SubsetState

#: From this many (instance, class, candidate) updates on, compiled loops repay the import of numba:
#: plain NumPy takes about as long for them, some 0.4 s.
COMPILED_FROM = 8e6


def empty_state(
    problem: Problem, reading: CentroidMembership, n_steps: int, n_threads: int = 1
) -> State:
    """The state of the empty subset, in the form that suits the size of the problem."""
    p = problem.n_classes
    work = (problem.n_samples * p + p * p) * problem.n_features * n_steps
    if work < COMPILED_FROM:
        return SubsetState(problem, reading)
    from s2fs._engine.compiled import CompiledState

    return CompiledState(problem, reading, n_threads)
