"""Which methods of a class have a description of their own to show."""

import inspect
from importlib import import_module


def own_methods(fullname: str) -> list[str]:
    """Public methods and properties that s2fs defines, those of its base classes included.

    What scikit-learn defines is left to its own documentation.
    """
    module, name = fullname.rsplit(".", 1)
    cls = getattr(import_module(module), name)
    found: dict[str, None] = {}
    for base in cls.__mro__:
        if base.__module__.startswith("s2fs"):
            for member, value in vars(base).items():
                described = isinstance(value, property) or inspect.isfunction(inspect.unwrap(value))
                if described and not member.startswith("_") and value.__doc__:
                    found.setdefault(member)
    return sorted(found)
