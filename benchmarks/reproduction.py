"""How near our repeat of the paper's experiments comes to its numbers, from committed results.

    python benchmarks/reproduction.py --write-docs

reads ``benchmarks/results/paper.npz``, made as ``docs/reproduction.md`` says, and writes the
summaries into that page and all tables into ``docs/reproduction-tables.md``. Without the option it
prints the summaries. Fair lists of the baselines whose list the paper seems to have completed by
the order of the columns are those of ``fidelity.csv``, which has the same folds.
"""

import argparse
import csv
import re
import tempfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np

from s2fs.bench import (
    LEARNER_TITLES,
    Archive,
    build_tables,
    compare_ranks,
    results,
    write_tables,
)

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reproduction.md"
TABLES = ROOT / "docs" / "reproduction-tables.md"
#: A cell of ours is as good as the published one if it is not below it by more than this.
CLOSE = 0.02
WEIGHTS = {
    "inside": "chosen inside the training folds",
    "default": "α = β = 0.0316",
    "per dataset": "one pair for each dataset, the best on average",
    "best": "best pair for each cell",
}
#: The baselines that the paper lets go on in the order of the columns, and their variants.
FAIR = {"FDM": "default", "IPD": "variant=F1-sum", "MDP": "default"}
#: The variants are compared over the weights that the paper recommends, at most this large.
RECOMMENDED = 0.0562
VARIANTS = {
    "S2FS": "S²FS",
    "S2-DWC": "α = 0 (S²–DWC)",
    "S2-DBS": "β = 0 (S²–DBS)",
    "S2-DWC-DBS": "α = β = 0 (S²–DWC–DBS)",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    folder = ROOT / "benchmarks" / "results"
    parser.add_argument("--results", default=folder / "paper.npz")
    parser.add_argument("--fair", default=folder / "fidelity.csv")
    parser.add_argument("--write-docs", action="store_true", help="write the two pages of docs/")
    args = parser.parse_args()
    with Archive(args.results) as archive:
        found = list(results(archive))
        tables = build_tables(found)
        fair = [fairly(table, args.fair) for table in tables]
        parts = {
            "cells": "\n".join(cells_of_s2fs(found, tables)),
            "distances": "\n".join(distances(tables, fair)),
            "ranks": "\n".join(ranks(tables)),
            "fair ranks": "\n".join(ranks(fair)),
            "verdicts": "\n".join(verdicts(tables, fair)),
            "variants": "\n".join(variants(found)),
        }
        if not args.write_docs:
            print("\n\n".join(parts.values()))
            return
        page = PAGE.read_text()
        for name, text in parts.items():
            block = f"<!-- {name}: written by benchmarks/reproduction.py -->"
            page = re.sub(
                f"{block}.*?<!-- end -->", f"{block}\n\n{text}\n\n<!-- end -->", page, flags=re.S
            )
        PAGE.write_text(page)
        with tempfile.TemporaryDirectory() as folder:
            (written,) = [p for p in write_tables(archive, folder) if p.suffix == ".md"]
            TABLES.write_text(
                written.read_text().replace("# Results", "# Reproduction: all tables", 1)
            )


def fairly(table, path):  # type: ignore[no-untyped-def]
    """The table with fair lists for the baselines that go on in the order of the columns."""
    learner = "SVM scale" if table.learner == "svm" else table.learner.upper()
    with open(path, newline="", encoding="utf-8") as file:
        scores = {
            (row["baseline"], row["dataset"]): float(row[f"{learner} {table.statistic}"])
            for row in csv.DictReader(file)
            if (row["baseline"], row["variant"]) in FAIR.items()
            and (row["completion"], row["seed"]) == ("importance", "0")
        }
    ours = table.ours.copy()
    for j, column in enumerate(table.columns):
        if column.algorithm in FAIR:
            ours[:, j] = [scores.get((column.algorithm, name), np.nan) for name in table.datasets]
    return replace(table, ours=ours)


def cells_of_s2fs(found, tables):  # type: ignore[no-untyped-def]
    """How many cells of S²FS are as good as published, by how its weights were set."""
    ours = defaultdict(list)
    for table in tables:
        for j, column in enumerate(table.columns):
            if column.algorithm == "S2FS":
                ours[column.how] += (table.ours[:, j] - table.published[:, j]).tolist()
    ours["per dataset"] = one_pair_per_dataset(found, tables)
    yield "| weights of S²FS | cells | at most 0.02 below the paper | not below | mean difference |"
    yield "|---|---|---|---|---|"
    for weights, title in WEIGHTS.items():
        differences = np.array(ours[weights])
        differences = differences[np.isfinite(differences)].round(4)
        close, above = (differences >= -CLOSE).sum(), (differences >= 0).sum()
        mean = differences.mean()
        yield f"| {title} | {len(differences)} | **{close}** | {above} | {mean:+.4f} |"


def one_pair_per_dataset(found, tables):  # type: ignore[no-untyped-def]
    """Differences from the paper with the pair whose eight scores are best on average."""
    scores: dict[str, dict[tuple[float, float], dict[tuple[str, str], float]]] = defaultdict(dict)
    for result in found:
        if result.selector.name == "S2FS" and result.weights is not None:
            cells = {}
            for learner, curve in result.curves.items():
                cells[learner, "max"], cells[learner, "ave"] = curve.max, curve.ave
            scores[result.run.dataset_title].setdefault(result.weights, cells)
    differences = []
    for dataset, pairs in scores.items():
        best = max(pairs.values(), key=lambda cells: sum(cells.values()))
        for table in tables:
            row = table.datasets.index(dataset)
            column = next(j for j, c in enumerate(table.columns) if c.algorithm == "S2FS")
            published = table.published[row, column]
            differences.append(best[table.learner, table.statistic] - published)
    return differences


def distances(tables, fair):  # type: ignore[no-untyped-def]
    """Root mean square and mean of ours − published, by algorithm and learner; fair lists too."""
    learners = list(dict.fromkeys(table.learner for table in tables))
    yield (
        "| algorithm | "
        + " | ".join(LEARNER_TITLES[learner] for learner in learners)
        + " | all | all, fair list |"
    )
    yield "|---|" + "---|" * (len(learners) + 2)
    totals = []
    for column in tables[0].columns:
        if column.how in ("inside", "default"):
            continue
        gaps = [gap_of(tables, column, [learner]) for learner in learners]
        gaps += [gap_of(tables, column, learners), gap_of(fair, column, learners)]
        row = [f"{rms(gap):.3f} ({gap.mean():+.3f})" for gap in gaps]
        if column.algorithm != "S2FS":
            totals.append([rms(gap) for gap in gaps])
        else:
            row[-1] = ""
        yield f"| {column.heading} | " + " | ".join(row) + " |"
    means = np.mean(totals, axis=0)
    yield "| mean of the baselines | " + " | ".join(f"{value:.3f}" for value in means) + " |"


def gap_of(tables, column, learners):  # type: ignore[no-untyped-def]
    """Ours − published of one algorithm under some learners."""
    gap = np.concatenate(
        [
            (t.ours - t.published)[:, j]
            for t in tables
            if t.learner in learners
            for j, other in enumerate(t.columns)
            if (other.algorithm, other.how) == (column.algorithm, column.how)
        ]
    )
    return gap[np.isfinite(gap)]


def rms(gap):  # type: ignore[no-untyped-def]
    """Root mean square."""
    return float(np.sqrt((gap**2).mean()))


def verdicts(tables, fair):  # type: ignore[no-untyped-def]
    """In how many of the eight tables S²FS beats each baseline by the Nemenyi test."""
    kinds = {"as published": tables, "fair lists": fair}
    counts = {}
    for kind, some in kinds.items():
        for way in ("best", "inside"):
            count: dict[str, int] = defaultdict(int)
            for table in some:
                comparison = compared(table, way)
                for j, column in enumerate(comparison.columns[1:], 1):
                    count[column.heading] += comparison.verdict(j) == "better"
            counts[kind, way] = count
    names = list(counts["as published", "best"])
    yield "| lists | weights of S²FS | " + " | ".join(names) + " | all |"
    yield "|---|---|" + "---|" * (len(names) + 1)
    for (kind, way), count in counts.items():
        cells = " | ".join(str(count[name]) for name in names)
        title = WEIGHTS[way].replace(" for each cell", "")
        yield f"| {kind} | {title} | {cells} | {sum(count.values())} of {8 * len(names)} |"


def compared(table, way):  # type: ignore[no-untyped-def]
    """The comparison in which S²FS has its weights set in one way."""
    return next(c for c in compare_ranks(table) if c.columns[0].how == way)


def ranks(tables):  # type: ignore[no-untyped-def]
    """Average ranks of the nine algorithms, ours and published, and what the tests say."""
    header = None
    for table in tables:
        comparison = next(compare_ranks(table))
        names = [column.heading for column in comparison.columns]
        if header is None:
            header = names
            yield "| table | F_F (p) | " + " | ".join(names) + " | S²FS better than |"
            yield "|---|---|" + "---|" * (len(names) + 1)
        ours, published = comparison.nemenyi.average_ranks, comparison.published_ranks
        cells = [f"{a:.1f} ({b:.1f})" for a, b in zip(ours, published, strict=True)]
        better = sum(comparison.verdict(j) == "better" for j in range(1, len(names)))
        f = comparison.friedman
        title = f"{LEARNER_TITLES[table.learner]}, {table.statistic.title()}"
        yield (
            f"| {title} | {f.statistic:.1f} ({f.p_value:.0e}) | "
            + " | ".join(cells)
            + f" | {better} of {len(names) - 1} |"
        )


def variants(found):  # type: ignore[no-untyped-def]
    """Mean over the datasets of the average score, each criterion with its best weights."""
    best: dict[tuple[str, str, str], float] = defaultdict(float)
    for result in found:
        weights = result.weights
        if result.selector.name in VARIANTS and weights is not None and max(weights) <= RECOMMENDED:
            for learner, curve in result.curves.items():
                key = result.selector.name, result.run.dataset, learner
                best[key] = max(best[key], curve.ave)
    datasets = sorted({d for name, d, _ in best if name != "S2FS"})
    learners = list(dict.fromkeys(learner for _, _, learner in best))
    yield "| criterion | " + " | ".join(LEARNER_TITLES[learner] for learner in learners) + " |"
    yield "|---|" + "---|" * len(learners)
    for name, title in VARIANTS.items():
        scores = [np.mean([best[name, d, learner] for d in datasets]) for learner in learners]
        yield f"| {title} | " + " | ".join(f"{score:.4f}" for score in scores) + " |"


if __name__ == "__main__":
    main()
