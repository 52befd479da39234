"""Prefix curves of kNN and SVM against a scikit-learn fit from scratch for every size.

Run with ``S2FS_DATA=<folder with isolet.npz> OMP_NUM_THREADS=1 python bench/studies/curves.py``.
Takes one training and test fold of Isolet and a ranking by the F statistic; prints the seconds of
processor time of both ways (other work on the machine does not count, though it slows ours and
theirs down), each the median of three, their ratio, how many predictions differ, and how many
steps the solver of the SVM takes.
"""

import os
import sys
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
from sklearn.feature_selection import f_classif
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from s2fs.evaluation import evaluate_fold, stratified_folds
from s2fs_bench import PAPER_LEARNERS

N_SIZES, N_REPEATS = 150, 3
PEERS = {"knn": KNeighborsClassifier(5, algorithm="brute"), "svm": SVC(C=10)}


def timed(*calls):
    """Value and median seconds of each call, with the calls taking turns."""
    seconds = np.empty((N_REPEATS, len(calls)))
    for turn in range(N_REPEATS):
        values = []
        for c, call in enumerate(calls):
            start = process_time()
            values.append(call())
            seconds[turn, c] = process_time() - start
    return values, np.median(seconds, axis=0)


def main():
    folder = os.environ.get("S2FS_DATA")
    if not folder:
        sys.exit("S2FS_DATA is not set; let it name the folder that holds isolet.npz.")
    with np.load(Path(folder) / "isolet.npz", allow_pickle=False) as file:
        X, y = file["X"].astype(np.float64), file["y"]
    train, test = next(stratified_folds(y))
    ranking = np.argsort(-f_classif(X[train], y[train])[0], kind="stable")[:N_SIZES]
    scaler = MinMaxScaler().fit(X[train][:, ranking])
    A, B = scaler.transform(X[train][:, ranking]), scaler.transform(X[test][:, ranking])

    fold = (X[train], y[train], X[test], y[test], ranking)

    def running(learner, sizes=N_SIZES):
        return evaluate_fold(
            *fold, learners={learner: PAPER_LEARNERS[learner]}, sizes=sizes
        ).predictions[learner]

    def separate(model):
        prefixes = [(A[:, :k].copy(), B[:, :k].copy()) for k in range(1, N_SIZES + 1)]
        return np.array([model.fit(a, y[train]).predict(b) for a, b in prefixes])

    total = np.zeros(2)
    for learner, model in PEERS.items():
        running(learner, sizes=2)  # imports and compilation are not part of the cost
        (ours, theirs), seconds = timed(partial(running, learner), partial(separate, model))
        total += seconds
        print(
            f"{learner}: running {seconds[0]:.2f} s, separate {seconds[1]:.2f} s, ratio "
            f"{seconds[1] / seconds[0]:.1f}; {(ours != theirs).sum()} of {ours.size} predictions "
            "differ"
        )
    print(f"both: ratio {total[1] / total[0]:.1f}")
    steps = PEERS["svm"].n_iter_.sum()
    print(f"steps of the SVM's solver with {N_SIZES} features: {steps}")


if __name__ == "__main__":
    main()
