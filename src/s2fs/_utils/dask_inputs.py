"""Dask collections among the inputs: whether there are any, and where they are computed."""

from typing import Any


def is_dask(values: Any) -> bool:
    """Whether ``values`` is a Dask array, data frame or series."""
    return type(values).__module__.partition(".")[0] == "dask"


def compute_dask(*values: Any) -> tuple[Any, ...]:
    """The same values, with Dask collections computed."""
    if not any(map(is_dask, values)):
        return values
    import dask

    scheduler = dask.config.get("scheduler", None)
    if scheduler == "dask.distributed" and current_client() is None:
        scheduler = None  # a closed client can leave its scheduler in the config
    with dask.config.set(scheduler=scheduler):
        return tuple(dask.compute(*values))


def current_client() -> Any:
    """The ``distributed.Client`` that is in force here, or None."""
    try:
        from distributed import get_client
    except ImportError:
        return None
    try:
        return get_client()
    except ValueError:
        return None
