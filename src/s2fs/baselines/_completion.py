"""What all rivals share: scaled data in, a ranked list of any length out.

Most rivals were published as searches for a *reduct*: they add features until nothing improves,
often after a handful. A ranked list of ``k`` features therefore needs a rule for what follows, and
:func:`complete` is the one place where those rules live.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import StrOptions

from s2fs._selectors.base import RankingSelector
from s2fs._util.types import Floats, Indices

Completion = Literal["importance", "restart", "greedy"]
#: Constraint of the parameter ``completion``, for ``_parameter_constraints`` of a rival.
COMPLETION: dict[str, list[Any]] = {"completion": [StrOptions({"importance", "restart"})]}
#: The same for rivals whose spec also lets the search go on past its stop.
COMPLETION_OR_GREEDY: dict[str, list[Any]] = {
    "completion": [StrOptions({"importance", "restart", "greedy"})]
}

#: Scores that differ by less than this, relative to the larger of 1 and their size, are equal.
TIE = 1e-12
#: How many stale candidates a lazy step looks at together; the choice does not depend on it.
_LAZY_BATCH = 16


class Ranked(NamedTuple):
    """A ranked list.

    Attributes
    ----------
    indices : ndarray of shape (k,)
        The features in order of choice.
    scores : ndarray of shape (k,)
        The criterion after each choice, larger is better; for a feature that was appended by
        importance, its importance.
    peak : int
        How many features the original algorithm would have returned, at most ``k``.
    """

    indices: Indices
    scores: Floats
    peak: int


class Subset(Protocol):
    """A growing set of features, with whatever its criterion needs to know about it."""

    def score(self, candidates: Indices) -> Floats:
        """Return the criterion of the set with each candidate added alone; larger is better."""

    def add(self, feature: int) -> None:
        """Put a feature in for good."""


class RivalSelector(RankingSelector):
    """Base of the rivals: min–max scaling, constant features last, and where to stop.

    A subclass implements :meth:`_rank_varying`, usually through :func:`complete`. Scores are
    turned so that larger is better, also where the literature minimises.

    Attributes
    ----------
    peak_ : int
        The number of features at which the original algorithm would have stopped. Where it does
        not stop by itself within the list, or never stops, the number of ranked features that are
        not constant.
    status : str
        How sure the algorithm is: "confirmed", "partly reconstructed" or "reconstructed".
    citation : str
        Where the algorithm was published.
    """

    status: ClassVar[str]
    citation: ClassVar[str]

    @abstractmethod
    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        """Rank the best ``k`` features of data without constant columns.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Each column min–max scaled to [0, 1] and contiguous; none constant.
        codes : ndarray of shape (n_samples,)
            Class of each instance, 0 to ``n_classes - 1``.
        k : int
            How many features to rank, between 1 and ``n_features``.
        """

    def _rank(self, X: NDArray[Any], codes: Indices, k: int) -> tuple[Indices, Floats]:
        # Halves are exact, and keep the range of a column finite where its ends are huge.
        halves = np.asfortranarray(X, dtype=np.float64) / 2
        low = halves.min(axis=0)
        span = halves.max(axis=0) - low
        varying = np.flatnonzero(span > 0)
        constant = np.flatnonzero(span <= 0)[: max(0, k - len(varying))]
        # A constant feature tells no instances apart: it has no score and comes last, by index.
        unscored = np.full(len(constant), np.nan)
        if not len(varying):
            self.peak_ = 0
            return constant, unscored
        halves -= low
        scaled = halves[:, varying] / span[varying]
        ranked = self._rank_varying(np.asfortranarray(scaled), codes, min(k, len(varying)))
        self.peak_ = ranked.peak
        return (
            np.concatenate([varying[ranked.indices], constant]),
            np.concatenate([ranked.scores, unscored]),
        )


def complete(
    new_subset: Callable[[], Subset],
    importance: Floats,
    k: int,
    rule: Completion = "importance",
    *,
    delta: float = 0.0,
    target: float = np.inf,
    empty: float = -np.inf,
    tie_break: Floats | None = None,
    lazy: bool = False,
) -> Ranked:
    """Rank ``k`` features by a greedy forward search and a rule for what follows its stop.

    The original algorithm stops when the best candidate raises the criterion by no more than
    ``delta``, or when the criterion has reached ``target``. That place is recorded as ``peak``;
    then ``rule`` decides.

    Parameters
    ----------
    new_subset : callable
        Returns an empty :class:`Subset`.
    importance : ndarray of shape (n_features,)
        The score of each feature alone. Settles ties in the search (then the lower index does),
        and is the order in which features are appended.
    k : int
        Length of the list, at most ``n_features``.
    rule : {"importance", "restart", "greedy"}, default="importance"
        - "importance": search as long as the criterion rises at all, then append the rest by
          importance.
        - "restart": freeze the group the original algorithm returns, start anew on the features
          that are left, and append group after group. When a group stays empty the rest follows
          by importance.
        - "greedy": go on searching, even where the criterion falls.
    delta : float, default=0.0
        Rise of the criterion that the original algorithm asks for.
    target : float, default=inf
        Value of the criterion at which the original algorithm is content.
    empty : float, default=-inf
        Criterion of the empty set; at -inf the first feature is always accepted.
    tie_break : ndarray of shape (n_features,), optional
        Order, largest first, among features of equal importance when they are appended.
    lazy : bool, default=False
        Skip candidates that cannot win because their last known gain is too small. Exact for
        criteria whose gains only shrink as the set grows (submodular ones), and for no others;
        needs a finite ``empty``.

    Returns
    -------
    Ranked
        Named tuple ``(indices, scores, peak)``.

    Examples
    --------
    >>> import numpy as np
    >>> from s2fs.baselines._completion import complete
    >>> class Covered:  # how many of the points 0..3 the features cover together
    ...     sets = [{0, 1}, {1, 2}, {2, 3}, {0, 1}]
    ...     def __init__(self):
    ...         self.points = set()
    ...     def score(self, candidates):
    ...         return np.array([float(len(self.points | self.sets[c])) for c in candidates])
    ...     def add(self, feature):
    ...         self.points |= self.sets[feature]
    >>> complete(Covered, np.full(4, 2.0), 4)
    Ranked(indices=array([0, 2, 1, 3]), scores=array([2., 4., 2., 2.]), peak=2)
    >>> complete(Covered, np.full(4, 2.0), 4, "restart").indices
    array([0, 2, 1, 3])
    """
    m = len(importance)
    precedence = np.empty(m, dtype=np.intp)
    precedence[descending(importance)] = np.arange(m)
    free = np.ones(m, dtype=bool)
    indices: list[int] = []
    scores: list[float] = []
    peak: int | None = None

    # Every search begins with the empty set, so the first step of all of them is scored only once.
    alone = new_subset().score(np.arange(m))
    starting = True
    while starting and len(indices) < k:
        starting = False
        value = empty
        for feature, score in _greedy(new_subset(), free, alone, precedence, empty, lazy):
            rises = _exceeds(score, value)
            stops = not rises or score - value <= delta or value >= target - TIE
            if stops and peak is None:
                peak = len(indices)
            if stops and rule == "restart":
                break
            if not rises and rule == "importance":
                break
            indices.append(feature)
            scores.append(score)
            free[feature] = False
            value = score
            starting = rule == "restart"
            if len(indices) == k:
                break

    rest = descending(importance, tie_break)
    rest = rest[free[rest]][: k - len(indices)]
    return Ranked(
        np.concatenate([np.array(indices, dtype=np.intp), rest]),
        np.concatenate([np.array(scores), importance[rest]]),
        len(indices) if peak is None else peak,
    )


def _greedy(
    subset: Subset,
    free: NDArray[np.bool_],
    alone: Floats,
    precedence: Indices,
    empty: float,
    lazy: bool,
) -> Iterator[tuple[int, float]]:
    """Offer the best free feature and its score, without end; resuming adds it."""
    scores = alone.copy()
    gains = alone - empty  # upper bounds of the gains, only used when lazy
    candidates = np.flatnonzero(free)
    while True:
        best = scores[candidates].max()
        tied = candidates[~_exceeds(best, scores[candidates])]
        feature = int(tied[precedence[tied].argmin()])
        value = float(scores[feature])
        yield feature, value
        subset.add(feature)
        candidates = np.flatnonzero(free)
        if lazy:
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


def descending(values: Floats, tie_break: Floats | None = None) -> Indices:
    """Order by decreasing value, then by decreasing ``tie_break``, then by index."""
    # Rounding to the tie band makes equal what differs by the order of a sum only.
    keys = [-_rounded(values)] if tie_break is None else [-_rounded(tie_break), -_rounded(values)]
    return np.lexsort(keys)


def _rounded(values: Floats) -> Floats:
    scale = max(1.0, float(np.abs(values).max(initial=0.0)))
    return np.asarray(np.round(values / scale, 12))
