"""PairCover's criterion of a growing subset in the native library, where there is one."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, Literal, Self

import numpy as np

from s2fs._native.border import Array, Function, Given, Handle, Int, Length, New, Real
from s2fs._native.correlated_features import ExactCopies
from s2fs._native.feature_groups import GroupCorrelations, list_members
from s2fs._native.library import load
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.class_moments import (
    ClassMoments,
    check_squares,
    degrees_of_freedom,
    within_sd,
)
from s2fs.criteria.pair_cover import (
    PairCoverCriterion,
    choose_calibration_features,
    class_gaps,
    estimate_correlation_weight,
)
from s2fs.criteria.protocol import Scored, best_group_by_trial, may_be_best, no_number

_new = Function(
    "s2fs_pair_cover_new",
    means=Array(np.float64, "classes", "features"),
    classes=Length(),
    features=Length(),
    within_sd=Array(np.float64, "features"),
    noise=Array(np.float64, "classes"),
    gaps=Array(np.float64, "n_pairs", "features", optional=True),
    n_pairs=Int(),
    correlation=Real(),
    cover=New("pair_cover"),
)
_copy = Function(
    "s2fs_pair_cover_copy", cover=Given("pair_cover", changed=False), copied=New("pair_cover")
)
_set_candidates = Function(
    "s2fs_pair_cover_set_candidates",
    cover=Given("pair_cover"),
    candidates=Array(np.int64, "n_candidates"),
    n_candidates=Length(),
)
_drop_candidates = Function(
    "s2fs_pair_cover_drop_candidates",
    cover=Given("pair_cover"),
    candidates=Array(np.int64, "n_candidates"),
    n_candidates=Length(),
)
_best = Function(
    "s2fs_pair_cover_best",
    cover=Given("pair_cover"),
    n_threads=Int(),
    feature=Array(np.int64, 1, writable=True),
    score=Array(np.float64, 1, writable=True),
)
_score = Function(
    "s2fs_pair_cover_score",
    cover=Given("pair_cover", changed=False),
    candidates=Array(np.int64, "n_candidates"),
    n_candidates=Length(),
    n_threads=Int(),
    scores=Array(np.float64, "n_candidates", writable=True),
    closest=Array(np.float64, "n_candidates", writable=True),
)
_best_group = Function(
    "s2fs_pair_cover_best_group",
    cover=Given("pair_cover", changed=False),
    members=Array(np.int64, "n_members"),
    n_members=Length(),
    starts=Array(np.int64, "n_starts"),
    n_starts=Length(),
    within=Array(np.float64, "n_within"),
    n_within=Length(),
    n_threads=Int(),
    group=Array(np.int64, 1, writable=True),
    score=Array(np.float64, 1, writable=True),
    closest=Array(np.float64, 1, writable=True),
)
_add = Function(
    "s2fs_pair_cover_add",
    cover=Given("pair_cover"),
    feature=Int(),
    correlations=Array(np.float64, "features", optional=True),
    n_pairs=Length(),
    distances=Array(np.float64, "n_pairs", writable=True),
)
#: The correlations inside a larger group are not kept: they would take more memory than the table.
LARGEST_KNOWN_GROUP = 512


def make_pair_cover(
    moments: ClassMoments,
    correlation: float | Literal["auto"] = 0.0,
    correlations: Any = None,
    copies: ExactCopies | None = None,
    n_threads: int = 1,
) -> "AnyPairCover":
    """The criterion of the empty subset, by the native library where there is one.

    The parameters are those of :class:`NativePairCover`; the correlation may be "auto": as much as
    can be trusted.
    """
    if correlation == "auto":
        calibration = choose_calibration_features(moments)
        freedom = degrees_of_freedom(moments)[calibration]
        correlation = estimate_correlation_weight(correlations.among(calibration), freedom)
    if load() is None:
        return PairCoverCriterion(moments, correlation, correlations, copies)
    return NativePairCover(moments, correlation, correlations, copies, n_threads)


class NativePairCover:
    """PairCover's criterion of a growing subset, empty at first.

    Parameters
    ----------
    moments : ClassMoments
        What one pass over the samples tells.
    correlation : float
        How much the correlation of features inside the classes counts, from 0 to 1.
    correlations : callable, optional
        Needed if that is above 0: gives for a feature its correlations inside the classes with all
        features.
    copies : ExactCopies, optional
        Tells which features repeat another. Without it every feature is one of its own.
    n_threads : int, default=1
        Long steps share out the candidates to that many threads.

    Attributes
    ----------
    distinct : ndarray of shape (n_features,)
        Mask of the features that need not wait until no other is left.
    class_distances : tuple of ndarray of shape (n_class_pairs,)
        The class distances after each feature that joined.
    """

    def __init__(
        self,
        moments: ClassMoments,
        correlation: float = 0.0,
        correlations: Any = None,
        copies: ExactCopies | None = None,
        n_threads: int = 1,
    ) -> None:
        moments = check_squares(moments)
        n_classes = len(moments.means)
        self.correlation = correlation
        self.distinct = moments.is_varying
        self.class_distances: tuple[Floats, ...] = ()
        self._correlations, self._copies, self._n_threads = correlations, copies, n_threads
        self._group_correlations = GroupCorrelations(correlations)
        self._selected: list[int] = []
        self._n_pairs = n_classes * (n_classes - 1) // 2
        self._feature, self._score = np.empty(1, np.int64), np.empty(1)
        with np.errstate(divide="ignore"):
            noise = 1 / moments.sizes
        gaps: Floats | None = None
        if moments.has_missing.any():
            gaps, noise_of_gaps = class_gaps(moments)
            gaps[noise_of_gaps == 0] = np.nan
        sd = np.where(moments.is_varying, within_sd(moments), 0.0)
        handle = _new(
            np.require(moments.means, np.float64, ["C", "A"]),
            sd,
            noise,
            gaps,
            self._n_pairs,
            correlation,
        )
        assert handle is not None  # for mypy # nosec B101
        self._handle: Handle = handle

    def shortlist(self, candidates: Indices, n_best: int = 1) -> Indices:
        """The candidates that may have one of the ``n_best`` largest scores, increasing."""
        if n_best > 1 or len(candidates) == 1:
            scores = self.score(candidates).scores
            return candidates[may_be_best(scores, scores, n_best)]
        _set_candidates(self._handle, np.ascontiguousarray(candidates, np.int64))
        feature, _ = self._find_best()
        return np.array([] if feature < 0 else [feature], dtype=np.intp)

    def best_score(self, candidates: Indices, at_least: float) -> float:
        """The largest score of the candidates, whether it is ``at_least`` that large or not."""
        _set_candidates(self._handle, np.ascontiguousarray(candidates, np.int64))
        feature, score = self._find_best()
        if feature < 0:
            raise no_number()
        return score

    def score(self, candidates: Indices) -> Scored:
        """The criterion, and the least class distance, of the subset joined by each candidate."""
        scores, closest = np.empty((2, len(candidates)))
        _score(
            self._handle, np.ascontiguousarray(candidates, np.int64), self._n_threads,
            scores, closest,
        )  # fmt: skip
        return Scored(scores, closest[None])

    def best_group(self, groups: Sequence[Sequence[int]]) -> tuple[int, Scored]:
        """The position of the group that is best to join as a whole, and its score."""
        if self.correlation and max(map(len, groups)) > LARGEST_KNOWN_GROUP:
            return best_group_by_trial(self, groups)
        within = self._group_correlations(groups) if self.correlation else np.empty(0)
        group, (score, closest) = np.empty(1, np.int64), np.empty((2, 1))
        _best_group(
            self._handle, *list_members(groups), within, self._n_threads, group, score, closest
        )
        if group[0] < 0:
            raise no_number()
        return int(group[0]), Scored(score, closest[None])

    def add(self, feature: int) -> None:
        """Let ``feature`` join the subset."""
        if self._copies is not None:
            self._let_wait(self._copies.of(feature))
        self._join(feature)

    def run(
        self, candidates: Indices, n_steps: int
    ) -> Iterator[tuple[int, float, tuple[float, ...]]]:
        """Let the best candidate join, ``n_steps`` times; yield each with its score and parts.

        It ends early if copies of the selected features alone are left.
        """
        _set_candidates(self._handle, np.ascontiguousarray(candidates, np.int64))
        is_left = np.zeros(len(self.distinct), dtype=bool)
        is_left[candidates] = True
        is_turn_of_copies = not self.distinct[candidates].any()
        n_joined = 0
        while n_joined < n_steps and is_left.any():
            feature, score = self._find_best()
            if feature < 0:
                raise no_number()
            if not is_turn_of_copies and len(copies := self._copies_with(feature)):
                # All of them at once: each would be found as the best one, after a screen of all.
                copies = copies[is_left[copies]]
                is_left[copies] = False
                self._let_wait(copies)
                _drop_candidates(self._handle, copies)
                continue
            is_left[feature] = False
            self._join(feature)
            n_joined += 1
            yield feature, score, (float(self.class_distances[-1].min()),)

    def copy(self) -> Self:
        """An independent criterion of the same subset."""
        copied = copy(self)
        handle = _copy(self._handle)
        assert handle is not None  # for mypy # nosec B101
        copied._handle = handle
        copied._selected = list(self._selected)
        copied._feature, copied._score = np.empty(1, np.int64), np.empty(1)
        return copied

    def _find_best(self) -> tuple[int, float]:
        """The best candidate and its score; -1 if no score is a number."""
        _best(self._handle, self._n_threads, self._feature, self._score)
        return int(self._feature[0]), float(self._score[0])

    def _join(self, feature: int) -> None:
        correlations = None
        if self.correlation:
            correlations = np.require(self._correlations(feature), np.float64, ["C", "A"])
        distances = np.empty(self._n_pairs)
        _add(self._handle, feature, correlations, distances)
        self._selected.append(feature)
        self.class_distances += (distances,)

    def _copies_with(self, feature: int) -> Indices:
        """If a candidate repeats a selected feature, it and all others that do; else none."""
        selected = np.array(self._selected, np.intp)
        if self._copies is None or not len(selected):
            return selected[:0]
        originals = self._copies.among(feature, selected)
        return np.union1d([feature], self._copies.of(originals[0])) if len(originals) else originals

    def _let_wait(self, features: Indices) -> None:
        """Let candidates wait until no other is left, as constant features do."""
        if len(features):
            self.distinct = self.distinct.copy()  # copies of this criterion share it
            self.distinct[features] = False


#: The criterion in C++ or in NumPy.
AnyPairCover = NativePairCover | PairCoverCriterion
