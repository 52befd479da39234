"""What the paper claims, and what we find: docs/reproduction.md, from committed results.

    python bench/studies/claims.py

writes every number of the page; nothing is run. Three results files are of this page alone, and

    S2FS_DATA=<folder of .npz files> python bench/studies/claims.py --run

makes them: ``direction.npz``, S²FS with α = β = 0 on the practice tables of the plan ``unseen``;
``large_weights.npz``, the same with a large α or β; and ``faces.csv``, the first 50 pixels that are
selected on all samples of the four sets of faces. Stopped, it goes on where it was.
Intervals are 95 % intervals of the mean over datasets, by Student's t.
"""

import argparse
import csv
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from pages import fill_page, in_words, plus_minus
from reproduction import FAIR, other, place_in_plan
from unseen import PRACTICE, Study, difference, markdown

from s2fs import S2FS, PairCover
from s2fs_bench import (
    LEARNER_TITLES,
    PAPER_DATASETS,
    Archive,
    Ledger,
    SelectorSpec,
    build_tables,
    find_dataset,
    iter_results,
    load_dataset,
    load_plan,
    run_plan,
    write_archive,
)

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reproduction.md"
RESULTS = ROOT / "bench" / "results"
SCRIPT = "bench/studies/claims.py"
DEFAULT = (0.0316, 0.0316)
#: The largest weight that the paper recommends.
RECOMMENDED = 0.0562
FACES = ("yale", "orl", "warpar10p", "warppie10p")
N_PIXELS, BORDER = 50, 2
#: S²FS without its two directions, in the results files.
NO_DIRECTION = {"S2FS": "S2FS, no direction", "S2FS, min–max": "S2FS, min–max, no direction"}
SCALES = {"S2FS": "z-scores", "S2FS, min–max": "scaled to [0, 1]"}
#: Large weights that are run on the practice tables, one at a time.
LARGE = {"β = 0.1778": {"beta": 0.1778}, "α = 0.5623": {"alpha": 0.5623}}

PAPER_LEARNERS = ("cart", "knn", "svm", "kmeans")

