"""How many features are needed: accuracy on unseen rows over their number."""

from matplotlib.axes import Axes

from s2fs.evaluation import Comparison
from s2fs.plotting.style import (
    COLOURS,
    COLUMN_WIDTH,
    FONT_SIZE,
    MARKERS,
    axes_or_new,
    finish,
    integer_ticks,
    legend_below,
    shown,
)

_LINES = ("--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))


def plot_sizes(
    comparison: Comparison,
    *,
    needed: int | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the accuracy on unseen rows over the number of features.

    Parameters
    ----------
    comparison : Comparison
        What :func:`s2fs.compare` returned for several numbers of features.
    needed : int, optional
        A number of features to mark: the area up to it is shaded.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        A line for each selector, the first with a band of one standard deviation over the folds;
        level lines for all features and for chance.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import s2fs
    >>> from s2fs.plotting import plot_sizes
    >>> X, y = load_wine(return_X_y=True)
    >>> ax = plot_sizes(s2fs.compare(X, y, k=[1, 2, 3, 5], selectors=["pairs", "anovaf"]), needed=3)
    >>> [line.get_label() for line in ax.lines[:2]]
    ['pairs', 'anovaf']
    """
    sizes = comparison.sizes
    if not sizes:
        raise ValueError("comparison has one size; give compare several, as in k=[1, 2, 5, 10].")
    ax = axes_or_new(ax, height=COLUMN_WIDTH * 0.8)
    if needed is not None:
        ax.axvspan(0, needed, color="0.5", alpha=0.16, linewidth=0, gid="needed")
    rows = [comparison.at(size).rows for size in sizes]
    names = [row["selector"] for row in rows[0]]
    for i, name in enumerate(names[:-2]):
        accuracy = [100 * row[i]["accuracy"] for row in rows]
        first, color = i == 0, COLOURS[i % len(COLOURS)]
        if first:
            spread = [100 * row[0]["accuracy_spread"] for row in rows]
            low = [a - s for a, s in zip(accuracy, spread, strict=True)]
            high = [min(100.0, a + s) for a, s in zip(accuracy, spread, strict=True)]
            ax.fill_between(sizes, low, high, color=color, alpha=0.2, linewidth=0, gid="spread")
        ax.plot(
            sizes,
            accuracy,
            color=color,
            linestyle="-" if first else _LINES[(i - 1) % len(_LINES)],
            marker=MARKERS[i % len(MARKERS)],
            markersize=3.5 if first else 2.5,
            linewidth=1.8 if first else 1.0,
            label=shown(name),
            gid=f"line-{i}",
            zorder=4 if first else 3,
        )
    for name, line in zip(names[-2:], ("-", ":"), strict=True):
        level = 100 * next(row for row in rows[-1] if row["selector"] == name)["accuracy"]
        ax.axhline(level, color="black", linestyle=line, linewidth=0.8, label=shown(name), zorder=2)
    finish(ax, xlabel="number of features", ylabel="accuracy on unseen rows, %", title=shown(title))
    ax.set_xlim(min(0.5, sizes[0] / 2), sizes[-1] * 1.02 + 0.2)
    integer_ticks(ax)
    ax.grid(color="0.5", alpha=0.2, linewidth=0.5)
    legend_below(ax, names)
    ax.tick_params(labelsize=FONT_SIZE - 0.5)
    return ax
