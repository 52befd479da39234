"""How the weights α and β change a score (Figs. 12 and 17 of the paper)."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from s2fs._core.criterion import PAPER_GRID
from s2fs.plotting.style import COLOURS, COLUMN_WIDTH, FONT_SIZE, SEQUENTIAL, axes_or_new, finish
from s2fs.plotting.style import shown as shown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The smallest and the largest weight the paper recommends.
RECOMMENDED = (0.01, 0.0562)


def plot_sensitivity(
    scores: ArrayLike,
    *,
    alphas: ArrayLike = PAPER_GRID,
    betas: ArrayLike = PAPER_GRID,
    label: str = "average accuracy",
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a score over the grid of weights, with the recommended region and the best pair marked.

    Parameters
    ----------
    scores : array-like of shape (n_alphas, n_betas)
        Larger is better.
    alphas, betas : array-like, default=the nine values of the paper
        The weights, increasing.
    label : str, default="average accuracy"
        What the score is.
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
    >>> from s2fs.plotting import plot_sensitivity
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
    from matplotlib.patches import Rectangle

    ax = axes_or_new(ax, height=COLUMN_WIDTH * 0.8)
    drawn = ax.imshow(values, cmap=SEQUENTIAL, origin="lower", interpolation="nearest")
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
                edgecolor=COLOURS[0],
                linewidth=1.8,
                label="recommended",
            )
        )
    best = np.unravel_index(int(np.nanargmax(values)), values.shape)
    ax.plot(best[1], best[0], "*", color="white", markeredgecolor="black", markersize=8)
    ax.set_xticks(range(len(columns)), [f"{w:g}" for w in columns], rotation=90)
    ax.set_yticks(range(len(rows)), [f"{w:g}" for w in rows])
    finish(ax, xlabel="β", ylabel="α", title=shown_name(title))
    bar = ax.figure.colorbar(drawn, ax=ax, shrink=0.9)
    bar.set_label(label, fontsize=FONT_SIZE)
    bar.ax.tick_params(labelsize=FONT_SIZE - 0.5)
    return ax
