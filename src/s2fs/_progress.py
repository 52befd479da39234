"""A progress bar on standard error."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def progress(items: Iterable[Item], total: int, label: str, *, show: bool) -> Iterator[Item]:
    """Yield ``items`` and, if asked to and on a terminal, show how many of ``total`` are done."""
    if not show:
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    quiet = not (console.is_terminal or console.is_jupyter)
    yield from track(items, label, total=total, console=console, transient=True, disable=quiet)
