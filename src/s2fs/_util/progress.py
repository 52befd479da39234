"""How far work has got, shown on standard error."""

import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import TypeVar

from s2fs._util.optional import need

Item = TypeVar("Item")


def progress(items: Iterable[Item], total: int, label: str, *, show: bool) -> Iterator[Item]:
    """Yield ``items`` and, if asked to and on a terminal, show how many of ``total`` are done."""
    if not (show and (sys.stderr.isatty() or "ipykernel" in sys.modules)):
        yield from items
        return
    try:
        console = need("rich.console", extra="cli", purpose="A progress bar").Console(stderr=True)
    except ImportError as error:  # no reason to give up the work
        warnings.warn(str(error), stacklevel=2)
        yield from items
        return
    track = need("rich.progress", extra="cli").track
    yield from track(items, label, total=total, console=console, transient=True)
