"""The study on unseen tables: from the kept results to docs/unseen.md, docs/which.md and README.md.

The results come from ``S2FS_DATA=… s2fs bench run unseen --results unseen.sqlite`` and are kept by
``s2fs bench archive unseen.sqlite --out bench/results/unseen.npz``. All files of that folder whose
names begin with ``unseen`` are read, so that tables, selectors and seeds can be added. ``python
bench/studies/unseen.py`` writes the tables of the page anew, between its marks, parts of
docs/which.md, docs/index.md and README.md, and every table to ``bench/results/unseen-tables.csv``;
nothing is computed but means, ranks and intervals. A table counts once every selector of the plan
has run on it.

``S2FS_DATA=… python bench/studies/unseen.py --run missing`` runs what the plan has and these files
have not (``unseen_seeds.npz``), small tables first. Stopped, it goes on where it was, and what was
finished can be archived at any time.

``S2FS_DATA=… python bench/studies/unseen.py --run best`` adds the best of several selectors, chosen
inside the training folds, at 20 features (``best.npz``); ``--run lightgbm`` adds the gain of
LightGBM, on tables on which that does not take too long (``lightgbm.npz``).
"""

import argparse
import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from pages import fill_page, in_words, plus_minus, signed
from scipy.stats import t as student

from s2fs.io import Dataset
from s2fs_bench import (
    Ledger,
    Result,
    SelectorSpec,
    average_ranks,
    critical_difference,
    iter_results,
    load_dataset,
    load_plan,
    open_results,
    run_plan,
    write_archive,
)

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "unseen.md"
WHICH = ROOT / "docs" / "which.md"
FRONT = (ROOT / "README.md", ROOT / "docs" / "index.md")
FOLDER = ROOT / "bench" / "results"
RESULTS = sorted(FOLDER.glob("unseen*.npz"))
EVERY_TABLE = FOLDER / "unseen-tables.csv"
SCRIPT = "bench/studies/unseen.py"
#: The sixteen tables on which choices were made.
PRACTICE = (
    "9_tumors", "basehock", "bittner", "brain_tumor1", "bredel", "cns", "colon", "madelon",
    "mll", "nci60", "risinger", "tomlins", "tox_171", "umist", "usps", "yeoh_v2",
)  # fmt: skip
#: The tables of the paper, on which S²FS was published; its authors chose them.
PAPER = (
    "all_aml_3", "all_aml_4", "glioma", "isolet", "orl", "srbct", "warpar10p", "warppie10p", "yale",
)  # fmt: skip
TWO_CLASSES = {
    "basehock", "bittner", "cns", "colon", "madelon",
    "chen", "diaplasma", "gordon", "gravier", "laiho", "mb_kostic", "mb_ravel", "mtbls404",
    "mtbls90", "mtbls92", "pcmac", "rad_arita2018", "rad_sasaki2019", "rad_song2020",
    "rad_worc_lipo", "st000369", "ts_gunpoint",
}  # fmt: skip
MORE_THAN_FIVE = {
    "9_tumors", "nci60", "umist", "usps", "yeoh_v2",
    "mnist", "nakayama", "primarycancers", "su_2001", "ts_osuleaf", "yan",
    "isolet", "orl", "warpar10p", "warppie10p", "yale",
}  # fmt: skip
#: The sizes that are averaged.
SIZES = (10, 20, 50)
#: The learner of every verdict, which the numbers are of where no other is named.
MAIN = ("logistic",)
#: What all others are compared with: the selector with its default.
OURS = "PairCover"
#: The file of what was run later than the rest.
MORE_SEEDS = "unseen_seeds"
#: Versions of algorithms that may select other features than today's. Version 1 of S²FS with its
#: scaling named selects what version 2 does: only its default scaling was another one.
OUTDATED = {(OURS, "1")}
#: LightGBM grows a tree for each class, and looks at every feature: larger tables take minutes.
MOST_FOR_LIGHTGBM = 12_000


@cache
def read_results(path: Path) -> tuple[Result, ...]:
    """The results of a file, which is read once."""
    with open_results(path) as archive:
        return tuple(iter_results(archive))


@cache
def planned_tables() -> frozenset[str]:
    """The tables of the plan."""
    return frozenset(load_plan("unseen").dataset_names)


