"""Standard output and standard error that cost no result.

A stream may be closed, full, a pipe whose reader has gone, or in an encoding without a character.
Work goes on and files are written all the same; what could not be shown is said at the end.
"""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click


class _Guard(io.RawIOBase):
    """The bottom of a stream: it keeps the first error, and swallows what comes after it."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self.error: OSError | None = None

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def isatty(self) -> bool:
        return bool(self._raw.isatty())

    def write(self, data: Any) -> int:
        if self.error is None:
            try:
                return self._raw.write(data) or 0
            except OSError as error:
                self.error = error
        return len(data)


class _Nowhere(io.TextIOWrapper):
    """The place of a stream that is closed."""


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Guard both streams; at the end, exit with a sentence if something could not be shown."""
    _plug_closed_descriptors()
    before = sys.stdout, sys.stderr
    stdout, stderr = map(_guard, before)
    sys.stdout, sys.stderr = stdout, stderr
    code: Any = 0
    try:
        yield
    except SystemExit as ended:
        code = ended.code
        raise
    finally:
        for stream in (stdout, stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        sys.stdout, sys.stderr = before
        error = _get_error(stdout)
        if error is not None and not isinstance(error, BrokenPipeError) and not code:
            click.echo(
                f"Error: Standard output cannot be written to ({error.strerror or error}); what "
                "was printed is lost, the files that were asked for are complete.",
                file=stderr,
            )
            raise SystemExit(2)


def reject_closed_output() -> None:
    """Raise if a result that goes to standard output would be lost."""
    if isinstance(sys.stdout, _Nowhere):
        raise ValueError("Standard output is closed; give a file with --output.")


def _guard(stream: Any) -> Any:
    """The same stream with a guard at its bottom; characters that it lacks are replaced."""
    if stream is None:
        return _Nowhere(open(os.devnull, "wb"), encoding="utf-8")
    raw = _get_raw(stream)
    if raw is None:  # a stream of a test or a notebook
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Guard(raw)),
        encoding=stream.encoding,
        errors="replace",
        line_buffering=stream.line_buffering,
    )


def _get_raw(stream: Any) -> io.RawIOBase | None:
    """The bottom of a stream, which may have a buffer above it; None if it has no such thing."""
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)
    return raw if isinstance(raw, io.RawIOBase) else None


def _get_error(stream: Any) -> OSError | None:
    """What went wrong with a guarded stream, if anything did."""
    guard = _get_raw(stream)
    return guard.error if isinstance(guard, _Guard) else None


def _plug_closed_descriptors() -> None:
    """Open what is closed of the first three descriptors, so that no file takes its place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
