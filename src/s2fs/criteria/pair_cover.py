"""PairCover's criterion, definition by definition: how well features tell every two classes apart.

Plain NumPy written for reading. ``tests/oracles/literal_pair_cover.py`` has the same pair by pair,
and :mod:`s2fs._native.pair_cover` the same in C++.

1. Within-class s.d. s(f)² is the pooled variance of feature f inside the classes, and never less
   than (0.01 · range)²: a feature that is constant inside every class is very good, not infinitely
   good.
2. Gap. For two classes a and b, d_ab(f) = (c_a(f) − c_b(f)) / s(f), with c the class means. If the
   classes did not differ, d² would be 1/n_a + 1/n_b on average: that is the noise of the pair.
   A feature with missing values has n_a(f) known values in class a, and ν degrees of freedom for s.
   Few values make large gaps by chance, so d is replaced by the gap that a complete feature would
   need for equal evidence: z² = ν c² ln(1 + d²/(v ν)) is about χ² with one degree of freedom if the
   means are equal (c by Wallace, v = 1/n_a(f) + 1/n_b(f)), and no column is more certain than the
   permutations of its known values allow, as far as values are missing. A feature that is known in
   one class only, in one sample of each, or without a degree of freedom tells nothing about the
   pair: d and noise are 0.
3. Squared distance over a set B, corrected for noise: J_ab = max(0, Σ_f (d_ab(f)² − noise)).
4. Features are not independent. With W the pooled correlation inside the classes, with
   independent = Σ d² and joint = max(dᵀ W d, 0.05 · independent), the spread along the line between
   the two classes is ρ · joint + (1 − ρ) · independent, and the class distance is J² / spread;
   for ρ = 0 it is J.
   Where ρ is left to the data: with few samples, correlations are partly chance, which makes
   r² = 1 / degrees of freedom on average. Let t be the share of the mean r² that is above this.
   ρ is t/2, and 0 unless t is above 1/2.
5. Criterion. exp(−Δ²/8) bounds the error between two Gaussian classes at distance Δ, so
   Q = −ln(mean over pairs of exp(−class distance / 8)) grows as the mean bound falls. A pair that
   is already far apart stops counting.
"""

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from s2fs._utils.types import Floats, Indices
from s2fs.criteria.class_moments import (
    BLOCK,
    ClassMoments,
    check_squares,
    squares_between,
    within_sd,
)
from s2fs.criteria.protocol import Scored, may_be_best
from s2fs.criteria.separability import EQUAL

#: Step 4: correlated features leave at least this share of the spread that independent ones have.
MIN_JOINT_SHARE = 0.05
#: So many features tell how far the correlations of a table can be trusted.
MAX_CALIBRATION_FEATURES = 256
#: Step 2: sums of weights are rounded, which must not decide whether they reach 1.
_ROUNDING = 1e-9


