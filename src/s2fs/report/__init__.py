"""Reports: what was selected and why, as one HTML file that needs nothing else.

A report is made in three steps: the results are summarised to a plain dict, the figures are drawn
as SVG, and a template puts both on a page.
"""

from s2fs.report._selection import selection_report
from s2fs.report._summary import suggested_size, summarise_selection
from s2fs.report.page import check_destination

__all__ = [
    "check_destination",
    "selection_report",
    "suggested_size",
    "summarise_selection",
]
