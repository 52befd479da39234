"""N3Y: neighbourhood relevancy, neighbourhood redundancy and granularity interactivity."""

from collections.abc import Iterable
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from s2fs._utils.types import Floats, HowMany, Indices
from s2fs.baselines.base import Baseline, Ranked
from s2fs_bench.baselines.completion import Subset, complete
from s2fs_bench.baselines.entropy import (
    Bits,
    class_bits,
    count_bits,
    granule_entropy,
    label_entropy,
    neighbourhood_bits,
)

Interactivity = Literal["granularity", "ambiguity", "cmi", "none"]

#: Bytes of neighbourhoods that are intersected at a time, to stay within the processor's cache.
_CHUNK = 2**18


class N3Y(Baseline):
    """Relevant to the label, not a repetition, and refining what is already selected.

    Status: {status}. The template, relevancy − mean redundancy + mean interactivity, is
    plausible from related work; the formula of the interactivity, the equal weights, the radius and
    the neighbourhoods as intersections are reconstructed. Report it as "N3Y (reconstructed)".

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}
    interactivity : {"granularity", "ambiguity", "cmi", "none"}, default="granularity"
        What a pair of features gains together: bits by which its granules are finer than the finer
        of the two; the same for the share of the granules that lies in the own class; information
        about the label beyond that of each; or nothing.
    delta : float, default=None
        Radius of a neighbourhood after scaling to [0, 1]; by default 0.2, and 0.1 with
        ``interactivity="cmi"``.

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        The criterion of each feature when it was selected, in bits; it need not fall.
    {ranking_}
    peak_ : int
        The number of ranked features that are not constant, as the algorithm does not stop.

    Notes
    -----
    The neighbourhoods of all features are kept as bits: n²·m bits of memory.

    References
    ----------
    Source: {citation}.

    Examples
    --------
    >>> from s2fs_bench.baselines import N3Y
    >>> X = [[0, 0.1, 0.5], [0.1, 0, 0], [0.5, 0.6, 1], [0.6, 0.4, 0.5], [0.9, 1, 0], [1, 0.9, 1]]
    >>> selector = N3Y(n_features_to_select=3).fit(X, ["A", "A", "A", "B", "B", "B"])
    >>> selector.indices_
    array([0, 2, 1])
    >>> selector.scores_.round(4)
    array([0.6667, 0.415 , 0.0817])
    """

    status: ClassVar[str] = "reconstructed"
    citation: ClassVar[str] = (
        'K. Liu, T. Li, X. Yang, H. Ju, X. Yang, D. Liu, "Feature selection in threes: '
        'Neighborhood relevancy, redundancy, and granularity interactivity", Applied Soft '
        "Computing 146 (2023) 110679"
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "interactivity": [StrOptions({"granularity", "ambiguity", "cmi", "none"})],
        "delta": [Interval(Real, 0, None, closed="left"), None],
    }

    def __init__(
        self,
        n_features_to_select: HowMany = 10,
        *,
        max_correlation: float | None = None,
        feature_groups: Iterable[Any] | None = None,
        interactivity: Interactivity = "granularity",
        delta: float | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups
        self.interactivity = interactivity
        self.delta = delta

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        delta = self.delta
        if delta is None:
            delta = 0.1 if self.interactivity == "cmi" else 0.2
        subset = NeighbourhoodSubset(X, codes, delta, self.interactivity)
        ranked = complete(lambda: subset, X.shape[1], k, "greedy")
        return ranked._replace(peak=k)


class NeighbourhoodSubset(Subset):
    """A growing feature set, and what each feature shares and gains with its members on average."""

    def __init__(
        self, X: Floats, codes: Indices, delta: float, interactivity: Interactivity
    ) -> None:
        m = X.shape[1]
        self._interactivity = interactivity
        self._bits = neighbourhood_bits(X, delta)
        self._same_class = class_bits(codes)
        everything = np.full(self._bits.shape[1:], np.iinfo(np.uint64).max, dtype=np.uint64)
        self._sizes = self._joint_sizes(everything)
        self._own_sizes = self._joint_sizes(self._same_class)
        self._entropy = granule_entropy(self._sizes)
        self._label_entropy = label_entropy(codes)
        self.relevancy = self._information(self._sizes, self._own_sizes)
        self._size = 0
        self._redundancy = np.zeros(m)
        self._interaction = np.zeros(m)

    def score(self, candidates: Indices) -> Floats:
        """Relevancy − mean redundancy + mean interactivity of each candidate."""
        gained = (self._interaction - self._redundancy)[candidates] / max(self._size, 1)
        return np.asarray(self.relevancy[candidates] + gained)

    def add(self, feature: int) -> None:
        """Put a feature in for good."""
        joint = self._joint_sizes(self._bits[feature])
        self._redundancy += self.redundancy(feature, joint)
        self._interaction += self.interaction(feature, joint)
        self._size += 1

    def redundancy(self, feature: int, joint: Indices) -> Floats:
        """Neighbourhood mutual information of one feature with every feature.

        ``joint`` are the sizes of the neighbourhoods of every feature within those of the one.
        """
        return self._entropy + self._entropy[feature] - granule_entropy(joint)

    def interaction(self, feature: int, joint: Indices) -> Floats:
        """What one feature gains together with every feature; parameters as for redundancy."""
        if self._interactivity == "none":
            return np.zeros(len(joint))
        if self._interactivity == "granularity":
            alone = self._sizes.sum(axis=1)
            return np.asarray(np.log2(np.minimum(alone, alone[feature]) / joint.sum(axis=1)))
        own_joint = self._joint_sizes(self._bits[feature] & self._same_class)
        if self._interactivity == "cmi":
            together = self._information(joint, own_joint)
            return together - self.relevancy - self.relevancy[feature]
        ambiguity = np.log2(self._sizes.sum(axis=1) / self._own_sizes.sum(axis=1))
        together = np.log2(joint.sum(axis=1) / own_joint.sum(axis=1))
        return np.asarray(np.minimum(ambiguity, ambiguity[feature]) - together)

    def _joint_sizes(self, granules: Bits) -> Indices:
        """Sizes of the neighbourhoods of every feature within the granules given."""
        m, _, n = self._bits.shape
        sizes = np.empty((m, n), dtype=np.intp)
        step = max(1, _CHUNK // granules.nbytes)
        for first in range(0, m, step):
            chunk = slice(first, first + step)
            sizes[chunk] = count_bits(self._bits[chunk] & granules)
        return sizes

    def _information(self, sizes: Indices, own_sizes: Indices) -> Floats:
        """Neighbourhood mutual information with the label."""
        return granule_entropy(sizes) + self._label_entropy - granule_entropy(own_sizes)
