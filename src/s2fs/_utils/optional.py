"""Packages that come with an extra, and not with s2fs itself."""

from importlib import import_module
from typing import Any


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
