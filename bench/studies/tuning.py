"""What choosing the weights and the number of features costs, and what it is worth.

Run with S2FS_DATA naming the folder of the paper's datasets::

    python bench/studies/tuning.py grid      # the 9 × 9 grid against separate fits, on SRBCT
    python bench/studies/tuning.py nested    # nested cross-validation, tuned against default

``nested`` writes a row per outer fold to bench/results/tuning.csv as it goes; rows that are
there already are not computed again. With S2FS_DATA naming a folder of other tables,

    python bench/studies/tuning.py rules colon cns …

compares rules that choose the weights inside training rows. Five outer folds give the scores: the
average over the top 1 … 150 features, and over the paper's four learners. Every rule sees the same
accuracies of 5 nearest neighbours in five inner folds, split three times. These scores go to
bench/results/weights.npz, so another rule needs no other run. S²FS is scaled to [0, 1]. A rule
replaces today's if it is better by more than two standard errors of the paired differences over the
tables.
"""

import argparse
import csv
import statistics
import time
from pathlib import Path

import numpy as np
from fidelity import QuickKMeans
from pages import plus_minus
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from timing import machine, paper_data, table

from s2fs import S2FS, SelectorCV, s2fs_paths
from s2fs.criteria.separability import PAPER_GRID
from s2fs.evaluation import evaluate_fold, stratified_folds
from s2fs.selectors.prefixes import Split, find_shared_prefixes, make_prefix_scorer, score_prefixes
from s2fs_bench import PAPER_LEARNERS

RESULTS = Path(__file__).parents[1] / "results" / "tuning.csv"
DATASETS = ("srbct", "glioma", "yale")
OUTER_FOLDS = 5
SELECTORS = ("S2FS(10)", "S2FS(50)", "SelectorCV()", "SelectorCV(one_standard_error=False)")
COLUMNS = ("dataset", "selector", "fold", "n_test", "accuracy", "n_features", "alpha", "beta",
           "seconds")  # fmt: skip

WEIGHTS = RESULTS.with_name("weights.npz")
#: The weights of the plan ``paper`` when they are chosen inside, and the default between them.
VALUES = (0.01, 0.0316, 0.0562, 0.3162)
DEFAULT = 5  # the pair (0.0316, 0.0316)
NINE = [4 * i + j for i in (0, 2, 3) for j in (0, 2, 3)]
TEN, SIXTEEN = sorted([*NINE, DEFAULT]), list(range(16))
INNER_FOLDS, INNER_SPLITS, N_SIZES = 5, 3, 150
LEARNERS = {**PAPER_LEARNERS, "kmeans": QuickKMeans()}


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
    fitted = {f"S2FS({k})": timed(S2FS(k, scale="minmax"), X, y) for k in (10, 50)}
    tuned, spent = fitted["SelectorCV()"] = timed(
        SelectorCV(selector=S2FS(scale="minmax"), n_jobs=2), X, y
    )
    found = tuned.cv_results_
    keys = [found[f"param_{name}"] for name in ("beta", "alpha", "n_features_to_select")]
    best = np.lexsort((*keys, found["rank_test_score"]))[0]
    beta, alpha, k = (values[best] for values in keys)
    unruled = S2FS(int(k), alpha=float(alpha), beta=float(beta), scale="minmax").fit(X, y)
    return {**fitted, "SelectorCV(one_standard_error=False)": (unruled, spent)}


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
                "" if name == "S2FS(10)" else plus_minus(against.mean(), spread, 3),
                ", ".join(r["n_features"] for r in mine),
                f"{statistics.median(float(r['seconds']) for r in mine):.1f}",
            ))  # fmt: skip
    print(machine(), "\n")
    header = ["data", "selector", "accuracy", "minus `S2FS(10)`", "features", "CPU s per fit"]
    print(table(header, rows))


