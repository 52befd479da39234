"""Tables of class against class: distances, predictions, separation."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from sklearn.metrics import confusion_matrix

from s2fs.plotting.geometry import ClassGeometry, class_geometry
from s2fs.plotting.style import (
    COLUMN_WIDTH,
    DARK,
    FONT_SIZE,
    LONGEST_TICK,
    SEQUENTIAL,
    axes_or_new,
    coded,
    colour_bar,
    finish,
    names_or_numbers,
    new_figure,
    pick_ticks,
    shown,
)

#: With more classes a number in every cell is too small to be read.
_MOST_NUMBERED = 12


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
    if p <= _MOST_NUMBERED:
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


def plot_class_separation(
    X: ArrayLike,
    y: ArrayLike,
    selected: ArrayLike,
    *,
    class_names: Sequence[str] | None = None,
) -> Figure:
    """Draw how well every two classes are apart, in all features and in the selected ones.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        All features, on one scale such as [0, 1].
    y : array-like of shape (n_samples,)
        Class labels.
    selected : array-like of int
        The selected features, such as the ``indices_`` of a selector.
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
    >>> from s2fs.plotting import plot_class_separation
    >>> X, y = load_wine(return_X_y=True)
    >>> figure = plot_class_separation(minmax_scale(X), y, S2FS(3).fit(X, y).indices_)
    >>> [ax.get_title() for ax in figure.axes[:2]]
    ['all 13 features', '3 selected']
    """
    values, codes, names = coded(X, y, class_names)
    columns = np.asarray(selected, dtype=np.intp)
    panels = {
        f"all {values.shape[1]} features": class_geometry(values, codes).separation,
        f"{len(columns)} selected": class_geometry(values[:, columns], codes).separation,
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
            label="distance / within-class distance",
            limits=(0.0, largest),
            title=title,
            ax=ax,
        )
    return figure
