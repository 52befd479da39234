"""The report of one selection."""

from datetime import datetime
from os import PathLike
from pathlib import Path

from s2fs._selectors.s2fs import S2FS
from s2fs._util.version import __version__
from s2fs.datasets import Dataset
from s2fs.report._figures import draw_selection
from s2fs.report._summary import made_dense, summarise_selection
from s2fs.report.page import check_destination, render, write


def selection_report(
    data: Dataset,
    selector: S2FS,
    path: str | PathLike[str],
    *,
    title: str = "Selected features",
    seconds: float | None = None,
    date: datetime | None = None,
    n_jobs: int | None = None,
) -> Path:
    """Write what a selector found, and why, to one HTML file.

    The file needs no network and no other file. It can be read, and printed, without JavaScript.

    Parameters
    ----------
    data : Dataset
        The data the selector was fitted on, such as :func:`s2fs.datasets.read_table` returns. With
        an ``image_shape`` the selected pixels are shown. Sparse data are made dense, which is
        refused beyond 2²⁴ numbers.
    selector : S2FS
        The fitted selector.
    path : str or path-like
        The file to write, ending in ``.html``.
    title : str, default="Selected features"
        The heading, such as the name of the data.
    seconds : float, optional
        How long the selection took.
    date : datetime, optional
        When the selection was made, by default now.
    n_jobs : int, optional
        How many folds of the cross-validation to run at once.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import S2FS
    >>> from s2fs.datasets import Dataset
    >>> from s2fs.report import selection_report
    >>> wine = load_wine()
    >>> data = Dataset(wine.data, wine.target, wine.feature_names, list(wine.target_names))
    >>> selector = S2FS(4).fit(data.X, data.y)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "wine.html"
    >>> page = selection_report(data, selector, file, title="Wine").read_text(encoding="utf-8")
    >>> "flavanoids" in page
    True
    """
    place = check_destination(path)
    data = made_dense(data)
    summary = summarise_selection(data, selector, n_jobs=n_jobs)
    page = render(
        "selection.html",
        title=title,
        summary=summary,
        figures=draw_selection(data, selector, summary),
        version=__version__,
        seconds=seconds,
        date=(date or datetime.now()).strftime("%Y-%m-%d %H:%M"),
    )
    write(place, page)
    return place
