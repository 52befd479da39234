"""``s2fs compare`` at work."""

import shlex
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np
from sklearn.utils import get_tags

from s2fs import report as reports
from s2fs.baselines.registry import explain_unknown
from s2fs.cli._compare import Compare
from s2fs.cli._verdict import check_positive
from s2fs.cli.data import read_data
from s2fs.cli.messages import get_words
from s2fs.cli.outputs import write_table
from s2fs.cli.tables import print_table
from s2fs.cli.terminal import note
from s2fs.evaluation import METRICS, SELECTORS, Comparison, ComparisonRow
from s2fs.evaluation import compare as compare_selectors


def run(asked: Compare) -> None:
    """Compare as asked, and print and write the comparison."""
    selectors = [_find_selector(name) for name in asked.selectors]
    table = read_data(asked.data, takes_missing=any(map(_takes_missing, selectors)))
    check_positive(asked.positive, table.class_names)
    X, imputer = table.for_folds()
    start = perf_counter()
    found = compare_selectors(
        X,
        np.array(table.class_names)[table.y],  # so that notes name the classes
        k=asked.n_features,
        selectors=selectors,
        learner=asked.learner,
        scoring=asked.scoring,
        positive=asked.positive,
        cv=asked.folds,
        n_repeats=asked.repeats,
        groups=table.groups,
        covariates=table.covariates,
        feature_groups=table.feature_groups,
        random_state=asked.seed,
        n_jobs=asked.n_jobs,
        verbose=1,
        imputer=imputer,
    )
    comparison = replace(found, group_name=str(asked.data.group or ""))
    if asked.output is not None:
        write_table(asked.output, _list_rows(comparison))
    if asked.report is not None:
        command = shlex.join(["s2fs", *get_words()])
        origin = reports.Origin(command=command, seconds=perf_counter() - start)
        reports.comparison_report(
            comparison, asked.report, title=f"{asked.data.file.name}: selectors", origin=origin
        )
        note(f"Wrote {asked.report}.")
    if comparison.sizes:
        _print_accuracies(comparison)
    click.echo(comparison)


def _find_selector(name: str) -> Any:
    """A selector of the package by its name, or an instance of ``module:Class``."""
    module, colon, kind = name.partition(":")
    if not colon:
        if name.lower() in SELECTORS:
            return name
        ending = explain_unknown(name, SELECTORS, ", or give module:Class")
        raise ValueError(f"--selectors has {name!r}{ending}")
    sys.path.insert(0, str(Path.cwd()))  # a module beside the data, as for a script
    try:
        return getattr(import_module(module), kind)()
    except (ImportError, AttributeError) as error:
        raise ValueError(f"--selectors has {name!r}, which cannot be imported: {error}.") from None
    except TypeError as error:
        raise ValueError(
            f"--selectors has {name!r}, which needs arguments ({error}); give a class that needs "
            "none, such as one of your own that sets them."
        ) from None
    finally:
        sys.path.pop(0)


def _takes_missing(selector: Any) -> bool:
    """Whether a selector, by name or as an object, takes missing values."""
    if isinstance(selector, str):
        selector = SELECTORS[selector.lower()]()
    return bool(get_tags(selector).input_tags.allow_nan)


def _print_accuracies(comparison: Comparison) -> None:
    """Print a column of accuracies for each number of features."""
    metric = comparison.metric
    title = f"{metric.name} {metric.unit}".rstrip()
    click.echo(f"{title[0].upper()}{title[1:]} on held-out samples by number of features:\n")
    sizes = {
        str(size): [metric.format(row.scores[metric.key].value) for row in comparison.at(size).rows]
        for size in comparison.sizes
    }
    names = [row.selector for row in comparison.rows]
    print_table({"selected by": names, **sizes}, numbers=sizes)
    click.echo()


def _list_rows(comparison: Comparison) -> dict[str, list[Any]]:
    """The rows of all numbers of features as columns, for a file."""
    by_size = [comparison.at(size) for size in comparison.sizes] or [comparison]
    rows = [{"k": at.size, **_flatten(row)} for at in by_size for row in at.rows]
    return {name: [row[name] for row in rows] for name in rows[0]}


def _flatten(row: ComparisonRow) -> dict[str, Any]:
    """A row with a column for each number of each metric."""
    flat: dict[str, Any] = {"selector": row.selector, "n_features": row.n_features}
    for key in METRICS:
        estimate = row.scores.get(key)
        flat[key] = None if estimate is None else estimate.value
        for name in ("low", "high", "se"):
            flat[f"{key}_{name}"] = None if estimate is None else getattr(estimate, name)
    names = ("stability", "redundancy", "seconds")
    return flat | {name: getattr(row, name) for name in names}
