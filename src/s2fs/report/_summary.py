"""Summarise a selection to a plain dict: numbers, text and lists, nothing to draw."""

from collections.abc import Mapping
from typing import Any

from s2fs.evaluation import Comparison
from s2fs.evaluation.checks import SelectionChecks
from s2fs.evaluation.metrics import METRICS
from s2fs.evaluation.sentences import list_sizes
from s2fs.report._class_rows import (
    PairDistances,
    describe_class_pairs,
    hardest_pair_in_words,
)
from s2fs.report._feature_rows import component_names, describe_features, false_selections
from s2fs.report._panel import describe_panel
from s2fs.report._redundancy import describe_redundancy
from s2fs.report._selected import evaluate, read_selection
from s2fs.report._sizes import describe_metric, describe_size, name_columns
from s2fs.report._table import Table
from s2fs.report.names import FeatureLabel, label_features
from s2fs.report.provenance import (
    describe_data,
    describe_run,
    describe_selector,
    methods_paragraph,
)


def summarise(
    selector: Any,
    table: Table,
    *,
    comparison: Comparison | None = None,
    feature_labels: Mapping[str, FeatureLabel] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> tuple[dict[str, Any], Comparison | None]:
    """Collect what a report says, as plain values, and the comparison behind it."""
    selected = read_selection(selector, table)
    k = len(selected.indices)
    reason = ""
    if comparison is None:
        comparison, reason = evaluate(selected, table, random_state, n_jobs)
    sizes = list_sizes(k, k) if selected.is_ranked else [k]
    if comparison is not None:
        sizes = comparison.sizes or [k]
    checks = SelectionChecks(
        table.values,
        table.codes,
        selected.indices,
        feature_names=table.features,
        class_names=table.classes,
        sample_names=table.samples,
        comparison=comparison,
        incomplete=table.with_gaps,
        covariates=table.covariates,
        remarks=table.repeated_subjects,
    )
    distances = PairDistances(table)
    by_size = [
        describe_size(size, selected, table, comparison, checks, distances) for size in sizes
    ]
    start = sizes.index(k)
    now = by_size[start]
    summary = {
        "verdict": {"headline": now["headline"], "rest": now["rest"]},
        "size": k,
        "start": start,
        "reason": reason,
        "notes": [] if comparison is None else list(comparison.notes),
        "checks": now["checks"],
        "positive": None if comparison is None else comparison.positive_name,
        "metric": describe_metric(METRICS["accuracy"] if comparison is None else comparison.metric),
        "headings": [] if comparison is None else name_columns(comparison),
        "comparison": None if comparison is None else comparison.to_dict(),
        "by_size": by_size,
        "data": describe_data(table, "" if comparison is None else comparison.group_name),
        "selector": describe_selector(selected, table),
        "features": describe_features(selected, table, now["frequencies"]),
        "panel": describe_panel(selected, table, comparison),
        "components": component_names(selector),
        "false": false_selections(selector),
        "redundant": describe_redundancy(selected, table),
        "pairs": describe_class_pairs(selected.indices, table),
        "misclassified": now["misclassified"],
        "run": describe_run(table, comparison, random_state),
    }
    _label(summary, feature_labels)
    summary["methods"] = methods_paragraph(summary, comparison)
    return summary, comparison


def _label(summary: dict[str, Any], feature_labels: Mapping[str, FeatureLabel] | None) -> None:
    """Add to every feature what the page shows for its name, and say the hardest pair in words."""
    names = [row["name"] for row in summary["features"]]
    names += [row["correlated_with"] for row in summary["features"] if row["correlated_with"]]
    for row in summary["features"]:
        names += [one["name"] for one in row["substitutes"] or ()]
    for at in summary["by_size"]:
        if at["hardest"] is not None:
            names += [one["name"] for one in at["hardest"]["features"]]
    labels = label_features(names, feature_labels)
    for row in summary["features"]:
        row["label"], row["about"] = labels[row["name"]]
        partner = row["correlated_with"]
        row["correlated_label"] = None if partner is None else labels[partner].symbol
        for one in row["substitutes"] or ():
            one["label"] = labels[one["name"]].symbol
    for group in summary["redundant"]["groups"]:
        for member in group:
            member["label"] = labels[member["name"]].symbol
    classes = {one["name"]: one["label"] for one in summary["data"]["classes"]}
    for pair in summary["pairs"]["rows"]:
        pair["label"] = f"{classes[pair['one']]} – {classes[pair['other']]}"
        for one in pair["features"]:
            one["label"] = labels[one["name"]].symbol
    for at in summary["by_size"]:
        at["hardest_text"] = hardest_pair_in_words(at["hardest"], labels) if at["rows"] else ""
        at["most_alike_text"] = _most_alike_in_words(at["most_alike"], labels)


def _most_alike_in_words(pair: dict[str, Any] | None, labels: Mapping[str, FeatureLabel]) -> str:
    """The two features that are nearest to a group, where there is none."""
    if pair is None:
        return ""
    one, other = (labels[name].symbol for name in pair["names"])
    r = f"{pair['r']:.2f}".replace("-", "−")
    return f"The most alike are {one} and {other}, with r = {r}."
