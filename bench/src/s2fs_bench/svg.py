"""Drawings for a page with many of them, without what a reader does not see.

Half of what Matplotlib writes are names of groups, fonts of every text, empty frames and styles
that repeat; the other half are coordinates, most of them longer than the step to the next point.
"""

import re
from itertools import groupby, pairwise
from xml.etree import ElementTree  # nosec B405

from s2fs.report.svg import inline_svg

Element = ElementTree.Element

_FONT = re.compile(r"font-family: [^;]+;? ?")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_POLYLINE = re.compile(r"M [\d. -]+(?: L [\d. -]+)+")
_PLACE = re.compile(r"(\d\.\d)\d+")
_STRAIGHT = re.compile(r"M ([\d.]+) ([\d.]+)(?: L [\d.]+ \2)* L ([\d.]+) \2")
_LENGTHS = re.compile(r"(stroke-width|stroke-dasharray|stroke-dashoffset): ([\d., ]+)")
#: Lines with this many points are written in steps of a tenth of a point, a third of a pixel.
_LONG = 20
_TENTHS = 10
_SCALED = "scale(.1)"
#: A point that is no further than this from the line past it, in tenths of a point, is left out.
_FLAT = 2.0


class Drawings:
    """The drawings of one page, which share their styles.

    Attributes
    ----------
    classes : dict of str to str
        The name of the CSS class of each style.
    """

    def __init__(self) -> None:
        self.classes: dict[str, str] = {}

    @property
    def css(self) -> str:
        """The rules of the classes, for the page."""
        return "".join(f".{name}{{{style}}}\n" for style, name in self.classes.items())

    def draw(self, figure, prefix: str, label: str) -> str:  # type: ignore[no-untyped-def]
        """A figure as an SVG element, see :func:`s2fs.report.svg.inline_svg`, but much shorter.

        Parameters
        ----------
        figure : matplotlib.figure.Figure
            What to draw.
        prefix : str
            What every id begins with.
        label : str
            What the figure shows, for those who cannot see it.

        Returns
        -------
        str
            The SVG element.
        """
        svg = inline_svg(figure, prefix, label).replace("xlink:href", "href")
        root = ElementTree.fromstring(svg)  # just written here # nosec B314
        for element in root.iter():
            _clean(element)
        _drop_ids(root)
        _tidy(root)
        _join_markers(root, prefix)
        _drop_styles_of_shapes(root)
        for group in list(root.iter("g")):
            _scale_together(group)
        _shorten_ids(root, prefix)
        for element in root.iter():
            self._share_style(element)
        root.set("class", "drawn")
        return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")

    def _share_style(self, element: Element) -> None:
        """Replace the style by a class; a marker is of this drawing alone and stays."""
        rules = [rule.strip() for rule in element.attrib.pop("style", "").split(";")]
        own = [rule for rule in rules if "url(" in rule]
        shared = "; ".join(rule for rule in rules if rule and rule not in own)
        if own:
            element.set("style", "; ".join(own))
        if shared:
            name = self.classes.setdefault(shared, f"d{len(self.classes)}")
            element.set("class", name)


def _clean(element: Element) -> None:
    """Take away what does not change the look: fonts, rotations by nothing, digits, regions.

    Nothing in the drawings of a bench reaches beyond its axes, so nothing need be cut there.
    """
    element.tail = None
    for name in ("version", "clip-path"):
        element.attrib.pop(name, None)
    if element.get("transform", "").startswith("rotate(-0 "):
        del element.attrib["transform"]
    if "style" in element.attrib:
        element.set("style", _FONT.sub("", element.attrib["style"]).rstrip("; "))
    for name in ("x", "y", "transform"):
        if name in element.attrib:
            element.set(name, _PLACE.sub(r"\1", element.attrib[name]))


def _drop_ids(root: Element) -> None:
    """Take away the ids that nothing refers to, but for the axes, which one may look for."""
    text = ElementTree.tostring(root, encoding="unicode")
    used = set(re.findall(r"(?:url\(|href=\")#([^\")]+)", text))
    for element in root.iter():
        name = element.get("id", "")
        if name and name not in used and not name.endswith("axes_1"):
            del element.attrib["id"]


def _shorten_ids(root: Element, prefix: str) -> None:
    """Number the ids, which are hashes."""
    names = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    short = {name: f"{prefix}-{i}" for i, name in enumerate(names) if not name.endswith("axes_1")}
    for element in root.iter():
        for key, value in element.attrib.items():
            for name in re.findall(r"#([^\")]+)", value) if "#" in value else ():
                element.set(key, value.replace(f"#{name}", f"#{short.get(name, name)}"))
        if "id" in element.attrib:
            element.set("id", short.get(element.attrib["id"], element.attrib["id"]))


def _tidy(parent: Element) -> None:
    """Drop children that show nothing, and put those of a plain group in its place."""
    children: list[Element] = []
    for child in parent:
        _tidy(child)
        if child.tag == "g" and not child.attrib:
            children += list(child)
        elif not _is_invisible(child):
            children.append(_shorten(child) if child.tag == "path" else child)
    for child in list(parent):
        parent.remove(child)
    parent.extend(children)


