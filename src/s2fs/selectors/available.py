"""Methods that a selector has only with some parameters."""

from collections.abc import Callable
from functools import update_wrapper
from types import MethodType
from typing import Any


class available_unless:  # noqa: N801 - a decorator
    """Hide a method where there is a reason to; the AttributeError tells it.

    As scikit-learn's ``available_if``, but whoever calls the method reads why it is not there.
    """

    def __init__(self, find_reason: Callable[[Any], str]) -> None:
        self._find_reason = find_reason

    def __call__(self, method: Callable[..., Any]) -> "available_unless":
        """Take the method."""
        self._method = method
        update_wrapper(self, method)
        return self

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self._method
        if reason := self._find_reason(instance):
            raise AttributeError(reason)
        return MethodType(self._method, instance)
