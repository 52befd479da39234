"""Variants of the pair-cover criterion on the practice tables, to choose the default.

Run ``S2FS_DATA=… python benchmarks/pair_variants.py [--tables NAME …] [--repeats 3]`` with a folder
of tables (``.npz`` with X and y). Every variant selects inside stratified 5-fold cross-validation;
balanced accuracy is averaged over 5-NN, SVM and logistic regression at 10, 20 and 50 features.
Tables are split in two halves, alternately by name: a variant is kept if it wins on both.
``results/pair_variants.csv`` holds the mean of each variant on each table.
"""

import argparse
import csv
import os
import warnings
from pathlib import Path

import numpy as np
from scipy.special import logsumexp
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from timing import table

SIZES = (10, 20, 50)
RESULTS = Path(__file__).parent / "results" / "pair_variants.csv"

#: What each variant changes: see :func:`cover`.
VARIANTS = {
    "ρ = 0": {"correlation": 0.0},
    "ρ = 0.1": {"correlation": 0.1},
    "ρ = 0.25": {},
    "ρ = 0.5": {"correlation": 0.5},
    "J/32 instead of J/8": {"divisor": 32.0},
    "J/32, ρ = 0": {"divisor": 32.0, "correlation": 0.0},
    "twice the noise": {"noise": 2.0},
    "s shrunk towards its median": {"shrinkage": 0.5},
    "ranks instead of values": {"ranks": True},
    "pairs weighted by size": {"pair_weights": "size"},
    "the 200 best features only": {"prefilter": 200},
    "discriminant, ρ = 0.5": {"discriminant": True, "correlation": 0.5},
    "discriminant, ρ = 0.75, J/32": {"discriminant": True, "correlation": 0.75, "divisor": 32.0},
    "mean of Q over 10 subsamples": {"subsamples": 10},
}


class Cover:
    """Q of a growing set and of every candidate, literally, with the options of a variant."""

    def __init__(self, X, y, *, correlation, divisor, noise, shrinkage, discriminant):
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
        self.sizes = n[a] * n[b]
        self.d = (centroid[a] - centroid[b]) / s
        self.noise = noise * (1 / n[a] + 1 / n[b])[:, None]
        self.residual = residual / (s * np.sqrt(freedom))
        self.correlation, self.divisor, self.discriminant = correlation, divisor, discriminant
        self.J = np.zeros((len(a), 1))
        self.alone, self.joint = np.zeros_like(self.J), np.zeros_like(self.J)
        self.cross = np.zeros_like(self.d)
        # For the discriminant: gaps and variances given the chosen features.
        self.gap, self.variance, self.rows = self.d.copy(), np.ones(X.shape[1]), []

    def scores(self, weight):
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
        return -logsumexp(-J / self.divisor, b=weight[:, None], axis=0)

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
    X, y, k, *, ranks=False, pair_weights=None, prefilter=None, subsamples=None,
    correlation=0.25, divisor=8.0, noise=1.0, shrinkage=0.0, discriminant=False,
):  # fmt: skip
    """The first ``k`` features of a variant, in order of choice."""
    values = np.apply_along_axis(rankdata, 0, X) if ranks else X
    options = {
        "correlation": correlation,
        "divisor": divisor,
        "noise": noise,
        "shrinkage": shrinkage,
        "discriminant": discriminant,
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
    sizes = np.sqrt(states[0].sizes) if pair_weights == "size" else np.ones(len(states[0].J))
    weight = sizes / sizes.sum()
    free = np.ptp(X, axis=0) > 0
    if prefilter:
        best = np.where(free, (states[0].d ** 2 - states[0].noise).max(axis=0), -np.inf)
        free[np.argsort(-best, kind="stable")[prefilter:]] = False
    chosen = []
    for _ in range(min(k, free.sum())):
        q = sum(state.scores(weight) for state in states)
        f = int(np.argmax(np.where(free, q, -np.inf)))
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
            LogisticRegression(max_iter=200),
        ):
            said = learner.fit(A, y[train]).predict(B)
            found.append(balanced_accuracy_score(y[test], said))
    return float(np.mean(found))


def measure(tables, repeats):
    """For each table the mean of every variant."""
    for path in tables:
        with np.load(path, allow_pickle=False) as file:
            X, y = file["X"].astype(np.float64), file["y"].astype(np.intp)
        means = dict.fromkeys(VARIANTS, 0.0)
        for seed in range(repeats):
            for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
                for name, options in VARIANTS.items():
                    chosen = cover(X[train], y[train], max(SIZES), **options)
                    means[name] += accuracy(X, y, train, test, chosen) / (5 * repeats)
        print(path.stem, *(f"{100 * mean:.1f}" for mean in means.values()), flush=True)
        yield path.stem, means


def summary(rows):
    """Mean, halves and average ranks of every variant, the best average rank first."""
    known = 100 * np.array([[float(row[name]) for name in VARIANTS] for row in rows])
    ranks = rankdata(-known.round(4), axis=1)
    difference = known - known[:, [list(VARIANTS).index("ρ = 0.25")]]
    error = difference.std(axis=0, ddof=1) / len(rows) ** 0.5
    lines = [
        (
            name, f"{known[:, j].mean():.1f}", f"{known[::2, j].mean():.1f}",
            f"{known[1::2, j].mean():.1f}", f"{ranks[:, j].mean():.1f}",
            f"{ranks[::2, j].mean():.1f}", f"{ranks[1::2, j].mean():.1f}",
            f"{difference[:, j].mean():+.1f} ± {2 * error[j]:.1f}",
        )
        for j, name in enumerate(VARIANTS)
    ]  # fmt: skip
    heads = [
        "variant",
        "mean",
        "first half",
        "second half",
        "rank",
        "first",
        "second",
        "to ρ = 0.25",
    ]
    return table(heads, [lines[j] for j in np.argsort(ranks.mean(axis=0), kind="stable")])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="*", help="names of files; all of the folder")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--show", action="store_true", help="only show what is in the results")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    if not args.show:
        paths = sorted(Path(os.environ["S2FS_DATA"]).glob("*.npz"))
        chosen = [path for path in paths if not args.tables or path.stem in args.tables]
        with RESULTS.open("w", newline="", encoding="utf-8") as file:
            out = csv.DictWriter(file, ["table", *VARIANTS])
            out.writeheader()
            for name, means in measure(chosen, args.repeats):
                out.writerow({"table": name} | {v: f"{mean:.4f}" for v, mean in means.items()})
                file.flush()
    with RESULTS.open(newline="", encoding="utf-8") as file:
        print(summary(list(csv.DictReader(file))))


if __name__ == "__main__":
    main()
