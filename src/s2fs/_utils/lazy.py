"""Names of a package that are loaded when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from s2fs._utils.public import set_modules


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package whose names are loaded on first use.

    The ``homes`` say for each public name which module defines it.
    """

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        set_modules(package, [value])
        setattr(sys.modules[package], name, value)  # the next look-up finds it directly
        return value

    return load
