"""The evaluation written out: folds, pooled predictions, intervals, words and the number."""

from itertools import product

import numpy as np
from scipy import stats
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier


def repeated_folds(y, n_splits=5, n_repeats=5, seed=0, groups=None):
    """For each repeat its folds, the first drawn with ``seed`` and each other with the next."""
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitters = (kind(n_splits, shuffle=True, random_state=seed + r) for r in range(n_repeats))
    X = np.zeros((len(y), 1))
    return [list(splitter.split(X, y, groups)) for splitter in splitters]


def predict(X, y, fold, columns, model=None):
    """What a learner predicts for the held-out samples, from some columns scaled to [0, 1]."""
    train, test = fold
    low, high = X[train].min(axis=0), X[train].max(axis=0)
    scaled = ((X - low) / np.where(high > low, high - low, 1.0))[:, columns]
    learner = KNeighborsClassifier(5) if model is None else model
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


def fold_accuracies(predicted, y, repeats):
    """The accuracy of every fold, repeat after repeat."""
    return np.array(
        [
            (row[test] == y[test]).mean()
            for row, folds in zip(predicted, repeats, strict=True)
            for _, test in folds
        ]
    )


def standard_error(differences, repeats):
    """Nadeau and Bengio: the variance of the mean of J folds times 1/J + n_test/n_train."""
    share = np.mean([len(test) / len(train) for folds in repeats for train, test in folds])
    return np.sqrt(np.var(differences, ddof=1) * (1 / len(differences) + share))


def interval(differences, repeats):
    """Mean and 95 % interval of paired differences of folds."""
    mean = np.mean(differences)
    half = stats.t.ppf(0.975, len(differences) - 1) * standard_error(differences, repeats)
    return mean, mean - half, mean + half


def words(low, high):
    """What a difference is called, by its interval; of at least 50 samples."""
    if low > 0 or high < 0:
        return "better than" if low > 0 else "worse than"
    return "as good as" if max(-low, high) <= 0.02 else "cannot be told from"


def p_value_against(predicted, guess, y, groups=None):
    """Twice the median over the repeats: McNemar's exact test, or every flip of every group."""
    p_values = []
    for row, guessed in zip(predicted, guess, strict=True):
        gain = (row == y).astype(int) - (guessed == y).astype(int)
        if groups is None:
            won, lost = int((gain == 1).sum()), int((gain == -1).sum())
            exact = stats.binomtest(won, won + lost).pvalue if won + lost else 1.0
        else:
            sums = [int(gain[groups == g].sum()) for g in np.unique(groups)]
            flips = [abs(np.dot(signs, sums)) for signs in product([-1, 1], repeat=len(sums))]
            exact = np.mean([flip >= abs(sum(sums)) for flip in flips])
        p_values.append(exact)
    return min(1.0, 2 * np.median(p_values))


def recommended(by_size, repeats):
    """The smallest size within one standard error of the best, the best, and if it still rises."""
    sizes = list(by_size)
    best = max(sizes, key=lambda size: (round(by_size[size].mean(), 12), -size))

    def within(size):
        behind = by_size[best] - by_size[size]
        return behind.mean() <= standard_error(behind, repeats) + 1e-12

    rising = best == sizes[-1] and len(sizes) > 1 and not within(sizes[-2])
    return next(size for size in sizes if within(size)), best, rising
