"""How often the intervals of a verdict hold the truth, and how often "better" is false.

Run ``python bench/studies/intervals.py`` (about four minutes of one core). In each design
``--tables`` tables are drawn from a law that is known. On each, features are selected inside 5 × 5
folds (the largest F statistics) and a linear discriminant with a ridge is fitted to them; every
model of every fold is also asked about new samples. So there are two truths: how good the models of
this table's folds are, and how good such models are on average over all tables, which also varies
with the choice of training samples. Printed is the share of tables whose 95 % interval holds each
of them, and the share of falsely "better"; ``results/intervals.csv`` keeps all of it.

Differences are from as many features drawn at random in each fold, from the first two, which miss
a class on some training sets, and from twice as many by the same selector.
"""

import argparse
import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from timing import table

from s2fs.evaluation.areas import compute_placements, list_pairs
from s2fs.evaluation.metrics import METRICS, SCORINGS, HeldOut, decide_by_share

RESULTS = Path(__file__).parents[1] / "results" / "intervals.csv"
N_FEATURES, N_INFORMATIVE, N_SELECTED = 40, 6, 5
#: New samples of each class that each model is asked about.
N_NEW = 100
ROWS = ("selected", "random", "first two", "twice as many")
COLUMNS = (
    "design", "interval", "tables", "mean", "truth", "holds the models", "holds the average",
    "better", "falsely",
)  # fmt: skip
#: Below this share an interval is not what it says, but for the designs that the pages name.
LOWEST = 0.9


@dataclass(frozen=True)
class Design:
    """A law of tables: the samples of each class, how far their means are apart, and groups."""

    name: str
    sizes: tuple[int, ...]
    signal: float
    n_repeats: int = 5
    #: The sizes of the groups of each class, and the share of the variance between them.
    groups: tuple[tuple[int, ...], ...] | None = None
    common: float = 0.0

    @property
    def n_splits(self) -> int:
        """Five folds, or as many as the smallest class has units."""
        smallest = self.sizes if self.groups is None else map(len, self.groups)
        return max(2, min(5, *smallest))

    def draw_means(self, rng: np.random.Generator) -> np.ndarray:
        """Each class is apart from the others in features of its own."""
        means = np.zeros((len(self.sizes), N_FEATURES))
        of_class = np.arange(N_INFORMATIVE) % len(self.sizes)
        means[of_class, np.arange(N_INFORMATIVE)] = self.signal * rng.choice([-1, 1], N_INFORMATIVE)
        return means

    def draw(self, rng: np.random.Generator, means: np.ndarray) -> tuple[np.ndarray, ...]:
        """A table, its classes, and the unit of each sample."""
        codes = np.repeat(np.arange(len(self.sizes)), self.sizes)
        units = np.arange(len(codes))
        if self.groups is not None:
            sizes = [size for of_class in self.groups for size in of_class]
            units = np.repeat(np.arange(len(sizes)), sizes)
        shared = rng.normal(size=(units.max() + 1, N_FEATURES))[units]
        own = rng.normal(size=(len(codes), N_FEATURES))
        noise = np.sqrt(self.common) * shared + np.sqrt(1 - self.common) * own
        return means[codes] + noise, codes, units


def make_designs() -> list[Design]:
    """Noise, a weak and a strong signal in every shape of table."""
    designs = []
    shapes = {
        "6 : 6": (6, 6),
        "12 : 12": (12, 12),
        "30 : 30": (30, 30),
        "100 : 100": (100, 100),
        "45 : 15": (45, 15),
        "36 : 4": (36, 4),
        "8 : 8 : 8": (8, 8, 8),
        "20 : 20 : 20": (20, 20, 20),
        "10 : 20 : 60": (10, 20, 60),
    }
    signals = {"noise": 0.0, "weak": 0.7, "strong": 2.0}
    for shape, sizes in shapes.items():
        for word, signal in signals.items():
            designs.append(Design(f"{shape}, {word}", sizes, signal))
    fours = ((4,) * 10, (4,) * 10)
    unequal = ((38, *(2,) * 10), (2,) * 19)
    for word, signal in signals.items():
        designs += [
            Design(f"30 : 30, one repeat, {word}", (30, 30), signal, n_repeats=1),
            Design(f"20 : 20 : 20, one repeat, {word}", (20, 20, 20), signal, n_repeats=1),
            Design(f"20 groups of 4, {word}", (40, 40), signal, groups=fours, common=0.6),
            Design(f"groups of 38 and 2, {word}", (58, 38), signal, groups=unequal, common=0.6),
        ]
    return designs