def rules(datasets: list[str]) -> None:
    """Score the pairs in outer and inner folds where that was not done, then compare the rules."""
    found = {}
    if WEIGHTS.exists():
        with np.load(WEIGHTS, allow_pickle=False) as file:
            found = dict(file)
    for dataset in datasets:
        if f"{dataset} outer" not in found:
            start = time.process_time()
            X, y = paper_data(dataset)
            folds = [scored_pairs(X, y, *fold) for fold in stratified_folds(y, OUTER_FOLDS)]
            parts = ("outer", "rows", "inner", "inner rows")
            for name, values in zip(parts, zip(*folds, strict=True), strict=True):
                found[f"{dataset} {name}"] = np.array(values)
            np.savez_compressed(WEIGHTS, **found)
            print(dataset, f"{time.process_time() - start:.0f} s", flush=True)
    report_rules(found)


def scored_pairs(X, y, train, test) -> tuple:
    """Scores of the 16 pairs on the test rows by learner, and on inner folds of the others."""
    rankings = paths(X[train], y[train])
    sizes = np.arange(1, rankings.shape[1] + 1)
    curves = np.empty((16, len(LEARNERS), len(sizes)))
    for i, (twin, shared) in enumerate(find_shared_prefixes(rankings, sizes)):
        curves[i][:, shared] = curves[twin][:, shared]
        if not shared.all():
            rest = sizes[~shared].tolist()
            fold = evaluate_fold(
                X[train], y[train], X[test], y[test], rankings[i], learners=LEARNERS, sizes=rest
            )
            for j, name in enumerate(LEARNERS):
                new = fold.nmi.get(name)
                if new is None:
                    new = (fold.predictions[name] == y[test]).mean(axis=1)
                curves[i, j, ~shared] = new
    A, codes, inner, rows = X[train], y[train], [], []
    for seed in range(INNER_SPLITS):
        for learn, score in stratified_folds(codes, INNER_FOLDS, random_state=seed):
            scores = score_prefixes(
                Split(A, codes, learn, score),
                paths(A[learn], codes[learn]),
                sizes,
                scorer=make_prefix_scorer(PAPER_LEARNERS["knn"]),
                scale=True,
            )
            inner.append(scores.mean(axis=1))
            rows.append(len(score))
    return curves.mean(axis=2), len(test), np.array(inner), np.array(rows)


def paths(X, y) -> np.ndarray:
    k = min(N_SIZES, X.shape[1])
    return s2fs_paths(X, y, k, VALUES, VALUES, scale="minmax").indices.reshape(-1, k)


def best(pairs, splits):
    """The pair with the largest mean; the first among equals."""

    def rule(inner, rows):
        mean = pooled(inner, rows, splits)
        return pairs[mean[pairs].argmax()]

    return rule


def cautious(pairs, splits):
    """The default, unless the best pair is better by more than one standard error."""

    def rule(inner, rows):
        mean, first = pooled(inner, rows, splits), splits * INNER_FOLDS
        pair = pairs[mean[pairs].argmax()]
        gains = inner[:first, pair] - inner[:first, DEFAULT]
        # Other splits of the same rows tell of the split, not of other rows: five folds count.
        error = gains.std(ddof=1) / INNER_FOLDS**0.5
        return pair if mean[pair] - mean[DEFAULT] > error else DEFAULT

    return rule


