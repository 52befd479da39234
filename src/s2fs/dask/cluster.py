"""Sending work to a Dask cluster and waiting for it.

What becomes of workers is left to Dask: a lost one is noticed at once, one that is silent is given
up after ``distributed.scheduler.worker-ttl``, and either way its samples are read again by another.
One thing is decided here: by default Dask waits for ever once there is no worker left, and its
``distributed.scheduler.no-workers-timeout`` is a setting of the scheduler, not of its clients.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4
from weakref import ReferenceType, WeakKeyDictionary, ref

import dask
from distributed import CancelledError, Client, KilledWorker, futures_of, wait
from distributed.client import ClosedClientError
from distributed.comm import CommClosedError

from s2fs.dask.local import deal_out, reduce_tree

#: Seconds to wait for a worker once there is none left, and for all workers to say their version.
PATIENCE = 30.0
_POLL_SECONDS = 1.0
#: The workers that have this version of s2fs, by client.
_checked: WeakKeyDictionary[Client, set[str]] = WeakKeyDictionary()


class Cluster:
    """The workers behind a client in the usual, synchronous mode."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._futures: list[ReferenceType[Any]] = []

    def close(self) -> None:
        """Let go of all that is left on the cluster, whoever still holds a future of it."""
        for reference in self._futures:
            if (future := reference()) is not None:
                with suppress(Exception):  # the cluster may be gone
                    future.release()

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

    def _count_threads(self) -> dict[str, int]:
        """Number of threads of each worker by its address, in the order of the addresses."""
        give_up_at = time.monotonic() + PATIENCE
        while not (threads := self._workers()):
            if time.monotonic() > give_up_at:
                raise self._no_workers_error()
            time.sleep(_POLL_SECONDS)
        return dict(sorted(threads.items()))

    def compute(self, tasks: list[Any]) -> list[Any]:
        """The results of some tasks, in their order."""
        return self.gather(self._start(tasks))

    def place(
        self, chunks: list[Any], sizes: list[int] | None, source: Any
    ) -> tuple[list[Any], list[list[int]]]:
        """Futures of the chunks, and those that one worker takes care of, by position.

        Chunks of a ``source`` that is on the cluster already stay where they are. Others are dealt
        out in runs of neighbours, as many samples to each worker as it has threads.
        """
        if futures_of(source):
            futures = self._start(chunks)
            self._await(futures, lambda _: None)
            holders = self.client.who_has(futures)
            runs: dict[str, list[int]] = {}
            for i, future in enumerate(futures):
                runs.setdefault(min(holders[future.key], default=""), []).append(i)
            return futures, list(runs.values())
        threads = self._count_threads()
        futures, dealt = [None] * len(chunks), deal_out(chunks, sizes, list(threads.values()))
        for worker, run in zip(threads, dealt, strict=True):
            for i, future in zip(run, self._start([chunks[i] for i in run], worker), strict=True):
                futures[i] = future
        return futures, [run for run in dealt if run]

    def _start(self, tasks: list[Any], worker: str | None = None) -> list[Any]:
        """Futures of what is not computed yet, on a worker if it is still there."""
        where = {} if worker is None else {"workers": [worker], "allow_other_workers": True}
        with self._sending():
            return self._note(self.client.compute(tasks, **where)) if tasks else []

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A future of a pure function; equal calls share it."""
        with self._sending():
            return self._note([self.client.submit(function, *arguments)])[0]

    def _note(self, futures: list[Any]) -> list[Any]:
        """The futures, of which it is known from now on that they are to be let go of."""
        self._futures += map(ref, futures)
        return futures

    def map(self, function: Callable[..., Any], *arguments: list[Any], **same: Any) -> list[Any]:
        """Futures of a pure function, one for each shard; what is the same for all travels once."""
        # A name of its own makes the calls one group for the scheduler. It would otherwise join
        # all calls of a function, and spread a large group evenly whatever data must be moved.
        group = f"{function.__name__}-{uuid4().hex}"
        keys = [(group, i) for i in range(len(arguments[0]))]
        with self._sending():
            return self._note(self.client.map(function, *arguments, key=keys, **same))

    def broadcast(self, value: Any) -> Any:
        """A future of something the client has; it travels once, and survives a lost worker."""
        # Scattered data would die with its worker; as the argument of a task it does not.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            return self._submit(_identity, value)

    def reduce(self, parts: list[Any], join: Callable[[list[Any]], Any]) -> Any:
        """Join the results of some futures on the cluster, along a tree; the result comes here."""
        (result,) = self.gather([reduce_tree(parts, join, self._submit)])
        return result

    def gather(self, futures: Sequence[Any]) -> list[Any]:
        """The results of some futures, in their order.

        What is lost with a worker is computed again by another. Without any worker for
        ``PATIENCE`` seconds, or without the scheduler, an error says so.
        """
        return list(self._await(futures, self._fetch))

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
