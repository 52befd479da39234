"""The page of selectors that were compared, in a browser."""

import csv

import pytest
from sklearn.datasets import load_wine

from s2fs import compare
from s2fs.report import comparison_report

PHONE = {"viewport": {"width": 360, "height": 780}, "device_scale_factor": 2, "is_mobile": True}


@pytest.fixture(scope="module")
def found():
    return compare(*load_wine(return_X_y=True), k=[2, 5, 9], selectors=["paircover", "anovaf"])


@pytest.fixture(scope="module")
def page_of(found, tmp_path_factory):
    return comparison_report(found, tmp_path_factory.mktemp("compared") / "page.html")


@pytest.mark.parametrize("options", [{}, PHONE, {"color_scheme": "dark"}])
def test_axe_finds_no_violation_and_nothing_sticks_out(visit, page_of, options):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = visit(page_of, bypass_csp=True, **options)
    width, shown = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= shown
    for details in page.locator("details").all():
        details.locator("summary").click()
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_the_table_is_sorted_and_downloaded(visit, page_of, found):
    page = visit(page_of)
    table = page.locator("#compared")
    table.get_by_role("button", name="Accuracy %").click()
    names = table.locator("tbody th").all_text_contents()
    assert names[0] == "majority class"
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV").click()
    with open(started.value.path(), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    # The table is about the number asked for.
    here = found.at(found.recommendation.size)
    accuracies = {row.selector: row.scores["accuracy"].value for row in here.rows}
    assert {row["selector"]: float(row["accuracy"]) for row in rows} == accuracies
    first = here.rows[0].selector
    for row in rows:
        if row["selector"] != first:
            gap = here.difference(first, row["selector"])
            assert row["relation"] == gap.relation
            assert float(row["difference"]) == 100 * gap.value


def test_the_first_screen_says_who_is_best_and_how_sure(visit, page_of, found):
    page = visit(page_of, viewport={"width": 1440, "height": 900})
    here = found.at(found.recommendation.size)
    rows = [row for row in here.rows if row.seconds is not None]
    best, second = sorted(rows, key=lambda row: -row.scores["accuracy"].value)
    headline = page.locator(".verdict strong").text_content()
    assert headline.startswith(f"{best.selector} has the largest accuracy: ")
    assert f"{100 * best.scores['accuracy'].value:.1f} %" in headline
    assert here.difference(best.selector, second.selector).relation in headline
    for part in ("svg.forest:visible", "[data-name=sizes] svg:visible"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] < 900
    shown = page.locator("svg.forest:visible .row").count()
    assert shown == len(here.rows) - 1
