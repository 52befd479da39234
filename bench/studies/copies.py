"""What a limit to the correlation of two selected features does to PairCover.

Run ``python bench/studies/copies.py``: on every practice table (``S2FS_PRACTICE`` names their
folder) PairCover selects 10, 20 and 50 features without a limit and with ``max_correlation`` of
0.99 and 0.95, in three times five folds. A 5-nearest-neighbours classifier and a linear support
vector machine are scored by balanced accuracy of the held-out samples of each repetition. Writes
``bench/results/copies.csv`` and prints means and paired differences over the tables.
"""

import csv
import os
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from s2fs import PairCover

LIMITS, SIZES, SEEDS = (None, 0.99, 0.95), (10, 20, 50), (0, 1, 2)
LEARNERS = {"5-NN": KNeighborsClassifier(5), "SVM": SVC(kernel="linear")}
RESULTS = Path(__file__).parents[1] / "results" / "copies.csv"


def scores_of(X, y, limit, seed):
    """Balanced accuracy, and how many features there were on average, by learner and size."""
    guesses = {(name, k): np.empty_like(y) for name in LEARNERS for k in SIZES}
    n_selected = {k: [] for k in SIZES}
    for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
        selector = PairCover(max(SIZES), max_correlation=limit).fit(X[train], y[train])
        for k in SIZES:
            features = selector.indices_[:k]
            n_selected[k].append(len(features))
            for name, learner in LEARNERS.items():
                model = make_pipeline(StandardScaler(), learner)
                model.fit(X[np.ix_(train, features)], y[train])
                guesses[name, k][test] = model.predict(X[np.ix_(test, features)])
    return {
        (name, k): (balanced_accuracy_score(y, guess), np.mean(n_selected[k]))
        for (name, k), guess in guesses.items()
    }


def main():
    warnings.simplefilter("ignore")
    folder = Path(os.environ.get("S2FS_PRACTICE", "practice"))
    rows = []
    for path in sorted(folder.glob("*.npz")):
        table = np.load(path, allow_pickle=False)
        X, y = table["X"].astype(np.float64), np.unique(table["y"], return_inverse=True)[1]
        for limit in LIMITS:
            runs = [scores_of(X, y, limit, seed) for seed in SEEDS]
            for name, k in runs[0]:
                accuracy, n_selected = np.mean([run[name, k] for run in runs], axis=0)
                row = path.stem, limit or 1, name, k, round(100 * accuracy, 2), round(n_selected, 1)
                rows.append(row)
        print(path.stem, flush=True)
    with RESULTS.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["table", "limit", "learner", "size", "balanced_accuracy", "n_selected"])
        writer.writerows(rows)
    show(rows)


def show(rows):
    """Means over the tables, and the difference to no limit with its standard error."""
    found = {(table, limit, name, k): score for table, limit, name, k, score, _ in rows}
    tables = sorted({row[0] for row in rows})
    for name in LEARNERS:
        for k in SIZES:
            plain = np.array([found[table, 1, name, k] for table in tables])
            line = f"{name:5} {k:3} no limit {plain.mean():5.1f}"
            for limit in LIMITS[1:]:
                scores = np.array([found[table, limit, name, k] for table in tables])
                apart = scores - plain
                error = apart.std(ddof=1) / np.sqrt(len(tables))
                line += f"   {limit} {apart.mean():+.2f} ± {error:.2f}"
            print(line)


if __name__ == "__main__":
    main()
