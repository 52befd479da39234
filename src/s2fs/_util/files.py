"""Files are written as a whole or not at all, and refused before any work is done."""

import os
from pathlib import Path


def check_place(path: str | os.PathLike[str], argument: str, suffixes: tuple[str, ...]) -> Path:
    """Refuse a file that cannot be written, before the work that would fill it.

    Parameters
    ----------
    path : str or path-like
        Where the file is to go.
    argument : str
        What error messages call it.
    suffixes : tuple of str
        How its name may end.

    Returns
    -------
    Path
        The same place.
    """
    place = Path(path)
    if place.suffix.lower() not in suffixes:
        raise ValueError(
            f"{argument} is {str(path)!r}; give a name that ends in {', '.join(suffixes)}."
        )
    if place.is_dir():
        raise ValueError(f"{argument} is {str(path)!r}, which is a directory; give a file.")
    if not place.parent.is_dir():
        raise ValueError(
            f"{argument} is {str(path)!r}, but {str(place.parent)!r} is no directory; make it "
            "first."
        )
    if not os.access(place.parent, os.W_OK):
        raise ValueError(
            f"{argument} is {str(path)!r}, but {str(place.parent)!r} cannot be written to; choose "
            "another place."
        )
    return place


def write_whole(path: Path, content: bytes) -> None:
    """Write the whole file or, if anything fails, nothing."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        os.replace(part, path)
    except OSError as error:
        raise OSError(
            f"{path} cannot be written ({error.strerror or error}); choose another place."
        ) from None
    finally:
        part.unlink(missing_ok=True)
