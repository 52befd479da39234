"""How far work has got, shown on standard error."""

import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from s2fs._utils.optional import need
from s2fs._utils.warn import warn_user

Item = TypeVar("Item")


def track_progress(items: Iterable[Item], total: int, label: str, *, show: bool) -> Iterator[Item]:
    """Yield ``items`` and, if asked to and on a terminal, show how many of ``total`` are done."""
    bar = _open_bar() if show else None
    if bar is None:
        yield from items
        return
    with bar:
        yield from bar.track(items, total=total, description=label)


class ProgressCallback:
    """A callback of scikit-learn that shows on standard error how far a fit has got."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._bar: Any = None
        self._task: Any = None

    def setup(self, estimator: Any, context: Any) -> None:
        """Open the bar, if there is a terminal."""
        self._bar = _open_bar()
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task(self._label, total=context.max_subtasks)

    def teardown(self, estimator: Any, context: Any) -> None:
        """Close the bar, also after an interruption."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Nothing to show before the task is done."""

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        """Count a task of the outermost fit."""
        if self._bar is not None and context.parent is not None:
            self._bar.advance(self._task)


def _open_bar() -> Any:
    """A progress bar of rich, or None where nobody would see it or rich is not installed."""
    if not (sys.stderr.isatty() or "ipykernel" in sys.modules):
        return None
    try:
        console = need("rich.console", extra="cli", purpose="A progress bar").Console(stderr=True)
    except ImportError as error:  # no reason to give up the work
        warn_user(str(error))
        return None
    return need("rich.progress", extra="cli").Progress(console=console, transient=True)
