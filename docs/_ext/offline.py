"""The finished pages are read without a network: nothing on them is loaded from elsewhere."""

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

#: What a browser fetches by itself: scripts, pictures, styles and fonts; a link to click is not.
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source)[^>]*\ssrc=["']?(?:https?:)?//[^"'\s>]*"""
    r"""|<link(?![^>]*rel=["']?(?:canonical|author|license))[^>]*href=["']?(?:https?:)?//[^"'\s>]*"""
    r"""|url\(\s*["']?(?:https?:)?//[^)]*|@import\s+["'](?:https?:)?//[^"']*"""
)


def check(app: Sphinx, error: Exception | None) -> None:
    """Raise if a page or a style sheet loads something remote."""
    if error is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    for path in sorted([*out.rglob("*.html"), *out.rglob("*.css")]):
        if found := FETCHED.search(path.read_text(encoding="utf-8")):
            raise ExtensionError(f"{path.relative_to(out)} loads something remote: {found[0]}")


def setup(app: Sphinx) -> dict[str, Any]:
    """Check when the build has finished."""
    app.connect("build-finished", check)
    return {"parallel_read_safe": True}
