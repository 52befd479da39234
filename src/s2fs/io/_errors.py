"""The error about a file that cannot be used, and how failures of libraries become one."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from s2fs._utils.arguments import Argument, ArgumentError


class UnreadableError(ArgumentError):
    """A file that cannot be used; the message says where and what to do.

    Parameters
    ----------
    *parts : str or Argument
        What the message, one sentence, is made of: words, and keywords of
        :func:`s2fs.read_table`, which stand in backquotes.
    reason : str, default="unreadable"
        What is in the way, in a word or two: "missing labels", "missing values", ….
    columns : iterable of str, default=()
        The columns it is about.
    fixes : dict of str to object, optional
        Keywords of :func:`s2fs.read_table` that take this obstacle away.
    obstacles : sequence of UnreadableError, default=()
        The single errors, if several things are in the way.

    Attributes
    ----------
    reason : str
        As given.
    columns : tuple of str
        As given.
    fixes : dict of str to object
        Keywords with which the file can be used; empty if that is not known.
    arguments : tuple of str
        The keywords of :func:`s2fs.read_table` it is about.
    obstacles : tuple of UnreadableError
        What is in the way, an error each; the error itself if it is the only one.
    """

    def __init__(
        self,
        *parts: str | Argument,
        reason: str = "unreadable",
        columns: Iterable[str] = (),
        fixes: dict[str, Any] | None = None,
        obstacles: Sequence["UnreadableError"] = (),
    ) -> None:
        super().__init__(*parts)
        self.reason = reason
        self.columns = tuple(columns)
        self.fixes = fixes or {}
        self.obstacles = tuple(obstacles) or (self,)


def raise_obstacles(obstacles: Sequence[UnreadableError]) -> None:
    """Raise one error that names all that is in the way, if anything is."""
    if not obstacles:
        return
    fixes: dict[str, Any] = {}
    for error in obstacles:
        for keyword, value in error.fixes.items():
            if isinstance(fixes.get(keyword), list):
                value = [*fixes[keyword], *value]
            fixes[keyword] = value
    is_solved = all(error.fixes for error in obstacles)
    raise UnreadableError(
        *[part for error in obstacles for part in (" ", error.message)][1:],
        reason=obstacles[0].reason if len(obstacles) == 1 else "several",
        columns=[column for error in obstacles for column in error.columns],
        fixes=fixes if is_solved else None,
        obstacles=obstacles,
    )


@contextmanager
def reader_errors(source: Any, kind: str) -> Iterator[None]:
    """Turn every failure of a reader into one sentence that names the file.

    What a damaged file makes a library raise can be anything; our own errors pass as they are.
    """
    try:
        yield
    except (UnreadableError, FileNotFoundError, ImportError):
        raise
    except PermissionError:
        raise UnreadableError(
            f"{source} cannot be read: permission denied.", reason="permission"
        ) from None
    except MemoryError:
        raise UnreadableError(
            f"{source} needs more memory than available, or is damaged; give a smaller file.",
            reason="memory",
        ) from None
    except Exception as error:
        said = getattr(error, "strerror", None) or str(error)
        text = " ".join(said.split()).rstrip(".")
        reason = text[:200] if text else type(error).__name__
        raise UnreadableError(
            f"{source} is damaged, or not a {kind} file ({reason}); check it, or make it again.",
            reason="damaged",
        ) from None
