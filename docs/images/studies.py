"""Pictures of the studies, drawn from the tables of their pages or from committed results.

Nothing is measured here. The description of a picture holds a digest of the numbers it was drawn
from, and ``tests/test_docs.py`` fails when these have changed since.
"""

import csv
import hashlib
import re
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, StrMethodFormatter

DOCS = Path(__file__).parents[1]
RESULTS = DOCS.parent / "bench" / "results"
#: Colours that colour-blind readers tell apart (Okabe and Ito), and the marks that go with them.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"
SMALL = 8.0

Rows = list[dict[str, str]]


def page_table(page: str, *headings: str) -> Rows:
    """The first table of a page that has these column headings, as text without emphasis."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    for is_table, block in groupby(lines, lambda line: line.startswith("|")):
        if is_table:
            first, _, *rows = [
                [re.sub(r"[*†‡§]", "", cell).strip() for cell in line.strip().strip("|").split("|")]
                for line in block
            ]
            if set(headings) <= set(first):
                # The same heading may come twice: the first one counts.
                return [dict(reversed(list(zip(first, row, strict=True)))) for row in rows]
    raise ValueError(f"{page} has no table with the columns {', '.join(headings)}.")


def file_table(name: str) -> Rows:
    """A file of bench/results."""
    with open(RESULTS / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def number(text: str) -> float:
    """The number a cell begins with."""
    found = re.match(r"[+−-]?[\d.]+", text)
    if found is None:
        raise ValueError(f"No number in {text!r}.")
    return float(found[0].replace("−", "-"))


def figure(n_rows: int, width: float = 5.5):  # type: ignore[no-untyped-def]
    """Axes for a dot plot with n_rows lines."""
    ax = Figure(figsize=(width, 0.23 * n_rows + 0.9), layout="constrained").add_subplot()
    ax.tick_params(labelsize=SMALL, width=0.6, length=2.5)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.grid(axis="x", linewidth=0.4, color="0.85")
    ax.set_axisbelow(True)
    return ax


def log_axis(ax):  # type: ignore[no-untyped-def]
    """Times on a logarithmic axis, with plain numbers at it."""
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.minorticks_off()


def dots(ax, series, names, *, label, markers="osD^"):  # type: ignore[no-untyped-def]
    """Rows from top to bottom; for each series a mark of its own on every row."""
    colours = (BLUE, ORANGE, GREEN, GREY)
    for y in range(len(names)):
        values = [v[y] for v in series.values() if np.isfinite(v[y])]
        ax.plot([min(values), max(values)], [y, y], color="0.8", linewidth=1, zorder=1)
    for (name, values), colour, marker in zip(series.items(), colours, markers, strict=False):
        ax.scatter(values, range(len(names)), 18, colour, marker, label=name, zorder=2)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.set_xlabel(label, fontsize=SMALL)
    ax.figure.legend(loc="outside upper center", ncols=4, fontsize=SMALL, frameon=False)


def speed(rows: Rows) -> Figure:
    """How long S²FS and fastcan take on the paper's tables."""
    columns = ("fastcan, indicators",)
    ours = np.array([number(row["S²FS, k = 30"]) for row in rows])
    series = {"S²FS": ours} | {name: ours * [number(row[name]) for row in rows] for name in columns}
    ax = figure(len(rows))
    dots(ax, series, [f"{r['data']}  {r['n × m']}" for r in rows], label="milliseconds (log scale)")
    log_axis(ax)
    return ax.figure


def fidelity(rows: Rows) -> Figure:
    """How far each variant of each baseline is from the published numbers."""
    baselines = list(dict.fromkeys(row["baseline"] for row in rows))
    ax = figure(len(baselines))
    kinds = {
        "variant": (GREY, "."),
        "chosen": (BLUE, "o"),
        "random order": (ORANGE, "x"),
    }
    for y, baseline in enumerate(baselines):
        own = [row for row in rows if row["baseline"] == baseline]
        for row in own:
            kind = "random order" if row["variant"] == "random order" else "variant"
            colour, marker = kinds[kind]
            ax.scatter(number(row["all"]), y, 22, colour, marker, linewidths=1, zorder=2)
        used = next(row for row in own if row["chosen"])
        colour, marker = kinds["chosen"]
        ax.scatter(number(used["all"]), y, 26, colour, marker, zorder=3)
    for kind, (colour, marker) in kinds.items():
        ax.scatter([], [], 22, colour, marker, linewidths=1, label=kind)
    ax.set_yticks(range(len(baselines)), baselines)
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    ax.set_xlabel("root mean square distance from the published numbers", fontsize=SMALL)
    ax.figure.legend(loc="outside upper center", ncols=3, fontsize=SMALL, frameon=False)
    return ax.figure


