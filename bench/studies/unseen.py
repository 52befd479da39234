"""The study on unseen tables: from the kept results to the numbers of docs/unseen.md.

The results come from ``S2FS_DATA=… s2fs bench run unseen --results unseen.sqlite`` and are kept by
``s2fs bench archive unseen.sqlite --out bench/results/unseen.npz``. All files of that folder whose
names begin with ``unseen`` are read, so that tables, selectors and seeds can be added. ``python
bench/studies/unseen.py`` writes the tables of the page anew, between its marks, and a part of
docs/which.md; nothing is computed but means, ranks and intervals. A table counts once every
selector of the plan has run on it.

``S2FS_DATA=… python bench/studies/unseen.py --run missing`` runs what the plan has and these files
have not (``unseen_seeds.npz``), small tables first. Stopped, it goes on where it was, and what was
finished can be archived at any time.

``S2FS_DATA=… python bench/studies/unseen.py --run best`` adds the best of several selectors, chosen
inside the training folds, at 20 features (``best.npz``); ``--run lightgbm`` adds the gain of
LightGBM, on tables on which that does not take too long (``lightgbm.npz``).
"""

import argparse
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
    LEARNER_TITLES,
    Ledger,
    Result,
    SelectorSpec,
    average_ranks,
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
FOLDER = ROOT / "bench" / "results"
RESULTS = sorted(FOLDER.glob("unseen*.npz"))
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


def others_than_the_papers(study: Study) -> list[str]:
    """The tables that the paper does not use: those of the first table of the page."""
    return [table for table in study.tables if table not in PAPER]


def in_order(study: Study) -> list[int]:
    """The selectors by their average rank on these tables, the best first."""
    scores = study.matrix(others_than_the_papers(study))
    ranks = average_ranks(scores.round(1))  # a tenth of a point is a tie
    return np.argsort(ranks, kind="stable").tolist()


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
            means = [of_ours.matrix(tables).mean() for tables in everywhere.values()]
            rows.append([OURS, *(f"{mean:.1f} %" for mean in means)])
            continue
        both = beside_ours(study.selectors[j])
        cells = []
        for name, tables in split(both).items():
            if len(tables) < 2:
                cells.append("not run")
                continue
            scores = both.matrix(tables)
            mean, half = difference(scores[:, 1], scores[:, 0])
            left_out = len(everywhere[name]) - len(tables)
            on = f" ({len(tables)} of them)" if left_out else ""
            cells.append(plus_minus(mean, half, 1) + on)
        rows.append([study.selectors[j], *cells])
    return markdown(["selector", *heads], rows)


def overall(study: Study, tables: Sequence[str]) -> str:
    """Ranks, differences, stability and cost on some tables, the best rank first."""
    scores = study.matrix(tables)
    shown = scores.round(1)  # a tenth of a point is a tie
    ours = study.selectors.index(OURS)
    ranks = average_ranks(shown)
    rows = []
    for j in np.argsort(ranks, kind="stable"):
        mean, half = difference(scores[:, j], scores[:, ours])
        wins, ties, losses = (
            int(op(shown[:, ours], shown[:, j]).sum()) for op in (np.greater, np.equal, np.less)
        )
        stable = np.mean([study.at_size("stabilities", t, study.selectors[j], 20) for t in tables])
        seconds = [study.seconds(t, study.selectors[j]) for t in tables]
        rows.append(
            [
                study.selectors[j],
                f"{ranks[j]:.1f}",
                f"{scores[:, j].mean():.1f}",
                "" if j == ours else plus_minus(mean, half, 1),
                "" if j == ours else f"{wins} / {ties} / {losses}",
                f"{stable:.2f}",
                f"{1000 * np.median(seconds):.0f}",
                f"{1000 * max(seconds):.0f}",
            ]
        )
    heads = [
        "selector", "average rank", "balanced accuracy, %", f"minus {OURS}, points",
        f"{OURS} wins / ties / loses", "stability", "ms, median", "ms, largest",
    ]  # fmt: skip
    return markdown(heads, rows)


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
        scores = both.matrix(tables)
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
    """The tables on which ours loses most to the best selector there, in points."""
    lost = []
    for table, row in zip(study.tables, study.matrix(study.tables), strict=True):
        best = int(row.argmax())
        behind = row[best] - row[study.selectors.index(OURS)]
        lost.append((float(behind), study.titles[table], study.selectors[best]))
    return sorted(lost, reverse=True)[:n_tables]


def findings(study: Study) -> str:
    """What the intervals say of each selector beside ours, and where ours loses most."""
    lines = []
    for split in (groups_of, classes_of):
        for group, tables in split(Study(selectors=[OURS])).items():
            said = say_verdicts(sort_by_verdict(study, split, group), OURS)
            lines.append(f"* **{group[0].upper()}{group[1:]}** ({len(tables)} tables). {said}.")
    both = Study(selectors=["S2FS", "ANOVA F"])
    kinds = {"practice and unseen": others_than_the_papers(both), **groups_of(both)}
    said = []
    for group in ("practice and unseen", "unseen"):
        scores = both.matrix(kinds[group])
        mean, half = difference(scores[:, 0], scores[:, 1])
        words = f"{in_words(mean, half)} it on {len(scores)} {group} tables"
        said.append(f"{words} ({plus_minus(mean, half, 1)} points)")
    lines.append(f"* **S²FS as published beside ANOVA F**: {', '.join(said)}.")
    worst = [f"{table} ({lost:.1f} points behind {best})" for lost, table, best in losses(study)]
    lines.append(f"* Where {OURS} loses most to the best selector of a table: {', '.join(worst)}.")
    return "\n".join(lines)


