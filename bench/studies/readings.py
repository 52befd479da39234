"""What other readings of the paper would give: distances of S²FS to its numbers.

    S2FS_DATA=<folder of .npz files> python bench/studies/readings.py --run
    python bench/studies/readings.py --write-docs

The first command runs S²FS, scaled to [0, 1], at its default weighting on the paper's datasets:
features selected before the split, Eq. 20 normalised, two more seeds under 5-NN, and clusters of
k-means scored by other definitions of mutual information. It writes ``bench/results/readings.npz``
and ``readings_nmi.csv``, and goes on where it was stopped. The second writes the tables of these
files and ``paper.npz`` into ``docs/reproduction.md``; without the option they are printed.
"""

import argparse
import csv
import os
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from pages import fill_page
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import normalized_mutual_info_score
from sklearn.preprocessing import MinMaxScaler

from s2fs import S2FS
from s2fs.evaluation import stratified_folds
from s2fs_bench import (
    PAPER_DATASETS,
    Archive,
    Ledger,
    SelectorSpec,
    find_dataset,
    iter_results,
    load_dataset,
    load_plan,
    published_results,
    run_plan,
    write_archive,
)
from s2fs_bench.learners.registry import find_initial_samples

PAGE = Path(__file__).parents[2] / "docs" / "reproduction.md"
SCRIPT = "bench/studies/readings.py"
FOLDER = Path(__file__).parents[1] / "results"
LEDGER, ARCHIVE, NMI = (
    FOLDER / name for name in ("readings.sqlite", "readings.npz", "readings_nmi.csv")
)
DEFAULT = (0.0316, 0.0316)
AVERAGES = ("arithmetic", "geometric", "max", "min")
SIZES = 150


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", action="store_true", help="run what is not there yet")
    parser.add_argument("--write-docs", action="store_true", help="write the tables of the page")
    args = parser.parse_args()
    if args.run:
        run_nmi()
        run_readings()
    if args.write_docs:
        fill_page(PAGE, parts(), SCRIPT)
    else:
        print("\n\n".join(parts().values()))


def parts() -> dict[str, str]:
    """Every part of the page that holds numbers, by its mark."""
    tables = {"readings": distances_of_readings(), "nmi": distances_of_nmi(), "seeds": seeds()}
    return {name: "\n".join(lines) for name, lines in tables.items()}


def run_readings() -> None:
    """Run S²FS with other readings, and keep the curves."""
    here = tuple(name for name in PAPER_DATASETS if find_dataset(name))
    small_first = sorted(here, key=lambda name: PAPER_DATASETS[name].n_samples)
    plan = replace(load_plan("paper"), datasets=tuple(small_first))
    plain = SelectorSpec("S2FS", "S2FS", {"scale": "minmax"})
    other = {"scale": "minmax", "centroid_membership": "normalized"}
    normalized = SelectorSpec("Eq. 20 normalised", "S2FS", other)
    run_plan(replace(plan, selectors=(plain,), learners=("knn",), seeds=(1, 2)), LEDGER)
    run_plan(replace(plan, selectors=(plain,), protocol="before"), LEDGER)
    run_plan(replace(plan, selectors=(normalized,)), LEDGER)
    with Ledger(LEDGER) as ledger:
        write_archive(ledger, ARCHIVE)


def run_nmi() -> None:
    """Score the clusters of every training fold by each definition of mutual information."""
    done = set()
    if NMI.exists():
        with NMI.open(newline="", encoding="utf-8") as file:
            done = {row["dataset"] for row in csv.DictReader(file)}
    for name in PAPER_DATASETS:
        if name in done or not find_dataset(name):
            continue
        data = load_dataset(name)
        X, y = np.asarray(data.X, dtype=np.float64), np.asarray(data.y)
        scores = np.zeros((len(AVERAGES), SIZES))
        folds = list(stratified_folds(y, 10, random_state=0))
        for train, _ in folds:
            scores += fold_nmi(X[train], y[train]) / len(folds)
        with NMI.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            if not file.tell():
                writer.writerow(("dataset", "average", "max", "ave"))
            for average, curve in zip(AVERAGES, scores, strict=True):
                writer.writerow((name, average, f"{curve.max():.7f}", f"{curve.mean():.7f}"))
        print(name, flush=True)


