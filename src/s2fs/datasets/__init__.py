"""Data to select from: readers for your own files, and one bundled dataset."""

from typing import TYPE_CHECKING

from s2fs._util.lazy import lazy_names

if TYPE_CHECKING:
    from s2fs.datasets._bundled import load_srbct
    from s2fs.datasets._dataset import Dataset
    from s2fs.datasets._errors import UnreadableError
    from s2fs.datasets._readers import read_table, read_unlabelled
    from s2fs.datasets._source import ReadWarning, Remark

__all__ = [
    "Dataset",
    "ReadWarning",
    "Remark",
    "UnreadableError",
    "load_srbct",
    "read_table",
    "read_unlabelled",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Dataset": "s2fs.datasets._dataset",
        "ReadWarning": "s2fs.datasets._source",
        "Remark": "s2fs.datasets._source",
        "UnreadableError": "s2fs.datasets._errors",
        "load_srbct": "s2fs.datasets._bundled",
        "read_table": "s2fs.datasets._readers",
        "read_unlabelled": "s2fs.datasets._readers",
    },
)
