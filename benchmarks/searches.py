"""Forward, floating and beam search: what they gain in Sep and in accuracy, and what they cost.

Run ``S2FS_DATA=… python benchmarks/searches.py``. Sep and processor time are those of a fit on all
rows, accuracy that of kNN and SVM on test rows, with the features selected inside each fold.
"""

import argparse
import time

import numpy as np
from timing import PAPER, machine, paper_data, table

from s2fs import S2FS
from s2fs.evaluation import prefix_curves

SEARCHES = {
    "forward": {},
    "beam, width 5": {"search": "beam", "beam_width": 5},
    "floating": {"search": "floating"},
}
LEARNERS = ("knn", "svm")


N_FOLDS = 5


def timed(selector: S2FS, X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Sep of the selection, and the seconds a processor works for a fit in one thread."""
    start = time.process_time()
    selector.fit(X, y)
    return float(selector.scores_[-1]), time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=PAPER)
    parser.add_argument("-k", type=int, default=20)
    args = parser.parse_args()
    rows, gains = [], {name: [] for name in SEARCHES}
    for data in args.data:
        X, y = paper_data(data)
        S2FS(args.k).fit(X, y)  # loads the compiled loops
        measured = {}
        for name, options in SEARCHES.items():
            sep, taken = timed(S2FS(args.k, **options), X, y)
            curves = prefix_curves(
                X, y, S2FS(args.k, **options), learners=LEARNERS, sizes=[args.k], cv=N_FOLDS
            )
            measured[name] = (sep, taken, *(100 * curves[learner].max for learner in LEARNERS))
        base = measured["forward"]
        for name, (sep, taken, *accuracies) in measured.items():
            gains[name].append(
                (sep / base[0] - 1, taken / base[1], *np.subtract(accuracies, base[2:]))
            )
            shown = (f"{sep:.4f}", f"{taken:.2f} s", *(f"{a:.1f}" for a in accuracies))
            rows.append((data, name, *shown))
        print(data, flush=True)
    print(machine(), f"{args.k} features", sep=", ", end="\n\n")
    print(table(["data", "search", "Sep", "time", "kNN, %", "SVM, %"], rows), end="\n\n")
    summary = []
    for name, values in gains.items():
        sep, taken, knn, svm = np.array(values).T
        summary.append(
            (name, f"{100 * sep.mean():+.2f} %", f"{100 * sep.max():+.2f} %",
             f"{np.median(taken):.0f} ×", f"{knn.mean():+.1f}", f"{svm.mean():+.1f}")
        )  # fmt: skip
    header = ["search", "Sep, mean gain", "largest", "time, median", "kNN, mean", "SVM, mean"]
    print(table(header, summary))


if __name__ == "__main__":
    main()
