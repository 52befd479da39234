"""What the page says for each number of features: the slider moves between these."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2fs._utils.messages import format_count
from s2fs._utils.types import Indices
from s2fs.evaluation import Comparison, stability
from s2fs.evaluation.comparison import MAJORITY, percent
from s2fs.report._class_rows import (
    PairDistances,
    count_confusions,
    describe_hardest_pair,
    list_misclassified,
    nonzero_cells,
    rates_of_classes,
)
from s2fs.report._forest import forest_rows
from s2fs.report._redundancy import find_most_alike, groups_among_first
from s2fs.report._selected import SelectedFeatures
from s2fs.report._table import Table

#: Landis and Koch's words, which Nogueira et al. (2018) use for their index.
STABILITY_WORDS = ((0.75, "excellent"), (0.4, "intermediate to good"), (-np.inf, "poor"))


def describe_size(
    size: int,
    selected: SelectedFeatures,
    table: Table,
    halves: list[Indices],
    comparison: Comparison | None,
    rows: Sequence[dict[str, Any]],
    recommended: int,
    distances: PairDistances,
) -> dict[str, Any]:
    """All that changes with the number of features.

    ``rows`` are those of the comparison for this number, with their differences.
    """
    groups = groups_among_first(selected, table, size)
    n_features = format_count(size, "feature")
    description: dict[str, Any] = {
        "size": size,
        "size_text": n_features,
        **_describe_stability([half[:size] for half in halves], table.values.shape[1]),
        "groups": groups,
        "redundant": sum(len(group) - 1 for group in groups),
        "most_alike": find_most_alike(selected, table, size),
        "accuracy_text": "–",
        "accuracy_note": "not measured",
        "headline": f"{n_features} {'was' if size == 1 else 'were'} selected.",
        "rest": "",
        "accuracy": None,
        "rows": [],
        "forest": [],
        "confusion": [],
        "rates": [],
        "hardest": None,
        "misclassified": {"total": 0, "rows": []},
    }
    if comparison is None:
        return description
    at = comparison.at(size) if comparison.sizes else comparison
    own = at.rows[0]
    # The recommended number has the words of the whole comparison: they are those of the terminal.
    worded = comparison if size == recommended else at
    majority = next(row for row in at.rows if row["selector"] == MAJORITY)
    counts = count_confusions(at, table)
    return description | {
        "accuracy": own["accuracy"],
        "accuracy_text": f"{percent(own['accuracy'])}\xa0%",
        "accuracy_note": (
            f"95\xa0% interval {percent(own['accuracy_low'])} to {percent(own['accuracy_high'])}; "
            f"the majority class gets {percent(majority['accuracy'])}\xa0%"
        ),
        "balanced_accuracy": own["balanced_accuracy"],
        "rows": [_describe_row(row) for row in at.rows],
        "forest": forest_rows(rows),
        "confusion": nonzero_cells(counts),
        "rates": rates_of_classes(counts, table),
        "hardest": describe_hardest_pair(counts, selected, table, distances),
        "misclassified": list_misclassified(at, table),
        "headline": worded.headline,
        "rest": worded.rest,
    }


def _describe_stability(sets: list[Indices], n_features: int) -> dict[str, Any]:
    """Nogueira's index of the sets selected on random halves, with its interval and in words."""
    share = sum(map(len, sets)) / (len(sets) * n_features) if sets else 0.0
    if not 0 < share < 1:
        note = "all features were selected every time" if sets else "not measured"
        return {
            "stability": None,
            "stability_low": None,
            "stability_high": None,
            "stability_text": "–",
            "stability_note": note,
        }
    index = stability(sets, n_features)
    word = next(word for least, word in STABILITY_WORDS if index.value >= least)
    return {
        "stability": index.value,
        "stability_low": index.low,
        "stability_high": index.high,
        "stability_text": f"{index.value:.2f}",
        "stability_note": (
            f"{word}, 95\xa0% interval {index.low:.2f} to {index.high:.2f}, on {len(sets)} "
            "random halves; 1 is always the same"
        ),
    }


def _describe_row(row: Any) -> dict[str, Any]:
    """A row of the table of accuracies, with its texts."""
    return {
        "name": row["selector"],
        "accuracy": row["accuracy"],
        "accuracy_text": percent(row["accuracy"]),
        "interval_text": f"{percent(row['accuracy_low'])} to {percent(row['accuracy_high'])}",
        "balanced_text": percent(row["balanced_accuracy"]),
        "n_features": row["n_features"],
    }
