"""MDP: settle all pairs of different class as well as they can be."""

from collections.abc import Iterable
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import StrOptions

from s2fs._utils.types import Floats, HowMany, Indices
from s2fs.baselines.base import Ranked
from s2fs_bench.baselines import loops
from s2fs_bench.baselines.completion import (
    COMPLETION,
    Completion,
    Rule,
    StoppingBaseline,
    Subset,
    complete,
)
from s2fs_bench.baselines.loops import Discernibility
from s2fs_bench.baselines.relations import (
    SLACK,
    Pairs,
    compute_lower_approximation,
    compute_widths,
    list_different_class_pairs,
)

PairRule = Literal["maximal", "lambda"]
Weights = Literal["none", "inverse", "maximal"]


class MDP(StoppingBaseline):
    """Feature selection by maximal discernibility pairs.

    A feature settles a pair of samples of different class when it tells the two apart as well as
    any feature does. A greedy search adds the feature that settles most of the pairs that are
    still open, until none is. The selected features then have the same fuzzy-rough dependency as
    all features.

    Status: {status}. The article's identity and its pairwise idea are confirmed; the
    similarity, what settles a pair, the weights of the weighted version, the tie-breaks and the
    completion of the list are ours.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}
    weights : {"none", "inverse", "maximal"}, default="none"
        Weight of a pair: 1; one over the number of features that settle it; or the discernibility
        the pair has at most. The last two are variants of the weighted version.
    pairs : {"maximal", "lambda"}, default="maximal"
        What settles a pair: the largest discernibility any feature gives it, or, for ordered
        pairs, the membership of the first sample in the lower approximation of its class, which
        is an older and weaker condition.
    similarity : {"sigma", "range"}, default="sigma"
        How similar two samples are on one feature, with d the difference of their values:
        ``max(0, 1 − d/σ)`` with σ the sample standard deviation, or ``1 − d`` on scaled data.
    {completion}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        Number, or weight, of settled pairs after each step; for features appended by importance,
        of the pairs they settle alone; 0 for constant features.
    {ranking_}
    peak_ : int
        Number of features that settle every pair.

    References
    ----------
    Source: {citation}.

    Examples
    --------
    >>> from s2fs_bench.baselines import MDP
    >>> X = [[0.0, 0.2, 0.0], [0.1, 0.6, 0.2], [0.5, 0.0, 0.6],
    ...      [0.6, 0.4, 0.3], [0.9, 1.0, 0.7], [1.0, 0.8, 1.0]]
    >>> y = ["A", "A", "A", "B", "B", "B"]
    >>> mdp = MDP(n_features_to_select=3).fit(X, y)
    >>> mdp.indices_, mdp.scores_, mdp.peak_
    (array([0, 1, 2]), array([7., 9., 5.]), 2)
    """

    status: ClassVar[str] = "reconstructed"
    citation: ClassVar[str] = (
        'J. Dai, H. Hu, W.-Z. Wu, Y. Qian, D. Huang, "Maximal-discernibility-pair-based approach '
        'to attribute reduction in fuzzy rough sets", IEEE Transactions on Fuzzy Systems '
        "26(4):2174-2187, 2018"
    )
    published_completion: ClassVar[Rule] = "index"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StoppingBaseline._parameter_constraints,
        "weights": [StrOptions({"none", "inverse", "maximal"})],
        "pairs": [StrOptions({"maximal", "lambda"})],
        "similarity": [StrOptions({"sigma", "range"})],
        "completion": [COMPLETION],
    }

    def __init__(
        self,
        n_features_to_select: HowMany = 10,
        *,
        max_correlation: float | None = None,
        feature_groups: Iterable[Any] | None = None,
        weights: Weights = "none",
        pairs: PairRule = "maximal",
        similarity: Literal["sigma", "range"] = "sigma",
        completion: Completion = "importance",
    ):
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups
        self.weights = weights
        self.pairs = pairs
        self.similarity = similarity
        self.completion = completion

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        table = SettlingTable(X, codes, self.weights, self.pairs, self.similarity)
        m = X.shape[1]
        tie_break = table.discernibility(np.arange(m))
        return complete(lambda: SettledPairs(table), m, k, self._rule, tie_break=tie_break)


class SettlingTable:
    """Which pairs must be settled, how far (``threshold``), and what each is worth (``weight``).

    Pairs that no feature can tell apart are left out. For the rule "lambda" both orders of a pair
    are in the table.
    """

    def __init__(
        self,
        X: Floats,
        codes: Indices,
        weights: Weights = "none",
        pairs: PairRule = "maximal",
        similarity: Literal["sigma", "range"] = "sigma",
    ):
        self.columns = np.ascontiguousarray(X.T)
        self.widths = compute_widths(X, similarity)
        every_pair = list_different_class_pairs(codes)
        largest = np.zeros(len(every_pair.left))
        discerned = Discernibility(self.columns, self.widths, *every_pair)
        for feature in range(X.shape[1]):
            loops.satisfy(discerned, feature, largest, True)

        threshold = largest
        if pairs == "lambda":
            lower = compute_lower_approximation(every_pair, largest, len(X))
            threshold = lower[np.concatenate(every_pair)]
            every_pair = Pairs(np.concatenate(every_pair), np.concatenate(every_pair[::-1]))
            largest = np.concatenate([largest, largest])
        can_settle = threshold > SLACK
        self.pairs = every_pair.where(can_settle)
        self.threshold = threshold[can_settle] - SLACK
        self.discerned = Discernibility(self.columns, self.widths, *self.pairs)
        self.weight = np.ones(len(self.threshold))
        if weights == "maximal":
            self.weight = largest[can_settle]
        elif weights == "inverse":
            self.weight = 1 / sum(self.settled_by(f) for f in range(X.shape[1]))

    def settled_by(self, feature: int) -> Any:
        """Mask of the pairs a feature settles."""
        return loops.find_settled_pairs(self.discerned, feature, self.threshold)

    def discernibility(self, candidates: Indices) -> Floats:
        """For each candidate, the sum over the pairs of how far it tells them apart."""
        nothing = np.zeros(len(self.threshold))
        return loops.compute_satisfaction(self.discerned, candidates, nothing, True)


class SettledPairs(Subset):
    """The weight of the pairs that a growing set of features settles, at first none."""

    empty = 0.0
    submodular = True

    def __init__(self, table: SettlingTable):
        self.table = table
        # Of the pairs that are still open:
        self.pairs = table.pairs
        self.threshold = table.threshold
        self.weight = table.weight
        self.settled = 0.0

    @property
    def _discerned(self) -> Discernibility:
        return self.table.discerned._replace(left=self.pairs.left, right=self.pairs.right)

    def score(self, candidates: Indices) -> Floats:
        """Weight of the settled pairs with each candidate added alone."""
        weight = loops.sum_settled_weights(self._discerned, candidates, self.threshold, self.weight)
        return self.settled + weight

    def add(self, feature: int) -> None:
        """Put a feature in and drop the pairs it settles."""
        settled = loops.find_settled_pairs(self._discerned, feature, self.threshold)
        self.settled += float(self.weight[settled].sum())
        self.pairs = self.pairs.where(~settled)
        self.threshold = self.threshold[~settled]
        self.weight = self.weight[~settled]
