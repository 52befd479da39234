"""What the paper claims, and what we find: docs/claims.md, from committed results.

    python bench/studies/claims.py

writes every number of the page; nothing is run. Two results files are of this page alone, and

    S2FS_DATA=<folder of .npz files> python bench/studies/claims.py --run

makes them: ``direction.npz``, S²FS with α = β = 0 on the practice tables of the plan ``unseen``,
and ``faces.csv``, the first 50 pixels that are selected on all samples of the four sets of faces.
Intervals are 95 % intervals of the mean over datasets, by Student's t.
"""

import argparse
import csv
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from pages import fill_page
from reproduction import FAIR, compared, other, place_in_plan
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
    published_results,
    run_plan,
    write_archive,
)

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "claims.md"
RESULTS = ROOT / "bench" / "results"
SCRIPT = "bench/studies/claims.py"
DEFAULT = (0.0316, 0.0316)
#: A number of ours is as good as the published one if it is not below it by more than this.
CLOSE = 0.02
#: The largest weight that the paper recommends.
RECOMMENDED = 0.0562
FACES = ("yale", "orl", "warpar10p", "warppie10p")
N_PIXELS, BORDER = 50, 2
#: S²FS without its two directions, in the results files.
NO_DIRECTION = {"S2FS": "S2FS, no direction", "S2FS, min–max": "S2FS, min–max, no direction"}
SCALES = {"S2FS": "z-scores", "S2FS, min–max": "scaled to [0, 1]"}

PAPER_LEARNERS = ("cart", "knn", "svm", "kmeans")

