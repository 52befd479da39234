"""Parts of docstrings that are written once and stand in many."""

from collections.abc import Callable, Mapping
from inspect import cleandoc
from typing import Any, TypeVar

Documented = TypeVar("Documented", bound=Callable[..., Any])


def fill_docstring(docstring: str, parts: Mapping[str, str]) -> str:
    """Put the parts into a docstring, where ``{name}`` stands on a line of its own."""
    lines = []
    for line in cleandoc(docstring).split("\n"):
        name = line.strip()
        part = parts.get(name[1:-1]) if name.startswith("{") and name.endswith("}") else None
        if part is None:
            lines.append(line)
            continue
        indent = line[: len(line) - len(line.lstrip())]
        lines += [f"{indent}{text}".rstrip() for text in part.split("\n")]
    return "\n".join(lines)


def substitute(parts: Mapping[str, str]) -> Callable[[Documented], Documented]:
    """A decorator that fills the docstring of a class or function."""

    def decorate(documented: Documented) -> Documented:
        if documented.__doc__ is not None:  # it is None with python -OO
            documented.__doc__ = fill_docstring(documented.__doc__, parts)
        return documented

    return decorate
