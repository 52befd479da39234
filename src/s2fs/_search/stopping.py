"""How many features: go on while the best feature does better than chance.

The reference for a step is the same table with its rows shuffled: every candidate keeps its values
and its relations to the other candidates, but has lost its tie to the classes and to the features
chosen so far. The best of the shuffled candidates is what the best of as many features reaches by
chance. The search ends when the real ones no longer beat it by a share ``tol`` of the score.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from s2fs._engine.protocol import Criterion
from s2fs._search.choices import Choices
from s2fs._search.forward import Step, extensions, forward
from s2fs._util.types import Floats, Indices

#: So many steps in a row must be no better than chance: a feature that is only useful together with
#: the next one is no reason to stop.
PATIENCE = 3


def with_shuffled_rows(
    X: Any, codes: Indices, sample_weight: Floats | None
) -> tuple[Any, Indices, Floats | None]:
    """The table, and beside it the same columns with their rows shuffled, always in one way.

    Equal rows of a class are merged to one that has their weight, and the shuffle starts from an
    order that depends on the contents of the rows. So it is the same whatever order they come in,
    and for a row of weight 2 as for two copies.

    Returns
    -------
    X, codes, sample_weight
        The doubled table, and the classes and weights of its rows.
    """
    rng = np.random.default_rng(0)
    key = X @ rng.random(X.shape[1])
    order = np.lexsort((key, codes))
    repeats = _repeats(X[order], codes[order], key[order])
    if repeats.any():
        weight = np.ones(len(codes)) if sample_weight is None else sample_weight
        kept = np.flatnonzero(~repeats)
        sample_weight, order = np.add.reduceat(weight[order], kept), order[kept]
    elif sample_weight is not None:
        sample_weight = sample_weight[order]
    X, codes = X[order], codes[order]
    shuffled = X[rng.permutation(len(order))]
    if sparse.issparse(X):
        return sparse.hstack([X, shuffled], format="csc"), codes, sample_weight
    return np.hstack([X, shuffled]), codes, sample_weight


def _repeats(X: Any, codes: Indices, key: Floats) -> NDArray[np.bool_]:
    """Mask of the rows that equal the one before; equal rows have almost equal keys."""
    close = np.isclose(key[1:], key[:-1], rtol=1e-9, atol=0) & (codes[1:] == codes[:-1])
    suspects = np.flatnonzero(close) + 1
    repeats = np.zeros(len(codes), dtype=bool)
    differ = X[suspects] != X[suspects - 1]
    repeats[suspects] = np.asarray(differ.sum(axis=1)).ravel() == 0
    return repeats


def forward_until_chance(criterion: Criterion, choices: Choices, tol: float) -> Iterator[Step]:
    """Run :func:`forward` while it beats chance, on a table made by :func:`with_shuffled_rows`."""
    held: list[Step] = []  # what did not beat chance, until something after it does
    n_found = n_failed = 0
    for steps, by_chance in against_chance(criterion, choices):
        held += steps
        n_failed += 1
        if steps[-1].score > by_chance * (1 + tol) or n_found == 0:
            yield from held
            n_found += len(held)
            held, n_failed = [], 0
        if n_failed == PATIENCE:
            break


def against_chance(criterion: Criterion, choices: Choices) -> Iterator[tuple[list[Step], float]]:
    """The groups of a forward search, each with the score that the best shuffled one would have.

    What the search has to start with comes first and is compared with 0.
    """
    m = len(criterion.varying) // 2
    group_of = {f: group for group in choices.groups for f in group}
    steps = forward(criterion, choices.n_features, choices, ahead=False)
    if choices.included:
        yield list(islice(steps, len(choices.included))), 0.0
    left = choices
    while left:
        ((_, by_chance),) = extensions(criterion, _shuffled(left, m))
        step = next(steps)
        group = group_of.get(step.feature, (step.feature,))
        yield [step, *islice(steps, len(group) - 1)], float(by_chance.scores[0])
        left = left.minus([group])


def _shuffled(left: Choices, m: int) -> Choices:
    """The shuffled columns of what is left to choose."""
    return Choices(
        (), left.singles + m, tuple(tuple(f + m for f in group) for group in left.groups)
    )
