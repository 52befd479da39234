"""Data to select from: readers for your own files, one bundled dataset, and those of the paper."""

from s2fs.datasets._bundled import load_srbct
from s2fs.datasets._dataset import Dataset
from s2fs.datasets._download import fetch
from s2fs.datasets._local import find, load
from s2fs.datasets._readers import read_table
from s2fs.datasets._registry import REGISTRY, DatasetInfo

__all__ = [
    "REGISTRY",
    "Dataset",
    "DatasetInfo",
    "fetch",
    "find",
    "load",
    "load_srbct",
    "read_table",
]
