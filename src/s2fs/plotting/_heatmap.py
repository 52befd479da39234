"""The values of selected features over the samples, as a map."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation
from numpy.typing import ArrayLike
from sklearn.preprocessing import scale

from s2fs._utils.types import Indices
from s2fs.evaluation.standing_out import find_standing_out
from s2fs.plotting.colours import CLASS_COLOURS, MOST_COLOURS
from s2fs.plotting.style import (
    COLUMN_WIDTH,
    DIVERGING,
    FONT_SIZE,
    LONGEST_TICK,
    coded,
    colour_bar,
    feature_names_or_numbers,
    finish,
    new_figure,
    shown,
)

#: With more samples a column is too narrow to be seen: there is one for each class.
MOST_SAMPLES = 300
#: Standardised values beyond this take the last colour.
_LIMIT = 2.5


def plot_heatmap(
    X: ArrayLike,
    y: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw features × samples as a map, ordered by class.

    Each feature is standardised to mean 0 and standard deviation 1. Features stand in the order of
    the classes they stand out in: first those that are high there, then those that are low.

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
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        A row for each feature, and a column for each sample; above 300 samples a column for each
        class, which shows its median.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import S2FS
    >>> from s2fs.plotting import plot_heatmap
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> names = S2FS(3).fit(X, y).feature_names_
    >>> ax = plot_heatmap(X[names], y, feature_names=names)
    >>> ax.images[0].get_array().shape
    (3, 178)
    """
    values, codes, names = coded(X, y, class_names)
    (n, k), p = values.shape, len(names)
    features = feature_names_or_numbers(feature_names, k)
    medians = n > MOST_SAMPLES
    out = find_standing_out(values, codes)
    rows = np.lexsort((np.arange(k), ~out.high, out.class_))
    table = scale(values)
    if medians:
        table = np.array([np.median(table[codes == q], axis=0) for q in range(p)])
        column_codes = np.arange(p)
    else:
        order = np.argsort(codes, kind="stable")
        table, column_codes = table[order], codes[order]
    if ax is None:
        ax = new_figure(2 * COLUMN_WIDTH, max(2.0, 0.9 + 0.125 * k)).add_subplot()
    drawn = ax.imshow(
        table.T[rows],
        cmap=DIVERGING,
        vmin=-_LIMIT,
        vmax=_LIMIT,
        aspect="auto",
        interpolation="nearest",
    )
    ax.set_yticks(np.arange(k), [shown(features[f], 20) for f in rows])
    ax.set_xticks([])
    finish(ax)
    ax.tick_params(axis="y", length=0, labelsize=min(FONT_SIZE - 0.5, 1.5 + 260 / k))
    ax.spines[["left", "bottom"]].set_visible(False)
    ends = np.flatnonzero(np.diff(column_codes)) + 0.5
    for end in ends:
        ax.axvline(end, color="white", linewidth=1.0 if p <= MOST_COLOURS else 0.5)
    _class_bar(ax, column_codes, names)
    if title:
        ax.set_title(shown(title), fontsize=FONT_SIZE + 1, pad=24)
    label = "class median, standardised" if medians else "standardised value"
    colour_bar(drawn, ax, label, shrink=min(1.0, 14 / k + 0.2), extend="both", pad=0.01)
    return ax


def _class_bar(ax: Axes, codes: Indices, names: list[str]) -> None:
    """Say above a map which columns belong to which class."""
    p, across = len(names), ax.get_xaxis_transform()
    few = p <= MOST_COLOURS
    inches = ax.figure.dpi_scale_trans
    for q in range(p):
        columns = np.flatnonzero(codes == q)
        start, width = columns[0] - 0.5, len(columns)
        ax.plot(
            [start, start + width],
            [1, 1],
            color=CLASS_COLOURS[q] if few else ("0.45", "0.65")[q % 2],
            linewidth=6,
            solid_capstyle="butt",
            clip_on=False,
            transform=across + ScaledTranslation(0, 6 / 72, inches),
        )
        ax.text(
            start + width / 2,
            1,
            shown(names[q], LONGEST_TICK),
            transform=across + ScaledTranslation(0, 11 / 72, inches),
            ha="center",
            va="bottom",
            rotation=0 if few and max(map(len, names)) * p < 70 else 90,
            fontsize=FONT_SIZE - (0 if few else 1.5),
        )
