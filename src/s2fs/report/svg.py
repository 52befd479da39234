"""Figures as SVG that fits into a page: text stays text, and ink takes the page's colour."""

import re
import warnings
from collections.abc import Sequence
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Without these, the same figure would be another text in every run.
_SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "s2fs"}
_BLACK = "#000000"


def inline_svg(
    figure: "Figure", prefix: str, label: str, *, titles: dict[str, Sequence[str]] | None = None
) -> str:
    """Draw a figure as an SVG element for an HTML page.

    Parameters
    ----------
    figure : Figure
        What to draw.
    prefix : str
        Goes before every id, which must be unique on the page.
    label : str
        What the figure shows, for those who cannot see it.
    titles : dict of str to sequence of str, optional
        For the id of a set of markers the text that each marker shows when pointed at.

    Returns
    -------
    str
        Markup without a prologue. Black is written ``currentColor``.
    """
    import matplotlib

    buffer = StringIO()
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        # The browser has fonts for scripts that Matplotlib's own font lacks.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        figure.savefig(buffer, format="svg", transparent=True, dpi=144, metadata={"Date": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    for part in ("metadata", "style"):  # its one rule of style is in the page's own
        svg = re.sub(rf"<{part}\b.*?</{part}>", "", svg, count=1, flags=re.DOTALL)
    for gid, texts in (titles or {}).items():
        svg = _with_titles(svg, gid, texts)
    # Nothing refers to the id of a picture, and equal pictures would share one.
    svg = re.sub(r'(<image\b[^>]*?) id="[^"]*"', r"\1", svg)
    svg = svg.replace(_BLACK, "currentColor")
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r'(url\(|href=")#', rf"\g<1>#{prefix}-", svg)
    # The size comes from the page.
    svg = re.sub(r'(<svg\b[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg\b[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = svg.replace("<svg", f'<svg role="img" aria-label="{escape(label)}"', 1)
    return re.sub(r"\n\s*", "\n", svg)


def _with_titles(svg: str, gid: str, texts: Sequence[str]) -> str:
    """Give each marker of a set a title."""
    start = svg.index(f'<g id="{gid}">')
    end = re.compile(r"\n  *</g>\n  *<g id=|\Z").search(svg, start).start()  # type: ignore[union-attr]
    group = svg[start:end]
    markers = re.findall(r"<use [^>]*/>", group)
    for marker, text in zip(markers, texts, strict=True):
        titled = f"{marker[:-2]}><title>{escape(text)}</title></use>"
        group = group.replace(marker, titled, 1)
    return svg[:start] + group + svg[end:]
