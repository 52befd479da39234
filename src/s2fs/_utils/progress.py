"""How far work has got, shown on standard error.

A terminal and a notebook get a bar, if tqdm is installed. Everywhere else, as in a file or the log
of a job, it is one line a minute, so that short work says nothing there.
"""

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from time import monotonic
from typing import Any, Protocol, TypeVar

from s2fs._utils.streams import is_terminal

Item = TypeVar("Item")
#: How many seconds lie between two lines.
_INTERVAL = 60.0


class _Display(Protocol):
    """What shows how many tasks are done."""

    def update(self, n: int = 1) -> Any:
        """Count tasks that are done."""

    def close(self) -> None:
        """Take the display away."""


def track_progress(items: Iterable[Item], total: int, label: str, *, show: bool) -> Iterator[Item]:
    """Yield ``items`` and, if asked to, show how many of ``total`` are done."""
    if not show:
        yield from items
        return
    display = _open_display(label, total)
    try:
        for item in items:
            yield item
            display.update()
    finally:
        display.close()


class ProgressCallback:
    """A callback of scikit-learn that shows on standard error how far a fit has got."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._display: _Display | None = None

    def setup(self, estimator: Any, context: Any) -> None:
        """Open the display."""
        self._display = _open_display(self._label, context.max_subtasks)

    def teardown(self, estimator: Any, context: Any) -> None:
        """Close the display, also after an interruption."""
        if self._display is not None:
            self._display.close()
            self._display = None

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Nothing to show before the task is done."""

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        """Count a task of the outermost fit."""
        if self._display is not None and context.parent is not None:
            self._display.update()


class ProgressLines:
    """A line a minute: how many tasks are done and left, and the time it took.

    Parameters
    ----------
    label : str
        What is done.
    total : int or None
        How many tasks there are, if that is known.
    clock : callable, default=time.monotonic
        Tells the time in seconds.
    """

    def __init__(
        self, label: str, total: int | None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._label, self._total, self._clock = label, total, clock
        self._done = 0
        self._start = clock()
        self._next = self._start + _INTERVAL

    def update(self, n: int = 1) -> None:
        """Count tasks that are done, and write a line if the last one is a minute old."""
        self._done += n
        now = self._clock()
        if now < self._next:
            return
        self._next = now + _INTERVAL
        of_total = "" if self._total is None else f" of {self._total}"
        left = "" if self._total is None else f", {self._total - self._done} left"
        with suppress(OSError, ValueError):  # a stream that is full or closed
            print(
                f"{self._label}: {self._done}{of_total} done{left}, {_in_words(now - self._start)}",
                file=sys.stderr,
                flush=True,
            )

    def close(self) -> None:
        """Leave the lines as they are."""


def _in_words(seconds: float) -> str:
    """A time such as ``3 min`` or ``2 h 05 min``."""
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"


def _bar_width() -> int:
    """How wide a bar may be; a terminal that does not tell has 80 columns."""
    columns = 0
    with suppress(OSError, ValueError):
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    return (columns or 80) - 1


def _open_display(label: str, total: int | None) -> _Display:
    """A bar of tqdm where it can be seen and is installed, else lines."""
    if is_terminal(sys.stderr) or "ipykernel" in sys.modules:
        with suppress(ImportError), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # tqdm's own, of a notebook without widgets
            from tqdm.auto import tqdm

            class Bar(tqdm):
                monitor_interval = 0  # no thread of its own: work may fork

            size = {"ncols": _bar_width(), "nrows": 24}  # a terminal may say that it has none
            return Bar(total=total, desc=label, leave=False, file=sys.stderr, **size)
    return ProgressLines(label, total)
