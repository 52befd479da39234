"""The error about a file that cannot be used."""

from collections.abc import Sequence
from typing import Any


class UnreadableError(ValueError):
    """A file that cannot be used; the message says where and what to do.

    Parameters
    ----------
    message : str
        One sentence; keywords of :func:`read_table` stand in backquotes.
    fixes : dict of str to object, optional
        Keywords of :func:`read_table` that take this obstacle away.
    obstacles : sequence of str, optional
        All sentences, if several things are in the way.

    Attributes
    ----------
    fixes : dict of str to object
        Keywords with which the file can be used; empty if that is not known.
    obstacles : tuple of str
        What is in the way, a sentence each.
    """

    def __init__(
        self, message: str, fixes: dict[str, Any] | None = None, obstacles: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.fixes = fixes or {}
        self.obstacles = tuple(obstacles) or (message,)


def raise_obstacles(found: Sequence[UnreadableError]) -> None:
    """Raise one error that names all that is in the way, if anything is."""
    if not found:
        return
    fixes: dict[str, Any] = {}
    for keyword, value in (item for error in found for item in error.fixes.items()):
        has = fixes.get(keyword)
        fixes[keyword] = [*has, *value] if isinstance(has, list) else value
    sentences = [str(error) for error in found]
    is_solved = all(error.fixes for error in found)
    raise UnreadableError(" ".join(sentences), fixes if is_solved else None, sentences)
