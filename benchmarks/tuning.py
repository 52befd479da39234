"""What choosing the weights and the number of features costs, and what it is worth.

Run with S2FS_DATA naming the folder of the paper's datasets::

    python benchmarks/tuning.py grid      # the 9 × 9 grid against separate fits, on SRBCT
    python benchmarks/tuning.py nested    # nested cross-validation, tuned against default

``nested`` writes a row per outer fold to benchmarks/results/tuning.csv as it goes; rows that are
there already are not computed again.
"""

import argparse
import csv
import statistics
import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from timing import machine, paper_data, table

from s2fs import S2FS, S2FSCV, s2fs_paths
from s2fs._core.criterion import PAPER_GRID

RESULTS = Path(__file__).with_name("results") / "tuning.csv"
DATASETS = ("srbct", "glioma", "yale")
OUTER_FOLDS = 5
SELECTORS = ("S2FS(10)", "S2FS(50)", "S2FSCV()", "S2FSCV(one_standard_error=False)")
COLUMNS = ("dataset", "selector", "fold", "n_test", "accuracy", "n_features", "alpha", "beta",
           "seconds")  # fmt: skip


def grid(repeats: int, k: int = 50) -> None:
    """Time in turns, so that a busy moment of the machine hits all alike; compare medians."""
    X, y = paper_data("srbct")
    pairs = [(alpha, beta) for alpha in PAPER_GRID for beta in PAPER_GRID]
    S2FS(k).fit(X, y)
    times: dict[str, list[float]] = {"default": [], "separate": [], "grid": []}
    for _ in range(repeats):
        for name, run in (
            ("default", lambda: S2FS(k).fit(X, y)),
            ("separate", lambda: [S2FS(k, alpha=a, beta=b).fit(X, y) for a, b in pairs]),
            ("grid", lambda: s2fs_paths(X, y, k)),
        ):
            start = time.process_time()
            run()
            times[name].append(time.process_time() - start)
    median = {name: statistics.median(values) for name, values in times.items()}
    mean_path = median["separate"] / len(pairs)
    rows = [
        ("one path, default weights", f"{median['default']:.3f}"),
        ("one path, mean of the 81 pairs", f"{mean_path:.3f}"),
        ("81 separate fits", f"{median['separate']:.2f}"),
        ("the grid in lockstep", f"{median['grid']:.2f}"),
        ("grid / mean path (81 = separate fits)", f"{median['grid'] / mean_path:.1f}"),
        ("grid / default path", f"{median['grid'] / median['default']:.1f}"),
    ]
    print(machine(), "\n")
    print(table([f"SRBCT, k = {k}", f"CPU seconds, median of {repeats}"], rows))


def nested(datasets: list[str]) -> None:
    """Outer folds judge; whatever is chosen is chosen on their training rows."""
    done = set()
    if RESULTS.exists():
        with RESULTS.open(newline="") as file:
            done = {(r["dataset"], r["selector"], int(r["fold"])) for r in csv.DictReader(file)}
    for dataset in datasets:
        X, y = paper_data(dataset)
        outer = StratifiedKFold(OUTER_FOLDS, shuffle=True, random_state=0)
        for fold, (train, test) in enumerate(outer.split(X, y)):
            missing = [name for name in SELECTORS if (dataset, name, fold) not in done]
            if missing:
                fitted = fit_all(X[train], y[train])
            for name in missing:
                record(judged(X, y, train, test, *fitted[name]), dataset, name, fold)
    report()


def fit_all(X, y) -> dict[str, tuple]:
    """Every selector of the study with the time it took; one search serves both tuned ones."""
    fitted = {f"S2FS({k})": timed(S2FS(k), X, y) for k in (10, 50)}
    tuned, spent = fitted["S2FSCV()"] = timed(S2FSCV(n_jobs=2), X, y)
    found = tuned.cv_results_
    keys = [found[f"param_{name}"] for name in ("beta", "alpha", "n_features_to_select")]
    best = np.lexsort((*keys, found["rank_test_score"]))[0]
    beta, alpha, k = (values[best] for values in keys)
    unruled = S2FS(int(k), alpha=float(alpha), beta=float(beta)).fit(X, y)
    return {**fitted, "S2FSCV(one_standard_error=False)": (unruled, spent)}


def timed(selector, X, y) -> tuple:
    start = time.process_time()
    selector.fit(X, y)
    return selector, time.process_time() - start


def judged(X, y, train, test, selector, spent) -> tuple:
    scaler = MinMaxScaler().fit(X[train])
    A, B = (selector.transform(scaler.transform(X[rows])) for rows in (train, test))
    accuracy = KNeighborsClassifier(5).fit(A, y[train]).score(B, y[test])
    chosen = getattr(selector, "best_params_", selector.get_params())
    return (len(test), accuracy, len(selector.indices_), chosen["alpha"], chosen["beta"],
            round(spent, 2))  # fmt: skip


def record(values: tuple, *key) -> None:
    new = not RESULTS.exists()
    with RESULTS.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(COLUMNS)
        writer.writerow((*key, *values))


def report() -> None:
    """Mean accuracy with its standard error over the outer folds, and the difference in pairs."""
    with RESULTS.open(newline="") as file:
        found = list(csv.DictReader(file))
    rows = []
    for dataset in dict.fromkeys(r["dataset"] for r in found):
        here = [r for r in found if r["dataset"] == dataset]
        of = {
            name: np.array([float(r["accuracy"]) for r in here if r["selector"] == name])
            for name in SELECTORS
        }
        for name, accuracy in of.items():
            mine = [r for r in here if r["selector"] == name]
            error = accuracy.std(ddof=1) / len(accuracy) ** 0.5
            against = accuracy - of["S2FS(10)"]
            spread = against.std(ddof=1) / len(against) ** 0.5
            rows.append((
                dataset, f"`{name}`", f"{accuracy.mean():.3f} ± {error:.3f}",
                "" if name == "S2FS(10)" else f"{against.mean():+.3f} ± {spread:.3f}",
                ", ".join(r["n_features"] for r in mine),
                f"{statistics.median(float(r['seconds']) for r in mine):.1f}",
            ))  # fmt: skip
    print(machine(), "\n")
    header = ["data", "selector", "accuracy", "minus `S2FS(10)`", "features", "CPU s per fit"]
    print(table(header, rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["grid", "nested", "report"])
    parser.add_argument("datasets", nargs="*", default=list(DATASETS))
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    if options.what == "grid":
        grid(options.repeats)
    elif options.what == "nested":
        nested(options.datasets)
    else:
        report()
