"""Figures as SVG that fits into a page: text stays text, and ink takes the page's colour."""

import re
import warnings
from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree  # nosec B405

from s2fs._utils.optional import need
from s2fs.plotting.colours import as_css_variable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Without these, the same figure would be another text in every run.
_SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "s2fs"}
_BLACK = "#000000"
#: A hundredth of a point cannot be seen, and digits make most of a drawing.
_MANY_DIGITS = re.compile(r"(\.\d\d)\d+")
_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}"


def inline_svg(
    figure: "Figure", prefix: str, label: str, *, titles: dict[str, Sequence[str]] | None = None
) -> str:
    """Draw a figure as an SVG element for an HTML page, with colours that the page decides.

    Black is written ``currentColor``, and the colours of classes and selectors are variables.

    The prefix goes before every id, which must be unique on the page, and the label says what the
    figure shows to those who cannot see it. ``titles`` are, for the id of a set of markers, the
    text that each marker shows when pointed at.
    """
    buffer = StringIO()
    matplotlib = need("matplotlib", extra="report", purpose="A report")
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        # The browser has fonts for scripts that Matplotlib's own font lacks.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        # Long names may need more space than there is; the figure is then drawn as well as can be.
        warnings.filterwarnings("ignore", "constrained_layout not applied", UserWarning)
        figure.savefig(buffer, format="svg", transparent=True, dpi=144, metadata={"Date": None})
    svg = ElementTree.fromstring(buffer.getvalue())  # just written here # nosec B314
    for gid, texts in (titles or {}).items():
        markers = svg.find(f".//*[@id='{gid}']").iter(f"{_SVG}use")  # type: ignore[union-attr]
        for marker, text in zip(markers, texts, strict=True):
            ElementTree.SubElement(marker, "title").text = text
    for element in svg.iter():
        for part in element.findall(f"{_SVG}metadata") + element.findall(f"{_SVG}style"):
            element.remove(part)  # the one rule of style is in the page's own
        _fit_in(element, prefix)
    for name in ("width", "height"):  # the size comes from the page
        del svg.attrib[name]
    svg.attrib = {"role": "img", "aria-label": label, **svg.attrib}
    return ElementTree.tostring(svg, encoding="unicode")


def _fit_in(element: ElementTree.Element, prefix: str) -> None:
    """Give an element a tag and attributes that hold on an HTML page."""
    element.tag = element.tag.removeprefix(_SVG)
    if not (element.text or "").strip():
        element.text = None
    element.tail = "\n"
    if element.tag == "image":  # nothing refers to its id, and equal pictures would share one
        del element.attrib["id"]
    attributes = {}
    for name, value in element.attrib.items():
        value = value.replace(_BLACK, "currentColor").replace("url(#", f"url(#{prefix}-")
        if name == "style":
            value = as_css_variable(value)
        elif name in ("d", "x", "y"):
            value = _MANY_DIGITS.sub(r"\1", value)
        if name == "id":
            value = f"{prefix}-{value}"
        elif name == f"{_XLINK}href":
            name = "xlink:href"
            value = f"#{prefix}-{value[1:]}" if value[0] == "#" else "".join(value.split())
        attributes[name] = value
    element.attrib = attributes