def newest(found: Iterable[Result]) -> list[Result]:
    """Of each table, selector and seed the result of the newest version of the algorithm."""
    kept: dict[tuple[str, str, int], Result] = {}
    for result in found:
        key = result.run.dataset, result.selector.name, result.run.seed
        if key not in kept or int(result.run.algorithm) > int(kept[key].run.algorithm):
            kept[key] = result
    return list(kept.values())


class Study:
    """Mean scores over the seeds, in points: by table, selector, learner and size."""

    def __init__(
        self, paths: Iterable[Path] = RESULTS, selectors: Sequence[str] | None = None
    ) -> None:
        found = newest([result for path in paths for result in read_results(path)])
        run = found[0].run
        self.n_folds, self.learners, self.sizes = run.n_folds, run.learners, run.sizes
        if selectors is None:
            selectors = [spec.name for spec in load_plan("unseen").selectors]
        there = {result.selector.name for result in found}
        self.selectors = tuple(name for name in selectors if name in there)
        self.titles = {result.run.dataset: result.run.dataset_title for result in found}
        ran: dict[tuple[str, str], set[int]] = {}
        for result in found:
            ran.setdefault((result.run.dataset, result.selector.name), set()).add(result.run.seed)
        # A seed of a table counts if every selector has it.
        planned = planned_tables()
        common = {
            table: set.intersection(*(ran.get((table, s), set()) for s in self.selectors))
            for table in self.titles
            if table in planned
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
        if not values:  # the table has fewer features
            return float("nan")
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


def groups_of(study: Study) -> dict[str, list[str]]:
    """The tables by how far they took part in choices."""
    chosen_on = {*PRACTICE, *PAPER}
    return {
        "practice": [table for table in study.tables if table in PRACTICE],
        "unseen": [table for table in study.tables if table not in chosen_on],
        "the paper's": [table for table in study.tables if table in PAPER],
    }


def classes_of(study: Study) -> dict[str, list[str]]:
    """The tables by their number of classes."""
    few = [t for t in study.tables if t not in TWO_CLASSES and t not in MORE_THAN_FIVE]
    return {
        "two classes": [table for table in study.tables if table in TWO_CLASSES],
        "three to five": few,
        "more than five": [table for table in study.tables if table in MORE_THAN_FIVE],
    }


def unseen_tables(study: Study) -> list[str]:
    """The tables that took no part in choosing a selector."""
    return groups_of(study)["unseen"]


def unseen_by_classes(study: Study) -> dict[str, list[str]]:
    """These tables by their number of classes."""
    unseen = set(unseen_tables(study))
    return {
        name: [table for table in tables if table in unseen]
        for name, tables in classes_of(study).items()
    }


def in_order(study: Study) -> list[int]:
    """The selectors by their average rank on the unseen tables, the best first."""
    return np.argsort(ranks_of(study), kind="stable").tolist()


def ranks_of(study: Study):
    """Average ranks on the unseen tables; a tenth of a point is a tie."""
    return average_ranks(study.matrix(unseen_tables(study), MAIN).round(1))


@cache
def beside_ours(name: str) -> Study:
    """A selector and ours, on the tables and seeds that both have."""
    return Study(selectors=[OURS, name])


def compare_groups(study: Study, split: Callable[[Study], dict[str, list[str]]]) -> str:
    """Difference of each selector to ours on groups of tables, with its interval.

    Every selector is held against ours on all tables that both have run on.
    """
    ours = study.selectors.index(OURS)
    everywhere = split(Study(selectors=[OURS]))
    heads = [f"{name}, {len(tables)} tables" for name, tables in everywhere.items()]
    rows = []
    for j in in_order(study):
        if j == ours:
            of_ours = Study(selectors=[OURS])
            means = [of_ours.matrix(tables, MAIN).mean() for tables in everywhere.values()]
            rows.append([OURS, *(f"{mean:.1f} %" for mean in means)])
            continue
        both = beside_ours(study.selectors[j])
        cells = []
        for name, tables in split(both).items():
            if len(tables) < 2:
                cells.append("not run")
                continue
            scores = both.matrix(tables, MAIN)
            mean, half = difference(scores[:, 1], scores[:, 0])
            left_out = len(everywhere[name]) - len(tables)
            on = f" ({len(tables)} of them)" if left_out else ""
            cells.append(plus_minus(mean, half, 1) + on)
        rows.append([study.selectors[j], *cells])
    return markdown(["selector", *heads], rows)


def overall(study: Study) -> str:
    """Ranks, differences, stability and cost on the unseen tables, the best rank first."""
    tables = unseen_tables(study)
    scores, of_all = study.matrix(tables, MAIN), study.matrix(tables)
    shown, ranks = scores.round(1), ranks_of(study)
    ours = study.selectors.index(OURS)
    rows = []
    for j in in_order(study):
        wins, ties, losses = (
            int(op(shown[:, ours], shown[:, j]).sum()) for op in (np.greater, np.equal, np.less)
        )
        name = study.selectors[j]
        stable = np.mean([study.at_size("stabilities", t, name, 20) for t in tables])
        seconds = [study.seconds(t, name) for t in tables]
        beside = [
            plus_minus(*difference(s[:, j], s[:, ours]), 1) if j != ours else ""
            for s in (scores, of_all)
        ]
        rows.append(
            [
                name, f"{ranks[j]:.1f}", f"{scores[:, j].mean():.1f}", beside[0],
                f"{wins} / {ties} / {losses}" if j != ours else "", beside[1],
                f"{stable:.2f}", f"{1000 * np.median(seconds):.0f}", f"{1000 * max(seconds):.0f}",
            ]
        )  # fmt: skip
    heads = [
        "selector", "average rank", "balanced accuracy, %", f"minus {OURS}, points",
        f"{OURS} wins / ties / loses", "the same, four learners", "stability", "ms, median",
        "ms, largest",
    ]  # fmt: skip
    return f"{markdown(heads, rows)}\n\n{say_critical(study)}"


def say_critical(study: Study) -> str:
    """How far two average ranks have to be apart."""
    n_tables, n_selectors = len(unseen_tables(study)), len(study.selectors)
    least = critical_difference(n_tables, n_selectors)
    return (
        f"Average ranks that differ by less than {least:.1f} cannot be told apart (critical "
        f"difference of the Nemenyi test, {n_selectors} selectors, {n_tables} tables)."
    )


def sort_by_verdict(
    study: Study, split: Callable[[Study], dict[str, list[str]]], group: str
) -> dict[str, list[str]]:
    """The selectors by what their intervals say of them beside ours on a group of tables."""
    found: dict[str, list[str]] = {}
    for name in study.selectors:
        both = beside_ours(name)
        tables = split(both)[group]
        if name == OURS or len(tables) < 2:
            continue
        scores = both.matrix(tables, MAIN)
        words = in_words(*difference(scores[:, 1], scores[:, 0]))
        found.setdefault(words, []).append(name)
    return found


def say_verdicts(found: dict[str, list[str]], other: str) -> str:
    """Who is better than another, as good as it, cannot be told from it; the rest is worse."""
    said = [
        f"{words} {other if words == 'better than' else 'it'}: {'; '.join(found.get(words, []))}"
        for words in ("better than", "as good as", "cannot be told from")
        if words in found or words == "better than"
    ]
    said[0] += "none" * ("better than" not in found)
    last = ["worse: all others"] if "worse than" in found else []
    return ". ".join(part[0].upper() + part[1:] for part in [*said, *last])


def losses(study: Study, n_tables: int = 6) -> list[tuple[float, str, str]]:
    """The unseen tables on which ours loses most to the best selector there, in points."""
    lost = []
    tables = unseen_tables(study)
    for table, row in zip(tables, study.matrix(tables, MAIN), strict=True):
        best = int(row.argmax())
        behind = row[best] - row[study.selectors.index(OURS)]
        lost.append((float(behind), study.titles[table], study.selectors[best]))
    return sorted(lost, reverse=True)[:n_tables]


def say_all_verdicts(other: str) -> list[str]:
    """On all unseen tables, and by their number of classes: who is better than ours."""
    lines = []
    for split, group, title in (
        (groups_of, "unseen", "All"),
        (unseen_by_classes, "two classes", "Two classes"),
        (unseen_by_classes, "three to five", "Three to five classes"),
        (unseen_by_classes, "more than five", "More than five classes"),
    ):
        n_tables = len(split(Study(selectors=[OURS]))[group])
        said = say_verdicts(sort_by_verdict(Study(), split, group), other)
        lines.append(f"* **{title}** ({n_tables} tables). {said}.")
    return lines


def findings(study: Study) -> str:
    """What the intervals say of each selector beside ours, and where ours loses most."""
    both = Study(selectors=["S2FS", "ANOVA F"])
    said = []
    for learners, title in ((MAIN, "logistic regression"), (both.learners, "all four learners")):
        scores = both.matrix(unseen_tables(both), learners)
        mean, half = difference(scores[:, 0], scores[:, 1])
        said.append(f"{in_words(mean, half)} it by {title} ({plus_minus(mean, half, 1)} points)")
    worst = [f"{table} ({lost:.1f} points behind {best})" for lost, table, best in losses(study)]
    lines = [
        *say_all_verdicts(OURS),
        f"* **S²FS as published beside ANOVA F**: {', '.join(said)}.",
        f"* Where {OURS} loses most to the best selector of a table: {', '.join(worst)}.",
    ]
    return "\n".join(lines)


def measured(study: Study) -> str:
    """What docs/which.md says of the study: who is as good as ours, and where ours loses."""
    rank_of = dict(zip(study.selectors, ranks_of(study), strict=True))
    after = [
        f"{study.selectors[j]} ({rank_of[study.selectors[j]]:.1f})"
        for j in in_order(study)
        if study.selectors[j] != OURS
    ]
    intro = (
        f"On the {len(unseen_tables(study))} tables of [the study](unseen.md) that took no part in "
        f"choosing a selector (`{SCRIPT}`; logistic regression, 10, 20 and 50 features), the "
        f"average rank of `{OURS}` among {len(study.selectors)} selectors is {rank_of[OURS]:.1f}; "
        f"then come {', '.join(after[:3])}, and S²FS as published has {rank_of['S2FS']:.1f}. "
        f"{say_critical(study)} By their differences in balanced accuracy:"
    )
    rows = [[table, best, f"{lost:.1f} points"] for lost, table, best in losses(study, 3)]
    table = markdown(["table", f"better than `{OURS}` there", "by"], rows)
    said = "\n".join(say_all_verdicts(f"`{OURS}`"))
    return f"{intro}\n\n{said}\n\n{table}\n\n{describe_cells()}"


def front(study: Study) -> str:
    """What the front pages say of the study: three of their four points."""
    tables = unseen_tables(study)
    scores = dict(zip(study.selectors, study.matrix(tables, MAIN).T, strict=True))

    def beside(name: str) -> str:
        mean, half = difference(scores[OURS], scores[name])
        return f"{mean:.1f} ± {half:.1f}"

    def times(name: str) -> str:
        cost = [np.median([study.seconds(t, s) for t in tables]) for s in (name, OURS)]
        return f"{cost[0] / cost[1]:.0f}"

    two = "two classes"
    n_two = len(unseen_by_classes(study)[two])
    found = sort_by_verdict(study, unseen_by_classes, two)["as good as"]
    as_good = [name for name in found if not name.startswith(OURS)]
    with open(FOLDER / "intervals.csv", encoding="utf-8", newline="") as file:
        kept = [row for row in csv.DictReader(file) if "−" not in row["interval"]]
    held = [100 * float(row["holds the models"]) for row in kept]
    n_designs = len({row["design"] for row in kept})
    return (
        f"* **Better lists on tables nobody had tuned on.** On the {len(tables)} tables of the "
        "study that took no part in choosing a selector (the learner was looked at on some of "
        f"them), 10 to 50 features by `{OURS}` give logistic regression a balanced accuracy of "
        f"{scores[OURS].mean():.1f} %: {beside('ANOVA F')} points more than an F test, "
        f"{beside('mRMR')} more than mRMR. SVM-RFE and a group lasso are as good, at "
        f"{times('SVM-RFE')} and {times('group lasso')} times its time. With two classes "
        f"({n_two} tables) {', '.join(as_good[:-1])} and {as_good[-1]} are as good.\n"
        f"* **Random features are not as good.** They are {beside('random order')} points worse on "
        "these tables, and stand beside the selection in every verdict, so that you see it on "
        "yours.\n"
        "* **An answer with its error.** Every accuracy is of held-out samples, with features "
        f"selected again inside the folds. In {n_designs} simulated designs its 95 % intervals "
        f"held the truth in {min(held):.0f} to {max(held):.0f} % of the tables."
    )


def describe_cells() -> str:
    """The table of single cells, which is not in the plan: features that hardly vary."""
    scores = {
        name: np.mean(
            [
                result.curves["knn"].values[result.run.sizes.index(20)]
                for path in RESULTS
                for result in read_results(path)
                if (result.run.dataset, result.selector.name) == ("pbmc", name)
            ]
        )
        for name in ("S2FS, min–max", OURS, "random order")
    }
    return (
        "Where features hardly vary the published criterion should not be used: 20 genes of 700 "
        "single cells (`bench/studies/pbmc.py`) give 5 nearest neighbours a balanced accuracy of "
        f'{scores["S2FS, min–max"]:.0%} with `S2FS(scale="minmax")`, '
        f"{scores['random order']:.0%} in random order, and {scores[OURS]:.0%} with `{OURS}`."
    )


def every_table() -> str:
    """Each table and selector, as comma-separated text."""
    alone = {name: Study(selectors=[name]) for name in Study().selectors}
    some = next(iter(alone.values()))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["table", "kind", "selector", "seeds", *some.learners, *(f"k = {k}" for k in some.sizes),
         "stability, k = 20", "ms"]
    )  # fmt: skip
    for kind, tables in groups_of(some).items():
        for table in sorted(tables):
            for name, study in alone.items():
                if table not in study.tables:
                    continue
                scores = [study.score(table, name, [one], SIZES) for one in study.learners]
                scores += [study.score(table, name, study.learners, [k]) for k in study.sizes]
                stable = study.at_size("stabilities", table, name, 20)
                writer.writerow(
                    [study.titles[table], kind, name, len(study.seeds[table])]
                    + ["" if np.isnan(score) else f"{score:.1f}" for score in scores]
                    + [f"{stable:.2f}", f"{1000 * study.seconds(table, name):.0f}"]
                )
    return text.getvalue()


