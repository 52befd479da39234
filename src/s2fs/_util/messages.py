"""Parts of messages."""

import difflib
from collections.abc import Iterable
from typing import Any


def some_of(names: Iterable[Any], limit: int = 5) -> str:
    """Quote a few names: ``'a', 'b' and 3 more``."""
    quoted = [repr(n.item() if hasattr(n, "item") else n) for n in names]  # plain numbers
    rest = len(quoted) - limit
    return ", ".join(quoted[:limit]) + (f" and {rest} more" if rest > 0 else "")


def listed(words: list[str]) -> str:
    """The words in one phrase: ``a, b and c``."""
    return ", ".join(words[:-1]) + " and " * (len(words) > 1) + words[-1]


def closest(wanted: str, names: Iterable[str]) -> str | None:
    """The name that is most like the wanted one, whatever the case; None if none is."""
    by_lower: dict[str, str] = {}
    for name in names:
        by_lower.setdefault(name.lower(), name)
    found = difflib.get_close_matches(wanted.lower(), list(by_lower), n=1, cutoff=0.5)
    return by_lower[found[0]] if found else None


def did_you_mean(wanted: str, names: Iterable[str]) -> str:
    """A hint of the form `` (did you mean 'x'?)``, empty if nothing is close."""
    close = closest(wanted, names)
    return "" if close is None else f" (did you mean {close!r}?)"


def cut(name: str, longest: int) -> str:
    """A name in one line, without control characters; a long one is cut in the middle.

    Its ends tell most.
    """
    name = "".join(c if c.isprintable() else "\ufffd" for c in " ".join(name.split()))
    half = (longest - 1) // 2
    return name if len(name) <= longest else f"{name[: longest - 1 - half]}…{name[-half:]}"
