"""The classes: confusion matrix, precision and recall, the hardest pair, misclassified samples."""

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.messages import join_words
from s2fs._utils.types import Floats, Indices
from s2fs._utils.values import plain
from s2fs.criteria.problem import blocks
from s2fs.evaluation import Comparison
from s2fs.evaluation.samples import take_columns
from s2fs.plotting.geometry import pair_distances, scaled_separation
from s2fs.report._selected import SelectedFeatures
from s2fs.report._table import Table
from s2fs.report.names import label_classes

#: How many pairs of classes are listed at most, and twice as many misclassified samples.
LONGEST_LIST = 15
#: How many features are named beside a pair of classes.
N_NAMED = 3


def count_confusions(comparison: Comparison, table: Table) -> Floats:
    """True class × predicted class: the number of held-out samples, averaged over the repeats."""
    p = len(table.classes)
    predictions = comparison.predictions[comparison.rows[0].selector]
    counts = np.zeros(p * p)
    for predicted in predictions:
        is_held_out = predicted >= 0
        pairs = table.codes[is_held_out] * p + predicted[is_held_out]
        counts += np.bincount(pairs, minlength=p * p)
    return (counts / len(predictions)).reshape(p, p)


def nonzero_cells(counts: Floats) -> list[list[float]]:
    """True class, predicted class and count to one digit, where that is not 0."""
    rounded = np.round(counts, 1)
    return [[int(q), int(r), float(rounded[q, r])] for q, r in np.argwhere(rounded)]


def rates_of_classes(counts: Floats, table: Table) -> list[dict[str, Any]]:
    """Recall and precision of each class in percent, and what it is mostly predicted as instead."""
    classes = label_classes(table.classes)
    n_true, n_predicted = counts.sum(axis=1), counts.sum(axis=0)
    rows = []
    for q, right in enumerate(np.diag(counts)):
        wrong = counts[q].copy()
        wrong[q] = 0
        most = int(wrong.argmax())
        rows.append(
            {
                "recall": _percent_or_dash(right, n_true[q]),
                "precision": _percent_or_dash(right, n_predicted[q]),
                "mostly": f"{classes[most]} ({wrong[most]:.1f})" if wrong[most] >= 0.05 else "–",
            }
        )
    return rows


def _percent_or_dash(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f}" if whole > 0 else "–"


