"""Variants of the pair-cover criterion on the practice tables, to choose the default.

Run ``S2FS_DATA=… python bench/studies/pair_variants.py [--tables …] [--variants …] [--repeats 2]``
with a folder of tables (``.npz`` with X and y). Every variant selects inside stratified 5-fold
cross-validation; balanced accuracy is averaged over 5-NN, SVM and logistic regression at 10, 20
and 50 features.
Tables are split in two halves, alternately by name: a variant is kept if it wins on both.
``results/pair_variants.csv`` holds the mean of each variant on each table and repeat; what it has
is not measured again, and ``--show`` only sums it up.
"""

import argparse
import csv
import os
import warnings
from itertools import product
from pathlib import Path

import numpy as np
from pages import plus_minus, signed
from scipy.special import logsumexp
from scipy.stats import false_discovery_control, rankdata
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from timing import table

SIZES = (10, 20, 50)
RESULTS = Path(__file__).parents[1] / "results" / "pair_variants.csv"

#: What the others are compared with.
DEFAULT = "ρ = 0.25"
#: What each variant changes: see :func:`cover`.
VARIANTS = {
    "ρ = 0": {"correlation": 0.0},
    "ρ = 0.25": {},
    "ρ = 0.5": {"correlation": 0.5},
    "ρ = t/2, or 0 if t < 1/2": {"correlation": "auto"},
    "ρ = t/2": {"correlation": "share"},
    "J/32 instead of J/8": {"divisor": 32.0},
    "J/32, ρ = 0": {"divisor": 32.0, "correlation": 0.0},
    "heavy tails, ν = 4": {"tails": 4.0},
    "heavy tails, ν = 10": {"tails": 10.0},
    "heavy tails, ν = 10, ρ = 0": {"tails": 10.0, "correlation": 0.0},
    "twice the noise": {"noise": 2.0},
    "s shrunk towards its median": {"shrinkage": 0.5},
    "ranks instead of values": {"ranks": True},
    "discriminant, ρ = 0.5": {"discriminant": True, "correlation": 0.5},
    "discriminant, ρ = 0.75, J/32": {"discriminant": True, "correlation": 0.75, "divisor": 32.0},
    "mean of Q over 5 subsamples": {"subsamples": 5},
    "ρ = t/2 or 0, S/(1 + 2 noise)": {"correlation": "auto", "fade": 2.0},
    "ρ = t/2 or 0, p(F) > 1/m waits": {"correlation": "auto", "n_false": 1.0},
    "ρ = t/2 or 0, both of these": {"correlation": "auto", "fade": 2.0, "n_false": 1.0},
    "ρ = t/2 or 0, p(F) > 10/m waits": {"correlation": "auto", "n_false": 10.0},
    "ρ = t/2 or 0, false discovery rate 5 %": {"correlation": "auto", "false_rate": 0.05},
}


