"""Tables as Markdown, LaTeX and CSV."""

import csv
from collections.abc import Iterator, Sequence
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from s2fs._utils.files import write_atomic
from s2fs_bench.learners.registry import LEARNER_TITLES, score_name
from s2fs_bench.ranks import RankComparison, compare_ranks
from s2fs_bench.results import Result, ResultsFile, setting_folders
from s2fs_bench.tables import Mark, Table, build_tables
from s2fs_bench.times import Times, selection_times

_LEGEND = {
    "best weighting": "chosen on the test results, for each cell another one, as in the paper",
    "weighting chosen inside": "an honest number: in each fold it is chosen from the training "
    "samples alone",
    "†": "reconstructed algorithm, so a difference from the published number may be ours",
    "‡": "partly reconstructed algorithm",
    "§": "stand-in: a ranking that comes near to the published numbers, not the algorithm itself",
}
_STATISTICS = {"max": "best", "ave": "average"}


def write_tables(
    results_file: ResultsFile, folder: str | PathLike[str], *, reference: str | None = None
) -> list[Path]:
    """Write the tables of the results and the comparisons made from them.

    Parameters
    ----------
    results_file : Ledger or Archive
        Where the results are.
    folder : str or path-like
        Where to put ``tables.md``, ``tables.tex``, ``tables.csv``, ``comparisons.csv`` and
        ``times.csv``. Results that differ in protocol, folds or sizes do not belong in one table:
        each such setting then gets a folder of its own.
    reference : str, optional
        The selector that is held against the others: wins, tests, differences. By default the
        first of the plan.

    Returns
    -------
    list of Path
        The files written.
    """
    written = []
    for place, group in setting_folders(results_file, folder):
        tables, times = build_tables(group), selection_times(group)
        comparisons = [list(compare_ranks(table, reference)) for table in tables]
        every = [comparison for of_table in comparisons for comparison in of_table]
        for filename, text in (
            ("tables.md", markdown(tables, every, times, group)),
            ("tables.tex", latex(tables, comparisons, times)),
            ("tables.csv", _csv(table_rows(tables))),
            ("comparisons.csv", _csv(comparison_rows(every))),
            ("times.csv", _csv(time_rows(times))),
        ):
            write_atomic(place / filename, text.encode())
            written.append(place / filename)
    return written


def markdown(
    tables: Sequence[Table],
    comparisons: Sequence[RankComparison],
    times: Times,
    group: Sequence[Result],
) -> str:
    """All tables and comparisons as one document."""
    run = group[0].run
    seeds = sorted({result.run.seed for result in group})
    versions = sorted({result.run.version for result in group})
    lines = [
        "# Results",
        "",
        "Protocol: features selected before the split"
        if run.protocol == "before"
        else "Protocol: features selected inside each training fold",
        f"({run.n_folds} folds, sizes {run.sizes[0]} to {run.sizes[-1]}, {len(run.sizes)} of "
        f"them; seed{'s' * (len(seeds) > 1)} {', '.join(map(str, seeds))}; "
        f"s2fs {', '.join(versions)}).",
    ]
    if run.protocol == "before":
        lines += [
            "**Leaky**: the selector has seen the test samples, so these scores are too good."
        ]
    algorithms = [column.algorithm for column in tables[0].columns]
    if len(set(algorithms)) < len(algorithms):
        lines += [f"{_cell_note(tables[0])} Best in bold, second underlined;"]
        lines += ["columns that stand beside their algorithm's first one take no part in that."]
    else:
        lines += [f"{_cell_note(tables[0])} Best in bold, second underlined."]
    if entries := _legend(tables[0]):
        lines += ["", *(f"- {entry}" for entry in entries)]
    for table in tables:
        lines += ["", f"## {_title(table)}", "", *_markdown_table(table)]
    for comparison in comparisons:
        lines += ["", *_markdown_comparison(comparison)]
    if times.datasets:
        lines += ["", "## Time of one selection", "", times.note, ""]
        lines += [_row(["Dataset", *times.selectors]), _row(["---"] * (1 + len(times.selectors)))]
        lines += [_row(cells) for cells in _time_cells(times, "–")]
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
            "status": column.status,
            "leaky": table.leaky,
            "ours": table.ours[i, j],
            "spread_over_seeds": np.nan if table.spread is None else table.spread[i, j],
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
    rows = []
    for c in comparisons:
        for j, column in enumerate(c.columns):
            pair = c.pairwise[j - 1] if j else None
            rows.append(
                {
                    "learner": c.learner,
                    "statistic": c.statistic,
                    "reference": c.columns[0].algorithm,
                    "reference_weights": c.columns[0].how,
                    "algorithm": column.algorithm,
                    "weights": column.how,
                    "status": column.status,
                    "leaky": c.leaky,
                    "n_datasets": c.n_datasets,
                    "mean": c.means[j],
                    "average_rank": c.friedman.average_ranks[j],
                    "published_rank": np.nan if c.published_ranks is None else c.published_ranks[j],
                    "wins": int(c.wins[j]) if j else "",
                    "ties": int(c.ties[j]) if j else "",
                    "losses": int(c.losses[j]) if j else "",
                    "mean_difference": pair.mean_difference if pair else "",
                    "low": pair.low if pair else "",
                    "high": pair.high if pair else "",
                    "effect_size": pair.effect_size if pair else "",
                    "wilcoxon_p": pair.p_value if pair else "",
                    "wilcoxon_holm_p": pair.adjusted_p_value if pair else "",
                    "nemenyi": c.verdict(j) if j else "",
                    "critical_difference": c.nemenyi.critical_difference,
                    "F_F": c.friedman.statistic,
                    "critical_value": c.friedman.critical_value,
                    "p_value": c.friedman.p_value,
                }
            )
    return rows


