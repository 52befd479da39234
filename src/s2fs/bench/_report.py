"""The report of a whole bench."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from s2fs._util.version import __version__
from s2fs.bench._figures import curve_panels, sign_note
from s2fs.bench._learners import LEARNER_TITLES, score_name
from s2fs.bench._plots import plot_critical_difference
from s2fs.bench._results import Result, ResultsFile, by_setting, complete_results
from s2fs.bench._run import Run
from s2fs.bench._statistics import friedman_test, nemenyi_test
from s2fs.bench._tables import SHOWN_DECIMALS, Table, build_tables
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
    prefix = f"s{number}"
    return {
        "id": prefix,
        "leaky": run.protocol == "before",
        "n_folds": run.n_folds,
        "sizes": list(run.sizes),
        "seeds": sorted({result.run.seed for result in alike}),
        "versions": sorted({result.run.version for result in alike}),
        "note": sign_note(tables[0]),
        "summary": _overall(tables),
        "columns": [
            {"name": column.heading, "tuned": column.how == "best"} for column in tables[0].columns
        ],
        "learners": list(dict.fromkeys(LEARNER_TITLES[table.learner] for table in tables)),
        "datasets": list(tables[0].datasets),
        "rows": [row for table in tables for row in _rows(table)],
        "curves": _curves(prefix, tables, alike),
        "comparisons": [
            entry
            for i, table in enumerate(tables)
            if (entry := _comparison(f"{prefix}-cd{i}", table)) is not None
        ],
        "stability": _stability(alike),
    }


def _competing(table: Table) -> list[int]:
    """The columns that are compared: those whose weights were not chosen by the test result."""
    honest = [j for j, column in enumerate(table.columns) if column.how != "best"]
    return honest or list(range(len(table.columns)))


def _overall(tables: Sequence[Table]) -> dict[str, Any] | None:
    """Average ranks, wins and losses, and a map of datasets and algorithms, over all learners."""
    averages = [table for table in tables if table.statistic == "ave"]
    competing = _competing(averages[0])
    names = [averages[0].columns[j].heading for j in competing]
    scores = np.array([table.ours[:, competing] for table in averages])  # learner × dataset × …
    complete = np.isfinite(scores).all(axis=(0, 2))
    if len(names) < 2 or not complete.any():
        return None
    shown = np.round(scores[:, complete], SHOWN_DECIMALS)
    ranks = rankdata(-shown, axis=2)  # equal scores share their mean rank
    own = shown[:, :, :1]
    return {
        "first": names[0],
        "n_datasets": int(complete.sum()),
        "learners": [LEARNER_TITLES[table.learner] for table in averages],
        "rows": [
            {
                "name": name,
                "rank": float(ranks[:, :, j].mean()),
                "by_learner": ranks[:, :, j].mean(axis=1).tolist(),
                "wins": int((own > shown)[:, :, j].sum()),
                "ties": int((own == shown)[:, :, j].sum()),
                "losses": int((own < shown)[:, :, j].sum()),
            }
            for j, name in enumerate(names)
        ],
        "map": [
            {"dataset": averages[0].datasets[d], "ranks": ranks[:, i].mean(axis=0).tolist()}
            for i, d in enumerate(np.flatnonzero(complete))
        ],
    }


def _name(table: Table) -> str:
    title, score = LEARNER_TITLES[table.learner], score_name(table.learner, table.score)
    return f"{title}: {_STATISTICS[table.statistic]} {score} over the sizes"


def _rows(table: Table) -> Iterator[dict[str, Any]]:
    """The lines of the page's table: our numbers, the published ones, and which are best."""
    score, marks = score_name(table.learner), table.marks(_competing(table))
    for dataset, *row in zip(table.datasets, table.ours, table.published, marks, strict=True):
        yield {
            "dataset": dataset,
            "learner": LEARNER_TITLES[table.learner],
            "statistic": f"{_STATISTICS[table.statistic]} {score}",
            "cells": [
                {
                    "ours": None if np.isnan(value) else float(value),
                    "published": None if np.isnan(of_paper) else float(of_paper),
                    "mark": mark,
                }
                for value, of_paper, mark in zip(*row, strict=True)
            ],
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
    competing = _competing(table)
    ours = table.ours[:, competing]
    ours = ours[np.isfinite(ours).all(axis=1)]
    if min(ours.shape) < 2:
        return None
    names = [table.columns[j].heading for j in competing]
    friedman, nemenyi = friedman_test(ours), nemenyi_test(ours, names=names)
    figure = plot_critical_difference(nemenyi).figure
    label = f"Average ranks for {_name(table)}, with the critical difference."
    better, worse = nemenyi.better[0], nemenyi.better[:, 0]
    sides = {
        "ranks significantly above": [n for n, is_so in zip(names, better, strict=True) if is_so],
        "ranks significantly below": [n for n, is_so in zip(names, worse, strict=True) if is_so],
        "does not rank significantly differently from": [
            name
            for name, above, below in zip(names[1:], better[1:], worse[1:], strict=True)
            if not (above or below)
        ],
    }
    said = [f"{words} {', '.join(others)}" for words, others in sides.items() if others]
    return {
        "name": _name(table),
        "svg": inline_svg(figure, prefix, label),  # type: ignore[arg-type]
        "n_datasets": len(ours),
        "statistic": friedman.statistic,
        "critical_value": friedman.critical_value,
        "verdict": f"{names[0]} {'; it '.join(said)}.",
    }


def _stability(alike: Sequence[Result]) -> dict[str, Any] | None:
    """The stability over the folds by dataset and selector, averaged over weights and seeds."""
    found: dict[tuple[str, str], list[float]] = {}
    for result in alike:
        found.setdefault(_dataset_and_selector(result.run), []).append(result.stability)
    values = {
        cell: float(np.mean(numbers))
        for cell, numbers in found.items()
        if not np.isnan(numbers).any()
    }
    return _matrix(values) if values else None


def _times(results_file: ResultsFile) -> dict[str, Any] | None:
    """Mean processor time of a finished fold, by dataset and selector."""
    seconds: dict[tuple[str, str], list[float]] = {}
    for entry in results_file.entries():
        if entry.state == "done" and entry.seconds is not None:
            seconds.setdefault(_dataset_and_selector(entry.run), []).append(entry.seconds)
    return _matrix({cell: float(np.mean(values)) for cell, values in seconds.items()})


def _matrix(values: Mapping[tuple[str, str], float]) -> dict[str, Any]:
    """Values by dataset and selector as a table."""
    selectors = list(dict.fromkeys(selector for _, selector in values))
    datasets = list(dict.fromkeys(dataset for dataset, _ in values))
    rows = [
        {"dataset": dataset, "cells": [values.get((dataset, name)) for name in selectors]}
        for dataset in datasets
    ]
    return {"selectors": selectors, "rows": rows}


def _dataset_and_selector(run: Run) -> tuple[str, str]:
    """The dataset and the selector of a cell of the page."""
    inside = " (α, β chosen inside)" if run.selector.tune == "inside" else ""
    return run.dataset_title, f"{run.selector.name}{inside}"
