"""Reports: what was selected, how good it is and why, as one HTML page that needs no other file.

A report is made in three steps: the results are summarised to a plain dict, the figures are drawn
as SVG, and a template puts both on a page.
"""

from typing import TYPE_CHECKING

from s2fs._utils.lazy import lazy_names

if TYPE_CHECKING:
    from s2fs.report._comparison import comparison_report
    from s2fs.report._report import Origin, Report
    from s2fs.report._validation import ValidationReport
    from s2fs.report.destination import check_destination
    from s2fs.report.names import FeatureLabel, read_feature_labels

__all__ = [
    "FeatureLabel",
    "Origin",
    "Report",
    "ValidationReport",
    "check_destination",
    "comparison_report",
    "read_feature_labels",
]

__getattr__ = lazy_names(
    __name__,
    {
        "FeatureLabel": "s2fs.report.names",
        "Origin": "s2fs.report._report",
        "Report": "s2fs.report._report",
        "ValidationReport": "s2fs.report._validation",
        "check_destination": "s2fs.report.destination",
        "comparison_report": "s2fs.report._comparison",
        "read_feature_labels": "s2fs.report.names",
    },
)
