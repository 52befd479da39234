"""MAFRFS: margin-aware fuzzy rough feature selection."""

from collections.abc import Iterable
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import StrOptions

from s2fs._native.class_moments import compute_class_moments
from s2fs._utils.types import Floats, HowMany, Indices
from s2fs.baselines.base import Baseline, Ranked
from s2fs_bench.baselines.completion import TIE
from s2fs_bench.baselines.entropy import LinearGranules, granule_entropy, label_entropy

Margin = Literal["local", "global", "nearest"]
Measure = Literal["FCE", "FE", "FJE", "FMI"]

#: Uncertainties that differ by less than this are the same for the stop of a reduct search.
_SAME_UNCERTAINTY = 1e-6


class MAFRFS(Baseline):
    """Features of low uncertainty in which classes are compact and far apart.

    Status: {status}. Margins within and between classes, their ratio, the forward
    greedy search and the exchangeable uncertainty measure are confirmed; the exact formulas of the
    margins, the fuzzy relation, the way ratio and measure are joined and the default measure are
    reconstructed.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}
    margin : {"local", "global", "nearest"}, default="local"
        The margin between classes: the mean distance of the centroids of all pairs of classes, of
        the centroids to the mean of all samples, or of each centroid to the nearest other.
    measure : {"FCE", "FE", "FJE", "FMI"}, default="FCE"
        The uncertainty measure: conditional entropy of the label (multiplies the ratio of margins),
        or fuzzy entropy, joint entropy with the label, or mutual information with the label (divide
        it).
    completion : {"greedy", "importance", "index"}, default="greedy"
        What follows where a search for a reduct would stop: the same search, the other features by
        their own criterion, or the others in the order of the columns, which says nothing about
        them. The S²FS paper has no numbers for this baseline, so none of them is the published one.

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        Minus the criterion after each step, or minus that of the feature alone where it was
        appended; minus infinity where the margin between classes is 0.
    {ranking_}
    peak_ : int
        The number of features at which a search for a reduct would have stopped: the measure is
        that of all features, or no feature improves it.

    References
    ----------
    Source: {citation}.

    Examples
    --------
    >>> from s2fs_bench.baselines import MAFRFS
    >>> X = [[0, 0.1, 0.5], [0.1, 0, 0], [0.5, 0.6, 1], [0.6, 0.4, 0.5], [0.9, 1, 0], [1, 0.9, 1]]
    >>> selector = MAFRFS(n_features_to_select=3).fit(X, ["A", "A", "A", "B", "B", "B"])
    >>> selector.indices_
    array([0, 1, 2])
    >>> selector.scores_.round(4)
    array([-0.1503, -0.2017, -0.2825])
    """

    status: ClassVar[str] = "partly reconstructed"
    citation: ClassVar[str] = (
        'S. Xu, L. Shang, K. Liu, H. Ju, X. Yang, W. Pedrycz, "Margin-aware Fuzzy Rough Feature '
        'Selection: Bridging Uncertainty Characterization and Pattern Classification", '
        "arXiv:2505.15250, 2025"
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "margin": [StrOptions({"local", "global", "nearest"})],
        "measure": [StrOptions({"FCE", "FE", "FJE", "FMI"})],
        "completion": [StrOptions({"greedy", "importance", "index"})],
    }

    def __init__(
        self,
        n_features_to_select: HowMany = 10,
        *,
        max_correlation: float | None = None,
        feature_groups: Iterable[Any] | None = None,
        margin: Margin = "local",
        measure: Measure = "FCE",
        completion: Literal["greedy", "importance", "index"] = "greedy",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups
        self.margin = margin
        self.measure = measure
        self.completion = completion

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        margins = Margins(X, codes, self.margin)
        granules = LinearGranules(X, codes)
        # Turned so that less is better, for every measure.
        sign = 1 if self.measure == "FCE" else -1
        uncertainty = sign * compute_uncertainty(self.measure, granules.own, granules.every, codes)
        least = sign * compute_uncertainty(self.measure, *granules.sizes_with_all(), codes)

        free = np.arange(X.shape[1])
        indices: list[int] = []
        scores: list[float] = []
        alone = np.empty(0)
        peak: int | None = None
        while len(indices) < k:
            within, between = margins.compute(free)
            values = compute_uncertainty(self.measure, *granules.sizes(free), codes)
            ratio = _compute_ratio(within, between)
            J = compute_criterion(self.measure, values, ratio)
            if not indices:
                alone = -J
            at = _find_smallest(J, np.where(np.isinf(J), sign * values, ratio), -between)
            reached = abs(uncertainty - least) <= _SAME_UNCERTAINTY
            if peak is None and (reached or (sign * values).min() >= uncertainty - TIE):
                peak = len(indices)
                if self.completion != "greedy":
                    break
            indices.append(int(free[at]))
            scores.append(-float(J[at]))
            uncertainty = sign * values[at]
            margins.add(indices[-1])
            granules.add(indices[-1])
            free = np.delete(free, at)
        if self.completion == "importance":
            free = free[np.argsort(-alone[free], kind="stable")]
        rest = free[: k - len(indices)]
        return Ranked(
            np.array([*indices, *rest], dtype=np.intp),
            np.array([*scores, *alone[rest]]),
            k if peak is None else peak,
        )


def compute_uncertainty(measure: Measure, own: Floats, every: Floats, codes: Indices) -> Floats:
    """Compute an uncertainty measure from granule sizes, along the last axis."""
    if measure == "FE":
        return granule_entropy(every)
    if measure == "FJE":
        return granule_entropy(own)
    conditional = granule_entropy(own) - granule_entropy(every)
    return conditional if measure == "FCE" else label_entropy(codes) - conditional


def compute_criterion(measure: Measure, values: Floats, ratio: Floats) -> Floats:
    """The criterion J, smaller is better: infinite where the margins or the measure say nothing."""
    J = np.full(len(ratio), np.inf)
    if measure == "FCE":
        np.multiply(values, ratio, out=J, where=np.isfinite(ratio))
    else:
        np.divide(ratio, values, out=J, where=values > TIE)
    return J


class Margins:
    """Margins within and between the classes of a growing feature set.

    Squared distances add up over features, so a candidate costs the same whatever the size of the
    set.
    """

    def __init__(self, X: Floats, codes: Indices, margin: Margin) -> None:
        sizes = np.bincount(codes)
        q = len(sizes)
        centroids = compute_class_moments(X, codes, q).means
        self._margin = margin
        self._share = 1 / (q * sizes[codes])  # each class counts the same
        self._deviations = (X - centroids[codes]) ** 2
        if margin == "global":
            gaps = centroids - X.mean(axis=0)
        else:
            first, second = np.triu_indices(q, 1)
            gaps = centroids[first] - centroids[second]
            # For each class, where its distances to the others are found among the pairs.
            self._pairs_of = np.array(
                [np.flatnonzero((first == c) | (second == c)) for c in range(q)]
            )
        self._gaps = gaps**2
        self._to_own = np.zeros(len(X))
        self._apart = np.zeros(len(gaps))

    def compute(self, candidates: Indices) -> tuple[Floats, Floats]:
        """Margins within and between classes, with each candidate added alone."""
        to_own = np.sqrt(self._to_own[:, None] + self._deviations[:, candidates])
        distances = np.sqrt(self._apart[:, None] + self._gaps[:, candidates])
        if self._margin == "nearest":
            distances = distances[self._pairs_of].min(axis=1)
        # Not a matrix product: its last digits would depend on the number of threads.
        return (self._share[:, None] * to_own).sum(axis=0), distances.mean(axis=0)

    def add(self, feature: int) -> None:
        """Put a feature in for good."""
        self._to_own += self._deviations[:, feature]
        self._apart += self._gaps[:, feature]


def _compute_ratio(within: Floats, between: Floats) -> Floats:
    """The ratio of margins WBMR; infinite where centroids coincide up to rounding."""
    ratio = np.full(len(within), np.inf)
    np.divide(within, between, out=ratio, where=between > TIE)
    return ratio


def _find_smallest(*keys: Floats) -> int:
    """Position of the smallest first key; ties go to the later keys in turn, then to the index."""
    tied = np.arange(len(keys[0]))
    for key in keys:
        smallest = key[tied].min()
        tied = tied[key[tied] <= smallest + TIE * max(1.0, abs(smallest))]
    return int(tied[0])