def describe_run(study: Study) -> str:
    """What the numbers of the page rest on."""
    plan = load_plan("unseen")
    alone = {name: Study(selectors=[name]) for name in study.selectors}
    missing = [name for name in plan.dataset_names if name not in alone[OURS].tables]
    n_seeds = {len(seeds) for one in alone.values() for seeds in one.seeds.values()}
    return (
        f"{len(study.selectors)} selectors, {study.n_folds} folds, "
        f"{' or '.join(map(str, sorted(n_seeds)))} seeds; tables that were not run: "
        f"{', '.join(missing) or 'none'}."
    )


def compare_extra(name: str, file: str, size_list: Sequence[int]) -> str:
    """One more selector, whose results are in a file of its own, against ours."""
    path = FOLDER / file
    if not path.exists():
        return "Not run."
    mine = Study([path], [name])
    extra = Study([path, *RESULTS], [OURS, name])
    rows = []
    for group, tables in {**groups_of(extra), **unseen_by_classes(extra)}.items():
        if len(tables) < 2:
            continue
        scores = extra.matrix(tables, MAIN, size_list)
        mean, half = difference(scores[:, 1], scores[:, 0])
        gap = (scores[:, 1] - scores[:, 0]).round(1)
        seconds = [np.median([study.seconds(t, s) for t in tables])
                   for study, s in ((extra, OURS), (mine, name))]  # fmt: skip
        rows.append(
            [
                f"{group}, {len(tables)} tables", f"{scores[:, 0].mean():.1f}",
                f"{scores[:, 1].mean():.1f}", plus_minus(mean, half, 1), in_words(mean, half),
                f"{signed(gap.min(), 1)} to {signed(gap.max(), 1)}",
                f"{1000 * seconds[0]:.0f} / {1000 * seconds[1]:.0f}",
            ]
        )  # fmt: skip
    heads = ["tables", OURS, name, "difference, points", "in words", "worst and best table",
             "ms, median"]  # fmt: skip
    scores = extra.matrix(extra.tables, MAIN, size_list)
    gap = scores[:, 1] - scores[:, 0]
    worst = [f"{extra.titles[extra.tables[i]]} ({signed(gap[i], 1)})" for i in gap.argsort()[:2]]
    return f"{markdown(heads, rows)}\n\nIt loses most on {' and '.join(worst)}."


