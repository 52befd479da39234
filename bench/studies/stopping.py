"""How many features: rules that see only the training rows, and how often noise is selected.

Run ``S2FS_DATA=… python bench/studies/stopping.py``. In every fold each rule reads the path of the
training rows and names a number of features up to 100; kNN and SVM then predict the test rows with
so many. A rule loses what the same learner has more at the best single number for the dataset,
which is read off the test rows and which no rule can know.

``python bench/studies/stopping.py --noise 200`` needs no data: it counts how often "auto" selects
anything in tables of pure noise, and which share of the selected features is false where some
carry a signal (a tenth as many tables); "power" is the share of the latter that is found. Then it
counts how often noise is selected in the designs of ``noise_designs.py``, by "auto" and by a
q-value of 0.1. ``--part sizes``, ``designs`` or ``q-values`` runs one of the three.
"""

import argparse
import statistics
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from noise_designs import COMPLETE, WITH_GAPS
from scipy.stats import binomtest
from timing import PAPER, machine, paper_data, table

from s2fs import S2FS, PairCover, StabilitySelector
from s2fs.evaluation import evaluate_fold, stratified_folds

LONGEST = 100
LEARNERS = ("knn", "svm")
TOLS = (0.02, 0.01, 0.005, 0.003)
N_PERMUTATIONS = 3
#: The designs whose halves can be selected from: few samples that cross may all be in one half.
FOR_HALVES = (
    "classes of 20 and 20",
    "batches, balanced",
    "a number",
    "20 donors of 6 samples",
)


class Path(NamedTuple):
    """What a rule may look at: the path of the training rows, and what chance says."""

    sep: np.ndarray
    auto: dict[float, int]  # how many features "auto" selects, for each tol
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
    return lambda path: max(1, min(path.auto[tol], LONGEST))


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
    "always 10": lambda path: 10,
    "always 20": lambda path: 20,
    "always 40": lambda path: 40,
    "always 100": lambda path: 100,
}


def read_path(
    X: np.ndarray, codes: np.ndarray, seed: int, tols: Sequence[float]
) -> tuple[np.ndarray, Path]:
    """The ranking of the training rows, and what the rules look at."""
    ranking = S2FS(LONGEST, scale="minmax").fit(X, codes)
    auto = {tol: len(S2FS("auto", tol=tol, scale="minmax").fit(X, codes).indices_) for tol in tols}
    rng = np.random.default_rng(seed)
    permuted = [
        S2FS(LONGEST, scale="minmax").fit(X, rng.permutation(codes)) for _ in range(N_PERMUTATIONS)
    ]
    relabelled = np.mean([p.scores_ for p in permuted], axis=0)
    return ranking.indices_, Path(ranking.scores_, auto, relabelled)


def study(name: str, tols: Sequence[float]) -> dict[str, tuple[float, list[float]]]:
    """Per rule the median size over the folds, and what each learner loses."""
    rules = RULES | {f"auto, tol {tol}": above_chance(tol) for tol in tols}
    X, y = paper_data(name)
    paths, folds = [], []
    for seed, (train, test) in enumerate(stratified_folds(y, 5 if len(y) > 300 else 10)):
        codes = np.unique(y[train], return_inverse=True)[1]
        ranking, path = read_path(X[train], codes, seed, tols)
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
    for rule, size_of in rules.items():
        sizes = [size_of(path) for path in paths]
        losses = [best[learner] - accuracy(learner, sizes) for learner in LEARNERS]
        found[rule] = statistics.median(sizes), losses
    return found


