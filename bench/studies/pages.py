"""Parts of pages of the documentation that scripts write, between two marks."""

import re
from collections.abc import Mapping
from pathlib import Path

from s2fs_bench.render import signed

__all__ = ["fill_page", "filled", "in_words", "plus_minus", "signed"]

#: Points within which a whole interval has to lie for two methods to be as good as each other.
EQUIVALENT = 2.0


def plus_minus(mean: float, half: float, digits: int) -> str:
    """A difference with half its interval."""
    return f"{signed(mean, digits)} ± {half:.{digits}f}"


def in_words(mean: float, half: float) -> str:
    """What an interval of a difference in points says, in the words of all reports."""
    if mean - half > 0:
        return "better than"
    if mean + half < 0:
        return "worse than"
    within = max(abs(mean - half), abs(mean + half)) <= EQUIVALENT
    return "as good as" if within else "cannot be told from"


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
