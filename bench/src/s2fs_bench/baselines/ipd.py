"""IPD: much inner product dependency, little classification error."""

from collections.abc import Iterable
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
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

Variant = Literal["F1", "F1-sum", "F1-max", "F2", "dependency"]


class IPD(StoppingBaseline):
    """Feature selection by inner product dependency with minimum classification error.

    A fuzzy relation in which no sample is similar to itself gives each sample a membership in
    the lower approximations of all classes, its own and the others. The criterion J is the mean
    membership in the own class minus that in the others, with two classes a margin between nearest
    neighbours. A greedy search adds the feature that raises J most until none does.

    Status: {status}. Only abstracts of the article could be read; the formula, of which five
    variants are offered, the relation, the tie-breaks and the completion of the list are ours.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}
    variant : {"F1", "F1-sum", "F1-max", "F2", "dependency"}, default="F1-sum"
        What the error is: the mean membership in the other classes, its sum, or its maximum; or,
        for "F2", the overlap of the lower approximations, set against the largest membership,
        whatever the own class is; or, for "dependency", nothing. "F1" is what our specification
        proposes; "F1-sum" comes nearer to the numbers published for IPD in the S²FS paper. With two
        classes the first three agree.
    eps : float or None, default=None
        Radius in (0, 1]: samples whose scaled values differ by more are not similar at all; None
        for no limit.
    delta : float, default=0.0
        Rise of J that the original search asks for.
    {completion}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        J after each step; for features appended by importance, their own J; 0 for constant
        features.
    {ranking_}
    peak_ : int
        Number of features at which J peaks.

    References
    ----------
    Source: {citation}.

    Examples
    --------
    >>> from s2fs_bench.baselines import IPD
    >>> X = [[0.0, 0.2, 0.0], [0.1, 0.6, 0.2], [0.5, 0.0, 0.6],
    ...      [0.6, 0.4, 0.3], [0.9, 1.0, 0.7], [1.0, 0.8, 1.0]]
    >>> y = ["A", "A", "A", "B", "B", "B"]
    >>> ipd = IPD(n_features_to_select=3).fit(X, y)
    >>> ipd.indices_, ipd.peak_
    (array([0, 1, 2]), 2)
    >>> ipd.scores_.round(4)
    array([ 0.1833,  0.2333, -0.1167])
    """

    status: ClassVar[str] = "reconstructed"
    citation: ClassVar[str] = (
        'C. Wang, Y. Qian, W. Ding, X. Fan, "Feature selection with fuzzy-rough minimum '
        'classification error criterion", IEEE Transactions on Fuzzy Systems 30(8), 2022'
    )
    published_completion: ClassVar[Rule] = "index"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StoppingBaseline._parameter_constraints,
        "variant": [StrOptions({"F1", "F1-sum", "F1-max", "F2", "dependency"})],
        "eps": [Interval(Real, 0, 1, closed="right"), None],
        "delta": [Interval(Real, 0, None, closed="left")],
        "completion": [COMPLETION],
    }

    def __init__(
        self,
        n_features_to_select: HowMany = 10,
        *,
        max_correlation: float | None = None,
        feature_groups: Iterable[Any] | None = None,
        variant: Variant = "F1-sum",
        eps: float | None = None,
        delta: float = 0.0,
        completion: Completion = "importance",
    ):
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups
        self.variant = variant
        self.eps = eps
        self.delta = delta
        self.completion = completion

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        relation = Relation(X, codes, self.eps, reflexive=False)

        def no_features() -> Margins:
            relation.clear()
            return Margins(relation, self.variant)

        return complete(no_features, X.shape[1], k, self._rule, delta=self.delta)


class Margins(Subset):
    """The criterion J in a growing set of features, which an irreflexive relation holds."""

    def __init__(self, relation: Relation, variant: Variant):
        self.relation = relation
        self.variant = variant

    def score(self, candidates: Indices) -> Floats:
        """J with each candidate added alone."""
        relation = self.relation
        n_classes = len(relation.bounds) - 1
        scores = []
        for block in relation.blocks(candidates):
            nearest = relation.two_nearest(block)
            scores.append(compute_criterion(*nearest, relation.codes, n_classes, self.variant))
        return np.concatenate(scores)

    def add(self, feature: int) -> None:
        """Put a feature in."""
        self.relation.add(np.array([feature]))


def compute_criterion(
    largest: Floats,
    second: Floats,
    where: Indices,
    codes: Indices,
    n_classes: int,
    variant: Variant,
) -> Floats:
    """J from the similarity of each sample to the two classes nearest to it, along the last axis.

    The lower approximation of class q at a sample is one minus its largest similarity to any
    *other* class. So it is v = 1 − (largest of all) for every class but the one that holds the
    nearest neighbour, and w = 1 − (second largest) for that one.
    """
    v = 1 - largest
    w = 1 - second
    if variant == "F2":
        return np.asarray((w - ((n_classes - 2) * v**2 + 2 * v * w) / n_classes).mean(axis=-1))
    # Where two classes are equally near, v = w and it does not matter which one is taken.
    at_home = where == codes
    correct = np.where(at_home, w, v)
    if variant == "dependency":
        return np.asarray(correct.mean(axis=-1))
    if variant == "F1-max":
        error = np.where(at_home, v, w)
    else:
        error = w + (n_classes - 1) * v - correct
        if variant == "F1":
            error /= n_classes - 1
    return np.asarray((correct - error).mean(axis=-1))
