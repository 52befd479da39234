"""How many features: go on while the best feature does better than chance.

The reference for a step is the same table with its rows shuffled: every candidate keeps its values
and its relations to the other candidates, but has lost its tie to the classes and to the features
chosen so far. The best of the shuffled candidates is what the best of as many features reaches by
chance. The p-value of a step is the share of the shuffles, the real order among them, that come
within a share ``tol`` of the real best. The search ends at the first p-value above ``level``.

If no feature has to do with the classes, the real order is one shuffle like the others, so the
first p-value is at most ``level`` in that share of all tables: this is how often anything is found.
"""

import math
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from s2fs._core.problem import blocks
from s2fs._engine.protocol import Criterion
from s2fs._search.choices import Choices, Group
from s2fs._search.forward import Step, extensions, forward
from s2fs._util.types import Floats, Indices

#: The number of shuffles, at least; a lower level takes more.
N_SHUFFLES = 19


class Table(NamedTuple):
    """What a criterion is made of: columns, classes and weights of the rows."""

    X: Any
    codes: Indices
    sample_weight: Floats | None


class _Move(NamedTuple):
    """A group that joins, and what was left to choose from before."""

    steps: list[Step]
    left: Choices


def in_order_of_contents(X: Any, codes: Indices, sample_weight: Floats | None) -> Table:
    """The table with its rows in an order that depends on what they hold.

    So a shuffle is the same whatever order the rows come in. Names of the classes, and order, sign
    and scale of the columns do not matter either: the order is that of distances from the mean, in
    scaled columns. Equal rows of a class become one that has their weight, so a row of weight 2 is
    as good as two copies.
    """
    distance, fourth, line = np.round(_keys(X, sample_weight), 10)
    order = np.lexsort((codes, line, fourth, distance))
    repeats = _repeats(X[order], codes[order], distance[order])
    if repeats.any():
        weight = np.ones(len(codes)) if sample_weight is None else sample_weight
        kept = np.flatnonzero(~repeats)
        sample_weight, order = np.add.reduceat(weight[order], kept), order[kept]
    elif sample_weight is not None:
        sample_weight = sample_weight[order]
    return Table(X[order], codes[order], sample_weight)


def _keys(X: Any, sample_weight: Floats | None) -> Floats:
    """Three numbers for each row that tell rows apart, relative to the largest.

    They are the sums over the columns of the second and the fourth power of its difference from the
    mean of all rows, and, if that is not enough, its place along a fixed line.
    """
    n, m = X.shape
    weight = np.ones(n) if sample_weight is None else sample_weight
    line = np.random.default_rng(0).random(m)
    keys = np.zeros((3, n))
    for some in blocks(np.arange(m), n):
        columns = X[:, some]
        columns = (columns.toarray() if sparse.issparse(X) else columns).T.astype(np.float64)
        missing = np.isnan(columns)
        lower = np.fmin.reduce(columns, axis=1)[:, None]
        with np.errstate(over="ignore", invalid="ignore"):  # a range may overflow: refused later
            columns -= lower
            width = np.fmax.reduce(columns, axis=1)[:, None]
            columns /= np.where(width > 0, width, 1.0)
        columns[missing] = 0.0
        count = (~missing * weight).sum(axis=1)[:, None]
        columns -= (columns @ weight)[:, None] / np.where(count > 0, count, 1.0)
        columns[missing] = 0.0
        keys[2] += line[some] @ columns
        columns *= columns
        keys[0] += columns.sum(axis=0)
        columns *= columns
        keys[1] += columns.sum(axis=0)
    most = np.abs(keys).max(axis=1, keepdims=True)
    return keys / np.where(most > 0, most, 1.0)


def _repeats(X: Any, codes: Indices, key: Floats) -> NDArray[np.bool_]:
    """Mask of the rows that equal the one before, and have its class."""
    suspects = np.flatnonzero((key[1:] == key[:-1]) & (codes[1:] == codes[:-1])) + 1
    repeats = np.zeros(len(codes), dtype=bool)
    differ = X[suspects] != X[suspects - 1]
    repeats[suspects] = np.asarray(differ.sum(axis=1)).ravel() == 0
    return repeats


