"""The figures of a report."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.preprocessing import minmax_scale

from s2fs._utils.messages import format_count
from s2fs.evaluation import Comparison
from s2fs.evaluation.areas import RocCurve
from s2fs.plotting import (
    plot_class_tree,
    plot_heatmap,
    plot_pixels,
    plot_redundancy,
    plot_roc,
    plot_samples,
    plot_sizes,
)
from s2fs.plotting.colours import MOST_COLOURS
from s2fs.plotting.style import COLUMN_WIDTH, new_figure
from s2fs.report._class_rows import find_misclassified
from s2fs.report._sizes import write_estimate
from s2fs.report._table import Table
from s2fs.report.svg import inline_svg

#: More features than this cannot be read in a figure; the first ones are shown.
MOST_FEATURES = 50
#: In a plane of more samples they have no names, for size.
MOST_NAMED_SAMPLES = 400
#: The width of a wide figure in inches.
WIDE = 2 * COLUMN_WIDTH
#: Fewer features than this need no map of their correlations: the groups say it all.
LEAST_FOR_MAP = 4


def draw(table: Table, summary: dict[str, Any], comparison: Comparison | None) -> dict[str, str]:
    """Draw all figures that the data allow, by name, as SVG for the page."""
    indices = np.array([row["index"] for row in summary["features"]])[:MOST_FEATURES]
    names = [row["label"] for row in summary["features"]][:MOST_FEATURES]
    classes = [one["label"] for one in summary["data"]["classes"]]
    drawings = {"heatmap": _heatmap(table, indices, names, classes)}
    if len(summary["features"]) > 1:
        drawings["plane"] = _plane(table, summary, classes, comparison)
    if comparison is not None and (curves := _roc_curves(comparison, classes)):
        drawings["roc"] = _roc(curves, summary)
    if comparison is not None and len(comparison.sizes) > 1:
        drawings["sizes"] = draw_sizes(comparison)
    if len(indices) >= LEAST_FOR_MAP:
        drawings["redundancy"] = _redundancy(table, indices, names, summary)
    if len(classes) > MOST_COLOURS:
        drawings["tree"] = _class_tree(table, summary, classes)
    if table.image_shape is not None:
        drawings["pixels"] = _pixels(table, summary)
    return drawings


def _heatmap(table: Table, indices: Any, names: list[str], classes: list[str]) -> str:
    label = f"Heat map of {len(names)} features over the samples, ordered by class."
    ax = new_figure(WIDE, max(2.0, 0.9 + 0.125 * len(names))).add_subplot()
    plot_heatmap(
        table.columns(indices), table.codes, feature_names=names, class_names=classes, ax=ax
    )
    return _as_svg(ax, "heatmap", label)


def _plane(
    table: Table, summary: dict[str, Any], classes: list[str], comparison: Comparison | None
) -> str:
    """The samples in the plane of all selected features; pointed at, each says its name."""
    is_wrong = np.zeros(len(table.codes), dtype=bool)
    if comparison is not None:
        is_wrong = find_misclassified(comparison, table)
    ax = plot_samples(
        table.columns([row["index"] for row in summary["features"]]),
        table.codes,
        class_names=classes,
        misclassified=is_wrong,
    )
    titles: dict[str, list[str]] = {}
    if len(table.codes) <= MOST_NAMED_SAMPLES:
        said = [
            f"{name}: {classes[q]}{', misclassified when held out' if wrong else ''}"
            for name, q, wrong in zip(table.samples, table.codes, is_wrong, strict=True)
        ]
        for q in range(len(classes)):
            titles[f"class-{q}"] = [said[i] for i in np.flatnonzero(table.codes == q)]
        if is_wrong.any():
            titles["misclassified"] = [said[i] for i in np.flatnonzero(is_wrong)]
    label = (
        f"The {len(table.codes)} samples in the plane of the first two principal components of "
        f"the selected features; {is_wrong.sum()} misclassified when held out have a ring."
    )
    return inline_svg(ax.figure, "plane", label, titles=titles)  # type: ignore[arg-type]


def _roc_curves(comparison: Comparison, classes: list[str]) -> dict[str, RocCurve]:
    """Of two classes the curve of the positive one, of more the curve of each class."""
    held_out = comparison.held_out[comparison.rows[0].selector]
    if len(classes) > MOST_COLOURS:
        return {}
    wanted = [comparison.positive] if len(classes) == 2 else range(len(classes))
    curves = {classes[q]: held_out.compute_roc(q) for q in wanted}
    return {name: curve for name, curve in curves.items() if curve is not None}


def _roc(curves: dict[str, RocCurve], summary: dict[str, Any]) -> str:
    ax = plot_roc(curves)
    areas = ", ".join(f"{name} {curve.area:.2f}" for name, curve in curves.items())
    label = (
        f"ROC curve of held-out samples with {summary['by_size'][summary['start']]['size_text']}: "
        f"area {areas}."
    )
    return _as_svg(ax, "roc", label)


def draw_sizes(comparison: Comparison) -> str:
    """The metric over the number of features; the markers of the first selector have titles."""
    metric, name = comparison.metric, comparison.rows[0].selector
    own = {
        size: comparison.at(size).rows[0].scores[comparison.scoring] for size in comparison.sizes
    }
    label = (
        f"{metric.name[0].upper()}{metric.name[1:]} on held-out samples over the number of "
        f"features. {name}: "
    )
    label += ", ".join(f"{metric.write(one.value)} with {size}" for size, one in own.items())
    titles = [
        f"{format_count(size, 'feature')}: {write_estimate(comparison, one)}"
        for size, one in own.items()
    ]
    ax = new_figure(1.6 * COLUMN_WIDTH, COLUMN_WIDTH * 0.66).add_subplot()
    plot_sizes(comparison, ax=ax)
    return inline_svg(ax.figure, "sizes", label, titles={"line-0": titles})  # type: ignore[arg-type]


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