def rank(X: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """The features by their F statistic, the largest first."""
    members = np.eye(n_classes)[codes]
    counts = members.sum(axis=0)
    means = members.T @ X / counts[:, None]
    between = counts @ (means - X.mean(axis=0)) ** 2
    within = ((X - means[codes]) ** 2).sum(axis=0)
    return np.argsort(-between / within, kind="stable")


def fit(X: np.ndarray, codes: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and intercepts of a linear discriminant with a ridge."""
    members = np.eye(n_classes)[codes]
    counts = members.sum(axis=0)
    means = members.T @ X / counts[:, None]
    rest = X - means[codes]
    covariance = rest.T @ rest / max(1, len(X) - n_classes)
    ridge = 0.2 * np.trace(covariance) / len(covariance)
    coefficients = np.linalg.solve(covariance + ridge * np.eye(len(covariance)), means.T)
    intercepts = np.log(counts / len(X)) - (means.T * coefficients).sum(axis=0) / 2
    return coefficients, intercepts


def compute_probabilities(scores: np.ndarray) -> np.ndarray:
    odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return odds / odds.sum(axis=-1, keepdims=True)


def judge_models(
    probabilities: np.ndarray, codes: np.ndarray, shares: np.ndarray, sizes: tuple[int, ...]
) -> dict[str, float]:
    """How good a model is on new samples, as many of each class."""
    weights = np.array(sizes) / sum(sizes)
    recalls, by_share = (
        np.array([(said[codes == q] == q).mean() for q in range(len(sizes))])
        for said in (probabilities.argmax(axis=1), decide_by_share(probabilities, shares))
    )
    placements = compute_placements(probabilities, codes)
    areas = [placements[codes == a, b].mean() for a, b in list_pairs(len(sizes))]
    return {
        "accuracy": float(weights @ recalls),
        "balanced_accuracy": float(by_share.mean()),
        "auc": float(np.mean(areas)),
    }


def try_table(
    design: Design, rng: np.random.Generator
) -> tuple[dict[str, HeldOut], dict[str, dict[str, float]]]:
    """What each row said of the held-out samples, and how good its models are on new ones."""
    means = design.draw_means(rng)
    X, codes, units = design.draw(rng, means)
    n, n_classes = len(codes), len(design.sizes)
    new_codes = np.repeat(np.arange(n_classes), N_NEW)
    scores = {row: np.full((design.n_repeats, n, n_classes), np.nan) for row in ROWS}
    shares = np.zeros((design.n_repeats, design.n_splits, n_classes))
    folds = np.full((design.n_repeats, n), -1)
    of_models: dict[str, list[dict[str, float]]] = {row: [] for row in ROWS}
    for repeat in range(design.n_repeats):
        seed = int(rng.integers(2**31))
        groups = None if design.groups is None else units
        if groups is None:
            split = StratifiedKFold(design.n_splits, shuffle=True, random_state=seed)
        else:
            split = StratifiedGroupKFold(design.n_splits, shuffle=True, random_state=seed)
        for fold, (train, test) in enumerate(split.split(X, codes, groups)):
            folds[repeat, test] = fold
            shares[repeat, fold] = np.bincount(codes[train], minlength=n_classes) / len(train)
            ranking = rank(X[train], codes[train], n_classes)
            new = means[new_codes] + rng.normal(size=(len(new_codes), N_FEATURES))
            columns = {
                "selected": ranking[:N_SELECTED],
                "random": rng.permutation(N_FEATURES)[:N_SELECTED],
                "first two": ranking[:2],
                "twice as many": ranking[: 2 * N_SELECTED],
            }
            for row, chosen in columns.items():
                w, b = fit(X[train][:, chosen], codes[train], n_classes)
                scores[row][repeat, test] = compute_probabilities(X[test][:, chosen] @ w + b)
                asked = compute_probabilities(new[:, chosen] @ w + b)
                of_models[row].append(
                    judge_models(asked, new_codes, shares[repeat, fold], design.sizes)
                )
    held_out = {
        row: HeldOut(
            codes=codes,
            units=units,
            predicted=found.argmax(axis=2),
            scores=found,
            folds=folds,
            shares=shares,
            n_classes=n_classes,
            n_splits=design.n_splits,
        )
        for row, found in scores.items()
    }
    truth = {
        row: {key: float(np.mean([model[key] for model in models])) for key in SCORINGS}
        for row, models in of_models.items()
    }
    return held_out, truth


def find_intervals(
    held_out: dict[str, HeldOut], truth: dict[str, dict[str, float]]
) -> dict[str, tuple[float, float, float, float]]:
    """Value, limits and the truth about the models, for every interval that is shown."""
    first = held_out["selected"]
    found = {}
    for key in SCORINGS:
        metric = METRICS[key]
        estimate = metric.estimate(first)
        true = truth["selected"][key]
        found[metric.name] = (*estimate[:3], true)
        guess = metric.compute_guess(first.codes, first.n_classes)
        found[f"{metric.name} − guess"] = (
            *metric.compare_with_guess(estimate, guess), true - guess,
        )  # fmt: skip
        for row in ROWS[1:]:
            gap = metric.compare(first, held_out[row])
            found[f"{metric.name} − {row}"] = (*gap, true - truth[row][key])
    return found


def simulate(design: Design, n_tables: int, seed: int) -> list[dict[str, object]]:
    """One line for each interval of a design."""
    tables = []
    for number in range(n_tables):
        rng = np.random.default_rng([seed, number])
        tables.append(find_intervals(*try_table(design, rng)))
    lines = []
    for interval in tables[0]:
        value, low, high, models = np.array([found[interval] for found in tables]).T
        average = models.mean()
        is_gap = " − " in interval
        better = float((low > 1e-9).mean()) if is_gap else None
        error = models.std(ddof=1) / np.sqrt(n_tables) if n_tables > 1 else 0.0
        is_false = is_gap and average <= 2 * error
        lines.append(
            {
                "design": design.name,
                "interval": interval,
                "tables": n_tables,
                "mean": round(float(value.mean()), 4),
                "truth": round(float(average), 4),
                "holds the models": share_inside(low, high, models),
                "holds the average": share_inside(low, high, average),
                "better": "" if better is None else round(better, 4),
                "falsely": round(better, 4) if is_false and better is not None else "",
            }
        )
    return lines


def share_inside(low: np.ndarray, high: np.ndarray, truth: np.ndarray | float) -> float:
    return round(float(((low <= truth + 1e-9) & (truth - 1e-9 <= high)).mean()), 4)


def summarise(lines: list[dict[str, object]]) -> str:
    """For every interval the range over the designs, and the designs below the aim."""
    rows = []
    for interval in dict.fromkeys(str(line["interval"]) for line in lines):
        of = [line for line in lines if line["interval"] == interval]
        falsely = [float(str(line["falsely"])) for line in of if line["falsely"] != ""]
        row = [interval]
        for column in ("holds the models", "holds the average"):
            shares = sorted(float(str(line[column])) for line in of)
            row.append(f"{100 * shares[0]:.0f}–{100 * shares[-1]:.0f}")
        row.append(f"{100 * min(falsely):.1f}–{100 * max(falsely):.1f}" if falsely else "–")
        rows.append(row)
    heads = ["interval", "holds the models, %", "holds the average, %", "falsely better, %"]
    return table(heads, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=100, help="tables of each design")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="designs whose names hold this")
    parser.add_argument("--output", type=Path, default=RESULTS)
    args = parser.parse_args()
    lines = []
    for design in make_designs():
        if args.only in design.name:
            lines += simulate(design, args.tables, args.seed)
    with args.output.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    print(summarise(lines))
    low = [line for line in lines if float(str(line["holds the average"])) < LOWEST]
    print(f"\nBelow {100 * LOWEST:.0f} %: {len(low)} of {len(lines)}")
    print(table(list(COLUMNS), [[str(line[column]) for column in COLUMNS] for line in low]))


if __name__ == "__main__":
    main()
