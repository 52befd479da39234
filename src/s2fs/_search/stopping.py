"""How many features: go on while the best feature does better than chance.

The reference for a step is the same table with its rows shuffled: every candidate keeps its values
and its relations to the other candidates, but has lost its tie to the classes and to the features
chosen so far. The best of the shuffled candidates is what the best of so many features reaches by
chance. The search ends when the real ones no longer beat it by a share ``tol`` of Sep.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from s2fs._engine.protocol import State
from s2fs._search.choices import Choices
from s2fs._search.forward import Step, extensions, forward
from s2fs._util.types import Floats, Indices

#: So many steps in a row must be no better than chance: a feature that is only useful together with
#: the next one is no reason to stop.
PATIENCE = 3


def with_shuffled_rows(
    X: Any, codes: Indices, omega: Floats | None
) -> tuple[Any, Indices, Floats | None]:
    """The table, and beside it the same columns with their rows shuffled, always in one way.

    Equal rows of a class are merged to one that has their weight, and the shuffle starts from an
    order that depends on the contents of the rows. So it is the same whatever order they come in,
    and for a row of weight 2 as for two copies.

    Returns
    -------
    X, codes, omega
        The doubled table, and the classes and weights of its rows.
    """
    rng = np.random.default_rng(0)
    key = X @ rng.random(X.shape[1])
    order = np.lexsort((key, codes))
    repeats = _repeats(X[order], codes[order], key[order])
    if repeats.any():
        mass = np.ones(len(codes)) if omega is None else omega
        kept = np.flatnonzero(~repeats)
        omega, order = np.add.reduceat(mass[order], kept), order[kept]
    elif omega is not None:
        omega = omega[order]
    X, codes = X[order], codes[order]
    shuffled = X[rng.permutation(len(order))]
    if sparse.issparse(X):
        return sparse.hstack([X, shuffled], format="csc"), codes, omega
    return np.hstack([X, shuffled]), codes, omega


def _repeats(X: Any, codes: Indices, key: Floats) -> NDArray[np.bool_]:
    """Mask of the rows that equal the one before; equal rows have almost equal keys."""
    close = np.isclose(key[1:], key[:-1], rtol=1e-9, atol=0) & (codes[1:] == codes[:-1])
    suspects = np.flatnonzero(close) + 1
    repeats = np.zeros(len(codes), dtype=bool)
    differ = X[suspects] != X[suspects - 1]
    repeats[suspects] = np.asarray(differ.sum(axis=1)).ravel() == 0
    return repeats


def forward_until_chance(
    state: State, alpha: float, beta: float, choices: Choices, tol: float
) -> Iterator[Step]:
    """Run :func:`forward` while it beats chance, on a table made by :func:`with_shuffled_rows`."""
    held: list[Step] = []  # what did not beat chance, until something after it does
    n_found = n_failed = 0
    for steps, by_chance in against_chance(state, alpha, beta, choices):
        held += steps
        n_failed += 1
        if steps[-1].sep > by_chance * (1 + tol) or n_found == 0:
            yield from held
            n_found += len(held)
            held, n_failed = [], 0
        if n_failed == PATIENCE:
            break


def against_chance(
    state: State, alpha: float, beta: float, choices: Choices
) -> Iterator[tuple[list[Step], float]]:
    """The units of a forward search, each with the Sep that the best shuffled one would have.

    What the search has to start with comes first and is compared with 0.
    """
    m = state.problem.n_features // 2
    bundle_of = {f: bundle for bundle in choices.bundles for f in bundle}
    steps = forward(state, choices.n_features, alpha, beta, choices)
    if choices.first:
        yield list(islice(steps, len(choices.first))), 0.0
    left = choices
    while left:
        ((_, parts),) = extensions(state, _shuffled(left, m), alpha, beta)
        step = next(steps)
        unit = bundle_of.get(step.feature, (step.feature,))
        yield [step, *islice(steps, len(unit) - 1)], float(parts.separability(alpha, beta)[0])
        left = left.minus([unit])


def _shuffled(left: Choices, m: int) -> Choices:
    """The shuffled columns of what is left to choose."""
    return Choices((), left.singles + m, tuple(tuple(f + m for f in b) for b in left.bundles))
