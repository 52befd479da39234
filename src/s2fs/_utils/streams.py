"""Standard streams, which may be closed or missing."""

from typing import Any


def is_terminal(stream: Any) -> bool:
    """Whether a stream is a terminal; one that is missing or closed is none."""
    try:
        return stream is not None and bool(stream.isatty())
    except ValueError:  # closed
        return False
