"""How far work has got: for the callbacks of scikit-learn, and on standard error."""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from s2fs._util.optional import need

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupportMixin
except ImportError:  # an experimental part of scikit-learn; without it there are no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Takes no callbacks."""


Item = TypeVar("Item")


def watched(
    estimator: Any,
    items: Iterable[Item],
    total: int,
    label: str,
    so_far: Callable[[], dict[str, Any]] | None = None,
) -> Iterator[Item]:
    """Yield what a fit makes piece by piece, and let the callbacks of the estimator follow.

    Parameters
    ----------
    estimator : estimator
        What is fitted; with ``verbose`` above 0 there is a progress bar, too.
    items : iterable
        The pieces of work; each is a task for the callbacks. A callback may end them early.
    total : int
        How many there will be at most.
    label : str
        What they are.
    so_far : callable, optional
        Returns the fitted attributes as they would be if the work ended with the last item.

    Yields
    ------
    item
        The items.
    """
    shown = progress(items, total, label, show=estimator.verbose > 0)
    if not getattr(estimator, "_skl_callbacks", None):
        yield from shown
        return
    root = estimator._init_callback_context(max_subtasks=total)
    root.call_on_fit_task_begin(estimator=estimator)
    for _ in range(total):
        task = root.subcontext(task_name=label)
        task.call_on_fit_task_begin(estimator=estimator)
        item = next(shown, None)  # None once there are no more
        if item is not None:
            yield item
        stop = task.call_on_fit_task_end(estimator=estimator, reconstruction_attributes=so_far)
        if stop or item is None:
            break
    root.call_on_fit_task_end(estimator=estimator, reconstruction_attributes=so_far)


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