def parts(study: Study) -> dict[str, str]:
    """Every part of the page that holds numbers, by its mark."""
    return {
        "run": describe_run(study),
        "overall": overall(study),
        "groups": compare_groups(study, groups_of),
        "classes": compare_groups(study, unseen_by_classes),
        "findings": findings(study),
        "best": compare_extra("best of several", "best.npz", (20,)),
        "lightgbm": compare_extra("LightGBM gain", "lightgbm.npz", SIZES),
    }


def load_tables(names: Iterable[str]) -> Iterator[tuple[str, Dataset]]:
    """The tables that are here, one at a time."""
    for name in names:
        with suppress(FileNotFoundError):
            yield name, load_dataset(name)


def run_missing() -> None:
    """Run what the plan has and the kept results have not, the smallest tables first."""
    plan = load_plan("unseen")
    kept = {
        (result.run.dataset, result.selector.name, result.run.seed)
        for path in RESULTS
        if path.stem != MORE_SEEDS
        for result in read_results(path)
        if (result.selector.name, result.run.algorithm) not in OUTDATED
    }
    shapes = {name: data.X.shape for name, data in load_tables(plan.dataset_names)}
    ledger_path = FOLDER / f"{MORE_SEEDS}.sqlite"
    for table in sorted(shapes, key=lambda name: (name in PAPER, np.prod(shapes[name]))):
        for seed in plan.seeds:
            selectors = tuple(s for s in plan.selectors if (table, s.name, seed) not in kept)
            part = replace(plan, selectors=selectors, datasets=(table,), seeds=(seed,))
            if selectors:
                run_plan(part, ledger_path)
    archive_missing()


