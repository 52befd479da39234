"""ROC curves of held-out samples, or of those of a second cohort."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from s2fs.evaluation.areas import RocCurve
from s2fs.plotting.colours import CLASS_COLOURS
from s2fs.plotting.style import COLUMN_WIDTH, FONT_SIZE, axes_or_new, finish, shown


def plot_roc(
    curves: Mapping[str, RocCurve],
    *,
    areas: Mapping[str, float] | None = None,
    colours: Sequence[str] = CLASS_COLOURS,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw ROC curves: the share of positive samples told, over that of false alarms.

    Parameters
    ----------
    curves : mapping of str to RocCurve
        What to draw by its name: a class against the others, or a cohort.
    areas : mapping of str to float, optional
        The AUC to write beside a name; by default the area under the curve.
    colours : sequence of str, default=CLASS_COLOURS
        One for each curve; they start again where there are more curves.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        A line for each curve with the band of one standard deviation of the repeats, where there
        are some, and the diagonal of guessing. The legend has the AUCs.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import s2fs
    >>> from s2fs.plotting import plot_roc
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = s2fs.compare(X, y, k=3, selectors=["paircover"])
    >>> ax = plot_roc({"benign": found.held_out["PairCover"].compute_roc(1)})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['benign, AUC 0.99', 'guessing', '± s.d. of the repeats']
    """
    if not curves:
        raise ValueError("curves is empty; give one or more, such as those of HeldOut.compute_roc.")
    ax = axes_or_new(ax, height=COLUMN_WIDTH * 0.95)
    bands = []
    for number, (name, curve) in enumerate(curves.items()):
        area = (areas or {}).get(name, curve.area)
        colour = colours[number % len(colours)]
        rate, sensitivity, std = curve
        if std.any():
            low, high = (sensitivity - std).clip(0, 1), (sensitivity + std).clip(0, 1)
            band = ax.fill_between(
                rate, low, high, color=colour, alpha=0.14, linewidth=0, gid=f"band-{number}"
            )
            band.set_label("± s.d. of the repeats")
            bands.append(band)
        ax.plot(
            rate,
            sensitivity,
            color=colour,
            linestyle="-" if number < len(colours) else "--",
            linewidth=1.6,
            label=f"{shown(name)}, AUC {area:.2f}",
            gid=f"curve-{number}",
            zorder=3,
        )
    ax.plot([0, 1], [0, 1], color="0.5", linestyle=":", linewidth=0.8, label="guessing", zorder=1)
    finish(ax, xlabel="1 − specificity", ylabel="sensitivity", title=shown(title))
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.01)
    ax.set_aspect("equal")
    ax.grid(color="0.5", alpha=0.2, linewidth=0.5)
    ax.legend(
        handles=[*ax.lines, *bands[:1]],
        loc="lower right",
        fontsize=FONT_SIZE - 0.5,
        frameon=False,
        handlelength=1.6,
    )
    return ax
