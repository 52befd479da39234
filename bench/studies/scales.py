"""z-scores or ranges: which scaling of S²FS comes nearer to the paper, and which answers better.

    S2FS_DATA=<folder of .npz files> python bench/studies/scales.py --run
    python bench/studies/scales.py --write-docs

The first command runs S²FS with z-scores on the paper's datasets: the default weighting with three
seeds, also with lengths divided by five, which is the same as weights five times as large; and the
weighting chosen inside the training folds. Ranges are run with two more seeds; the rest of their
results is in ``paper.npz``. Then it runs the sixteen practice tables of the plan ``unseen``. The
curves go to ``bench/results/scales.npz``, ``scales_inside.npz`` and ``unseen_scales.npz``. Stopped,
it goes on where it was. The second command writes the tables into ``docs/reproduction.md``; without
it they are printed.

    S2FS_DATA=<folder of .npz files> python bench/studies/scales.py --run-weights

runs all 81 weightings of the paper with z-scores, and the same nine weights with α = 0, β = 0 and
both, under 5 nearest neighbours alone (``scales_weights.npz``): a quarter of an hour of processor
time, the smallest tables first.

    S2FS_DATA=<folder of .npz files> python bench/studies/scales.py --run-grid

runs every second of these weights, 25 weightings, and no direction at all, under all four learners
(``scales_grid.npz``), the cheapest tables first. The file is written anew whenever a table is
complete.
"""

import argparse
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
from pages import fill_page, plus_minus
from unseen import PRACTICE, Study, difference

from s2fs.criteria.separability import PAPER_GRID
from s2fs_bench import (
    PAPER_DATASETS,
    Archive,
    Ledger,
    SelectorSpec,
    find_dataset,
    iter_results,
    load_plan,
    published_results,
    run_plan,
    write_archive,
)

PAGE = Path(__file__).parents[2] / "docs" / "reproduction.md"
RESULTS = Path(__file__).parents[1] / "results"
SCRIPT = "bench/studies/scales.py"
LEARNERS = ("cart", "knn", "svm", "kmeans")
DEFAULT = (0.0316, 0.0316)
#: The names of the three ways in the results files.
STANDARD, FIFTH, RANGE = "S2FS", "S2FS, z-scores / 5", "S2FS, min–max"
TITLES = {
    STANDARD: "z-scores",
    FIFTH: "z-scores, lengths divided by five",
    RANGE: "scaled to [0, 1]",
}
SELECTORS = {
    STANDARD: SelectorSpec(STANDARD, "S2FS", {}),
    FIFTH: SelectorSpec(FIFTH, "S2FS", {"alpha": 0.158, "beta": 0.158}),
    RANGE: SelectorSpec(RANGE, "S2FS", {"scale": "minmax"}),
}
#: A number of ours is as good as the published one if it is not below it by more than this.
CLOSE = 0.02


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", action="store_true", help="run what is not there yet")
    parser.add_argument("--write-docs", action="store_true", help="write the tables of the page")
    parser.add_argument("--run-weights", action="store_true", help="run all weights under 5-NN")
    parser.add_argument("--run-grid", action="store_true", help="run some under all learners")
    options = parser.parse_args()
    if options.run:
        run()
    if options.run_weights:
        run_weights()
    if options.run_grid:
        run_grid()
    if options.run_weights or options.run_grid:
        return
    for text in parts().values():
        print(text, end="\n\n")
    if options.write_docs:
        fill_page(PAGE, parts(), SCRIPT)


def parts() -> dict[str, str]:
    """Every part of the page that holds numbers, by its mark."""
    return {
        "scales": table_of_distances(),
        "scales, best weighting": table_of_best(),
        "scales on practice tables": table_of_practice(),
    }


def run() -> None:
    """Run every cross-validation that is not in the ledgers yet, and archive the curves."""
    here = tuple(name for name in PAPER_DATASETS if find_dataset(name))
    paper = replace(load_plan("paper"), datasets=here)
    first = (SELECTORS[STANDARD], SELECTORS[FIFTH])
    inside = next(spec for spec in paper.selectors if spec.tune == "inside")
    for seed in (0, 1, 2):
        selectors = first if seed == 0 else (*first, SELECTORS[RANGE])
        run_plan(replace(paper, selectors=selectors, seeds=(seed,)), RESULTS / "scales.sqlite")
    run_plan(
        replace(paper, selectors=(replace(inside, parameters={}),)),
        RESULTS / "scales_inside.sqlite",
    )
    run_plan(
        replace(load_plan("unseen"), selectors=first, datasets=PRACTICE),
        RESULTS / "unseen_scales.sqlite",
    )
    for name in ("scales", "scales_inside", "unseen_scales"):
        with Ledger(RESULTS / f"{name}.sqlite") as ledger:
            write_archive(ledger, RESULTS / f"{name}.npz")


def run_weights() -> None:
    """Run the paper's grid of weights under 5 nearest neighbours, and its margins without any."""
    weights = (0.0, *PAPER_GRID)
    grid = SelectorSpec(STANDARD, "S2FS", {}, alphas=weights, betas=weights)
    run_by_table((grid,), ("knn",), "scales_weights")


def run_grid() -> None:
    """Run every second weight under all four learners, and S²FS without its directions."""
    grid = SelectorSpec(STANDARD, "S2FS", {}, alphas=PAPER_GRID[::2], betas=PAPER_GRID[::2])
    none = SelectorSpec("S2-DWC-DBS", "S2FS", {}, alphas=(0.0,), betas=(0.0,))
    run_by_table((none, grid), LEARNERS, "scales_grid")


