"""Which selected features say the same."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from s2fs._utils.types import Floats
from s2fs.criteria.correlation import correlations
from s2fs.plotting.colours import ACCENT
from s2fs.plotting.style import (
    COLUMN_WIDTH,
    FONT_SIZE,
    LONGEST_TICK,
    SEQUENTIAL,
    axes_or_new,
    colour_bar,
    feature_names_or_numbers,
    finish,
    pick_ticks,
    shown,
)


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
        The selected features.
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
    >>> repeated = np.column_stack([x[:, 0], x[:, 1], -x[:, 0]])
    >>> ax = plot_redundancy(repeated, feature_names=["a", "b", "minus a"])
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
                    edgecolor=ACCENT,
                    linewidth=1.0,
                    gid=f"redundant-{row}-{column}",
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


def _similar_together(r: Floats) -> list[int]:
    """An order in which features with a large |r| are near each other."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(r) < 3:
        return list(range(len(r)))
    return [int(i) for i in leaves_list(linkage(squareform(1 - r, checks=False), "average"))]
