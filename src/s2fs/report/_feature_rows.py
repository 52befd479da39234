"""The table of features: where each stands out, how often it is selected, what it repeats."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2fs._utils.short_names import shorten_names
from s2fs._utils.types import Floats, Indices
from s2fs._utils.values import plain
from s2fs.criteria.correlation import correlations
from s2fs.criteria.problem import blocks
from s2fs.evaluation.standing_out import find_standing_out
from s2fs.report._selected import SelectedFeatures
from s2fs.report._table import Table
from s2fs.report.names import LONGEST_CLASS
from s2fs.report.strips import make_strips
from s2fs.selectors.search_selector import SearchSelector
from s2fs.selectors.stability import StabilitySelector


def describe_features(
    selected: SelectedFeatures, table: Table, frequencies: Sequence[float | None]
) -> list[dict[str, Any]]:
    """A row for each feature, in order of selection; ``frequencies`` are those in the folds."""
    selector, indices = selected.selector, selected.indices
    columns = table.columns(indices)
    short_of = shorten_names(table.classes, LONGEST_CLASS)
    short = [short_of[name] for name in table.classes]
    out = find_standing_out(columns, table.codes)
    nearest, r = _most_correlated(indices, table)
    rank_of = {int(f): rank for rank, f in enumerate(indices, start=1)}
    strips = make_strips(columns, table.codes, out.members)
    scores = _scores_in_order(selected, table.values.shape[1])
    names = component_names(selector)
    substitutes = _find_substitutes(selector, table)
    p_and_q_values = _p_and_q_values(selected)
    row_of = selected.rows.tolist()
    rows = []
    for i, f in enumerate(indices.tolist()):
        has_partner = nearest[i] >= 0
        rows.append(
            {
                "rank": i + 1,
                "name": table.features[f],
                "index": f,
                "class": int(out.class_[i]),
                "stands_out": _with_level(out.in_words(i, table.classes), f, table),
                "stands_out_label": _with_level(out.in_words(i, short), f, table),
                "stands_out_in": np.flatnonzero(out.members[i]).tolist(),
                "high": bool(out.high[i]),
                "auc": float(out.auc[i]),
                "frequency": frequencies[i],
                "correlated_with": table.features[nearest[i]] if has_partner else None,
                "correlated_r": float(r[i]) if has_partner else None,
                "correlated_rank": rank_of.get(int(nearest[i])),
                "score": float(scores[i]) if np.isfinite(scores[i]) else None,
                "components": [plain(float(selector.path_[name][row_of[i]])) for name in names],
                "chances": {name: values[i] for name, values in p_and_q_values.items()},
                "substitutes": None if substitutes is None else substitutes[row_of[i]],
                "strip": strips[i] if i < len(strips) else None,
            }
        )
    return rows


def component_names(selector: Any) -> list[str]:
    """The fields of the path that make up the score."""
    path = getattr(selector, "path_", None)
    names = [] if path is None or path.dtype.names is None else path.dtype.names[2:]
    return [name for name in names if name != "p_value"]


def false_selections(selector: Any) -> dict[str, Any] | None:
    """How many of the selected features are false, by the estimate and by the bound."""
    if not isinstance(selector, StabilitySelector):
        return None
    bound = selector.false_selections_bound_
    return {
        "estimate": plain(selector.false_selections_) if selector.n_permutations else None,
        "bound": None if np.isnan(bound) else plain(bound),
    }


def _scores_in_order(selected: SelectedFeatures, n_features: int) -> Floats:
    """The score of each selected feature, NaN where the selector has none.

    Ours are in order of selection already; those of scikit-learn have one for each column.
    """
    k = len(selected.indices)
    scores = np.asarray(getattr(selected.selector, "scores_", np.full(k, np.nan)), dtype=float)
    order = getattr(selected.selector, "indices_", None)
    if order is not None and len(scores) == len(order):
        return scores[selected.rows]
    if len(scores) == n_features:
        return scores[selected.indices]
    return np.full(k, np.nan)


def _with_level(text: str, column: int, table: Table) -> str:
    """What is said of a column of 0 and 1, with the level that it stands for."""
    return f"{table.level_of[column]}: {text}" if column in table.level_of else text


def _p_and_q_values(selected: SelectedFeatures) -> dict[str, list[float | None]]:
    """What says how sure each feature is: p-values and q-values, None where there is none."""
    selector, indices, columns = selected.selector, selected.indices, {}
    path = getattr(selector, "path_", None)
    if path is not None and "p_value" in (path.dtype.names or ()):
        columns["p_value"] = selector.path_["p_value"][selected.rows]
    if isinstance(selector, StabilitySelector) and selector.n_permutations:
        columns["q_value"] = selector.q_values_[indices]
    return {
        name: [None if np.isnan(value) else float(value) for value in values]
        for name, values in columns.items()
    }


def _find_substitutes(selector: Any, table: Table) -> list[list[dict[str, Any]]] | None:
    """The near-equivalents of each feature, the closest first; None if it cannot tell."""
    if not isinstance(selector, SearchSelector):
        return None
    substitutes = selector._find_substitutes(
        table.X, table.labels, sample_weight=table.sample_weight, covariates=table.covariates
    )
    rows = []
    for one in substitutes:
        pairs = zip(one.features, one.correlations, strict=True)
        rows.append([{"name": table.features[f], "r": plain(float(r))} for f, r in pairs])
    return rows


def _most_correlated(indices: Indices, table: Table) -> tuple[Indices, Floats]:
    """For each selected feature the other feature, of all, with the largest |r|, and that r."""
    k, (n, m) = len(indices), table.values.shape
    nearest, r = np.full(k, -1), np.zeros(k)
    if m < 2:
        return nearest, r
    selected = table.columns(indices)
    for columns in blocks(np.arange(m), n):  # a few at once, for memory
        matrix = correlations(selected, table.columns(columns))
        matrix[table.layout.of_column[indices][:, None] == table.layout.of_column[columns]] = 0.0
        best = np.abs(matrix).argmax(axis=1)
        value = matrix[np.arange(k), best]
        better = (np.abs(value) > np.abs(r)) | (nearest < 0)
        nearest, r = np.where(better, columns[best], nearest), np.where(better, value, r)
    return nearest, r
