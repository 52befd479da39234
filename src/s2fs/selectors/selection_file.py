"""The JSON file of a selection, with or without a model: written whole, checked when it is read.

Its parts are ``selection``, which names the features, and where there is a model ``model``, with
the ``steps`` that were applied to the table before, and what is known of the ``first_cohort``. A
checksum over all of it tells an edited number.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any

from s2fs._utils.files import check_content, check_writable, write_atomic

FORMAT = "s2fs panel"
#: Raised whenever an older reader would misunderstand a file.
VERSION = 2
#: What a file holds beside format, version and checksum; all but the first may be null.
PARTS = ("selection", "steps", "model", "first_cohort")


def write_parts(path: str | PathLike[str], parts: Mapping[str, Any]) -> None:
    """Write the whole file or, if anything fails, nothing."""
    write_atomic(check_writable(path, "path", (".json",)), format_parts(parts).encode())


def format_parts(parts: Mapping[str, Any]) -> str:
    """The text of a file."""
    content = {"format": FORMAT, "format_version": VERSION}
    content |= {name: parts.get(name) for name in PARTS}
    content["checksum"] = compute_checksum(content)
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def read_parts(path: str | PathLike[str]) -> dict[str, Any]:
    """The parts of a file, which was not edited since it was written."""
    place = Path(path)
    check_content(place)
    try:
        content = json.loads(place.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise ValueError(f"{path} is not JSON; give a file that s2fs has saved.") from None
    if not isinstance(content, dict) or content.get("format") not in (FORMAT, "s2fs selection"):
        raise ValueError(f"{path} holds no selection of s2fs; give a file that it has saved.")
    if (version := content.get("format_version")) != VERSION:
        raise ValueError(
            f"{path} has the format version {version!r}, and this s2fs reads {VERSION}; use the "
            "s2fs that saved it, or select and save again."
        )
    if content.get("checksum") != compute_checksum(content):
        raise ValueError(
            f"{path} was edited or is damaged: its checksum does not match what it holds; select "
            "and save again."
        )
    return {name: content.get(name) for name in PARTS}


def compute_checksum(content: Mapping[str, Any]) -> str:
    """Of all that a file holds but the checksum itself, whatever its layout."""
    rest = {name: value for name, value in content.items() if name != "checksum"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()