Scores = dict[str, dict[tuple[float, float], float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", action="store_true", help="make the files of this page")
    if parser.parse_args().run:
        run_without_direction()
        run_large_weights()
        select_pixels()
    fill_page(PAGE, parts(), SCRIPT)


def parts() -> dict[str, str]:
    """Every part of the page that holds numbers, by its mark."""
    with Archive(RESULTS / "paper.npz") as archive:
        archive.results.sort(key=place_in_plan)
        found = list(iter_results(archive))
    with Archive(RESULTS / "scales_grid.npz") as archive:
        some_weights = list(iter_results(archive))
    return {
        "direction": describe_direction(found, some_weights),
        "weights": describe_weights(mean_scores(found, "S2FS")),
        "weights with z-scores": describe_weights(mean_scores(some_weights, "S2FS")),
        "weights on other tables": describe_large_weights(),
        "better": describe_comparison(found),
        "faces": describe_faces(),
        "enough": describe_enough(found),
        "few features": describe_few_features(),
    }


def run_without_direction() -> None:
    """S²FS with α = β = 0 on the practice tables, with both scalings."""
    selectors = tuple(
        SelectorSpec(name, "S2FS", {"alpha": 0.0, "beta": 0.0, "scale": scale})
        for name, scale in zip(NO_DIRECTION.values(), ("standard", "minmax"), strict=True)
    )
    run_on_practice(selectors, "direction")


def run_large_weights() -> None:
    """S²FS with one large weight on the practice tables, with both scalings."""
    run_on_practice(
        tuple(
            SelectorSpec(f"{name}, {title}", "S2FS", {**weights, "scale": scale})
            for name, scale in zip(SCALES, ("standard", "minmax"), strict=True)
            for title, weights in LARGE.items()
        ),
        "large_weights",
    )


def run_on_practice(selectors: tuple[SelectorSpec, ...], name: str) -> None:
    """Run selectors on the practice tables, one seed after the other, and keep the curves."""
    plan = replace(load_plan("unseen"), selectors=selectors, datasets=PRACTICE)
    for seed in plan.seeds:
        run_plan(replace(plan, seeds=(seed,)), RESULTS / f"{name}.sqlite")
        with Ledger(RESULTS / f"{name}.sqlite") as ledger:
            write_archive(ledger, RESULTS / f"{name}.npz")


def select_pixels() -> None:
    """The first pixels of each set of faces, selected on all samples."""
    selectors = {
        "S2FS, z-scores": S2FS(N_PIXELS),
        "S2FS, min–max": S2FS(N_PIXELS, scale="minmax"),
        "PairCover": PairCover(N_PIXELS),
    }
    with (RESULTS / "faces.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("dataset", "selector", "rank", "row", "column"))
        for name in FACES:
            if not find_dataset(name):
                continue
            data, info = load_dataset(name), PAPER_DATASETS[name]
            for title, selector in selectors.items():
                pixels = selector.fit(np.asarray(data.X, dtype=np.float64), data.y).indices_
                places = np.unravel_index(pixels, info.image_shape, order=info.image_order)
                for rank, (row, column) in enumerate(zip(*places, strict=True), 1):
                    writer.writerow((name, title, rank, row, column))


def mean_scores(
    found: Iterable,  # type: ignore[type-arg]
    selector: str,
    learners: Iterable[str] = PAPER_LEARNERS,
) -> Scores:
    """The average over the sizes, mean over the learners, by dataset and weights."""
    scores: Scores = {}
    for result in found:
        if result.selector.name == selector and result.weights is not None:
            averages = [result.curves[learner].ave for learner in learners]
            scores.setdefault(result.run.dataset, {})[result.weights] = float(np.mean(averages))
    return {name: scores[name] for name in PAPER_DATASETS if name in scores}


def interval(gaps: Iterable[float], digits: int = 4) -> str:
    """A mean with half its 95 % interval."""
    return plus_minus(*mean_and_half(gaps), digits)


def mean_and_half(gaps: Iterable[float]) -> tuple[float, float]:
    """A mean over the datasets and half its 95 % interval."""
    values = np.array(list(gaps))
    return difference(values, np.zeros_like(values))


def verdict(gaps: Iterable[float]) -> str:
    """What the interval says in words; the gaps are shares."""
    return in_words(*(100 * value for value in mean_and_half(gaps)))


def describe_direction(found: list, some_weights: list) -> str:  # type: ignore[type-arg]
    """Default weights against none, on the paper's tables and on others."""
    rows = []
    by_ranges = {table: grid[DEFAULT] for table, grid in mean_scores(found, "S2FS").items()}
    for with_it, results, name in (
        (by_ranges, found, "S2FS, min–max"),
        (defaults_with_z_scores(), some_weights, "S2FS"),
    ):
        without = mean_scores(results, "S2-DWC-DBS")
        gap = np.array([with_it[table] - grid[0.0, 0.0] for table, grid in without.items()])
        on = f"{len(gap)} of the paper's tables, four learners, 1 to 150 features"
        rows.append([on, SCALES[name], *describe_gap(gap)])
    paths = [*sorted(RESULTS.glob("unseen*.npz")), RESULTS / "direction.npz"]
    for name, without_it in NO_DIRECTION.items():
        study = Study(paths, [name, without_it])
        tables = [table for table in PRACTICE if table in study.tables]
        scores = study.matrix(tables)
        on = f"{len(tables)} other tables, four learners, 10, 20 and 50 features"
        rows.append([on, SCALES[name], *describe_gap((scores[:, 0] - scores[:, 1]) / 100)])
    heads = ["tables", "S²FS", "default weights minus α = β = 0", "better on", "in words"]
    return markdown(heads, rows)


def defaults_with_z_scores() -> dict[str, float]:
    """The average over the sizes, mean over the learners, with default weights and z-scores."""
    with Archive(RESULTS / "scales.npz") as archive:
        return {
            result.run.dataset: float(np.mean([result.curves[x].ave for x in PAPER_LEARNERS]))
            for result in iter_results(archive)
            if (result.selector.name, result.run.seed) == ("S2FS", 0)
        }


def describe_gap(gap) -> list[str]:  # type: ignore[no-untyped-def]
    """The mean with its interval, on how many tables it is above 0, and the verdict."""
    return [interval(gap), f"{(gap > 0).sum()} of {len(gap)}", verdict(gap)]


def describe_large_weights() -> str:
    """What one large weight costs on the practice tables."""
    paths = [*sorted(RESULTS.glob("unseen*.npz")), RESULTS / "large_weights.npz"]
    rows = []
    for name, scale in SCALES.items():
        for title in LARGE:
            study = Study(paths, [f"{name}, {title}", name])
            tables = [table for table in PRACTICE if table in study.tables]
            scores = study.matrix(tables)
            gap = (scores[:, 0] - scores[:, 1]) / 100
            n_seeds = min(len(study.seeds[table]) for table in tables)
            rows.append([scale, title, str(len(tables)), str(n_seeds), *describe_gap(gap)])
    heads = ["S²FS", "weight", "tables", "seeds", "minus the default weights", "better on",
             "in words"]  # fmt: skip
    return markdown(heads, rows)


def describe_weights(scores: Scores) -> str:
    """What larger weights cost, and where the best weighting lies."""
    values = sorted({beta for grid in scores.values() for _, beta in grid})
    values.remove(DEFAULT[0])
    at = {
        "α": lambda value: (value, DEFAULT[1]),
        "β": lambda value: (DEFAULT[0], value),
    }
    gaps = {
        (which, value): [grid[pair(value)] - grid[DEFAULT] for grid in scores.values()]
        for which, pair in at.items()
        for value in values
    }
    rows = [[f"{v:g}", *(interval(gaps[which, v]) for which in at)] for v in values]
    table = markdown(["weight", "as α, with β = 0.0316", "as β, with α = 0.0316"], rows)
    missing = [name for name in PAPER_DATASETS if name not in scores and name != "lung"]
    said = []
    if missing:
        titles = " and ".join(PAPER_DATASETS[name].title for name in missing)
        said.append(f"* On {len(scores)} datasets. Not run: {titles}.")
    for which in at:
        by_word: dict[str, list[str]] = {}
        for value in values:
            by_word.setdefault(verdict(gaps[which, value]), []).append(f"{value:g}")
        words = "; ".join(f"{word} the default: {', '.join(of)}" for word, of in by_word.items())
        said.append(f"* As {which}, {words}.")
    best = {name: max(grid, key=lambda pair: grid[pair]) for name, grid in scores.items()}
    outside = [name for name, pair in best.items() if max(pair) > RECOMMENDED]
    where = ", ".join(
        f"{PAPER_DATASETS[name].title} ({pair[0]:g}, {pair[1]:g})" for name, pair in best.items()
    )
    said.append(
        f"* The best weighting (α, β) of each dataset, chosen on the test results: {where}. It "
        f"lies outside the recommended box on {len(outside)} of {len(best)}."
    )
    return f"{table}\n\nBy these intervals:\n\n" + "\n".join(said)


def describe_comparison(found: list) -> str:  # type: ignore[type-arg]
    """By how much S²FS is ahead of each baseline with fair lists."""
    fair = [other(table, RESULTS / "fidelity.csv", FAIR) for table in build_tables(found)]
    rows = []
    names = [column for column in fair[0].columns if column.algorithm != "S2FS"]
    for column in names:
        cells = []
        for way in ("inside", "best"):
            gaps = [by_column(t, "S2FS", way) - by_column(t, column.algorithm) for t in fair]
            gap = np.nanmean(gaps, axis=0)  # over learners and both statistics
            cells += [interval(gap, 3), verdict(gap)]
        rows.append([column.heading, *cells])
    heads = ["baseline, fair list", "S²FS chosen inside, minus it", "in words",
             "best weighting, minus it", "in words"]  # fmt: skip
    return markdown(heads, rows)


def by_column(table, algorithm, how=None):  # type: ignore[no-untyped-def]
    """Our numbers of one algorithm, over the datasets."""
    for j, column in enumerate(table.columns):
        if column.algorithm == algorithm and how in (None, column.how):
            return table.ours[:, j]
    raise ValueError(f"The table has no column of {algorithm!r}, {how!r}.")


def describe_faces() -> str:
    """How many of the first pixels lie at the border of the pictures."""
    with (RESULTS / "faces.csv").open(newline="", encoding="utf-8") as file:
        pixels = list(csv.DictReader(file))
    names = list(dict.fromkeys(pixel["selector"] for pixel in pixels))
    rows = []
    for dataset in dict.fromkeys(pixel["dataset"] for pixel in pixels):
        info = PAPER_DATASETS[dataset]
        height, width = info.image_shape or (0, 0)
        cells = []
        for name in names:
            mine = [p for p in pixels if (p["dataset"], p["selector"]) == (dataset, name)]
            places = np.array([[int(p["row"]), int(p["column"])] for p in mine])
            to_edge = np.minimum(places, np.array([height, width]) - 1 - places).min(axis=1)
            cells.append(f"{100 * (to_edge < BORDER).mean():.0f} %")
        area = 1 - (height - 2 * BORDER) * (width - 2 * BORDER) / (height * width)
        rows.append([info.title, *cells, f"{100 * area:.0f} %"])
    return markdown(["faces", *names, "of all pixels"], rows)


def describe_enough(found: list) -> str:  # type: ignore[type-arg]
    """The first size at which the mean over the learners is near to its best."""
    of = {r.run.dataset: r for r in found if r.selector.name == "S2FS" and r.how == "inside"}
    rows = []
    for name in filter(of.get, PAPER_DATASETS):
        result = of[name]
        curve = np.mean([result.curves[learner].values for learner in PAPER_LEARNERS], axis=0)
        sizes = [result.run.sizes[np.argmax(curve >= curve.max() - gap)] for gap in (0.02, 0.01)]
        info = PAPER_DATASETS[name]
        classes = str(len(info.class_names))
        rows.append([info.title, classes, *map(str, sizes), f"{curve.max():.3f}"])
    return markdown(["dataset", "classes", "within 0.02", "within 0.01", "best"], rows)


def describe_few_features() -> str:
    """Isolet with few features, beside features in random order."""
    names = ["S2FS", "S2FS, min–max", "PairCover", "random order"]
    study = Study(selectors=names)
    if "isolet" not in study.tables:
        study = Study(selectors=names[1:])
    rows = []
    for learner in study.learners:
        for size in (10, 20, 50):
            cells = [study.score("isolet", name, [learner], [size]) for name in study.selectors]
            rows.append([LEARNER_TITLES[learner], str(size), *(f"{cell:.1f}" for cell in cells)])
    heads = ["learner", "features", *study.selectors]
    return markdown(heads, rows)


if __name__ == "__main__":
    main()
