"""The report of a whole bench."""

from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from s2fs._utils.files import write_atomic
from s2fs._utils.messages import join_words
from s2fs._utils.version import __version__
from s2fs.report.destination import check_destination
from s2fs.report.page import render
from s2fs_bench.curve_plots import plot_curves
from s2fs_bench.figures import curve_lines, curve_panels, sign_note
from s2fs_bench.learners.registry import LEARNER_TITLES, score_name
from s2fs_bench.plots import plot_critical_difference, plot_times
from s2fs_bench.ranks import compare_columns
from s2fs_bench.results import Result, ResultsFile, by_setting, complete_results
from s2fs_bench.run import Run
from s2fs_bench.svg import Drawings
from s2fs_bench.tables import SHOWN_DECIMALS, Table, build_tables
from s2fs_bench.times import Times, selection_times

#: Small numbers in words.
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
#: What the variants of the criterion are without.
_WITHOUT = {
    "S2-DWC": "is S²FS without directions within classes (α = 0)",
    "S2-DBS": "is S²FS without directions between classes (β = 0)",
    "S2-DWC-DBS": "is S²FS without any directions (α = β = 0)",
}
_STATISTICS = {"max": "best", "ave": "average"}
#: What the page says of the first algorithm beside those of which the Nemenyi test says this.
_VERDICTS = {
    "better": "ranks significantly above",
    "worse": "ranks significantly below",
    "cannot be told from": "has no significant difference from",
}


def bench_report(
    results_file: ResultsFile,
    path: str | PathLike[str],
    *,
    title: str = "Bench",
    reference: str | None = None,
    date: datetime | None = None,
) -> Path:
    """Write the results of a bench to one HTML file.

    The published numbers stand beside ours where the experiment is the paper's.

    Parameters
    ----------
    results_file : Ledger or Archive
        Where the results are.
    path : str or path-like
        The file to write, ending in ``.html``.
    title : str, default="Bench"
        The heading.
    reference : str, optional
        The selector that is held against the others; by default the first of the plan.
    date : datetime, optional
        When the report was made, by default now.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import dataclasses, pathlib, tempfile
    >>> from s2fs_bench import Ledger, bench_report, load_plan, run_plan
    >>> plan = dataclasses.replace(load_plan("quick"), folds=2, sizes=(1, 2), learners=("knn",))
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = run_plan(plan, folder / "quick.sqlite")
    >>> with Ledger(folder / "quick.sqlite") as ledger:
    ...     bench_report(ledger, folder / "bench.html").name
    'bench.html'
    """
    place = check_destination(path)
    found = complete_results(results_file)
    split = by_setting(found)
    drawings = Drawings()
    settings = [_summarise(i, group, reference, drawings) for i, group in enumerate(split.values())]
    page = render(
        "bench.html",
        package="s2fs_bench",
        title=title,
        lead=_write_lead({learner for result in found for learner in result.curves}),
        settings=settings,
        drawing_style=drawings.css,
        version=__version__,
        date=(date or datetime.now()).strftime("%Y-%m-%d %H:%M"),
    )
    write_atomic(place, page.encode())
    return place


def _write_lead(learners: Set[str]) -> str:
    """What the numbers of the page are."""
    classifiers, n = learners - {"kmeans"}, len(learners - {"kmeans"})
    parts = []
    if classifiers:
        count = _COUNTS[n] if n < len(_COUNTS) else str(n)
        parts.append(f"accuracy of {count} classifier{'' if n == 1 else 's'}")
    if "kmeans" in learners:
        parts.append("mutual information of k-means")
    text = f"{join_words(parts)} on each algorithm's top features."
    return f"{text[0].upper()}{text[1:]}"


def _explain_variants(group: Iterable[Result]) -> str:
    """What the variants of S²FS are without, where there are some."""
    names = {result.run.selector.name for result in group}
    found = [
        f"{name.replace('S2', 'S²')} {without}"
        for name, without in _WITHOUT.items()
        if name in names
    ]
    return f"{'; '.join(found)}." if found else ""


