"""The report of a whole bench."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from s2fs._util.files import write_whole
from s2fs._util.version import __version__
from s2fs.bench._figures import curve_panels, sign_note
from s2fs.bench._learners import LEARNER_TITLES, score_name
from s2fs.bench._plots import plot_critical_difference
from s2fs.bench._ranks import compare_columns
from s2fs.bench._results import Result, ResultsFile, by_setting, complete_results
from s2fs.bench._run import Run
from s2fs.bench._tables import SHOWN_DECIMALS, Table, build_tables
from s2fs.plotting import plot_curves
from s2fs.report.page import check_destination, render
from s2fs.report.svg import inline_svg

_STATISTICS = {"max": "best", "ave": "average"}
#: What the page says of the first algorithm beside those of which the Nemenyi test says this.
_VERDICTS = {
    "better": "ranks significantly above",
    "worse": "ranks significantly below",
    "comparable": "does not rank significantly differently from",
}


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
        times=_matrix(
            (entry.run, entry.seconds)
            for entry in results_file.entries()
            if entry.state == "done" and entry.seconds is not None
        ),
        version=__version__,
        date=(date or datetime.now()).strftime("%Y-%m-%d %H:%M"),
    )
    write_whole(place, page.encode())
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
        "stability": _matrix((result.run, result.stability) for result in alike),
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
    names = [table.columns[j].heading for j in competing]
    found = compare_columns(table, competing, names)
    if found is None:
        return None
    figure = plot_critical_difference(found.nemenyi).figure
    label = f"Average ranks for {_name(table)}, with the critical difference."
    others: dict[str, list[str]] = {verdict: [] for verdict in _VERDICTS}
    for j, name in enumerate(names[1:], start=1):
        others[found.verdict(j)].append(name)
    said = [f"{_VERDICTS[verdict]} {', '.join(of)}" for verdict, of in others.items() if of]
    return {
        "name": _name(table),
        "svg": inline_svg(figure, prefix, label),  # type: ignore[arg-type]
        "n_datasets": found.n_datasets,
        "statistic": found.friedman.statistic,
        "critical_value": found.friedman.critical_value,
        "verdict": f"{names[0]} {'; it '.join(said)}.",
    }


def _matrix(numbers: Iterable[tuple[Run, float]]) -> dict[str, Any]:
    """The mean number by dataset and selector as a table; without the cells that have a NaN."""
    cells: dict[tuple[str, str], list[float]] = {}
    for run, number in numbers:
        inside = " (α, β chosen inside)" if run.selector.tune == "inside" else ""
        cells.setdefault((run.dataset_title, f"{run.selector.name}{inside}"), []).append(number)
    means = {cell: float(np.mean(of)) for cell, of in cells.items() if not np.isnan(of).any()}
    selectors = list(dict.fromkeys(selector for _, selector in means))
    rows = [
        {"dataset": dataset, "cells": [means.get((dataset, name)) for name in selectors]}
        for dataset in dict.fromkeys(dataset for dataset, _ in means)
    ]
    return {"selectors": selectors, "rows": rows}
