import csv
from io import StringIO

import pytest
from click.testing import CliRunner

from report.pages import CLASSES, FEATURES, HOSTILE_CLASS, HOSTILE_FEATURE, hostile_data
from s2fs.cli import main
from s2fs.datasets import load_srbct

SEP = 2
PHONE = {"viewport": {"width": 375, "height": 812}, "device_scale_factor": 2, "is_mobile": True}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The report on a table with hostile names, made by the command line, and its ranking."""
    folder = tmp_path_factory.mktemp("hostile")
    data = hostile_data()
    table = StringIO()
    writer = csv.writer(table)
    writer.writerow([*FEATURES, "class"])
    rows = zip(data.X.tolist(), data.y, strict=True)
    writer.writerows([*row, CLASSES[q]] for row, q in rows)
    (folder / "data.csv").write_text(table.getvalue(), encoding="utf-8")
    made = CliRunner().invoke(
        main,
        f"select {folder}/data.csv --target class -k 8 "
        f"--output {folder}/ranking.csv --report {folder}/report.html",
    )
    assert made.exit_code == 0, made.output
    return folder / "report.html", folder / "ranking.csv"


@pytest.fixture(scope="module")
def srbct(tmp_path_factory):
    from s2fs import S2FS
    from s2fs.report import selection_report

    data = load_srbct()
    data.image_shape, data.image_order = (4, 577), "F"  # no pictures, but every section is there
    path = tmp_path_factory.mktemp("srbct") / "report.html"
    return selection_report(data, S2FS(30).fit(data.X, data.y), path, title="SRBCT")


def column(page, number):
    """What a column of the ranking shows, hidden rows left out."""
    rows = page.locator("#ranking-table tbody tr:visible")
    return [row.locator("td, th").nth(number).text_content() for row in rows.all()]


def test_opens_without_errors_or_requests(visit, srbct):
    page = visit(srbct)
    assert page.locator("h1").text_content() == "SRBCT"
    assert page.locator("section").count() == 10
    assert page.locator("figure svg").count() == 7


def test_hostile_names_are_shown_as_text(visit, hostile):
    page = visit(hostile[0])
    assert set(column(page, 1)) == set(FEATURES)
    assert HOSTILE_FEATURE in column(page, 1)
    assert page.locator(".classes .name").all_text_contents() == sorted(CLASSES)
    assert HOSTILE_CLASS[:27] in page.locator("#plane svg").text_content()
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 1


def test_a_script_that_is_not_ours_does_not_run(browser, hostile):
    """The names are escaped; if they were not, the policy of the page would still hold."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(hostile[0].as_uri())
    page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.body.append(script);
            const image = '<img src=x onerror="window.ran = true">';
            document.body.insertAdjacentHTML("beforeend", image);
        }"""
    )
    page.wait_for_timeout(200)
    assert page.evaluate("window.ran") is None
    context.close()


def test_sorts_by_numbers_and_by_names(visit, srbct):
    page = visit(srbct)
    before = column(page, SEP)
    heading = page.locator("#ranking-table thead th").nth(SEP)
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert column(page, SEP) == sorted(before, key=float)
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert column(page, SEP) == sorted(before, key=float, reverse=True)

    names = page.locator("#ranking-table thead th").nth(1)
    names.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert names.get_attribute("aria-sort") == "ascending"
    assert heading.get_attribute("aria-sort") is None
    assert column(page, 1) == sorted(column(page, 1), key=lambda name: int(name[1:]))


def test_negative_gains_sort_as_numbers(visit, srbct):
    page = visit(srbct)
    page.get_by_role("button", name="gain").click()
    gains = [float(gain) for gain in column(page, 3)]
    assert gains[0] < 0 < gains[-1]
    assert gains == sorted(gains)


def test_search_finds_parts_of_names(visit, srbct):
    page = visit(srbct)
    every = column(page, 1)
    page.get_by_label("Search features").fill("v1")
    expected = [name for name in every if "V1" in name]
    assert 0 < len(expected) < len(every)
    assert column(page, 1) == expected
    assert page.get_by_role("status").text_content() == f"{len(expected)} of 30 features"
    page.get_by_label("Search features").fill("no such gene")
    assert column(page, 1) == []
    page.get_by_label("Search features").fill("")
    assert column(page, 1) == every


def test_search_takes_hostile_text_literally(visit, hostile):
    page = visit(hostile[0])
    page.get_by_label("Search features").fill("<script>alert(1)")
    assert column(page, 1) == [HOSTILE_FEATURE]


def test_the_csv_is_that_of_the_command_line(visit, hostile):
    report, ranking = hostile
    page = visit(report)
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV").click()
    assert started.value.suggested_filename == "ranking.csv"
    with open(started.value.path(), encoding="utf-8", newline="") as file:
        assert file.read() == ranking.read_bytes().decode()


def test_the_csv_holds_what_the_search_has_found(visit, srbct):
    page = visit(srbct)
    page.get_by_label("Search features").fill("V1")
    found = column(page, 1)
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV").click()
    with open(started.value.path(), encoding="utf-8") as file:
        assert [row["feature"] for row in csv.DictReader(file)] == found


def test_copy_puts_the_table_on_the_clipboard(visit, srbct):
    page = visit(srbct, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied.").wait_for()
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[0].split("\t")[:3] == ["rank", "feature", "sep"]
    assert [line.split("\t")[1] for line in lines[1:]] == column(page, 1)


def test_tooltips_come_with_pointer_and_keyboard(visit, srbct):
    page = visit(srbct)
    tip = page.get_by_role("tooltip")
    assert tip.count() == 0
    page.get_by_role("button", name="gain").hover()
    assert "added to Sep" in tip.text_content()
    page.keyboard.press("Escape")
    assert tip.count() == 0
    page.get_by_role("button", name="lambda_dis").focus()
    assert "nearest other one" in tip.text_content()
    page.locator("#plane-class-0 use").first.hover(force=True)
    assert tip.text_content().startswith("row ")


def test_reads_without_javascript(visit, srbct):
    page = visit(srbct, java_script_enabled=False)
    assert len(column(page, 1)) == 30
    assert page.locator(".tools").is_hidden()
    assert page.locator("#ranking-table button").count() == 0
    assert page.locator("#meaning").is_visible()
    assert page.locator("figure svg").first.bounding_box()["height"] > 100


@pytest.mark.parametrize("report", ["hostile", "srbct"])
@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_nothing_sticks_out(visit, request, report, options):
    path = request.getfixturevalue(report)
    page = visit(path if report == "srbct" else path[0], **options)
    width, shown = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= shown
    for figure in page.locator("figure .drawing").all():
        box = figure.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= shown


def luminance(color):
    """Relative luminance of ``rgb(r, g, b)`` by the rules for accessible contrast."""
    channels = [int(part) / 255 for part in color[4:-1].split(",")]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_in_light_and_dark(visit, srbct, scheme):
    page = visit(srbct, color_scheme=scheme)
    paper = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert (paper < 0.1) == (scheme == "dark")
    texts = ["body", ".lead", "a[href='#run']", "figcaption", "dt", "td"]
    for selector in [*texts, "figure svg text"]:
        rule = "fill" if "svg" in selector else "color"
        ink = page.evaluate(
            "([s, rule]) => getComputedStyle(document.querySelector(s))[rule]", [selector, rule]
        )
        light, dark = sorted([paper, luminance(ink)], reverse=True)
        assert (light + 0.05) / (dark + 0.05) > 4.5, selector


def test_prints_the_whole_ranking_without_the_tools(visit, srbct):
    paper = {"width": 690, "height": 980}  # A4 without its margins, at 96 dots per inch
    page = visit(srbct, color_scheme="dark", viewport=paper)
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= paper["width"]
    assert page.locator(".tools").is_hidden()
    assert page.locator("nav").is_hidden()
    assert luminance(page.evaluate("getComputedStyle(document.body).backgroundColor")) == 1
    heights = page.locator("#ranking .scroll").evaluate("e => [e.scrollHeight, e.clientHeight]")
    assert heights[0] == heights[1]


def test_every_control_is_reached_by_keyboard_and_has_a_name(visit, srbct):
    page = visit(srbct)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, a, [tabindex='0']")].filter(e =>
            !(e.textContent.trim() || e.labels?.length || e.getAttribute("aria-label"))).length"""
    )
    assert nameless == 0
    reached = set()
    for _ in range(120):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.innerText"))
    assert {"search", "copy", "download"} <= reached