def time_rows(times: Times) -> list[dict[str, Any]]:
    """A row for each dataset and selector."""
    return [
        {"dataset": dataset, "selector": selector, "milliseconds": times.milliseconds[i, j]}
        for i, dataset in enumerate(times.datasets)
        for j, selector in enumerate(times.selectors)
    ]


def _cell_note(table: Table) -> str:
    """What a cell holds."""
    ours = "the mean over the seeds ± the standard deviation" if _has_spread(table) else "our score"
    if table.has_published:
        return f"Each cell: {ours}, and in brackets the published number and the difference."
    return f"Each cell: {ours}."


def _has_spread(table: Table) -> bool:
    return table.spread is not None and bool(np.isfinite(table.spread).any())


def _legend(table: Table) -> list[str]:
    """What the signs in the headings of a table mean, and what else there is to say."""
    shown = " ".join(column.heading for column in table.columns)
    entries = [f"{sign}: {text}." for sign, text in _LEGEND.items() if sign in shown]
    return [*entries, *table.remarks]


def _title(table: Table) -> str:
    leaky = " (leaky: selected before the split)" if table.leaky else ""
    title, score = LEARNER_TITLES[table.learner], score_name(table.learner, table.score)
    return f"{title}, {table.statistic.title()} {score}{leaky}"


class _Style(NamedTuple):
    """How a cell is written: by its mark, if it is empty, spread, difference in its brackets."""

    marks: dict[Mark, str]
    empty: str
    spread: str
    difference: str
    minus: str


_MARKDOWN = _Style(
    {"best": "**%s**", "second": "<u>%s</u>", "": "%s"}, "–", " ± %.4f", ", %s", minus="−"
)
_LATEX = _Style(
    {"best": r"\textbf{%s}", "second": r"\underline{%s}", "": "%s"},
    "--",
    r" {\scriptsize $\pm$ %.4f}",
    "; $%s$",
    minus="-",
)


def signed(value: float, digits: int, minus: str = "−") -> str:
    """A difference with its sign, a real minus by default; what rounds to 0 has none."""
    text = f"{abs(value):.{digits}f}"
    sign = "" if float(text) == 0 else minus if value < 0 else "+"
    return sign + text


