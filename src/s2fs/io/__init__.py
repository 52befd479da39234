"""Readers of users' files: from a source to a table, to what its columns mean, to a ``Dataset``."""

from typing import TYPE_CHECKING

from s2fs._utils.lazy import lazy_names

if TYPE_CHECKING:
    from s2fs.io._dataset import Dataset
    from s2fs.io._errors import UnreadableError
    from s2fs.io._identifiers import name_identifiers
    from s2fs.io._options import check_options
    from s2fs.io._readers import read_table
    from s2fs.io._remarks import ReadWarning, Remark
    from s2fs.io._samples import Samples, read_samples
    from s2fs.io._unlabelled import read_unlabelled

__all__ = [
    "Dataset",
    "ReadWarning",
    "Remark",
    "Samples",
    "UnreadableError",
    "check_options",
    "name_identifiers",
    "read_samples",
    "read_table",
    "read_unlabelled",
]
__getattr__ = lazy_names(
    __name__,
    {
        "Dataset": "s2fs.io._dataset",
        "ReadWarning": "s2fs.io._remarks",
        "Remark": "s2fs.io._remarks",
        "Samples": "s2fs.io._samples",
        "UnreadableError": "s2fs.io._errors",
        "read_samples": "s2fs.io._samples",
        "check_options": "s2fs.io._options",
        "name_identifiers": "s2fs.io._identifiers",
        "read_table": "s2fs.io._readers",
        "read_unlabelled": "s2fs.io._unlabelled",
    },
)
