"""How many features: go on while the best feature does better than chance.

The reference for a step is the same table with its rows shuffled: every candidate keeps its values
and its relations to the other candidates, but has lost its tie to the classes and to the features
chosen so far. The best of the shuffled candidates is what the best of so many features reaches by
chance. The search ends when the real ones no longer beat it by a share ``tol`` of Sep.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import numpy as np
from scipy import sparse

from s2fs._constraints import Choices
from s2fs._problem import Features
from s2fs._search import Step, extensions, forward
from s2fs._state import State

#: So many steps in a row must be no better than chance: a feature that is only useful together with
#: the next one is no reason to stop.
PATIENCE = 3


def with_shuffled_rows(X: Any, codes: Features) -> Any:
    """The table, and beside it the same columns with their rows shuffled, always in one way.

    The shuffle starts from an order of the rows that depends on their contents, so it is the same
    whatever order they come in.
    """
    sums = np.asarray(X.sum(axis=1)).ravel()
    squares = np.asarray((X * X).sum(axis=1)).ravel()
    order = np.lexsort((squares, sums, codes))
    row_for = np.empty(len(order), dtype=np.intp)
    row_for[order] = order[np.random.default_rng(0).permutation(len(order))]
    if sparse.issparse(X):
        return sparse.hstack([X, X[row_for]], format="csc")
    return np.hstack([X, X[row_for]])


def forward_until_chance(
    state: State, alpha: float, beta: float, choices: Choices, tol: float
) -> Iterator[Step]:
    """Run :func:`forward` while it beats chance, on a table made by :func:`with_shuffled_rows`."""
    m = state.problem.n_features // 2
    bundle_of = {f: bundle for bundle in choices.bundles for f in bundle}
    steps = forward(state, choices.n_features, alpha, beta, choices)
    yield from islice(steps, len(choices.first))
    n_yielded = len(choices.first)
    held: list[list[Step]] = []  # units that did not beat chance, until one after them does
    left = choices
    while left and len(held) < PATIENCE:
        ((_, parts),) = extensions(state, _shuffled(left, m), alpha, beta)
        by_chance = parts.separability(alpha, beta)[0]
        step = next(steps)
        unit = bundle_of.get(step.feature, (step.feature,))
        held.append([step, *islice(steps, len(unit) - 1)])
        left = left.minus([unit])
        if held[-1][-1].sep > by_chance * (1 + tol):
            for step in chain(*held):
                yield step
                n_yielded += 1
            held = []
    if n_yielded == 0:
        yield from held[0]


def _shuffled(left: Choices, m: int) -> Choices:
    """The shuffled columns of what is left to choose."""
    return Choices((), left.singles + m, tuple(tuple(f + m for f in b) for b in left.bundles))
