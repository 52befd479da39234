"""What the theme leaves out for people who listen to a page instead of looking at it."""

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

#: What is replaced in the finished pages.
MENDED = {
    # The arrow that unfolds a part of the side bar has no name.
    '<summary><span class="toctree-toggle"': (
        '<summary aria-label="Pages of this part"><span class="toctree-toggle"'
    ),
    # The corner of a table with headings on two sides is no heading.
    '<th class="head"><p></p></th>': "<td></td>",
    '<th class="head"></th>': "<td></td>",
}


def mend(app: Sphinx, error: Exception | None) -> None:
    """Go through all pages once they are written."""
    if error is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        text = mended = path.read_text(encoding="utf-8")
        for old, new in MENDED.items():
            mended = mended.replace(old, new)
        if mended != text:
            path.write_text(mended, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Mend when the build has finished."""
    app.connect("build-finished", mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
