"""The figures of a report, each for a desk and for a telephone."""

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.preprocessing import minmax_scale

from s2fs.evaluation import Comparison
from s2fs.evaluation.comparison import percent
from s2fs.plotting import (
    plot_class_tree,
    plot_heatmap,
    plot_pixels,
    plot_redundancy,
    plot_sizes,
)
from s2fs.plotting.colours import MOST_COLOURS
from s2fs.plotting.style import COLUMN_WIDTH, new_figure
from s2fs.report._table import Table
from s2fs.report.svg import inline_svg

#: More features than this cannot be read in a figure; the first ones are shown.
MOST_FEATURES = 50
#: Widths in inches at which the type is legible on a screen of that kind.
WIDE, NARROW = 2 * COLUMN_WIDTH, COLUMN_WIDTH
#: Fewer features than this need no map of their correlations: the groups say it all.
LEAST_FOR_MAP = 4


def draw(table: Table, summary: dict[str, Any], comparison: Comparison | None) -> dict[str, str]:
    """Draw all figures that the data allow, by name, as SVG for the page.

    A figure that is too wide for a telephone has a second drawing, "… narrow".
    """
    indices = np.array([row["index"] for row in summary["features"]])[:MOST_FEATURES]
    names = [row["label"] for row in summary["features"]][:MOST_FEATURES]
    classes = [one["label"] for one in summary["data"]["classes"]]
    drawings = _two_widths("heatmap", _heatmap(table, indices, names, classes))
    if comparison is not None and comparison.sizes:
        drawings |= draw_sizes(comparison, summary["recommended"])
    if len(indices) >= LEAST_FOR_MAP:
        drawings["redundancy"] = _redundancy(table, indices, names, summary)
    if len(classes) > MOST_COLOURS:
        drawings["tree"] = _class_tree(table, summary, classes)
    if table.image_shape is not None:
        drawings["pixels"] = _pixels(table, summary)
    return drawings


def _two_widths(name: str, draw_at: Callable[[str, float], str]) -> dict[str, str]:
    return {name: draw_at(name, WIDE), f"{name} narrow": draw_at(f"{name}-narrow", NARROW)}


def _heatmap(
    table: Table, indices: Any, names: list[str], classes: list[str]
) -> Callable[[str, float], str]:
    label = f"Heat map of {len(names)} features over the samples, ordered by class."

    def draw_at(prefix: str, width: float) -> str:
        ax = new_figure(width, max(2.0, 0.9 + 0.125 * len(names))).add_subplot()
        plot_heatmap(
            table.columns(indices), table.codes, feature_names=names, class_names=classes, ax=ax
        )
        return _as_svg(ax, prefix, label)

    return draw_at


def draw_sizes(comparison: Comparison, recommended: int | None = None) -> dict[str, str]:
    """The accuracies over the number of features; the markers of the first selector have titles."""
    own = {size: comparison.at(size).rows[0] for size in comparison.sizes}
    name = comparison.rows[0]["selector"]
    label = f"Accuracy on held-out samples over the number of features. {name}: " + ", ".join(
        f"{percent(row['accuracy'])} % with {size}" for size, row in own.items()
    )
    titles = [
        f"{size} feature{'' if size == 1 else 's'}: {percent(row['accuracy'])} %, 95 % interval "
        f"{percent(row['accuracy_low'])} to {percent(row['accuracy_high'])}"
        for size, row in own.items()
    ]

    def draw_at(prefix: str, width: float) -> str:
        width = min(width, 1.6 * COLUMN_WIDTH)
        ax = new_figure(width, COLUMN_WIDTH * 0.66).add_subplot()
        plot_sizes(comparison, recommended=recommended, ax=ax)
        return inline_svg(ax.figure, prefix, label, titles={"line-0": titles})  # type: ignore[arg-type]

    return _two_widths("sizes", draw_at)


def _redundancy(table: Table, indices: Any, names: list[str], summary: dict[str, Any]) -> str:
    redundant = summary["redundant"]
    ax = plot_redundancy(
        table.columns(indices), feature_names=names, threshold=redundant["threshold"]
    )
    label = (
        f"Absolute correlation of every two of {len(names)} features; {redundant['total']} pairs "
        f"have {redundant['threshold']} or more."
    )
    return _as_svg(ax, "redundancy", label)


def _class_tree(table: Table, summary: dict[str, Any], classes: list[str]) -> str:
    indices = np.array([row["index"] for row in summary["features"]])
    ax = plot_class_tree(minmax_scale(table.columns(indices)), table.codes, class_names=classes)
    label = f"Tree of the {len(classes)} classes; those that are hard to tell apart join first."
    return _as_svg(ax, "tree", label)


def _pixels(table: Table, summary: dict[str, Any]) -> str:
    indices = [row["index"] for row in summary["features"]]
    ax = plot_pixels(
        indices,
        table.image_shape,  # type: ignore[arg-type]
        image=table.values.mean(axis=0),
        image_order=table.image_order,
    )
    return _as_svg(ax, "pixels", f"The {len(indices)} selected pixels on the mean picture.")


def _as_svg(ax: Axes, prefix: str, label: str) -> str:
    return inline_svg(ax.figure, prefix, label)  # type: ignore[arg-type]
