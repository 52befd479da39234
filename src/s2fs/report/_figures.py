"""The figures of a selection report."""

from typing import Any, NamedTuple

import numpy as np

from s2fs._core.criterion import PERFECT
from s2fs._selectors.s2fs import S2FS
from s2fs.datasets import Dataset
from s2fs.evaluation import Curve
from s2fs.plotting import (
    class_geometry,
    plot_centroids,
    plot_class_matrix,
    plot_curves,
    plot_memberships,
    plot_path,
    plot_pixels,
    plot_plane,
)
from s2fs.plotting.style import COLUMN_WIDTH, new_figure
from s2fs.report._summary import scaled_columns
from s2fs.report.svg import inline_svg


class Drawing(NamedTuple):
    """A figure as it stands on the page.

    Attributes
    ----------
    svg : str
        The markup, safe to be put on a page as it is.
    wide : bool
        Whether it needs the width of two columns.
    """

    svg: str
    wide: bool = False


def draw_selection(data: Dataset, selector: S2FS, summary: dict[str, Any]) -> dict[str, Drawing]:
    """Draw all figures that the data allow, by name."""
    suggested = summary["suggested"]
    scaled = scaled_columns(data, selector)
    after = class_geometry(scaled(selector.indices_[:suggested]), data.y)
    drawings = {
        "path": _path(selector, summary),
        "separation": _separation(data, scaled, after),
        "centroids": Drawing(
            inline_svg(
                plot_centroids(after, class_names=data.class_names),
                "centroids",
                f"Distances and directions of the class centroids in the first {suggested} "
                "features.",
            ),
            wide=True,
        ),
        "memberships": Drawing(
            inline_svg(
                plot_memberships(after, class_names=data.class_names).figure,  # type: ignore[arg-type]
                "memberships",
                "Fuzzy membership of every sample in every class.",
            )
        ),
    }
    if len(selector.indices_) > 1:
        drawings["plane"] = _plane(data, selector, scaled)
    if summary["curves"]["learners"]:
        drawings["curves"] = _curves(summary["curves"])
    if data.image_shape is not None:
        drawings["pixels"] = _pixels(data, selector)
    return drawings


def _path(selector: S2FS, summary: dict[str, Any]) -> Drawing:
    figure = plot_path(selector.path_, suggested=summary["suggested"])
    (line,) = (line for line in figure.axes[0].lines if line.get_gid() == "sep")
    marked = range(0, len(selector.path_), line.get_markevery())  # type: ignore[arg-type]
    rows = [summary["ranking"][i] for i in marked if selector.path_["sep"][i] < PERFECT]
    titles = [
        f"{r['rank']}: {r['feature']}, Sep {r['sep']:.4g}, gain {r['gain']:.2g}" for r in rows
    ]
    label = (
        "Sep and its four components over the number of features; "
        f"{summary['suggested']} are suggested."
    )
    return Drawing(inline_svg(figure, "path", label, titles={"sep": titles}))


def _plane(data: Dataset, selector: S2FS, scaled: Any) -> Drawing:
    names = [data.feature_names[f] for f in selector.indices_[:2]]
    ax = plot_plane(
        scaled(selector.indices_[:2]),
        data.y,
        feature_names=names,
        class_names=data.class_names,
    )
    titles = {
        f"class-{q}": [f"row {i + 1}, {name}" for i in np.flatnonzero(data.y == q)]
        for q, name in enumerate(data.class_names)
    }
    label = f"The classes in the features {names[0]} and {names[1]}, with centroids and directions."
    return Drawing(inline_svg(ax.figure, "plane", label, titles=titles))  # type: ignore[arg-type]


def _separation(data: Dataset, scaled: Any, after: Any) -> Drawing:
    before = class_geometry(scaled(np.arange(data.X.shape[1])), data.y)
    figure = new_figure(2 * COLUMN_WIDTH, COLUMN_WIDTH * 0.85)
    panels = {f"all {data.X.shape[1]} features": before, "suggested features": after}
    for ax, (title, geometry) in zip(figure.subplots(1, 2), panels.items(), strict=True):
        apart = geometry.separation.copy()
        np.fill_diagonal(apart, np.nan)
        plot_class_matrix(apart, class_names=data.class_names, title=title, ax=ax)
    return Drawing(
        inline_svg(figure, "separation", "Separation of each two classes, before and after."),
        wide=True,
    )


def _curves(summary: dict[str, Any]) -> Drawing:
    sizes = np.array(summary["sizes"])
    curves = {
        learner["name"]: Curve(learner["name"], sizes, {"accuracy": np.array(learner["accuracy"])})
        for learner in summary["learners"]
    }
    label = "Cross-validated accuracy over the number of features: " + "; ".join(
        f"{one['name']} at best {one['best']:.1%} with {one['best_size']}"
        for one in summary["learners"]
    )
    return Drawing(inline_svg(plot_curves(curves, highlight=None).figure, "curves", label))  # type: ignore[arg-type]


def _pixels(data: Dataset, selector: S2FS) -> Drawing:
    ax = plot_pixels(
        selector.indices_,
        data.image_shape,  # type: ignore[arg-type]
        image=data.X.mean(axis=0),
        image_order=data.image_order or "C",
    )
    label = f"The {len(selector.indices_)} selected pixels on the mean picture."
    return Drawing(inline_svg(ax.figure, "pixels", label))  # type: ignore[arg-type]
