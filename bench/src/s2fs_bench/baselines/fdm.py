"""FDM: satisfy the clauses of the fuzzy discernibility matrix."""

from collections.abc import Iterable
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

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
from s2fs_bench.baselines.relations import compute_widths, list_different_class_pairs

Snorm = Literal["lukasiewicz", "max"]


class FDM(StoppingBaseline):
    """Feature selection by the fuzzy discernibility matrix.

    Every pair of samples of different class is a clause that says how far each feature tells the
    two apart. A set of features satisfies a clause as far as its features do together, and the
    criterion SAT is the sum of that over all clauses, relative to what all features reach. A
    greedy search adds the feature that raises SAT most until SAT is ``alpha``.

    Status: {status}. Measure, operators and search follow the code of the first author; kept as
    in the article, identical clauses are not merged. Tie-breaks and the completion of the list
    are our choice.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}
    similarity : {"sigma", "range", "gaussian"}, default="sigma"
        How similar two samples are on one feature, with d the difference of their values:
        ``max(0, 1 − d/σ)``, ``1 − d/range`` or ``exp(−d²/2σ²)``, where σ is the sample standard
        deviation. "sigma" is the default of the first author's code, and with
        ``completion="published"`` it comes nearest to the numbers of the S²FS paper.
    snorm : {"lukasiewicz", "max"}, default="lukasiewicz"
        How features join in a clause: by the bounded sum or by the maximum.
    alpha : float, default=1.0
        SAT at which the original search stops, in (0, 1].
    {completion}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        SAT after each step; for features appended by importance, their own SAT; 0 for constant
        features.
    {ranking_}
    peak_ : int
        Size of the set the original search returns.

    References
    ----------
    Source: {citation}.

    Examples
    --------
    >>> from s2fs_bench.baselines import FDM
    >>> X = [[-0.4, -0.3, -0.5], [-0.4, 0.2, -0.1], [-0.3, -0.4, -0.3],
    ...      [0.3, -0.3, 0.0], [0.2, -0.3, 0.0], [0.2, 0.0, 0.0]]
    >>> y = ["no", "yes", "no", "yes", "yes", "no"]
    >>> fdm = FDM(n_features_to_select=3).fit(X, y)
    >>> fdm.indices_, fdm.peak_
    (array([2, 1, 0]), 2)
    >>> fdm.scores_.round(4)
    array([0.7163, 1.    , 0.6224])
    """

    algorithm_version: ClassVar[int] = 2
    status: ClassVar[str] = "confirmed"
    citation: ClassVar[str] = (
        'R. Jensen, Q. Shen, "New approaches to fuzzy-rough feature selection", '
        "IEEE Transactions on Fuzzy Systems 17(4):824-838, 2009"
    )
    published_completion: ClassVar[Rule] = "index"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StoppingBaseline._parameter_constraints,
        "similarity": [StrOptions({"sigma", "range", "gaussian"})],
        "snorm": [StrOptions({"lukasiewicz", "max"})],
        "alpha": [Interval(Real, 0, 1, closed="right")],
        "completion": [COMPLETION],
    }

    def __init__(
        self,
        n_features_to_select: HowMany = 10,
        *,
        max_correlation: float | None = None,
        feature_groups: Iterable[Any] | None = None,
        similarity: Literal["sigma", "range", "gaussian"] = "sigma",
        snorm: Snorm = "lukasiewicz",
        alpha: float = 1.0,
        completion: Completion = "importance",
    ):
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups
        self.similarity = similarity
        self.snorm = snorm
        self.alpha = alpha
        self.completion = completion

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        clauses = Clauses(X, codes, self.similarity, self.snorm)
        return complete(lambda: Satisfaction(clauses, self.alpha), X.shape[1], k, self._rule)


class Clauses:
    """The fuzzy discernibility matrix: one clause for each pair of different class.

    No column of X is constant; for the similarity "range" they are scaled to [0, 1].
    """

    def __init__(
        self,
        X: Floats,
        codes: Indices,
        similarity: Literal["sigma", "range", "gaussian"] = "sigma",
        snorm: Snorm = "lukasiewicz",
    ):
        self.pairs = list_different_class_pairs(codes)
        self.columns = np.ascontiguousarray(X.T)
        self.widths = compute_widths(X, similarity)
        self.gaussian = similarity == "gaussian"
        self.largest = snorm == "max"
        self.total = 1.0
        everything = Satisfaction(self)
        for feature in range(X.shape[1]):
            everything.add(feature)
        self.total = everything.satisfaction or 1.0


class Satisfaction(Subset):
    """How far a growing set of features satisfies the clauses, at first not at all."""

    empty = 0.0
    submodular = True

    def __init__(self, clauses: Clauses, target: float = np.inf):
        self.clauses = clauses
        self.target = target
        self.pairs = clauses.pairs
        self.degrees = np.zeros(len(clauses.pairs.left))  # of the clauses that are still open
        self.closed = 0

    @property
    def satisfaction(self) -> float:
        """The sum over all clauses."""
        return self.closed + float(self.degrees.sum())

    @property
    def _discerned(self) -> Discernibility:
        of = self.clauses
        return Discernibility(of.columns, of.widths, *self.pairs, of.gaussian)

    def score(self, candidates: Indices) -> Floats:
        """SAT of the set with each candidate added alone."""
        satisfied = loops.compute_satisfaction(
            self._discerned, candidates, self.degrees, self.clauses.largest
        )
        return (self.closed + satisfied) / self.clauses.total

    def add(self, feature: int) -> None:
        """Put a feature in; clauses it fulfils can gain no more and are dropped."""
        degrees = self.degrees.copy()
        loops.satisfy(self._discerned, feature, degrees, self.clauses.largest)
        is_open = degrees < 1
        self.closed += len(degrees) - int(is_open.sum())
        self.degrees = degrees[is_open]
        self.pairs = self.pairs.where(is_open)
