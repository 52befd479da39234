"""The results file: which runs are waiting, claimed, done or failed, and what they gave, in SQLite.

A run is claimed before it is worked on, so that two processes with one file share the work. A claim
is a lease: its process renews it while it lives, and the claim of a process that has died is free
again, at once on the same machine and after the lease elsewhere. Each change is one transaction.
"""

import json
import os
import socket
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, Self

from s2fs_bench.run import Run

#: Seconds after which the claims of a process that does not renew them are free.
LEASE = 120.0
#: Marks a SQLite file as a results file: "S2FS" as a number.
_APPLICATION = 0x53324653
#: To be raised whenever what is stored, or a key, changes.
_FORMAT = 2
_STATES = ("waiting", "claimed", "done", "failed")
_COLUMNS = (
    "key", "run", "state", "owner", "until", "changed", "seconds", "error", "result",
)  # fmt: skip

_SCHEMA = f"""
BEGIN IMMEDIATE;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_FORMAT};
CREATE TABLE IF NOT EXISTS runs (
    key TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting'
        CHECK (state IN ('waiting', 'claimed', 'done', 'failed')),
    owner TEXT,    -- the process that claimed it
    until REAL,    -- when its lease ends, in seconds since 1970
    changed INTEGER,  -- how many runs were done or failed before it
    seconds REAL,  -- processor time
    error TEXT,
    result BLOB
);
COMMIT;
"""


class Entry(NamedTuple):
    """A run and how far it has got, the processor time it took, and why it failed if it has."""

    run: Run
    state: str
    seconds: float | None
    error: str | None


