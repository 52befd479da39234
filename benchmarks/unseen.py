"""The study on unseen tables: from the kept results to the numbers of docs/unseen.md.

The results come from ``S2FS_DATA=… s2fs bench run unseen --results unseen.sqlite`` and are kept by
``s2fs bench archive unseen.sqlite --out benchmarks/results/unseen.npz``. All files of that folder
whose names begin with ``unseen`` are read, so that tables and seeds can be added. ``python
benchmarks/unseen.py`` writes the tables of the page anew, between its marks; nothing is computed
but means, ranks and intervals.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from s2fs.bench import (
    LEARNER_TITLES,
    Result,
    average_ranks,
    friedman_test,
    load_plan,
    open_results,
    results,
)

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "unseen.md"
RESULTS = sorted((ROOT / "benchmarks" / "results").glob("unseen*.npz"))
#: The sixteen tables that decide, by name: the first, third, … are one half.
PRACTICE = (
    "9_tumors", "basehock", "bittner", "brain_tumor1", "bredel", "cns", "colon", "madelon",
    "mll", "nci60", "risinger", "tomlins", "tox_171", "umist", "usps", "yeoh_v2",
)  # fmt: skip
HALVES = {"first half": PRACTICE[::2], "second half": PRACTICE[1::2]}
#: The sizes that are averaged.
SIZES = (10, 20, 50)
#: What all others are compared with: the selector with its default.
OURS = "PairCover"


class Study:
    """Mean scores over the seeds, in points: by table, selector, learner and size."""

    def __init__(self, paths: Iterable[Path] = RESULTS) -> None:
        found: list[Result] = []
        for path in paths:
            with open_results(path) as archive:
                found += results(archive)
        run = found[0].run
        self.n_folds, self.learners, self.sizes = run.n_folds, run.learners, run.sizes
        there = {result.selector.name for result in found}
        self.selectors = tuple(s.name for s in load_plan("unseen").selectors if s.name in there)
        self.titles = {result.run.dataset: result.run.dataset_title for result in found}
        ran: dict[tuple[str, str], set[int]] = {}
        for result in found:
            ran.setdefault((result.run.dataset, result.selector.name), set()).add(result.run.seed)
        # A seed of a table counts if every selector has it.
        common = {
            table: set.intersection(*(ran.get((table, s), set()) for s in self.selectors))
            for table in self.titles
        }
        self.seeds = {table: seeds for table, seeds in common.items() if seeds}
        self.tables = tuple(self.seeds)
        self._found: dict[tuple[str, str], list[Result]] = {}
        for result in found:
            if result.run.seed in self.seeds.get(result.run.dataset, ()):
                key = (result.run.dataset, result.selector.name)
                self._found.setdefault(key, []).append(result)

    def score(self, table: str, selector: str, learners: Iterable[str], sizes: Iterable[int]):
        """The mean over learners, sizes and seeds, in points."""
        values = [
            result.curves[learner].values[result.run.sizes.index(size)]
            for result in self._found[table, selector]
            for learner in learners
            for size in sizes
            if size in result.run.sizes
        ]
        return 100 * float(np.mean(values))

    def matrix(self, tables: Iterable[str], learners=None, sizes=SIZES):
        """Scores: a row for each table, a column for each selector."""
        learners = learners or self.learners
        return np.array(
            [[self.score(t, s, learners, sizes) for s in self.selectors] for t in tables]
        )

    def at_size(self, attribute: str, table: str, selector: str, size: int) -> float:
        """Stability or redundancy at a size, the mean over the seeds."""
        return float(
            np.mean(
                [
                    getattr(result, attribute)[result.run.sizes.index(size)]
                    for result in self._found[table, selector]
                ]
            )
        )

    def seconds(self, table: str, selector: str) -> float:
        """Processor time of one selection."""
        return float(np.mean([result.seconds for result in self._found[table, selector]]))


def markdown(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def difference(scores, reference):
    """Mean of the paired differences and half its 95 % interval over the tables."""
    gap = scores - reference
    if len(gap) < 2 or not gap.any():
        return float(gap.mean()), 0.0
    half = student.ppf(0.975, len(gap) - 1) * gap.std(ddof=1) / len(gap) ** 0.5
    return float(gap.mean()), float(half)


def overall(study: Study, tables) -> str:
    """Ranks on all tables and on both halves, differences to our default, wins."""
    scores = study.matrix(tables)
    shown = scores.round(1)  # a tenth of a point is a tie
    ours = study.selectors.index(OURS)
    ranks = average_ranks(shown)
    by_half = [average_ranks(study.matrix(half).round(1)) for half in HALVES.values()]
    rows = []
    for j in np.argsort(ranks, kind="stable"):
        mean, half = difference(scores[:, j], scores[:, ours])
        wins, ties, losses = (
            int(op(shown[:, ours], shown[:, j]).sum()) for op in (np.greater, np.equal, np.less)
        )
        rows.append(
            [
                study.selectors[j],
                f"{ranks[j]:.2f}",
                *(f"{half_ranks[j]:.2f}" for half_ranks in by_half),
                f"{scores[:, j].mean():.1f}",
                "" if j == ours else f"{mean:+.1f} ± {half:.1f}",
                "" if j == ours else f"{wins} / {ties} / {losses}",
            ]
        )
    heads = [
        "selector", "rank", *HALVES, "balanced accuracy, %", f"minus {OURS}, points",
        f"{OURS} wins / ties / loses",
    ]  # fmt: skip
    return markdown(heads, rows)


def halves(study: Study) -> str:
    """Ranks and differences half by half."""
    rows = []
    for name, half in HALVES.items():
        scores = study.matrix(half)
        at = dict(zip(study.selectors, scores.T, strict=True))
        ranks = dict(zip(study.selectors, average_ranks(scores.round(1)), strict=True))
        order = sorted(ranks, key=lambda s: ranks[s])
        gaps = [difference(at[OURS], at[other]) for other in ("S2FS", "one-vs-rest t")]
        rows.append(
            [
                name,
                ", ".join(half),
                ", ".join(f"{s} ({ranks[s]:.2f})" for s in order[:3]),
                f"{order.index(OURS) + 1} ({ranks[OURS]:.2f})",
                *(f"{mean:+.1f} ± {margin:.1f}" for mean, margin in gaps),
            ]
        )
    heads = ["", "tables", "first three by rank", f"place of {OURS}", f"{OURS} − S2FS"]
    return markdown([*heads, f"{OURS} − one-vs-rest t"], rows)


def findings(study: Study) -> str:
    """Who is ahead, who is behind, and where our default loses most."""
    scores = study.matrix(PRACTICE)
    at = dict(zip(study.selectors, scores.T, strict=True))
    gaps = {s: difference(at[s], at[OURS]) for s in study.selectors if s != OURS}
    groups = {
        "behind": [s for s, (mean, margin) in gaps.items() if mean < -margin],
        "level with": [s for s, (mean, margin) in gaps.items() if abs(mean) <= margin],
        "ahead of": [s for s, (mean, margin) in gaps.items() if mean > margin],
    }
    lines = [
        f"* {word.capitalize()} {OURS}, by the interval over the sixteen tables: "
        f"{', '.join(names) or 'none'}."
        for word, names in groups.items()
    ]
    losses = []
    for table, row in zip(PRACTICE, scores, strict=True):
        best = int(row.argmax())
        losses.append((row[best] - at[OURS][PRACTICE.index(table)], table, study.selectors[best]))
    worst = [
        f"{table} ({lost:.1f} points behind {best})"
        for lost, table, best in sorted(losses, reverse=True)[:5]
    ]
    lines.append(f"* Where {OURS} loses most to the best selector of a table: {', '.join(worst)}.")
    beside = [t for t in study.tables if t not in PRACTICE]
    if len(beside) > 1:
        others = study.matrix(beside)
        ranks = average_ranks(others.round(1))
        order = np.argsort(ranks, kind="stable")
        first = ", ".join(f"{study.selectors[j]} ({ranks[j]:.2f})" for j in order[:4])
        place = [study.selectors[j] for j in order].index(OURS) + 1
        lines.append(
            f"* On the {len(beside)} tables that took no part in any choice "
            f"({', '.join(study.titles[t] for t in beside)}) the first four by average rank are "
            f"{first}; {OURS} is in place {place}."
        )
    return "\n".join(lines)


def by_learner_and_size(study: Study, tables) -> str:
    """Mean scores for each learner (sizes 10, 20, 50) and for each size (all learners)."""
    by = {LEARNER_TITLES[one]: study.matrix(tables, [one]).mean(axis=0) for one in study.learners}
    by |= {f"k = {k}": study.matrix(tables, sizes=[k]).mean(axis=0) for k in study.sizes}
    order = np.argsort(average_ranks(study.matrix(tables).round(1)), kind="stable")
    rows = [[study.selectors[j], *(f"{values[j]:.1f}" for values in by.values())] for j in order]
    return markdown(["selector", *by], rows)


def other_qualities(study: Study, tables) -> str:
    """Stability and redundancy at 20 features, and time."""
    order = np.argsort(average_ranks(study.matrix(tables).round(1)), kind="stable")
    rows = []
    for j in order:
        name = study.selectors[j]
        stable = np.mean([study.at_size("stabilities", t, name, 20) for t in tables])
        redundant = np.mean([study.at_size("redundancies", t, name, 20) for t in tables])
        seconds = [study.seconds(t, name) for t in tables]
        rows.append(
            [
                name, f"{stable:.2f}", f"{redundant:.2f}", f"{np.median(seconds):.3f}",
                f"{max(seconds):.2f}",
            ]
        )  # fmt: skip
    heads = ["selector", "stability", "mean correlation", "seconds, median", "seconds, largest"]
    return markdown(heads, rows)


def every_table(study: Study) -> str:
    """Each table: means over the learners and the sizes 10, 20, 50."""
    rows = []
    for table in study.tables:
        (scores,) = study.matrix([table]).round(1)
        best = scores.max()
        cells = [f"**{v:.1f}**" if v == best else f"{v:.1f}" for v in scores]
        rows.append([study.titles[table], *cells])
    return markdown(["table", *study.selectors], rows)


def picked(study: Study) -> str:
    """Two tables on which many features hardly vary."""
    rows = []
    for table, size in (("digits", 10), ("pbmc", 20)):
        cells = [study.score(table, s, ["knn"], [size]) for s in study.selectors]
        what = f"{table}, {size} features, 5-NN"
        rows.append([what, *(f"{value:.1f}" for value in cells)])
    return markdown(["", *study.selectors], rows)


def friedman(study: Study, tables) -> str:
    """Whether ranks differ at all."""
    result = friedman_test(study.matrix(tables).round(1))
    return (
        f"Friedman's test over the {len(tables)} tables: F = {result.statistic:.1f}, critical "
        f"value {result.critical_value:.2f} at 5 %."
    )


def by_seeds(study: Study) -> str:
    """The tables, those with the most seeds of the folds first."""
    groups: dict[int, list[str]] = {}
    for table, seeds in study.seeds.items():
        groups.setdefault(len(seeds), []).append(table)
    return "; ".join(
        f"{n} seed{'s' * (n > 1)} for {', '.join(groups[n])}" for n in sorted(groups, reverse=True)
    )


def said(study: Study) -> dict[str, str]:
    """Every part of the page that holds numbers, by its mark."""
    tables = PRACTICE
    return {
        "run": f"{len(study.selectors)} selectors, {study.n_folds} folds, {len(study.tables)} "
        f"tables: {by_seeds(study)}.",
        "overall": overall(study, tables),
        "halves": halves(study),
        "findings": findings(study),
        "friedman": friedman(study, tables),
        "learners": by_learner_and_size(study, tables),
        "qualities": other_qualities(study, tables),
        "sparse": picked(study),
        "tables": every_table(study),
    }


def filled(page: str, parts: dict[str, str]) -> str:
    """The page with every part between its marks."""
    for name, text in parts.items():
        page, n = re.subn(
            rf"(<!-- {name} -->\n).*?(<!-- end -->)",
            lambda match, text=text: f"{match[1]}\n{text}\n\n{match[2]}",
            page,
            flags=re.DOTALL,
        )
        if n != 1:
            raise ValueError(f"docs/unseen.md has {n} marks for {name!r}; it needs one.")
    return page


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(filled(page, said(Study())), encoding="utf-8")


if __name__ == "__main__":
    main()
