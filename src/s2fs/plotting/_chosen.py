"""The chosen features: their values, which say the same, samples in one plane, how often chosen."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import ScaledTranslation
from numpy.typing import ArrayLike
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import scale

from s2fs._core.correlation import correlations
from s2fs._util.types import Indices
from s2fs.evaluation import Stability
from s2fs.plotting.geometry import stands_out
from s2fs.plotting.style import (
    COLOURS,
    COLUMN_WIDTH,
    DIVERGING,
    FONT_SIZE,
    LONGEST_TICK,
    MARKERS,
    MOST_COLOURS,
    MOST_POINTS,
    SEQUENTIAL,
    axes_or_new,
    coded,
    colour_bar,
    feature_names_or_numbers,
    finish,
    legend_below,
    new_figure,
    panel_grid,
    pick_ticks,
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
    values, codes, names = coded(X, y, class_names)
    (n, k), p = values.shape, len(names)
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
    values, codes, names = coded(X, y, class_names)
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


def plot_redundancy(
    X: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    threshold: float = 0.9,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the absolute correlation of every two features, similar ones side by side.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The chosen features.
    feature_names : sequence of str, optional
        The names of the features; by default "x0", "x1", ….
    threshold : float, default=0.9
        Pairs with |r| of this or more have a frame.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        The map; features are in the order of a hierarchical clustering by 1 − |r|.

    Examples
    --------
    >>> import numpy as np
    >>> from s2fs.plotting import plot_redundancy
    >>> x = np.random.default_rng(0).normal(size=(30, 3))
    >>> twins = np.column_stack([x[:, 0], x[:, 1], -x[:, 0]])
    >>> ax = plot_redundancy(twins, feature_names=["a", "b", "minus a"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['b', 'a', 'minus a']
    """
    values = np.asarray(X, dtype=np.float64)
    k = values.shape[1]
    names = feature_names_or_numbers(feature_names, k)
    r = np.abs(correlations(values))
    np.fill_diagonal(r, 1.0)
    order = _similar_together(r)
    table = r[np.ix_(order, order)]
    ax = axes_or_new(ax, height=COLUMN_WIDTH * 0.9)
    drawn = ax.imshow(table, cmap=SEQUENTIAL, vmin=0, vmax=1, interpolation="nearest")
    for i, j in np.argwhere(np.triu(table >= threshold, k=1)):
        for row, column in ((i, j), (j, i)):
            ax.add_patch(
                Rectangle(
                    (column - 0.5, row - 0.5),
                    1,
                    1,
                    fill=False,
                    edgecolor=COLOURS[0],
                    linewidth=1.0,
                    gid="redundant",
                )
            )
    ticks = pick_ticks(k, 40)
    size = min(FONT_SIZE - 0.5, 2 + 130 / k)
    labels = [shown(names[order[i]], LONGEST_TICK) for i in ticks]
    ax.set_xticks(ticks, labels, rotation=90)
    ax.set_yticks(ticks, labels)
    finish(ax, title=shown(title))
    ax.tick_params(labelsize=size, length=1.5)
    colour_bar(drawn, ax, "|r|", shrink=0.8)
    return ax


