"""A report to look at, made when the pages are built: what the front page shows as a picture."""

from datetime import datetime
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from s2fs import PairCover
from s2fs.datasets import load_srbct
from s2fs.report import Origin, Report

NAME = "example-report.html"
ABOUT = (
    "AF1Q, FCGRT, FGFR4, SGCA and CD99 are among the markers that Khan et al. (2001) found. A "
    "clone without a symbol has its number, such as IMAGE:21652."
)


def make_report() -> Report:
    """The report of the front page: twenty genes of four childhood tumours."""
    data = load_srbct()
    origin = Origin(command="s2fs demo", date=datetime(2025, 1, 1), about=ABOUT)
    selector = PairCover(20).fit(data.X, data.y)
    return Report(selector, data, title="Four childhood tumours (SRBCT)", origin=origin)


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the page beside the others."""
    if error is None and app.builder.format == "html":
        make_report().save(Path(app.outdir) / NAME)


def setup(app: Sphinx) -> dict[str, Any]:
    """Write when the build has finished."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
