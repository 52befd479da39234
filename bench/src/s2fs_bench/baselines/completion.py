"""From a search that stops to a ranked list of any length.

Most baselines were published as searches for a *reduct*: they add features until nothing improves,
often after a handful. A ranked list of ``k`` features therefore needs a rule for what follows, and
:func:`complete` is the one place where those rules live.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import StrOptions

from s2fs._utils.types import Floats, Indices
from s2fs.baselines.base import Baseline, Ranked, fill_in

#: How a list goes on where a search stops.
Rule = Literal["importance", "index", "restart", "greedy"]
#: What a user may ask for: a rule, or the one that comes nearest to the paper.
Completion = Literal[Rule, "published"]
#: What the parameter ``completion`` of a baseline may be.
COMPLETION = StrOptions({"importance", "index", "restart", "published"})
#: The same where the search may also go on past its stop.
COMPLETION_OR_GREEDY = StrOptions({"importance", "index", "restart", "published", "greedy"})

#: What stands in the docstring of such a baseline for ``{name}``, with its own rule filled in.
_SHARED_DOCS = {
    "completion": """\
completion : {"importance", "index", "published", "restart"}, default="importance"
    What follows where the search stops. {completions}""",
    "completions": """\
"importance" is fair: the search goes on while its
    criterion rises, then the other features follow by their own score. "index" appends the others
    in the order of the columns, which says nothing about them. "published" is the rule that comes
    nearest to the numbers of the S²FS paper, here "{published_completion}". "restart" searches
    again among the features that are left, group after group.""",
}
#: Scores that differ by less than this, relative to the larger of 1 and their size, are equal.
TIE = 1e-12
#: How many stale candidates a lazy step looks at together; the choice does not depend on it.
_LAZY_BATCH = 16


class StoppingBaseline(Baseline):
    """A baseline that stops by itself, with a rule for what follows.

    ``published_completion`` is the rule that comes nearest to the numbers of the S²FS paper, which
    ``completion="published"`` stands for. ``docs/baselines.md`` is the study. In its
    docstring ``{completion}``, or ``{completions}`` inside of a text of its own, is filled in.
    """

    published_completion: ClassVar[Rule]
    completion: Completion

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__doc__ is not None:
            own = {"published_completion": cls.published_completion}
            cls.__doc__ = fill_in(cls.__doc__, {**_SHARED_DOCS, **own})

    @property
    def _rule(self) -> Rule:
        return self.published_completion if self.completion == "published" else self.completion


class Subset(ABC):
    """A growing set of features, with whatever its criterion needs to know about it.

    ``empty`` is the criterion of the empty set; at -inf the first feature is always accepted. At
    ``target`` the original algorithm stops. In a ``submodular`` one the gain by a feature only
    shrinks as the set grows: candidates whose last known gain is too small to win are then
    skipped; needs a finite ``empty``.
    """

    empty: float = -np.inf
    target: float = np.inf
    submodular: bool = False

    @abstractmethod
    def score(self, candidates: Indices) -> Floats:
        """Return the criterion of the set with each candidate added alone; larger is better."""

    @abstractmethod
    def add(self, feature: int) -> None:
        """Put a feature in for good."""


def complete(
    new_subset: Callable[[], Subset],
    n_features: int,
    k: int,
    completion: Rule = "importance",
    *,
    delta: float = 0.0,
    importance: Floats | None = None,
    tie_break: Floats | None = None,
    precedence: Indices | None = None,
) -> Ranked:
    """Rank ``k`` features by a greedy forward search and a rule for what follows its stop.

    The original algorithm stops when the best candidate raises the criterion by no more than
    ``delta``, or when the criterion has reached its target. That place is recorded as ``peak``;
    then ``completion`` decides:

    - "importance": search as long as the criterion rises at all, then append the rest by
      importance.
    - "index": append the rest to what the original algorithm returns, in the order of the columns.
    - "restart": freeze the group the original algorithm returns, start anew on the features that
      are left, and append group after group. When a group stays empty the rest follows by
      importance.
    - "greedy": go on searching, even where the criterion falls.

    The importance is by default the criterion of each feature alone; features of equal importance
    are appended in the order of ``tie_break``, largest first. Ties in the search are settled by
    ``precedence``, smallest first, which is by default the place by importance, then the index.
    """
    # Every search begins with the empty set, so the first step of all of them is scored only once.
    alone = new_subset().score(np.arange(n_features))
    if importance is None:
        importance = alone
    if precedence is None:
        precedence = np.empty(n_features, dtype=np.intp)
        precedence[argsort_descending(importance)] = np.arange(n_features)
    free = np.ones(n_features, dtype=bool)
    indices: list[int] = []
    scores: list[float] = []
    peak: int | None = None

    starting = True
    while starting and len(indices) < k:
        starting = False
        subset = new_subset()
        value = subset.empty
        for feature, score in _greedy(subset, free, alone, precedence):
            rises = _exceeds(score, value)
            stops = not rises or score - value <= delta or value >= subset.target - TIE
            if stops and peak is None:
                peak = len(indices)
            if stops and completion in ("restart", "index"):
                break
            if not rises and completion == "importance":
                break
            indices.append(feature)
            scores.append(score)
            free[feature] = False
            value = score
            starting = completion == "restart"
            if len(indices) == k:
                break

    in_order = completion == "index"
    rest = np.arange(n_features) if in_order else argsort_descending(importance, tie_break)
    rest = rest[free[rest]][: k - len(indices)]
    return Ranked(
        np.concatenate([np.array(indices, dtype=np.intp), rest]),
        np.concatenate([np.array(scores), importance[rest]]),
        len(indices) if peak is None else peak,
    )


def _greedy(
    subset: Subset, free: NDArray[np.bool_], alone: Floats, precedence: Indices
) -> Iterator[tuple[int, float]]:
    """Offer the best free feature and its score, without end; resuming adds it."""
    scores = alone.copy()
    gains = alone - subset.empty  # upper bounds of the gains, if submodular
    candidates = np.flatnonzero(free)
    while True:
        best = scores[candidates].max()
        tied = candidates[~_exceeds(best, scores[candidates])]
        feature = int(tied[precedence[tied].argmin()])
        value = float(scores[feature])
        yield feature, value
        subset.add(feature)
        candidates = np.flatnonzero(free)
        if subset.submodular:
            candidates = _score_promising(subset, candidates, value, gains, scores)
        else:
            scores[candidates] = subset.score(candidates)


def _score_promising(
    subset: Subset, candidates: Indices, value: float, gains: Floats, scores: Floats
) -> Indices:
    """Score candidates, best bound first, until no other can win or tie; return the scored ones."""
    by_bound = candidates[np.argsort(-gains[candidates], kind="stable")]
    start, best = 0, -np.inf
    while start < len(by_bound):
        batch = by_bound[start : start + _LAZY_BATCH]
        # Twice the tie band, because a bound carries its own rounding error.
        if value + gains[batch[0]] < best - 2 * TIE * max(1.0, abs(best)):
            break
        scores[batch] = subset.score(batch)
        gains[batch] = scores[batch] - value
        best = max(best, float(scores[batch].max()))
        start += len(batch)
    return by_bound[:start]


def _exceeds(a: Any, b: Any) -> Any:
    """Whether ``a`` is larger than ``b`` by more than a tie."""
    with np.errstate(invalid="ignore"):
        return a - b > TIE * np.maximum(1.0, np.abs(a))


def argsort_descending(values: Floats, tie_break: Floats | None = None) -> Indices:
    """Order by decreasing value, then by decreasing ``tie_break``, then by index."""
    # Rounding to the tie band makes equal what differs by the order of a sum only.
    keys = [-_round_to_tie(values)]
    if tie_break is not None:
        keys.insert(0, -_round_to_tie(tie_break))
    return np.lexsort(keys)  # the last key counts first


def _round_to_tie(values: Floats) -> Floats:
    scale = max(1.0, float(np.abs(values).max(initial=0.0)))
    return np.asarray(np.round(values / scale, 12))
