import pytest

from bench.benches import made_up_results, small_results
from s2fs.bench import Ledger, bench_report

PHONE = {"viewport": {"width": 375, "height": 812}, "device_scale_factor": 2, "is_mobile": True}


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    with pytest.MonkeyPatch.context() as patch, Ledger(small_results(folder)) as ledger:
        patch.setattr("s2fs.bench._results.results", lambda _: made_up_results())
        return bench_report(ledger, folder / "bench.html", title="<script>alert(1)</script>")


def test_opens_without_errors_and_shows_its_title_as_text(visit, bench):
    page = visit(bench)
    assert page.locator("h1").text_content() == "<script>alert(1)</script>"
    assert page.locator("script").count() == 1


def test_the_switch_shows_one_dataset_at_a_time(visit, bench):
    page = visit(bench)
    figures = page.locator("figure[data-dataset]")
    assert figures.count() == 4
    assert page.locator("figure[data-dataset]:visible").count() == 1
    page.get_by_label("Dataset").select_option("Isolet")
    shown = page.locator("figure[data-dataset]:visible")
    assert [one.get_attribute("data-dataset") for one in shown.all()] == ["Isolet"]


def test_all_curves_are_there_without_javascript(visit, bench):
    page = visit(bench, java_script_enabled=False)
    assert page.locator("figure[data-dataset]:visible").count() == 4
    assert page.locator(".switch").is_hidden()


def test_tables_sort_by_our_numbers(visit, bench):
    page = visit(bench)
    table = page.locator("table.sortable").first
    before = table.locator("tbody th").all_text_contents()
    table.get_by_role("button", name="FDM").click()
    cells = [float(row.locator("td").nth(4).get_attribute("data-v")) for row in rows(table)]
    assert cells == sorted(cells)
    table.get_by_role("button", name="FDM").click()
    assert table.locator("tbody th").all_text_contents() != before


def rows(table):
    return table.locator("tbody tr").all()


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_nothing_sticks_out(visit, bench, options):
    page = visit(bench, **options)
    width, shown = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= shown
