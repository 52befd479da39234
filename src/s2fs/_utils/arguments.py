"""Messages that know which arguments they are about.

A user of Python reads ``drop_missing=0.2`` where a user of the command line reads
``--drop-missing 0.2``. So a message keeps its arguments apart from its words, and whoever shows it
may write them as the user knows them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple


class Argument(NamedTuple):
    """The mention of an argument in a message, perhaps with a value to give it.

    It stands in backquotes unless it is ``bare``: a word such as keep needs them, max_correlation
    does not.
    """

    name: str
    value: Any = None
    bare: bool = False

    def __str__(self) -> str:
        text = self.name if self.value is None else f"{self.name}={self.value!r}"
        return text if self.bare else f"`{text}`"


def as_argument(argument: str | Argument) -> Argument:
    """A mention as it is, and the name of an argument as one without backquotes."""
    return argument if isinstance(argument, Argument) else Argument(argument, bare=True)


class Message(str):
    """A text made of words and arguments; as a string it names these as Python does.

    Attributes
    ----------
    parts : tuple of str and Argument
        What it is made of.
    """

    parts: tuple["str | Argument", ...]

    def __new__(cls, *parts: "str | Argument") -> "Message":
        flat: list[str | Argument] = []
        for part in parts:
            flat += part.parts if isinstance(part, Message) else [part]
        message = super().__new__(cls, "".join(map(str, flat)))
        message.parts = tuple(flat)
        return message

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names of the arguments it is about."""
        return tuple(part.name for part in self.parts if isinstance(part, Argument))

    def rewrite(self, write: Callable[[Argument], str]) -> str:
        """The same text with its arguments written in another way."""
        return "".join(write(part) if isinstance(part, Argument) else part for part in self.parts)


class ArgumentError(ValueError):
    """An error about arguments; its ``message`` is made of the given parts.

    Attributes
    ----------
    arguments : tuple of str
        The names of the arguments it is about.
    """

    def __init__(self, *parts: str | Argument) -> None:
        self.message = Message(*parts)
        super().__init__(self.message)

    @property
    def arguments(self) -> tuple[str, ...]:
        return self.message.arguments