class Study(NamedTuple):
    """Where the numbers of a picture come from, and what draws it."""

    numbers: Callable[[], Rows]
    draw: Callable[[Rows], Figure]

    def digest(self) -> str:
        """A short name for the numbers as they are now."""
        return hashlib.sha256(repr(self.numbers()).encode()).hexdigest()[:16]


def unseen(rows: Rows) -> Figure:
    """The difference of every selector to PairCover, with its interval, in order of rank."""
    shown = [row for row in rows if row["selector"] not in ("PairCover", "random order")]
    ax = figure(len(shown))
    for y, row in enumerate(shown):
        mean, half = map(number, row["minus PairCover, points"].split(" ± "))
        colour = GREY if abs(mean) <= half else ORANGE if mean > 0 else BLUE
        ax.errorbar(mean, y, xerr=half, fmt="o", markersize=4, color=colour, lw=1.2)
    ax.axvline(0, color="0.3", linewidth=0.8)
    ax.set_yticks(range(len(shown)), [row["selector"].replace("S2", "S²") for row in shown])
    ax.invert_yaxis()
    ax.set_xlabel("points of balanced accuracy, minus PairCover", fontsize=SMALL)
    return ax.figure


def compare(rows: Rows) -> Figure:
    """The mean difference of a reference to every other selector, with its interval."""
    others = [row for row in rows if row["difference [95 %]"]]
    ax = figure(len(others))
    for y, row in enumerate(others):
        mean, low, high = map(number, re.findall(r"[+−]?[\d.]+", row["difference [95 %]"]))
        ax.plot([low, high], [y, y], color=BLUE, linewidth=1.2)
        ax.scatter(mean, y, 18, BLUE)
    ax.axvline(0, color="0.3", linewidth=0.8)
    ax.set_yticks(range(len(others)), [f"minus {row['Algorithm']}" for row in others])
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.set_xlabel("balanced accuracy of TopF, 95 % interval over the datasets", fontsize=SMALL)
    return ax.figure


def two_shapes() -> Rows:
    """Two classes whose samples stand all around their centroids, or on two sides of them."""
    angles = {
        "isotropic": np.arange(12) * np.pi / 6,
        "two-sided": np.concatenate([side + np.linspace(-0.5, 0.5, 6) for side in (1.57, 4.71)]),
    }
    return [
        {"shape": shape, "class": str(q), "x": f"{3 * q + np.cos(a):.3f}", "y": f"{np.sin(a):.3f}"}
        for shape, of_class in angles.items()
        for q in (0, 1)
        for a in of_class
    ]


def isotropic(rows: Rows) -> Figure:
    """Equal distances, different directions: Fig. 1 of the paper with numbers."""
    from s2fs import components
    from s2fs.plotting.colours import CLASS_COLOURS

    drawn = Figure(figsize=(6.4, 2.1), layout="constrained")
    panels = drawn.subplots(1, 2, sharex=True, sharey=True)
    for ax, shape in zip(panels, ("isotropic", "two-sided"), strict=True):
        own = [row for row in rows if row["shape"] == shape]
        X = np.array([[float(row["x"]), float(row["y"])] for row in own])
        y = np.array([int(row["class"]) for row in own])
        parts = components(X, y)
        for q, marker in enumerate("os"):
            ax.scatter(*X[y == q].T, 16, CLASS_COLOURS[q], marker)
            ax.scatter(*X[y == q].mean(axis=0), 40, "black", "x", linewidths=1.2)
        ax.set_aspect("equal")
        ax.set_axis_off()
        ax.set_title(
            f"{shape}: Θ_dis = {parts.theta_dis:.2f}, Θ_dir = {parts.theta_dir:.2f}", fontsize=SMALL
        )
    return drawn


