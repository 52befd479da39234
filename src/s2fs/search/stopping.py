"""How many features: go on while the best feature does better than permuted ones.

The reference of a step are permuted tables (:mod:`s2fs.search.permutation`): every candidate keeps
its values and its relations to the other candidates, but has lost its tie to the classes and to the
features selected so far. The p-value of a step is the fraction of permutations, the observed order
among them, whose best candidate reaches (1 − tol) × the observed score. The search ends at the
first p-value above ``level``.

If no feature has to do with the classes, the observed order is one permutation like the others, so
the first p-value is at most ``level`` in that share of all tables: this is how often anything is
selected.
"""

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from s2fs._utils.messages import format_count
from s2fs._utils.types import Indices
from s2fs.criteria.protocol import Criterion
from s2fs.search.constraints import Constraints
from s2fs.search.forward import Step, best_extension, eligible, forward
from s2fs.search.permutation import Permutations
from s2fs.search.samples import Samples

#: The number of permutations, at least; a lower level takes more.
N_PERMUTATIONS = 19
#: How many moves the first permutation is compared with at first.
N_FIRST_MOVES = 4
#: It goes on until it has reached so many: the search rarely goes further.
N_BEYOND = 3
#: Room for the selected features behind the candidates.
N_SPARE_COLUMNS = 64


class _Move(NamedTuple):
    """A group that joins, and what could have been selected in its place."""

    steps: list[Step]
    left: Constraints


class PermutationStop:
    """Stops a forward search at the first step whose permutation p-value exceeds ``level``.

    Parameters
    ----------
    samples : Samples
        The samples, in an order that depends on their contents only.
    make_criterion : callable
        Makes the criterion of the empty subset from features, classes and weights.
    level : float
        The largest p-value of a step.
    tol : float
        A permutation counts against a step unless its score is smaller by more than this share.
    is_columnwise : bool, default=True
        Whether the score of a set of features depends on no feature outside of it. If it does, as
        that of PairCover, which learns from all how far correlations count, the number of features
        in a permuted table matters, and grows step by step.
    """

    def __init__(
        self,
        samples: Samples,
        make_criterion: Callable[..., Criterion],
        level: float,
        tol: float,
        *,
        is_columnwise: bool = True,
    ) -> None:
        self._samples, self._make_criterion, self._tol = samples, make_criterion, tol
        self._is_columnwise = is_columnwise
        n_permutations = max(N_PERMUTATIONS, math.ceil(2 / level) - 1)
        self._permutations = Permutations(samples, n_permutations, np.random.default_rng(0))
        #: The p-value of a feature that no permutation comes near.
        self.smallest_p_value = 1 / (1 + len(self._permutations))
        self._n_allowed = math.floor(level / self.smallest_p_value * (1 + 1e-9)) - 1
        limiting = [name for name in ("covariates", "groups") if getattr(samples, name) is not None]
        if self._n_allowed < 0 and limiting:
            raise ValueError(
                f"{' and '.join(limiting)} allow "
                f"{format_count(1 + len(self._permutations), 'distinct order')} of the samples, so "
                f"no p-value of 'auto' is below {self.smallest_p_value:.2g}, but level={level}; "
                f"give a number of features, a higher level, or leave {' or '.join(limiting)} out."
            )
        self._adjusted = samples.adjusted

    def start(self) -> Criterion:
        """The criterion of the empty subset of the samples as they are."""
        samples = self._samples
        return self._make_criterion(self._adjusted, samples.codes, samples.sample_weight)

    def forward(self, criterion: Criterion, constraints: Constraints) -> Iterator[Step]:
        """Run :func:`forward` while it beats the permutations.

        The last part of each step is its p-value. What the search has to start with is not tested
        and has the p-value NaN. The criterion may already hold features not yet yielded.
        """
        steps = forward(criterion, constraints.n_features, constraints, in_batches=False)
        selected: list[int] = []
        for step in islice(steps, sum(map(len, constraints.included))):
            selected.append(step.feature)
            yield _add_p_value(step, math.nan)
        coming, n_ahead = self._group_into_moves(steps, constraints), 1
        while True:
            if self._is_columnwise:
                moves, n_reached, rest = self._promising_moves(selected, coming)
                coming = chain(rest, coming)
                p_values = self._compute_p_values(selected, moves, n_reached)
            else:
                moves = list(islice(coming, n_ahead))
                p_values = self._compute_p_values(selected, moves)
            for move, p_value in zip(moves, p_values, strict=False):
                for step in move.steps:
                    selected.append(step.feature)
                    yield _add_p_value(step, p_value)
            if not moves or len(p_values) < len(moves):
                return
            n_ahead *= 4

    def _group_into_moves(self, steps: Iterator[Step], constraints: Constraints) -> Iterator[_Move]:
        """The groups that join one after the other, after what the search has to start with."""
        group_of = {f: group for group in constraints.groups for f in group}
        left = constraints.that_fit(constraints.n_features)
        while left:
            step = next(steps)
            group = group_of.get(step.feature, (step.feature,))
            yield _Move([step, *islice(steps, len(group) - 1)], left)
            left = left.after_adding([group]).that_fit(constraints.n_features)

    def _promising_moves(
        self, selected: list[int], coming: Iterator[_Move]
    ) -> tuple[list[_Move], Indices, list[_Move]]:
        """Moves that are worth comparing with all permutations, and which the first one reaches.

        The first permutation alone tells about how far the search will come. So the others are
        made once, not again and again for moves of which nobody knows how many there will be. The
        moves beyond follow.
        """
        moves = list(islice(coming, N_FIRST_MOVES))
        while True:
            n_reached = np.zeros(len(moves), dtype=np.intp)
            if self._n_allowed < 0 or not moves:  # no p-value can be small enough
                return moves, n_reached, []
            n_counted = self._count_reached(
                self._permutations.orders[0], selected, moves, n_reached, N_BEYOND
            )
            more = [] if n_reached.any() else list(islice(coming, len(moves)))
            if not more:
                return moves[:n_counted], n_reached[:n_counted], moves[n_counted:]
            moves += more

    def _compute_p_values(
        self, selected: list[int], moves: list[_Move], n_reached: Indices | None = None
    ) -> list[float]:
        """The p-values of moves that follow ``selected``, up to the first that is too large.

        Which moves the first permutation reaches may be known already.
        """
        if self._n_allowed < 0 or not moves:
            return []
        orders = self._permutations.orders
        if n_reached is None:
            n_reached = np.zeros(len(moves), dtype=np.intp)
        else:
            orders = orders[1:]
            moves, n_reached = self._before_first_fail(moves, n_reached)
        for order in orders:
            if moves:
                self._count_reached(order, selected, moves, n_reached)
                moves, n_reached = self._before_first_fail(moves, n_reached)
        return ((1 + n_reached) / (1 + len(self._permutations))).tolist()

    def _before_first_fail(
        self, moves: list[_Move], n_reached: Indices
    ) -> tuple[list[_Move], Indices]:
        """The moves before the first one that too many permutations reach."""
        failed = np.flatnonzero(n_reached > self._n_allowed)
        n_left = int(failed[0]) if len(failed) else len(moves)
        return moves[:n_left], n_reached[:n_left]

    def _count_reached(
        self,
        order: Indices,
        selected: list[int],
        moves: list[_Move],
        n_reached: Indices,
        most: int | None = None,
    ) -> int:
        """Add 1 for every move whose score is reached by the best of the permuted candidates.

        It ends with the first move that too many permutations reach, as no later one counts, or
        after ``most`` that this one reaches. Returns how many moves were looked at.
        """
        observed = [*selected, *(step.feature for move in moves for step in move.steps)]
        criterion = self._make_permuted_criterion(order, observed)
        feature = self._samples.X.shape[1]  # the observed features stand behind the candidates
        for _ in selected:
            criterion.add(feature)
            feature += 1
        n_here = 0
        for i, move in enumerate(moves):
            score = move.steps[-1].score
            # A little less than asked for: rounding must not decide what is looked at.
            at_least = score / (1 + self._tol) * (1 - 1e-9)
            permuted_score = _find_best_score(criterion, move.left, at_least)
            is_reached = permuted_score * (1 + self._tol) >= score
            n_reached[i] += is_reached
            n_here += is_reached
            if n_reached[i] > self._n_allowed or n_here == most:
                return i + 1
            for _ in move.steps:
                criterion.add(feature)
                feature += 1
        return len(moves)

    def _make_permuted_criterion(self, order: Indices, observed: list[int]) -> Criterion:
        """The criterion of permuted candidates, followed by some features as they are."""
        samples = self._samples
        if self._permutations.moves_whole_samples:
            # Candidates stay where they are, and all else moves the other way: the same samples.
            rows = np.argsort(order)
            weight = None if samples.sample_weight is None else samples.sample_weight[rows]
            table = self._candidates.followed_by(self._adjusted[:, observed][rows])
            return self._make_criterion(table, samples.codes[rows], weight)
        permuted = self._permutations.apply(order)
        table = _Candidates(permuted.adjusted).followed_by(self._adjusted[:, observed])
        return self._make_criterion(table, permuted.codes, permuted.sample_weight)

    @cached_property
    def _candidates(self) -> "_Candidates":
        return _Candidates(self._adjusted)