def _similar_together(r: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> list[int]:
    """An order in which features with a large |r| are near each other."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(r) < 3:
        return list(range(len(r)))
    return [int(i) for i in leaves_list(linkage(squareform(1 - r, checks=False), "average"))]


def plot_samples(
    X: ArrayLike,
    y: ArrayLike,
    *,
    class_names: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the samples in a plane of the chosen features.

    The plane is that of the first two principal components; with more than ten classes that of the
    first two linear discriminants, in which the classes are furthest apart for their spread.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The chosen features, two or more; each is standardised here.
    y : array-like of shape (n_samples,)
        Class labels.
    class_names : sequence of str, optional
        The names of the classes, in sorted order of the labels.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        Up to ten classes have a colour and a marker each. Of more classes the samples are grey,
        and names stand at the class medians.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs.plotting import plot_samples
    >>> X, y = load_wine(return_X_y=True)
    >>> ax = plot_samples(X, y)
    >>> ax.get_xlabel()
    'component 1 (36 % of the variance)'
    """
    values, codes, names = coded(X, y, class_names)
    if values.shape[1] < 2:
        raise ValueError("X has one column; give two or more features.")
    table = scale(values)
    few = len(names) <= MOST_COLOURS
    model = PCA(2, svd_solver="full") if few else LinearDiscriminantAnalysis(n_components=2)
    places = model.fit(table, codes).transform(table)
    # The sign of an axis is free; here the sample furthest from the middle is at its right end.
    places = places * np.sign(places[np.abs(places).argmax(axis=0), [0, 1]])
    ax = axes_or_new(ax, height=COLUMN_WIDTH * 0.95)
    for q, name in enumerate(names):
        members = places[codes == q]
        ax.scatter(
            members[:, 0],
            members[:, 1],
            s=12 if few else 6,
            color=COLOURS[q] if few else COLOURS[6],
            marker=MARKERS[q % len(MARKERS)] if few else "o",
            linewidths=0,
            alpha=0.85 if few else 0.6,
            label=shown(name),
            gid=f"class-{q}",
            rasterized=len(values) > MOST_POINTS,
        )
        if not few:
            ax.annotate(
                shown(name, LONGEST_TICK),
                tuple(np.median(members, axis=0)),
                ha="center",
                va="center",
                fontsize=5.5,
                fontweight="bold",
            )
    of, share = ("variance" if few else "separation"), 100 * model.explained_variance_ratio_
    what = "component" if few else "discriminant"
    xlabel, ylabel = (f"{what} {i + 1} ({share[i]:.0f} % of the {of})" for i in (0, 1))
    finish(ax, xlabel=xlabel, ylabel=ylabel, title=shown(title))
    if few:
        legend_below(ax, names)
    return ax


def plot_stability(
    frequencies: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    n_shown: int = 20,
    threshold: float | None = None,
    stability: Stability | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw in which share of the subsamples the most frequent features were chosen.

    Parameters
    ----------
    frequencies : array-like of shape (n_features,)
        The ``frequencies_`` of a fitted :class:`s2fs.StabilitySelector`.
    feature_names : sequence of str, optional
        The names of the features; by default "x0", "x1", ….
    n_shown : int, default=20
        How many features to show, the most frequent first; fewer if no more were ever chosen.
    threshold : float, optional
        A frequency to mark; features that reach it are filled.
    stability : Stability, optional
        The ``stability_`` of the selector, to be written below.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        A bar for each feature, the most frequent on top.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import S2FS, StabilitySelector
    >>> from s2fs.plotting import plot_stability
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> stable = StabilitySelector(selector=S2FS(3), n_resamples=10).fit(X, y)
    >>> ax = plot_stability(stable.frequencies_, feature_names=X.columns, threshold=0.8)
    >>> [label.get_text() for label in ax.get_yticklabels()][:2]
    ['flavanoids', 'color_intensity']
    """
    values = np.asarray(frequencies, dtype=np.float64)
    names = feature_names_or_numbers(feature_names, len(values))
    order = np.lexsort((np.arange(len(values)), -values))[:n_shown]
    order = order[values[order] > 0]
    if not len(order):
        raise ValueError("frequencies has no feature that was ever chosen; nothing to draw.")
    # A line of text for each bar, and room for the axis.
    ax = axes_or_new(ax, height=max(COLUMN_WIDTH * 0.4, 0.15 * len(order) + 0.7))
    reached = values[order] >= (0.0 if threshold is None else threshold)
    places = np.arange(len(order))
    ax.barh(
        places,
        values[order],
        height=0.7,
        color=[COLOURS[1] if enough else "none" for enough in reached],
        edgecolor=COLOURS[1],
        linewidth=0.8,
    )
    if threshold is not None:
        ax.axvline(threshold, color=COLOURS[0], linestyle="--", linewidth=1.0, gid="threshold")
    ax.set_yticks(places, [shown(names[f]) for f in order])
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.set_xlim(0, 1)
    label = "share of subsamples"
    if stability is not None:
        label += (
            f"\nstability {stability.value:.2f}, {stability.confidence:.0%} interval "
            f"{stability.low:.2f} to {stability.high:.2f}"
        )
    finish(ax, xlabel=label, title=shown(title))
    ax.tick_params(axis="y", labelsize=FONT_SIZE - 0.5, length=0)
    return ax
