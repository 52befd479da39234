"""What all figures share: sizes, colours, and how names are written."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from s2fs._utils.messages import format_count, truncate_middle
from s2fs._utils.types import Floats, Indices
from s2fs.plotting.colours import INKS, assign_inks

#: Width in inches of one column of a two-column page.
COLUMN_WIDTH = 3.5
#: Text size in points that is legible at that width.
FONT_SIZE = 7.0
#: The longest name a figure shows, and the longest at a tick.
LONGEST_NAME = 28
LONGEST_TICK = 14

#: A figure with more points draws them as one picture.
MOST_POINTS = 1000
#: Dots per inch of figures saved as pictures.
DPI = 300
# Line style and marker tell the curves apart where the colours are lost.
_LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h", "p")

#: Ink on a light patch of a figure. Black proper is the ink of the page, which may be dark.
DARK = "#111111"
#: Colour map of quantities that start at none, and of the order of choice.
SEQUENTIAL = "cividis"
#: Colour map of quantities on both sides of zero.
DIVERGING = "RdBu_r"


class LineStyle(NamedTuple):
    """How an algorithm is drawn, in the words of Matplotlib."""

    color: str
    linestyle: Any
    marker: str


def new_figure(width: float = COLUMN_WIDTH, height: float = COLUMN_WIDTH * 0.75) -> Figure:
    """Make a figure that belongs to no window, so that nothing is left when it is dropped."""
    return Figure(figsize=(width, height), layout="constrained", dpi=DPI)


def axes_or_new(ax: Axes | None, height: float = COLUMN_WIDTH * 0.75) -> Axes:
    """The given axes, or those of a new figure one column wide."""
    return new_figure(height=height).add_subplot() if ax is None else ax


def panel_grid(n: int, *, n_columns: int = 3) -> tuple[Figure, list[Axes]]:
    """Make a figure of two columns' width with n axes in a grid."""
    n_columns = min(n, n_columns)
    n_rows = -(-n // n_columns)
    width = 2 * COLUMN_WIDTH
    figure = new_figure(width, n_rows * min(width / n_columns, COLUMN_WIDTH) * 0.8 + 0.6)
    return figure, [figure.add_subplot(n_rows, n_columns, i + 1) for i in range(n)]


def finish(ax: Axes, *, xlabel: str = "", ylabel: str = "", title: str = "") -> None:
    """Label axes in the common text size, without the frame's upper and right side."""
    ax.set_xlabel(xlabel, fontsize=FONT_SIZE)
    ax.set_ylabel(ylabel, fontsize=FONT_SIZE)
    if title:
        ax.set_title(title, fontsize=FONT_SIZE + 1)
    ax.tick_params(labelsize=FONT_SIZE - 0.5, width=0.6, length=2.5)
    ax.spines[["top", "right"]].set_visible(False)


def line_styles(names: Iterable[str]) -> dict[str, LineStyle]:
    """A look for each selector: ink, line and marker, the same in every figure."""
    looks = {}
    for name, ink in assign_inks(list(names)).items():
        line, marker = _LINES[ink % len(_LINES)], MARKERS[ink % len(MARKERS)]
        looks[name] = LineStyle(INKS[ink].light, line, marker)
    return looks


def legend_below(ax: Axes, names: Iterable[Any]) -> None:
    """Put the legend under the axes, where it hides nothing, in as many columns as fit."""
    longest = max(len(shown(name)) for name in names)
    # In points, not in heights of the axes: ticks and label need the same room in every figure.
    room = ScaledTranslation(0, -4 * FONT_SIZE / 72, ax.figure.dpi_scale_trans)
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=ax.transAxes + room,
        fontsize=FONT_SIZE - 1,
        ncols=max(1, min(4, 62 // (longest + 6))),
        frameon=False,
        handlelength=2.4,
    )


def shown(name: Any, longest: int = LONGEST_NAME) -> str:
    """A name as a figure shows it: in one line, cut in the middle, never read as mathematics."""
    return (
        "S²FS" if str(name) == "S2FS" else truncate_middle(str(name), longest).replace("$", r"\$")
    )


def names_or_numbers(class_names: Sequence[str] | None, p: int) -> list[str]:
    """The names of the p classes; 0, 1, … where none are given."""
    names = [str(name) for name in (range(p) if class_names is None else class_names)]
    if len(names) != p:
        raise ValueError(f"class_names has {len(names)} entries for {p} classes; give one each.")
    return names


def feature_names_or_numbers(feature_names: Sequence[str] | None, k: int) -> list[str]:
    """The names of the k features; x0, x1, … where none are given."""
    names = [f"x{f}" for f in range(k)] if feature_names is None else list(map(str, feature_names))
    if len(names) != k:
        raise ValueError(
            f"feature_names has {format_count(len(names), 'name')} for the "
            f"{format_count(k, 'feature')}; give one per feature."
        )
    return names


def coded(X: Any, y: Any, class_names: Sequence[str] | None) -> tuple[Floats, Indices, list[str]]:
    """The values as numbers, the classes as 0, 1, …, and their names or else the labels."""
    values = np.asarray(X, dtype=np.float64)
    if values.ndim != 2 or not values.size:
        raise ValueError(f"X has the shape {values.shape}; give rows of samples and some columns.")
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) < 2:
        raise ValueError("y has one class only; at least two are needed.")
    if len(codes) != len(values):
        raise ValueError(
            f"y has {format_count(len(codes), 'label')} for the "
            f"{format_count(len(values), 'sample')} of X; give one label per sample."
        )
    names = classes.tolist() if class_names is None else class_names
    return values, codes, names_or_numbers(names, len(classes))


def colour_bar(drawn: Any, ax: Axes, label: str, **options: Any) -> None:
    """Put a labelled colour bar beside the axes."""
    bar = ax.figure.colorbar(drawn, ax=ax, **options)
    bar.set_label(label, fontsize=FONT_SIZE)
    bar.ax.tick_params(labelsize=FONT_SIZE - 0.5, width=0.6, length=2.5)
    bar.outline.set_visible(False)


def pick_ticks(n: int, most: int) -> "np.ndarray[tuple[int], np.dtype[np.intp]]":
    """Positions of at most ``most`` evenly spaced ticks among n."""
    return np.arange(0, n, max(1, -(-n // most)))