def class_gaps(moments: ClassMoments) -> tuple[Floats, Floats]:
    """Step 2: d and the noise of every pair of classes a < b, in sorted order, and feature.

    A feature that tells nothing about a pair has d and noise 0 there.
    """
    first, second = np.triu_indices(len(moments.means), k=1)
    sd = within_sd(moments)
    d = (moments.means[first] - moments.means[second]) / np.where(sd > 0, sd, 1.0)
    with np.errstate(divide="ignore"):
        noise = (1 / moments.sizes[first] + 1 / moments.sizes[second])[:, None]
    tells = moments.is_varying & np.isfinite(noise)
    incomplete = np.flatnonzero(moments.has_missing & moments.is_varying)
    for start in range(0, len(incomplete), step := max(1, BLOCK // len(first))):
        some = incomplete[start : start + step]
        d[:, some], tells[:, some] = _weigh_evidence(moments, d[:, some], some)
    return np.where(tells, d, 0.0), np.where(tells, noise, 0.0)


def _weigh_evidence(
    moments: ClassMoments, d: Floats, features: Indices
) -> tuple[Floats, NDArray[np.bool_]]:
    """Step 2 for features with missing values: d of equal evidence, and where they tell anything.

    Parameters
    ----------
    moments : ClassMoments
        The moments.
    d : ndarray of shape (n_class_pairs, n_some)
        Their gaps by the known values.
    features : ndarray of shape (n_some,)
        The features.
    """
    first, second = np.triu_indices(len(moments.means), k=1)
    counts, sizes = moments.counts[:, features], moments.sizes
    known_a, known_b = counts[first], counts[second]
    freedom = counts.sum(axis=0) - (counts > 0).sum(axis=0)
    tells = (known_a > 0) & (known_b > 0) & (np.maximum(known_a, known_b) > 1 + _ROUNDING)
    tells &= freedom >= 1 - _ROUNDING
    freedom = np.maximum(freedom, 1.0)
    all_freedom = max(sizes.sum() - np.count_nonzero(sizes), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        noise = 1 / known_a + 1 / known_b
        evidence = freedom * _normal_factor(freedom) * np.log1p(np.square(d) / (noise * freedom))
        # No column is more certain than the permutations of its known values allow.
        n_permutations = (
            gammaln(known_a + known_b + 1) - gammaln(known_a + 1) - gammaln(known_b + 1)
        )
        missing_share = np.maximum(1 - counts.sum(axis=0) / sizes.sum(), 0.0)
        least = np.log(missing_share) - (n_permutations - np.log(2))
        capped = np.maximum(-2 * np.logaddexp(-evidence / 2, least), 0.0)
        evidence = (1 - missing_share) * evidence + missing_share * capped
        noise = (1 / sizes[first] + 1 / sizes[second])[:, None]
        scale = all_freedom * _normal_factor(all_freedom)
        squared = noise * all_freedom * np.expm1(evidence / scale)
    return np.where(tells, np.copysign(np.sqrt(squared), d), 0.0), tells


def _normal_factor(freedom: Any) -> Any:
    """Wallace: this times ν ln(1 + t²/ν) is about the square of a normal variable."""
    return ((8 * freedom + 1) / (8 * freedom + 3)) ** 2


def score_distances(distances: Floats) -> Floats:
    """Step 5: the criterion of the class distances of all pairs, along the first axis."""
    # Distances may be in the thousands: take out the closest pair before exponentials underflow.
    closest = distances.min(axis=0)
    error_bounds = np.exp(-(distances - closest) / 8)
    return closest / 8 - np.log(error_bounds.mean(axis=0))


def choose_calibration_features(moments: ClassMoments) -> Indices:
    """Step 4: up to 256 features, evenly spaced by the ratio of their variances (F), increasing.

    Ties, to nine digits, go to the smaller index.
    """
    between = squares_between(moments)
    varying = np.flatnonzero(moments.is_varying)
    with np.errstate(divide="ignore"):
        ratio = between[varying] / moments.within_squares[varying]
    # Counts of words tie often, and rounding must not decide: else dense and sparse differ.
    digits, exponent = np.frexp(ratio)
    ratio = np.ldexp(np.round(digits * 2.0**30), exponent)
    order = varying[np.argsort(ratio, kind="stable")]
    n_chosen = min(MAX_CALIBRATION_FEATURES, len(order))
    return np.sort(order[(2 * np.arange(n_chosen) + 1) * len(order) // (2 * max(n_chosen, 1))])


def estimate_correlation_weight(r: Floats, freedom: Floats) -> float:
    """Step 4: ρ by how far the correlations inside the classes of k features are above chance.

    Parameters
    ----------
    r : ndarray of shape (k, k)
        The correlations.
    freedom : ndarray of shape (k,)
        The degrees of freedom of each feature.
    """
    k = len(r)
    mean_square = (np.square(r).sum() - (np.diag(r) ** 2).sum()) / max(k * (k - 1), 1)
    by_chance = (1 / freedom).mean() if k else 0.0
    if mean_square <= 2 * by_chance * (1 + EQUAL):  # t ≤ 1/2; rounding must not decide
        return 0.0
    return float(1 - by_chance / mean_square) / 2


class PairCoverCriterion:
    """The criterion of a growing subset, empty at first.

    Parameters
    ----------
    moments : ClassMoments
        What one pass over the samples tells.
    correlation : float
        ρ: how much the correlation of features inside the classes counts.
    correlations : callable, optional
        Needed if ρ is above 0: gives for a feature its correlations inside the classes with all
        features.
    copies : ExactCopies, optional
        Tells which features repeat another. Without it every feature is one of its own.

    Attributes
    ----------
    distinct : ndarray of shape (n_features,)
        Mask of the features that need not wait until no other is left.
    class_distances : tuple of ndarray of shape (n_class_pairs,)
        The class distances of all pairs after each feature that joined.
    """

    def __init__(
        self,
        moments: ClassMoments,
        correlation: float = 0.0,
        correlations: Any = None,
        copies: Any = None,
    ) -> None:
        d, noise = class_gaps(check_squares(moments))
        self.correlation = correlation
        self.distinct = moments.is_varying
        self.class_distances: tuple[Floats, ...] = ()
        self._correlations, self._copies = correlations, copies
        self._gaps, self._noise = d, noise  # class pair × feature
        self._J, self._independent, self._joint = np.zeros((3, len(d)))
        self._cross = np.zeros_like(d)  # Σ over selected g of d(g) W(g, f)

    def shortlist(self, candidates: Indices, n_best: int = 1) -> Indices:
        """The candidates that may have one of the ``n_best`` largest scores, increasing."""
        scores = self.score(candidates).scores
        return candidates[may_be_best(scores, scores, n_best)]

    def score(self, candidates: Indices) -> Scored:
        """The criterion, and the least class distance, of the subset joined by each candidate."""
        distances = self._distances_with(candidates)
        return Scored(score_distances(distances), distances.min(axis=0)[None])

    def add(self, feature: int) -> None:
        """Let ``feature`` join the subset."""
        if self._copies is not None:
            self._let_wait(self._copies.of(feature))
        d = self._gaps[:, feature]
        self.class_distances += (self._distances_with(np.array([feature]))[:, 0],)
        self._J = self._J + (d**2 - self._noise[:, feature])
        if self.correlation:
            self._independent = self._independent + d**2
            self._joint = self._joint + 2 * d * self._cross[:, feature] + d**2
            self._cross = self._cross + np.outer(d, self._correlations(feature))

    def copy(self) -> Self:
        """An independent criterion of the same subset."""
        return copy(self)  # :meth:`add` makes new arrays, so these can be shared

    def _distances_with(self, candidates: Indices) -> Floats:
        """Steps 3 and 4: the class distances of the subset joined by each candidate."""
        d = self._gaps[:, candidates]
        J = self._J[:, None] + (d**2 - self._noise[:, candidates])
        J = np.maximum(J, 0.0)
        if not self.correlation:
            return J
        independent = self._independent[:, None] + d**2
        joint = self._joint[:, None] + 2 * d * self._cross[:, candidates] + d**2
        joint = np.maximum(joint, MIN_JOINT_SHARE * independent)
        spread = self.correlation * joint + (1 - self.correlation) * independent
        return np.divide(J**2, spread, out=np.zeros_like(J), where=spread > 0)

    def _let_wait(self, features: Indices) -> None:
        """Let candidates wait until no other is left, as constant features do."""
        if len(features):
            self.distinct = self.distinct.copy()  # copies of this criterion share it
            self.distinct[features] = False
