"""RDSI: the least relative decision self-information."""

from collections.abc import Iterable
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval, StrOptions

from s2fs._utils.types import Floats, HowMany, Indices
from s2fs.baselines.base import Ranked
from s2fs_bench.baselines.completion import (
    COMPLETION,
    Completion,
    Rule,
    StoppingBaseline,
    Subset,
    complete,
)
from s2fs_bench.baselines.relations import Relation

Decision = Literal["fuzzy", "crisp"]
Measure = Literal["relative", "certain", "possible", "combined"]

#: Added to the sizes of both approximations, so that an empty lower one has a finite information.
GUARD = 1e-5


class RDSI(StoppingBaseline):
    """Feature selection by relative decision self-information.

    The lower and upper fuzzy-rough approximations of each class are compared by size: the closer
    their ratio is to one, the less information is missing about the class. A greedy search adds
    the feature that leaves the smallest sum over the classes, until it drops by no more than
    ``delta``.

    Status: {status}. The measures and the greedy minimisation are confirmed by the
    abstract and by derived public code; the truncated relation, the fuzzy decision, the defaults of
    ``eps`` and ``delta``, the tie-breaks and the completion of the list are ours.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}
    eps : float, default=0.3
        Radius in (0, 1]: samples whose scaled values differ by more are not similar at all.
    decision : {"fuzzy", "crisp"}, default="fuzzy"
        Whether a sample belongs to the classes of its neighbours in all features, in shares, or
        to its own only. With more than a few dozen features both are usually the same.
    measure : {"relative", "certain", "possible", "combined"}, default="relative"
        Which ratio counts: lower to upper approximation, lower approximation to class, class to
        upper approximation, or the last two together.
    delta : float, default=0.001
        Drop of the measure below which the original search stops.
    {completion}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        Minus the measure after each step, so that larger is better; for features appended by
        importance, minus their own measure; 0 for constant features.
    {ranking_}
    peak_ : int
        Size of the set the original search returns.

    References
    ----------
    Source: {citation}.

    Examples
    --------
    >>> from s2fs_bench.baselines import RDSI
    >>> X = [[0.0, 0.2, 0.0], [0.1, 0.6, 0.2], [0.5, 0.0, 0.6],
    ...      [0.6, 0.4, 0.3], [0.9, 1.0, 0.7], [1.0, 0.8, 1.0]]
    >>> y = ["A", "A", "A", "B", "B", "B"]
    >>> rdsi = RDSI(n_features_to_select=3, eps=0.5).fit(X, y)
    >>> rdsi.indices_, rdsi.scores_.round(3)
    (array([0, 1, 2]), array([-0.988, -0.383, -0.089]))
    """

    status: ClassVar[str] = "partly reconstructed"
    citation: ClassVar[str] = (
        'C. Wang, Y. Huang, W. Ding, Z. Cao, "Attribute reduction with fuzzy rough '
        'self-information measures", Information Sciences 549:68-86, 2021'
    )
    published_completion: ClassVar[Rule] = "importance"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StoppingBaseline._parameter_constraints,
        "eps": [Interval(Real, 0, 1, closed="right")],
        "decision": [StrOptions({"fuzzy", "crisp"})],
        "measure": [StrOptions({"relative", "certain", "possible", "combined"})],
        "delta": [Interval(Real, 0, None, closed="left")],
        "completion": [COMPLETION],
    }

    def __init__(
        self,
        n_features_to_select: HowMany = 10,
        *,
        max_correlation: float | None = None,
        feature_groups: Iterable[Any] | None = None,
        eps: float = 0.3,
        decision: Decision = "fuzzy",
        measure: Measure = "relative",
        delta: float = 0.001,
        completion: Completion = "importance",
    ):
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups
        self.eps = eps
        self.decision = decision
        self.measure = measure
        self.delta = delta
        self.completion = completion

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        relation = Relation(X, codes, self.eps, reflexive=True)
        decision = compute_fuzzy_decision(relation) if self.decision == "fuzzy" else None

        def no_features() -> Approximations:
            relation.clear()
            return Approximations(relation, decision, self.measure)

        return complete(no_features, X.shape[1], k, self._rule, delta=self.delta)


def compute_fuzzy_decision(relation: Relation) -> Floats | None:
    """The share of each class among the neighbours in all features, class × sample.

    None where no sample has a neighbour of another class, because the decision is crisp then.
    The relation is left empty.
    """
    relation.clear()
    relation.add(np.arange(len(relation.columns)))
    similar_by_class = np.add.reduceat(relation.matrix, relation.bounds[:-1], axis=0)
    relation.clear()
    shares = similar_by_class / similar_by_class.sum(axis=0)
    others = np.ones_like(shares, dtype=bool)
    others[relation.codes, np.arange(len(relation.codes))] = False
    return shares if shares[others].any() else None


class Approximations(Subset):
    """The approximations of the classes in a growing set of features, by a reflexive relation.

    ``decision`` holds fuzzy memberships, class × sample; None for the crisp classes.
    """

    def __init__(self, relation: Relation, decision: Floats | None, measure: Measure = "relative"):
        self.relation = relation
        self.decision = decision
        self.measure = measure

    def sizes(self, candidates: Indices) -> tuple[Floats, Floats, Floats]:
        """Sizes of lower approximations (candidate × class), classes, and upper approximations."""
        if self.decision is not None:
            lower, upper = self.relation.approximation_sizes(candidates, self.decision)
            return lower, self.decision.sum(axis=1), upper
        size = np.diff(self.relation.bounds).astype(np.float64)
        lowers, uppers = [], []
        for block in self.relation.blocks(candidates):
            nearest, reach = self.relation.nearest_others(block)
            lowers.append(np.add.reduceat(1 - nearest, self.relation.bounds[:-1], axis=1))
            uppers.append(size + reach)
        return np.concatenate(lowers), size, np.concatenate(uppers)

    def score(self, candidates: Indices) -> Floats:
        """Minus the measure with each candidate added alone."""
        information = compute_self_information(*self.sizes(candidates), measure=self.measure)
        return np.asarray(0 - information)  # a unary minus would turn 0 into -0

    def add(self, feature: int) -> None:
        """Put a feature in."""
        self.relation.add(np.array([feature]))


def compute_self_information(
    lower: ArrayLike,
    size: ArrayLike,
    upper: ArrayLike,
    *,
    measure: Measure = "relative",
    guard: float = GUARD,
) -> Any:
    """Sum over the classes (last axis) of −(1 − t) ln t, with t a ratio of the sizes.

    The guard is added to both parts of a ratio, see ``measure`` of :class:`RDSI`.
    """
    low, middle, up = (np.asarray(v, dtype=np.float64) + guard for v in (lower, size, upper))
    ratios = {
        "relative": [low / up],
        "certain": [low / middle],
        "possible": [middle / up],
        "combined": [low / middle, middle / up],
    }[measure]
    return sum(((t - 1) * np.log(t)).sum(axis=-1) for t in ratios)
