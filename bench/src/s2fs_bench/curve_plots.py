"""Curves of algorithms over the number of features."""

from collections.abc import Collection, Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from s2fs.evaluation import Curve
from s2fs.plotting.style import (
    COLUMN_WIDTH,
    FONT_SIZE,
    LineStyle,
    axes_or_new,
    finish,
    legend_below,
    line_styles,
    panel_grid,
    shown,
)

#: The line of what does not compete.
_NOT_COMPETING = LineStyle("0.45", "--", "")
#: The longest label of a legend: one that says how an algorithm was tuned must not lose that.
_LONGEST_LABEL = 64
_SCORES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "macro_f1": "macro F1",
    "nmi": "normalised mutual information",
}


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
    >>> from s2fs.baselines import MRMR
    >>> from s2fs.evaluation import prefix_curves
    >>> from s2fs_bench import plot_curves
    >>> X, y = load_wine(return_X_y=True)
    >>> curves = {
    ...     name: prefix_curves(X, y, selector, learners=["knn"], cv=3)["knn"]
    ...     for name, selector in {"S2FS": S2FS(5), "mRMR": MRMR(5)}.items()
    ... }
    >>> ax = plot_curves(curves, title="Wine")
    >>> [line.get_label() for line in ax.lines]
    ['S²FS', 'mRMR']
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
    >>> from s2fs_bench import plot_curve_panels
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


def integer_ticks(ax: Axes) -> None:
    """Mark whole numbers only on the horizontal axis: there are no half features."""
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
