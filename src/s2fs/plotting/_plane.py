"""The classes in two features, with the directions that the criterion compares."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from s2fs._utils.types import Floats
from s2fs.criteria.separability import components
from s2fs.plotting.colours import CLASS_COLOURS, MOST_COLOURS, NEUTRAL
from s2fs.plotting.geometry import class_geometry
from s2fs.plotting.style import (
    COLUMN_WIDTH,
    DARK,
    FONT_SIZE,
    LONGEST_TICK,
    MARKERS,
    MOST_POINTS,
    axes_or_new,
    finish,
    legend_below,
    names_or_numbers,
    new_figure,
    shown,
)


def plot_plane(
    X: ArrayLike,
    y: ArrayLike,
    *,
    feature_names: Sequence[str] = ("first feature", "second feature"),
    class_names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the classes in two features, with the vectors whose directions the criterion compares.

    A thin line leads from each sample to its own centroid. An arrow leads from each centroid to
    the nearest other one.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
        The samples in two features.
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
        color = CLASS_COLOURS[q] if p <= MOST_COLOURS else NEUTRAL
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


def two_distributions() -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Two samples with the same distances to the same centroids, but other directions.

    Returns
    -------
    along, across : ndarray of shape (24, 2)
        Two classes that stretch towards each other, and past each other.
    y : ndarray of shape (24,)
        The classes, the same in both.

    Examples
    --------
    >>> from s2fs import components
    >>> from s2fs.plotting import two_distributions
    >>> along, across, y = two_distributions()
    >>> [round(components(X, y).theta_dis, 3) for X in (along, across)]
    [0.7, 0.7]
    >>> [round(components(X, y).theta_dir, 3) for X in (along, across)]
    [0.117, 0.04]
    """
    steps = np.repeat([0.2, 0.4, 0.6, 0.8, 1.0, 1.2], 2) * np.tile([1, -1], 6)
    slant = 0.12 * np.tile([1, 1, -1, -1], 3) * np.abs(steps)
    offsets = np.stack([steps, slant], axis=1)
    offsets *= (np.abs(steps) / np.linalg.norm(offsets, axis=1))[:, None]
    centres = np.repeat([[0.0, 0.0], [3.0, 0.0]], len(steps), axis=0)
    along = centres + np.tile(offsets, (2, 1))
    across = centres + np.tile(offsets[:, ::-1], (2, 1))
    return along, across, np.repeat([0, 1], len(steps))


def plot_distance_and_direction() -> Figure:
    """Draw two distributions with equal distances but different directions.

    Returns
    -------
    Figure
        Two panels with the components of each.

    Examples
    --------
    >>> from s2fs.plotting import plot_distance_and_direction
    >>> figure = plot_distance_and_direction()
    >>> [ax.get_title().count("Theta") for ax in figure.axes]
    [2, 2]
    """
    along, across, y = two_distributions()
    figure = new_figure(height=COLUMN_WIDTH * 1.2)
    for ax, X in zip(figure.subplots(2, 1, sharex=True, sharey=True), (along, across), strict=True):
        parts = components(X, y)
        plot_plane(X, y, feature_names=("", ""), ax=ax)
        ax.get_legend().remove()
        ax.set_aspect("equal")
        ax.set_xticks([])
        ax.set_yticks([])
        ax.spines[:].set_visible(False)
        ax.set_title(
            rf"$\Theta_{{\mathrm{{dis}}}}$ = {parts.theta_dis:.2f}, "
            rf"$\Theta_{{\mathrm{{dir}}}}$ = {parts.theta_dir:.2f}",
            fontsize=FONT_SIZE + 1,
        )
    return figure
