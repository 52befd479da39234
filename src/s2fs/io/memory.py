"""How much memory the content of a file may take."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from s2fs._utils.arguments import Argument, ArgumentError
from s2fs.io._errors import UnreadableError

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
#: Where the system does not say how much memory it has.
_USUAL_MEMORY = 8 * 2**30


def parse_memory(amount: int | str | None) -> int:
    """An amount of memory in bytes; None is what the machine and the container allow."""
    if amount is None:
        try:
            machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, OSError, ValueError):  # not a Unix system
            return _USUAL_MEMORY
        return min([machine, *_container_limits()])
    found = _AMOUNT.fullmatch(str(amount).strip())
    if found is None:
        raise ArgumentError(
            Argument("max_memory"),
            f" is {amount!r}; give a number of bytes, or an amount such as 500M or 4G.",
        )
    return int(float(found[1]) * _UNITS[found[2].upper()])


def _container_limits() -> Iterator[int]:
    """What Linux allows the control groups of this process, and those around them."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:  # not a Linux system
        return
    for line in lines:
        _, controllers, own = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        root, name = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        if not controllers:  # version 2
            root, name = ("/sys/fs/cgroup", "memory.max")
        place = PurePosixPath(own)
        for folder in (place, *place.parents):
            with suppress(OSError, ValueError):  # not mounted here, or "max"
                yield int(Path(f"{root}/{folder}/{name}").read_text())


def check_size(wanted: int, limit: int, source: Any) -> None:
    """Raise if a file asks for more memory than it may, before it is taken."""
    if wanted > limit:
        raise UnreadableError(
            f"{source} asks for {wanted / 2**30:.3g} GiB of memory where {limit / 2**30:.3g} GiB "
            "are allowed; give a smaller file, or allow more with ",
            Argument("max_memory"),
            ".",
            reason="memory",
        )
