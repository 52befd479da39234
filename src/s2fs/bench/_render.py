"""Tables as Markdown, LaTeX and CSV."""

import csv
from collections.abc import Iterator, Sequence
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from s2fs._util.files import write_whole
from s2fs.bench._learners import LEARNER_TITLES, score_name
from s2fs.bench._ranks import RankComparison, compare_ranks
from s2fs.bench._results import Result, ResultsFile, setting_folders
from s2fs.bench._tables import Mark, Table, build_tables

_LEGEND = {
    "best α, β": "for each cell the pair of the grid with the best test result, so tuned on the "
    "test result, as in the paper",
    "α, β chosen inside": "an honest number: in each fold the pair is chosen from the training "
    "rows alone",
    "†": "reconstructed algorithm, so a difference from the published number may be ours",
    "‡": "partly reconstructed algorithm",
}


def write_tables(results_file: ResultsFile, folder: str | PathLike[str]) -> list[Path]:
    """Write the tables of the results and the comparisons made from them.

    Parameters
    ----------
    results_file : Ledger or Archive
        Where the results are.
    folder : str or path-like
        Where to put ``tables.md``, ``tables.tex``, ``tables.csv`` and ``comparisons.csv``. Results
        that differ in protocol, folds or sizes do not belong in one table: each such setting then
        gets a folder of its own.

    Returns
    -------
    list of Path
        The files written.
    """
    written = []
    for place, alike in setting_folders(results_file, folder):
        tables = build_tables(alike)
        comparisons = [comparison for table in tables for comparison in compare_ranks(table)]
        for filename, text in (
            ("tables.md", markdown(tables, comparisons, alike)),
            ("tables.tex", "\n".join(map(_latex_table, tables))),
            ("tables.csv", _csv(table_rows(tables))),
            ("comparisons.csv", _csv(comparison_rows(comparisons))),
        ):
            write_whole(place / filename, text.encode())
            written.append(place / filename)
    return written


def markdown(
    tables: Sequence[Table], comparisons: Sequence[RankComparison], alike: Sequence[Result]
) -> str:
    """All tables and comparisons as one document."""
    run = alike[0].run
    seeds = sorted({result.run.seed for result in alike})
    versions = sorted({result.run.version for result in alike})
    lines = [
        "# Results",
        "",
        "Protocol: features selected before the split"
        if run.protocol == "before"
        else "Protocol: features selected inside each training fold",
        f"({run.n_folds} folds, sizes {run.sizes[0]} to {run.sizes[-1]}, {len(run.sizes)} of "
        f"them; seed {', '.join(map(str, seeds))}; s2fs {', '.join(versions)}).",
    ]
    if run.protocol == "before":
        lines += ["**Leaky**: the selector has seen the test rows, so these scores are too good."]
    lines += [
        "Each cell: ours, and in brackets the published number and the difference. Best in "
        "bold, second underlined;",
        "columns that stand beside their algorithm's first one take no part in that.",
        "",
    ]
    lines += [f"- {entry}" for entry in _legend(tables[0])]
    for table in tables:
        lines += ["", f"## {_title(table)}", "", *_markdown_table(table)]
    for comparison in comparisons:
        lines += ["", *_markdown_comparison(comparison)]
    return "\n".join(lines) + "\n"


def table_rows(tables: Sequence[Table]) -> list[dict[str, Any]]:
    """A row for each cell."""
    return [
        {
            "learner": table.learner,
            "statistic": table.statistic,
            "dataset": dataset,
            "algorithm": column.algorithm,
            "weights": column.how,
            "status": column.status or "confirmed",
            "leaky": table.leaky,
            "ours": table.ours[i, j],
            "published": table.published[i, j],
            "difference": table.ours[i, j] - table.published[i, j],
            "mark": mark,
        }
        for table in tables
        for i, (dataset, marks) in enumerate(zip(table.datasets, table.marks(), strict=True))
        for j, (column, mark) in enumerate(zip(table.columns, marks, strict=True))
    ]


def comparison_rows(comparisons: Sequence[RankComparison]) -> list[dict[str, Any]]:
    """A row for each algorithm of each comparison."""
    return [
        {
            "learner": c.learner,
            "statistic": c.statistic,
            "reference": c.columns[0].algorithm,
            "reference_weights": c.columns[0].how,
            "algorithm": column.algorithm,
            "status": column.status or "confirmed",
            "leaky": c.leaky,
            "n_datasets": c.n_datasets,
            "average_rank": c.friedman.average_ranks[j],
            "published_rank": np.nan if c.published_ranks is None else c.published_ranks[j],
            "wins": int(c.wins[j]) if j else "",
            "ties": int(c.ties[j]) if j else "",
            "losses": int(c.losses[j]) if j else "",
            "nemenyi": c.verdict(j) if j else "",
            "critical_difference": c.nemenyi.critical_difference,
            "F_F": c.friedman.statistic,
            "critical_value": c.friedman.critical_value,
            "p_value": c.friedman.p_value,
        }
        for c in comparisons
        for j, column in enumerate(c.columns)
    ]