#: Centroids and one sample of the small drawings of the criterion's parts.
CENTROIDS = {"own": (0.0, 0.0), "nearest": (2.2, 0.5), "other": (0.9, 2.1)}
SAMPLE = (0.9, 0.55)


def parts_of_criterion() -> Rows:
    """What the small drawings show."""
    places = {**CENTROIDS, "sample": SAMPLE}
    return [{"what": name, "x": f"{x:g}", "y": f"{y:g}"} for name, (x, y) in places.items()]


def criterion_parts(rows: Rows) -> Figure:
    """Compactness by direction, separation by distance and by direction, as small drawings."""
    from s2fs.plotting.colours import CLASS_COLOURS

    places = {row["what"]: np.array([float(row["x"]), float(row["y"])]) for row in rows}
    sample, own, nearest = places["sample"], places["own"], places["nearest"]
    titles = (
        "Θ_dir: from a sample, its own centroid\nand another one lie on opposite sides",
        "Λ_dis: how far the nearest centroid is",
        "Λ_dir: from a class, do others lie\nbehind the nearest one, or elsewhere?",
    )
    drawn = Figure(figsize=(7.2, 2.3), layout="constrained")
    panels = drawn.subplots(1, 3)
    for ax, title in zip(panels, titles, strict=True):
        for q, name in enumerate(CENTROIDS):
            ax.scatter(*places[name], 60, CLASS_COLOURS[q], "X", zorder=3)
            above = name == "other"  # arrows come from below
            ax.annotate(name, places[name], (0, 7 if above else -12), textcoords="offset points",
                        ha="center", fontsize=SMALL - 1)  # fmt: skip
        ax.set_title(title, fontsize=SMALL)
        ax.set_aspect("equal")
        ax.set_axis_off()
        ax.margins(0.25)
    panels[0].scatter(*sample, 22, CLASS_COLOURS[0], "o", zorder=3)
    arrow(panels[0], sample, own, "-|>")
    arrow(panels[0], sample, nearest, "-|>")
    arrow(panels[1], own, nearest, "<|-|>")
    arrow(panels[2], own, nearest, "-|>")
    arrow(panels[2], own, places["other"], "-|>")
    return drawn


def arrow(ax, start, end, style):  # type: ignore[no-untyped-def]
    """An arrow between two places, which leaves their marks free."""
    look = {"arrowstyle": style, "color": "0.25", "shrinkA": 4, "shrinkB": 6, "lw": 1}
    ax.annotate("", end, start, arrowprops=look)


def curves_of_paper(learner: str) -> Rows:
    """The curves of a learner: S²FS by how its weights were set, and two baselines."""
    from s2fs_bench import PAPER_DATASETS, Archive, iter_results

    with Archive(RESULTS / "paper.npz") as archive:
        results = list(iter_results(archive))
    rows: Rows = []
    for dataset in PAPER_DATASETS:
        mine = [result for result in results if result.run.dataset == dataset]
        grid = [result for result in mine if result.selector.name == "S2FS" and result.weights]
        if not grid:
            continue
        best = max(grid, key=lambda result: result.curves[learner].ave)
        inside = next(r for r in mine if r.selector.name == "S2FS" and not r.weights)
        shown = {"chosen inside": inside, "best, chosen on the test results": best}
        shown |= {
            name: next(result for result in mine if result.selector.name == name)
            for name in ("SFSS", "FDM")
        }
        alpha, beta = best.weights
        for name, result in shown.items():
            curve = result.curves[learner]
            values = zip(curve.sizes.tolist(), curve.values.tolist(), strict=True)
            rows += [
                {
                    "panel": f"{best.run.dataset_title}: α = {alpha:g}, β = {beta:g}",
                    "line": name,
                    "size": str(size),
                    "score": f"{value:.3f}",
                }
                for size, value in values
                if size % 2
            ]
    return rows


