"""Selected features that say the same, as groups with one representative each."""

from typing import Any

import numpy as np

from s2fs.criteria.correlation import correlations
from s2fs.evaluation.checks import REDUNDANT, group_redundant
from s2fs.report._selected import SelectedFeatures
from s2fs.report._table import Table


def describe_redundancy(selected: SelectedFeatures, table: Table) -> dict[str, Any]:
    """The groups of features joined by |r| of 0.9 or more, and one feature of each.

    The representative is the feature that was selected first. ``total`` counts the pairs.
    """
    columns = table.columns(selected.indices)
    r = correlations(columns)
    groups = group_redundant(columns)
    repeated = {position for group in groups for position in group[1:]}
    return {
        "threshold": REDUNDANT,
        "total": int((np.abs(r[np.triu_indices(len(r), k=1)]) >= REDUNDANT).sum()),
        "groups": [_describe_group(group, r, selected, table) for group in groups],
        "one_per_group": [
            table.features[f] for i, f in enumerate(selected.indices) if i not in repeated
        ],
    }


def _describe_group(
    group: list[int], r: Any, selected: SelectedFeatures, table: Table
) -> list[dict[str, Any]]:
    """The members of a group, the representative first, each with its r to that one."""
    first = group[0]
    return [
        {
            "name": table.features[selected.indices[i]],
            "rank": i + 1,
            "r": 1.0 if i == first else float(r[first, i]),
        }
        for i in group
    ]


def groups_among_first(selected: SelectedFeatures, table: Table, size: int) -> list[list[int]]:
    """The ranks of the features of each group, among the first features alone."""
    groups = group_redundant(table.columns(selected.indices[:size]))
    return [[position + 1 for position in group] for group in groups]


def find_most_alike(selected: SelectedFeatures, table: Table, size: int) -> dict[str, Any] | None:
    """The two of the first features with the largest |r|, and their r; None if there is one."""
    if size < 2:
        return None
    r = correlations(table.columns(selected.indices[:size]))
    first, second = np.triu_indices(size, k=1)
    most = int(np.abs(r[first, second]).argmax())  # of equal ones the first
    pair = first[most], second[most]
    names = [table.features[selected.indices[position]] for position in pair]
    return {"names": names, "r": float(r[pair])}
