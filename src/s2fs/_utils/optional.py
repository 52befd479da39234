"""Packages that do not come with s2fs itself: those of an extra, and the laboratory."""

from importlib import import_module
from typing import Any

#: How to get what the distribution s2fs-bench adds.
INSTALL_LABORATORY = "pip install ./bench in a clone of s2fs, or pip install s2fs-bench"


def need(module: str, *, extra: str, purpose: str = "This") -> Any:
    """Import a module of an optional package, such as ``"pyarrow.parquet"``.

    If it is not installed, the error message begins with the ``purpose`` and names the ``extra`` of
    s2fs that installs it.
    """
    package = module.partition(".")[0]
    try:
        import_module(package)
        return import_module(module)
    except ImportError:
        raise ImportError(f"{purpose} needs {package}: pip install 's2fs[{extra}]'.") from None
