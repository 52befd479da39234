"""The values of single features, class by class."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from s2fs.plotting.colours import CLASS_COLOURS, MOST_COLOURS, NEUTRAL
from s2fs.plotting.style import (
    LONGEST_TICK,
    MOST_POINTS,
    coded,
    feature_names_or_numbers,
    finish,
    panel_grid,
    shown,
)

#: With more samples in a panel the points hide each other, and boxes are drawn.
_MOST_DOTS = 200


def plot_features(
    X: ArrayLike,
    y: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    n_shown: int = 9,
) -> Figure:
    """Draw the values of single features by class, one panel for each feature.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The selected features, in order of selection.
    y : array-like of shape (n_samples,)
        Class labels.
    feature_names : sequence of str, optional
        The names of the features; by default "x0", "x1", ….
    class_names : sequence of str, optional
        The names of the classes, in sorted order of the labels.
    n_shown : int, default=9
        How many features to show, from the first on.

    Returns
    -------
    Figure
        A point for each sample, and a line at the median of each class; above 200 samples a box
        from the first to the third quartile with whiskers from the 5th to the 95th percentile.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs.plotting import plot_features
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> figure = plot_features(X, y, feature_names=X.columns, n_shown=2)
    >>> [ax.get_title() for ax in figure.axes]
    ['alcohol', 'malic_acid']
    """
    values, codes, names = coded(X, y, class_names)
    features = feature_names_or_numbers(feature_names, values.shape[1])
    n_shown = min(n_shown, values.shape[1])
    figure, axes = panel_grid(n_shown)
    for f, ax in enumerate(axes):
        _by_class(ax, values[:, f], codes, names)
        finish(ax, title=shown(features[f]))
        ax.xaxis.set_tick_params(length=0)
    return figure


def _by_class(ax: Axes, values: ArrayLike, codes: ArrayLike, names: list[str]) -> None:
    """Draw one feature: a column of points or a box for each class."""
    column, of = np.asarray(values), np.asarray(codes)
    for q in range(len(names)):
        members = column[of == q]
        color = CLASS_COLOURS[q] if len(names) <= MOST_COLOURS else NEUTRAL
        if len(column) > _MOST_DOTS:
            low, first, third, high = np.quantile(members, [0.05, 0.25, 0.75, 0.95])
            ax.plot([q, q], [low, high], color=color, linewidth=1)
            ax.add_patch(Rectangle((q - 0.3, first), 0.6, third - first, color=color, lw=0))
            ink = "white"
        else:
            # Points of a class lie side by side in the order of the rows: no two runs differ.
            aside = (np.arange(len(members)) * 0.618 % 1 - 0.5) * 0.55
            ax.scatter(
                q + aside, members, s=5, color=color, linewidths=0, alpha=0.8, gid=f"class-{q}",
                rasterized=len(column) > MOST_POINTS,
            )  # fmt: skip
            ink = "black"
        ax.plot([q - 0.35, q + 0.35], [np.median(members)] * 2, color=ink, linewidth=1.2)
    rotation = 0 if sum(map(len, names)) < 24 else 90
    ax.set_xticks(
        range(len(names)), [shown(name, LONGEST_TICK) for name in names], rotation=rotation
    )
    ax.set_xlim(-0.6, len(names) - 0.4)
