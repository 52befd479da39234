"""Which classes are near each other, as a tree."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import dendrogram, linkage
from scipy.spatial.distance import squareform

from s2fs.plotting.geometry import class_geometry
from s2fs.plotting.style import FONT_SIZE, axes_or_new, coded, finish, shown


def plot_class_tree(
    X: ArrayLike,
    y: ArrayLike,
    *,
    class_names: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the classes as a tree: those that are hard to tell apart join first.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The selected features, on one scale such as [0, 1].
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
        A line of text for each class. Two branches join at the mean distance of their centroids, in
        units of the mean distance of the samples to their own.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.plotting import plot_class_tree
    >>> data = load_iris()
    >>> ax = plot_class_tree(data.data, data.target, class_names=data.target_names)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['setosa', 'versicolor', 'virginica']
    """
    values, codes, names = coded(X, y, class_names)
    apart = class_geometry(values, codes).separation
    finite = apart[np.isfinite(apart)]
    apart = np.where(np.isinf(apart), max(1.0, 2 * finite.max(initial=0.0)), apart)
    np.fill_diagonal(apart, 0.0)
    tree = dendrogram(linkage(squareform(apart, checks=False), "average"), no_plot=True)
    ax = axes_or_new(ax, height=0.6 + 0.125 * len(names))
    for across, down in zip(tree["dcoord"], tree["icoord"], strict=True):
        ax.plot(across, down, color="0.35", linewidth=1.0)
    # scipy puts the leaves at 5, 15, 25, …
    places = 5 + 10 * np.arange(len(names))
    ax.set_yticks(places, [shown(names[q]) for q in tree["leaves"]])
    ax.set_ylim(10 * len(names), 0)
    ax.set_xlim(left=0)
    finish(ax, xlabel="distance of centroids / within-class distance", title=shown(title))
    ax.tick_params(axis="y", length=0, labelsize=FONT_SIZE - 0.5)
    ax.spines["left"].set_visible(False)
    return ax