def _is_invisible(element: Element) -> bool:
    is_empty = element.tag in ("g", "defs") and not len(element)
    return is_empty or (element.tag == "path" and element.get("style") == "fill: none")


def _shorten(path: Element) -> Element:
    """The path with short coordinates; a long line is scaled, so that it has whole numbers."""
    coordinates = " ".join(path.attrib["d"].split())
    level = _STRAIGHT.fullmatch(coordinates)
    if level:
        length = float(level[3]) - float(level[1])
        path.set("d", f"M{level[1]} {level[2]}h{length:.5g}")
        return path
    short = re.sub(r" ?([MLCQzZ]) ?", r"\1", coordinates)
    short = short if "id" in path.attrib else _PLACE.sub(r"\1", short)
    # SVG needs neither the zero before a point nor a space before a sign.
    path.set("d", re.sub(r"(?<![\d.])0\.", ".", short).replace(" -", "-"))
    if "id" in path.attrib or not _POLYLINE.fullmatch(coordinates):
        return path
    values = [round(_TENTHS * float(value)) for value in _NUMBER.findall(coordinates)]
    points = list(zip(values[::2], values[1::2], strict=True))
    if len(points) < _LONG:
        return path
    path.set("d", _steps(_without_flat_points(points)))
    path.set("transform", _SCALED)
    path.set("style", _LENGTHS.sub(_in_tenths, path.get("style", "")))
    return path


def _in_tenths(match: re.Match[str]) -> str:
    lengths = _NUMBER.sub(lambda length: f"{_TENTHS * float(length[0]):g}", match[2])
    return f"{match[1]}: {lengths}"


def _without_flat_points(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The points of a line from left to right, without those on the way to a later one."""
    kept = [points[0]]
    first = 0
    for last in range(2, len(points)):
        (x, y), (end_x, end_y) = points[first], points[last]
        slope = (end_y - y) / max(end_x - x, 1)
        between = points[first + 1 : last]
        if any(abs(y + slope * (p - x) - q) > _FLAT for p, q in between):
            first = last - 1
            kept.append(points[first])
    return [*kept, points[-1]]


def _steps(points: list[tuple[int, int]]) -> str:
    """The line through whole numbers, as a point and the steps from it."""
    steps = " ".join(f"{b[0] - a[0]} {b[1] - a[1]}" for a, b in pairwise(points))
    return f"M{points[0][0]} {points[0][1]}l{steps}".replace(" -", "-")


def _join_markers(root: Element, prefix: str) -> None:
    """Make one path of the markers along a line, which are as many elements in Matplotlib."""
    parents = {child: parent for parent in root.iter() for child in parent}
    shapes = {path.attrib["id"]: path for path in root.iter("path") if "id" in path.attrib}
    for group in [parent for parent in root.iter() if parent.tag == "g"]:
        for uses in _runs_of_markers(list(group)):
            shape = shapes[uses[0].attrib["href"][1:]]
            holder = parents[shape]
            if holder.tag != "marker":
                # The shape is drawn by the marker, and by the legend, which uses it once.
                marker = Element("marker", {"id": f"{prefix}-marker-{shape.attrib['id']}"})
                marker.set("style", "overflow: visible")
                shape.set("style", uses[0].get("style", ""))
                holder.remove(shape)
                marker.append(shape)
                holder.append(marker)
                parents[shape] = holder = marker
            places = [(float(use.attrib["x"]), float(use.attrib["y"])) for use in uses]
            points = [(round(_TENTHS * x), round(_TENTHS * y)) for x, y in places]
            # A marker is as large as the line is wide: here ten tenths.
            line = Element("path", {"d": _steps(points), "transform": _SCALED})
            line.set("style", f"stroke-width:10;fill:none;marker:url(#{holder.attrib['id']})")
            group.insert(list(group).index(uses[0]), line)
            for use in uses:
                group.remove(use)


def _drop_styles_of_shapes(root: Element) -> None:
    """Take the style from what uses a shape that has the same one."""
    styles = {f"#{path.get('id')}": path.get("style") for path in root.iter("path")}
    for use in root.iter("use"):
        if use.get("style") == styles.get(use.attrib["href"]):
            use.attrib.pop("style", None)


def _scale_together(parent: Element) -> None:
    """Scale neighbours that are in tenths as one group; definitions may stand among them."""
    children: list[Element] = []
    for is_scaled, run in groupby(
        parent, lambda c: c.tag == "defs" or c.get("transform") == _SCALED
    ):
        members = list(run)
        if not is_scaled or not any("transform" in child.attrib for child in members):
            children += members
            continue
        group = Element("g", {"transform": _SCALED})
        for child in members:
            child.attrib.pop("transform", None)
        group.extend(members)
        children.append(group)
    for child in list(parent):
        parent.remove(child)
    parent.extend(children)


def _runs_of_markers(children: list[Element]) -> list[list[Element]]:
    """Neighbours that use the same shape in the same style, three of them or more."""
    runs: list[list[Element]] = []
    for (tag, _, _), run in groupby(children, lambda c: (c.tag, c.get("href"), c.get("style"))):
        members = list(run)
        if tag == "use" and len(members) > 2:
            runs.append(members)
    return runs
