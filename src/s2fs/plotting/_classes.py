"""The classes as the criterion sees them: in the plane of two features, and class by class."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from s2fs.plotting._geometry import ClassGeometry, class_geometry
from s2fs.plotting.style import (
    COLOURS,
    COLUMN_WIDTH,
    DARK,
    FONT_SIZE,
    LONGEST_TICK,
    MARKERS,
    MOST_COLOURS,
    MOST_POINTS,
    SEQUENTIAL,
    axes_or_new,
    colour_bar,
    finish,
    legend_below,
    names_or_numbers,
    new_figure,
    pick_ticks,
    shown,
)

#: With more classes a number in every cell is too small to be read.
_MANY = 12


def plot_plane(
    X: ArrayLike,
    y: ArrayLike,
    *,
    feature_names: Sequence[str] = ("first feature", "second feature"),
    class_names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the classes in two features, with the vectors whose directions the criterion compares.

    A thin line leads from each instance to its own centroid. An arrow leads from each centroid to
    the nearest other one.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
        The instances in two features.
    y : array-like of shape (n_samples,)
        Class labels.
    feature_names : sequence of str, optional
        The names of the two features.
    class_names : sequence of str, optional
        The names of the classes, in sorted order of the labels.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        The axes; the points of class q have the id "class-q".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.plotting import plot_plane
    >>> data = load_iris()
    >>> ax = plot_plane(data.data[:, 2:], data.target, class_names=data.target_names)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['setosa', 'versicolor', 'virginica']
    """
    values = np.asarray(X, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != 2:
        raise ValueError(f"X has shape {values.shape}; give two columns.")
    geometry = class_geometry(values, y)
    C, p = geometry.centroids, len(geometry.centroids)
    names = names_or_numbers(class_names, p)
    ax = axes_or_new(ax, height=COLUMN_WIDTH)
    for q in range(p):
        # More classes than colours are grey, with their names at the centroids.
        color = COLOURS[q] if p <= MOST_COLOURS else COLOURS[6]
        members = values[geometry.codes == q]
        threads = np.stack([members, np.broadcast_to(C[q], members.shape)], axis=1)
        ax.add_collection(
            LineCollection(
                list(threads),
                colors=color,
                linewidths=0.4,
                alpha=0.45,
                rasterized=len(values) > MOST_POINTS,
            )
        )
        ax.scatter(
            members[:, 0],
            members[:, 1],
            s=14,
            color=color,
            marker=MARKERS[q % len(MARKERS)],
            linewidths=0,
            label=shown(names[q]),
            gid=f"class-{q}",
            zorder=2,
            rasterized=len(values) > MOST_POINTS,
        )
    for q in range(p):
        ax.annotate(
            "",
            xy=tuple(C[geometry.near[q]]),
            xytext=tuple(C[q]),
            arrowprops={"arrowstyle": "-|>", "color": "0.45", "linewidth": 1.1, "shrinkB": 4},
            zorder=3,
        )
    ax.scatter(
        C[:, 0],
        C[:, 1],
        s=60,
        marker="o",
        facecolor="white",
        edgecolor="0.2",
        zorder=4,
        gid="centres",
    )
    coloured = p <= MOST_COLOURS
    for q in range(p):
        label = str(q + 1) if coloured else shown(names[q], LONGEST_TICK)
        place: Any = {"xytext": (0, 0 if coloured else 6), "textcoords": "offset points"}
        ink = DARK if coloured else "black"
        ax.annotate(
            label, tuple(C[q]), ha="center", va="center", fontsize=5, color=ink, zorder=5, **place
        )
    if coloured:
        legend_below(ax, names)
    finish(ax, xlabel=shown(feature_names[0]), ylabel=shown(feature_names[1]))
    return ax


def plot_class_matrix(
    values: ArrayLike,
    *,
    class_names: Sequence[str] | None = None,
    label: str = "value",
    limits: tuple[float, float] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a table of class against class as a map, with numbers where they can be read.

    Parameters
    ----------
    values : array-like of shape (n_classes, n_classes)
        What to show; NaN stays empty.
    class_names : sequence of str, optional
        The names of the classes.
    label : str, default="value"
        What the numbers are.
    limits : tuple of float, optional
        Where the colours begin and end, by default at the smallest and the largest value.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        The axes with the map.

    Examples
    --------
    >>> from s2fs.plotting import plot_class_matrix
    >>> ax = plot_class_matrix([[0, 2], [2, 0]], class_names=["moss", "fern"])
    >>> [text.get_text() for text in ax.texts]
    ['0', '2', '2', '0']
    """
    table = np.asarray(values, dtype=np.float64)
    p = len(table)
    names = names_or_numbers(class_names, p)
    ax = axes_or_new(ax, height=COLUMN_WIDTH * 0.85)
    low, high = limits or (np.nanmin(table), np.nanmax(table))
    drawn = ax.imshow(
        np.ma.masked_invalid(table),
        cmap=SEQUENTIAL,
        interpolation="nearest",
        vmin=low,
        vmax=max(high, low + 1e-12),
    )
    ticks = pick_ticks(p, 20)
    ax.set_xticks(ticks, [shown(names[q], LONGEST_TICK) for q in ticks], rotation=90)
    ax.set_yticks(ticks, [shown(names[q], LONGEST_TICK) for q in ticks])
    if p <= _MANY:
        for q, r in np.argwhere(np.isfinite(table)):
            light = table[q, r] > low + 0.55 * (high - low)
            ax.text(
                r,
                q,
                f"{table[q, r]:.2g}",
                ha="center",
                va="center",
                fontsize=FONT_SIZE - 1,
                color=DARK if light else "white",
            )
    finish(ax, title=title)
    colour_bar(drawn, ax, label, shrink=0.8)
    return ax


def plot_centroids(geometry: ClassGeometry, *, class_names: Sequence[str] | None = None) -> Figure:
    """Draw how far the centroids are apart, and in which directions they lie.

    Parameters
    ----------
    geometry : ClassGeometry
        What :func:`class_geometry` returned.
    class_names : sequence of str, optional
        The names of the classes, in sorted order of the labels.

    Returns
    -------
    Figure
        Left the distance of each two centroids. Right, in the row of a class, the angle between
        the direction to the nearest other centroid (0°) and that to each further one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.plotting import class_geometry, plot_centroids
    >>> data = load_iris()
    >>> figure = plot_centroids(class_geometry(data.data, data.target))
    >>> [ax.get_title() for ax in figure.axes[:2]]
    ['distance of centroids', 'turn from the nearest']
    """
    figure = new_figure(2 * COLUMN_WIDTH, COLUMN_WIDTH * 0.85)
    left, right = figure.subplots(1, 2)
    apart = geometry.distances.copy()
    np.fill_diagonal(apart, np.nan)
    plot_class_matrix(
        apart, class_names=class_names, label="distance", title="distance of centroids", ax=left
    )
    plot_class_matrix(
        np.degrees(np.arccos(geometry.cosines)),
        class_names=class_names,
        label="degrees",
        title="turn from the nearest",
        ax=right,
    )
    return figure
