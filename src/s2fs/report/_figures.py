"""The figures of a selection report."""

from typing import Any

import numpy as np
from sklearn.preprocessing import minmax_scale

from s2fs.evaluation import Comparison
from s2fs.evaluation.comparison import percent
from s2fs.plotting import (
    plot_coverage,
    plot_heatmap,
    plot_pixels,
    plot_redundancy,
    plot_samples,
    plot_sizes,
)
from s2fs.plotting.style import COLUMN_WIDTH, MOST_COLOURS, MOST_POINTS, new_figure
from s2fs.report._table import Table
from s2fs.report.svg import inline_svg

#: More features than this cannot be read in a figure; the first ones are shown.
MOST_FEATURES = 50


def draw(table: Table, summary: dict[str, Any], compared: Comparison | None) -> dict[str, str]:
    """Draw all figures that the data allow, by name, as SVG for the page."""
    chosen = np.array([row["index"] for row in summary["features"]])
    names = [row["name"] for row in summary["features"]]
    first = slice(MOST_FEATURES)
    drawings = {
        "heatmap": _heatmap(table, chosen[first], names[first]),
        "coverage": _coverage(table, chosen),
    }
    if compared is not None and compared.sizes:
        drawings["sizes"] = sizes_drawing(compared, recommended=summary["recommended"])
    if len(chosen) > 1:
        drawings["redundancy"] = _redundancy(table, chosen[first], names[first], summary)
        if len(table.classes) > MOST_COLOURS:
            drawings["samples"] = _samples(table, chosen)
    if table.image_shape is not None:
        drawings["pixels"] = _pixels(table, chosen)
    return drawings


def _heatmap(table: Table, chosen: Any, names: list[str]) -> str:
    ax = plot_heatmap(
        table.values[:, chosen], table.codes, feature_names=names, class_names=table.classes
    )
    label = f"Heat map of {len(names)} features over the samples, ordered by class."
    return inline_svg(ax.figure, "heatmap", label)  # type: ignore[arg-type]


def sizes_drawing(compared: Comparison, recommended: int | None = None) -> str:
    """The accuracies over the number of features; the markers of the first selector have titles."""
    ax = new_figure(1.5 * COLUMN_WIDTH, COLUMN_WIDTH * 0.8).add_subplot()
    plot_sizes(compared, recommended=recommended, ax=ax)
    own = {size: compared.at(size).rows[0] for size in compared.sizes}
    name = compared.rows[0]["selector"]
    label = f"Accuracy on held-out samples over the number of features. {name}: " + ", ".join(
        f"{row['accuracy']:.1%} with {size}" for size, row in own.items()
    )
    titles = [
        f"{size} features: {percent(row['accuracy'])} %, 95 % interval "
        f"{percent(row['accuracy_low'])} to {percent(row['accuracy_high'])}"
        for size, row in own.items()
    ]
    return inline_svg(ax.figure, "sizes", label, titles={"line-0": titles})  # type: ignore[arg-type]


def _coverage(table: Table, chosen: Any) -> str:
    figure = plot_coverage(
        minmax_scale(table.values), table.codes, chosen, class_names=table.classes
    )
    label = "Separation of every two classes, in all features and in the chosen ones."
    return inline_svg(figure, "coverage", label)


def _redundancy(table: Table, chosen: Any, names: list[str], summary: dict[str, Any]) -> str:
    redundant = summary["redundant"]
    ax = plot_redundancy(
        table.values[:, chosen], feature_names=names, threshold=redundant["threshold"]
    )
    label = (
        f"Absolute correlation of every two of {len(names)} features; {redundant['total']} pairs "
        f"have {redundant['threshold']} or more."
    )
    return inline_svg(ax.figure, "redundancy", label)  # type: ignore[arg-type]


def _samples(table: Table, chosen: Any) -> str:
    ax = plot_samples(table.values[:, chosen], table.codes, class_names=table.classes)
    titles = {
        f"class-{q}": [f"{table.samples[i]}, {name}" for i in np.flatnonzero(table.codes == q)]
        for q, name in enumerate(table.classes)
    }
    few = len(table.samples) <= MOST_POINTS
    label = "The samples in the plane of the first two discriminants of the chosen features."
    return inline_svg(ax.figure, "samples", label, titles=titles if few else None)  # type: ignore[arg-type]


def _pixels(table: Table, chosen: Any) -> str:
    ax = plot_pixels(
        chosen,
        table.image_shape,  # type: ignore[arg-type]
        image=table.values.mean(axis=0),
        image_order=table.image_order,
    )
    label = f"The {len(chosen)} selected pixels on the mean picture."
    return inline_svg(ax.figure, "pixels", label)  # type: ignore[arg-type]
