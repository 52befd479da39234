"""PairCover by its definition, pair by pair of classes and feature by feature.

``pair_cover`` is the definition for complete tables without weights, ``weighted_pair_cover`` the
one for all tables.
"""

import math
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


def is_copy(x, z, weight=None):
    """Whether two columns are the same but for sign, scale and offset, one row left out or not.

    A correlation that one row makes is none: the rows equal to the one with the largest share in it
    are left out, and the rest is asked once more.
    """
    known = ~np.isnan(x)
    if (known != ~np.isnan(z)).any():
        return False
    weight = np.ones(len(x)) if weight is None else weight
    x, z, weight = x[known], z[known], weight[known]
    if min(np.ptp(x), np.ptp(z)) == 0 or not is_correlated(x, z, weight):
        return False
    share = weight * np.abs(
        (x - np.average(x, weights=weight)) * (z - np.average(z, weights=weight))
    )
    row = share.argmax()
    left = (x != x[row]) | (z != z[row])
    x, z, weight = x[left], z[left], weight[left]
    is_constant = len(x) == 0 or np.ptp(x) == 0, len(z) == 0 or np.ptp(z) == 0
    if any(is_constant):
        return all(is_constant)
    return is_correlated(x, z, weight)


def is_correlated(x, z, weight):
    """Whether |r| is 1 up to rounding."""
    x, z = x - np.average(x, weights=weight), z - np.average(z, weights=weight)
    x, z = x / np.abs(x).max(), z / np.abs(z).max()
    r = (weight * x * z).sum() / math.sqrt((weight * x * x).sum() * (weight * z * z).sum())
    return abs(r) > 1 - 1e-10


def equal_evidence(d_squared, n_a, n_b, freedom, all_a, all_b, all_freedom, share):
    """The squared gap of a complete feature that is as good evidence as that of one with gaps.

    Parameters
    ----------
    d_squared : float
        The squared gap of the known values.
    n_a, n_b, freedom : float
        Known values of the two classes, and degrees of freedom of the feature.
    all_a, all_b, all_freedom : float
        The same of a complete feature.
    share : float
        The share of the samples in which the feature is known.
    """

    def wallace(x):
        return (8 * x + 1) / (8 * x + 3)

    v, all_v = 1 / n_a + 1 / n_b, 1 / all_a + 1 / all_b
    z2 = freedom * wallace(freedom) ** 2 * math.log1p(d_squared / (v * freedom))
    log_permutations = math.lgamma(n_a + n_b + 1) - math.lgamma(n_a + 1) - math.lgamma(n_b + 1)
    least = -np.inf if share >= 1 else math.log(1 - share) - (log_permutations - math.log(2))
    capped = max(0.0, -2 * np.logaddexp(-z2 / 2, least))
    z2 = share * z2 + (1 - share) * capped
    scale = all_freedom * wallace(all_freedom) ** 2
    return all_v * all_freedom * math.expm1(z2 / scale)


class Feature:
    """What one feature tells: noise and gap of every two classes, and residuals."""

    def __init__(self, x, y, samples, factors):
        known = ~np.isnan(x)
        is_complete = known.all()
        classes = range(y.max() + 1)
        counts = [samples[known & (y == q)].sum() for q in classes]
        sizes = [samples[y == q].sum() for q in classes]
        freedom = sum(counts) - sum(count > 0 for count in counts)
        all_freedom = max(sum(sizes) - len(sizes), 1)
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
                self.d[a, b], self.noise[a, b] = 0.0, 0.0
                is_known = min(counts[a], counts[b]) > 0 and max(counts[a], counts[b]) > 1 + 1e-9
                if not is_complete and not (is_known and freedom > 1 - 1e-9):
                    continue
                d = (means[a] - means[b]) / s
                if not is_complete:
                    squared = equal_evidence(
                        d**2, counts[a], counts[b], freedom, sizes[a], sizes[b], all_freedom,
                        sum(counts) / sum(sizes),
                    )  # fmt: skip
                    d = math.copysign(math.sqrt(squared), d)
                self.d[a, b] = d
                self.noise[a, b] = 1 / sizes[a] + 1 / sizes[b]


def weighted_pair_cover(X, y, correlation=0.0, weight=None, class_weight=None):
    """Q of all features of a table with weights and missing values.

    Samples of weight 0 are left out. The ``class_weight`` is a number for each class.
    """
    samples = count_samples(np.ones(len(y)) if weight is None else weight)
    factors = np.ones(y.max() + 1) if class_weight is None else np.asarray(class_weight, float)
    factors = factors * samples.sum() / (samples * factors[y]).sum()
    is_sample = samples > 0
    X, y, samples = X[is_sample], y[is_sample], samples[is_sample]
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