def smallest(pairs, splits):
    """The smallest weights within one standard error of the best pair."""

    def rule(inner, rows):
        mean, first = pooled(inner, rows, splits), splits * INNER_FOLDS
        pair = pairs[mean[pairs].argmax()]
        error = inner[:first, pair].std(ddof=1) / INNER_FOLDS**0.5
        near = [i for i in pairs if mean[i] >= mean[pair] - error]
        return min(near, key=lambda i: (VALUES[i // 4] + VALUES[i % 4], i))

    return rule


def smoothed(values, splits, smooth):
    """The pair with the largest mean once the square of means is smoothed."""

    def rule(inner, rows):
        square = pooled(inner, rows, splits).reshape(4, 4)[np.ix_(values, values)]
        i, j = np.unravel_index(smooth(square).round(10).argmax(), square.shape)
        return 4 * values[i] + values[j]

    return rule


def additive(square):
    """Main effects of both weights, without what they do together."""
    return square.mean(axis=0) + square.mean(axis=1, keepdims=True)


def neighbours(square):
    """The mean over a pair and those next to it."""
    n = len(square)
    near = [slice(max(0, i - 1), i + 2) for i in range(n)]
    return np.array([[square[a, b].mean() for b in near] for a in near])


def pooled(inner, rows, splits):
    """Every row counts the same; what differs by rounding is equal."""
    first = splits * INNER_FOLDS
    return np.average(inner[:first], axis=0, weights=rows[:first]).round(10)


THREE, FOUR = [0, 2, 3], [0, 1, 2, 3]
RULES = {
    "best of nine (today)": best(NINE, 1),
    "best of nine, three splits": best(NINE, 3),
    "best of nine and the default": best(TEN, 1),
    "best of nine and the default, three splits": best(TEN, 3),
    "best of sixteen": best(SIXTEEN, 1),
    "best of sixteen, three splits": best(SIXTEEN, 3),
    "nine, additive": smoothed(THREE, 1, additive),
    "nine, additive, three splits": smoothed(THREE, 3, additive),
    "sixteen, additive, three splits": smoothed(FOUR, 3, additive),
    "sixteen, neighbours": smoothed(FOUR, 1, neighbours),
    "sixteen, neighbours, three splits": smoothed(FOUR, 3, neighbours),
    "default unless one of nine is better by one standard error": cautious(TEN, 1),
    "default unless one of nine is better by one standard error, three splits": cautious(TEN, 3),
    "smallest of nine within one standard error": smallest(NINE, 1),
    "smallest of nine within one standard error, three splits": smallest(NINE, 3),
    "always the default": lambda inner, rows: DEFAULT,
}


def report_rules(found) -> None:
    """The mean score of what each rule chooses, and its difference from today's rule."""
    datasets = [name.removesuffix(" outer") for name in found if name.endswith(" outer")]
    learners = {"four learners": slice(None), "kNN and SVM": [1, 2]}

    def score(choices, dataset, which):
        outer, rows = found[f"{dataset} outer"], found[f"{dataset} rows"]
        chosen = [outer[fold][pairs][..., which].mean() for fold, pairs in enumerate(choices)]
        return np.average(chosen, weights=rows)

    def choices(rule, dataset):
        return list(map(rule, found[f"{dataset} inner"], found[f"{dataset} inner rows"]))

    def scores(rule, which):
        return np.array([score(choices(rule, d), d, which) for d in datasets])

    rows = []
    today = RULES["best of nine (today)"]
    every = {**RULES, "one of the nine at random": lambda inner, rows: NINE}
    for name, rule in every.items():
        cells = []
        for which in learners.values():
            gains = scores(rule, which) - scores(today, which)
            error = gains.std(ddof=1) / len(gains) ** 0.5
            better, worse = (gains > 1e-9).sum(), (gains < -1e-9).sum()
            cells += [f"{scores(rule, which).mean():.4f}", plus_minus(gains.mean(), error, 4),
                      f"{better} / {worse}"]  # fmt: skip
        rows.append((name, *cells))
    columns = ("", "minus today's, ", "better / worse, ")
    header = [f"{column}{name}" for name in learners for column in columns]
    print(machine(), f"{len(datasets)} tables: {', '.join(datasets)}", sep="\n\n", end="\n\n")
    print(table(["rule", *header], rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["grid", "nested", "report", "rules"])
    parser.add_argument("datasets", nargs="*")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    if options.what == "grid":
        grid(options.repeats)
    elif options.what == "nested":
        nested(options.datasets or list(DATASETS))
    elif options.what == "rules":
        rules(options.datasets)
    else:
        report()
