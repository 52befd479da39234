"""Curves over the number of features, one for each algorithm (Figs. 6 to 8 of the paper)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from s2fs.evaluation import Curve
from s2fs.plotting._style import axes_or_new, finish, legend_below, line_styles, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SCORES = {"accuracy": "accuracy", "nmi": "normalised mutual information"}


def plot_curves(
    curves: Mapping[str, Curve],
    *,
    highlight: str | None = "S2FS",
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the main score of each algorithm over the number of features.

    Parameters
    ----------
    curves : mapping of str to Curve
        The curve of each algorithm, all of the same learner.
    highlight : str, optional
        The algorithm that is drawn thicker and on top of the others.
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
    ax = axes_or_new(ax)
    for i, (name, look) in enumerate(line_styles(curves).items()):
        curve, on_top = curves[name], name == highlight
        step = max(1, len(curve.sizes) // 8)
        ax.plot(
            curve.sizes,
            curve.values,
            label=shown(name),
            **look._asdict(),
            linewidth=1.8 if on_top else 0.9,
            markersize=4 if on_top else 3,
            # Starting apart, the markers of curves that run together do not hide each other.
            markevery=(i % step, step),
            zorder=3 if on_top else 2,
        )
    finish(ax, xlabel="number of features", ylabel=_SCORES.get(score, score), title=shown(title))
    ax.grid(color="0.5", alpha=0.2, linewidth=0.5)
    if len(curves) > 1:
        legend_below(ax, curves)
    return ax
