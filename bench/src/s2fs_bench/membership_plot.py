"""The fuzzy membership of samples in classes."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from s2fs.plotting.geometry import ClassGeometry
from s2fs.plotting.style import (
    COLUMN_WIDTH,
    LONGEST_TICK,
    SEQUENTIAL,
    axes_or_new,
    colour_bar,
    finish,
    names_or_numbers,
    pick_ticks,
    shown,
)


def plot_memberships(
    geometry: ClassGeometry,
    *,
    class_names: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the fuzzy membership of every sample in every class.

    Parameters
    ----------
    geometry : ClassGeometry
        What :func:`s2fs.plotting.class_geometry` returned.
    class_names : sequence of str, optional
        The names of the classes, in sorted order of the labels.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        A row for each class. The samples stand from left to right, class by class, the surest
        members first; those between classes are at the right end of their block.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs.plotting import class_geometry
    >>> from s2fs_bench import plot_memberships
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
    finish(ax, xlabel="samples, class by class", ylabel="membership in", title=shown(title))
    colour_bar(drawn, ax, "membership")
    return ax
