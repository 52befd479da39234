"""The one dataset that comes with the package."""

from s2fs.datasets._bundled import load_srbct

__all__ = ["load_srbct"]
