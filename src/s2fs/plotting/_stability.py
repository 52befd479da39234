"""How often features are selected on subsamples."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from s2fs.evaluation import Stability
from s2fs.plotting.colours import ACCENT
from s2fs.plotting.style import (
    COLUMN_WIDTH,
    FONT_SIZE,
    axes_or_new,
    feature_names_or_numbers,
    finish,
    shown,
)


def plot_stability(
    frequencies: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    n_shown: int = 20,
    threshold: float | None = None,
    stability: Stability | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw in which share of the subsamples the most frequent features were selected.

    Parameters
    ----------
    frequencies : array-like of shape (n_features,)
        The ``frequencies_`` of a fitted :class:`s2fs.StabilitySelector`.
    feature_names : sequence of str, optional
        The names of the features; by default "x0", "x1", ….
    n_shown : int, default=20
        How many features to show, the most frequent first; fewer if no more were ever selected.
    threshold : float, optional
        A frequency to mark; features that reach it are filled.
    stability : Stability, optional
        The ``stability_`` of the selector, to be written below.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        A bar for each feature, the most frequent on top.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import S2FS, StabilitySelector
    >>> from s2fs.plotting import plot_stability
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> stable = StabilitySelector(selector=S2FS(3), n_resamples=10).fit(X, y)
    >>> ax = plot_stability(stable.frequencies_, feature_names=X.columns, threshold=0.8)
    >>> [label.get_text() for label in ax.get_yticklabels()][:2]
    ['flavanoids', 'alcohol']
    """
    values = np.asarray(frequencies, dtype=np.float64)
    names = feature_names_or_numbers(feature_names, len(values))
    order = np.lexsort((np.arange(len(values)), -values))[:n_shown]
    order = order[values[order] > 0]
    if not len(order):
        raise ValueError("frequencies has no feature that was ever selected; nothing to draw.")
    # A line of text for each bar, and room for the axis.
    ax = axes_or_new(ax, height=max(COLUMN_WIDTH * 0.4, 0.15 * len(order) + 0.7))
    reached = values[order] >= (0.0 if threshold is None else threshold)
    places = np.arange(len(order))
    ax.barh(
        places,
        values[order],
        height=0.7,
        color=[ACCENT if enough else "none" for enough in reached],
        edgecolor=ACCENT,
        linewidth=0.8,
    )
    if threshold is not None:
        ax.axvline(threshold, color="black", linestyle="--", linewidth=1.0, gid="threshold")
    ax.set_yticks(places, [shown(names[f]) for f in order])
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.set_xlim(0, 1)
    label = "share of subsamples"
    if stability is not None:
        label += (
            f"\nstability {stability.value:.2f}, {stability.confidence:.0%} interval "
            f"{stability.low:.2f} to {stability.high:.2f}"
        )
    finish(ax, xlabel=label, title=shown(title))
    ax.tick_params(axis="y", labelsize=FONT_SIZE - 0.5, length=0)
    return ax
