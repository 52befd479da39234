"""What a search asks of an engine.

Two interfaces meet here. A :class:`Criterion` is what every search works with: the criterion of a
subset that grows feature by feature. A :class:`State` holds what S²FS needs to know of a subset for
any weighting; :class:`~s2fs._native.separability.Separability` makes a criterion of it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.types import Floats, Indices
from s2fs.criteria.separability import EQUAL, Components

Weights = tuple[float, float]  # (alpha, beta)


class Scored(NamedTuple):
    """What a criterion says of a subset joined by each of some candidates.

    Attributes
    ----------
    scores : ndarray of shape (n_candidates,)
        The criterion; larger is better.
    parts : ndarray of shape (n_parts, n_candidates)
        The quantities the criterion is made of, for the record.
    """

    scores: Floats
    parts: Floats


class Criterion(Protocol):
    """The criterion of a growing subset, empty at first.

    A search asks these four calls. It asks three others where a criterion has them, which is
    faster:

    * ``run(candidates, n_steps)`` lets the best candidate join so many times, and yields each with
      its score and parts; the subset may already hold features not yet yielded.
    * ``best_score(candidates, at_least)`` is the largest score of the candidates, or any smaller
      one if that is below ``at_least``.
    * ``best_group(groups)`` does what :func:`best_group_by_trial` does.
    """

    @property
    def distinct(self) -> NDArray[np.bool_]:
        """Mask of the features that need not wait until no other is left.

        Constant features wait, and, by a criterion that tells, copies of a feature of the subset.
        """

    def shortlist(self, candidates: Indices, n_best: int = 1) -> Indices:
        """The candidates that may have one of the ``n_best`` largest scores, increasing."""

    def score(self, candidates: Indices) -> Scored:
        """The criterion of the subset joined by each candidate, in double precision."""

    def add(self, feature: int) -> None:
        """Let a feature join the subset."""

    def copy(self) -> Self:
        """An independent criterion of the same subset."""


class State(Protocol):
    """What S²FS needs to know of a growing subset, whatever the weights."""

    problem: Any

    def shortlists(
        self, candidates: Indices, weights: list[Weights], n_best: int = 1
    ) -> list[Indices]:
        """For each weighting (alpha, beta) the candidates that may have the largest Sep.

        With ``n_best`` those that may be among that many best, or equal the last of them.
        """

    def score(self, candidates: Indices) -> Components:
        """The components of the subset joined by each candidate, in double precision."""

    def add(self, feature: int) -> None:
        """Let a feature join the subset."""

    def copy(self) -> Self:
        """An independent state of the same subset."""


def best_group_by_trial(
    criterion: Criterion, groups: Sequence[Sequence[int]]
) -> tuple[int, Scored]:
    """The position of the group that is best to join as a whole, and the score of the subset then.

    Of equal ones the first. Each group joins a copy of the criterion.
    """
    scored = []
    for group in groups:
        joined = criterion.copy()
        for feature in group[:-1]:
            joined.add(feature)
        scored.append(joined.score(np.array(group[-1:])))
    scores = np.concatenate([one.scores for one in scored])
    if np.isnan(scores).all():
        raise no_number()
    best = int(np.argmax(may_be_best(scores, scores)))
    return best, scored[best]


def no_number() -> ValueError:
    """The error of a search in which no candidate has a number for a score."""
    return ValueError(
        "The score of no feature is a number; X or the weights hold values too extreme to be "
        "squared, so scale them."
    )


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
    """For each weighting (alpha, beta) the candidates with the largest Sep, given their scores."""
    seps = (scores.separability(*pair) for pair in weights)
    return [candidates[may_be_best(sep, sep, n_best)] for sep in seps]