def claims_curves(rows: Rows, score: str) -> Figure:
    """A score over the number of features, with the best α and β above each panel."""
    from s2fs.plotting.colours import INKS, assign_inks
    from s2fs.plotting.style import panel_grid

    inks = assign_inks(["S2FS", "SFSS", "FDM"])
    looks = {
        "chosen inside": (INKS[inks["S2FS"]].light, "-", 1.4),
        "best, chosen on the test results": (INKS[inks["S2FS"]].light, ":", 1.0),
        "SFSS": (INKS[inks["SFSS"]].light, "--", 0.9),
        "FDM": (INKS[inks["FDM"]].light, "-.", 0.9),
    }
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    drawn, axes = panel_grid(len(panels))
    for ax, panel in zip(axes, panels, strict=True):
        for line, (colour, style, width) in looks.items():
            own = [row for row in rows if (row["panel"], row["line"]) == (panel, line)]
            x, y = ([float(row[key]) for row in own] for key in ("size", "score"))
            name = line if line in ("SFSS", "FDM") else f"S²FS, {line}"
            ax.plot(x, y, style, color=colour, linewidth=width, label=name)
        ax.set_title(panel, fontsize=SMALL)
        ax.tick_params(labelsize=SMALL - 1, width=0.6, length=2.5)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_xlabel("number of features", fontsize=SMALL - 1)
        ax.set_ylabel(score, fontsize=SMALL - 1)
    handles, labels = axes[0].get_legend_handles_labels()
    drawn.legend(
        handles, labels, loc="outside lower center", ncols=4, fontsize=SMALL, frameon=False
    )
    return drawn


def weightings_with_z_scores() -> Rows:
    """The average accuracy of 5 nearest neighbours by dataset and weights, with z-scores."""
    from s2fs_bench import Archive, iter_results

    with Archive(RESULTS / "scales_weights.npz") as archive:
        return [
            {
                "dataset": result.run.dataset_title,
                "variant": variant_of(*result.weights),
                "alpha": f"{result.weights[0]:g}",
                "beta": f"{result.weights[1]:g}",
                "average": f"{result.curves['knn'].ave:.4f}",
            }
            for result in iter_results(archive)
        ]


def variant_of(alpha: float, beta: float) -> str:
    """What the paper calls the criterion with these weights."""
    if alpha and beta:
        return "S2FS"
    without = [name for name, weight in (("DWC", alpha), ("DBS", beta)) if not weight]
    return "-".join(["S2", *without])


def weightings_of_paper() -> Rows:
    """The average accuracy of 5 nearest neighbours by dataset, variant and weights."""
    from s2fs_bench import Archive, iter_results

    with Archive(RESULTS / "paper.npz") as archive:
        return [
            {
                "dataset": result.run.dataset_title,
                "variant": result.selector.name,
                "alpha": f"{result.weights[0]:g}",
                "beta": f"{result.weights[1]:g}",
                "average": f"{result.curves['knn'].ave:.4f}",
            }
            for result in iter_results(archive)
            if result.weights is not None
        ]


def recommended_weightings() -> Rows:
    """Those of the variants that have the weights which the paper recommends."""
    return [
        row
        for row in weightings_of_paper()
        if max(float(row["alpha"]), float(row["beta"])) <= 0.0562
    ]


def claims_variants(rows: Rows) -> Figure:
    """The criterion and its variants, a point for each weighting; all axes are as long."""
    from s2fs.plotting.style import panel_grid
    from s2fs_bench import plot_spread

    names = {"S2FS": "S²FS", "S2-DWC": "α = 0", "S2-DBS": "β = 0", "S2-DWC-DBS": "both 0"}
    datasets = in_order_of_paper({row["dataset"] for row in rows})
    ends = {
        dataset: np.array([float(row["average"]) for row in rows if row["dataset"] == dataset])
        for dataset in datasets
    }
    half = 0.55 * max(np.ptp(values) for values in ends.values())
    drawn, axes = panel_grid(len(datasets))
    for ax, dataset in zip(axes, datasets, strict=True):
        scores = {
            title: [
                float(row["average"])
                for row in rows
                if (row["dataset"], row["variant"]) == (dataset, name)
            ]
            for name, title in names.items()
        }
        plot_spread(scores, title=dataset, ax=ax)
        middle = min((ends[dataset].min() + ends[dataset].max()) / 2, 1.002 - half)
        ax.set_ylim(middle - half, middle + half)
    return drawn


