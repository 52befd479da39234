"""The report of the paper's experiments, from the committed results."""

import csv
from pathlib import Path

import pytest

from s2fs.bench import bench_report, open_results

ARCHIVE = Path(__file__).parents[2] / "benchmarks" / "results" / "paper.npz"
PHONE = {"viewport": {"width": 375, "height": 812}, "device_scale_factor": 2, "is_mobile": True}


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    place = tmp_path_factory.mktemp("bench") / "bench.html"
    with open_results(ARCHIVE) as archive:
        return bench_report(archive, place, title="<script>alert(1)</script>")


def test_opens_without_errors_and_shows_its_title_as_text(visit, bench):
    page = visit(bench)
    assert page.locator("h1").text_content() == "<script>alert(1)</script>"
    assert page.locator("script").count() == 1


def test_the_switch_shows_one_dataset_at_a_time(visit, bench):
    page = visit(bench)
    shown = page.locator("figure[data-dataset]:visible")
    assert shown.count() == 1
    page.locator("#s0-curves").get_by_label("Dataset").select_option("Isolet")
    assert [one.get_attribute("data-dataset") for one in shown.all()] == ["Isolet"]


def test_all_curves_are_there_without_javascript(visit, bench):
    page = visit(bench, java_script_enabled=False)
    assert page.locator("figure[data-dataset]:visible").count() == 9 * 4  # datasets, learners
    assert page.locator(".switch").is_hidden()


def test_the_table_is_filtered_and_downloaded(visit, bench):
    page = visit(bench)
    rows = page.locator("#s0-results tbody tr:visible")
    every = rows.count()
    section = page.locator("#s0-tables")
    section.get_by_label("Dataset").select_option("Isolet")
    section.get_by_label("Statistic").select_option("average accuracy")
    assert 0 < rows.count() < every
    assert {row.locator("th").text_content() for row in rows.all()} == {"Isolet"}
    with page.expect_download() as started:
        section.get_by_role("button", name="Download CSV").click()
    with open(started.value.path(), encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert len(found) == rows.count()
    first = rows.first.locator("td").nth(2).get_attribute("data-v")
    assert list(found[0].values())[3] == first


def test_the_first_column_stays_and_the_tuned_one_is_grey(visit, bench):
    page = visit(bench, **PHONE)
    region = page.get_by_role("region", name="Table of results")
    before = page.locator("#s0-results tbody th").first.bounding_box()["x"]
    region.evaluate("e => { e.scrollLeft = 300; }")
    assert page.locator("#s0-results tbody th").first.bounding_box()["x"] == before
    tuned = page.locator("#s0-results thead th.tuned")
    assert "chosen on the test results" in tuned.first.text_content()


def test_axe_finds_no_violation(visit, bench):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(visit(bench, bypass_csp=True))
    assert found.violations_count == 0, found.generate_report()


def test_tables_sort_by_our_numbers(visit, bench):
    page = visit(bench)
    table = page.locator("#s0-results")
    before = table.locator("tbody th").all_text_contents()
    table.get_by_role("button", name="FDM").click()
    heads = table.locator("thead th").all_text_contents()
    (column,) = (i for i, head in enumerate(heads) if "FDM" in head)
    cells = [row.locator("th, td").nth(column).get_attribute("data-v") for row in rows(table)]
    assert cells == sorted(cells, key=float)
    table.get_by_role("button", name="FDM").click()
    assert table.locator("tbody th").all_text_contents() != before


def rows(table):
    return table.locator("tbody tr").all()


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_nothing_sticks_out(visit, bench, options):
    page = visit(bench, **options)
    width, shown = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= shown
