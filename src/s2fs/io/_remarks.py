"""What a reader has decided about a file, as remarks and warnings."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from s2fs._utils.arguments import Argument, Message
from s2fs._utils.warn import warn_user


@dataclass(frozen=True)
class Remark:
    """What a reader has decided about a file.

    Attributes
    ----------
    kind : str
        What was decided, in a word or two: "row numbers", "sample names", "text", ….
    text : str
        The same in one sentence, as a ``Message``; keywords of :func:`s2fs.read_table` stand in
        backquotes.
    columns : tuple of str
        The columns it is about that are no features because of it.
    """

    kind: str
    text: str
    columns: tuple[str, ...] = ()


class ReadWarning(UserWarning):
    """A remark of a reader as a warning."""


#: The remarks on the file that is being read.
_remarks: ContextVar[list[Remark] | None] = ContextVar("s2fs_remarks", default=None)


def warn_reader(*parts: str | Argument, kind: str = "note", columns: Iterable[str] = ()) -> None:
    """Say what was done with a file beyond reading it, as a warning and in ``Dataset.remarks``."""
    text = Message(*parts)
    if (found := _remarks.get()) is not None:
        if any(remark.text == text for remark in found):
            return  # a file is read again when more is known about it
        found.append(Remark(kind, text, tuple(columns)))
    warn_user(text, ReadWarning)


@contextmanager
def collect_remarks() -> Iterator[list[Remark]]:
    """The list that remarks are added to inside."""
    found: list[Remark] = []
    token = _remarks.set(found)
    try:
        yield found
    finally:
        _remarks.reset(token)
