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
"""

import argparse
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
from pages import fill_page
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
    parser.add_argument("--run-weights", action="store_true", help="run the grid of weights")
    options = parser.parse_args()
    if options.run:
        run()
    if options.run_weights:
        run_weights()
        return
    for text in parts().values():
        print(text, end="\n\n")
    if options.write_docs:
        fill_page(PAGE, parts(), SCRIPT)


def parts() -> dict[str, str]:
    """Every part of the page that holds numbers, by its mark."""
    return {"scales": table_of_distances(), "scales on practice tables": table_of_practice()}


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
    """Run the paper's grid of weights with z-scores, and its margins without a direction."""
    weights = (0.0, *PAPER_GRID)
    grid = SelectorSpec(STANDARD, "S2FS", {}, alphas=weights, betas=weights)
    paper = replace(load_plan("paper"), selectors=(grid,), learners=("knn",))
    for name in sorted(filter(find_dataset, PAPER_DATASETS), key=number_of_terms):
        run_plan(replace(paper, datasets=(name,)), RESULTS / "scales_weights.sqlite")
    with Ledger(RESULTS / "scales_weights.sqlite") as ledger:
        write_archive(ledger, RESULTS / "scales_weights.npz")


def number_of_terms(name: str) -> int:
    """What a step of the search adds up: samples × features × classes."""
    info = PAPER_DATASETS[name]
    return info.n_samples * info.n_features * len(info.class_names)


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
        gap = "" if name == RANGE else f"{mean:+.1f} ± {half:.1f}"
        wins = "" if name == RANGE else f"{better} of {len(PRACTICE)}"
        lines.append(f"| {title} | {scores[name].mean():.1f} | {gap} | {wins} |")
    return "\n".join(lines)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