class Chance:
    """How far a forward search comes before chance explains its steps.

    Parameters
    ----------
    table : Table
        The rows, in an order of their own.
    criterion : callable
        Makes the criterion of the empty subset of columns, classes and weights.
    level : float
        The largest p-value of a step.
    tol : float
        A shuffle counts against a step if its score is not smaller by more than this share.
    """

    def __init__(
        self, table: Table, criterion: Callable[..., Criterion], level: float, tol: float
    ) -> None:
        self._table, self._criterion, self._tol = table, criterion, tol
        n_shuffles = max(N_SHUFFLES, math.ceil(2 / level) - 1)
        rng, n = np.random.default_rng(0), len(table.codes)
        self._orders = [rng.permutation(n) for _ in range(n_shuffles)]
        self._n_allowed = math.floor(level * (n_shuffles + 1) * (1 + 1e-9)) - 1

    def forward(self, criterion: Criterion, choices: Choices) -> Iterator[Step]:
        """Run :func:`forward` while it beats chance; the last part of each step is its p-value.

        What the search has to start with is not tested and has the p-value NaN. The criterion may
        already have more features than were yielded.
        """
        group_of = {f: group for group in choices.groups for f in group}
        steps = forward(criterion, choices.n_features, choices, ahead=False)
        taken = list(islice(steps, len(choices.included)))
        yield from (_with(step, math.nan) for step in taken)
        n_features = choices.n_features
        left, n_moves = choices.fitting(n_features), 1
        while left:
            moves: list[_Move] = []
            while left and len(moves) < n_moves:
                step = next(steps)
                group = group_of.get(step.feature, (step.feature,))
                moves.append(_Move([step, *islice(steps, len(group) - 1)], left))
                left = left.minus([group]).fitting(n_features)
            p_values = self._p_values([step.feature for step in taken], moves)
            for move, p_value in zip(moves, p_values, strict=False):
                taken += move.steps
                yield from (_with(step, p_value) for step in move.steps)
            if len(p_values) < len(moves):
                return
            n_moves *= 4

    def _p_values(self, before: list[int], moves: list[_Move]) -> list[float]:
        """The p-values of moves that follow ``before``, up to the first that is too large."""
        beaten = np.zeros(len(moves), dtype=np.intp)
        for order in self._orders:
            for i, score in enumerate(self._by_chance(order, before, moves)):
                beaten[i] += score * (1 + self._tol) >= moves[i].steps[-1].score
            failed = np.flatnonzero(beaten > self._n_allowed)
            if len(failed):
                moves, beaten = moves[: failed[0]], beaten[: failed[0]]
            if not moves:
                break
        return ((1 + beaten) / (1 + len(self._orders))).tolist()

    def _by_chance(self, order: Indices, before: list[int], moves: list[_Move]) -> Iterator[float]:
        """The score that the best of the shuffled candidates would have at each move."""
        X, codes, sample_weight = self._table
        real = [*before, *(step.feature for move in moves for step in move.steps)]
        parts = [X[:, real], X[order]]
        both = sparse.hstack(parts, format="csc") if sparse.issparse(X) else np.hstack(parts)
        criterion = self._criterion(both, codes, sample_weight)
        for feature in range(len(before)):
            criterion.add(feature)
        feature = len(before)
        for move in moves:
            ((_, scored),) = extensions(criterion, _shifted(move.left, len(real)))
            yield float(scored.scores[0])
            for _ in move.steps:
                criterion.add(feature)
                feature += 1


def _with(step: Step, p_value: float) -> Step:
    return step._replace(parts=np.append(step.parts, p_value))


def _shifted(left: Choices, by: int) -> Choices:
    """What is left to choose among columns that stand further right."""
    groups: tuple[Group, ...] = tuple(tuple(f + by for f in group) for group in left.groups)
    return Choices((), left.singles + by, groups)