def archive_missing() -> None:
    """Keep the curves of what :func:`run_missing` has finished."""
    with Ledger(FOLDER / f"{MORE_SEEDS}.sqlite") as ledger:
        write_archive(ledger, FOLDER / f"{MORE_SEEDS}.npz")


def run_extra(what: str) -> None:
    """Run one more selector on the tables that are here, and keep its curves."""
    plan = load_plan("unseen")
    tables = load_tables(name for name in plan.dataset_names if name not in PAPER)
    if what == "best":
        selectors = (
            SelectorSpec("best of several", "s2fs.baselines.best:best_of_several", {}),
            SelectorSpec(OURS, OURS, {}),
        )
        plan = replace(plan, sizes=(20,))
        shapes = {name: data.X.shape for name, data in tables}
    else:
        selectors = (SelectorSpec("LightGBM gain", "LightGBMGain", {}),)
        shapes = {name: data.X.shape for name, data in tables if is_quick_for_lightgbm(data)}
    ledger_path = FOLDER / f"{what}.sqlite"
    for name in sorted(shapes, key=lambda name: np.prod(shapes[name])):
        run_plan(replace(plan, selectors=selectors, datasets=(name,), seeds=(0,)), ledger_path)
        with Ledger(ledger_path) as ledger:  # what is done stays if a larger table is stopped
            write_archive(ledger, FOLDER / f"{what}.npz")


def is_quick_for_lightgbm(data: Dataset) -> bool:
    """Whether the features times the trees of a round are few enough."""
    n_classes = len(np.unique(data.y))
    return data.X.shape[1] * (n_classes if n_classes > 2 else 1) <= MOST_FOR_LIGHTGBM


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--run",
        choices=("missing", "best", "lightgbm"),
        help="run what is missing, or one more selector",
    )
    options = parser.parse_args()
    if options.run == "missing":
        run_missing()
    elif options.run:
        run_extra(options.run)
    else:
        study = Study()
        fill_page(PAGE, parts(study), SCRIPT)
        fill_page(WHICH, {"measured": measured(study)}, SCRIPT)
        for page in FRONT:
            fill_page(page, {"study": front(study)}, SCRIPT)
        EVERY_TABLE.write_text(every_table(), encoding="utf-8")


if __name__ == "__main__":
    main()
