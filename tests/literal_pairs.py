"""Pair cover by its definition, pair by pair of classes and feature by feature."""

from collections import namedtuple

import numpy as np
from scipy.special import logsumexp

Moments = namedtuple("Moments", "counts mean squares lower upper")


def moments(X, y, weight=None):
    """Weight and mean of each class, squares about it, and ends of each feature; NaN is missing."""
    weight = np.ones(len(y)) if weight is None else weight
    there = [np.where(np.isnan(X[y == q]), 0.0, weight[y == q, None]) for q in range(y.max() + 1)]
    counts = np.array([own.sum(axis=0) for own in there])
    sums = np.array([np.nansum(own * X[y == q], axis=0) for q, own in enumerate(there)])
    means = sums / np.where(counts > 0, counts, 1.0)
    squares = [np.nansum(own * (X[y == q] - means[q]) ** 2, axis=0) for q, own in enumerate(there)]
    ends = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    return Moments(counts, means, np.sum(squares, axis=0), *ends)


def standardized(X, y):
    """The class means and the residuals of each feature, over its spread inside the classes."""
    n_classes = y.max() + 1
    means = np.array([X[y == q].mean(axis=0) for q in range(n_classes)])
    residuals = X - means[y]
    spread = np.sqrt((residuals**2).sum(axis=0) / max(len(y) - n_classes, 1))
    spread = np.maximum(spread, 0.01 * np.ptp(X, axis=0))  # a feature is never infinitely good
    return means / spread, residuals / spread


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