def measured(study: Study) -> str:
    """What docs/which.md says of the study: the ranks, who is as good, and where ours loses."""
    tables = others_than_the_papers(study)
    ranks = average_ranks(study.matrix(tables).round(1))
    order = in_order(study)
    names = [study.selectors[j] for j in order]
    place = names.index(OURS) + 1
    best = "the best average rank" if place == 1 else f"average rank number {place}"
    after = [f"{study.selectors[j]} ({ranks[j]:.1f})" for j in order if study.selectors[j] != OURS]
    rank_of = dict(zip(study.selectors, ranks, strict=True))
    lines = [
        f"On {len(tables)} tables of [the study](unseen.md) (`{SCRIPT}`; mean over four learners "
        f"and 10, 20 and 50 features) `{OURS}` has {best} of {len(names)} selectors, "
        f"{rank_of[OURS]:.1f}; next come {', '.join(after[:3])}. S²FS as published has "
        f"{rank_of['S2FS']:.1f} with z-scores and {rank_of['S2FS, min–max']:.1f} scaled to [0, 1]."
    ]
    for split, group, title in (
        (groups_of, "unseen", "Tables that took no part in any choice"),
        (classes_of, "two classes", "Two classes"),
        (classes_of, "more than five", "More than five classes"),
    ):
        said = say_verdicts(sort_by_verdict(study, split, group), f"`{OURS}`")
        lines.append(f"* **{title}.** {said}.")
    text = "\n".join([lines[0], "", *lines[1:]])
    rows = [[table, best, f"{lost:.1f} points"] for lost, table, best in losses(study)]
    table = markdown(["table", f"better than `{OURS}` there", "by"], rows)
    return f"{text}\n\n{table}\n\n{describe_cells()}"


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


def by_learner_and_size(study: Study) -> str:
    """Mean scores for each learner (sizes 10, 20, 50) and for each size (all learners)."""
    tables = others_than_the_papers(study)
    by = {LEARNER_TITLES[one]: study.matrix(tables, [one]).mean(axis=0) for one in study.learners}
    # Tables with fewer than k features do not count for k.
    by |= {f"k = {k}": np.nanmean(study.matrix(tables, sizes=[k]), axis=0) for k in study.sizes}
    rows = [
        [study.selectors[j], *(f"{values[j]:.1f}" for values in by.values())]
        for j in in_order(study)
    ]
    return markdown(["selector", *by], rows)


def every_table(study: Study) -> str:
    """Each table: means over the learners and the sizes 10, 20, 50."""
    alone = {name: Study(selectors=[name]) for name in study.selectors}
    rows = []
    for tables in groups_of(alone[OURS]).values():
        for table in sorted(tables):
            scores = {
                name: float(one.matrix([table])[0, 0].round(1))
                for name, one in alone.items()
                if table in one.tables
            }
            best = max(scores.values())
            cells = []
            for name in study.selectors:
                value = f"{scores[name]:.1f}" if name in scores else "–"
                cells.append(f"**{value}**" if scores.get(name) == best else value)
            rows.append([alone[OURS].titles[table], *cells])
    return markdown(["table", *study.selectors], rows)


def describe_run(study: Study) -> str:
    """What the numbers of the page rest on."""
    plan = load_plan("unseen")
    alone = {name: Study(selectors=[name]) for name in study.selectors}
    missing = [name for name in plan.dataset_names if name not in alone[OURS].tables]
    lines = [
        f"{len(study.selectors)} selectors, {study.n_folds} folds. On "
        f"{len(others_than_the_papers(study))} practice and unseen tables all selectors have run "
        "with at least one seed in common; the first table below is of these. "
        f"Not run at all: {', '.join(missing) or 'none'}. Tables and seeds of each selector:",
        "",
        markdown(
            ["selector", *(f"{n} seed{'s' * (n > 1)}" for n in (3, 2, 1))],
            [
                [
                    name,
                    *(str(sum(len(s) == n for s in one.seeds.values())) for n in (3, 2, 1)),
                ]
                for name, one in alone.items()
            ],
        ),
    ]
    return "\n".join(lines)


def compare_extra(name: str, file: str, size_list: Sequence[int]) -> str:
    """One more selector, whose results are in a file of its own, against ours."""
    path = FOLDER / file
    if not path.exists():
        return "Not run."
    mine = Study([path], [name])
    extra = Study([path, *RESULTS], [OURS, name])
    rows = []
    together = {"practice and unseen": others_than_the_papers(extra)}
    for group, tables in {**together, **groups_of(extra), **classes_of(extra)}.items():
        if len(tables) < 2:
            continue
        scores = extra.matrix(tables, sizes=size_list)
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
    scores = extra.matrix(extra.tables, sizes=size_list)
    gap = scores[:, 1] - scores[:, 0]
    worst = [f"{extra.titles[extra.tables[i]]} ({signed(gap[i], 1)})" for i in gap.argsort()[:2]]
    return f"{markdown(heads, rows)}\n\nIt loses most on {' and '.join(worst)}."


def parts(study: Study) -> dict[str, str]:
    """Every part of the page that holds numbers, by its mark."""
    tables = others_than_the_papers(study)
    return {
        "run": describe_run(study),
        "overall": overall(study, tables),
        "two classes": overall(study, [table for table in tables if table in TWO_CLASSES]),
        "more classes": overall(study, [table for table in tables if table not in TWO_CLASSES]),
        "groups": compare_groups(study, groups_of),
        "classes": compare_groups(study, classes_of),
        "findings": findings(study),
        "best": compare_extra("best of several", "best.npz", (20,)),
        "lightgbm": compare_extra("LightGBM gain", "lightgbm.npz", SIZES),
        "learners": by_learner_and_size(study),
        "tables": every_table(study),
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


if __name__ == "__main__":
    main()
