"""Files are written as a whole or not at all, and refused before any work is done."""

import os
import secrets
from contextlib import suppress
from pathlib import Path


def check_writable(path: str | os.PathLike[str], argument: str, suffixes: tuple[str, ...]) -> Path:
    """Refuse a file that cannot be written, before the work that would fill it.

    Its name may end in ``suffixes``; an error message calls it ``argument``.
    """
    target = Path(path)
    parent = Path(os.path.realpath(target)).parent  # a link is written through
    if target.suffix.lower() not in suffixes:
        raise ValueError(
            f"{argument} is {str(path)!r}; give a name that ends in {', '.join(suffixes)}."
        )
    if target.is_dir():
        raise ValueError(f"{argument} is {str(path)!r}, which is a directory; give a file.")
    shown = str(parent if target.is_symlink() else target.parent)
    if not parent.is_dir():
        raise ValueError(
            f"{argument} is {str(path)!r}, but {shown!r} is not a directory; make it first."
        )
    if not os.access(parent, os.W_OK):
        raise ValueError(
            f"{argument} is {str(path)!r}, but {shown!r} cannot be written to; choose another "
            "place."
        )
    return target


def write_atomic(path: Path, content: bytes) -> None:
    """Write the whole file or, if anything fails, nothing.

    An existing file keeps its mode, and a symbolic link stays one: the file it leads to is
    replaced. The content goes first to a file beside it, with a random name and opened with O_EXCL,
    so that no link planted there is followed. Content and name are on disk when this returns.
    """
    path = Path(os.path.realpath(path))
    part = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
    only_new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(part, only_new, 0o666), "wb") as file:
            if path.exists() and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), path.stat().st_mode & 0o777)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        raise OSError(
            f"{path} cannot be written ({error.strerror or error}); choose another place."
        ) from None
    finally:
        part.unlink(missing_ok=True)
    with suppress(OSError):  # the entry of the folder; not every system can sync it
        entry = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(entry)
        finally:
            os.close(entry)
