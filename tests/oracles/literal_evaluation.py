"""The evaluation written out: folds, pooled predictions, intervals and words."""

import numpy as np
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def repeated_folds(y, n_splits=5, n_repeats=5, seed=0, groups=None):
    """For each repeat its folds, the first drawn with ``seed`` and each other with the next."""
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitters = (kind(n_splits, shuffle=True, random_state=seed + r) for r in range(n_repeats))
    X = np.zeros((len(y), 1))
    return [list(splitter.split(X, y, groups)) for splitter in splitters]


def make_learner():
    """Ridge logistic regression on standardised features, fitted to the end."""
    return make_pipeline(StandardScaler(), LogisticRegression(tol=1e-9, max_iter=10_000))


def predict(X, y, fold, columns, model=None):
    """What a learner predicts for the held-out samples, from some columns scaled to [0, 1]."""
    train, test = fold
    low, high = X[train].min(axis=0), X[train].max(axis=0)
    scaled = ((X - low) / np.where(high > low, high - low, 1.0))[:, columns]
    learner = make_learner() if model is None else model
    return learner.fit(scaled[train], y[train]).predict(scaled[test])


def pooled_predictions(X, y, repeats, select, model=None):
    """One prediction for each repeat and sample; ``select`` sees the training samples alone."""
    predicted = np.full((len(repeats), len(y)), -1)
    for row, folds in zip(predicted, repeats, strict=True):
        for train, test in folds:
            columns = select(X[train], y[train])
            row[test] = predict(X, y, (train, test), columns, model)
    return predicted


def accuracy(predicted, y):
    """Mean over the repeats of the share of right samples, and its standard deviation."""
    shares = [np.mean([a == b for a, b in zip(row, y, strict=True)]) for row in predicted]
    return np.mean(shares), (np.std(shares, ddof=1) if len(shares) > 1 else 0.0)


def balanced_accuracy(predicted, y):
    """Mean over the repeats of the mean over the classes of the share of right samples."""
    shares = [np.mean([(row[y == q] == q).mean() for q in np.unique(y)]) for row in predicted]
    return np.mean(shares), (np.std(shares, ddof=1) if len(shares) > 1 else 0.0)


def wilson(share, n):
    """The shares p with |share − p| = z √(p (1 − p) / n): the ends of Wilson's interval."""
    z = stats.norm.ppf(0.975)
    low, high = sorted(np.roots([1 + z**2 / n, -(2 * share + z**2 / n), share**2]).real)
    return low, high


def interval(predicted, other, y, units=None):
    """The difference of two accuracies with its 95 % interval, over units."""
    held_out = predicted >= 0
    units = np.arange(len(y)) if units is None else units
    gaps = {}
    for i in np.flatnonzero(held_out.any(axis=0)):
        repeats = held_out[:, i]
        gain = (predicted[repeats, i] == y[i]).astype(float) - (other[repeats, i] == y[i])
        gaps.setdefault(units[i], []).append(gain.mean())
    n = sum(map(len, gaps.values()))
    d = np.array([len(gaps) / n * sum(of_unit) for of_unit in gaps.values()])
    half = stats.t.ppf(0.975, len(d) - 1) * np.sqrt(2 * d.var(ddof=1) / len(d))
    half = max(half, 2 / len(d))
    return d.mean(), max(-1, d.mean() - half), min(1, d.mean() + half)


def words(low, high):
    """What a difference is called, by its interval."""
    if low > 1e-9 or high < -1e-9:
        return "better than" if low > 0 else "worse than"
    return "as good as" if max(-low, high) <= 0.02 + 1e-9 else "cannot be told from"
