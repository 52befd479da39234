"""The full criterion against its variants (Figs. 13 and 18 of the paper)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from s2fs.plotting.style import COLOURS, MARKERS, axes_or_new, finish, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_variants(
    scores: Mapping[str, ArrayLike],
    *,
    kind: Literal["strip", "box"] = "strip",
    label: str = "average accuracy",
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Compare variants by their scores on the same datasets or folds.

    Parameters
    ----------
    scores : mapping of str to array-like of shape (n,)
        The scores of each variant; position i is the same dataset or fold in all.
    kind : {"strip", "box"}, default="strip"
        A point for each score, joined where they belong together, with a bar at the median; or
        boxes from quartile to quartile with the median inside.
    label : str, default="average accuracy"
        What the score is.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        The axes, with the variants from left to right.

    Examples
    --------
    >>> from s2fs.plotting import plot_variants
    >>> ax = plot_variants({"S2FS": [0.9, 0.8, 0.95], "S²–DWC": [0.85, 0.8, 0.9]})
    >>> [tick.get_text() for tick in ax.get_xticklabels()]
    ['S²FS', 'S²–DWC']
    """
    if kind not in ("strip", "box"):
        raise ValueError(f"kind is {kind!r}; use 'strip' or 'box'.")
    columns = [np.asarray(values, dtype=np.float64) for values in scores.values()]
    if len({column.shape for column in columns}) != 1 or columns[0].ndim != 1:
        raise ValueError("scores must hold one score per dataset for every variant; complete them.")
    ax = axes_or_new(ax)
    places = np.arange(len(columns))
    if kind == "box":
        ax.boxplot(
            columns,
            positions=places,
            widths=0.5,
            medianprops={"color": COLOURS[0], "linewidth": 1.8},
            flierprops={"marker": "o", "markersize": 3},
        )
    else:
        for row in np.stack(columns, axis=1):
            ax.plot(places, row, color="0.6", linewidth=0.5, zorder=1)
        for i, column in enumerate(columns):
            color, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
            ax.plot(np.full(len(column), i), column, marker, color=color, markersize=4)
            ax.plot(
                [i - 0.25, i + 0.25],
                [np.median(column)] * 2,
                color=color,
                linewidth=2.5,
                gid=f"median-{i}",
            )
    ax.set_xticks(places, [shown(name) for name in scores])
    ax.set_xlim(-0.5, len(columns) - 0.5)
    finish(ax, ylabel=label, title=shown(title))
    ax.grid(axis="y", color="0.5", alpha=0.2, linewidth=0.5)
    return ax