def run_by_table(selectors: tuple[SelectorSpec, ...], learners: tuple[str, ...], name: str) -> None:
    """Run selectors on one table after the other, and archive what is complete."""
    paper = replace(load_plan("paper"), selectors=selectors, learners=learners)
    for dataset in sorted(filter(find_dataset, PAPER_DATASETS), key=number_of_predictions):
        run_plan(replace(paper, datasets=(dataset,)), RESULTS / f"{name}.sqlite")
        with Ledger(RESULTS / f"{name}.sqlite") as ledger:
            write_archive(ledger, RESULTS / f"{name}.npz")


def number_of_predictions(name: str) -> int:
    """What the learners' time grows with: samples to learn from × samples × classes."""
    info = PAPER_DATASETS[name]
    return info.n_samples**2 * len(info.class_names)


def gaps(results) -> np.ndarray:  # type: ignore[no-untyped-def, type-arg]
    """Ours − published of every learner and both statistics, over the datasets."""
    published = published_results()
    return np.array(
        [
            getattr(result.curves[learner], statistic)
            - published[learner, statistic, result.run.dataset_title, "S2FS"]
            for result in results
            for learner in LEARNERS
            for statistic in ("max", "ave")
        ]
    ).round(4)


def distances() -> dict[str, dict[object, np.ndarray]]:  # type: ignore[type-arg]
    """Ours − published by scaling, and by the seed of the folds or how the weights were set."""
    groups: dict[tuple[str, object], list] = {}  # type: ignore[type-arg]
    with Archive(RESULTS / "scales.npz") as archive:
        for result in iter_results(archive):
            groups.setdefault((result.selector.name, result.run.seed), []).append(result)
    with Archive(RESULTS / "scales_inside.npz") as archive:
        groups[STANDARD, "inside"] = list(iter_results(archive))
    with Archive(RESULTS / "paper.npz") as archive:
        ours = [r for r in iter_results(archive) if r.selector.name == "S2FS"]
    groups[RANGE, 0] = [r for r in ours if r.weights == DEFAULT]
    groups[RANGE, "inside"] = [r for r in ours if r.weights is None]
    found: dict[str, dict[object, np.ndarray]] = {}  # type: ignore[type-arg]
    for (name, way), results in groups.items():
        found.setdefault(name, {})[way] = gaps(results)
    return found


def describe(gap: np.ndarray | None) -> str:  # type: ignore[type-arg]
    """The distance, and how many numbers are at most 0.02 below the paper."""
    if gap is None:
        return "not run"
    return f"{np.sqrt((gap**2).mean()):.4f} ({(gap >= -CLOSE).sum()})"


def table_of_distances() -> str:
    """Distances to the published numbers, by scaling."""
    lines = [
        "| S²FS | default weights, seed 0 | seed 1 | seed 2 | weights chosen inside, seed 0 |",
        "|---|---|---|---|---|",
    ]
    for name, by_way in distances().items():
        cells = [describe(by_way.get(way)) for way in (0, 1, 2, "inside")]
        lines.append(f"| {TITLES[name]} | {' | '.join(cells)} |")
    return "\n".join(lines)


def table_of_best() -> str:
    """Distances with weightings chosen on the test results, the same 25 with both scalings."""
    with Archive(RESULTS / "scales_grid.npz") as archive:
        standard = [result for result in iter_results(archive) if result.selector.name == "S2FS"]
    tables = {result.run.dataset for result in standard}
    weightings = {result.weights for result in standard}
    with Archive(RESULTS / "paper.npz") as archive:
        ranges = [
            result
            for result in iter_results(archive)
            if result.selector.name == "S2FS"
            and result.run.dataset in tables
            and result.weights in weightings
        ]
    lines = [
        "| S²FS | default weights | one weighting for each dataset | the best for each number |",
        "|---|---|---|---|",
    ]
    for name, results in ((STANDARD, standard), (RANGE, ranges)):
        by_table: dict[str, dict[object, np.ndarray]] = {}  # type: ignore[type-arg]
        for result in results:
            by_table.setdefault(result.run.dataset, {})[result.weights] = gaps([result])
        ways = (
            lambda grid: grid[DEFAULT],
            lambda grid: max(grid.values(), key=np.sum),
            lambda grid: np.max(list(grid.values()), axis=0),
        )
        cells = [describe(np.concatenate([way(g) for g in by_table.values()])) for way in ways]
        lines.append(f"| {TITLES[name]} | {' | '.join(cells)} |")
    titles = [PAPER_DATASETS[name].title for name in PAPER_DATASETS if name in tables]
    on = f"{', '.join(titles)}: {len(titles)} tables, {2 * len(LEARNERS) * len(titles)} numbers."
    return "\n".join([*lines, "", on])


def table_of_practice() -> str:
    """Balanced accuracy on the sixteen practice tables, and differences to ranges."""
    study = Study(selectors=tuple(TITLES))
    scores = dict(zip(study.selectors, study.matrix(PRACTICE).T, strict=True))
    lines = [
        "| S²FS | balanced accuracy, % | minus [0, 1], points | better on |",
        "|---|---|---|---|",
    ]
    for name, title in TITLES.items():
        mean, half = difference(scores[name], scores[RANGE])
        better = int((scores[name].round(1) > scores[RANGE].round(1)).sum())
        gap = "" if name == RANGE else plus_minus(mean, half, 1)
        wins = "" if name == RANGE else f"{better} of {len(PRACTICE)}"
        lines.append(f"| {title} | {scores[name].mean():.1f} | {gap} | {wins} |")
    return "\n".join(lines)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