def _summarise(
    number: int, group: Sequence[Result], reference: str | None, drawings: Drawings
) -> dict[str, Any]:
    """All that the page says about results of one setting."""
    run, tables = group[0].run, build_tables(group)
    first = tables[0].compared(reference=reference)[0]
    prefix = f"s{number}"
    overall = _overall(tables, first)
    times = selection_times(group)
    comparisons = []
    for i, table in enumerate(tables):
        entry = _comparison(f"{prefix}-cd{i}", table, first, drawings)
        if entry is not None:
            comparisons.append(entry)
    return {
        "id": prefix,
        "leaky": run.protocol == "before",
        "n_folds": run.n_folds,
        "sizes": list(run.sizes),
        "seeds": sorted({result.run.seed for result in group}),
        "versions": sorted({result.run.version for result in group}),
        "note": sign_note(tables[0]),
        "variants": _explain_variants(group),
        "remarks": list(tables[0].remarks),
        "has_published": any(table.has_published for table in tables),
        "summary": overall,
        "columns": [
            {"name": column.heading, "tuned": column.is_tuned} for column in tables[0].columns
        ],
        "learners": list(dict.fromkeys(LEARNER_TITLES[table.learner] for table in tables)),
        "datasets": list(tables[0].datasets),
        "rows": [row for table in tables for row in _rows(table)],
        "curves": _curves(prefix, tables, group, first, drawings),
        "comparisons": comparisons,
        "headline": _headline(overall, comparisons),
        "stability": _matrix((result.run, result.stability) for result in group),
        "times": _times(times),
        "times_svg": _times_svg(f"{prefix}-times-plot", times, drawings),
    }


def _headline(
    overall: dict[str, Any] | None, comparisons: Sequence[dict[str, Any]]
) -> tuple[str, str]:
    """Who has the best average rank, and what the tests say about the reference."""
    if overall is None:
        return "", ""
    ranked = overall["rows"]
    n_datasets, learners = overall["n_datasets"], overall["learners"]
    headline = (
        f"{ranked[0]['name']} has the best average rank of {len(ranked)} algorithms, "
        f"{ranked[0]['rank']:.2f}; {ranked[1]['name']} is next with {ranked[1]['rank']:.2f}, on "
        f"{n_datasets} dataset{'' if n_datasets == 1 else 's'} with {', '.join(learners)}."
    )
    for entry in comparisons:
        if entry["statistic_name"] == "ave":
            return headline, f"With {entry['learner']}, {entry['verdict']}"
    return headline, ""


def _times_svg(prefix: str, times: Times, drawings: Drawings) -> str | None:
    if not times.datasets:
        return None
    figure = plot_times(times).figure
    label = "Milliseconds of one selection on a logarithmic axis, a dot for each dataset."
    return drawings.draw(figure, prefix, label)


def _competing(table: Table, first: int = 0) -> list[int]:
    """The columns that are compared: those whose weighting was not chosen on the test results."""
    honest = [j for j, column in enumerate(table.columns) if not column.is_tuned]
    competing = honest or list(range(len(table.columns)))
    return sorted(competing, key=lambda j: j != first)  # the reference comes first


