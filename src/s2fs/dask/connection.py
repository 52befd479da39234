"""The connection to a running Dask cluster."""

from typing import Any

from s2fs._utils.optional import need

#: Seconds that a scheduler has to answer.
ANSWER_WITHIN = 10.0


def connect(address: str) -> Any:
    """Connect to a running Dask cluster; from then on selectors leave Dask collections there.

    Parameters
    ----------
    address : str
        Address of the scheduler, such as ``"tcp://host:8786"``.

    Returns
    -------
    distributed.Client
        The connection, to be used in a ``with`` statement or closed.

    Raises
    ------
    ImportError
        If Dask is not installed.
    OSError
        If no scheduler answers within ten seconds.

    Examples
    --------
    >>> from distributed import LocalCluster
    >>> from s2fs.dask import connect
    >>> with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
    ...     with connect(cluster.scheduler_address) as client:
    ...         len(client.nthreads())
    1
    """
    distributed = need("distributed", extra="dask", purpose="A cluster")
    try:
        return distributed.Client(address, timeout=ANSWER_WITHIN)
    except (OSError, ValueError, TypeError) as error:  # an address may also make no sense
        raise OSError(
            f"No Dask scheduler answers at {address!r} within {ANSWER_WITHIN:g} s "
            f"({type(error).__name__}); give the address of a running one, such as "
            "tcp://host:8786."
        ) from None
