"""The page of a comparison: its numbers, and names as text."""

import pytest
from sklearn.datasets import load_wine

from report.pages import CLASSES, FEATURES, Page
from s2fs import PairCover, compare
from s2fs.baselines import AnovaF
from s2fs.report import Origin, comparison_report


@pytest.fixture(scope="module")
def found():
    named = {FEATURES[0]: PairCover(), CLASSES[0]: AnovaF()}
    return compare(*load_wine(return_X_y=True), k=[2, 4], selectors=named)


@pytest.fixture(scope="module")
def text(found, tmp_path_factory):
    place = tmp_path_factory.mktemp("page") / "page.html"
    origin = Origin(command="s2fs compare <b>", seconds=1.0)
    assert comparison_report(found, place, title=FEATURES[1], origin=origin) == place
    return place.read_text("utf-8")


def test_the_numbers_are_those_of_the_comparison(found, text):
    rows = {row[0]: row for row in Page(text).rows if len(row) == 10}
    assert list(rows) == ["Selector", *(row["selector"] for row in found.rows)]
    for row in found.rows:
        shown = rows[row["selector"]]
        accuracy = f"{100 * row['accuracy']:.1f}\N{NO-BREAK SPACE}"
        assert shown[2].startswith(accuracy)
        assert shown[7] == ("–" if row["stability"] is None else f"{row['stability']:.2f}")
        assert shown[9] == ("–" if row["seconds"] is None else f"{row['seconds']:.3f}")
    beside = [rows[row["selector"]][5] for row in found.rows[1:]]
    assert beside == [found.standing(row["selector"]).split()[0] for row in found.rows[1:]]
    by_size = [row for row in Page(text).rows if len(row) == 3]
    for i, size in enumerate(found.sizes, start=1):
        shown = {row[0]: row[i] for row in by_size[1:]}
        truth = {row["selector"]: f"{100 * row['accuracy']:.1f}" for row in found.at(size).rows}
        assert shown == truth
    assert found.verdict in "".join(Page(text).text)


def test_names_are_text_and_nothing_is_loaded(text):
    page = Page(text)
    assert (page.tags["script"], page.tags["img"], page.tags["b"]) == (1, 0, 4)
    assert FEATURES[1] in "".join(page.text)
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    links = [value for _, name, value in page.attributes if name in ("href", "src", "xlink:href")]
    assert all(link.startswith(("#", "data:")) for link in links)
    assert {name: count for name, count in page.ids.items() if count > 1} == {}


def test_one_size_has_no_curve(tmp_path):
    found = compare(*load_wine(return_X_y=True), k=2, selectors=["anovaf"])
    page = Page(comparison_report(found, tmp_path / "page.html").read_text("utf-8"))
    assert "sizes" not in page.ids
    assert "1 selector, all features" in "".join(page.text)


def test_a_place_that_cannot_be_written_is_refused(found, tmp_path):
    with pytest.raises(ValueError, match=r"report is .*page\.txt"):
        comparison_report(found, tmp_path / "page.txt")