class Cover:
    """Q of a growing set and of every candidate, literally, with the options of a variant."""

    def __init__(self, X, y, *, correlation, divisor, noise, shrinkage, discriminant, tails, fade):
        p, n = y.max() + 1, np.bincount(y)
        centroid = np.array([X[y == q].mean(axis=0) for q in range(p)])
        residual = X - centroid[y]
        freedom = max(len(y) - p, 1)
        s = np.maximum(np.sqrt((residual**2).sum(axis=0) / freedom), 0.01 * np.ptp(X, axis=0))
        s[s == 0] = 1.0
        if shrinkage:
            share = s / np.maximum(X.std(axis=0), 1e-300)
            median = np.median(share[np.ptp(X, axis=0) > 0])
            s *= np.sqrt((1 - shrinkage) + shrinkage * (median / share) ** 2)
        a, b = np.triu_indices(p, 1)
        self.d = (centroid[a] - centroid[b]) / s
        self.noise = noise * (1 / n[a] + 1 / n[b])[:, None]
        self.residual = residual / (s * np.sqrt(freedom))
        if isinstance(correlation, str):
            correlation = self.trusted(freedom, cut=correlation == "auto")
        self.correlation, self.discriminant = correlation, discriminant
        self.divisor = divisor * (1 + fade * self.noise)
        self.tails = tails
        self.J = np.zeros((len(a), 1))
        self.alone, self.joint = np.zeros_like(self.J), np.zeros_like(self.J)
        self.cross = np.zeros_like(self.d)
        # For the discriminant: gaps and variances given the chosen features.
        self.gap, self.variance, self.rows = self.d.copy(), np.ones(X.shape[1]), []

    def trusted(self, freedom, *, cut):
        """Half of t, the share of the mean r² of two features that is above chance."""
        R = self.residual[:, np.ptp(self.residual, axis=0) > 0]
        gram = R @ R.T if len(R) < R.shape[1] else R.T @ R
        mean_square = ((gram**2).sum() - (np.square(R).sum(axis=0) ** 2).sum()) / (
            R.shape[1] * (R.shape[1] - 1)
        )
        share = max(0.0, 1 - 1 / (freedom * mean_square))
        return 0.0 if cut and share <= 0.5 else share / 2

    def scores(self):
        """Q of the set joined by each candidate."""
        if self.discriminant:
            J = np.maximum(self.J + self.gap**2 / self.variance - self.noise, 0)
        else:
            J = np.maximum(self.J + self.d**2 - self.noise, 0)
            if self.correlation:
                alone = self.alone + self.d**2
                joint = np.maximum(self.joint + 2 * self.d * self.cross + self.d**2, 0.05 * alone)
                spread = self.correlation * joint + (1 - self.correlation) * alone
                J = J**2 / np.maximum(spread, 1e-300)
        bound = -J / self.divisor  # its logarithm
        if self.tails:  # of Student's t in place of the Gaussian
            bound = -self.tails / 2 * np.log1p(-2 * bound / self.tails)
        return np.log(len(bound)) - logsumexp(bound, axis=0)

    def add(self, f):
        """Let feature ``f`` join the set."""
        r = self.residual.T @ self.residual[:, f]
        r[f] = 1.0
        d = self.d[:, [f]]
        if not self.discriminant:
            self.J = self.J + d**2 - self.noise
            self.alone = self.alone + d**2
            self.joint = self.joint + 2 * d * self.cross[:, [f]] + d**2
            self.cross = self.cross + d * r
            return
        self.J = self.J + self.gap[:, [f]] ** 2 / self.variance[f] - self.noise
        r = self.correlation * r
        r[f] = 1.0
        for row, variance in self.rows:
            r = r - row * row[f] * variance
        row = r / self.variance[f]
        self.rows.append((row, self.variance[f]))
        self.gap = self.gap - np.outer(self.gap[:, f], row)
        self.variance = np.maximum(self.variance - row**2 * self.rows[-1][1], 1e-3)


def cover(
    X, y, k, *, ranks=False, subsamples=None,
    correlation=0.25, divisor=8.0, noise=1.0, shrinkage=0.0, discriminant=False,
    tails=None, fade=0.0, n_false=np.inf, false_rate=None,
):  # fmt: skip
    """The first ``k`` features of a variant, in order of choice."""
    values = np.apply_along_axis(rankdata, 0, X) if ranks else X
    options = {
        "correlation": correlation,
        "divisor": divisor,
        "noise": noise,
        "shrinkage": shrinkage,
        "discriminant": discriminant,
        "tails": tails,
        "fade": fade,
    }
    parts = [np.arange(len(y))]
    if subsamples:
        rng = np.random.default_rng(0)
        members = [np.flatnonzero(y == q) for q in range(y.max() + 1)]
        parts = [
            np.concatenate(
                [
                    rng.choice(rows, max(2, round(0.7 * len(rows))), replace=False)
                    for rows in members
                ]
            )
            for _ in range(subsamples)
        ]
    states = [Cover(values[rows], y[rows], **options) for rows in parts]
    free = np.ptp(X, axis=0) > 0
    # Features that may differ between the classes by chance come after all others.
    p = np.ones(len(free))
    p[free] = np.nan_to_num(f_classif(X[:, free], y)[1])  # NaN: nothing varies inside the classes
    if false_rate is not None:  # p-values become q-values (Benjamini and Hochberg)
        p, n_false = false_discovery_control(p), false_rate * len(p)
    first = free & (p <= n_false / len(p))
    chosen = []
    for _ in range(min(k, free.sum())):
        q = sum(state.scores() for state in states)
        left = free & first if (free & first).any() else free
        f = int(np.argmax(np.where(left, q, -np.inf)))
        chosen.append(f)
        free[f] = False
        for state in states:
            state.add(f)
    return chosen


