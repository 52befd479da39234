"""The values of each feature by class, small enough for a line of a table."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import minmax_scale

from s2fs._utils.types import Floats, Indices
from s2fs.plotting.colours import MOST_COLOURS

#: Features beyond this number have no plot of their own in the table, for size.
MOST_STRIPS = 200
#: With more values, or more classes, or many equal values, dots would hide each other.
MOST_DOTS, MOST_DOTTED_CLASSES, MOST_EQUAL = 12_000, 4, 0.25
#: With more lanes of all strips a lane shows quartiles, for size.
MOST_BARRED_LANES = 600
#: The width of a strip, in its own units: of few classes, and of five and more.
STRIP_WIDTH, WIDE = 150, 260
#: The width of a bar, that of a bar of small classes, and the height of the tallest.
BAR_WIDTH, WIDE_BAR, BAR_HEIGHT = 5, 10, 8
#: A class of the mean size below this has wide bars.
_SMALL = 40


def make_strips(
    columns: Floats, codes: Indices, members: NDArray[np.bool_]
) -> list[dict[str, Any]]:
    """For each feature the places of its values by class, from 0 to the width of the strip.

    Few values are all there ("dots"). Of many, of equal ones and of five or more classes there are
    shares of the class ("bars": place and height of each, from ``low`` to ``high``), and in long
    tables the 5th, 25th, 50th, 75th and 95th percentile ("boxes"). Of more classes than colours
    there are two lanes: the classes the feature stands out in, and the others.
    """
    n, k = columns.shape
    p = int(codes.max()) + 1
    shown = columns[:, : min(k, MOST_STRIPS)]
    n_strips = shown.shape[1]
    width = STRIP_WIDTH if p <= MOST_DOTTED_CLASSES else WIDE
    scaled = minmax_scale(shown)
    draw: Callable[[list[Indices]], dict[str, Any]]
    lanes = [
        codes if p <= MOST_COLOURS else (~members[i][codes]).astype(int) for i in range(n_strips)
    ]
    n_lanes = n_strips * min(p, MOST_COLOURS if p <= MOST_COLOURS else 2)
    if p <= MOST_DOTTED_CLASSES and n * n_strips <= MOST_DOTS and not _have_equal(shown, codes):
        places = np.rint(scaled * width).astype(int)
        draw = _make_dots
    elif n_lanes <= MOST_BARRED_LANES:
        step = BAR_WIDTH if n >= _SMALL * p else WIDE_BAR
        places = np.minimum((scaled * (width // step)).astype(int), width // step - 1) * step
        draw = partial(_make_bars, step)
    else:
        places = np.rint(scaled * width).astype(int)
        draw = _make_boxes
    strips = []
    for i in range(n_strips):
        parts = [places[lanes[i] == q, i] for q in range(int(lanes[i].max()) + 1)]
        ends = {"low": float(shown[:, i].min()), "high": float(shown[:, i].max())}
        strips.append({"width": width, **ends, **draw(parts)})
    return strips


def _have_equal(columns: Floats, codes: Indices) -> bool:
    """Whether so many values of a class are equal that dots would tell too few of them."""
    n_distinct = sum(
        len(np.unique(columns[codes == q, i]))
        for q in range(int(codes.max()) + 1)
        for i in range(columns.shape[1])
    )
    return n_distinct < (1 - MOST_EQUAL) * columns.size


def _make_dots(parts: list[Indices]) -> dict[str, Any]:
    return {"dots": [np.unique(part).tolist() for part in parts]}


def _make_bars(step: int, parts: list[Indices]) -> dict[str, Any]:
    """Where bars stand and how high they are; the tallest of a class has the full height."""
    lanes = []
    for part in parts:
        places, counts = np.unique(part, return_counts=True)
        heights = np.maximum(BAR_HEIGHT * counts / counts.max(), 0.6).round(1)
        lanes.append([list(bar) for bar in zip(places.tolist(), heights.tolist(), strict=True)])
    return {"step": step, "bars": lanes}


def _make_boxes(parts: list[Indices]) -> dict[str, Any]:
    quantiles = [np.quantile(part, [0.05, 0.25, 0.5, 0.75, 0.95]) for part in parts]
    return {"boxes": [np.rint(five).astype(int).tolist() for five in quantiles]}
