"""Drawings of comparisons: ranks (Fig. 9 of the paper), weights (12, 17), variants (13, 18)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from s2fs.criteria.separability import PAPER_GRID
from s2fs.plotting.colours import ACCENT, INKS
from s2fs.plotting.style import (
    COLUMN_WIDTH,
    FONT_SIZE,
    MARKERS,
    SEQUENTIAL,
    axes_or_new,
    colour_bar,
    finish,
    new_figure,
    shown,
)
from s2fs_bench.statistics import NemenyiResult
from s2fs_bench.times import Times

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The smallest and the largest weight the paper recommends.
RECOMMENDED = (0.01, 0.0562)

# Heights of the diagram in lines of text, downwards from the axis at 0.
_CD_BAR = -1.6
_FIRST_GROUP = 0.45
_BETWEEN_GROUPS = 0.45
_BETWEEN_NAMES = 1.0
#: In inches: the least width of the axis for each rank, and a letter of a bold name, about.
_AXIS_PER_RANK, _LETTER = 0.17, 0.58 * FONT_SIZE / 72


def plot_critical_difference(
    result: NemenyiResult,
    *,
    labels: Mapping[str, str] | None = None,
    highlight: str | None = "S2FS",
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw average ranks, with a bar over each group that the Nemenyi test cannot tell apart.

    Parameters
    ----------
    result : NemenyiResult
        What :func:`nemenyi_test` returned.
    labels : mapping of str to str, optional
        What to call an algorithm instead of its name, such as "FDM†".
    highlight : str, optional
        The algorithm that is drawn bold and in colour.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        Rank 1, the best, is at the left. The lines of the groups have the ids "group-0",
        "group-1", …, that of the critical difference "cd".

    Examples
    --------
    >>> from s2fs_bench import nemenyi_test, plot_critical_difference
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.7], [0.9, 0.8, 0.5]]
    >>> ax = plot_critical_difference(nemenyi_test(scores, names=["S2FS", "FDM", "IPD"]))
    >>> [line.get_xdata().tolist() for line in ax.lines if line.get_gid() == "group-0"]
    [[1.0, 2.25]]
    """
    s = len(result.names)
    rank_of = dict(zip(result.names, result.average_ranks.tolist(), strict=True))
    order = sorted(result.names, key=lambda name: rank_of[name])
    left = order[: (s + 1) // 2]
    right = order[len(left) :][::-1]  # the outermost first, so that no two lines cross
    below_groups = _FIRST_GROUP + _BETWEEN_GROUPS * len(result.groups) + 0.5
    bottom = below_groups + _BETWEEN_NAMES * (max(len(left), len(right)) - 1) + 0.6

    texts = {
        name: f" {shown((labels or {}).get(name, name))} ({rank_of[name]:.2f}) " for name in order
    }
    # Names need room beside the axis, which must stay wide enough for its numbers.
    beside = [max(len(texts[name]) for name in names) * _LETTER for names in (left, right)]
    axis = max(_AXIS_PER_RANK * s, COLUMN_WIDTH - sum(beside))
    if ax is None:
        width = axis + sum(beside)
        ax = new_figure(width, 0.17 * (bottom - _CD_BAR + 2)).add_subplot()
    ax.set_axis_off()
    ax.plot([1, s], [0, 0], color="black", linewidth=0.8)
    for rank in range(1, s + 1):
        ax.plot([rank, rank], [0, -0.25], color="black", linewidth=0.8)
        ax.text(rank, -0.35, str(rank), ha="center", va="bottom", fontsize=FONT_SIZE)
    cd = result.critical_difference
    ax.plot([1, 1 + cd], [_CD_BAR] * 2, "-|", color="black", linewidth=1.4, gid="cd")
    ax.text(1 + cd / 2, _CD_BAR - 0.25, f"CD = {cd:.3f}", ha="center", fontsize=FONT_SIZE)
    for i, group in enumerate(result.groups):
        height = _FIRST_GROUP + _BETWEEN_GROUPS * i
        ends = [min(rank_of[name] for name in group), max(rank_of[name] for name in group)]
        ax.plot(
            ends, [height] * 2, color="black", linewidth=3, solid_capstyle="butt", gid=f"group-{i}"
        )
    margin = 0.06 * (s - 1)
    sides: tuple[tuple[list[str], Literal["left", "right"], float], ...] = (
        (left, "right", 1 - margin),
        (right, "left", s + margin),
    )
    for names, side, edge in sides:
        for i, name in enumerate(names):
            height = below_groups + _BETWEEN_NAMES * i
            average, ours = rank_of[name], name == highlight
            ax.plot(  # from the rank on the axis down and out to the name
                [average, average, edge],
                [0, height, height],
                color=ACCENT if ours else "0.45",
                linewidth=1.4 if ours else 0.7,
            )
            ax.text(
                edge,
                height,
                texts[name],
                ha=side,
                va="center",
                fontsize=FONT_SIZE,
                fontweight="bold" if ours else "normal",
                in_layout=False,
            )
    per_inch = (s - 1 + 2 * margin) / axis
    ax.set_xlim(1 - margin - beside[0] * per_inch, s + margin + beside[1] * per_inch)
    ax.set_ylim(bottom, _CD_BAR - 1)
    if title:
        ax.set_title(shown(title), fontsize=FONT_SIZE + 1)
    return ax


def plot_sensitivity(
    scores: ArrayLike,
    *,
    alphas: ArrayLike = PAPER_GRID,
    betas: ArrayLike = PAPER_GRID,
    label: str = "average accuracy",
    limits: tuple[float, float] | None = None,
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a score over the grid of weights; mark the recommended region and the best weighting.

    Parameters
    ----------
    scores : array-like of shape (n_alphas, n_betas)
        Larger is better.
    alphas, betas : array-like, default=the nine values of the paper
        The weights, increasing.
    label : str, default="average accuracy"
        What the score is.
    limits : tuple of float, optional
        The scores at both ends of the colours, to compare maps; by default those of this map.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        The axes; α grows upwards and β to the right.

    Examples
    --------
    >>> import numpy as np
    >>> from s2fs_bench import plot_sensitivity
    >>> ax = plot_sensitivity(np.eye(9))
    >>> ax.get_xlabel(), ax.patches[0].get_width()
    ('β', 4.0)
    """
    values = np.asarray(scores, dtype=np.float64)
    rows, columns = np.asarray(alphas, dtype=np.float64), np.asarray(betas, dtype=np.float64)
    if values.shape != (len(rows), len(columns)):
        raise ValueError(
            f"scores has shape {values.shape}, but there are {len(rows)} alphas and "
            f"{len(columns)} betas; give a row per alpha and a column per beta."
        )
    ax = axes_or_new(ax, height=COLUMN_WIDTH * 0.8)
    low, high = (None, None) if limits is None else limits
    drawn = ax.imshow(
        values, cmap=SEQUENTIAL, origin="lower", interpolation="nearest", vmin=low, vmax=high
    )
    inside = [
        np.flatnonzero((RECOMMENDED[0] <= w) & (w <= RECOMMENDED[1])) for w in (columns, rows)
    ]
    if all(len(where) for where in inside):
        corner = [float(where[0]) - 0.5 for where in inside]
        ax.add_patch(
            Rectangle(
                (corner[0], corner[1]),
                float(len(inside[0])),
                float(len(inside[1])),
                fill=False,
                edgecolor=ACCENT,
                linewidth=1.8,
                label="recommended",
            )
        )
    best = np.unravel_index(int(np.nanargmax(values)), values.shape)
    ax.plot(best[1], best[0], "*", color="white", markeredgecolor="black", markersize=8)
    ax.set_xticks(range(len(columns)), [f"{w:g}" for w in columns], rotation=90)
    ax.set_yticks(range(len(rows)), [f"{w:g}" for w in rows])
    finish(ax, xlabel="β", ylabel="α", title=shown(title))
    colour_bar(drawn, ax, label, shrink=0.9)
    return ax


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
    >>> from s2fs_bench import plot_variants
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
            medianprops={"color": ACCENT, "linewidth": 1.8},
            flierprops={"marker": "o", "markersize": 3},
        )
    else:
        for row in np.stack(columns, axis=1):
            ax.plot(places, row, color="0.6", linewidth=0.5, zorder=1)
        for i, column in enumerate(columns):
            color, marker = INKS[i % len(INKS)].light, MARKERS[i % len(MARKERS)]
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


def plot_times(times: Times, *, ax: "Axes | None" = None) -> "Axes":
    """Draw how long one selection takes, on a logarithmic axis.

    Parameters
    ----------
    times : Times
        What :func:`selection_times` returned.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        A line for each selector, the fastest on top, with a dot for each dataset and a bar at the
        median.

    Examples
    --------
    >>> import numpy as np
    >>> from s2fs_bench.plots import plot_times
    >>> from s2fs_bench.times import Times
    >>> ax = plot_times(Times(("a", "b"), ("slow", "fast"), np.array([[90.0, 1.0], [70.0, 2.0]])))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['fast', 'slow']
    """
    medians = np.nanmedian(times.milliseconds, axis=0)
    order = np.argsort(medians, kind="stable")
    ax = axes_or_new(ax, height=0.55 + 0.16 * len(order))
    for line, j in enumerate(order):
        ax.plot(
            times.milliseconds[:, j],
            np.full(len(times.datasets), line),
            "o",
            color=ACCENT,
            markersize=3,
            alpha=0.6,
            markeredgewidth=0,
        )
        ax.plot([medians[j], medians[j]], [line - 0.32, line + 0.32], color="black", linewidth=1.6)
    ax.set_xscale("log")
    ax.set_yticks(range(len(order)), [shown(times.selectors[j]) for j in order])
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.grid(axis="x", color="0.5", alpha=0.25, linewidth=0.5)
    finish(ax, xlabel="milliseconds of one selection")
    ax.tick_params(axis="y", length=0)
    return ax


def plot_spread(
    scores: Mapping[str, ArrayLike],
    *,
    label: str = "average accuracy",
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Compare variants by all their scores, with as many for each as there are.

    Parameters
    ----------
    scores : mapping of str to array-like
        The scores of each variant, such as one for each weighting.
    label : str, default="average accuracy"
        What the score is.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        The axes, with the variants from left to right and a bar at the median of each.

    Examples
    --------
    >>> from s2fs_bench import plot_spread
    >>> ax = plot_spread({"S2FS": [0.9, 0.8, 0.95], "S²–DWC–DBS": [0.85]})
    >>> [float(line.get_ydata()[0]) for line in ax.lines if line.get_gid() == "median-1"]
    [0.85]
    """
    ax = axes_or_new(ax)
    for i, values in enumerate(scores.values()):
        column = np.sort(np.asarray(values, dtype=np.float64))
        color, marker = INKS[i % len(INKS)].light, MARKERS[i % len(MARKERS)]
        # Side by side in the order of the scores: equal ones would hide each other.
        places = i + np.linspace(-0.3, 0.3, len(column)) if len(column) > 1 else np.array([i])
        ax.plot(places, column, marker, color=color, markersize=2, alpha=0.6)
        middle = np.median(column)
        ax.plot([i - 0.35, i + 0.35], [middle] * 2, color=color, linewidth=1.8, gid=f"median-{i}")
    ax.set_xticks(range(len(scores)), [shown(name) for name in scores], rotation=30)
    finish(ax, ylabel=label, title=shown(title))
    ax.grid(axis="y", color="0.5", alpha=0.2, linewidth=0.5)
    return ax
