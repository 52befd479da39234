"""A page on selectors beside each other."""

import platform
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

import sklearn

from s2fs._utils.files import write_atomic
from s2fs._utils.version import __version__
from s2fs.evaluation import Comparison, Difference
from s2fs.evaluation.comparison import LEARNER_NAMES, MAJORITY, percent, points
from s2fs.report._figures import draw_sizes
from s2fs.report._forest import forest_axis, forest_rows
from s2fs.report._report import Origin
from s2fs.report.page import check_destination, render
from s2fs.report.provenance import hide_folders


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
    values = comparison.to_dict()
    rows = values["by_size"].get(str(values["recommended"]), values["rows"])
    forest = forest_rows(rows)
    accuracies = {}
    for i, row in enumerate(comparison.rows):
        accuracies[row["selector"]] = [
            comparison.at(size).rows[i]["accuracy"] for size in comparison.sizes
        ]
    page = render(
        "comparison.html",
        title=title,
        found=values,
        learner=LEARNER_NAMES.get(comparison.learner, comparison.learner),
        headline=say_who_is_best(comparison.recommended),
        rows=[_with_relation(row) for row in rows],
        forest_rows=forest,
        axis=forest_axis(forest),
        by_size=accuracies,
        sizes=comparison.sizes,
        figures=draw_sizes(comparison, values["recommended"]) if comparison.sizes else {},
        run={name: value for name, value in run.items() if value is not None},
        version=__version__,
    )
    write_atomic(destination, page.encode())
    return destination


def say_who_is_best(comparison: Comparison) -> str:
    """One sentence: the selector with the largest accuracy, and what the next one is beside it."""
    selectors = [row for row in comparison.rows if row["seconds"] is not None]
    ranked = sorted(selectors, key=lambda row: -row["accuracy"])  # ties in the order given
    best = ranked[0]
    interval = f"{percent(best['accuracy_low'])} to {percent(best['accuracy_high'])}"
    sentence = (
        f"{best['selector']} has the largest accuracy: {percent(best['accuracy'])} % on held-out "
        f"samples (95 % interval {interval})"
    )
    other = MAJORITY if len(ranked) == 1 else ranked[1]["selector"]
    gap = comparison.difference(best["selector"], other)
    article = "the " if other == MAJORITY else ""
    link = "and is" if gap.relation == "better than" else "but"
    relation = gap.relation if gap.relation != "as good as" else "is as good as"
    return f"{sentence}, {link} {relation} {article}{other} ({points(gap)})."


def _with_relation(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the table, with what the first selector is beside it."""
    gap = row["difference"]
    if gap is None:
        return row | {"relation": "", "points": ""}
    return row | {"relation": gap["relation"], "points": points(Difference(**gap))}
