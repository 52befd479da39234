"""Sending work to a Dask cluster and waiting for it.

What becomes of workers is left to Dask: a lost one is noticed at once, one that is silent is given
up after ``distributed.scheduler.worker-ttl``, and either way its samples are read again by another.
One thing is decided here: by default Dask waits for ever once there is no worker left, and its
``distributed.scheduler.no-workers-timeout`` is a setting of the scheduler, not of its clients.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

import dask
from distributed import CancelledError, Client, KilledWorker, wait
from distributed.client import ClosedClientError
from distributed.comm import CommClosedError

#: Seconds to wait for a worker once there is none left, and for all workers to say their version.
PATIENCE = 30.0
_POLL_SECONDS = 1.0
#: How many neighbours are merged at once.
_BRANCHES = 8
#: The workers that have this version of s2fs, by client.
_checked: WeakKeyDictionary[Client, set[str]] = WeakKeyDictionary()


class Cluster:
    """The workers behind a client in the usual, synchronous mode."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def check_versions(self) -> None:
        """Raise unless all workers have the s2fs that is in use here."""
        checked = _checked.setdefault(self.client, set())
        unchecked = sorted(set(self._workers()) - checked)
        if not unchecked:
            return
        try:
            answers = self.client.sync(self._ask_versions, unchecked, callback_timeout=PATIENCE)
        except TimeoutError:
            raise RuntimeError(
                f"Not all workers of the Dask cluster at {self._address} answer within "
                f"{PATIENCE:g} s; restart those that hang and fit again."
            ) from None
        here = _version_function()()
        for worker, version in answers.items():
            if isinstance(version, OSError):
                continue  # it is gone
            if isinstance(version, BaseException):
                raise version
            if version != here:
                raise _other_version_error(worker, version, here)
        checked.update(unchecked)

    def count_threads(self) -> dict[str, int]:
        """Number of threads of each worker by its address, in the order of the addresses."""
        give_up_at = time.monotonic() + PATIENCE
        while not (threads := self._workers()):
            if time.monotonic() > give_up_at:
                raise self._no_workers_error()
            time.sleep(_POLL_SECONDS)
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
        # A name of its own makes the calls one group for the scheduler. It would otherwise join
        # all calls of a function, and spread a large group evenly whatever data must be moved.
        group = f"{function.__name__}-{uuid4().hex}"
        keys = [(group, i) for i in range(len(arguments[0]))]
        with self._sending():
            return list(self.client.map(function, *arguments, key=keys, **same))

    def broadcast(self, value: Any) -> Any:
        """A future of something the client has; it travels once, and survives a lost worker."""
        # Scattered data would die with its worker; as the argument of a task it does not.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            return self.submit(_identity, value)

    def reduce(self, parts: list[Any], join: Callable[[list[Any]], Any]) -> Any:
        """Join the results of some futures on the cluster, along a tree; the result comes here."""
        (result,) = self.gather([reduce_tree(parts, join, self.submit)])
        return result

    def gather(self, futures: Sequence[Any]) -> list[Any]:
        """The results of some futures, in their order.

        What is lost with a worker is computed again by another. Without any worker for
        ``PATIENCE`` seconds, or without the scheduler, an error says so.
        """
        return list(self._await(futures, self._fetch))

    def wait(self, futures: Sequence[Any]) -> None:
        """Wait until all futures are done; as :meth:`gather`, but the results stay there."""
        self._await(futures, lambda _: None)

    def _await(self, futures: Sequence[Any], then: Callable[[Sequence[Any]], Any]) -> Any:
        no_workers_since = None
        while True:
            try:
                wait(futures, timeout=_POLL_SECONDS)
                for future in futures:
                    if future.status == "error":
                        raise self._as_user_error(future.exception())
                return then(futures)
            except (CancelledError, CommClosedError) as error:
                raise self._no_scheduler_error() from error
            except TimeoutError:
                if self.client.status != "running":
                    raise self._no_scheduler_error() from None
                if self._workers():
                    no_workers_since = None
                elif no_workers_since is None:
                    no_workers_since = time.monotonic()
                elif time.monotonic() - no_workers_since > PATIENCE:
                    raise self._no_workers_error() from None

    def _workers(self) -> dict[str, int]:
        try:
            return dict(self.client.nthreads())
        except (CancelledError, OSError) as error:
            raise self._no_scheduler_error() from error

    async def _ask_versions(self, workers: list[str]) -> dict[str, Any]:
        return dict(
            await self.client.run(
                _version_function(), workers=workers, on_error="return", asynchronous=True
            )
        )

    @contextmanager
    def _sending(self) -> Iterator[None]:
        try:
            yield
        except ClosedClientError as error:
            raise self._no_scheduler_error() from error

    def _fetch(self, futures: Sequence[Any]) -> Any:
        """Finished results; their worker may be lost at this very moment, so not for ever."""
        client = self.client
        return client.sync(
            lambda: client.gather(futures, asynchronous=True), callback_timeout=PATIENCE
        )

    def _as_user_error(self, error: BaseException) -> BaseException:
        """The error of a task, as it is to be reported."""
        if isinstance(error, KilledWorker):
            return RuntimeError(
                f"Workers of the Dask cluster at {self._address} died again and again over the "
                f"same samples, perhaps for lack of memory ({error}); use smaller chunks or more "
                "workers."
            )
        if isinstance(error, TimeoutError):  # not ours: it would be taken for impatience
            return RuntimeError(f"A worker could not reach its samples in time: {error}")
        if isinstance(error, LookupError | ArithmeticError):  # no error of s2fs
            return RuntimeError(
                f"A worker could not read its samples ({type(error).__name__}: {error}); check "
                "that all parts of the data have the same columns and types."
            )
        return error

    @property
    def _address(self) -> str:
        return str(self.client.scheduler.address) if self.client.scheduler else "an unknown address"

    def _no_workers_error(self) -> RuntimeError:
        return RuntimeError(
            f"All workers of the Dask cluster at {self._address} are gone, and none came within "
            f"{PATIENCE:g} s; start workers and fit again."
        )

    def _no_scheduler_error(self) -> RuntimeError:
        return RuntimeError(
            f"The connection to the Dask scheduler at {self._address} was lost, or what the fit "
            "needs was cancelled there; start the cluster and fit again."
        )


