"""The values of the chosen features, class by class: as a map, and one feature at a time."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import ScaledTranslation
from numpy.typing import ArrayLike
from sklearn.preprocessing import scale

from s2fs._util.types import Indices
from s2fs.plotting.contrast import stands_out
from s2fs.plotting.style import (
    COLOURS,
    COLUMN_WIDTH,
    DIVERGING,
    FONT_SIZE,
    LONGEST_TICK,
    MOST_COLOURS,
    MOST_POINTS,
    coded,
    colour_bar,
    feature_names_or_numbers,
    finish,
    names_or_numbers,
    new_figure,
    panel_grid,
    shown,
)

#: With more samples a column is too narrow to be seen: there is one for each class.
MOST_SAMPLES = 300
#: Standardised values beyond this take the last colour.
_LIMIT = 2.5
#: With more samples in a panel the points hide each other, and boxes are drawn.
_MOST_DOTS = 200


def plot_heatmap(
    X: ArrayLike,
    y: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw features × samples as a map, ordered by class.

    Each feature is standardised to mean 0 and standard deviation 1. Features stand in the order of
    the classes they stand out in: first those that are high there, then those that are low.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The chosen features, in order of choice.
    y : array-like of shape (n_samples,)
        Class labels.
    feature_names : sequence of str, optional
        The names of the features; by default "x0", "x1", ….
    class_names : sequence of str, optional
        The names of the classes, in sorted order of the labels.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        A row for each feature, and a column for each sample; above 300 samples a column for each
        class, which shows its median.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import S2FS
    >>> from s2fs.plotting import plot_heatmap
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> chosen = S2FS(3).fit(X, y).feature_names_
    >>> ax = plot_heatmap(X[chosen], y, feature_names=chosen)
    >>> ax.images[0].get_array().shape
    (3, 178)
    """
    values, codes, labels = coded(X, y)
    n, k = values.shape
    p = len(labels)
    names = names_or_numbers(labels if class_names is None else class_names, p)
    features = feature_names_or_numbers(feature_names, k)
    medians = n > MOST_SAMPLES
    out = stands_out(values, codes)
    rows = np.lexsort((np.arange(k), ~out.high, out.class_))
    table = scale(values)
    if medians:
        table = np.array([np.median(table[codes == q], axis=0) for q in range(p)])
        column_codes = np.arange(p)
    else:
        order = np.argsort(codes, kind="stable")
        table, column_codes = table[order], codes[order]
    if ax is None:
        ax = new_figure(2 * COLUMN_WIDTH, max(2.0, 0.9 + 0.125 * k)).add_subplot()
    drawn = ax.imshow(
        table.T[rows],
        cmap=DIVERGING,
        vmin=-_LIMIT,
        vmax=_LIMIT,
        aspect="auto",
        interpolation="nearest",
    )
    ax.set_yticks(np.arange(k), [shown(features[f], 20) for f in rows])
    ax.set_xticks([])
    finish(ax)
    ax.tick_params(axis="y", length=0, labelsize=min(FONT_SIZE - 0.5, 1.5 + 260 / k))
    ax.spines[["left", "bottom"]].set_visible(False)
    ends = np.flatnonzero(np.diff(column_codes)) + 0.5
    for end in ends:
        ax.axvline(end, color="white", linewidth=1.0 if p <= MOST_COLOURS else 0.5)
    _class_bar(ax, column_codes, names)
    if title:
        ax.set_title(shown(title), fontsize=FONT_SIZE + 1, pad=24)
    label = "class median, standardised" if medians else "standardised value"
    colour_bar(drawn, ax, label, shrink=min(1.0, 14 / k + 0.2), extend="both", pad=0.01)
    return ax


def _class_bar(ax: Axes, codes: Indices, names: list[str]) -> None:
    """Say above a map which columns belong to which class."""
    p, across = len(names), ax.get_xaxis_transform()
    few = p <= MOST_COLOURS
    inches = ax.figure.dpi_scale_trans
    for q in range(p):
        columns = np.flatnonzero(codes == q)
        start, width = columns[0] - 0.5, len(columns)
        ax.plot(
            [start, start + width],
            [1, 1],
            color=COLOURS[q] if few else ("0.45", "0.65")[q % 2],
            linewidth=6,
            solid_capstyle="butt",
            clip_on=False,
            transform=across + ScaledTranslation(0, 6 / 72, inches),
        )
        ax.text(
            start + width / 2,
            1,
            shown(names[q], LONGEST_TICK),
            transform=across + ScaledTranslation(0, 11 / 72, inches),
            ha="center",
            va="bottom",
            rotation=0 if few and max(map(len, names)) * p < 70 else 90,
            fontsize=FONT_SIZE - (0 if few else 1.5),
        )


def plot_features(
    X: ArrayLike,
    y: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    n_shown: int = 9,
) -> Figure:
    """Draw the values of single features by class, one panel for each feature.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The chosen features, in order of choice.
    y : array-like of shape (n_samples,)
        Class labels.
    feature_names : sequence of str, optional
        The names of the features; by default "x0", "x1", ….
    class_names : sequence of str, optional
        The names of the classes, in sorted order of the labels.
    n_shown : int, default=9
        How many features to show, from the first on.

    Returns
    -------
    Figure
        A point for each sample, and a line at the median of each class; above 200 samples a box
        from the first to the third quartile with whiskers from the 5th to the 95th percentile.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs.plotting import plot_features
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> figure = plot_features(X, y, feature_names=X.columns, n_shown=2)
    >>> [ax.get_title() for ax in figure.axes]
    ['alcohol', 'malic_acid']
    """
    values, codes, labels = coded(X, y)
    names = names_or_numbers(labels if class_names is None else class_names, len(labels))
    features = feature_names_or_numbers(feature_names, values.shape[1])
    n_shown = min(n_shown, values.shape[1])
    figure, axes = panel_grid(n_shown)
    for f, ax in enumerate(axes):
        _by_class(ax, values[:, f], codes, names)
        finish(ax, title=shown(features[f]))
        ax.xaxis.set_tick_params(length=0)
    return figure


def _by_class(ax: Axes, values: ArrayLike, codes: ArrayLike, names: list[str]) -> None:
    """Draw one feature: a column of points or a box for each class."""
    column, of = np.asarray(values), np.asarray(codes)
    for q in range(len(names)):
        members = column[of == q]
        color = COLOURS[q] if len(names) <= MOST_COLOURS else COLOURS[6]
        if len(column) > _MOST_DOTS:
            low, first, third, high = np.quantile(members, [0.05, 0.25, 0.75, 0.95])
            ax.plot([q, q], [low, high], color=color, linewidth=1)
            ax.add_patch(Rectangle((q - 0.3, first), 0.6, third - first, color=color, lw=0))
            ink = "white"
        else:
            # Points of a class lie side by side in the order of the rows: no two runs differ.
            aside = (np.arange(len(members)) * 0.618 % 1 - 0.5) * 0.55
            ax.scatter(
                q + aside, members, s=5, color=color, linewidths=0, alpha=0.8, gid=f"class-{q}",
                rasterized=len(column) > MOST_POINTS,
            )  # fmt: skip
            ink = "black"
        ax.plot([q - 0.35, q + 0.35], [np.median(members)] * 2, color=ink, linewidth=1.2)
    rotation = 0 if sum(map(len, names)) < 24 else 90
    ax.set_xticks(
        range(len(names)), [shown(name, LONGEST_TICK) for name in names], rotation=rotation
    )
    ax.set_xlim(-0.6, len(names) - 0.4)