class Ledger:
    """A results file: the state of runs and what they gave.

    Parameters
    ----------
    path : str or path-like
        The SQLite file.
    create : bool, default=False
        Make the file if it is not there.
    lease : float, default=120
        Seconds that a claim holds unless it is renewed.
    """

    def __init__(
        self, path: str | PathLike[str], *, create: bool = False, lease: float = LEASE
    ) -> None:
        self.path = Path(path)
        self.lease = lease
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex}"
        if not create and not self.path.is_file():
            raise FileNotFoundError(
                f"There is no results file {str(path)!r}; "
                "'s2fs bench run PLAN --results FILE' makes one."
            )
        if not self.path.parent.is_dir():
            raise FileNotFoundError(
                f"path is {str(path)!r}, but {str(self.path.parent)!r} is not a directory; make it "
                "first."
            )
        # Joblib takes tasks in threads of its own, and those claim; the lock keeps them apart.
        self._lock = RLock()
        self._released = False
        if self.path.is_dir():
            raise ValueError(f"path is {str(path)!r}, which is a directory; give a file.")
        self._connection = sqlite3.connect(
            self.path, timeout=60, isolation_level=None, check_same_thread=False
        )
        try:
            self._open(create=create)
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise _as_user_error(self.path, error) from None

    def _open(self, *, create: bool) -> None:
        execute = self._connection.execute
        # A process that was killed right at its start leaves a file without tables.
        (tables,) = execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        if not tables and create:
            _retry(lambda: execute("PRAGMA journal_mode = WAL"))
            _retry(lambda: self._connection.executescript(_SCHEMA))
        if execute("PRAGMA application_id").fetchone() != (_APPLICATION,):
            raise sqlite3.DatabaseError("it holds something else")
        if execute("PRAGMA user_version").fetchone() != (_FORMAT,):
            raise sqlite3.DatabaseError(
                "it was written by another version of s2fs, which kept other fields"
            )
        columns = {name for _, name, *_ in execute("PRAGMA table_info(runs)")}
        if missing := [name for name in _COLUMNS if name not in columns]:
            raise sqlite3.DatabaseError(f"its table of runs has no column {missing[0]!r}")
        # Which runs failed before: counted, since the clock of a machine may be set.
        (self._opened,) = execute("SELECT COALESCE(MAX(changed), 0) FROM runs").fetchone()
        # A run costs seconds, so waiting for the disk after each one costs nothing.
        execute("PRAGMA synchronous = FULL")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    yield self._connection
                    self._connection.execute("COMMIT")
                except BaseException:
                    if self._connection.in_transaction:  # a full disk ends it by itself
                        self._connection.execute("ROLLBACK")
                    raise
            except sqlite3.DatabaseError as error:
                raise _as_user_error(self.path, error) from None

    def add(self, runs: Iterable[Run]) -> None:
        """Note runs as waiting, unless they are known; titles of known ones are brought up to date.

        Parameters
        ----------
        runs : iterable of Run
            What is to be done.
        """
        rows = [(run.key, json.dumps(asdict(run))) for run in runs]
        with self._transaction() as db:
            db.executemany(
                "INSERT INTO runs (key, run) VALUES (?, ?) "
                "ON CONFLICT (key) DO UPDATE SET run = excluded.run",
                rows,
            )

    def claim(self, key: str) -> bool:
        """Take a run, unless it is done, claimed elsewhere, or failed since the file was opened.

        Parameters
        ----------
        key : str
            The key of the run.

        Returns
        -------
        bool
            Whether the run is now ours to do.
        """
        with self._lock:
            if self._released:  # a thread of joblib's that does not know yet that the work is over
                return False
            with self._transaction() as db:
                row = db.execute(
                    "SELECT state, owner, until, changed FROM runs WHERE key = ?", (key,)
                ).fetchone()
                now = time.time()
                free = self._is_free(row, now)
                if free:
                    db.execute(
                        "UPDATE runs SET state = 'claimed', owner = ?, until = ?, error = NULL "
                        "WHERE key = ?",
                        (self.owner, now + self.lease, key),
                    )
            return free

    def _is_free(self, row: tuple[Any, ...] | None, now: float) -> bool:
        """Whether a run, of which the file has this row, may be claimed."""
        try:
            state, owner, until, changed = row or ()
            return bool(
                state == "waiting"
                or (state == "failed" and changed <= self._opened)
                or (state == "claimed" and (not self._holds(until, now) or _is_dead(owner)))
            )
        except (TypeError, ValueError, AttributeError) as fault:
            raise self._damaged(fault) from None

    def _holds(self, until: float, now: float) -> bool:
        """Whether a lease has not ended; one that ends too late is from before a clock was set."""
        return now <= until <= now + max(self.lease, LEASE)

    def renew(self) -> None:
        """Keep the claims of this process for another lease."""
        with self._transaction() as db:
            db.execute(
                "UPDATE runs SET until = ? WHERE owner = ? AND state = 'claimed'",
                (time.time() + self.lease, self.owner),
            )

    def release(self) -> None:
        """Give back what this process has claimed and not finished, and claim no more."""
        with self._transaction() as db:
            self._released = True
            db.execute(
                "UPDATE runs SET state = 'waiting', owner = NULL "
                "WHERE owner = ? AND state = 'claimed'",
                (self.owner,),
            )

    def finish(self, key: str, result: bytes, seconds: float) -> None:
        """Keep the result of a claimed run.

        Parameters
        ----------
        key : str
            The key of the run.
        result : bytes
            What the run gave.
        seconds : float
            The processor time it took.
        """
        self._close(key, "done", seconds, result, None)

    def fail(self, key: str, error: str, seconds: float) -> None:
        """Note why a claimed run failed.

        Parameters
        ----------
        key : str
            The key of the run.
        error : str
            What went wrong.
        seconds : float
            The processor time it took.
        """
        self._close(key, "failed", seconds, None, error)

    def _close(
        self, key: str, state: str, seconds: float, result: bytes | None, error: str | None
    ) -> None:
        with self._transaction() as db:
            # Only while the claim holds: a process that was taken for dead must not write any more.
            db.execute(
                "UPDATE runs SET state = ?, owner = NULL, "
                "changed = (SELECT COALESCE(MAX(changed), 0) + 1 FROM runs), "
                "seconds = ?, result = ?, error = ? WHERE key = ? AND owner = ?",
                (state, seconds, result, error, key, self.owner),
            )

    def states(self) -> dict[str, str]:
        """The state of each run by its key.

        Returns
        -------
        dict of str to str
            ``"waiting"``, ``"claimed"``, ``"done"`` or ``"failed"``.
        """
        return dict(self._read("SELECT key, state FROM runs"))

    def entries(self) -> list[Entry]:
        """All runs, in the order they were added.

        Returns
        -------
        list of Entry
            One entry for each run.
        """
        rows = self._read("SELECT key, run, state, seconds, error FROM runs ORDER BY rowid")
        return [self._entry(*row) for row in rows]

    def _entry(self, key: Any, run: Any, state: Any, seconds: Any, error: Any) -> Entry:
        """A row of the file; what does not agree with its key was changed or damaged."""
        try:
            entry_run = Run.from_fields(json.loads(run))
            is_sound = (
                entry_run.key == key
                and state in _STATES
                and isinstance(seconds, (float, int, type(None)))
                and isinstance(error, (str, type(None)))
            )
            if not is_sound:
                raise ValueError("a run does not agree with its key")
        # RecursionError: JSON that is nested without end.
        except (TypeError, ValueError, RecursionError) as fault:
            raise self._damaged(fault) from None
        return Entry(entry_run, state, seconds, error)

    def _damaged(self, fault: object) -> ValueError:
        return ValueError(f"{self.path} is damaged ({fault}); run the plan in a new results file.")

    def _read(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """All rows that a query gives."""
        with self._lock:
            try:
                return self._connection.execute(query, values).fetchall()
            except sqlite3.DatabaseError as error:
                raise _as_user_error(self.path, error) from None

    def result(self, key: str) -> bytes:
        """The result of a finished run.

        Parameters
        ----------
        key : str
            The key of the run.

        Returns
        -------
        bytes
            What :meth:`finish` was given.

        Raises
        ------
        KeyError
            If there is no such run, or it is not done.
        """
        rows = self._read("SELECT result FROM runs WHERE key = ? AND state = 'done'", (key,))
        if not rows:
            raise KeyError(key)
        content = rows[0][0]
        if not isinstance(content, bytes):
            raise ValueError("it is not there")
        return content


def _as_user_error(path: Path, error: sqlite3.DatabaseError) -> Exception:
    """What went wrong with a results file, in a sentence."""
    reason = str(error)
    if "full" in reason or "disk I/O" in reason:
        return OSError(
            f"{path} cannot be written: the disk is full or failing ({reason}); what was done "
            "before is kept, so make space and start again."
        )
    if "readonly" in reason or "unable to open" in reason:
        return OSError(f"{path} cannot be written ({reason}); choose another place.")
    if "locked" in reason:
        return OSError(f"{path} is held by another program ({reason}); wait for it to end.")
    return ValueError(f"{path} is not a results file ({reason}); give another file.")


def _retry(step: Callable[[], Any]) -> None:
    """Try again while another process makes the same file: in these steps SQLite gives up."""
    for _ in range(99):
        try:
            step()
            return
        except sqlite3.OperationalError:
            time.sleep(0.05)
    step()


def _is_dead(owner: str) -> bool:
    """Whether a process is known to have ended; of one on another machine nothing is known."""
    host, pid, _ = owner.rsplit(":", 2)
    if host != socket.gethostname() or os.name != "posix":
        return False
    try:
        os.kill(int(pid), 0)  # sends nothing, only asks
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False
