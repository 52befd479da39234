"""SFSS: sequential forward selection by the separability of classes around their centres."""

from collections.abc import Iterable
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from s2fs._native.class_moments import compute_class_moments
from s2fs._utils.types import Floats, HowMany, Indices
from s2fs.baselines.base import Ranked
from s2fs_bench.baselines import loops
from s2fs_bench.baselines.completion import (
    COMPLETION_OR_GREEDY,
    Completion,
    Rule,
    StoppingBaseline,
    Subset,
    complete,
)
from s2fs_bench.baselines.loops import Centres

Form = Literal["product", "sum"]

#: Smallest squared distance: a sample on a centre belongs to it (almost) wholly.
_FLOOR = 1e-12


class SFSS(StoppingBaseline):
    """Forward selection by separability: samples near their own class centre, centres far apart.

    Status: {status}. That separability joins the aggregation DA (the sum of the
    memberships of the samples in their own class) and the dispersion DD (the distances between
    all pairs of class centres) is known; the shape of the membership function, the way DA and DD
    are joined and the rule that completes the list are reconstructed. The pruning of the sequence
    by a classifier that follows in the original is left out: it does not change the order.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}
    form : {"product", "sum"}, default="product"
        How DA and DD are joined: ``DA · DD``, or the sum of their means
        ``DA / n + DD / (pairs · √size)``.
    fuzzifier : float, default=2.0
        Softness of the memberships, more than 1; near 1 they are almost crisp.
    delta : float, default=0.0
        Rise of the separability below which the original algorithm stops; moves ``peak_``, and
        with ``completion="restart"`` the list.
    completion : {"importance", "index", "published", "restart", "greedy"}, default="importance"
        What follows where the search stops. {completions} "greedy" goes on with the same search
        regardless.

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        The separability after each step; for features appended by importance, their own.
    {ranking_}
    peak_ : int
        The number of features at which the original search would have stopped.

    References
    ----------
    Source: {citation}.

    Examples
    --------
    >>> from s2fs_bench.baselines import SFSS
    >>> X = [[0, 0.2, 0], [0.1, 0.6, 0.2], [0.5, 0, 0.6], [0.6, 0.4, 0.3]]
    >>> X += [[0.9, 1, 0.7], [1, 0.8, 1]]
    >>> selector = SFSS(n_features_to_select=2).fit(X, [0, 0, 0, 1, 1, 1])
    >>> selector.indices_
    array([0, 1])
    >>> selector.scores_.round(3)
    array([3.278, 3.929])
    """

    status: ClassVar[str] = "partly reconstructed"
    citation: ClassVar[str] = (
        'M. Hu, E.C.C. Tsang, Y. Guo, W. Xu, "Fast and robust attribute reduction based on the '
        'separability in fuzzy decision systems", IEEE Transactions on Cybernetics 52(6), 2022, '
        "doi:10.1109/TCYB.2020.3040803"
    )
    published_completion: ClassVar[Rule] = "importance"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StoppingBaseline._parameter_constraints,
        "form": [StrOptions({"product", "sum"})],
        "fuzzifier": [Interval(Real, 1, None, closed="neither")],
        "delta": [Interval(Real, 0, None, closed="left")],
        "completion": [COMPLETION_OR_GREEDY],
    }

    def __init__(
        self,
        n_features_to_select: HowMany = 10,
        *,
        max_correlation: float | None = None,
        feature_groups: Iterable[Any] | None = None,
        form: Form = "product",
        fuzzifier: float = 2.0,
        delta: float = 0.0,
        completion: Completion = "importance",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups
        self.form = form
        self.fuzzifier = fuzzifier
        self.delta = delta
        self.completion = completion

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        data = ClassCentres(X, codes)

        def no_features() -> CentreSubset:
            return CentreSubset(data, self.form, self.fuzzifier)

        m = X.shape[1]
        # Where all centres coincide the separability is 0 and only DA is left to compare.
        tie_break = no_features().aggregation(np.arange(m))
        return complete(no_features, m, k, self._rule, delta=self.delta, tie_break=tie_break)


class ClassCentres:
    """The data with the class centres of every feature, computed once."""

    def __init__(self, X: Floats, codes: Indices) -> None:
        p = int(codes.max()) + 1
        self.columns = np.ascontiguousarray(X.T)
        self.codes = codes
        self.centres = compute_class_moments(X, codes, p).means.T
        self.pairs = np.triu_indices(p, 1)

    def squared_gaps(self, features: Indices) -> Floats:
        """Squared gaps between the centres of each pair of classes, features × pairs."""
        first, second = self.pairs
        centres = self.centres[features]
        return (centres[:, first] - centres[:, second]) ** 2


class CentreSubset(Subset):
    """A growing feature set, known by the distances to and between its class centres.

    Both squared distances add up over features, so a candidate costs the same whatever the size
    of the set.
    """

    empty = 0.0

    def __init__(self, data: ClassCentres, form: Form, fuzzifier: float) -> None:
        self._data = data
        self._form = form
        self._power = 1 / (fuzzifier - 1)
        self._size = 0
        self._to_centres = np.zeros((len(data.codes), data.centres.shape[1]))
        self._between = np.zeros(len(data.pairs[0]))

    def aggregation(self, candidates: Indices) -> Floats:
        """DA of the set with each candidate added alone."""
        data = self._data
        centres = Centres(self._to_centres, data.codes, self._power, _FLOOR)
        return loops.compute_aggregation(
            centres, data.columns[candidates], data.centres[candidates]
        )

    def dispersion(self, candidates: Indices) -> Floats:
        """DD of the set with each candidate added alone."""
        gaps = self._data.squared_gaps(candidates)
        return np.asarray(np.sqrt(self._between + gaps).sum(axis=1))

    def score(self, candidates: Indices) -> Floats:
        """Separability of the set with each candidate added alone."""
        da, dd = self.aggregation(candidates), self.dispersion(candidates)
        if self._form == "product":
            return da * dd
        n, pairs = len(self._data.codes), len(self._between)
        return da / n + dd / (pairs * np.sqrt(self._size + 1))

    def add(self, feature: int) -> None:
        """Put a feature in for good."""
        data = self._data
        self._to_centres += (data.columns[feature][:, None] - data.centres[feature]) ** 2
        self._between += data.squared_gaps(np.array([feature]))[0]
        self._size += 1
