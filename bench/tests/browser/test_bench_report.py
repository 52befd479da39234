"""The report of the paper's experiments, from the committed results."""

import csv
from html import escape
from pathlib import Path

import pytest

from s2fs_bench import bench_report, open_results

ARCHIVE = Path(__file__).parents[3] / "bench" / "results" / "paper.npz"
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
    section = page.locator("#s0-tables")
    assert rows.count() == 9  # one learner and one statistic at first: a row for each dataset
    for name in ("Learner", "Statistic"):
        section.get_by_label(name).select_option("")
    every = rows.count()
    assert every > 36
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
    before = page.locator("#s0-results tbody tr:visible th").first.bounding_box()["x"]
    region.evaluate("e => { e.scrollLeft = 300; }")
    assert page.locator("#s0-results tbody tr:visible th").first.bounding_box()["x"] == before
    tuned = page.locator("#s0-results thead th.tuned")
    assert "chosen on the test results" in tuned.first.text_content()


def test_the_page_is_small_enough_to_send(bench):
    assert bench.stat().st_size < 600_000


def test_a_saved_figure_looks_like_that_of_the_page(visit, bench):
    page = visit(bench)
    figure = page.locator("#s0-curves figure:visible")
    with page.expect_download() as started:
        figure.get_by_role("button", name="SVG").click()
    with open(started.value.path(), encoding="utf-8") as file:
        saved = file.read()
    texts = figure.locator("svg text").all_text_contents()
    assert all(escape(text, quote=False) in saved for text in texts)
    size = figure.locator("svg text").first.evaluate("e => getComputedStyle(e).fontSize")
    assert f"font-size: {size}" in saved
    assert "var(--" not in saved.replace("style=", "")
    assert saved.count("stroke-dasharray") > 10


def test_axe_finds_no_violation(visit, bench):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(visit(bench, bypass_csp=True))
    assert found.violations_count == 0, found.generate_report()


def test_tables_sort_by_our_numbers(visit, bench):
    page = visit(bench)
    table = page.locator("#s0-results")
    page.locator("#s0-tables").get_by_label("Learner").select_option("")
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


def test_the_page_opens_with_who_is_best_and_a_plot_of_times(visit, bench):
    page = visit(bench, viewport={"width": 1440, "height": 900})
    headline = page.locator("#s0-summary .verdict strong")
    assert "has the best average rank of 10 algorithms" in headline.text_content()
    assert headline.bounding_box()["y"] < 400
    ticks = page.locator("#s0-times-plot-axes_1 text").all_text_contents()
    assert "FSNMER" in ticks
    assert page.locator("[id^=s0-cd0]").count() > 0
    ranks = [float(text) for text in page.locator("#s0-average tbody b").all_text_contents()]
    assert len(ranks) == 10
    assert ranks == sorted(ranks)  # the best first
    region = page.get_by_role("region", name="Table of average ranks")
    assert region.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_numbers_are_seen_on_a_telephone(visit, bench):
    page = visit(bench, **PHONE)
    row = page.locator("#s0-results tbody tr:visible").first
    seen = [cell.bounding_box() for cell in row.locator("td:visible").all()]
    inside = [box for box in seen if box["x"] + box["width"] <= 375]
    assert len(inside) >= 2