def reduce_tree(
    parts: list[Any], join: Callable[[list[Any]], Any], call: Callable[..., Any]
) -> Any:
    """Join neighbours, and neighbours of these, until one is left.

    The shape depends on the number of parts alone, so the order of sums is always the same.
    """
    while True:
        parts = [call(join, parts[i : i + _BRANCHES]) for i in range(0, len(parts), _BRANCHES)]
        if len(parts) == 1:
            return parts[0]


def _identity(value: Any) -> Any:
    return value


def _other_version_error(
    worker: str, there: tuple[str, str], here: tuple[str, str]
) -> RuntimeError:
    version = f"s2fs {there[0]}" if there[0] else "no s2fs"
    if there[0] == here[0]:
        version = f"other code of s2fs {there[0]}"
    return RuntimeError(
        f"The worker at {worker} has {version}, but this is s2fs {here[0]}; install the same "
        "version on all workers and start them again."
    )


def _version_function() -> Callable[[], tuple[str, str]]:
    """A function that tells the version of s2fs where it runs, and a digest of what computes.

    As a function inside a function it travels by value: it also runs where s2fs is another one.
    """

    def get_version() -> tuple[str, str]:
        from hashlib import sha256
        from importlib import import_module
        from pathlib import Path

        try:
            package = import_module("s2fs")
        except ImportError:
            return "", ""
        digest = sha256()
        for part in ("criteria", "_native", "dask"):
            for file in sorted((Path(str(package.__file__)).parent / part).glob("*.py")):
                digest.update(file.read_bytes())
        return package.__version__, digest.hexdigest()

    return get_version
