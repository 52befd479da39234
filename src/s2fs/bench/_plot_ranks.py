"""Critical-difference diagrams (Fig. 9 of the paper)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from s2fs.bench._statistics import NemenyiResult
from s2fs.plotting.style import COLOURS, FONT_SIZE, axes_or_new, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Heights in units of one line of text, downwards from the axis at 0.
_CD_BAR = -1.6
_FIRST_GROUP = 0.45
_BETWEEN_GROUPS = 0.45
_BETWEEN_NAMES = 1.0


def plot_critical_difference(
    result: NemenyiResult,
    *,
    labels: Mapping[str, str] | None = None,
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw average ranks, with a bar over each group that the Nemenyi test cannot tell apart.

    Parameters
    ----------
    result : NemenyiResult
        What :func:`s2fs.evaluation.nemenyi_test` returned.
    labels : mapping of str to str, optional
        What to call an algorithm instead of its name, such as "FDM†".
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        Rank 1, the best, is at the left. The lines of the groups have the ids "group-0",
        "group-1", …, that of the critical difference "cd".

    Examples
    --------
    >>> from s2fs.evaluation import nemenyi_test
    >>> from s2fs.plotting import plot_critical_difference
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.7], [0.9, 0.8, 0.5]]
    >>> ax = plot_critical_difference(nemenyi_test(scores, names=["S2FS", "FDM", "IPD"]))
    >>> [line.get_xdata().tolist() for line in ax.lines if line.get_gid() == "group-0"]
    [[1.0, 2.25]]
    """
    s = len(result.names)
    rank_of = dict(zip(result.names, result.average_ranks.tolist(), strict=True))
    order = sorted(result.names, key=lambda name: rank_of[name])
    left = order[: (s + 1) // 2]
    right = order[len(left) :][::-1]  # the outermost first, so that no two lines cross
    below_groups = _FIRST_GROUP + _BETWEEN_GROUPS * len(result.groups) + 0.5
    bottom = below_groups + _BETWEEN_NAMES * (max(len(left), len(right)) - 1) + 0.6

    ax = axes_or_new(ax, height=0.17 * (bottom - _CD_BAR + 2))
    ax.set_axis_off()
    _draw_scale(ax, s)
    cd = result.critical_difference
    ax.plot([1, 1 + cd], [_CD_BAR] * 2, "-|", color="black", linewidth=1.4, gid="cd")
    ax.text(1 + cd / 2, _CD_BAR - 0.25, f"CD = {cd:.3f}", ha="center", fontsize=FONT_SIZE)
    for i, group in enumerate(result.groups):
        height = _FIRST_GROUP + _BETWEEN_GROUPS * i
        ends = [min(rank_of[name] for name in group), max(rank_of[name] for name in group)]
        ax.plot(
            ends, [height] * 2, color="black", linewidth=3, solid_capstyle="butt", gid=f"group-{i}"
        )
    margin = 0.06 * (s - 1)
    sides: tuple[tuple[list[str], Literal["left", "right"], float], ...] = (
        (left, "right", 1 - margin),
        (right, "left", s + margin),
    )
    for names, side, edge in sides:
        for i, name in enumerate(names):
            height = below_groups + _BETWEEN_NAMES * i
            label = (labels or {}).get(name, name)
            _draw_name(ax, label, rank_of[name], edge, height, side, ours=name == "S2FS")
    ax.set_xlim(1 - 0.42 * (s - 1), s + 0.42 * (s - 1))
    ax.set_ylim(bottom, _CD_BAR - 1)
    if title:
        ax.set_title(shown(title), fontsize=FONT_SIZE + 1)
    return ax


def _draw_scale(ax: "Axes", s: int) -> None:
    ax.plot([1, s], [0, 0], color="black", linewidth=0.8)
    for rank in range(1, s + 1):
        ax.plot([rank, rank], [0, -0.25], color="black", linewidth=0.8)
        ax.text(rank, -0.35, str(rank), ha="center", va="bottom", fontsize=FONT_SIZE)


def _draw_name(
    ax: "Axes",
    name: str,
    rank: float,
    edge: float,
    height: float,
    side: Literal["left", "right"],
    *,
    ours: bool,
) -> None:
    """A line from the rank on the axis down and out to the name."""
    color = COLOURS[0] if ours else "0.45"
    ax.plot([rank, rank, edge], [0, height, height], color=color, linewidth=1.4 if ours else 0.7)
    ax.text(
        edge,
        height,
        f" {shown(name)} ({rank:.2f}) ",
        ha=side,
        va="center",
        fontsize=FONT_SIZE,
        fontweight="bold" if ours else "normal",
    )
