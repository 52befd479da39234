"""PairCover by its definition, pair by pair of classes and feature by feature.

``pair_cover`` is the definition for complete tables without weights, ``weighted_pair_cover`` the
one for all tables (PAIRS.md § 7).
"""

from collections import namedtuple

import numpy as np
from scipy.special import logsumexp

Moments = namedtuple("Moments", "counts mean squares lower upper")


def moments(X, y, weight=None):
    """Weight and mean of each class, squares about it, and ends of each feature; NaN is missing."""
    weight = np.ones(len(y)) if weight is None else weight
    known = [np.where(np.isnan(X[y == q]), 0.0, weight[y == q, None]) for q in range(y.max() + 1)]
    counts = np.array([own.sum(axis=0) for own in known])
    sums = np.array([np.nansum(own * X[y == q], axis=0) for q, own in enumerate(known)])
    means = sums / np.where(counts > 0, counts, 1.0)
    squares = [np.nansum(own * (X[y == q] - means[q]) ** 2, axis=0) for q, own in enumerate(known)]
    ends = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    return Moments(counts, means, np.sum(squares, axis=0), *ends)


def standardized(X, y):
    """The class means and the residuals of each feature, over its within-class s.d."""
    n_classes = y.max() + 1
    means = np.array([X[y == q].mean(axis=0) for q in range(n_classes)])
    residuals = X - means[y]
    within_sd = np.sqrt((residuals**2).sum(axis=0) / max(len(y) - n_classes, 1))
    within_sd = np.maximum(
        within_sd, 0.01 * np.ptp(X, axis=0)
    )  # a feature is never infinitely good
    return means / within_sd, residuals / within_sd


def pair_gaps(X, y):
    """d² − 1/n_a − 1/n_b of every pair of classes a < b and feature, and d itself."""
    means, _ = standardized(X, y)
    sizes = np.bincount(y)
    pairs = [(a, b) for a in range(len(sizes)) for b in range(a + 1, len(sizes))]
    d = np.array([means[a] - means[b] for a, b in pairs])
    noise = np.array([1 / sizes[a] + 1 / sizes[b] for a, b in pairs])
    return d**2 - noise[:, None], d


def pair_cover(X, y, correlation=0.0):
    """Q of all features of a table; constant ones tell nothing."""
    X = X[:, np.ptp(X, axis=0) > 0]
    gaps, d = pair_gaps(X, y)
    _, residuals = standardized(X, y)
    W = residuals.T @ residuals / max(len(y) - y.max() - 1, 1)
    np.fill_diagonal(W, 1.0)
    separations = []
    for gap, along in zip(gaps, d, strict=True):
        J, alone = max(0.0, gap.sum()), (along**2).sum()
        joint = max(along @ W @ along, 0.05 * alone)
        spread = correlation * joint + (1 - correlation) * alone
        if correlation == 0:
            separations.append(J)
        else:
            separations.append(J**2 / spread if spread > 0 else 0.0)
    # −ln(mean of exp(−separation / 8)), where the exponentials may be too small for a number
    return np.log(len(separations)) - logsumexp(-np.array(separations) / 8)


def count_samples(weight):
    """How many samples each weight stands for: shares are scaled to the number that is not 0."""
    n_samples = np.count_nonzero(weight)
    return weight * n_samples / weight.sum() if weight.sum() < n_samples else weight


def is_copy(x, z):
    """Whether two columns are the same but for sign, scale and offset."""
    known = ~np.isnan(x)
    if (known != ~np.isnan(z)).any() or min(np.ptp(x[known]), np.ptp(z[known])) == 0:
        return False
    return abs(np.corrcoef(x[known], z[known])[0, 1]) > 1 - 1e-10


class Feature:
    """What one feature tells: noise and gap of every two classes, and residuals."""

    def __init__(self, x, y, samples, factors):
        known = ~np.isnan(x)
        is_complete = known.all()
        classes = range(y.max() + 1)
        counts = [samples[known & (y == q)].sum() for q in classes]
        freedom = sum(counts) - sum(count > 0 for count in counts)
        means, squares, total = [], 0.0, 0.0
        self.residual = np.zeros(len(x))
        for q in classes:
            own = known & (y == q)
            mean = np.average(x[own], weights=samples[own]) if own.any() else 0.0
            self.residual[own] = x[own] - mean
            squares += factors[q] * (samples[own] * (x[own] - mean) ** 2).sum()
            total += factors[q] * samples[own].sum()
            means.append(mean)
        variance = squares / total * sum(counts) / max(freedom, 1)
        s = max(np.sqrt(variance), 0.01 * np.ptp(x[known]))
        self.residual /= s * np.sqrt(max(freedom, 1))
        self.d, self.noise = {}, {}
        for a in classes:
            for b in range(a + 1, len(classes)):
                self.d[a, b] = (means[a] - means[b]) / s
                self.noise[a, b] = 0.0
                if is_complete:
                    self.noise[a, b] = 1 / counts[a] + 1 / counts[b]
                elif freedom > 2 + 1e-9 and min(counts[a], counts[b]) > 2 - 1e-9:
                    chance = 1 / counts[a] + 1 / counts[b]
                    self.noise[a, b] = chance * freedom / (freedom - 2)
                else:
                    self.d[a, b] = 0.0


def weighted_pair_cover(X, y, correlation=0.0, weight=None, class_weight=None):
    """Q of all features of a table with weights and missing values.

    Samples of weight 0 are left out. The ``class_weight`` is a number for each class.
    """
    samples = count_samples(np.ones(len(y)) if weight is None else weight)
    factors = np.ones(y.max() + 1) if class_weight is None else np.asarray(class_weight, float)
    factors = factors * samples.sum() / (samples * factors[y]).sum()
    varies = [np.nanmax(x, initial=-np.inf) > np.nanmin(x, initial=np.inf) for x in X.T]
    features = [Feature(x, y, samples, factors) for x in X[:, varies].T]
    residuals = np.array([feature.residual for feature in features]).reshape(-1, len(y))
    W = (residuals * samples * factors[y]) @ residuals.T
    np.fill_diagonal(W, 1.0)
    separations = []
    for pair in [(a, b) for a in range(y.max() + 1) for b in range(a + 1, y.max() + 1)]:
        d = np.array([feature.d[pair] for feature in features])
        gaps = [feature.d[pair] ** 2 - feature.noise[pair] for feature in features]
        J, alone = max(0.0, sum(gaps)), d @ d
        joint = max(d @ W @ d, 0.05 * alone)
        spread = correlation * joint + (1 - correlation) * alone
        if correlation == 0:
            separations.append(J)
        else:
            separations.append(J**2 / spread if spread > 0 else 0.0)
    return np.log(len(separations)) - logsumexp(-np.array(separations) / 8)
