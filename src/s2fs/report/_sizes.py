"""What the page says for each number of features: the slider moves between these."""

from typing import Any

from s2fs._utils.messages import format_count
from s2fs.evaluation import Comparison, ComparisonRow, Estimate
from s2fs.evaluation.checks import SelectionChecks, as_dicts, count_passed
from s2fs.evaluation.comparison import MAJORITY
from s2fs.evaluation.metrics import METRICS, SPECIFICITY, Metric
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


def describe_size(
    size: int,
    selected: SelectedFeatures,
    table: Table,
    comparison: Comparison | None,
    checks: SelectionChecks,
    distances: PairDistances,
) -> dict[str, Any]:
    """All that changes with the number of features."""
    n_listed = min(size, len(selected.indices))
    groups = groups_among_first(selected, table, n_listed)
    n_features = format_count(size, "feature")
    of_size = as_dicts(checks.at(size))
    description: dict[str, Any] = {
        "size": size,
        "size_text": n_features,
        "stability": None,
        "stability_text": "–",
        "stability_note": "not measured",
        "frequencies": [None] * len(selected.indices),
        "groups": groups,
        "redundant": sum(len(group) - 1 for group in groups),
        "most_alike": find_most_alike(selected, table, n_listed),
        "checks": of_size,
        "passed_text": count_passed(of_size),
        "value_text": "–",
        "value_note": "not measured",
        "heard": n_features,
        "tiles": [],
        "headline": f"{n_features} {'was' if size == 1 else 'were'} selected.",
        "rest": "",
        "value": None,
        "rows": [],
        "forest": [],
        "confusion": [],
        "rates": [],
        "hardest": None,
        "misclassified": {"total": 0, "rows": []},
    }
    if comparison is None:
        return description
    at = comparison.at(size) if size in comparison.by_size else comparison
    # The number asked for has the words of the whole comparison: they are those of the terminal.
    worded = comparison if size == comparison.size else at
    first, metric = at.rows[0], at.metric
    own = first.scores[metric.key]
    counts = count_confusions(at, table)
    return description | {
        **_describe_stability(at),
        "frequencies": at.count_selections(selected.indices),
        "value": own.value,
        "value_text": _keep_together(metric.write(own.value)),
        "value_note": _write_note(at, own),
        "heard": f"{n_features}: {metric.write_named(own.value)}",
        "tiles": _make_tiles(at),
        "rows": [describe_row(at, row) for row in at.rows],
        "forest": forest_rows(at),
        "confusion": nonzero_cells(counts),
        "rates": rates_of_classes(counts, table),
        "hardest": describe_hardest_pair(counts, selected, table, distances),
        "misclassified": list_misclassified(at, table),
        "headline": worded.headline,
        "rest": worded.rest,
    }


def _describe_stability(at: Comparison) -> dict[str, Any]:
    """Nogueira's index of the sets selected in the folds, and in words."""
    index = at.rows[0].stability
    if index is None:
        return {"stability_note": "all features, or a single fold"}
    return {
        "stability": index,
        "stability_text": f"{index:.2f}",
        "stability_note": "of the selections in the folds; 1 = always the same, 0 = as at random",
    }


def _write_note(at: Comparison, own: Estimate) -> str:
    """What stands below the number: its interval, and what guessing reaches."""
    guess = _keep_together(at.metric.write(at.guess))
    name = f"the {MAJORITY}" if at.metric.guess_name != "chance" else at.metric.guess_name
    if not at.has_intervals:
        return f"{name} gets {guess}"
    interval = at.metric.write_interval(own.low, own.high)
    return f"95\xa0% interval {interval}; {name} gets {guess}"


def _make_tiles(at: Comparison) -> list[dict[str, str]]:
    """The numbers of the first row by name: every metric, and the stability."""
    first, positive, tiles = at.rows[0], at.positive_name, []
    for metric in at.metrics:
        estimate = first.scores[metric.key]
        name = metric.describe(positive)
        note = f"95\xa0% interval {metric.write_interval(estimate.low, estimate.high)}"
        if metric is at.metric:
            note = _write_note(at, estimate)
        elif not at.has_intervals:
            note = ""
        text = metric.format(estimate.value) + (f"\xa0{metric.unit}" if metric.unit else "")
        tiles.append({"name": f"{name[0].upper()}{name[1:]}", "text": text, "note": note})
    found = at.sensitivity_at_specificity if at.has_intervals else None
    if found is not None:
        metric, (value, low, high, _) = METRICS["sensitivity"], found.estimate
        name = metric.describe(positive)
        tiles.append(
            {
                "name": f"{name[0].upper()}{name[1:]} at {100 * SPECIFICITY:.0f}\xa0% specificity",
                "text": _keep_together(metric.write(value)),
                "note": f"95\xa0% interval {metric.write_interval(low, high)}; by a cut that the "
                "folds of a repeat share",
            }
        )
    stability = _describe_stability(at)
    text = stability.get("stability_text", "–")
    return [*tiles, {"name": "Stability", "text": text, "note": stability["stability_note"]}]


def write_estimate(at: Comparison, estimate: Estimate) -> str:
    """A value with its interval: ``97.8 %, 95 % interval 92.0 to 99.4``."""
    text = at.metric.write(estimate.value)
    if not at.has_intervals:
        return text
    return f"{text}, 95 % interval {at.metric.write_interval(estimate.low, estimate.high)}"


def describe_row(at: Comparison, row: ComparisonRow) -> dict[str, Any]:
    """A row of the table of scores, with the texts of its cells."""
    metric = at.metric
    texts = [metric.format(row.scores[metric.key].value), at.write_interval(row) or "–"]
    for other in at.metrics[1:]:
        estimate = row.scores.get(other.key)
        texts.append("–" if estimate is None else other.format(estimate.value))
        if estimate is not None and other.key == "auc" and estimate.low < estimate.high:
            texts[-1] += f" ({other.write_interval(estimate.low, estimate.high)})"
    texts.append("–" if row.stability is None else f"{row.stability:.2f}")
    return {
        "name": row.selector,
        "value": row.scores[metric.key].value,
        "texts": texts,
        "n_features": row.n_features,
    }


def name_columns(at: Comparison) -> list[str]:
    """The headings of the texts of a row."""
    others = [head(metric, at.positive_name) for metric in at.metrics[1:]]
    return [head(at.metric, at.positive_name), "95 % interval", *others, "stability"]


def head(metric: Metric, positive: str | None) -> str:
    """What stands above a column of a metric."""
    name = metric.describe(positive)
    if metric.decision == "class share" and not metric.is_of_positive:
        name = f"{metric.heading} (classes count the same)"
    return f"{name} {metric.unit}".rstrip()


def describe_metric(metric: Metric) -> dict[str, str]:
    """What the page calls the metric of the verdict."""
    title = f"{metric.name[0].upper()}{metric.name[1:]}"
    return {"key": metric.key, "name": metric.name, "title": title, "unit": metric.unit}


def _keep_together(text: str) -> str:
    """A number and its unit, which stay on one line."""
    return text.replace(" ", "\xa0")
