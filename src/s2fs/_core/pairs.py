"""Pair cover, definition by definition: how well a set of features tells every two classes apart.

Plain NumPy written for reading. ``tests/literal_pairs.py`` has the same pair by pair.

1. Spread. s(f)² is the pooled variance of feature f inside the classes, and never less than
   (0.01 · range)²: a feature that is constant inside every class is very good, not infinitely good.
2. Gap. For two classes a and b, d_ab(f) = (c_a(f) − c_b(f)) / s(f), with c the class means. If the
   classes did not differ, d² would be 1/n_a + 1/n_b on average: that is the noise of the pair.
3. Distance over a set B, corrected for noise: J_ab = max(0, Σ_f (d_ab(f)² − 1/n_a − 1/n_b)).
4. Features are not independent. With W the pooled correlation inside the classes, alone = Σ d² and
   joint = max(dᵀ W d, 0.05 · alone), the spread along the line between the two classes is
   ρ · joint + (1 − ρ) · alone, and the separation of the pair is J² / spread; for ρ = 0 it is J.
   Where ρ is left to the data: with few rows, correlations are partly chance, which makes
   r² = 1 / degrees of freedom on average. Let t be the share of the mean r² that is above this.
   ρ is t/2, and 0 unless t is above 1/2.
5. Cover. exp(−Δ²/8) bounds the error between two Gaussian classes at distance Δ, so
   Q = −ln(mean over pairs of exp(−separation / 8)) grows as the mean bound falls. A pair that is
   already far apart stops counting.
"""

from typing import NamedTuple

import numpy as np

from s2fs._core.criterion import EQUAL
from s2fs._util.types import Floats

#: Step 1: the spread of a feature is at least this share of its range.
LEAST_SPREAD = 0.01
#: Step 4: features that cancel each other out leave at least this share of the spread.
LEAST_JOINT = 0.05


class Moments(NamedTuple):
    """What one pass over the rows tells about every feature.

    Attributes
    ----------
    counts : ndarray of shape (n_classes, n_features)
        The weight of the values that are not missing.
    mean : ndarray of shape (n_classes, n_features)
        The class means.
    squares : ndarray of shape (n_features,)
        The weighted sum of squared differences to the own class mean.
    lower, upper : ndarray of shape (n_features,)
        The smallest and the largest value.
    """

    counts: Floats
    mean: Floats
    squares: Floats
    lower: Floats
    upper: Floats


def spread(known: Moments) -> Floats:
    """Step 1: s of each feature."""
    least = LEAST_SPREAD * (known.upper - known.lower)
    return np.maximum(np.sqrt(known.squares / degrees_of_freedom(known)), least)


def pair_gaps(known: Moments) -> tuple[Floats, Floats]:
    """Step 2: d and the noise of every pair of classes a < b, in sorted order, and feature.

    A feature without a value in one of two classes tells nothing about them, and a constant one
    about none: d and noise are 0.
    """
    first, second = np.triu_indices(len(known.counts), k=1)
    s = spread(known)
    speaks = (known.counts[first] > 0) & (known.counts[second] > 0) & (known.upper > known.lower)
    d = (known.mean[first] - known.mean[second]) / np.where(s > 0, s, 1.0)
    with np.errstate(divide="ignore"):
        noise = 1 / known.counts[first] + 1 / known.counts[second]
    return np.where(speaks, d, 0.0), np.where(speaks, noise, 0.0)


def degrees_of_freedom(known: Moments) -> Floats:
    """Of each feature inside the classes."""
    return np.maximum(known.counts.sum(axis=0) - len(known.counts), 1.0)


def trusted_correlation(r: Floats, freedom: Floats) -> float:
    """Step 4: ρ by what correlations of features inside the classes, k × k, are above chance."""
    k = len(r)
    mean_square = (np.vdot(r, r) - (np.diag(r) ** 2).sum()) / max(k * (k - 1), 1)
    chance = (1 / freedom).mean() if k else 0.0
    if mean_square <= 2 * chance * (1 + EQUAL):  # t ≤ 1/2; rounding must not decide
        return 0.0
    return float(1 - chance / mean_square) / 2


def cover(separation: Floats) -> Floats:
    """Step 5: Q of the separations of all pairs, along the first axis."""
    nearest = separation.min(axis=0)
    terms = np.exp(-(separation - nearest) / 8)
    return nearest / 8 - np.log(terms.mean(axis=0))
