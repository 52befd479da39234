"""Data to select from: readers for your own files, and one bundled dataset."""

from s2fs.datasets._bundled import load_srbct
from s2fs.datasets._dataset import Dataset
from s2fs.datasets._readers import read_table

__all__ = ["Dataset", "load_srbct", "read_table"]