def _legend(table: Table) -> list[str]:
    """What the signs in the headings of a table mean."""
    shown = " ".join(column.heading for column in table.columns)
    return [f"{sign}: {text}." for sign, text in _LEGEND.items() if sign in shown]


def _title(table: Table) -> str:
    leaky = " (leaky: selected before the split)" if table.leaky else ""
    title, score = LEARNER_TITLES[table.learner], score_name(table.learner, table.score)
    return f"{title}, {table.statistic.title()} {score}{leaky}"


class _Style(NamedTuple):
    """How a cell is written: by its mark, if it is empty, and the difference in its brackets."""

    marks: dict[Mark, str]
    empty: str
    difference: str


_MARKDOWN = _Style({"best": "**%s**", "second": "<u>%s</u>", "": "%s"}, "–", ", %+.4f")
_LATEX = _Style({"best": r"\textbf{%s}", "second": r"\underline{%s}", "": "%s"}, "--", "; $%+.4f$")


def _rows(table: Table, style: _Style) -> Iterator[list[str]]:
    """For each dataset its name and the cells, ours with the published number in brackets."""
    for dataset, *row in zip(
        table.datasets, table.ours, table.published, table.marks(), strict=True
    ):
        cells = [dataset]
        for ours, published, mark in zip(*row, strict=True):
            cell = style.empty if np.isnan(ours) else style.marks[mark] % f"{ours:.4f}"
            if not np.isnan(published):
                difference = "" if np.isnan(ours) else style.difference % (ours - published)
                cell += f" ({published:.4f}{difference})"
            cells.append(cell)
        yield cells


def _markdown_table(table: Table) -> list[str]:
    headings = ["Dataset", *(column.heading for column in table.columns)]
    return [_row(headings), _row(["---"] * len(headings)), *map(_row, _rows(table, _MARKDOWN))]


def _markdown_comparison(c: RankComparison) -> list[str]:
    first = c.columns[0].heading
    f = c.friedman
    title = LEARNER_TITLES[c.learner]
    which = f"{title}, {c.statistic.title()}{' (leaky)' if c.leaky else ''}"
    lines = [
        f"### {which}: {first} against the others",
        "",
        f"Friedman over {c.n_datasets} datasets: F_F = {f.statistic:.4f} (critical value "
        f"{f.critical_value:.4f}, p = {f.p_value:.2g}); Nemenyi: critical difference "
        f"{c.nemenyi.critical_difference:.4f}.",
        "",
        _row(
            [
                "Algorithm",
                "average rank",
                "published",
                f"wins / ties / losses of {first}",
                "Nemenyi",
            ]
        ),
        _row(["---"] * 5),
    ]
    for j, column in enumerate(c.columns):
        published = "–" if c.published_ranks is None else f"{c.published_ranks[j]:.2f}"
        against = f"{c.wins[j]} / {c.ties[j]} / {c.losses[j]}" if j else ""
        verdict = c.verdict(j) if j else ""
        rank = f"{c.friedman.average_ranks[j]:.2f}"
        lines.append(_row([column.heading, rank, published, against, verdict]))
    return lines


def _latex_table(table: Table) -> str:
    """A table for a LaTeX document that uses booktabs."""
    headings = [_latex_text(column.heading) for column in table.columns]
    across = rf"\multicolumn{{{1 + len(headings)}}}{{l}}"
    lines = [
        r"\begin{tabular}{l" + "c" * len(table.columns) + "}",
        rf"{across}{{{_title(table)}: ours (published; difference)}} \\",
        r"\toprule",
        " & ".join(["Dataset", *headings]) + r" \\",
        r"\midrule",
        *(" & ".join(cells) + r" \\" for cells in _rows(table, _LATEX)),
        r"\bottomrule",
    ]
    lines += [rf"{across}{{\footnotesize {_latex_text(entry)}}} \\" for entry in _legend(table)]
    return "\n".join([*lines, r"\end{tabular}", ""])


def _latex_text(text: str) -> str:
    for sign, command in (
        ("²", r"\textsuperscript{2}"),
        ("α", r"$\alpha$"),
        ("β", r"$\beta$"),
        ("†", r"$\dagger$"),
        ("‡", r"$\ddagger$"),
    ):
        text = text.replace(sign, command)
    return text


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    text = StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()
