"""Public names carry the path that users import them from, not that of the file they are in."""

import inspect
from collections.abc import Callable, Iterable
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
