"""How many threads linear algebra uses."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]


def use_one_thread() -> AbstractContextManager[Any]:
    """Let products of small matrices run on one thread.

    Threads that wait for each other cost more than they save there: a fit of logistic regression
    took fifteen times the processor time, and minutes where other programs wanted the cores, too.
    """
    return _find_pools().limit(limits=1)


@cache
def _find_pools() -> Any:
    """The thread pools of this process: to look for them takes longer than many a fit."""
    return ThreadpoolController()
