"""The samples in one plane of the selected features."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from sklearn.decomposition import PCA
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
    misclassified: ArrayLike | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the samples in the plane of the first two principal components of selected features.

    It describes these samples: features that were selected on them part them better than others.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The selected features, two or more; each is standardised here.
    y : array-like of shape (n_samples,)
        Class labels.
    class_names : sequence of str, optional
        The names of the classes, in sorted order of the labels.
    misclassified : array-like of bool of shape (n_samples,), optional
        The samples that get a ring, such as those misclassified when they were held out.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        Up to ten classes have a colour and a marker each. Of more classes the samples are grey,
        and names stand at the class medians. The points of class q have the id "class-q".

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
    is_ringed = _as_mask(misclassified, len(values))
    few = len(names) <= MOST_COLOURS
    model = PCA(2, svd_solver="full")
    places = model.fit_transform(scale(values))
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
    if is_ringed.any():
        ringed = places[is_ringed]
        ax.scatter(
            ringed[:, 0], ringed[:, 1], s=42, facecolors="none", edgecolors="black",
            linewidths=0.9, gid="misclassified", rasterized=len(values) > MOST_POINTS,
        )  # fmt: skip
    share = 100 * model.explained_variance_ratio_
    xlabel, ylabel = (f"component {i + 1} ({share[i]:.0f} % of the variance)" for i in (0, 1))
    finish(ax, xlabel=xlabel, ylabel=ylabel, title=shown(title))
    if few:
        legend_below(ax, names)
    return ax


def _as_mask(
    misclassified: ArrayLike | None, n: int
) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Which samples get a ring."""
    if misclassified is None:
        return np.zeros(n, dtype=bool)
    mask = np.asarray(misclassified)
    if mask.dtype != bool or mask.shape != (n,):
        raise ValueError(
            f"misclassified has the type {mask.dtype} and the shape {mask.shape}; give True or "
            f"False for each of the {n} samples."
        )
    return mask
