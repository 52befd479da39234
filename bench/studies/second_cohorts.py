"""Which word a second cohort gives a panel, on pairs of cohorts whose law is known.

Run ``python bench/studies/second_cohorts.py`` (about four minutes of one core). Of every size and
signal ``--pairs`` first cohorts are drawn. Each gives a panel with its held-out AUC, which is then
validated on a second cohort of every design: the same law, all means shifted by one standard
deviation, half of the signal, other class shares, labels permuted, and an AUC that is lower by
exactly 0.10 than the panel has on its own law. Printed is the share of each word beside the limits
it must keep; ``results/second_cohorts.csv`` has the shares.
"""

import argparse
import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri
from timing import table

from s2fs import PairCover, Panel, compare
from s2fs.panel.new_samples import NewTable
from s2fs.panel.second_cohort import NewLabels, validate_samples

RESULTS = Path(__file__).parents[1] / "results" / "second_cohorts.csv"
N_FEATURES, N_INFORMATIVE, N_SELECTED = 30, 10, 5
#: Samples of the first and of the second cohort.
SIZES = ((40, 30), (100, 60), (200, 150))
#: Distance of the means in each informative feature; the AUCs of panels are about 0.85 and 0.95.
SIGNALS = {"0.85": 0.75, "0.95": 1.1}
DESIGNS = ("same law", "shifted", "half signal", "other shares", "permuted", "lower by 0.10")
WORDS = ("holds", "works", "lower", "cannot be told", "lost", "reversed", "cannot be judged")


def draw(rng: np.random.Generator, n_positive: int, n: int, signal: float) -> tuple:
    """Samples of two classes that differ in the means of the first features."""
    codes = (np.arange(n) < n_positive).astype(int)
    X = rng.normal(size=(n, N_FEATURES))
    X[codes == 1, :N_INFORMATIVE] += signal
    return X, codes


def find_true_auc(panel: Panel, signal: float) -> float:
    """The AUC of a panel on a law: its score is normal in both classes."""
    weights = panel.coef_[0] / panel.table()["sd"].to_numpy()
    apart = signal * weights[panel.indices_ < N_INFORMATIVE].sum()
    return float(ndtr(apart / np.sqrt(2 * (weights**2).sum())))


def make_panel(X: np.ndarray, codes: np.ndarray) -> Panel:
    """A panel with what its held-out samples say."""
    panel = Panel(PairCover(N_SELECTED)).fit(X, codes)
    found = compare(X, codes, k=[N_SELECTED], selectors=[PairCover()])
    panel._set_first_cohort(found)
    return panel


def draw_second(
    design: str, rng: np.random.Generator, panel: Panel, n: int, signal: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """A second cohort, and the true AUC of the panel in it."""
    n_positive, own = n // 2, find_true_auc(panel, signal)
    if design == "half signal":
        X, codes = draw(rng, n_positive, n, signal / 2)
        return X, codes, find_true_auc(panel, signal / 2)
    if design == "other shares":
        return *draw(rng, n // 4, n, signal), own
    if design == "lower by 0.10":
        lower = signal * ndtri(own - 0.10) / ndtri(own)
        return *draw(rng, n_positive, n, lower), own - 0.10
    X, codes = draw(rng, n_positive, n, signal)
    if design == "shifted":
        X += 1.0
    if design == "permuted":
        return X, rng.permutation(codes), 0.5
    return X, codes, own


def judge(panel: Panel, X: np.ndarray, codes: np.ndarray) -> str:
    names = [f"x{f}" for f in range(N_FEATURES)]
    new = NewTable("the second cohort", names, lambda f: X[:, f], len(X))
    return validate_samples(panel, new, NewLabels(codes, {}, 0)).word


def simulate(n_pairs: int, seed: int) -> Iterator[dict[str, object]]:
    for (n_first, n_second), (name, signal) in (
        (sizes, signal) for sizes in SIZES for signal in SIGNALS.items()
    ):
        rng = np.random.default_rng([seed, n_first, int(100 * signal)])
        words = {design: Counter[str]() for design in DESIGNS}
        truths: dict[str, list[float]] = {design: [] for design in DESIGNS}
        first = []
        for _ in range(n_pairs):
            panel = make_panel(*draw(rng, n_first // 2, n_first, signal))
            first.append(panel._first_cohort.estimate_auc([True, True]).value)
            for design in DESIGNS:
                X, codes, truth = draw_second(design, rng, panel, n_second, signal)
                words[design][judge(panel, X, codes)] += 1
                truths[design].append(truth)
        for design in DESIGNS:
            yield {
                "first": n_first,
                "second": n_second,
                "signal": name,
                "design": design,
                "pairs": n_pairs,
                "held-out AUC": round(float(np.mean(first)), 3),
                "true AUC": round(float(np.mean(truths[design])), 3),
                **{word: round(words[design][word] / n_pairs, 4) for word in WORDS},
            }


def check_limits(lines: list[dict[str, object]]) -> list[list[str]]:
    """The shares beside what they must keep, two standard errors allowed."""
    rows = []
    for line in lines:
        n = int(str(line["pairs"]))
        share = {word: float(str(line[word])) for word in WORDS}
        small, large = line["second"] == 30, line["first"] == 200 and line["signal"] == "0.95"
        error = 2 * (0.05 * 0.95 / n) ** 0.5
        found = share["holds"] + share["works"]
        false = share["lower"] + share["lost"] + share["reversed"]
        limits = {
            "same law": [("lower, lost, reversed", false, 0.05 + error, False)],
            "permuted": [("holds, works, lower", found + share["lower"], 0.05 + error, False)],
            "lower by 0.10": [("holds", share["holds"], 0.05 + error, False)],
        }.get(str(line["design"]), [])
        if line["design"] == "same law" and not small and float(str(line["true AUC"])) >= 0.845:
            limits.append(("holds, works", found, 0.95, True))
        if line["design"] == "same law" and large:
            limits.append(("holds", share["holds"], 0.85, True))
        for words, value, limit, is_least in limits:
            kept = value >= limit if is_least else value <= limit
            rows.append([
                f"{line['first']} and {line['second']}", str(line["signal"]), str(line["design"]),
                words, f"{100 * value:.1f}", f"{'≥' if is_least else '≤'} {100 * limit:.1f}",
                "kept" if kept else "not kept",
            ])  # fmt: skip
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=200, help="pairs of cohorts of each design")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=RESULTS)
    args = parser.parse_args()
    lines = list(simulate(args.pairs, args.seed))
    with args.output.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    print(table(list(lines[0]), [[str(value) for value in line.values()] for line in lines]))
    heads = ["samples", "AUC", "design", "words", "share, %", "limit, %", ""]
    print("\n" + table(heads, check_limits(lines)))


if __name__ == "__main__":
    main()
