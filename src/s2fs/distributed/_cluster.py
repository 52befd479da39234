"""Sending work to a cluster and waiting for it, but not for ever."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import dask
from distributed import CancelledError, Client, KilledWorker, wait
from distributed.client import ClosedClientError
from distributed.comm import CommClosedError

#: Seconds to wait for a worker once there is none left.
PATIENCE = 30.0
_POLL = 1.0


class Cluster:
    """The workers behind a client.

    Parameters
    ----------
    client : distributed.Client
        A client in the usual, synchronous mode.
    """

    def __init__(self, client: Client) -> None:
        self.client = client

    def threads(self) -> dict[str, int]:
        """Number of threads of each worker by its address, in the order of the addresses."""
        patience = time.monotonic() + PATIENCE
        while not (threads := self._workers()):
            if time.monotonic() > patience:
                raise self._nobody()
            time.sleep(_POLL)
        return dict(sorted(threads.items()))

    def compute(self, chunks: list[Any], worker: str | None = None) -> list[Any]:
        """Futures of what is not computed yet, on a worker if it is still there."""
        where = {} if worker is None else {"workers": [worker], "allow_other_workers": True}
        with self._sending():
            return list(self.client.compute(chunks, **where))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A future of a pure function; equal calls share it."""
        with self._sending():
            return self.client.submit(function, *arguments)

    def map(self, function: Callable[..., Any], *arguments: list[Any], **same: Any) -> list[Any]:
        """Futures of a pure function, one for each shard; what is the same for all travels once."""
        # Keys that share a name of their own are a group for the scheduler. Otherwise it takes all
        # calls of a function for one group, and when that has grown large spreads it evenly,
        # whatever data must be moved.
        group = f"{function.__name__}-{uuid4().hex}"
        keys = [(group, i) for i in range(len(arguments[0]))]
        with self._sending():
            return list(self.client.map(function, *arguments, key=keys, **same))

    def hand_out(self, facts: Any) -> Any:
        """A future of something the client has; it travels once, and survives a lost worker."""
        # Scattered data would die with its worker; as the argument of a task it does not.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            return self.submit(_same, facts)

    def gather(self, futures: Sequence[Any]) -> list[Any]:
        """The results of some futures, in their order.

        What is lost with a worker is computed again by another. Without any worker for
        ``PATIENCE`` seconds, or without the scheduler, an error tells.
        """
        return list(self._patiently(futures, self._fetch))

    def wait(self, futures: Sequence[Any]) -> None:
        """Wait until all futures are done; as :meth:`gather`, but the results stay there."""
        self._patiently(futures, lambda _: None)

    def _patiently(self, futures: Sequence[Any], then: Callable[[Sequence[Any]], Any]) -> Any:
        lonely_since = None
        while True:
            try:
                wait(futures, timeout=_POLL)
                for future in futures:
                    if future.status == "error":
                        raise self._told(future.exception())
                return then(futures)
            except (CancelledError, CommClosedError) as error:
                raise self._no_scheduler() from error
            except TimeoutError:
                if self.client.status != "running":
                    raise self._no_scheduler() from None
                if self._workers():
                    lonely_since = None
                elif lonely_since is None:
                    lonely_since = time.monotonic()
                elif time.monotonic() - lonely_since > PATIENCE:
                    raise self._nobody() from None

    def _workers(self) -> dict[str, int]:
        try:
            return dict(self.client.nthreads())
        except (CancelledError, OSError) as error:
            raise self._no_scheduler() from error

    @contextmanager
    def _sending(self) -> Iterator[None]:
        try:
            yield
        except ClosedClientError as error:
            raise self._no_scheduler() from error

    def _fetch(self, futures: Sequence[Any]) -> Any:
        """Finished results; their worker may be lost at this very moment, so not for ever."""
        client = self.client
        return client.sync(
            lambda: client.gather(futures, asynchronous=True), callback_timeout=PATIENCE
        )

    def _told(self, error: BaseException) -> BaseException:
        """The error of a task, as it is to be reported."""
        if isinstance(error, KilledWorker):
            return RuntimeError(
                f"Workers of the Dask cluster at {self._address} died again and again over the "
                f"same rows, perhaps for want of memory ({error}); use smaller chunks or more "
                "workers."
            )
        if isinstance(error, TimeoutError):  # not ours: it would be taken for impatience
            return RuntimeError(f"A worker could not get at its rows in time: {error}")
        return error

    @property
    def _address(self) -> str:
        return str(self.client.scheduler.address) if self.client.scheduler else "an unknown address"

    def _nobody(self) -> RuntimeError:
        return RuntimeError(
            f"All workers of the Dask cluster at {self._address} are gone, and none came within "
            f"{PATIENCE:g} s; start workers and fit again."
        )

    def _no_scheduler(self) -> RuntimeError:
        return RuntimeError(
            f"The connection to the Dask scheduler at {self._address} was lost, or what the fit "
            "needs was cancelled there; start the cluster and fit again."
        )


def _same(facts: Any) -> Any:
    return facts
