"""The report of a whole bench."""

from collections.abc import Sequence
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from s2fs._util.version import __version__
from s2fs.bench._figures import critical_difference, curve_panels, sign_note
from s2fs.bench._learners import LEARNER_TITLES, score_name
from s2fs.bench._ranks import compare_ranks
from s2fs.bench._results import Result, ResultsFile, by_setting, complete_results
from s2fs.bench._run import Run
from s2fs.bench._tables import Table, build_tables
from s2fs.plotting import plot_curves
from s2fs.report.page import check_destination, render, write
from s2fs.report.svg import inline_svg

_STATISTICS = {"max": "best", "ave": "average"}


def bench_report(
    results_file: ResultsFile,
    path: str | PathLike[str],
    *,
    title: str = "Bench",
    date: datetime | None = None,
) -> Path:
    """Write the results of a bench to one HTML file, the published numbers beside ours.

    Parameters
    ----------
    results_file : Ledger or Archive
        Where the results are.
    path : str or path-like
        The file to write, ending in ``.html``.
    title : str, default="Bench"
        The heading.
    date : datetime, optional
        When the report was made, by default now.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import dataclasses, pathlib, tempfile
    >>> from s2fs.bench import Ledger, bench_report, load_plan, run_plan
    >>> plan = dataclasses.replace(load_plan("quick"), folds=2, sizes=(1, 2), learners=("knn",))
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = run_plan(plan, folder / "quick.sqlite")
    >>> with Ledger(folder / "quick.sqlite") as ledger:
    ...     bench_report(ledger, folder / "bench.html").name
    'bench.html'
    """
    place = check_destination(path)
    split = by_setting(complete_results(results_file))
    page = render(
        "bench.html",
        title=title,
        settings=[_summarise(i, alike) for i, alike in enumerate(split.values())],
        times=_times(results_file),
        version=__version__,
        date=(date or datetime.now()).strftime("%Y-%m-%d %H:%M"),
    )
    write(place, page)
    return place


def _summarise(number: int, alike: Sequence[Result]) -> dict[str, Any]:
    """All that the page says about results that were obtained alike."""
    run, tables = alike[0].run, build_tables(alike)
    return {
        "id": f"s{number}",
        "leaky": run.protocol == "before",
        "n_folds": run.n_folds,
        "sizes": list(run.sizes),
        "seeds": sorted({result.run.seed for result in alike}),
        "versions": sorted({result.run.version for result in alike}),
        "note": sign_note(tables[0]),
        "tables": [_table(table) for table in tables],
        "curves": _curves(f"s{number}", tables, alike),
        "comparisons": [
            entry
            for i, table in enumerate(tables)
            if (entry := _comparison(f"s{number}-cd{i}", table)) is not None
        ],
        "stability": _stability(alike),
    }


def _name(table: Table) -> str:
    title, score = LEARNER_TITLES[table.learner], score_name(table.learner, table.score)
    return f"{title}: {_STATISTICS[table.statistic]} {score} over the sizes"


def _table(table: Table) -> dict[str, Any]:
    rows = [
        {
            "dataset": dataset,
            "cells": [
                {
                    "ours": None if np.isnan(ours) else float(ours),
                    "published": None if np.isnan(published) else float(published),
                    "mark": mark,
                }
                for ours, published, mark in zip(*row, strict=True)
            ],
        }
        for dataset, *row in zip(
            table.datasets, table.ours, table.published, table.marks(), strict=True
        )
    ]
    return {
        "name": _name(table),
        "columns": [column.heading for column in table.columns],
        "rows": rows,
    }


def _curves(prefix: str, tables: Sequence[Table], alike: Sequence[Result]) -> list[dict[str, Any]]:
    drawn: list[dict[str, Any]] = []
    for table in tables:
        if table.statistic != "ave":
            continue
        columns = [table.columns[j] for j in table.compared()]
        learner = LEARNER_TITLES[table.learner]
        labels = {column.algorithm: column.heading for column in columns}
        for dataset, curves in curve_panels(alike, table.learner, columns).items():
            figure = plot_curves(curves, labels=labels, title=dataset).figure
            label = f"Curves of {learner} on {dataset} over the number of features."
            svg = inline_svg(figure, f"{prefix}-c{len(drawn)}", label)  # type: ignore[arg-type]
            drawn.append({"dataset": dataset, "learner": learner, "svg": svg})
    return drawn


def _comparison(prefix: str, table: Table) -> dict[str, Any] | None:
    comparison = next(compare_ranks(table), None)
    figure = critical_difference(table)
    if comparison is None or figure is None:
        return None
    label = f"Average ranks for {_name(table)}, with the critical difference."
    names = [column.heading for column in comparison.columns]
    return {
        "name": _name(table),
        "svg": inline_svg(figure, prefix, label),
        "n_datasets": comparison.n_datasets,
        "statistic": comparison.friedman.statistic,
        "critical_value": comparison.friedman.critical_value,
        "first": names[0],
        "verdicts": [
            {"name": name, "verdict": comparison.verdict(j)}
            for j, name in enumerate(names)
            if j > 0
        ],
    }


def _stability(alike: Sequence[Result]) -> list[dict[str, Any]]:
    """Per dataset and selector the stability over the folds, averaged over weights and seeds."""
    found: dict[tuple[str, str], list[float]] = {}
    for result in alike:
        found.setdefault(_dataset_and_selector(result.run), []).append(result.stability)
    return [
        {
            "dataset": dataset,
            "selector": name,
            "stability": float(np.mean(values)),
            "n": len(values),
        }
        for (dataset, name), values in found.items()
        if not np.isnan(values).any()
    ]


def _times(results_file: ResultsFile) -> list[dict[str, Any]]:
    """Processor time of the finished runs by dataset and selector."""
    seconds: dict[tuple[str, str], list[float]] = {}
    for entry in results_file.entries():
        if entry.state == "done" and entry.seconds is not None:
            seconds.setdefault(_dataset_and_selector(entry.run), []).append(entry.seconds)
    return [
        {"dataset": dataset, "selector": name, "runs": len(values), "seconds": sum(values)}
        for (dataset, name), values in seconds.items()
    ]


def _dataset_and_selector(run: Run) -> tuple[str, str]:
    """The dataset and the selector of a row of the page."""
    inside = " (α, β chosen inside)" if run.selector.tune == "inside" else ""
    return run.dataset_title, f"{run.selector.name}{inside}"
