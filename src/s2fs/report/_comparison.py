"""A page on selectors beside each other."""

import platform
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

import sklearn

from s2fs._util.files import write_whole
from s2fs._util.version import __version__
from s2fs.evaluation import Comparison, Difference
from s2fs.evaluation.comparison import points
from s2fs.report._figures import sizes_drawing
from s2fs.report._report import Origin
from s2fs.report.page import check_destination, render


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
    >>> found = s2fs.compare(X, y, k=[2, 4], selectors=["paircover", "anovaf"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     comparison_report(found, f"{folder}/wine.html", title="Wine").name
    'wine.html'
    """
    place = check_destination(path)
    came = origin or Origin()
    run = {
        "Command": came.command,
        "Seconds": None if came.seconds is None else f"{came.seconds:.1f}",
        "Date": (came.date or datetime.now()).strftime("%Y-%m-%d %H:%M"),
        "Python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "s2fs": __version__,
    }
    found = comparison.to_dict()
    page = render(
        "comparison.html",
        title=title,
        found=found,
        rows=[_row(row) for row in found["by_size"].get(str(found["recommended"]), found["rows"])],
        by_size={
            row["selector"]: [comparison.at(size).rows[i]["accuracy"] for size in comparison.sizes]
            for i, row in enumerate(comparison.rows)
        },
        sizes=comparison.sizes,
        drawing=sizes_drawing(comparison, found["recommended"]) if comparison.sizes else None,
        run={name: value for name, value in run.items() if value is not None},
        version=__version__,
    )
    write_whole(place, page.encode())
    return place


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the table, with what the first selector is beside it."""
    gap = row["difference"]
    if gap is None:
        return row | {"relation": "", "points": ""}
    return row | {"relation": gap["relation"], "points": points(Difference(**gap))}
