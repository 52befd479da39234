"""Where a report may go."""

import os
from pathlib import Path

from s2fs._utils.files import check_writable

_SUFFIXES = (".html", ".htm")


def check_destination(path: str | os.PathLike[str]) -> Path:
    """Refuse a report that cannot be written before any work is done.

    Parameters
    ----------
    path : str or path-like
        Where the report is to go.

    Returns
    -------
    Path
        The same place.
    """
    return check_writable(path, "report", _SUFFIXES)