class PairDistances:
    """How far two classes are apart in every feature; each pair of classes is looked at once.

    Parameters
    ----------
    table : Table
        The data of the report.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._by_pair: dict[tuple[int, int], Floats] = {}

    def between(self, q: int, r: int) -> Floats:
        """As :func:`s2fs.plotting.geometry.pair_distances` of these two classes."""
        if (q, r) not in self._by_pair:
            values, codes = self._table.values, self._table.codes
            rows = np.flatnonzero(np.isin(codes, [q, r]))
            is_second = (codes[rows] == r).astype(int)
            parts = [
                pair_distances(take_columns(values, rows, columns), is_second)[0, 1]
                for columns in blocks(np.arange(values.shape[1]), len(rows))
            ]
            self._by_pair[q, r] = np.concatenate(parts)
        return self._by_pair[q, r]


def describe_hardest_pair(
    counts: Floats, selected: SelectedFeatures, table: Table, distances: PairDistances
) -> dict[str, Any] | None:
    """The two classes that are confused most, and features not selected that part them best."""
    mutual = np.triu(counts + counts.T, k=1)
    if mutual.max() < 0.05:
        return None
    sizes = counts.sum(axis=1)
    share = mutual / np.maximum(sizes[:, None] + sizes[None, :], 1)
    q, r = (int(i) for i in np.unravel_index(share.argmax(), share.shape))
    apart = distances.between(q, r).copy()
    apart[selected.indices] = 0
    best = np.argsort(-apart, kind="stable")[:N_NAMED]
    return {
        "one": label_classes(table.classes)[q],
        "other": label_classes(table.classes)[r],
        "is_only": len(sizes) == 2,
        "n_confused": round(float(mutual[q, r]), 1),
        "n_samples": round(float(sizes[q] + sizes[r])),
        "features": [
            {"name": table.features[f], "apart": plain(float(apart[f]))}
            for f in best
            if apart[f] > 0
        ],
    }


def hardest_pair_in_words(pair: dict[str, Any] | None, labels: dict[str, Any]) -> str:
    """One or two sentences on the hardest pair."""
    if pair is None:
        return "No two classes are confused."
    confused = f"{pair['n_confused']:g} of {pair['n_samples']} held-out samples"
    text = f"Hardest pair: {pair['one']} and {pair['other']}, {confused} confused on average."
    if pair["is_only"]:
        text = f"Misclassified: {confused} on average."
    if pair["features"]:
        named = [
            f"{labels[one['name']].symbol} ({_standard_deviations(one['apart'])})"
            for one in pair["features"]
        ]
        text += (
            " Not selected, but furthest apart between the two classes: "
            f"{join_words(named)}. Add them with include, and look at the accuracy again."
        )
    return text


def _standard_deviations(apart: float | str) -> str:
    return apart if isinstance(apart, str) else f"{apart:.1f} s.d."


def describe_class_pairs(indices: Indices, table: Table) -> dict[str, Any]:
    """The pairs of classes, those that are nearest to each other first."""
    columns = table.columns(indices)
    before = scaled_separation(table.values, table.codes)
    after = scaled_separation(columns, table.codes)
    apart = pair_distances(columns, table.codes)
    first, second = np.triu_indices(len(table.classes), k=1)
    order = np.argsort(after[first, second], kind="stable")[:LONGEST_LIST]
    rows = []
    for q, r in zip(first[order], second[order], strict=True):
        best = np.argsort(-apart[q, r], kind="stable")[:N_NAMED]
        rows.append(
            {
                "one": table.classes[q],
                "other": table.classes[r],
                "before": plain(float(before[q, r])),
                "after": plain(float(after[q, r])),
                "features": [
                    {"name": table.features[indices[f]], "apart": plain(float(apart[q, r, f]))}
                    for f in best
                ],
            }
        )
    return {"rows": rows, "total": len(first)}


def find_misclassified(comparison: Comparison, table: Table) -> NDArray[np.bool_]:
    """Which samples were given another class in at least half of the repeats."""
    predictions = comparison.predictions[comparison.rows[0].selector]
    held_out = predictions >= 0
    n_wrong = (held_out & (predictions != table.codes)).sum(axis=0)
    return np.asarray((n_wrong > 0) & (2 * n_wrong >= held_out.sum(axis=0)))


def list_misclassified(comparison: Comparison, table: Table) -> dict[str, Any]:
    """The samples that were given another class in at least half of the repeats.

    Those with the same confusion stand together, the most frequent confusion first.
    """
    predictions = comparison.predictions[comparison.rows[0].selector]
    held_out = predictions >= 0
    wrong = held_out & (predictions != table.codes)
    n_held_out, n_wrong = held_out.sum(axis=0), wrong.sum(axis=0)
    rows, labels = [], label_classes(table.classes)
    for i in np.flatnonzero(find_misclassified(comparison, table)):
        predicted = np.bincount(predictions[wrong[:, i], i]).argmax()
        rows.append(
            {
                "sample": table.samples[i],
                "class": labels[table.codes[i]],
                "predicted": labels[predicted],
                "n_wrong": int(n_wrong[i]),
                "n_repeats": int(n_held_out[i]),
            }
        )
    n_of = Counter((row["class"], row["predicted"]) for row in rows)
    order = {confusion: place for place, (confusion, _) in enumerate(n_of.most_common())}
    rows.sort(key=lambda row: order[row["class"], row["predicted"]])
    return {"total": len(rows), "rows": rows[: 2 * LONGEST_LIST]}
