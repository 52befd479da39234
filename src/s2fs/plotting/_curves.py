"""Curves over the number of features: of algorithms, of accuracy, of Sep and its components."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from s2fs._core.criterion import PERFECT
from s2fs.evaluation import Comparison, Curve
from s2fs.evaluation.comparison import MAJORITY
from s2fs.plotting.style import (
    COLOURS,
    COLUMN_WIDTH,
    FONT_SIZE,
    MARKERS,
    LineStyle,
    axes_or_new,
    finish,
    integer_ticks,
    legend_below,
    line_styles,
    new_figure,
    panel_grid,
    shown,
)

#: The lines of all selectors but the first in a figure of sizes.
_LINES = ("--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
#: The line of what does not compete.
_NOT_COMPETING = LineStyle("0.45", "--", "")
#: The longest label of a legend: one that says how an algorithm was tuned must not lose that.
_LONGEST_LABEL = 64
#: Field of the path, label, colour and line style.
_COMPONENTS = (
    ("lambda_dis", r"$\Lambda_{\mathrm{dis}}$, apart", COLOURS[1], "-"),
    ("lambda_dir", r"$\Lambda_{\mathrm{dir}}$, turned apart", COLOURS[1], ":"),
    ("theta_dis", r"$\Theta_{\mathrm{dis}}$, wide", COLOURS[5], "-"),
    ("theta_dir", r"$\Theta_{\mathrm{dir}}$, turned away", COLOURS[5], ":"),
)
_SCORES = {"accuracy": "accuracy", "nmi": "normalised mutual information"}


def plot_curves(
    curves: Mapping[str, Curve],
    *,
    highlight: str | None = "S2FS",
    labels: Mapping[str, str] | None = None,
    dashed: Collection[str] = (),
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the main score of each algorithm over the number of features.

    Parameters
    ----------
    curves : mapping of str to Curve
        The curve of each algorithm, all of the same learner.
    highlight : str, optional
        The algorithm that is drawn thicker and on top of the others.
    labels : mapping of str to str, optional
        What to call an algorithm instead of its name, such as "FDM†".
    dashed : collection of str, default=()
        Algorithms that do not compete, such as one tuned on the test results: a dashed grey line.
    title : str, default=""
        What to write above, such as the dataset.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        The axes with one line for each algorithm.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import S2FS
    >>> from s2fs.baselines import FDM
    >>> from s2fs.evaluation import prefix_curves
    >>> from s2fs.plotting import plot_curves
    >>> X, y = load_wine(return_X_y=True)
    >>> curves = {
    ...     name: prefix_curves(X, y, selector, learners=["knn"], cv=3)["knn"]
    ...     for name, selector in {"S2FS": S2FS(5), "FDM": FDM(5)}.items()
    ... }
    >>> ax = plot_curves(curves, title="Wine")
    >>> [line.get_label() for line in ax.lines]
    ['S²FS', 'FDM']
    """
    if not curves:
        raise ValueError("curves is empty; give the curve of at least one algorithm.")
    scores = {next(iter(curve.scores)) for curve in curves.values()}
    if len(scores) > 1:
        raise ValueError(
            f"curves mixes the scores {' and '.join(sorted(scores))}; draw them in two figures."
        )
    (score,) = scores
    # A figure with more algorithms is higher by the lines of its legend.
    ax = axes_or_new(ax, height=COLUMN_WIDTH * 0.75 + 0.06 * len(curves))
    looks = line_styles([name for name in curves if name not in dashed])
    for i, name in enumerate(curves):
        curve, on_top = curves[name], name == highlight and name not in dashed
        look = looks.get(name, _NOT_COMPETING)
        step = max(1, len(curve.sizes) // 8)
        ax.plot(
            curve.sizes,
            curve.values,
            label=shown((labels or {}).get(name, name), _LONGEST_LABEL),
            **look._asdict(),
            linewidth=1.8 if on_top else 0.9,
            markersize=4 if on_top else 3,
            # Starting apart, the markers of curves that run together do not hide each other.
            markevery=(i % step, step),
            zorder=3 if on_top else 2,
        )
    finish(ax, xlabel="number of features", ylabel=_SCORES.get(score, score), title=shown(title))
    integer_ticks(ax)
    ax.grid(color="0.5", alpha=0.2, linewidth=0.5)
    if len(curves) > 1:
        legend_below(ax, [line.get_label() for line in ax.lines])
    return ax


def plot_curve_panels(
    panels: Mapping[str, Mapping[str, Curve]],
    *,
    highlight: str | None = "S2FS",
    labels: Mapping[str, str] | None = None,
    dashed: Collection[str] = (),
    note: str = "",
) -> Figure:
    """Draw the curves on several datasets side by side, with one legend.

    Parameters
    ----------
    panels : mapping of str to mapping of str to Curve
        For each dataset the curve of each algorithm.
    highlight : str, optional
        The algorithm that is drawn thicker, as in :func:`plot_curves`.
    labels : mapping of str to str, optional
        What to call an algorithm instead of its name.
    dashed : collection of str, default=()
        The algorithms that do not compete, as in :func:`plot_curves`.
    note : str, default=""
        What to write above the legend.

    Returns
    -------
    Figure
        A figure as wide as a page with two columns.

    Examples
    --------
    >>> import numpy as np
    >>> from s2fs.evaluation import Curve
    >>> from s2fs.plotting import plot_curve_panels
    >>> curve = Curve("knn", np.array([1, 2]), {"accuracy": np.array([0.5, 0.75])})
    >>> figure = plot_curve_panels({"Wine": {"S2FS": curve}, "Iris": {"S2FS": curve, "FDM": curve}})
    >>> [ax.get_title() for ax in figure.axes]
    ['Wine', 'Iris']
    """
    figure, axes = panel_grid(len(panels))
    entries = {}
    for ax, (title, curves) in zip(axes, panels.items(), strict=True):
        plot_curves(curves, highlight=highlight, labels=labels, dashed=dashed, title=title, ax=ax)
        if legend := ax.get_legend():
            legend.remove()
        entries.update({str(line.get_label()): line for line in ax.lines})
    figure.legend(
        list(entries.values()),
        list(entries),
        loc="outside lower center",
        fontsize=FONT_SIZE,
        ncols=5,
        frameon=False,
        handlelength=2.8,
        title=note or None,
        title_fontsize=FONT_SIZE,
    )
    return figure


def plot_sizes(
    comparison: Comparison,
    *,
    recommended: int | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the accuracy on held-out samples over the number of features.

    Parameters
    ----------
    comparison : Comparison
        What :func:`s2fs.compare` returned for several numbers of features.
    recommended : int, optional
        A number of features to mark: the area up to it is shaded.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        A line for each selector, the first with the band of its 95 % interval, and for random
        features; level lines for all features and for the majority class.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import s2fs
    >>> from s2fs.plotting import plot_sizes
    >>> X, y = load_wine(return_X_y=True)
    >>> found = s2fs.compare(X, y, k=[1, 2, 3, 5], selectors=["paircover", "anovaf"])
    >>> ax = plot_sizes(found, recommended=3)
    >>> [line.get_label() for line in ax.lines[:2]]
    ['PairCover', 'ANOVA F']
    """
    sizes = comparison.sizes
    if not sizes:
        raise ValueError("comparison has one size; give compare several, as in k=[1, 2, 5, 10].")
    ax = axes_or_new(ax, height=COLUMN_WIDTH * 0.8)
    if recommended is not None:
        ax.axvspan(0, recommended, color="0.5", alpha=0.16, linewidth=0, gid="recommended")
    rows = [comparison.at(size).rows for size in sizes]
    names = [row["selector"] for row in rows[0]]
    levels = [name for name in names if name.startswith("all ") or name == MAJORITY]
    for i, name in enumerate(names):
        if name in levels:
            continue
        accuracy = [100 * row[i]["accuracy"] for row in rows]
        first, color = i == 0, COLOURS[i % len(COLOURS)]
        if first:
            low = [100 * row[0]["accuracy_low"] for row in rows]
            high = [100 * row[0]["accuracy_high"] for row in rows]
            ax.fill_between(sizes, low, high, color=color, alpha=0.2, linewidth=0, gid="interval")
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
    for name, line in zip(levels, ("-", ":"), strict=True):
        level = 100 * next(row for row in rows[-1] if row["selector"] == name)["accuracy"]
        ax.axhline(level, color="black", linestyle=line, linewidth=0.8, label=shown(name), zorder=2)
    finish(
        ax,
        xlabel="number of features",
        ylabel="accuracy on held-out samples, %",
        title=shown(title),
    )
    ax.set_xlim(min(0.5, sizes[0] / 2), sizes[-1] * 1.02 + 0.2)
    integer_ticks(ax)
    ax.grid(color="0.5", alpha=0.2, linewidth=0.5)
    legend_below(ax, names)
    ax.tick_params(labelsize=FONT_SIZE - 0.5)
    return ax


def plot_path(path: NDArray[Any], *, suggested: int | None = None, title: str = "") -> Figure:
    """Draw Sep and its four components over the number of selected features.

    Parameters
    ----------
    path : structured ndarray of shape (n_selected,)
        The ``path_`` of a fitted :class:`s2fs.S2FS`.
    suggested : int, optional
        A number of features to mark.
    title : str, default=""
        What to write above.

    Returns
    -------
    Figure
        Sep above, the components below: separation Λ, which should be large, and compactness Θ,
        which should be small.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import S2FS
    >>> from s2fs.plotting import plot_path
    >>> selector = S2FS(6).fit(*load_wine(return_X_y=True))
    >>> figure = plot_path(selector.path_, suggested=2)
    >>> len(figure.axes[0].lines), len(figure.axes[1].lines)
    (2, 5)
    """
    sizes = np.arange(1, len(path) + 1)
    figure = new_figure(height=COLUMN_WIDTH * 1.05)
    above, below = figure.subplots(2, 1, sharex=True)
    look: dict[str, Any] = {"linewidth": 1.3, "markersize": 3, "markevery": max(1, len(path) // 25)}
    # A gap where Sep is that of single points: all else would be flat beside it.
    sep = np.where(path["sep"] < PERFECT, path["sep"], np.nan)
    above.plot(sizes, sep, "-o", color=COLOURS[0], gid="sep", **look)
    for field, label, color, line in _COMPONENTS:
        below.plot(sizes, path[field], line, color=color, label=label, marker=".", **look)
    if suggested is not None:
        for ax in (above, below):
            ax.axvline(suggested, color="0.5", linestyle="--", linewidth=0.9, zorder=1)
        above.annotate(
            f" {suggested}",
            (suggested, 0),
            xycoords=("data", "axes fraction"),
            va="bottom",
            fontsize=FONT_SIZE,
        )
    finish(above, ylabel="Sep", title=title)
    finish(below, xlabel="number of features", ylabel="components")
    # Outside the axes: inside, no place is free of lines for every path.
    figure.legend(
        *below.get_legend_handles_labels(),
        loc="outside lower center",
        fontsize=FONT_SIZE - 1,
        ncols=2,
        frameon=False,
    )
    integer_ticks(below)
    for ax in (above, below):
        ax.grid(color="0.5", alpha=0.2, linewidth=0.5)
    return figure
