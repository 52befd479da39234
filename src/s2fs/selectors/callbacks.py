"""Callbacks of scikit-learn: they follow a fit piece by piece, and may end it early."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupportMixin
except ImportError:  # an experimental part of scikit-learn; without it there are no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Takes no callbacks."""


Item = TypeVar("Item")


def iterate_with_callbacks(
    estimator: Any,
    items: Iterable[Item],
    total: int,
    task_name: str,
    partial_attributes: Callable[[], dict[str, Any]] | None = None,
) -> Iterator[Item]:
    """Yield what a fit makes piece by piece, each as a task for the callbacks of the estimator.

    Parameters
    ----------
    estimator : estimator
        Whose callbacks follow the fit; without any the items are yielded as they are.
    items : iterable
        The pieces, at most ``total``.
    total : int
        How many pieces there may be.
    task_name : str
        What callbacks call a piece.
    partial_attributes : callable, optional
        Gives the fitted attributes as they would be if the fit ended with the last item.
    """
    if not getattr(estimator, "_skl_callbacks", None):
        yield from items
        return
    remaining = iter(items)
    fit = estimator._init_callback_context(max_subtasks=total)
    fit.call_on_fit_task_begin(estimator=estimator)
    for _ in range(total):
        task = fit.subcontext(task_name=task_name)
        task.call_on_fit_task_begin(estimator=estimator)
        item = next(remaining, None)  # None once there are no more
        if item is not None:
            yield item
        should_stop = task.call_on_fit_task_end(
            estimator=estimator, reconstruction_attributes=partial_attributes
        )
        if should_stop or item is None:
            break
    fit.call_on_fit_task_end(estimator=estimator, reconstruction_attributes=partial_attributes)