def fold_nmi(X, y):  # type: ignore[no-untyped-def]
    """Mutual information by definition and size, on the samples of one training fold."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # features that rest on few samples
        ranking = S2FS(SIZES, scale="minmax").fit(X, y).indices_
    scaled = MinMaxScaler().fit_transform(X[:, ranking])
    p = int(y.max()) + 1
    rows = find_initial_samples(len(y), p)
    scores = np.empty((len(AVERAGES), SIZES))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for k in range(1, SIZES + 1):
            A = np.ascontiguousarray(scaled[:, :k])
            clusters = KMeans(p, init=A[rows], n_init=1).fit_predict(A)
            for i, average in enumerate(AVERAGES):
                scores[i, k - 1] = normalized_mutual_info_score(y, clusters, average_method=average)
    return scores


def gap(result, learner):  # type: ignore[no-untyped-def]
    """Ours − published for both statistics."""
    curve, title = result.curves[learner], result.run.dataset_title
    published = published_results()
    return [getattr(curve, s) - published[learner, s, title, "S2FS"] for s in ("max", "ave")]


def rms(gaps):  # type: ignore[no-untyped-def]
    """Root mean square."""
    return float(np.sqrt(np.mean(np.square(gaps))))


def readings():  # type: ignore[no-untyped-def]
    """The results at the default weighting: as it is, and by each other reading."""
    with Archive(FOLDER / "paper.npz") as archive:
        ours = [
            r for r in iter_results(archive) if r.selector.name == "S2FS" and r.weights == DEFAULT
        ]
    with Archive(ARCHIVE) as archive:
        other = list(iter_results(archive))
    return {
        "as it is: selected inside the folds, Eq. 20 as published": ours,
        "selected before the split": [r for r in other if r.run.protocol == "before"],
        "Eq. 20 normalised": [r for r in other if r.selector.name != "S2FS"],
    }, [r for r in other if r.selector.name == "S2FS" and r.run.protocol == "inside"]


def distances_of_readings():  # type: ignore[no-untyped-def]
    """How far S²FS at the default weighting is from the published numbers, by reading."""
    yield "| reading | CART | 5-NN | SVM | k-means | all | datasets |"
    yield "|---|---|---|---|---|---|---|"
    for name, group in readings()[0].items():
        learners = ("cart", "knn", "svm", "kmeans")
        by_learner = [[g for r in group for g in gap(r, learner)] for learner in learners]
        cells = [f"{rms(gaps):.4f}" for gaps in (*by_learner, np.concatenate(by_learner))]
        yield f"| {name} | {' | '.join(cells)} | {len({r.run.dataset for r in group})} |"


def distances_of_nmi():  # type: ignore[no-untyped-def]
    """The same for k-means, by the definition of normalised mutual information."""
    with NMI.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    published = published_results()
    yield "| normalised by | k-means |"
    yield "|---|---|"
    for average in AVERAGES:
        gaps = [
            float(row[s]) - published["kmeans", s, PAPER_DATASETS[row["dataset"]].title, "S2FS"]
            for row in rows
            if row["average"] == average
            for s in ("max", "ave")
        ]
        yield f"| {average} | {rms(gaps):.4f} |"


def seeds():  # type: ignore[no-untyped-def]
    """How much the numbers of 5-NN change with the seed of the folds."""
    by_reading, more = readings()
    group = [*next(iter(by_reading.values())), *more]
    headings = ("dataset", "Max of each seed", "Ave of each seed", "s.d. of Max", "s.d. of Ave")
    yield "| " + " | ".join((*headings, "20 features")) + " |"
    yield "|---|---|---|---|---|---|"
    spreads = []
    for title in dict.fromkeys(r.run.dataset_title for r in more):
        curves = {r.run.seed: r.curves["knn"] for r in group if r.run.dataset_title == title}
        values = [curves[seed] for seed in sorted(curves)]
        kinds = [[c.max for c in values], [c.ave for c in values]]
        spread = [np.std(of, ddof=1) for of in kinds]
        spreads.append(spread)
        lists = [
            ", ".join(f"{v:.3f}" for v in of) for of in (*kinds, [c.values[19] for c in values])
        ]
        cells = (title, *lists[:2], *(f"{of:.4f}" for of in spread), lists[2])
        yield "| " + " | ".join(cells) + " |"
    mean = np.sqrt(np.mean(np.square(spreads), axis=0))
    yield f"| root mean square |  |  | {mean[0]:.4f} | {mean[1]:.4f} |  |"


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
