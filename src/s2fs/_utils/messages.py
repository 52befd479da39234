"""Parts of messages."""

import difflib
from collections.abc import Iterable, Sequence
from typing import Any


def format_names(names: Iterable[Any], limit: int = 5) -> str:
    """Quote a few names: ``'a', 'b' and 3 more``."""
    quoted = [repr(n.item() if hasattr(n, "item") else n) for n in names]  # plain numbers
    rest = len(quoted) - limit
    return ", ".join(quoted[:limit]) + (f" and {rest} more" if rest > 0 else "")


def format_count(n: int, noun: str) -> str:
    """Count things that add an s: ``1 feature``, ``12 features``."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def format_named(noun: str, names: Iterable[Any], limit: int = 5) -> str:
    """Say what the names are of: ``column 'a'``, ``columns 'a', 'b' and 3 more``."""
    names = list(names)
    return f"{noun if len(names) == 1 else noun + 's'} {format_names(names, limit)}"


def join_words(words: list[str]) -> str:
    """The words in one phrase: ``a, b and c``."""
    return ", ".join(words[:-1]) + " and " * (len(words) > 1) + words[-1]


def join_alternatives(commands: Sequence[str]) -> str:
    """What a user may do, in one phrase: ``use PairCover, or exclude these features``."""
    return ", ".join(commands[:-1]) + ", or " * (len(commands) > 1) + commands[-1]


def find_closest_name(wanted: str, names: Iterable[str]) -> str | None:
    """The name that is most like the wanted one, whatever the case; None if none is."""
    by_lower: dict[str, str] = {}
    for name in names:
        by_lower.setdefault(name.lower(), name)
    found = difflib.get_close_matches(wanted.lower(), list(by_lower), n=1, cutoff=0.5)
    return by_lower[found[0]] if found else None


def did_you_mean(wanted: str, names: Iterable[str]) -> str:
    """A hint of the form `` (did you mean 'x'?)``, empty if nothing is close."""
    close = find_closest_name(wanted, names)
    return "" if close is None else f" (did you mean {close!r}?)"


def truncate_middle(name: str, longest: int) -> str:
    """A name in one line, without control characters; a long one loses its middle."""
    name = "".join(c if c.isprintable() else "\ufffd" for c in " ".join(name.split()))
    half = (longest - 1) // 2
    return name if len(name) <= longest else f"{name[: longest - 1 - half]}…{name[-half:]}"


def make_printable(text: str) -> str:
    """A text that cannot steer a terminal: control characters are shown escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
