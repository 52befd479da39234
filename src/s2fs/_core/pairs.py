"""Pair cover, definition by definition: how well a set of features tells every two classes apart.

Plain NumPy written for reading. ``tests/literal_pairs.py`` has the same pair by pair.

1. Spread. s(f)² is the pooled variance of feature f inside the classes, and never less than
   (0.01 · range)²: a feature that is constant inside every class is very good, not infinitely good.
2. Gap. For two classes a and b, d_ab(f) = (c_a(f) − c_b(f)) / s(f), with c the class means. If the
   classes did not differ, d² would be 1/n_a + 1/n_b on average: that is the noise of the pair.
   A feature with missing values has n_a(f) known values in class a, and ν degrees of freedom for s.
   Where ν is small, s is uncertain and d² larger by chance: the noise is that times ν / (ν − 2).
   With ν up to 2, or fewer than 2 known values in a class, it tells nothing: d and noise are 0.
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
from numpy.typing import NDArray

from s2fs._core.criterion import EQUAL
from s2fs._util.types import Floats

#: Step 1: the spread of a feature is at least this share of its range.
LEAST_SPREAD = 0.01
#: Step 4: features that cancel each other out leave at least this share of the spread.
LEAST_JOINT = 0.05
#: Step 2: sums of weights are rounded, which must not decide whether they reach 2.
_ROUNDING = 1e-9


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
    missing : ndarray of shape (n_features,)
        Mask of the features with missing values.
    """

    counts: Floats
    mean: Floats
    squares: Floats
    lower: Floats
    upper: Floats
    missing: NDArray[np.bool_]

    @property
    def varying(self) -> NDArray[np.bool_]:
        """Mask of the features that are not constant."""
        return self.upper > self.lower


def spread(known: Moments) -> Floats:
    """Step 1: s of each feature."""
    least = LEAST_SPREAD * (known.upper - known.lower)
    return np.maximum(np.sqrt(known.squares / degrees_of_freedom(known)), least)


def pair_gaps(known: Moments) -> tuple[Floats, Floats]:
    """Step 2: d and the noise of every pair of classes a < b, in sorted order, and feature.

    A feature that tells nothing of one of two classes tells nothing about the pair, and a constant
    one about none: d and noise are 0.
    """
    first, second = np.triu_indices(len(known.counts), k=1)
    s, tells = spread(known), tells_of_class(known)
    speaks = tells[first] & tells[second] & known.varying
    d = (known.mean[first] - known.mean[second]) / np.where(s > 0, s, 1.0)
    with np.errstate(divide="ignore"):
        inverse = 1 / noise_counts(known)
    noise = inverse[first] + inverse[second]
    return np.where(speaks, d, 0.0), np.where(speaks, noise, 0.0)


def tells_of_class(known: Moments) -> NDArray[np.bool_]:
    """Step 2: mask, classes × features, of the classes that a feature tells something of."""
    if not known.missing.any():
        return np.broadcast_to(known.counts[:, :1] > 0, known.counts.shape)
    enough = known.counts >= 2 * (1 - _ROUNDING)
    enough &= degrees_of_freedom(known) > 2 * (1 + _ROUNDING)
    return np.where(known.missing, enough, known.counts > 0)


def noise_counts(known: Moments) -> Floats:
    """Step 2: the noise of two classes is the sum of the inverses of these, classes × features."""
    if not known.missing.any():
        return known.counts
    freedom = np.maximum(degrees_of_freedom(known), 2.0)
    return known.counts * np.where(known.missing, (freedom - 2) / freedom, 1.0)


def degrees_of_freedom(known: Moments) -> Floats:
    """Of each feature inside the classes: known values without one for each class that has some."""
    counts = known.counts if known.missing.any() else known.counts[:, :1]
    freedom = counts.sum(axis=0) - (counts > 0).sum(axis=0)
    return np.broadcast_to(np.maximum(freedom, 1.0), known.lower.shape)


def squares_between(known: Moments) -> Floats:
    """Weighted sum of squared differences of the class means to the mean of all, per feature."""
    counts = known.counts if known.missing.any() else known.counts[:, :1]
    total = np.maximum(counts.sum(axis=0), 1.0)
    grand = (counts * known.mean).sum(axis=0) / total
    return np.asarray((counts * (known.mean - grand) ** 2).sum(axis=0))


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
