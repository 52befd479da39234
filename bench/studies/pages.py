"""Parts of pages of the documentation that scripts write, between two marks."""

import re
from collections.abc import Mapping
from pathlib import Path


def filled(page: str, parts: Mapping[str, str], script: str) -> str:
    """The text of a page with every part between its marks, see :func:`fill_page`."""
    for name, text in parts.items():
        mark = f"<!-- {name}: written by {script} -->"
        block = f"{mark}\n\n{text}\n\n<!-- end -->"
        page, n = re.subn(
            f"{re.escape(mark)}.*?<!-- end -->", lambda _, b=block: b, page, flags=re.DOTALL
        )
        if n != 1:
            raise ValueError(f"The page has {n} marks {mark!r}; it needs one.")
    return page


def fill_page(path: Path, parts: Mapping[str, str], script: str) -> None:
    """Put every part between its marks.

    A mark is ``<!-- NAME: written by SCRIPT -->``, and its part ends at ``<!-- end -->``.

    Parameters
    ----------
    path : Path
        The page.
    parts : mapping of str to str
        What to write, by the name of the mark.
    script : str
        The script, as the marks name it.
    """
    page = path.read_text(encoding="utf-8")
    path.write_text(filled(page, parts, script), encoding="utf-8")
