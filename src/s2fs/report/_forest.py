"""The forest plot: differences with their intervals, around a line at zero."""

import math
from collections.abc import Sequence
from typing import Any

from s2fs.evaluation import Comparison

#: What stands behind an interval, by the relation of the two rows.
_WORDS = {
    "better than": "better",
    "worse than": "worse",
    "as good as": "as good",
    "cannot be told from": "cannot be told apart",
}
#: How many ticks the axis has, about.
_N_TICKS = 5


def forest_rows(at: Comparison) -> list[dict[str, Any]]:
    """The first selector against each other row, in points; nothing where nothing has intervals."""
    if not at.has_intervals:
        return []
    drawn, metric = [], at.metric
    for row in at.rows[1:]:
        gap = at.difference(at.rows[0].selector, row.selector)
        value, interval = metric.write_difference(gap).split(", ", 1)
        drawn.append(
            {
                "name": row.selector,
                "mean": round(100 * gap.value, 2),
                "low": round(100 * gap.low, 2),
                "high": round(100 * gap.high, 2),
                "word": _WORDS[gap.relation],
                "text": f"{value} ({interval})",
            }
        )
    return drawn


def forest_axis(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """An axis on which all intervals and zero fit, with ticks at round numbers."""
    low = min([-1.0, *(row["low"] for row in rows)])
    high = max([1.0, *(row["high"] for row in rows)])
    step = _round_step((high - low) / _N_TICKS)
    first, last = math.ceil(low / step), math.floor(high / step)
    return {"low": low, "high": high, "ticks": [step * i for i in range(first, last + 1)]}


def _round_step(step: float) -> float:
    """The next of 1, 2, 5, 10, 20, 25, 50, …."""
    if step <= 2:
        return 1.0 if step <= 1 else 2.0
    power = 10.0 ** math.floor(math.log10(step))
    for factor in (1, 2, 2.5, 5):
        if step <= factor * power:
            return factor * power
    return 10 * power
