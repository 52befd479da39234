"""Public names carry the path that users import them from, not that of the file they are in."""

import inspect
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, TypeVar

Named = TypeVar("Named", bound=Callable[..., Any])


def set_module(package: str) -> Callable[[Named], Named]:
    """Name the package that a public class or function is imported from.

    A persisted model names the classes it is made of by ``__module__``: with a public path, joblib,
    skops and MLflow load it whatever file the class has moved to.
    """

    def decorate(named: Named) -> Named:
        named.__module__ = package
        return named

    return decorate


def set_modules(package: str, names: Iterable[Any]) -> None:
    """Do so for all classes and functions that a package makes public.

    Those that a package above has claimed already keep its shorter path.
    """
    for named in names:
        if not (inspect.isclass(named) or inspect.isfunction(named)):
            continue
        if not package.startswith(f"{named.__module__}."):
            named.__module__ = package


def claim_method(cls: type, name: str) -> None:
    """Name a method after a class that inherits it: Python does so in errors about arguments."""
    if name in vars(cls):
        return
    inherited = getattr(cls, name)
    own = FunctionType(
        inherited.__code__,
        inherited.__globals__,
        name,
        inherited.__defaults__,
        inherited.__closure__,
    )
    own.__dict__.update(inherited.__dict__)
    own.__kwdefaults__, own.__annotations__ = inherited.__kwdefaults__, inherited.__annotations__
    own.__doc__, own.__module__ = inherited.__doc__, inherited.__module__
    own.__qualname__ = f"{cls.__qualname__}.{name}"
    setattr(cls, name, own)
