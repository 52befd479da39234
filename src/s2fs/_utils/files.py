"""Files are written as a whole or not at all, and refused before any work is done."""

import os
import secrets
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from s2fs._utils.arguments import ArgumentError, as_argument


def check_writable(path: str | os.PathLike[str], argument: str, suffixes: tuple[str, ...]) -> Path:
    """Refuse a file that cannot be written, before the work that would fill it.

    Its name may end in ``suffixes``; an error message calls it ``argument``.
    """
    target, mention = Path(path), as_argument(argument)
    given = f" is {str(path)!r}"
    parent = Path(os.path.realpath(target)).parent  # a link is written through
    if target.suffix.lower() not in suffixes:
        raise ArgumentError(mention, f"{given}; give a name that ends in {', '.join(suffixes)}.")
    if target.is_dir():
        raise ArgumentError(mention, f"{given}, which is a directory; give a file.")
    shown = str(parent if target.is_symlink() else target.parent)
    if not parent.is_dir():
        raise ArgumentError(mention, f"{given}, but {shown!r} is not a directory; make it first.")
    if not os.access(parent, os.W_OK):
        raise ArgumentError(
            mention, f"{given}, but {shown!r} cannot be written to; choose another place."
        )
    return target


def check_exists(path: str | os.PathLike[str]) -> None:
    """Raise if there is no such file."""
    if not Path(path).exists():
        raise FileNotFoundError(f"There is no file {str(path)!r}; check the path.")


def check_content(path: str | os.PathLike[str]) -> None:
    """Raise if there is no such file, or it is no file whose content can be read to its end."""
    check_exists(path)
    mode = Path(path).stat().st_mode
    if stat.S_ISDIR(mode):
        raise ValueError(f"{path} is a directory; give a file.")
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise ValueError(f"{path} is a device and has no end; give a file.")


def write_atomic(path: Path, content: bytes) -> None:
    """Write the whole file or, if anything fails, nothing."""
    write_together({path: content})


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Write whole files or, if one of them cannot be written, none.

    An existing file keeps its mode, and a symbolic link stays one: the file it leads to is
    replaced. The content goes first to a file beside it, with a random name and opened with O_EXCL,
    so that no link planted there is followed; only when all are there do they take their places.
    Contents and names are on disk when this returns.
    """
    parts: dict[Path, Path] = {}
    try:
        for name, content in contents.items():
            path = Path(os.path.realpath(name))
            parts[path] = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
            _write_new(parts[path], content, like=path)
        for path, part in parts.items():
            os.replace(part, path)
    except OSError as error:
        raise OSError(
            f"{path} cannot be written ({error.strerror or error}); choose another place."
        ) from None
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)
    for folder in {path.parent for path in parts}:
        _sync_folder(folder)


def _write_new(part: Path, content: bytes, like: Path) -> None:
    """Write a file that is not there yet, with the mode of another one if that is there."""
    only_new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open(os.open(part, only_new, 0o666), "wb") as file:
        if like.exists() and hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), like.stat().st_mode & 0o777)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Bring the entries of a folder to the disk; not every system can."""
    with suppress(OSError):
        entry = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(entry)
        finally:
            os.close(entry)
