"""FSNMER: feature selection by neighbourhood entropy or a neighbourhood equivalence relation."""

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
    argsort_descending,
    complete,
)
from s2fs_bench.baselines.entropy import SLACK, count_neighbours, granule_entropy, label_entropy

#: Information below which a feature adds nothing.
_NOTHING = 1e-9


class FSNMER(StoppingBaseline):
    """Features that scatter the samples most, or that inform about the label in turn.

    Status: {status}. Neither the meaning of the acronym nor a formula is confirmed. The mode
    "calibrated" was chosen because it comes near to published results of FSNMER; it does not look
    at the label, and its cost, O(m n log n), is not the O(n m (n + m)) that the S²FS paper gives.
    The mode "equivalence" follows the ideas of the most likely paper and selects far better. Report
    it as "FSNMER (stand-in)" and say which mode.

    Parameters
    ----------
    {n_features_to_select}
    {max_correlation}
    {feature_groups}
    mode : {"calibrated", "equivalence"}, default="calibrated"
        - "calibrated": sort by the neighbourhood entropy of each feature.
        - "equivalence": cut each feature into intervals no wider than ``delta``, add the feature
          that raises the information of the common refinement about the label most, until it tells
          all.
    delta : float, default=None
        Radius of a neighbourhood or width of an interval after scaling to [0, 1]; by default 0.1
        for "calibrated" and 0.2 for "equivalence".
    completion : {"importance", "index", "published", "restart"}, default="restart"
        What follows where the mode "equivalence" stops. {completions}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        The entropy of each feature, or the information of its reduct so far, in bits.
    {ranking_}
    peak_ : int
        Size of the first reduct; for "calibrated", which does not stop, the number of ranked
        features that are not constant.

    References
    ----------
    Source: {citation}.

    Examples
    --------
    >>> from s2fs_bench.baselines import FSNMER
    >>> X = [[0, 0.1, 0.5], [0.1, 0, 0], [0.5, 0.6, 1], [0.6, 0.4, 0.5], [0.9, 1, 0], [1, 0.9, 1]]
    >>> y = ["A", "A", "A", "B", "B", "B"]
    >>> FSNMER(n_features_to_select=3).fit(X, y).indices_
    array([1, 0, 2])
    >>> FSNMER(n_features_to_select=3, mode="equivalence").fit(X, y).indices_
    array([0, 2, 1])
    """

    status: ClassVar[str] = "stand-in"
    citation: ClassVar[str] = (
        'Most likely S. Wu, L. Wang, S. Ge, Z. Hao, Y. Liu, "Neighborhood rough set with '
        'neighborhood equivalence relation for feature selection", Knowledge and Information '
        "Systems 66 (2024)"
    )
    published_completion: ClassVar[Rule] = "restart"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StoppingBaseline._parameter_constraints,
        "mode": [StrOptions({"calibrated", "equivalence"})],
        "delta": [Interval(Real, 0, None, closed="left"), None],
        "completion": [COMPLETION],
    }

    def __init__(
        self,
        n_features_to_select: HowMany = 10,
        *,
        max_correlation: float | None = None,
        feature_groups: Iterable[Any] | None = None,
        mode: Literal["calibrated", "equivalence"] = "calibrated",
        delta: float | None = None,
        completion: Completion = "restart",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups
        self.mode = mode
        self.delta = delta
        self.completion = completion

    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        if self.mode == "calibrated":
            delta = 0.1 if self.delta is None else self.delta
            entropy = granule_entropy(np.stack([count_neighbours(x, delta) for x in X.T]))
            best = argsort_descending(entropy)[:k]
            return Ranked(best, entropy[best], k)
        delta = 0.2 if self.delta is None else self.delta
        blocks = np.stack([cut_into_intervals(x, delta) for x in X.T])
        return complete(
            lambda: Refinement(blocks, codes), X.shape[1], k, self._rule, delta=_NOTHING
        )


def cut_into_intervals(column: Floats, delta: float) -> Indices:
    """Cut the values of a feature, from the smallest up, into intervals no wider than ``delta``.

    An interval starts at the smallest value not yet assigned and takes all within ``delta`` of it.
    """
    order = np.argsort(column, kind="stable")
    ascending = column[order]
    blocks = np.empty(len(column), dtype=np.intp)
    start, block = 0, 0
    while start < len(column):
        stop = int(np.searchsorted(ascending, ascending[start] + delta + SLACK, side="right"))
        blocks[order[start:stop]] = block
        start, block = stop, block + 1
    return blocks


class Refinement(Subset):
    """The common refinement of the partitions of a growing feature set.

    ``blocks`` are feature × sample: the number of the block that each sample is in.
    """

    empty = 0.0

    def __init__(self, blocks: Indices, codes: Indices) -> None:
        n = len(codes)
        self._blocks = blocks
        self._codes = codes
        self._n_classes = int(codes.max()) + 1
        self.target = label_entropy(codes)  # all there is to know about the label
        self._current = np.zeros(n, dtype=np.intp)
        sizes = np.arange(1, n + 1)
        self._size_times_log = np.concatenate([[0.0], sizes * np.log2(sizes)])

    def score(self, candidates: Indices) -> Floats:
        """Information about the label, in bits, with each candidate added alone."""
        joint = self._current * (self._blocks.max() + 1) + self._blocks[candidates]
        cells = np.sort(joint * self._n_classes + self._codes, axis=1)
        # H(label) − H(label | blocks), the latter from the sizes of blocks and of their cells.
        unsure = self._total(cells // self._n_classes) - self._total(cells)
        return self.target - unsure / len(self._codes)

    def add(self, feature: int) -> None:
        """Put a feature in for good."""
        joint = self._current * (self._blocks.max() + 1) + self._blocks[feature]
        self._current = np.unique(joint, return_inverse=True)[1]

    def _total(self, ascending: Indices) -> Floats:
        """Σ size · log(size) over the runs of equal numbers in each row."""
        starts = np.ones(ascending.shape, dtype=bool)
        starts[:, 1:] = ascending[:, 1:] != ascending[:, :-1]
        where = np.flatnonzero(starts)
        sizes = np.diff(where, append=ascending.size)
        rows = np.flatnonzero(where % ascending.shape[1] == 0)
        return np.asarray(np.add.reduceat(self._size_times_log[sizes], rows))