def planted(n: int, m: int, p: int, n_true: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Noise, with classes that differ by one standard deviation in the first features."""
    y = np.arange(n) % p
    X = rng.normal(size=(n, m))
    X[:, :n_true] += rng.normal(size=(p, n_true))[y]
    return X, y


def selectors() -> dict[str, Any]:
    return {
        "S2FS auto": S2FS("auto", scale="minmax"),
        "PairCover auto": PairCover("auto"),
    }


def error_control(n_tables: int) -> list[tuple[Any, ...]]:
    """How often noise is selected, and the false share and the power where there is a signal."""
    rows = []
    for n, m in ((50, 2000), (500, 200)):
        for p in (2, 4, 10):
            for name, selector in selectors().items():
                found: dict[int, list[np.ndarray]] = {}
                for n_true in (0, 10):
                    for seed in range(n_tables if n_true == 0 else max(1, n_tables // 10)):
                        rng = np.random.default_rng([n, p, n_true, seed])
                        X, y = planted(n, m, p, n_true, rng)
                        found.setdefault(n_true, []).append(selector.fit(X, y).indices_)
                anything = np.mean([len(features) > 0 for features in found[0]])
                false = np.mean([(f >= 10).sum() / max(1, len(f)) for f in found[10]])
                power = np.mean([(f < 10).mean() * len(f) / 10 if len(f) else 0 for f in found[10]])
                share = with_interval(round(anything * n_tables), n_tables)
                rows.append((f"{n} × {m}", p, name, *share, f"{false:.1%}", f"{power:.0%}"))
                print(*rows[-1], flush=True)
    return rows


def with_interval(count: int, n_tables: int) -> tuple[str, str]:
    """A share of all tables, and its 95 % interval."""
    low, high = binomtest(count, n_tables).proportion_ci(0.95)
    return f"{count / n_tables:.1%}", f"{low:.1%} to {high:.1%}"


def designs_by_auto(n_tables: int) -> list[tuple[Any, ...]]:
    """How often "auto" selects anything in the designs in which nothing is to be found."""
    rows = []
    for design, make in (COMPLETE | WITH_GAPS).items():
        for name, selector in selectors().items():
            if design in WITH_GAPS and name.startswith("S2FS"):
                continue  # takes no missing values
            n_found = 0
            for seed in range(n_tables):
                X, y, given = make(np.random.default_rng(seed))
                n_found += len(selector.fit(X, y, **given).indices_) > 0
            rows.append((design, name, *with_interval(n_found, n_tables)))
            print(*rows[-1], flush=True)
    return rows


def designs_by_q_values(n_tables: int) -> list[tuple[Any, ...]]:
    """How often any feature has a q-value of 0.1 at most, with noise alone and beside a signal."""
    stable = StabilitySelector(selector=S2FS(5, scale="minmax"), n_resamples=10, n_permutations=10)
    rows = []
    for design in FOR_HALVES:
        n_found = 0
        for seed in range(n_tables):
            X, y, given = COMPLETE[design](np.random.default_rng(seed))
            n_found += bool((stable.fit(X, y, **given).q_values_ <= 0.1).any())
        rows.append((design, *with_interval(n_found, n_tables), "–", "–"))
        print(*rows[-1], flush=True)
    false, power = [], []
    for seed in range(n_tables):
        X, y = planted(40, 30, 2, 5, np.random.default_rng(seed))
        sure = np.flatnonzero(stable.fit(X, y).q_values_ <= 0.1)
        false.append((sure >= 5).sum() / max(1, len(sure)))
        power.append((sure < 5).sum() / 5)
    signal = f"{np.mean(false):.1%}", f"{np.mean(power):.0%}"
    rows.append(("5 of 30 features with a signal", "–", "–", *signal))
    print(*rows[-1], flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=PAPER)
    parser.add_argument("--tols", nargs="*", type=float, default=TOLS, help='values for "auto"')
    parser.add_argument("--noise", type=int, metavar="N", help="count on N tables of noise instead")
    parser.add_argument(
        "--part",
        choices=("sizes", "designs", "q-values"),
        help="what to count; everything if left out",
    )
    args = parser.parse_args()
    warnings.filterwarnings("ignore", category=UserWarning)
    if args.noise:
        shares = ["selector", "noise selected", "95 % interval"]
        parts = {
            "sizes": (error_control, ["rows × features", "classes", *shares, "false", "power"]),
            "designs": (designs_by_auto, ["design", *shares]),
            "q-values": (designs_by_q_values, ["design", *shares[1:], "false", "power"]),
        }
        for part, (count, header) in parts.items():
            if args.part in (None, part):
                print(machine(), table(header, count(args.noise)), sep="\n\n")
        return
    by_data = {name: study(name, args.tols) for name in args.data}
    print(machine(), end="\n\n")
    header = ["rule", "loss kNN", "loss SVM", "largest loss", "mean size", *args.data]
    rows = []
    for rule in next(iter(by_data.values())):
        sizes = [found[rule][0] for found in by_data.values()]
        losses = np.array([found[rule][1] for found in by_data.values()])
        means = [f"{100 * loss:.1f}" for loss in (*losses.mean(axis=0), losses.max())]
        rows.append((rule, *means, f"{np.mean(sizes):.0f}", *(f"{size:g}" for size in sizes)))
    print(table(header, rows))


if __name__ == "__main__":
    main()
