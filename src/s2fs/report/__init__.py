"""Reports: what was selected and why, as one HTML file that needs nothing else.

A report is made in three steps: the results are summarised to a plain dict, the figures are drawn
as SVG, and a template puts both on a page.
"""

from typing import TYPE_CHECKING

from s2fs._util.lazy import lazy_names

if TYPE_CHECKING:
    from s2fs.report._selection import selection_report
    from s2fs.report._summary import made_dense, suggested_size, summarise_selection
    from s2fs.report.page import check_destination

__all__ = [
    "check_destination",
    "made_dense",
    "selection_report",
    "suggested_size",
    "summarise_selection",
]

__getattr__ = lazy_names(
    __name__,
    {
        "check_destination": "s2fs.report.page",
        "made_dense": "s2fs.report._summary",
        "selection_report": "s2fs.report._selection",
        "suggested_size": "s2fs.report._summary",
        "summarise_selection": "s2fs.report._summary",
    },
)
