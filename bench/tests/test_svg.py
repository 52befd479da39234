"""Short drawings show what Matplotlib's long ones show."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from s2fs.evaluation import Curve
from s2fs.report.svg import inline_svg
from s2fs_bench import plot_curves
from s2fs_bench.svg import Drawings


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    sizes = np.arange(1, 151)
    curves = {}
    for name in ("one", "two", "three"):
        values = np.clip(1 - 0.8 * np.exp(-sizes / 15) + 0.02 * rng.normal(size=150), 0, 1)
        curves[name] = Curve("knn", sizes, {"accuracy": values})
    figure = plot_curves(curves, highlight="two", title="a < b & c").figure
    drawings = Drawings()
    return inline_svg(figure, "p", "label"), drawings.draw(figure, "p", "label"), drawings


def parse(svg):
    return ElementTree.fromstring(svg.replace("xlink:href", "href"))


def points_of(path, *, steps):
    """The points of a line, of a short drawing in tenths and as steps from the first."""
    values = np.array(re.findall(r"-?\d+(?:\.\d+)?", path), dtype=float).reshape(-1, 2)
    return values.cumsum(axis=0) / 10 if steps else values


def long_lines(svg, *, steps):
    paths = [path.get("d") for path in parse(svg).iter("path")]
    lines = [points_of(d, steps=steps) for d in paths if len(re.findall(r"\d+", d)) > 60]
    return sorted(lines, key=lambda line: line[0, 1])


def test_lines_are_the_same_to_the_eye(drawn):
    long, short, _ = drawn
    before, after = long_lines(long, steps=False), long_lines(short, steps=True)
    assert len(before) == len(after) == 3
    for full, few in zip(before, after, strict=True):
        assert len(few) < len(full)
        place = np.linspace(0, len(few) - 1, 20 * len(few))
        line = np.array([np.interp(place, np.arange(len(few)), few[:, axis]) for axis in (0, 1)]).T
        distances = np.sqrt(((full[:, None] - line) ** 2).sum(axis=2)).min(axis=1)
        # The drawing is 252 points wide, so this is less than a pixel of the page.
        assert distances.max() < 0.35


def test_markers_stand_where_they_stood(drawn):
    long, short, _ = drawn
    groups = [list(group) for group in parse(long).iter("g")]
    rows = [uses for uses in groups if len(uses) > 2 and {use.tag for use in uses} == {"use"}]
    before = {
        tuple((round(float(use.get("x")), 0), round(float(use.get("y")), 0)) for use in uses)
        for uses in rows
    }
    lines = [path for path in parse(short).iter("path") if "marker:" in path.get("style", "")]
    assert len(lines) == len(before) == 3
    for line in lines:
        points = points_of(line.get("d"), steps=True)
        nearest = min(
            np.abs(points - np.array(places)).max()
            for places in before
            if len(places) == len(points)
        )
        assert nearest < 0.7  # a rounded tenth from a rounded point


def test_texts_and_references_are_kept(drawn):
    long, short, _ = drawn
    texts = [[text.text for text in parse(svg).iter("text")] for svg in (long, short)]
    assert texts[0] == texts[1]
    assert "a < b & c" in texts[1]
    ids = re.findall(r' id="([^"]+)"', short)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r"#([\w-]+)", short)) <= set(ids)


def test_styles_become_classes_that_drawings_share(drawn):
    long, short, drawings = drawn
    assert len(short) < len(long) / 2
    names = set(re.findall(r'class="(d\d+)"', short))
    assert names == set(re.findall(r"^\.(d\d+)\{", drawings.css, flags=re.MULTILINE))
    n_classes = len(drawings.classes)
    figure = plot_curves({"one": Curve("knn", np.arange(1, 4), {"accuracy": np.ones(3)})}).figure
    second = drawings.draw(figure, "q", "label")
    assert set(re.findall(r'class="(d\d+)"', second)) & names
    assert len(drawings.classes) >= n_classes
