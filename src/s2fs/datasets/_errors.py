"""One place turns whatever a reader stumbles over into one sentence."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class UnreadableError(ValueError):
    """A file that cannot be used; the message says where and what to do."""


def remark(message: str) -> None:
    """Say what was done with a file beyond reading it; the command line shows it as a note."""
    warnings.warn(message, UserWarning, stacklevel=2)


@contextmanager
def reading(source: Any, kind: str) -> Iterator[None]:
    """Turn every failure of a reader into one sentence that names the file.

    What a damaged file makes a library raise can be anything; our own errors pass as they are.
    """
    try:
        yield
    except (UnreadableError, FileNotFoundError, ImportError):
        raise
    except PermissionError:
        raise UnreadableError(f"{source} may not be read; ask for permission.") from None
    except MemoryError:
        raise UnreadableError(
            f"{source} asks for more memory than there is, or is damaged; give a smaller file."
        ) from None
    except Exception as error:
        text = " ".join(str(error).split()).rstrip(".")
        reason = text[:200] if text else type(error).__name__
        raise UnreadableError(
            f"{source} is damaged or no {kind} file ({reason}); check or make it again."
        ) from None


def check_size(wanted: int, limit: int, source: Any) -> None:
    """Raise if a file asks for more memory than it may, before it is taken."""
    if wanted > limit:
        raise UnreadableError(
            f"{source} asks for {wanted / 2**30:.3g} GiB of memory where {limit / 2**30:.3g} GiB "
            "are allowed; give a smaller file, or allow more with max_memory (--max-memory)."
        )