def _rows(table: Table, style: _Style) -> Iterator[list[str]]:
    """For each dataset its name and the cells, ours with the published number in brackets."""
    spreads = np.full_like(table.ours, np.nan) if table.spread is None else table.spread
    for dataset, *row in zip(
        table.datasets, table.ours, spreads, table.published, table.marks(), strict=True
    ):
        cells = [dataset]
        for ours, spread, published, mark in zip(*row, strict=True):
            cell = style.empty if np.isnan(ours) else style.marks[mark] % f"{ours:.4f}"
            if not np.isnan(spread):
                cell += style.spread % spread
            if not np.isnan(published):
                gap = signed(ours - published, 4, style.minus)
                difference = "" if np.isnan(ours) else style.difference % gap
                cell += f" ({published:.4f}{difference})"
            cells.append(cell)
        yield cells


def _summary_rows(table: Table, empty: str) -> Iterator[list[str]]:
    """The mean and the average rank of each column over the datasets that all of them have."""
    complete = np.isfinite(table.ours).all(axis=1)
    if not complete.any():
        return
    of_all = "" if complete.all() else f" of {complete.sum()}"
    yield [f"Mean{of_all}", *(f"{mean:.4f}" for mean in table.ours[complete].mean(axis=0))]
    ranks: dict[Any, float] = {}
    for comparison in compare_ranks(table):
        for column, rank in zip(comparison.columns, comparison.nemenyi.average_ranks, strict=True):
            # A column beside has the rank that it gets in its algorithm's place.
            ranks.setdefault(column, float(rank))
    if ranks:
        shown = (f"{ranks[c]:.2f}" if c in ranks else empty for c in table.columns)
        yield [f"Average rank{of_all}", *shown]


def _markdown_table(table: Table) -> list[str]:
    headings = ["Dataset", *(column.heading for column in table.columns)]
    rows = [*_rows(table, _MARKDOWN), *_summary_rows(table, "–")]
    return [_row(headings), _row(["---"] * len(headings)), *map(_row, rows)]


def _friedman(c: RankComparison) -> str:
    f = c.friedman
    return (
        f"Friedman over {c.n_datasets} datasets: F_F = {f.statistic:.4f} (critical value "
        f"{f.critical_value:.4f}, p = {f.p_value:.2g}); Nemenyi: critical difference "
        f"{c.nemenyi.critical_difference:.4f}."
    )


def _markdown_comparison(c: RankComparison) -> list[str]:
    first = c.columns[0].heading
    title = LEARNER_TITLES[c.learner]
    which = f"{title}, {c.statistic.title()}{' (leaky)' if c.leaky else ''}"
    headings = ["Algorithm", "mean", "average rank"]
    headings += [] if c.published_ranks is None else ["published rank"]
    headings += [
        f"wins / ties / losses of {first}",
        "Nemenyi",
        "difference [95 %]",
        "effect size",
        "p (Wilcoxon, Holm)",
    ]
    lines = [
        f"### {which}: {first} against the others",
        "",
        _friedman(c),
        f"Difference: mean over the datasets of {first} minus the other; effect size: "
        "matched-pairs rank-biserial correlation.",
        "",
        _row(headings),
        _row(["---"] * len(headings)),
    ]
    for j, column in enumerate(c.columns):
        cells = [column.heading, f"{c.means[j]:.4f}", f"{c.friedman.average_ranks[j]:.2f}"]
        cells += [] if c.published_ranks is None else [f"{c.published_ranks[j]:.2f}"]
        if not j:
            lines.append(_row([*cells, *[""] * 5]))
            continue
        pair = c.pairwise[j - 1]
        cells += [
            f"{c.wins[j]} / {c.ties[j]} / {c.losses[j]}",
            c.verdict(j),
            f"{signed(pair.mean_difference, 4)} [{signed(pair.low, 4)}, {signed(pair.high, 4)}]",
            signed(pair.effect_size, 2),
            f"{pair.adjusted_p_value:.2g}",
        ]
        lines.append(_row(cells))
    return lines


def latex(
    tables: Sequence[Table], comparisons: Sequence[Sequence[RankComparison]], times: Times
) -> str:
    """All tables for a LaTeX document that uses booktabs, each with a caption and a label."""
    parts = [
        _latex_table(table, of_table[0] if of_table else None)
        for table, of_table in zip(tables, comparisons, strict=True)
    ]
    if times.datasets:
        parts.append(
            _latex_float(
                caption=_latex_text(times.note),
                label="tab:times",
                headings=["Dataset", *map(_latex_text, times.selectors)],
                blocks=[_latex_names(_time_cells(times, "--"))],
            )
        )
    return "\n".join(parts)


