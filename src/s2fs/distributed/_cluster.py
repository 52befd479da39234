"""Sending work to a cluster and waiting for it, but not for ever.

A worker that is lost is noticed by the scheduler at once. One that hangs for good (stopped, or in
a machine that swaps) is not: by default the scheduler waits up to ten minutes for it. One that is
out of memory is paused and may stay so. So whoever waits here also watches the workers, and takes
those from the cluster that were silent or paused all the time for ``SILENCE`` seconds. Their rows
are then read by others.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from uuid import uuid4
from weakref import WeakKeyDictionary

import dask
from distributed import CancelledError, Client, KilledWorker, wait
from distributed.client import ClosedClientError
from distributed.comm import CommClosedError

#: Seconds to wait for a worker once there is none left.
PATIENCE = 30.0
#: Seconds after which a worker is given up that shows no sign of life, or is short of memory.
SILENCE = 60.0
_POLL = 1.0
#: Seconds in which workers say which version they have.
_QUICK = 5.0
#: The workers that were found to have this version of s2fs, by client.
_checked: WeakKeyDictionary[Client, set[str]] = WeakKeyDictionary()


class _Life(NamedTuple):
    """The last sign of life of a worker, and when it was seen here."""

    sign: Any
    since: float


class Cluster:
    """The workers behind a client in the usual, synchronous mode."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._lives: dict[str, _Life] = {}

    def check_versions(self) -> None:
        """Raise unless all workers have the s2fs that is in use here."""
        known = _checked.setdefault(self.client, set())
        here = _own_code()()
        while new := sorted(self._running() - known):
            try:
                answers = self.client.sync(self._ask_versions, new, callback_timeout=_QUICK)
            except TimeoutError:  # one of them may hang
                self._watch()
                continue
            for worker, found in answers.items():
                if isinstance(found, OSError):
                    continue  # it is gone
                if isinstance(found, BaseException):
                    raise found
                if found != here:
                    raise self._other_version(worker, found, here)
            known.update(new)

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
                self._watch()
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

    def _running(self) -> set[str]:
        """The workers that take tasks."""
        return {worker for worker, facts in self._facts().items() if facts["status"] == "running"}

    def _facts(self) -> dict[str, dict[str, Any]]:
        """What the scheduler knows of each worker."""
        try:
            return dict(self.client.scheduler_info(n_workers=-1)["workers"])
        except (CancelledError, OSError) as error:
            raise self._no_scheduler() from error

    def _watch(self) -> None:
        """Take workers from the cluster that were silent or paused for too long."""
        now = time.monotonic()
        for worker, facts in self._facts().items():
            before = self._lives.get(worker)
            sign = facts["last_seen"] if facts["status"] == "running" else facts["status"]
            if before is None or before.sign != sign:
                self._lives[worker] = _Life(sign, now)
            elif now - before.since > SILENCE:
                del self._lives[worker]
                with self._sending():
                    self.client.sync(
                        self.client.scheduler.unregister,
                        address=worker,
                        stimulus_id=f"s2fs-gives-up-{uuid4().hex}",
                    )

    async def _ask_versions(self, workers: list[str]) -> dict[str, Any]:
        return dict(
            await self.client.run(
                _own_code(), workers=workers, on_error="return", asynchronous=True
            )
        )

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
                f"same rows, perhaps for lack of memory ({error}); use smaller chunks or more "
                "workers."
            )
        if isinstance(error, TimeoutError):  # not ours: it would be taken for impatience
            return RuntimeError(f"A worker could not reach its rows in time: {error}")
        if isinstance(error, LookupError | ArithmeticError):  # no error of s2fs
            return RuntimeError(
                f"A worker could not read its rows ({type(error).__name__}: {error}); check that "
                "all parts of the data have the same columns and types."
            )
        return error

    @property
    def _address(self) -> str:
        return str(self.client.scheduler.address) if self.client.scheduler else "an unknown address"

    def _other_version(
        self, worker: str, there: tuple[str, str], here: tuple[str, str]
    ) -> RuntimeError:
        found = f"s2fs {there[0]}" if there[0] else "no s2fs"
        if there[0] == here[0]:
            found = f"other code of s2fs {there[0]}"
        return RuntimeError(
            f"The worker at {worker} has {found}, but this is s2fs {here[0]}; install the same "
            "version on all workers and start them again."
        )

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


def _own_code() -> Callable[[], tuple[str, str]]:
    """A function that tells the version of s2fs where it runs, and a digest of what computes.

    As a function inside a function it travels by value: it also runs where s2fs is another one.
    """

    def own_code() -> tuple[str, str]:
        from hashlib import sha256
        from importlib import import_module
        from pathlib import Path

        try:
            package = import_module("s2fs")
        except ImportError:
            return "", ""
        digest = sha256()
        for part in ("_core", "_engine", "distributed"):
            for file in sorted((Path(str(package.__file__)).parent / part).glob("*.py")):
                digest.update(file.read_bytes())
        return package.__version__, digest.hexdigest()

    return own_code
