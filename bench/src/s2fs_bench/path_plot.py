"""The criterion and its components along a search."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from s2fs.criteria.separability import PERFECT
from s2fs.plotting.colours import INKS
from s2fs.plotting.style import COLUMN_WIDTH, FONT_SIZE, finish, new_figure
from s2fs_bench.curve_plots import integer_ticks

#: Field of the path, label, ink and line style.
_COMPONENTS = (
    ("lambda_dis", r"$\Lambda_{\mathrm{dis}}$, apart", INKS[0].light, "-"),
    ("lambda_dir", r"$\Lambda_{\mathrm{dir}}$, turned apart", INKS[0].light, ":"),
    ("theta_dis", r"$\Theta_{\mathrm{dis}}$, wide", INKS[7].light, "-"),
    ("theta_dir", r"$\Theta_{\mathrm{dir}}$, turned away", INKS[7].light, ":"),
)


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
    >>> from s2fs_bench import plot_path
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
    above.plot(sizes, sep, "-o", color=INKS[1].light, gid="sep", **look)
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
