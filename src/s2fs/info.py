"""What is installed and which engine computes: ``python -m s2fs.info``."""

import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from s2fs._native.library import INSTRUCTION_SETS, engine
from s2fs._utils.version import __version__

__all__ = ["info"]

#: Extras for those who work on s2fs itself, not with it.
_FOR_DEVELOPERS = {"test", "docs", "dev"}


def info() -> str:
    """Say in a few lines what an error report should tell of an installation.

    Returns
    -------
    str
        The version, the engine, and the packages that s2fs uses.

    Examples
    --------
    >>> from s2fs.info import info
    >>> print(info())
    s2fs          ...
    engine        ...
    """
    name = engine()
    lines = [
        ("s2fs", __version__),
        ("engine", f"native ({name})" if name in INSTRUCTION_SETS else "NumPy"),
        ("python", platform.python_version()),
        ("platform", platform.platform()),
        *_list_packages(),
    ]
    width = max(len(title) for title, _ in lines) + 2
    return "\n".join(f"{title:<{width}}{text}" for title, text in lines)


def _list_packages() -> Iterator[tuple[str, str]]:
    """Each package that s2fs names, with its version or the extra that brings it."""
    seen = {"s2fs"}
    for requirement in requires("s2fs") or []:
        package = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        extra = re.search(r"extra == ['\"]([\w-]+)", requirement)
        if package in seen or (extra and extra[1] in _FOR_DEVELOPERS):
            continue
        seen.add(package)
        try:
            yield package, version(package)
        except PackageNotFoundError:
            yield package, f"not installed (extra {extra[1]})" if extra else "not installed"


if __name__ == "__main__":
    print(info())
