"""The classes as the criterion sees them: in a plane, class by class, and predicted."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import confusion_matrix

from s2fs._core.criterion import components
from s2fs._util.types import Floats
from s2fs.plotting.geometry import ClassGeometry, class_geometry
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
    coded,
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


def plot_memberships(
    geometry: ClassGeometry,
    *,
    class_names: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the fuzzy membership of every instance in every class.

    Parameters
    ----------
    geometry : ClassGeometry
        What :func:`class_geometry` returned.
    class_names : sequence of str, optional
        The names of the classes, in sorted order of the labels.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        A row for each class. The instances stand from left to right, class by class, the surest
        members first; those that sit between classes are at the right end of their block.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.plotting import class_geometry, plot_memberships
    >>> data = load_iris()
    >>> ax = plot_memberships(class_geometry(data.data, data.target))
    >>> ax.images[0].get_array().shape
    (3, 150)
    """
    p = len(geometry.centroids)
    names = names_or_numbers(class_names, p)
    order = np.lexsort((-geometry.own_share, geometry.codes))
    ax = axes_or_new(ax, height=COLUMN_WIDTH * min(0.4 + 0.05 * p, 1.2))
    drawn = ax.imshow(
        geometry.memberships[order].T,
        cmap=SEQUENTIAL,
        vmin=0,
        vmax=float(geometry.memberships.max()),
        aspect="auto",
        interpolation="nearest",
    )
    for end in np.flatnonzero(np.diff(geometry.codes[order])):
        ax.axvline(end + 0.5, color="white", linewidth=min(0.8, 6 / p))
    ticks = pick_ticks(p, 20)
    ax.set_yticks(ticks, [shown(names[q], LONGEST_TICK) for q in ticks])
    finish(ax, xlabel="instances, class by class", ylabel="membership in", title=shown(title))
    colour_bar(drawn, ax, "membership")
    return ax


def plot_confusion(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    class_names: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the confusion matrix: how many samples of each class were predicted as which.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes.
    y_pred : array-like of shape (n_samples,)
        The predicted labels, such as ``result.classes[result.predictions["PairCover"][0]]`` of a
        ``result = compare(X, y)``.
    class_names : sequence of str, optional
        The names of the classes, in sorted order of the labels.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        A row for each class, a column for each prediction.

    Examples
    --------
    >>> from s2fs.plotting import plot_confusion
    >>> ax = plot_confusion(["a", "a", "b"], ["a", "b", "b"])
    >>> ax.images[0].get_array().tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    true, said = np.asarray(y_true), np.asarray(y_pred)
    if true.shape != said.shape:
        raise ValueError(
            f"y_pred has the shape {said.shape}, and y_true {true.shape}; give a label per sample."
        )
    labels = np.unique(np.concatenate([true, said]))
    names = names_or_numbers(labels.tolist() if class_names is None else class_names, len(labels))
    table = confusion_matrix(true, said, labels=labels)
    ax = plot_class_matrix(table, class_names=names, label="samples", title=title, ax=ax)
    finish(ax, xlabel="predicted class", ylabel="true class", title=title)
    return ax


def plot_coverage(
    X: ArrayLike,
    y: ArrayLike,
    chosen: ArrayLike,
    *,
    class_names: Sequence[str] | None = None,
) -> Figure:
    """Draw how well every two classes are apart, in all features and in the chosen ones.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        All features, on one scale such as [0, 1].
    y : array-like of shape (n_samples,)
        Class labels.
    chosen : array-like of int
        The chosen features, such as the ``indices_`` of a selector.
    class_names : sequence of str, optional
        The names of the classes, in sorted order of the labels.

    Returns
    -------
    Figure
        Two maps of class by class on one colour scale. A number is the distance of two centroids in
        units of the mean distance of the samples to their own.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from s2fs import S2FS
    >>> from s2fs.plotting import plot_coverage
    >>> X, y = load_wine(return_X_y=True)
    >>> figure = plot_coverage(minmax_scale(X), y, S2FS(3).fit(X, y).indices_)
    >>> [ax.get_title() for ax in figure.axes[:2]]
    ['all 13 features', '3 chosen']
    """
    values, codes, names = coded(X, y, class_names)
    columns = np.asarray(chosen, dtype=np.intp)
    panels = {
        f"all {values.shape[1]} features": class_geometry(values, codes).separation,
        f"{len(columns)} chosen": class_geometry(values[:, columns], codes).separation,
    }
    tables = [table.copy() for table in panels.values()]
    for table in tables:
        np.fill_diagonal(table, np.nan)
    largest = max(float(table[np.isfinite(table)].max(initial=1.0)) for table in tables)
    figure = new_figure(2 * COLUMN_WIDTH, COLUMN_WIDTH * 0.85)
    for ax, title, table in zip(figure.subplots(1, 2), panels, tables, strict=True):
        plot_class_matrix(
            np.where(np.isinf(table), largest, table),
            class_names=names,
            label="distance in spreads",
            limits=(0.0, largest),
            title=title,
            ax=ax,
        )
    return figure


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
