"""Why directions matter: two groups that distances cannot tell apart (Fig. 1 of the paper)."""

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from s2fs._core.criterion import components
from s2fs._util.types import Floats
from s2fs.plotting._classes import plot_plane
from s2fs.plotting.style import COLUMN_WIDTH, FONT_SIZE, new_figure


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
