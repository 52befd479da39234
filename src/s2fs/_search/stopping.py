"""How many features: go on while the best feature does better than by chance.

The reference for a step are permuted tables (:mod:`s2fs._search.permutations`): every candidate
keeps its values and its relations to the other candidates, but has lost its tie to the classes and
to the features selected so far. The best of the permuted candidates is what the best of as many
features reaches by chance. The p-value of a step is the share of the permutations, the real order
among them, that come within a share ``tol`` of the real best. The search ends at the first p-value
above ``level``.

If no feature has to do with the classes, the real order is one permutation like the others, so the
first p-value is at most ``level`` in that share of all tables: this is how often anything is
selected.
"""

import math
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy import sparse

from s2fs._engine.protocol import Criterion
from s2fs._search.choices import Choices, Group
from s2fs._search.forward import Step, extensions, forward
from s2fs._search.permutations import Permutations, Samples
from s2fs._util.types import Indices

#: The number of permutations, at least; a lower level takes more.
N_PERMUTATIONS = 19


class _Move(NamedTuple):
    """A group that joins, and what was left to choose from before."""

    steps: list[Step]
    left: Choices


class PermutationStop:
    """How far a forward search comes before chance explains its steps.

    Parameters
    ----------
    samples : Samples
        The samples, in an order of their own.
    criterion : callable
        Makes the criterion of the empty subset of features, classes and weights.
    level : float
        The largest p-value of a step.
    tol : float
        A permutation counts against a step if its score is not smaller by more than this share.
    """

    def __init__(
        self, samples: Samples, criterion: Callable[..., Criterion], level: float, tol: float
    ) -> None:
        self._samples, self._criterion, self._tol = samples, criterion, tol
        n_permutations = max(N_PERMUTATIONS, math.ceil(2 / level) - 1)
        self._permutations = Permutations(samples, n_permutations, np.random.default_rng(0))
        #: The p-value of a feature that no permutation comes near.
        self.smallest_p_value = 1 / (1 + len(self._permutations))
        self._n_allowed = math.floor(level / self.smallest_p_value * (1 + 1e-9)) - 1
        given = [name for name in ("covariates", "groups") if getattr(samples, name) is not None]
        if self._n_allowed < 0 and given:
            raise ValueError(
                f"{' and '.join(given)} allow {1 + len(self._permutations)} distinct order(s) of "
                f"the samples, so no p-value of 'auto' is below {self.smallest_p_value:.2g}, but "
                f"level={level}; give a number of features, a higher level, or leave "
                f"{' or '.join(given)} out."
            )
        self._adjusted = samples.adjusted

    def start(self) -> Criterion:
        """The criterion of the empty subset of the samples as they are."""
        return self._criterion(self._adjusted, self._samples.codes, self._samples.sample_weight)

    def forward(self, criterion: Criterion, choices: Choices) -> Iterator[Step]:
        """Run :func:`forward` while it beats the permutations.

        The last part of each step is its p-value. What the search has to start with is not tested
        and has the p-value NaN. The criterion may already have more features than were yielded.
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
        if self._n_allowed < 0:  # no p-value can be small enough
            return []
        beaten = np.zeros(len(moves), dtype=np.intp)
        for order in self._permutations.orders:
            for i, score in enumerate(self._permuted_scores(order, before, moves)):
                beaten[i] += score * (1 + self._tol) >= moves[i].steps[-1].score
            failed = np.flatnonzero(beaten > self._n_allowed)
            if len(failed):
                moves, beaten = moves[: failed[0]], beaten[: failed[0]]
            if not moves:
                break
        return ((1 + beaten) / (1 + len(self._permutations))).tolist()

    def _permuted_scores(
        self, order: Indices, before: list[int], moves: list[_Move]
    ) -> Iterator[float]:
        """The score that the best of the permuted candidates would have at each move."""
        selected = [*before, *(step.feature for move in moves for step in move.steps)]
        permuted = self._permutations.apply(order)
        parts = [self._adjusted[:, selected], permuted.adjusted]
        sparse_parts = sparse.issparse(parts[1])
        both = sparse.hstack(parts, format="csc") if sparse_parts else np.hstack(parts)
        criterion = self._criterion(both, permuted.codes, permuted.sample_weight)
        for feature in range(len(before)):
            criterion.add(feature)
        feature = len(before)
        for move in moves:
            ((_, scored),) = extensions(criterion, _shifted(move.left, len(selected)))
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
