"""The samples in one plane of the selected features."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import scale

from s2fs.plotting.colours import CLASS_COLOURS, MOST_COLOURS, NEUTRAL
from s2fs.plotting.style import (
    COLUMN_WIDTH,
    LONGEST_TICK,
    MARKERS,
    MOST_POINTS,
    axes_or_new,
    coded,
    finish,
    legend_below,
    shown,
)


def plot_samples(
    X: ArrayLike,
    y: ArrayLike,
    *,
    class_names: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the samples in a plane of the selected features.

    The plane is that of the first two principal components; with more than ten classes that of the
    first two linear discriminants, in which the classes are furthest apart for their spread.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The selected features, two or more; each is standardised here.
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
            color=CLASS_COLOURS[q] if few else NEUTRAL,
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
