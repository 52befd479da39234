"""How many features: rules that see only the training rows, judged on the others.

Run ``S2FS_DATA=… python benchmarks/stopping.py``. In every fold each rule reads the path of the
training rows and names a number of features up to 100; kNN and SVM then predict the test rows with
so many. A rule loses what the same learner has more at the best single number for the dataset,
which is read off the test rows and which no rule can know.
"""

import argparse
import statistics
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from timing import PAPER, machine, paper_data, table

from s2fs import S2FS
from s2fs._core.problem import Problem
from s2fs._engine.separability import Separability, empty_state
from s2fs._search.choices import Choices
from s2fs._search.stopping import PATIENCE, against_chance, with_shuffled_rows
from s2fs.evaluation import evaluate_fold, stratified_folds

LONGEST = 100
LEARNERS = ("knn", "svm")
WEIGHT = S2FS().alpha  # of both direction terms
N_PERMUTATIONS = 3


class Path(NamedTuple):
    """What a rule may look at: the path of the training rows and two paths of chance."""

    sep: np.ndarray
    shuffled: np.ndarray  # the best Sep of a step among the candidates with shuffled rows
    relabelled: np.ndarray  # Sep of the greedy path if the labels are permuted, on average


def first_run(failed: Sequence[bool], length: int) -> int:
    """The size before the first ``length`` failures in a row, at least 1."""
    run = 0
    for size, fails in enumerate(failed, start=1):
        run = run + 1 if fails else 0
        if run == length:
            return max(1, size - length)
    return len(failed) - run


def gain_below(share: float) -> Callable[[Path], int]:
    return lambda path: first_run([False, *(np.diff(path.sep) < share * path.sep[:-1])], 1)


def within_peak(share: float) -> Callable[[Path], int]:
    return lambda path: int(np.flatnonzero(path.sep >= path.sep.max() * (1 - share))[-1]) + 1


def above_chance(tol: float) -> Callable[[Path], int]:
    return lambda path: first_run(path.sep <= path.shuffled * (1 + tol), PATIENCE)


RULES: dict[str, Callable[[Path], int]] = {
    "peak of Sep": lambda path: int(path.sep.argmax()) + 1,
    "gain below 1 %": gain_below(0.01),
    "fall of more than 1 %": gain_below(-0.01),
    "last within 10 % of the peak": within_peak(0.1),
    "last within 20 % of the peak": within_peak(0.2),
    "labels permuted: largest Sep over chance": lambda path: (
        int((path.sep / path.relabelled).argmax()) + 1
    ),
    "labels permuted: largest Sep minus chance": lambda path: (
        int((path.sep - path.relabelled).argmax()) + 1
    ),
    "rows shuffled, tol 0.02": above_chance(0.02),
    "rows shuffled, tol 0.01": above_chance(0.01),
    "rows shuffled, tol 0.005": above_chance(0.005),
    "rows shuffled, tol 0.003": above_chance(0.003),
    "always 10": lambda path: 10,
    "always 20": lambda path: 20,
    "always 40": lambda path: 40,
    "always 100": lambda path: 100,
}


def read_path(X: np.ndarray, codes: np.ndarray, seed: int) -> tuple[np.ndarray, Path]:
    """The ranking of the training rows, and what the rules look at."""
    m = X.shape[1]
    doubled, there, omega = with_shuffled_rows(X, codes, None)
    state = empty_state(Problem(doubled, there, sample_weight=omega))
    units = against_chance(Separability(state, WEIGHT, WEIGHT), Choices.everything(m))
    rows = [(step.feature, step.score, chance) for (step,), chance in islice(units, LONGEST)]
    ranking, sep, shuffled = map(np.array, zip(*rows, strict=True))
    rng = np.random.default_rng(seed)
    permuted = [S2FS(LONGEST).fit(X, rng.permutation(codes)) for _ in range(N_PERMUTATIONS)]
    return ranking, Path(sep, shuffled, np.mean([p.scores_ for p in permuted], axis=0))


def study(name: str) -> dict[str, tuple[float, list[float]]]:
    """Per rule the median size over the folds, and what each learner loses."""
    X, y = paper_data(name)
    paths, folds = [], []
    for seed, (train, test) in enumerate(stratified_folds(y, 5 if len(y) > 300 else 10)):
        codes = np.unique(y[train], return_inverse=True)[1]
        ranking, path = read_path(X[train], codes, seed)
        paths.append(path)
        folds.append(
            evaluate_fold(
                X[train], y[train], X[test], y[test], ranking, learners=LEARNERS, sizes=LONGEST
            )
        )
    truth = np.concatenate([fold.y_test for fold in folds])

    def accuracy(learner: str, sizes: Sequence[int]) -> Any:
        chosen = zip(folds, sizes, strict=True)
        said = np.concatenate([fold.predictions[learner][size - 1] for fold, size in chosen])
        return (said == truth).mean()

    best = {
        learner: max(accuracy(learner, [size] * len(folds)) for size in range(1, LONGEST + 1))
        for learner in LEARNERS
    }
    found = {}
    for rule, size_of in RULES.items():
        sizes = [size_of(path) for path in paths]
        losses = [best[learner] - accuracy(learner, sizes) for learner in LEARNERS]
        found[rule] = statistics.median(sizes), losses
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=PAPER)
    args = parser.parse_args()
    by_data = {name: study(name) for name in args.data}
    print(machine(), end="\n\n")
    header = ["rule", "loss kNN", "loss SVM", "largest loss", "mean size", *args.data]
    rows = []
    for rule in RULES:
        sizes = [found[rule][0] for found in by_data.values()]
        losses = np.array([found[rule][1] for found in by_data.values()])
        means = [f"{100 * loss:.1f}" for loss in (*losses.mean(axis=0), losses.max())]
        rows.append((rule, *means, f"{np.mean(sizes):.0f}", *(f"{size:g}" for size in sizes)))
    print(table(header, rows))


if __name__ == "__main__":
    main()
