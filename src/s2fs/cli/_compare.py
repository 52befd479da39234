"""``s2fs compare``: selectors beside each other on the user's own table."""

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
from s2fs.cli._verdict import check_positive, positive_option, scoring_option
from s2fs.cli.data import DataArguments
from s2fs.cli.help import Command
from s2fs.cli.options import (
    DATA_OPTIONS,
    n_jobs_option,
    output_option,
    pop_options,
    report_option,
)
from s2fs.cli.outputs import reject_input_as_output, write_table
from s2fs.cli.tables import print_table
from s2fs.cli.terminal import note
from s2fs.evaluation import LEARNERS, METRICS, SELECTORS, Comparison, ComparisonRow
from s2fs.evaluation import compare as compare_selectors
from s2fs.evaluation.compare import DEFAULT_LEARNER
from s2fs.evaluation.folds import DEFAULT_FOLDS, DEFAULT_REPEATS


def _read_sizes(_: click.Context, __: click.Parameter, value: str) -> int | list[int]:
    """One number of features or several, increasing."""
    parts = [part.strip() for part in value.split(",")]
    sizes = [int(part) for part in parts if part.isdecimal()]
    if len(sizes) == len(parts) and min(sizes) >= 1:
        return sizes[0] if len(sizes) == 1 else sorted({*sizes})
    raise click.BadParameter(f"{value!r}; give a whole number from 1, or several such as 5,10,20.")


def _read_selectors(_: click.Context, __: click.Parameter, value: str) -> list[Any]:
    """The selectors that were named."""
    names = [name.strip() for name in value.split(",") if name.strip()]
    if not names:
        raise click.BadParameter("it is empty; name at least one selector.")
    return [_find_selector(name) for name in names]


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


@click.command(
    cls=Command,
    params=[*DATA_OPTIONS],
    epilog="\b\nExample:\n"
    "  s2fs compare tumours.csv --target diagnosis --drop patient -k 5,10,20\n"
    "  s2fs compare tumours.csv -t diagnosis --drop patient "
    "--selectors paircover,sklearn.feature_selection:SelectKBest",
)
@click.option(
    "--selectors",
    metavar="A,B,C",
    default="paircover,s2fs,anovaf",
    callback=_read_selectors,
    help="What to compare: paircover, s2fs, s2fs-rms, baselines, or scikit-learn selectors as "
    "module:Class, whose module is imported. The verdict is about the first.",
)
@click.option(
    "-k",
    "--n-features",
    metavar="NUMBERS",
    default="10",
    callback=_read_sizes,
    help="How many features each selects: a number, which is compared with smaller ones and twice "
    "as many, or several such as 5,10,20, of which the last is the one asked for.",
)
@click.option(
    "--learner",
    type=click.Choice(list(LEARNERS)),
    default=DEFAULT_LEARNER,
    help="What is trained on the selected features.",
)
@scoring_option
@positive_option
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=DEFAULT_FOLDS,
    help="The number of folds of the cross-validation.",
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=DEFAULT_REPEATS,
    help="How often the folds are drawn anew.",
)
@click.option("--seed", type=int, default=0, help="Seed of the folds.")
@n_jobs_option
@output_option(help="Also write all numbers to a .csv, .tsv, .json, .parquet or .xlsx file.")
@report_option(help="Also write a page to look at to an .html file.")
def compare(
    *,
    selectors: list[Any],
    n_features: int | list[int],
    output: Path | None,
    report: Path | None,
    **given: Any,
) -> None:
    """Compare selectors on FILE: how good on held-out samples, how stable, how fast.

    Every selector selects inside the folds, from the training samples alone. All features, random
    features and always guessing the largest class stand beside them. "stable" is 1 if the folds
    agree on the features, "|r|" the mean correlation of two of them.
    """
    data = DataArguments(**pop_options(DATA_OPTIONS, given))
    reject_input_as_output(data.inputs, output=output, report=report)
    takes_missing = any(map(_takes_missing, selectors))
    table = data.read(takes_missing=takes_missing)
    check_positive(given["positive"], table.class_names)
    X, imputer = table.for_folds()
    start = perf_counter()
    found = compare_selectors(
        X,
        np.array(table.class_names)[table.y],  # so that notes name the classes
        k=n_features,
        selectors=selectors,
        learner=given["learner"],
        scoring=given["scoring"],
        positive=given["positive"],
        cv=given["folds"],
        n_repeats=given["repeats"],
        groups=table.groups,
        covariates=table.covariates,
        random_state=given["seed"],
        n_jobs=given["n_jobs"],
        verbose=int(sys.stderr.isatty()),
        imputer=imputer,
    )
    comparison = replace(found, group_name=str(data.group or ""))
    if comparison.sizes:
        _print_accuracies(comparison)
    click.echo(comparison)
    if output is not None:
        write_table(output, _list_rows(comparison))
    if report is not None:
        command = shlex.join(["s2fs", *sys.argv[1:]])
        origin = reports.Origin(command=command, seconds=perf_counter() - start)
        reports.comparison_report(
            comparison, report, title=f"{data.file.name}: selectors", origin=origin
        )
        note(f"Wrote {report}.")


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