def _latex_table(table: Table, comparison: RankComparison | None) -> str:
    title, score = LEARNER_TITLES[table.learner], score_name(table.learner, table.score)
    caption = [
        f"{title[0].upper()}{title[1:]}: {_STATISTICS[table.statistic]} {score} over the numbers "
        "of features"
        f"{' (leaky: selected before the split)' if table.leaky else ''}.",
        _cell_note(table),
        "Best in bold, second underlined.",
    ]
    blocks = [_latex_names(_rows(table, _LATEX)), list(_summary_rows(table, "--"))]
    if comparison is not None:
        blocks.append(_latex_statistics(table, comparison))
        first = comparison.columns[0].heading
        caption += [
            _friedman(comparison),
            f"Below: {first} against each other algorithm: wins / ties / losses, mean difference "
            "with its 95 % interval over the datasets, rank-biserial effect size, p of Wilcoxon's "
            "test corrected by Holm.",
        ]
    return _latex_float(
        caption=_latex_text(" ".join([*caption, *_legend(table)])),
        label=f"tab:{table.learner}-{table.statistic}",
        headings=["Dataset", *(_latex_text(column.heading) for column in table.columns)],
        blocks=[block for block in blocks if block],
    )


def _latex_statistics(table: Table, c: RankComparison) -> list[list[str]]:
    """What the tests say of the reference against each column, in the order of the table."""
    lines: dict[str, dict[Any, str]] = {
        "Wins / ties / losses": {},
        "Difference": {},
        r"\quad 95\,\% interval": {},
        "Effect size": {},
        "$p$ (Wilcoxon, Holm)": {},
    }
    for j, column in enumerate(c.columns[1:], start=1):
        pair = c.pairwise[j - 1]
        cells = (
            f"{c.wins[j]} / {c.ties[j]} / {c.losses[j]}",
            f"${signed(pair.mean_difference, 4, '-')}$",
            f"[${signed(pair.low, 4, '-')}$, ${signed(pair.high, 4, '-')}$]",
            f"${signed(pair.effect_size, 2, '-')}$",
            f"{pair.adjusted_p_value:.2g}",
        )
        for of_line, cell in zip(lines.values(), cells, strict=True):
            of_line[column] = cell
    return [
        [name, *(of_line.get(column, "--") for column in table.columns)]
        for name, of_line in lines.items()
    ]


def _latex_names(rows: Iterator[list[str]]) -> list[list[str]]:
    """Rows of cells that are LaTeX already, behind a name that is not."""
    return [[_latex_text(name), *cells] for name, *cells in rows]


def _latex_float(
    *, caption: str, label: str, headings: list[str], blocks: Sequence[list[list[str]]]
) -> str:
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        rf"\label{{{label}}}",
        r"\begin{tabular}{l" + "c" * (len(headings) - 1) + "}",
        r"\toprule",
        " & ".join(headings) + r" \\",
    ]
    for block in blocks:
        lines += [r"\midrule", *(" & ".join(cells) + r" \\" for cells in block)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


#: What LaTeX would take for a command, and letters that its standard fonts lack.
_LATEX_SIGNS = {
    "\\": r"\textbackslash{}",
    **{sign: rf"\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "²": r"\textsuperscript{2}",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "ρ": r"$\rho$",
    "γ": r"$\gamma$",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
    "§": r"\S{}",
    "±": r"$\pm$",
    "–": "--",
    "−": "$-$",
}


def _latex_text(text: str) -> str:
    escaped = "".join(_LATEX_SIGNS.get(sign, sign) for sign in text)
    return escaped.replace(r"F\_F =", "$F_F$ =")  # the statistic, not a name with an underscore


def _time_cells(times: Times, empty: str) -> Iterator[list[str]]:
    for dataset, row in zip(times.datasets, times.milliseconds, strict=True):
        yield [dataset, *(empty if np.isnan(ms) else _milliseconds(ms) for ms in row)]


def _milliseconds(ms: float) -> str:
    """Three digits, and never in powers of ten."""
    return f"{ms:.0f}" if ms >= 99.95 else f"{ms:#.3g}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    text = StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()
