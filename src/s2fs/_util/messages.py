"""Parts of messages."""

import difflib
from collections.abc import Iterable
from typing import Any


def some_of(names: Iterable[Any], limit: int = 5) -> str:
    """Quote a few names: ``'a', 'b' and 3 more``."""
    quoted = [repr(n.item() if hasattr(n, "item") else n) for n in names]  # plain numbers
    rest = len(quoted) - limit
    return ", ".join(quoted[:limit]) + (f" and {rest} more" if rest > 0 else "")


def printable(text: str) -> str:
    """A text in one line that cannot steer a terminal: control characters are shown escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def did_you_mean(wanted: str, names: Iterable[str]) -> str:
    """A hint of the form `` (did you mean 'x'?)``, empty if nothing is close."""
    close = difflib.get_close_matches(wanted, list(names), n=1, cutoff=0.5)
    return f" (did you mean {close[0]!r}?)" if close else ""


def cut(name: str, longest: int) -> str:
    """A name in one line; one that is long is cut in the middle, for its ends tell most."""
    name = printable(" ".join(name.split()))
    half = (longest - 1) // 2
    return name if len(name) <= longest else f"{name[: longest - 1 - half]}…{name[-half:]}"