def accuracy(X, y, train, test, chosen):
    """The mean balanced accuracy over learners and sizes."""
    found = []
    for k in SIZES:
        scaler = StandardScaler().fit(X[train][:, chosen[:k]])
        A, B = (scaler.transform(X[rows][:, chosen[:k]]) for rows in (train, test))
        for learner in (
            KNeighborsClassifier(),
            SVC(C=10),
            LogisticRegression(max_iter=100),
        ):
            said = learner.fit(A, y[train]).predict(B)
            found.append(balanced_accuracy_score(y[test], said))
    return float(np.mean(found))


def measure(paths, variants, repeats, done):
    """For each table, repeat and variant that is not done yet, the mean over its folds."""
    for seed in range(repeats):
        for path in paths:
            with np.load(path, allow_pickle=False) as file:
                X, y = file["X"].astype(np.float64), file["y"].astype(np.intp)
            for name in variants:
                if (path.stem, str(seed), name) in done:
                    continue
                folds = StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y)
                means = [
                    accuracy(
                        X, y, train, test, cover(X[train], y[train], max(SIZES), **VARIANTS[name])
                    )
                    for train, test in folds
                ]
                yield path.stem, seed, name, f"{np.mean(means):.5f}"


def summary(rows):
    """Means, ranks and differences to the default, by half; the best average rank first.

    A variant is compared with the default on the repeats that it has.
    """
    found = {(t, seed, name): 100 * float(mean) for t, seed, name, mean in rows}
    tables = sorted({t for t, _, _ in found})
    known = np.empty((len(tables), len(VARIANTS)))
    difference = np.empty_like(known)
    for (i, t), (j, name) in product(enumerate(tables), enumerate(VARIANTS)):
        seeds = [seed for u, seed, other in found if (u, other) == (t, name)]
        known[i, j] = np.mean([found[t, seed, name] for seed in seeds])
        difference[i, j] = np.mean([found[t, s, name] - found[t, s, DEFAULT] for s in seeds])
    ranks = rankdata(-difference.round(3), axis=1)
    error = difference.std(axis=0, ddof=1) / len(tables) ** 0.5

    def halves(values):
        return f"{values.mean():.1f} ({values[::2].mean():.1f}, {values[1::2].mean():.1f})"

    lines = [
        (
            name,
            str(max(int(seed) for _, seed, other in found if other == name) + 1),
            halves(known[:, j]),
            halves(ranks[:, j]),
            plus_minus(difference[:, j].mean(), 2 * error[j], 1),
            f"{signed(difference[::2, j].mean(), 1)}, {signed(difference[1::2, j].mean(), 1)}",
        )
        for j, name in enumerate(VARIANTS)
    ]
    heads = ["variant", "repeats", "mean", "average rank", f"to {DEFAULT}", "by half"]
    return table(heads, [lines[j] for j in np.argsort(ranks.mean(axis=0), kind="stable")])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="*", help="names of files; all of the folder")
    parser.add_argument("--variants", nargs="*", default=[*VARIANTS], help="all of them")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="only show what is in the results")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    with RESULTS.open("a+", newline="", encoding="utf-8") as file:
        file.seek(0)
        rows = [tuple(row) for row in csv.reader(file)]
        if not args.show:
            paths = sorted(Path(os.environ["S2FS_DATA"]).glob("*.npz"))
            chosen = [path for path in paths if not args.tables or path.stem in args.tables]
            out = csv.writer(file, lineterminator="\n")
            for row in measure(chosen, args.variants, args.repeats, {row[:3] for row in rows}):
                out.writerow(row)
                file.flush()
                rows.append(tuple(map(str, row)))
    print(summary(rows))


if __name__ == "__main__":
    main()
