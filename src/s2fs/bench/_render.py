"""Tables as Markdown, LaTeX and CSV."""

import csv
from collections.abc import Sequence
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from s2fs.bench._archive import Archive
from s2fs.bench._comparison import Comparison, compare
from s2fs.bench._ledger import Ledger
from s2fs.bench._results import Result, results
from s2fs.bench._tables import Column, Mark, Table, build_tables, settings

_LEARNERS = {"cart": "CART", "knn": "5-NN", "svm": "SVM", "kmeans": "k-means"}
_STATISTICS = {"max": "Max", "ave": "Ave"}
_STATUS = {"": "", "reconstructed": "†", "partly reconstructed": "‡"}
_WEIGHTS = {
    "fixed": "",
    "best": "best α, β",
    "inside": "α, β chosen inside",
    "default": "α = β = 0.0316",
}
_LEGEND = {
    "best α, β": "for each cell the pair of the grid with the best test result, so tuned on the "
    "test result, as in the paper",
    "α, β chosen inside": "an honest number: in each fold the pair is chosen from the training "
    "rows alone",
    "†": "reconstructed algorithm, so a difference from the printed number may be ours",
    "‡": "partly reconstructed algorithm",
}


def write_tables(ledger: Ledger | Archive, folder: str | PathLike[str]) -> list[Path]:
    """Write the tables of a ledger and the comparisons made from them.

    Parameters
    ----------
    ledger : Ledger or Archive
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
    split = settings(list(results(ledger)))
    if not split:
        raise ValueError(f"{ledger.path} has no complete cross-validation yet; run more of it.")
    written = []
    for name, alike in split.items():
        place = Path(folder) if len(split) == 1 else Path(folder) / name
        place.mkdir(parents=True, exist_ok=True)
        tables = build_tables(alike)
        comparisons = [comparison for table in tables for comparison in compare(table)]
        for filename, text in (
            ("tables.md", markdown(tables, comparisons, alike)),
            ("tables.tex", latex(tables)),
            ("tables.csv", _csv(table_rows(tables))),
            ("comparisons.csv", _csv(comparison_rows(comparisons))),
        ):
            (place / filename).write_text(text, encoding="utf-8")
            written.append(place / filename)
    return written


def heading(column: Column) -> str:
    """The heading of a column: algorithm, sign of reconstruction, and how weights were set."""
    name = column.algorithm.replace("S2", "S²")
    return f"{name}{_STATUS[column.status]} {_WEIGHTS[column.weights]}".strip()


def markdown(
    tables: Sequence[Table], comparisons: Sequence[Comparison], alike: Sequence[Result]
) -> str:
    """All tables and comparisons as one document."""
    unit = alike[0].unit
    seeds = sorted({result.unit.seed for result in alike})
    versions = sorted({result.unit.version for result in alike})
    lines = [
        "# Results",
        "",
        "Protocol: features selected before the split"
        if unit.protocol == "before"
        else "Protocol: features selected inside each training fold",
        f"({unit.n_folds} folds, sizes {unit.sizes[0]} to {unit.sizes[-1]}, {len(unit.sizes)} of "
        f"them; seed {', '.join(map(str, seeds))}; s2fs {', '.join(versions)}).",
    ]
    if unit.protocol == "before":
        lines += ["**Leaky**: the selector has seen the test rows, so these scores are too good."]
    lines += [
        "Each cell: ours, and in brackets the number the paper prints and the difference. Best in "
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


def latex(tables: Sequence[Table]) -> str:
    """All tables for a LaTeX document that uses booktabs."""
    return "\n".join(_latex_table(table) for table in tables)


def table_rows(tables: Sequence[Table]) -> list[dict[str, Any]]:
    """A row for each cell."""
    return [
        {
            "learner": table.learner,
            "statistic": table.statistic,
            "dataset": dataset,
            "algorithm": column.algorithm,
            "weights": column.weights,
            "status": column.status or "confirmed",
            "leaky": table.leaky,
            "ours": table.ours[i, j],
            "printed": table.printed[i, j],
            "difference": table.ours[i, j] - table.printed[i, j],
            "mark": mark,
        }
        for table in tables
        for i, (dataset, marks) in enumerate(zip(table.datasets, table.marks(), strict=True))
        for j, (column, mark) in enumerate(zip(table.columns, marks, strict=True))
    ]


def comparison_rows(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """A row for each algorithm of each comparison."""
    return [
        {
            "learner": c.learner,
            "statistic": c.statistic,
            "reference": c.columns[0].algorithm,
            "reference_weights": c.columns[0].weights,
            "algorithm": column.algorithm,
            "status": column.status or "confirmed",
            "leaky": c.leaky,
            "n_datasets": c.n_datasets,
            "average_rank": c.friedman.average_ranks[j],
            "printed_rank": np.nan if c.printed_ranks is None else c.printed_ranks[j],
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
    shown = " ".join(map(heading, table.columns))
    return [f"{sign}: {text}." for sign, text in _LEGEND.items() if sign in shown]


def _title(table: Table) -> str:
    score = "mutual information" if table.learner == "kmeans" else "accuracy"
    leaky = " (leaky: selected before the split)" if table.leaky else ""
    return f"{_LEARNERS[table.learner]}, {_STATISTICS[table.statistic]} {score}{leaky}"


def _markdown_table(table: Table) -> list[str]:
    signs: dict[Mark, tuple[str, str]] = {
        "best": ("**", "**"),
        "second": ("<u>", "</u>"),
        "": ("", ""),
    }
    lines = [_row(["Dataset", *map(heading, table.columns)]), _row(["---"] * _width(table))]
    for i, (dataset, marks) in enumerate(zip(table.datasets, table.marks(), strict=True)):
        cells = [dataset]
        for ours, printed, mark in zip(table.ours[i], table.printed[i], marks, strict=True):
            before, after = signs[mark]
            cell = "–" if np.isnan(ours) else f"{before}{ours:.4f}{after}"
            if not np.isnan(printed):
                gap = "" if np.isnan(ours) else f", {ours - printed:+.4f}"
                cell += f" ({printed:.4f}{gap})"
            cells.append(cell)
        lines.append(_row(cells))
    return lines


def _markdown_comparison(c: Comparison) -> list[str]:
    first = heading(c.columns[0])
    f = c.friedman
    which = f"{_LEARNERS[c.learner]}, {_STATISTICS[c.statistic]}{' (leaky)' if c.leaky else ''}"
    lines = [
        f"### {which}: {first} against the others",
        "",
        f"Friedman over {c.n_datasets} datasets: F_F = {f.statistic:.4f} (critical value "
        f"{f.critical_value:.4f}, p = {f.p_value:.2g}); Nemenyi: critical difference "
        f"{c.nemenyi.critical_difference:.4f}.",
        "",
        _row(
            ["Algorithm", "average rank", "printed", f"wins / ties / losses of {first}", "Nemenyi"]
        ),
        _row(["---"] * 5),
    ]
    for j, column in enumerate(c.columns):
        printed = "–" if c.printed_ranks is None else f"{c.printed_ranks[j]:.2f}"
        against = f"{c.wins[j]} / {c.ties[j]} / {c.losses[j]}" if j else ""
        verdict = c.verdict(j) if j else ""
        rank = f"{c.friedman.average_ranks[j]:.2f}"
        lines.append(_row([heading(column), rank, printed, against, verdict]))
    return lines


def _latex_table(table: Table) -> str:
    commands: dict[Mark, str] = {
        "best": r"\textbf{%s}",
        "second": r"\underline{%s}",
        "": "%s",
    }
    headings = [_latex_text(heading(column)) for column in table.columns]
    lines = [
        r"\begin{tabular}{l" + "c" * len(table.columns) + "}",
        rf"\multicolumn{{{_width(table)}}}{{l}}{{{_title(table)}: ours (printed; difference)}} \\",
        r"\toprule",
        " & ".join(["Dataset", *headings]) + r" \\",
        r"\midrule",
    ]
    for i, (dataset, marks) in enumerate(zip(table.datasets, table.marks(), strict=True)):
        cells = [dataset]
        for ours, printed, mark in zip(table.ours[i], table.printed[i], marks, strict=True):
            cell = "--" if np.isnan(ours) else commands[mark] % f"{ours:.4f}"
            if not np.isnan(printed):
                gap = "" if np.isnan(ours) else f"; ${ours - printed:+.4f}$"
                cell += f" ({printed:.4f}{gap})"
            cells.append(cell)
        lines.append(" & ".join(cells) + r" \\")
    lines.append(r"\bottomrule")
    across = rf"\multicolumn{{{_width(table)}}}{{l}}"
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


def _width(table: Table) -> int:
    return 1 + len(table.columns)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    text = StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()