class _Candidates:
    """A table that other columns are put behind, again and again, without a copy of it each time.

    Parameters
    ----------
    X : ndarray or csc_array of shape (n_samples, n_features)
        The table.
    """

    def __init__(self, X: Any) -> None:
        self._X = X
        self._joined = X

    def followed_by(self, columns: Any) -> Any:
        """The table with some columns behind it; those of the call before are lost."""
        if sparse.issparse(self._X):
            return sparse.hstack([self._X, columns], format="csc")
        n_samples, m = self._X.shape
        n_columns = m + columns.shape[1]
        if self._joined.shape[1] < n_columns:  # leave some room: searches look further and further
            self._joined = np.empty((n_samples, n_columns + N_SPARE_COLUMNS), self._X.dtype)
            self._joined[:, :m] = self._X
        self._joined[:, m:n_columns] = columns
        return self._joined[:, :n_columns]


def _find_best_score(criterion: Criterion, left: Constraints, at_least: float) -> float:
    """The largest score of what is left, or any smaller number if that is below ``at_least``."""
    if not left.groups and hasattr(criterion, "best_score"):
        candidates = eligible(criterion.distinct, left).singles
        return float(criterion.best_score(candidates, at_least))
    _, scored = best_extension(criterion, Constraints((), left.singles, left.groups))
    return float(scored.scores[0])


def _add_p_value(step: Step, p_value: float) -> Step:
    return step._replace(parts=np.append(step.parts, p_value))