def in_order_of_paper(titles: set[str]) -> list[str]:
    """The datasets as the paper's tables have them."""
    from s2fs_bench import PAPER_DATASETS

    return [info.title for info in PAPER_DATASETS.values() if info.title in titles]


def claims_faces(rows: Rows) -> Figure:
    """Where the first 50 pixels of each set of faces lie, and what counts as its border."""
    from s2fs_bench import PAPER_DATASETS

    names = {"S2FS, z-scores": "S²FS, z-scores", "S2FS, min–max": "S²FS, [0, 1]",
             "PairCover": "PairCover"}  # fmt: skip
    sets = list(dict.fromkeys(row["dataset"] for row in rows))
    drawn = Figure(figsize=(6.4, 5.6), layout="constrained")
    panels = drawn.subplots(len(names), len(sets))
    for i, (name, title) in enumerate(names.items()):
        for ax, dataset in zip(panels[i], sets, strict=True):
            height, width = PAPER_DATASETS[dataset].image_shape
            picture = np.zeros((height, width))
            for row in rows:
                if (row["dataset"], row["selector"]) == (dataset, name):
                    picture[int(row["row"]), int(row["column"])] = 1
            ax.imshow(picture, cmap="Greys", vmin=0, vmax=1.3, interpolation="nearest")
            ax.plot(*inner_frame(height, width), color=ORANGE, linewidth=0.8)
            ax.set_xticks([])
            ax.set_yticks([])
            if not i:
                ax.set_title(PAPER_DATASETS[dataset].title, fontsize=SMALL)
            if dataset == sets[0]:
                ax.set_ylabel(title, fontsize=SMALL)
    return drawn


def inner_frame(height: int, width: int, border: int = 2) -> tuple[list[float], list[float]]:
    """The line inside of which no pixel is within two pixels of the edge."""
    left, right, top, bottom = (
        border - 0.5,
        width - border - 0.5,
        border - 0.5,
        height - border - 0.5,
    )
    return [left, right, right, left, left], [top, top, bottom, bottom, top]


def claims_sensitivity(rows: Rows) -> Figure:
    """The grid of weights, one scale for all datasets."""
    from s2fs.plotting.style import panel_grid
    from s2fs_bench import plot_sensitivity

    grid = [row for row in rows if row["variant"] == "S2FS"]
    datasets = in_order_of_paper({row["dataset"] for row in grid})
    weights = sorted({float(row["alpha"]) for row in grid})
    every = [float(row["average"]) for row in grid]
    drawn, axes = panel_grid(len(datasets))
    for ax, dataset in zip(axes, datasets, strict=True):
        of = {
            (float(row["alpha"]), float(row["beta"])): float(row["average"])
            for row in grid
            if row["dataset"] == dataset
        }
        scores = [[of[alpha, beta] for beta in weights] for alpha in weights]
        limits = (min(every), max(every))
        plot_sensitivity(scores, alphas=weights, betas=weights, limits=limits, title=dataset, ax=ax)
    return drawn


STUDIES = {
    "isotropic": Study(two_shapes, isotropic),
    "criterion-parts": Study(parts_of_criterion, criterion_parts),
    "claims-curves": Study(
        lambda: curves_of_paper("knn"), lambda rows: claims_curves(rows, "accuracy")
    ),
    "claims-curves-kmeans": Study(
        lambda: curves_of_paper("kmeans"), lambda rows: claims_curves(rows, "mutual information")
    ),
    "claims-variants": Study(weightings_with_z_scores, claims_variants),
    "claims-variants-ranges": Study(recommended_weightings, claims_variants),
    "claims-sensitivity": Study(weightings_of_paper, claims_sensitivity),
    "claims-sensitivity-z": Study(weightings_with_z_scores, claims_sensitivity),
    "claims-faces": Study(lambda: file_table("faces.csv"), claims_faces),
    "compare": Study(lambda: page_table("bench.md", "Algorithm", "difference [95 %]"), compare),
    "untouched": Study(
        lambda: page_table("unseen.md", "selector", "minus PairCover, points"), unseen
    ),
    "speed": Study(lambda: page_table("speed.md", "data", "S²FS, k = 30"), speed),
    "fidelity": Study(lambda: file_table("fidelity-distances.csv"), fidelity),
}
