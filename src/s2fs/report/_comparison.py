"""A page on selectors beside each other."""

import platform
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

import sklearn

from s2fs._utils.files import write_atomic
from s2fs._utils.messages import format_count
from s2fs._utils.version import __version__
from s2fs.evaluation import Comparison, ComparisonRow
from s2fs.evaluation.checks import write_difference
from s2fs.evaluation.comparison import MAJORITY
from s2fs.report._figures import draw_sizes
from s2fs.report._forest import forest_axis, forest_rows
from s2fs.report._report import Origin
from s2fs.report._sizes import head
from s2fs.report.destination import check_destination
from s2fs.report.page import render
from s2fs.report.provenance import hide_folders, name_learner, write_estimate


def comparison_report(
    comparison: Comparison,
    path: str | PathLike[str],
    *,
    title: str = "Selectors compared",
    origin: Origin | None = None,
) -> Path:
    """Write a comparison as one HTML file that needs no network and no other file.

    Parameters
    ----------
    comparison : Comparison
        What :func:`s2fs.compare` returned.
    path : str or path-like
        A name that ends in ``.html``.
    title : str, default="Selectors compared"
        The heading, such as the name of the data.
    origin : Origin, optional
        Where the comparison comes from.

    Returns
    -------
    Path
        The file, the whole of it or, if anything fails, none.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_wine
    >>> import s2fs
    >>> from s2fs.report import comparison_report
    >>> X, y = load_wine(return_X_y=True)
    >>> comparison = s2fs.compare(X, y, k=[2, 4], selectors=["paircover", "anovaf"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     comparison_report(comparison, f"{folder}/wine.html", title="Wine").name
    'wine.html'
    """
    destination = check_destination(path)
    origin = origin or Origin()
    run = {
        "Command": None if origin.command is None else hide_folders(origin.command),
        "Seconds": None if origin.seconds is None else f"{origin.seconds:.1f}",
        "Date": (origin.date or datetime.now()).strftime("%Y-%m-%d %H:%M"),
        "Python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "s2fs": __version__,
    }
    metric, values_by_size = comparison.metric, {}
    for i, row in enumerate(comparison.rows):
        values_by_size[row.selector] = [
            comparison.at(size).rows[i].scores[metric.key].value for size in comparison.sizes
        ]
    forest = forest_rows(comparison)
    page = render(
        "comparison.html",
        title=title,
        found=comparison.to_dict(),
        learner=name_learner(comparison),
        headline=say_who_is_best(comparison),
        rows=[_describe_row(comparison, row) for row in comparison.rows],
        best=_rank_selectors(comparison)[0],
        forest_rows=forest,
        axis=forest_axis(forest),
        by_size=values_by_size,
        metric=metric,
        heading=head(metric, None),
        others=[(other, head(other, comparison.positive_name)) for other in comparison.metrics[1:]],
        size_text=None if comparison.size is None else format_count(comparison.size, "feature"),
        sizes=comparison.sizes,
        figures={"sizes": draw_sizes(comparison)} if len(comparison.sizes) > 1 else {},
        run={name: value for name, value in run.items() if value is not None},
        version=__version__,
    )
    write_atomic(destination, page.encode())
    return destination


def say_who_is_best(comparison: Comparison) -> str:
    """One sentence: the selector that does best, and what the next one is beside it."""
    metric, ranked = comparison.metric, _rank_selectors(comparison)
    best = ranked[0]
    sentence = (
        f"{best.selector} has the largest {metric.name}: {write_estimate(comparison, best)} on "
        "held-out samples"
    )
    if not comparison.has_intervals:
        return f"{sentence}."
    other = MAJORITY if len(ranked) == 1 else ranked[1].selector
    gap = comparison.difference(best.selector, other)
    name = metric.guess_name if other == MAJORITY else other
    link = "and is" if gap.relation == "better than" else "but"
    relation = gap.relation if gap.relation != "as good as" else "is as good as"
    return f"{sentence}, {link} {relation} {name} ({write_difference(comparison, gap)})."


def _rank_selectors(comparison: Comparison) -> list[ComparisonRow]:
    """The selectors by the metric of the verdict, the best first; ties in the order given."""
    selectors = [row for row in comparison.rows if row.seconds is not None]
    return sorted(selectors, key=lambda row: -row.scores[comparison.scoring].value)


def _describe_row(comparison: Comparison, row: ComparisonRow) -> dict[str, Any]:
    """A row of the table, with what the first selector is beside it."""
    described = {**row._asdict(), "interval": comparison.write_interval(row)}
    first = comparison.rows[0].selector
    if row.selector == first or not comparison.has_intervals:
        return described | {"relation": "", "points": "", "difference": None}
    gap = comparison.difference(first, row.selector)
    text = comparison.metric.write_difference(gap)
    return described | {"relation": gap.relation, "points": text, "difference": gap}