def _overall(tables: Sequence[Table], first: int) -> dict[str, Any] | None:
    """Average ranks, wins and losses, and a map of datasets and algorithms, over all learners."""
    averages = [table for table in tables if table.statistic == "ave"]
    competing = _competing(averages[0], first)
    names = [averages[0].columns[j].heading for j in competing]
    scores = np.array([table.ours[:, competing] for table in averages])  # learner × dataset × …
    complete = np.isfinite(scores).all(axis=(0, 2))
    if len(names) < 2 or not complete.any():
        return None
    shown = np.round(scores[:, complete], SHOWN_DECIMALS)
    ranks = rankdata(-shown, axis=2)  # equal scores share their mean rank
    own = shown[:, :, :1]
    best_first = np.argsort(ranks.mean(axis=(0, 1)), kind="stable").tolist()
    return {
        "first": names[0],
        "n_datasets": int(complete.sum()),
        "learners": [LEARNER_TITLES[table.learner] for table in averages],
        "rows": [
            {
                "name": names[j],
                "is_reference": j == 0,
                "rank": float(ranks[:, :, j].mean()),
                "by_learner": ranks[:, :, j].mean(axis=1).tolist(),
                "wins": int((own > shown)[:, :, j].sum()),
                "ties": int((own == shown)[:, :, j].sum()),
                "losses": int((own < shown)[:, :, j].sum()),
            }
            for j in best_first
        ],
        "map": [
            {
                "dataset": averages[0].datasets[d],
                "ranks": ranks[:, i].mean(axis=0)[best_first].tolist(),
            }
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


def _curves(
    prefix: str, tables: Sequence[Table], group: Sequence[Result], first: int, drawings: Drawings
) -> list[dict[str, Any]]:
    drawn: list[dict[str, Any]] = []
    for table in tables:
        if table.statistic != "ave":
            continue
        lines, learner = curve_lines(table), LEARNER_TITLES[table.learner]
        labels = {name: column.label for name, column in lines.items()}
        dashed = [name for name, column in lines.items() if column.is_tuned]
        highlight = table.columns[first].algorithm
        for dataset, curves in curve_panels(group, table.learner, lines).items():
            figure = plot_curves(
                curves, highlight=highlight, labels=labels, dashed=dashed, title=dataset
            ).figure
            label = f"Curves of {learner} on {dataset} over the number of features."
            svg = drawings.draw(figure, f"{prefix}-c{len(drawn)}", label)
            drawn.append({"dataset": dataset, "learner": learner, "svg": svg})
    return drawn


def _comparison(prefix: str, table: Table, first: int, drawings: Drawings) -> dict[str, Any] | None:
    competing = _competing(table, first)
    names = [table.columns[j].heading for j in competing]
    found = compare_columns(table, competing, names)
    if found is None:
        return None
    figure = plot_critical_difference(found.nemenyi, highlight=names[0]).figure
    label = f"Average ranks for {_name(table)}, with the critical difference."
    others: dict[str, list[str]] = {verdict: [] for verdict in _VERDICTS}
    for j, name in enumerate(names[1:], start=1):
        others[found.verdict(j)].append(name)
    said = [f"{_VERDICTS[verdict]} {', '.join(of)}" for verdict, of in others.items() if of]
    return {
        "name": _name(table),
        "learner": LEARNER_TITLES[table.learner],
        "statistic_name": table.statistic,
        "svg": drawings.draw(figure, prefix, label),
        "n_datasets": found.n_datasets,
        "statistic": found.friedman.statistic,
        "critical_value": found.friedman.critical_value,
        "verdict": f"{names[0]} {'; it '.join(said)}.",
    }


def _times(times: Times) -> dict[str, Any]:
    """The times as the page's tables take them."""
    rows = [
        {"dataset": dataset, "cells": [None if np.isnan(ms) else float(ms) for ms in row]}
        for dataset, row in zip(times.datasets, times.milliseconds, strict=True)
    ]
    return {"selectors": list(times.selectors), "rows": rows, "note": times.note}


def _matrix(numbers: Iterable[tuple[Run, float]]) -> dict[str, Any]:
    """The mean number by dataset and selector as a table; without the cells that have a NaN."""
    cells: dict[tuple[str, str], list[float]] = {}
    for run, number in numbers:
        inside = " weighting chosen inside" if run.selector.tune == "inside" else ""
        name = f"{run.selector.name.replace('S2', 'S²')}{inside}"
        cells.setdefault((run.dataset_title, name), []).append(number)
    means = {cell: float(np.mean(of)) for cell, of in cells.items() if not np.isnan(of).any()}
    selectors = list(dict.fromkeys(selector for _, selector in means))
    rows = [
        {"dataset": dataset, "cells": [means.get((dataset, name)) for name in selectors]}
        for dataset in dict.fromkeys(dataset for dataset, _ in means)
    ]
    return {"selectors": selectors, "rows": rows}
