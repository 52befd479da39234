"""Packages that come with an extra, and not with s2fs itself."""

from importlib import import_module
from typing import Any


def need(module: str, *, extra: str, purpose: str = "This") -> Any:
    """Import a module of an optional package, or say how to install it.

    Parameters
    ----------
    module : str
        The module, such as ``"matplotlib"`` or ``"pyarrow.parquet"``.
    extra : str
        The extra of s2fs that installs it.
    purpose : str, default="This"
        What needs it, to begin the error message with.

    Returns
    -------
    module
        The module.

    Raises
    ------
    ImportError
        If the package is not installed; the message names the extra.
    """
    package = module.partition(".")[0]
    try:
        import_module(package)
        return import_module(module)
    except ImportError:
        raise ImportError(f"{purpose} needs {package}: pip install 's2fs[{extra}]'.") from None