Scores = dict[str, dict[tuple[float, float], float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", action="store_true", help="make the files of this page")
    if parser.parse_args().run:
        run_without_direction()
        select_pixels()
    fill_page(PAGE, parts(), SCRIPT)


def parts() -> dict[str, str]:
    """Every part of the page that holds numbers, by its mark."""
    with Archive(RESULTS / "paper.npz") as archive:
        archive.results.sort(key=place_in_plan)
        found = list(iter_results(archive))
    with Archive(RESULTS / "scales_weights.npz") as archive:
        grids = mean_scores(iter_results(archive), "S2FS", ["knn"])
    with_z_scores = {name: grids[name] for name in PAPER_DATASETS if name in grids}
    return {
        "direction": describe_direction(found, with_z_scores),
        "weights": describe_weights(mean_scores(found, "S2FS")),
        "weights with z-scores": describe_weights(without_zeros(with_z_scores)),
        "weights by scaling": compare_scalings(found, with_z_scores),
        "better": describe_comparison(found),
        "faces": describe_faces(),
        "few features": describe_few_features(),
    }


def run_without_direction() -> None:
    """S²FS with α = β = 0 on the practice tables, with both scalings."""
    selectors = tuple(
        SelectorSpec(name, "S2FS", {"alpha": 0.0, "beta": 0.0, "scale": scale})
        for name, scale in zip(NO_DIRECTION.values(), ("standard", "minmax"), strict=True)
    )
    plan = replace(load_plan("unseen"), selectors=selectors, datasets=PRACTICE)
    run_plan(plan, RESULTS / "direction.sqlite")
    with Ledger(RESULTS / "direction.sqlite") as ledger:
        write_archive(ledger, RESULTS / "direction.npz")


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
    return scores


def interval(gaps: Iterable[float], digits: int = 4) -> str:
    """A mean with half its 95 % interval."""
    values = np.array(list(gaps))
    mean, half = difference(values, np.zeros_like(values))
    return f"{mean:+.{digits}f} ± {half:.{digits}f}"


def without_zeros(scores: Scores) -> Scores:
    """The weightings in which both directions count."""
    return {
        name: {pair: score for pair, score in grid.items() if min(pair) > 0}
        for name, grid in scores.items()
    }


def describe_direction(found: list, with_z_scores: Scores) -> str:  # type: ignore[type-arg]
    """Default weights against none, on the paper's tables and on others."""
    with_it, without = (mean_scores(found, name) for name in ("S2FS", "S2-DWC-DBS"))
    gaps = [with_it[name][DEFAULT] - without[name][0.0, 0.0] for name in with_it]
    gaps_z = [grid[DEFAULT] - grid[0.0, 0.0] for grid in with_z_scores.values()]
    rows = [
        [f"{len(of)} of the paper's tables, {learners}, 1 to 150 features", SCALES[name],
         f"{interval(of)}", f"{sum(g > 0 for g in of)} of {len(of)}"]
        for of, learners, name in (
            (gaps, "four learners", "S2FS, min–max"), (gaps_z, "5-NN", "S2FS"),
        )
    ]  # fmt: skip
    paths = [*sorted(RESULTS.glob("unseen*.npz")), RESULTS / "direction.npz"]
    for name, without_it in NO_DIRECTION.items():
        study = Study(paths, [name, without_it])
        tables = [table for table in PRACTICE if table in study.tables]
        scores = study.matrix(tables)
        gap = (scores[:, 0] - scores[:, 1]) / 100
        rows.append(
            [f"{len(tables)} other tables, four learners, 10, 20 and 50 features", SCALES[name],
             interval(gap), f"{(gap > 0).sum()} of {len(gap)}"]
        )  # fmt: skip
    heads = ["tables", "S²FS", "default weights minus α = β = 0", "better on"]
    return markdown(heads, rows)


def compare_scalings(found: list, with_z_scores: Scores) -> str:  # type: ignore[type-arg]
    """5 nearest neighbours: ours minus the published average, by scaling and weighting."""
    by_scaling = {
        "scaled to [0, 1]": mean_scores(found, "S2FS", ["knn"]),
        "z-scores": without_zeros(with_z_scores),
    }
    published = published_results()
    rows = []
    for title, scores in by_scaling.items():
        tables = [name for name in scores if name in with_z_scores]
        print_of = {name: published["knn", "ave", PAPER_DATASETS[name].title, "S2FS"]
                    for name in tables}  # fmt: skip
        cells = []
        for choose in (lambda grid: grid[DEFAULT], lambda grid: max(grid.values())):
            gaps = np.array([choose(scores[name]) - print_of[name] for name in tables]).round(4)
            cells.append(
                f"{np.sqrt((gaps**2).mean()):.4f} ({(gaps >= -CLOSE).sum()} of {len(gaps)})"
            )
        rows.append([title, *cells])
    return markdown(["S²FS", "default weights", "best weighting"], rows)


def describe_weights(scores: Scores) -> str:
    """What larger weights cost, and where the best weighting lies."""
    values = sorted({beta for grid in scores.values() for _, beta in grid})
    rows = []
    for value in values:
        if value == DEFAULT[0]:
            continue
        for_alpha = [grid[value, DEFAULT[1]] - grid[DEFAULT] for grid in scores.values()]
        for_beta = [grid[DEFAULT[0], value] - grid[DEFAULT] for grid in scores.values()]
        rows.append([f"{value:g}", interval(for_alpha), interval(for_beta)])
    table = markdown(["weight", "as α, with β = 0.0316", "as β, with α = 0.0316"], rows)
    best = {name: max(grid, key=lambda pair: grid[pair]) for name, grid in scores.items()}
    outside = [name for name, pair in best.items() if max(pair) > RECOMMENDED]
    said = ", ".join(
        f"{PAPER_DATASETS[name].title} ({pair[0]:g}, {pair[1]:g})" for name, pair in best.items()
    )
    return (
        f"{table}\n\nThe best weighting (α, β) of each dataset, chosen on the test results: "
        f"{said}. It lies outside the recommended box on {len(outside)} of {len(best)}."
    )


def describe_comparison(found: list) -> str:  # type: ignore[type-arg]
    """In how many of 64 comparisons S²FS is better, and by how much it is ahead of each."""
    tables = build_tables(found)
    fair = [other(table, RESULTS / "fidelity.csv", FAIR) for table in tables]
    rows = []
    for lists, some in (("as published", tables), ("fair", fair)):
        for way, title in (("best", "best weighting"), ("inside", "chosen inside the folds")):
            n_better = n_all = 0
            for table in some:
                comparison = compared(table, way)
                verdicts = [comparison.verdict(j) for j in range(1, len(comparison.columns))]
                n_better += verdicts.count("better")
                n_all += len(verdicts)
            rows.append([lists, title, f"{n_better} of {n_all}"])
    first = markdown(["lists of the baselines", "weights of S²FS", "better by Nemenyi"], rows)
    rows = []
    averages = [table for table in fair if table.statistic == "ave"]
    names = [column for column in fair[0].columns if column.algorithm != "S2FS"]
    for column in names:
        cells = []
        for way in ("inside", "best"):
            gaps = [by_column(t, "S2FS", way) - by_column(t, column.algorithm) for t in averages]
            cells.append(interval(np.nanmean(gaps, axis=0), 3))
        rows.append([column.heading, *cells])
    heads = ["baseline", "S²FS chosen inside, minus it", "best weighting, minus it"]
    second = markdown(heads, rows)
    return f"{first}\n\n{second}"


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
