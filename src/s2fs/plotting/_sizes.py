"""A metric on held-out samples over the number of features."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator
from matplotlib.transforms import ScaledTranslation

from s2fs._utils.types import Floats
from s2fs.evaluation import Comparison
from s2fs.evaluation.comparison import MAJORITY
from s2fs.plotting.style import COLUMN_WIDTH, FONT_SIZE, axes_or_new, finish, line_styles, shown

#: Ticks nearer to each other than this share of the axis would have labels that overlap.
_TICK_GAP = 0.04
#: The longest name beside a line.
_LONGEST_LABEL = 18


def plot_sizes(
    comparison: Comparison,
    *,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the metric of a verdict on held-out samples over the number of features.

    Parameters
    ----------
    comparison : Comparison
        What :func:`s2fs.compare` returned for several numbers of features.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        A line for each selector, the first with the band of its 95 % interval, and for random
        features; level lines for all features and for the majority class. Names stand at the ends
        of the lines. Numbers of features are on a square-root scale, with a tick at each.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import s2fs
    >>> from s2fs.plotting import plot_sizes
    >>> X, y = load_wine(return_X_y=True)
    >>> found = s2fs.compare(X, y, k=[1, 2, 3, 5], selectors=["paircover", "anovaf"])
    >>> ax = plot_sizes(found)
    >>> [line.get_label() for line in ax.lines[:2]]
    ['PairCover', 'ANOVA F']
    """
    sizes = comparison.sizes
    if not sizes:
        raise ValueError("comparison has one size; give compare several, as in k=[1, 2, 5, 10].")
    ax = axes_or_new(ax, height=COLUMN_WIDTH * 0.7)
    rows = [comparison.at(size).rows for size in sizes]
    metric = comparison.metric
    names = [row.selector for row in rows[0]]
    levels = [name for name in names if name.startswith("all ") or name == MAJORITY]
    looks = line_styles([name for name in names if name not in levels])
    ends = {}
    for i, name in enumerate(names):
        estimates = [row[i].scores[metric.key] for row in rows]
        values = np.array([metric.scale * estimate.value for estimate in estimates])
        is_first = i == 0
        if name in levels:
            ends[name] = values[-1]
            style = ":" if name == MAJORITY else (0, (8, 3))
            ax.axhline(
                values[-1], color="0.4", linestyle=style, linewidth=0.8, zorder=2, label=name
            )
            continue
        look = looks[name]
        if is_first:
            low, high = metric.scale * np.array([estimate[1:3] for estimate in estimates], float).T
            ax.fill_between(
                sizes, low, high, color=look.color, alpha=0.14, linewidth=0, gid="interval"
            )
        ax.plot(
            sizes,
            values,
            color=look.color,
            linestyle="-" if is_first else look.linestyle,
            marker=look.marker,
            markersize=4 if is_first else 2.5,
            linewidth=2.0 if is_first else 1.0,
            label=shown(name),
            gid=f"line-{i}",
            zorder=4 if is_first else 3,
        )
        ends[name] = values[-1]
    finish(
        ax,
        xlabel="number of features",
        ylabel=f"{metric.name}, {metric.unit}" if metric.unit else metric.name,
        title=shown(title),
    )
    _scale_by_root(ax, sizes)
    bottom = min(ends.values())
    for line in ax.lines:
        bottom = min(bottom, float(np.min(line.get_ydata())))
    ax.set_ylim(max(0.0, bottom - 0.06 * metric.scale), 1.02 * metric.scale)
    ax.grid(color="0.5", alpha=0.2, linewidth=0.5)
    if comparison.size is not None:
        _mark_size(ax, comparison.size)
    _label_ends(ax, ends, {name: look.color for name, look in looks.items()})
    return ax


def _scale_by_root(ax: Axes, sizes: list[int]) -> None:
    """Put numbers of features on a square-root axis: small ones matter most and need the room."""
    ax.set_xscale("function", functions=(_signed_root, _signed_square))
    left, right = max(0.0, sizes[0] - 0.4), sizes[-1] * 1.01 + 0.02
    ax.set_xlim(left, right)
    width = np.sqrt(right) - np.sqrt(left)
    ticks: list[int] = []
    for size in reversed(sizes):  # the last one always has its tick
        if not ticks or (np.sqrt(ticks[-1]) - np.sqrt(size)) / width >= _TICK_GAP:
            ticks.append(size)
    ax.xaxis.set_major_locator(FixedLocator(ticks[::-1]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter("{x:.0f}")


def _signed_root(x: Floats) -> Floats:
    return np.sign(x) * np.sqrt(np.abs(x))


def _signed_square(x: Floats) -> Floats:
    return np.sign(x) * np.square(x)


def _mark_size(ax: Axes, size: int) -> None:
    """A line at the number that was asked for."""
    ax.axvline(size, color="black", linewidth=1.1, linestyle="-", zorder=1, gid="asked-for")
    ax.annotate(
        f"asked for: {size}",
        (size, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=FONT_SIZE,
        fontweight="bold",
        annotation_clip=False,
    )


def _label_ends(ax: Axes, ends: dict[str, float], colours: dict[str, str]) -> None:
    """Write each name at the right end of its line; labels that would touch are moved apart."""
    low, high = ax.get_ylim()
    # In points: what a label needs, and the height of the axes it is divided by.
    height = ax.get_window_extent().height * 72 / ax.figure.dpi
    gap = (high - low) * 1.25 * (FONT_SIZE - 0.5) / max(height, 1.0)
    order = sorted(ends, key=lambda name: -ends[name])
    place = {}
    above = np.inf
    for name in order:
        place[name] = min(ends[name], above - gap)
        above = place[name]
    lowest = min(place.values())
    if lowest < low:  # what has been pushed out below pushes the others up again
        below = low - gap
        for name in reversed(order):
            place[name] = max(place[name], below + gap)
            below = place[name]
    aside = ScaledTranslation(4 / 72, 0, ax.figure.dpi_scale_trans)
    for i, name in enumerate(order):
        ax.text(
            1,
            place[name],
            shown(name, _LONGEST_LABEL),
            transform=ax.get_yaxis_transform() + aside,
            va="center",
            fontsize=FONT_SIZE - 0.5,
            fontweight="bold" if name == next(iter(ends)) else "normal",
            color=colours.get(name, "black"),
            gid=f"label-{i}",
        )
