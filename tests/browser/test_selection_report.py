import csv
import re
from io import StringIO
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from PIL import Image

from report.pages import CLASSES, FEATURES, HOSTILE_CLASS, HOSTILE_FEATURE, hostile_data
from s2fs import S2FS, PairCover
from s2fs.cli import main
from s2fs.datasets import load_srbct
from s2fs.report import Report

SCORE = 8
PHONE = {"viewport": {"width": 360, "height": 780}, "device_scale_factor": 2, "is_mobile": True}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The report on a table with hostile names, made by the command line."""
    folder = tmp_path_factory.mktemp("hostile")
    data = hostile_data()
    table = StringIO()
    writer = csv.writer(table)
    writer.writerow([*FEATURES, "class"])
    rows = zip(data.X.tolist(), data.y, strict=True)
    writer.writerows([*row, CLASSES[q]] for row, q in rows)
    (folder / "data.csv").write_text(table.getvalue(), encoding="utf-8")
    command = f"select {folder}/data.csv --target class -k 8 --report {folder}/report.html"
    command += " --method s2fs"
    made = CliRunner().invoke(main, command)
    assert made.exit_code == 0, made.output
    return folder / "report.html"


@pytest.fixture(scope="module")
def fitted():
    data = load_srbct()
    return Report(S2FS(30).fit(data.X, data.y), data, title="SRBCT")


@pytest.fixture(scope="module")
def srbct(fitted, tmp_path_factory):
    return fitted.save(tmp_path_factory.mktemp("srbct") / "report.html")


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Twelve classes, long names, more than a thousand samples and pictures."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(12), 90)
    X = rng.normal(size=(1080, 12)) + np.eye(12)[y] * 2
    names = np.array([f"a class with quite a long name, number {q}" for q in range(12)])
    report = S2FS(4).fit(X, names[y]).report(X, names[y])
    return report.save(tmp_path_factory.mktemp("many") / "report.html")


def column(page, number):
    """What a column of the features shows, hidden rows left out."""
    rows = page.locator("#feature-table tbody tr:visible")
    cells = [row.locator("td, th").nth(number) for row in rows.all()]
    if number == 1:  # the whole name, which may be shown shorter
        return [cell.get_attribute("data-v") for cell in cells]
    return [cell.text_content() for cell in cells]


def slide(page, position):
    page.locator("#size").fill(str(position))


def test_opens_without_errors_or_requests(visit, srbct):
    page = visit(srbct)
    assert page.locator("h1").text_content() == "SRBCT"
    assert page.locator("section").count() == 9
    assert page.locator("figure svg:visible").count() == 6


def test_the_first_screen_says_which_how_many_how_good_how_sure_and_what_to_check(
    visit, srbct, fitted
):
    page = visit(srbct, viewport={"width": 1440, "height": 900})
    summary = fitted.summary
    start = summary["by_size"][summary["start"]]
    assert start["size"] == summary["size"] == 30
    screen = {
        "headline": page.get_by_text(summary["verdict"]["headline"]).first,
        "features": page.locator("#best tbody tr:visible").last,
        "differences": page.locator("svg.forest:visible"),
        "checks": page.locator(".checks li").last,
    }
    for part in screen.values():
        box = part.bounding_box()
        assert box["y"] + box["height"] < 900
    assert page.locator("#sizes-axes_1").bounding_box()["y"] < 700
    names = page.locator("#best tbody tr:visible th").all_text_contents()
    assert names == [row["name"] for row in summary["features"][:6]]
    for line, row in zip(page.locator("#best tbody tr").all(), summary["features"], strict=False):
        text = line.text_content()
        assert row["stands_out"].split(" in ")[0] in text
        assert f"{row['auc']:.2f}" in text
        assert f"{100 * row['frequency']:.0f}\xa0%" in text
        assert line.locator("svg.strip path").count() == 4
    shown = page.locator("svg.forest:visible .row")
    for line, row in zip(shown.all(), start["forest"], strict=True):
        assert line.locator(".text").text_content() == row["text"]
        assert line.locator(".word").text_content() == row["word"]
    words = {True: "✓ Passed:", False: "! Look at this:"}
    checks = [" ".join(line.split()) for line in page.locator(".checks li").all_text_contents()]
    for line, check in zip(checks, summary["checks"], strict=True):
        assert line.startswith(f"{words[check['passed']]} {check['text']}")
    for link in page.locator(".checks a").all():
        assert page.locator(link.get_attribute("href")).count() == 1


def forest_places(page):
    """Dots and intervals of the forest plot in points, read from the drawing."""
    plot = page.locator("svg.forest:visible")
    left, scale, low = (
        float(plot.get_attribute(f"data-{name}")) for name in ("left", "scale", "low")
    )
    places = []
    for row in plot.locator(".row").all():
        start, end = row.locator(".interval").get_attribute("d")[1:].split("H")
        xs = [float(row.locator(".mean").get_attribute("cx")), float(start.split()[0]), float(end)]
        places.append([(x - left) / scale + low for x in xs])
    return places


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_the_forest_plot_is_drawn_to_scale_and_moves(visit, srbct, fitted, options):
    page = visit(srbct, **options)
    for position in (fitted.summary["start"], 0):
        slide(page, position)
        for row, found in zip(
            fitted.summary["by_size"][position]["forest"], forest_places(page), strict=True
        ):
            assert found == pytest.approx([row["mean"], row["low"], row["high"]], abs=0.3)


@pytest.mark.parametrize("report", ["srbct", "hostile", "many"])
@pytest.mark.parametrize("options", [{}, PHONE, {"color_scheme": "dark"}], ids=str)
def test_axe_finds_no_violation(visit, request, report, options):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    # Pages forbid scripts that are not their own; axe-core is one of ours here.
    page = visit(request.getfixturevalue(report), bypass_csp=True, **options)
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_hostile_names_are_shown_as_text(visit, hostile):
    page = visit(hostile)
    assert set(column(page, 1)) == set(FEATURES)
    page.get_by_text("What was run").click()
    assert page.locator(".classes .name").all_text_contents() == sorted(CLASSES)
    assert HOSTILE_CLASS[:5] in page.locator("#heatmap svg").first.text_content()
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 1
    slide(page, 0)
    assert len(column(page, 1)) == 1


def test_a_script_that_is_not_ours_does_not_run(browser, hostile):
    """The names are escaped; if they were not, the policy of the page would still hold."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(hostile.as_uri())
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


def test_the_slider_moves_verdict_tiles_table_and_confusion(visit, srbct, fitted):
    page = visit(srbct)
    sizes = fitted.summary["by_size"]
    start = fitted.summary["start"]
    assert page.locator("#size").input_value() == str(start)
    assert start < len(sizes) - 1
    page.locator("#size").focus()
    page.keyboard.press("Home")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    now = sizes[2]
    assert page.locator("#size-out").text_content() == str(now["size"]) == "5"
    heard = page.locator("#size").get_attribute("aria-valuetext")
    assert heard == now["heard"] == f"5 features: accuracy {now['value_text']}".replace("\xa0", " ")
    assert page.locator("#heard").text_content() == now["headline"]
    assert page.locator(".verdict strong").text_content() == now["headline"]
    tiles = page.locator(".tiles b").all_text_contents()
    assert tiles == [tile["text"] for tile in now["tiles"]]
    assert {now["value_text"], now["stability_text"]} < set(tiles)
    assert column(page, 0) == ["1", "2", "3", "4", "5"]
    assert page.locator("#best tbody tr:visible").count() == 5
    open_checks = page.locator("#open-checks li").all_text_contents()
    told = [f"! Look at this: {one['text']}" for one in now["checks"] if not one["passed"]]
    assert [" ".join(line.removesuffix("→").split()) for line in open_checks] == told
    n_passed = len(now["checks"]) - len(told)
    assert page.locator("#passed-checks li").count() == n_passed
    assert f"{n_passed} checks passed" in page.locator("details.checks summary").text_content()
    assert page.locator(".verdict span").first.text_content() == now["rest"]
    mistakes = page.locator(".mistakes li").all_text_contents()
    listed = now["misclassified"]["rows"]
    told = [f"{one['sample']} {one['n_wrong']} of {one['n_repeats']}" for one in listed]
    assert mistakes == told
    assert page.locator("#mistakes li").count() == min(8, len(told))
    titles = page.locator(".mistakes h4").all_text_contents()
    assert set(titles) == {f"{one['class']}, predicted {one['predicted']}" for one in listed}
    assert len(mistakes) > 2
    assert page.locator("[data-misclassified=total]").text_content() == str(len(mistakes))
    rates = page.locator("#rates tbody tr")
    for line, row in zip(rates.all(), now["rates"], strict=True):
        texts = line.locator("td").all_text_contents()
        assert texts[1:] == [row["recall"], row["precision"], row["mostly"]]
    assert page.get_by_text(now["hardest_text"]).is_visible()
    for line, row in zip(page.locator(".beside tbody tr").all(), now["rows"], strict=True):
        texts = line.locator("td").all_text_contents()
        assert line.locator("th").text_content() == row["name"]
        assert texts == row["texts"]
    cells = page.locator("#confusion tbody tr")
    shown = [
        [of, said, float(text)]
        for of, row in enumerate(cells.all())
        for said, text in enumerate(row.locator("td").all_text_contents())
        if text
    ]
    assert shown == now["confusion"]
    page.keyboard.press("End")
    assert len(column(page, 0)) == 30


def test_sorts_by_numbers_and_by_names(visit, srbct, fitted):
    page = visit(srbct)
    score = {row["name"]: row["score"] for row in fitted.summary["features"]}
    heading = page.locator("#feature-table thead th").nth(SCORE)
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert column(page, 1) == sorted(score, key=score.get)
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert column(page, 1) == sorted(score, key=score.get, reverse=True)

    names = page.locator("#feature-table thead th").nth(1)
    names.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert names.get_attribute("aria-sort") == "ascending"
    assert heading.get_attribute("aria-sort") is None
    in_order = page.evaluate(
        """names => names.sort(new Intl.Collator("en", { numeric: true }).compare)""", [*score]
    )
    assert column(page, 1) == in_order


def test_components_are_behind_a_switch(visit, srbct, fitted):
    page = visit(srbct)
    gain = page.locator("#feature-table thead th", has_text="Gain")
    assert gain.is_hidden()
    page.get_by_role("checkbox", name="Components").check()
    gain.get_by_role("button").click()
    gains = [float(text.replace("−", "-")) for text in column(page, SCORE + 2)]
    assert gains == sorted(gains)
    assert gains[0] < 0 < gains[-1]
    page.get_by_role("checkbox", name="Components").uncheck()
    assert gain.is_hidden()


def test_search_finds_parts_of_names(visit, srbct):
    page = visit(srbct)
    every = column(page, 1)
    page.get_by_label("Search").fill("cd")
    expected = [name for name in every if "CD" in name]
    assert 0 < len(expected) < len(every)
    assert column(page, 1) == expected
    assert page.locator("#status").text_content() == f"{len(expected)} of 30 features"
    page.get_by_label("Search").fill("no such gene")
    assert column(page, 1) == []
    page.get_by_label("Search").fill("")
    assert column(page, 1) == every


def test_search_takes_hostile_text_literally(visit, hostile):
    page = visit(hostile)
    page.get_by_label("Search").fill("<script>alert(1)")
    assert column(page, 1) == [HOSTILE_FEATURE]


def download(page):
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV", exact=True).click()
    assert started.value.suggested_filename == "features.csv"
    with open(started.value.path(), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_csv_has_every_number(visit, srbct, fitted):
    page = visit(srbct)
    found = download(page)
    names = fitted.summary["components"]
    for row, feature in zip(found, fitted.summary["features"], strict=True):
        assert row["feature"] == feature["name"]
        assert float(row["score"]) == feature["score"]
        assert float(row["r"]) == feature["correlated_r"]
        assert row["most_correlated"] == feature["correlated_with"]
        assert row["stands_out"] == feature["stands_out"]
        assert float(row["auc"]) == feature["auc"]
        assert float(row["selection_frequency"]) == feature["frequency"]
        assert [float(row[name]) for name in names] == feature["components"]
    page.get_by_label("Search").fill("CD")
    assert [row["feature"] for row in download(page)] == column(page, 1)


def test_no_name_of_the_csv_is_a_formula(visit, hostile):
    names = {row["feature"] for row in download(visit(hostile))}
    assert names == {name if name != "=1+1" else "'=1+1" for name in FEATURES}


def test_names_and_python_are_copied(visit, srbct, fitted):
    page = visit(srbct, permissions=["clipboard-read", "clipboard-write"])
    slide(page, 3)
    page.get_by_role("button", name="Copy names").click()
    page.get_by_text("Copied.").wait_for()
    names = [row["name"] for row in fitted.summary["features"]]
    n = fitted.summary["by_size"][3]["size"]
    assert page.evaluate("navigator.clipboard.readText()").splitlines() == names[:n]
    page.get_by_role("button", name="Copy as Python").click()
    data = load_srbct()
    space = {"X": data.X, "y": data.y}
    page.wait_for_function("navigator.clipboard.readText().then(t => t.includes('import'))")
    exec(page.evaluate("navigator.clipboard.readText()"), space)
    chosen = [data.feature_names[f] for f in space["selector"].indices_]
    assert chosen == names


def test_the_arrow_keys_walk_through_the_table(visit, srbct):
    page = visit(srbct)
    page.locator("#feature-table tbody tr").first.focus()
    rank = "document.activeElement.cells[0].textContent"
    for key, expected in {"ArrowDown": "2", "End": "30", "ArrowUp": "29", "Home": "1"}.items():
        page.keyboard.press(key)
        assert page.evaluate(rank) == expected
    assert page.locator("#feature-table tbody tr[tabindex='0']").count() == 1


def test_tooltips_come_with_pointer_and_keyboard(visit, srbct):
    page = visit(srbct)
    tip = page.get_by_role("tooltip")
    assert tip.count() == 0
    page.get_by_role("button", name="Selected in").hover()
    assert "inside the folds" in tip.text_content()
    page.keyboard.press("Escape")
    assert tip.count() == 0
    page.get_by_role("button", name="Closest").focus()
    assert "correlates most" in tip.text_content()
    page.locator("#sizes-line-0 use").first.hover(force=True)
    assert tip.text_content().startswith("1 feature: ")


def test_reads_without_javascript(visit, srbct):
    page = visit(srbct, java_script_enabled=False)
    assert len(column(page, 1)) == 30
    assert page.locator(".tools:visible").count() == 0
    assert page.locator(".slider").is_hidden()
    assert page.locator("#feature-table button").count() == 0
    assert page.locator("#details").is_visible()
    assert page.locator("figure svg").first.bounding_box()["height"] > 100


@pytest.mark.parametrize("report", ["hostile", "srbct", "many"])
@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_nothing_sticks_out(visit, request, report, options):
    page = visit(request.getfixturevalue(report), **options)
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
def test_text_and_dots_have_contrast_in_light_and_dark(visit, srbct, scheme):
    page = visit(srbct, color_scheme=scheme)
    paper = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert (paper < 0.1) == (scheme == "dark")
    inks = {
        **dict.fromkeys(["body", ".facts", ".bar a", "figcaption", "dt", "td"], ("color", 4.5)),
        "figure svg text": ("fill", 4.5),
        **{f".strip .c{q}": ("stroke", 3) for q in range(4)},
    }
    for selector, (rule, least) in inks.items():
        ink = page.evaluate(
            "([s, rule]) => getComputedStyle(document.querySelector(s))[rule]", [selector, rule]
        )
        light, dark = sorted([paper, luminance(ink)], reverse=True)
        assert (light + 0.05) / (dark + 0.05) > least, selector


def test_prints_on_few_pages_without_the_tools(visit, srbct, tmp_path):
    page = visit(srbct, color_scheme="dark")
    page.emulate_media(media="print")
    assert page.locator(".tools:visible").count() == 0
    assert page.locator("nav").is_hidden()
    assert luminance(page.evaluate("getComputedStyle(document.body).backgroundColor")) == 1
    printed = page.pdf(format="A4")
    assert 1 <= printed.count(b"/Type /Page\n") <= 9


def test_every_control_is_reached_by_few_steps_of_the_keyboard(visit, srbct):
    page = visit(srbct)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, a, [tabindex='0']")].filter(e =>
            !(e.textContent.trim() || e.labels?.length || e.getAttribute("aria-label"))).length"""
    )
    assert nameless == 0
    reached, n = set(), 0
    while page.evaluate("document.activeElement.textContent") != "BibTeX" and n < 80:
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.innerText"))
        n += 1
    assert n < 80  # no data points among the tab stops
    assert {"size", "search", "copy-names", "copy-python", "download"} <= reached


def test_the_section_bar_stays_and_landmarks_differ(visit, srbct):
    page = visit(srbct)
    page.locator("#details").scroll_into_view_if_needed()
    assert page.locator("nav.bar").bounding_box()["y"] == 0
    names = page.evaluate(
        """() => [...document.querySelectorAll("section, nav, [role=region]")].map(e => e.ariaLabel
            ?? document.getElementById(e.getAttribute("aria-labelledby")).textContent)"""
    )
    assert len(names) == len(set(names))
    inner = page.evaluate(
        """() => [...document.querySelectorAll(".sideways")].some(e =>
            e.scrollHeight > e.clientHeight + 1)"""
    )
    assert not inner  # 30 rows need no scroll box


def test_a_notebook_shows_it_in_a_frame(visit, fitted, tmp_path):
    notebook = tmp_path / "cell.html"
    notebook.write_text(f"<!doctype html><body>{fitted._repr_html_()}</body>", encoding="utf-8")
    page = visit(notebook)
    frame = page.frame_locator("iframe")
    assert frame.locator("h1").text_content() == "SRBCT"
    frame.locator("#size").fill("0")
    assert frame.locator("#size-out").text_content() == "1"


@pytest.fixture(scope="module")
def long_names(tmp_path_factory):
    """Two classes named 0 and 1, names of 70 characters, and two features that are the same."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [7, 33])
    X = rng.normal(size=(40, 60)) + y[:, None] * rng.random(60) * 1.5
    best = PairCover(1).fit(X, y).indices_[0]
    X[:, (best + 1) % 60] = 2 * X[:, best]
    names = [
        f"ENSG00000{i:06d}|Homo sapiens chromosome 21 open reading frame {i}, transcript"
        for i in range(60)
    ]
    frame = pd.DataFrame(X, columns=names)
    report = (
        PairCover(15, include=[names[best], names[(best + 1) % 60]]).fit(frame, y).report(frame, y)
    )
    return report, report.save(tmp_path_factory.mktemp("long") / "report.html")


@pytest.fixture(scope="module")
def forty(tmp_path_factory):
    """Forty classes with long names."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(40), 8)
    X = (rng.normal(size=(40, 30)) * 1.2)[y] + rng.normal(size=(320, 30))
    names = np.array([f"Subject {q:02d} of the second cohort of 2021" for q in range(40)])
    report = PairCover(12).fit(X, names[y]).report(X, names[y])
    return report, report.save(tmp_path_factory.mktemp("forty") / "report.html")


def test_long_names_are_short_on_the_page_and_whole_in_the_csv(visit, long_names):
    report, path = long_names
    page = visit(path)
    rows = page.locator("#feature-table tbody tr:visible")
    assert max(row.bounding_box()["height"] for row in rows.all()) < 60
    labels = [row.locator("th").text_content() for row in rows.all()]
    assert len(set(labels)) == len(labels)
    whole = [row["name"] for row in report.summary["features"]]
    assert [row["feature"] for row in download(page)] == whole[: len(labels)]
    page.locator("#best tbody th").first.hover()
    assert page.get_by_role("tooltip").text_content() == whole[0]
    ticks = page.locator("#redundancy figure svg text").all_text_contents()
    named = [text for text in ticks if "…" in text]
    assert len(named) == 2 * len(set(named))  # each once below and once beside the map
    assert "class 0: n = 7" in page.locator(".facts").first.text_content()


def test_features_that_say_the_same_are_a_group_to_copy(visit, long_names):
    report, path = long_names
    page = visit(path, permissions=["clipboard-read", "clipboard-write"])
    slide(page, len(report.summary["by_size"]) - 1)
    groups = report.summary["by_size"][-1]["groups"]
    assert page.locator(".groups li").count() == len(groups) >= 1
    page.get_by_role("button", name="Copy one per group").click()
    page.locator("#groups-status", has_text="Copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert copied == report.summary["redundant"]["one_per_group"]
    assert len(copied) < 15


def test_of_forty_classes_the_ten_worst_come_first(visit, forty):
    report, path = forty
    page = visit(path)
    rows = page.locator("#rates tbody tr:visible")
    assert rows.count() == 10
    recalls = [float(row.locator("td").nth(1).text_content()) for row in rows.all()]
    start = report.summary["by_size"][report.summary["start"]]
    assert recalls == sorted(float(row["recall"]) for row in start["rates"])[:10]
    page.get_by_role("button", name="Show all 40 classes").click()
    assert rows.count() == 40
    page.get_by_text("Confusion matrix of all 40 classes").click()
    cut = page.evaluate(
        """() => [...document.querySelectorAll("#confusion th")].filter(e =>
            e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1).length"""
    )
    assert cut == 0
    assert page.locator(".chip").count() == 0
    labels = page.locator("#tree-axes_1 text").all_text_contents()
    assert sum("Subject" in label for label in labels) == 40


@pytest.mark.parametrize("report", ["long_names", "forty"])
@pytest.mark.parametrize("options", [{}, PHONE, {"color_scheme": "dark"}], ids=str)
def test_any_data_is_accessible_and_fits(visit, request, report, options):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    made, path = request.getfixturevalue(report)
    assert len(made.html) < 600_000
    page = visit(path, bypass_csp=True, **options)
    width, shown = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= shown
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_type_in_figures_can_be_read_on_a_telephone(visit, srbct):
    page = visit(srbct, **PHONE)
    sizes = page.evaluate(
        """() => [...document.querySelectorAll("figure svg text")].map(e => {
            const box = e.getBoundingClientRect(), turned = e.getScreenCTM();
            const size = parseFloat(getComputedStyle(e).fontSize);
            return box.width ? size * Math.hypot(turned.a, turned.b) : 99;
        })"""
    )
    assert len(sizes) > 100
    assert min(sizes) > 7
    drawings = page.locator("figure .drawing:visible")
    assert drawings.count() == 6
    for drawing in drawings.all():
        box = drawing.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360


@pytest.mark.parametrize("kind", ["SVG", "PNG"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_figure_is_taken_along(visit, srbct, kind, scheme):
    page = visit(srbct, color_scheme=scheme)
    names = page.locator("figure[data-name]").evaluate_all("all => all.map(e => e.dataset.name)")
    assert names == ["differences", "sizes", "roc", "heatmap", "plane", "redundancy"]
    for name in names:
        with page.expect_download() as started:
            page.get_by_role("button", name=f"Save the figure {name} as {kind}").click()
        assert started.value.suggested_filename == f"{name}.{kind.lower()}"
        path = started.value.path()
        if kind == "SVG":
            text = path.read_text("utf-8")
            root = ElementTree.fromstring(text)
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            drawn = [part for part in root.iter() if part.tag.endswith("path")]
            assert drawn
            assert not [part for part in drawn if "var(" in part.get("style", "")]
        else:
            picture = np.asarray(Image.open(path).convert("RGB"), dtype=int)
            assert picture.shape[1] >= 1200
            corner = picture[2, 2]
            assert (corner.mean() > 250) == (scheme == "light")
            assert (np.abs(picture - corner).max(axis=2) > 60).mean() > 0.002  # there is ink on it


def test_the_paragraph_is_copied_for_the_paper(visit, srbct, fitted):
    page = visit(srbct, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy for the paper").click()
    page.locator("#methods-status", has_text="Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").strip() == fitted.summary["methods"]


def test_print_keeps_colours_shading_methods_and_provenance(visit, srbct, fitted, tmp_path):
    page = visit(srbct, color_scheme="dark")
    page.emulate_media(media="print")
    style = """([s, rule]) => getComputedStyle(document.querySelector(s)).getPropertyValue(rule)"""
    assert page.evaluate(style, ["#confusion td.right", "print-color-adjust"]) == "exact"
    assert "0.3" in page.evaluate(style, ["#confusion td.right", "background-color"])
    # The colours of the classes are those of white paper.
    assert page.evaluate(style, [".strip .c0", "stroke"]) == "rgb(3, 59, 201)"
    assert page.evaluate(style, ["#feature-table thead", "display"]) == "table-header-group"
    for text in ("SHA-256 of values and classes", fitted.summary["methods"], "arXiv 2509.25841"):
        assert page.get_by_text(text).first.bounding_box()["height"] > 5
    page.pdf(path=tmp_path / "report.pdf")
    pages = re.findall(rb"/Type\s*/Page\b", (tmp_path / "report.pdf").read_bytes())
    assert 3 <= len(pages) <= 10


def test_tables_show_that_they_go_on(visit, srbct):
    """On a telephone a shadow at the edge tells that a table can be moved sideways."""
    page = visit(srbct, **PHONE)
    region = page.get_by_role("region", name="Table of the features")
    assert region.evaluate("e => e.scrollWidth > e.clientWidth")
    assert "gradient" in region.evaluate("e => getComputedStyle(e).backgroundImage")
    before = page.locator("#feature-table tbody th").first.bounding_box()["x"]
    region.evaluate("e => { e.scrollLeft = 400; }")
    assert 0 <= page.locator("#feature-table tbody th").first.bounding_box()["x"] <= before


@pytest.mark.parametrize("report", ["srbct", "hostile", "many"])
def test_tables_fit_a_desk_and_the_first_one_a_telephone(visit, request, report):
    fits = "e => e.scrollWidth <= e.clientWidth"
    path = request.getfixturevalue(report)
    page = visit(path, viewport={"width": 1440, "height": 900})
    for name in ("The first features", "Table of scores", "Table of the features"):
        assert page.get_by_role("region", name=name).evaluate(fits), name
    page = visit(path, **PHONE)
    assert page.get_by_role("region", name="The first features").evaluate(fits)


@pytest.mark.parametrize("report", ["srbct", "hostile"])
@pytest.mark.parametrize("options", [{"viewport": {"width": 1440, "height": 900}}, PHONE], ids=str)
def test_no_word_leaves_the_forest_plot(visit, request, report, options):
    """Also with the longest words: each row says that the two cannot be told apart."""
    page = visit(request.getfixturevalue(report), **options)
    widths = page.locator("svg.forest:visible").evaluate(
        """plot => {
            const longest = "−22.2 (−66.6 to −88.8)";
            for (const e of plot.querySelectorAll(".text")) e.textContent = longest;
            for (const e of plot.querySelectorAll(".word")) {
                e.textContent = e.closest(".row").dataset.word = "cannot be told apart";
            }
            const place = plot.getBoundingClientRect();
            return [...plot.querySelectorAll("text")].map(e => e.getBoundingClientRect())
                .map(box => Math.max(place.left - box.left, box.right - place.right));
        }"""
    )
    assert len(widths) > 10
    assert max(widths) <= 1


def test_one_feature_is_not_called_features(visit, srbct):
    page = visit(srbct)
    slide(page, 0)
    label = " ".join(page.locator("label[for=size]").text_content().split())
    assert label.startswith("First 1 feature: ")
    assert page.locator("#size").get_attribute("aria-valuetext").startswith("1 feature: ")
    assert page.locator(".beside caption").text_content().startswith("With 1 feature each")
    slide(page, 1)
    assert page.locator("#size-word").text_content() == "features"


@pytest.fixture(scope="module")
def cohort(tmp_path_factory):
    """Counts of six classes, two samples of each patient, two batches, and a value missing."""
    rng = np.random.default_rng(0)
    y = np.repeat(list("ABCDEF"), 20)
    rates = 2.0 + 6 * (rng.random((6, 80)) < 0.1)
    table = pd.DataFrame(rng.poisson(np.repeat(rates, 20, axis=0)).astype(float)).add_prefix("gene")
    table.iloc[3, 5] = np.nan
    table["patient"] = [f"p{i // 2}" for i in range(120)]
    table["batch"] = np.array(["one", "two"])[rng.integers(0, 2, 120)]
    table["kind"] = y
    folder = tmp_path_factory.mktemp("cohort")
    table.to_csv(folder / "cohort.csv", index=False)
    command = f"select {folder}/cohort.csv -t kind -k 8 --group patient --covariate batch"
    command += f" --impute median --report {folder}/report.html"
    made = CliRunner().invoke(main, command)
    assert made.exit_code == 0, made.output
    return folder / "report.html"


@pytest.fixture(scope="module")
def single(tmp_path_factory):
    """One feature of two classes."""
    rng = np.random.default_rng(0)
    y = np.array(["benign", "malignant"])[np.arange(60) % 2]
    X = rng.normal(size=(60, 5)) + (y == "malignant")[:, None] * [1.5, 0, 0, 0, 0]
    report = PairCover(1).fit(X, y).report(X, y)
    return report.save(tmp_path_factory.mktemp("single") / "report.html")


WIDTHS = {
    1440: {"viewport": {"width": 1440, "height": 900}},
    1024: {"viewport": {"width": 1024, "height": 768}},
    390: {"viewport": {"width": 390, "height": 844}, "is_mobile": True},
}


@pytest.mark.parametrize("width", WIDTHS)
def test_no_column_is_cut(visit, srbct, cohort, single, width):
    """On a telephone wide tables go sideways; the first one never has to."""
    for path in (srbct, cohort, single):
        page = visit(path, **WIDTHS[width])
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        names = ["The first features"]
        if width > 390:
            names += ["Table of scores", "Table of the features"]
        for name in names:
            cut = """e => [e, ...e.querySelectorAll("td, th")].filter(
                part => part.scrollWidth > part.clientWidth + 1).map(part => part.textContent)"""
            assert page.get_by_role("region", name=name).evaluate(cut) == [], (name, width)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_first_line_says_of_whom_and_what_is_missing(visit, cohort, width):
    page = visit(cohort, **WIDTHS[width])
    line = page.locator(".facts").first.text_content()
    for fact in (
        "120 samples of 60 patients",
        "adjusted for batch",
        "0.01 % of the values missing",
    ):
        assert fact in line


@pytest.mark.parametrize("width", WIDTHS)
def test_the_card_of_a_row_has_its_near_equivalents(visit, fitted, srbct, width):
    page = visit(srbct, **WIDTHS[width])
    rows = fitted.summary["features"]
    i, feature = next((i, row) for i, row in enumerate(rows) if len(row["substitutes"]) > 3)
    row = page.locator("#feature-table tbody tr").nth(i)
    assert not row.get_by_text("Near-equivalents").is_visible()
    row.evaluate("e => { e.tabIndex = -1; e.focus(); }")
    page.keyboard.press("Enter")
    text = row.locator("details").text_content()
    assert row.get_by_text("Near-equivalents").is_visible()
    assert text.startswith(f"{feature['correlated_label']} {feature['correlated_r']:.2f}")
    for one in feature["substitutes"][:3]:
        assert f"{one['label']} {one['r']:.2f}".replace("-", "−") in text
    assert f"and {len(feature['substitutes']) - 3} more." in text


@pytest.mark.parametrize("width", WIDTHS)
def test_strips_of_many_classes_are_wide_and_have_an_axis(visit, cohort, width):
    page = visit(cohort, **WIDTHS[width])
    strips = page.locator("#feature-table .strip")
    assert strips.first.get_attribute("width") == "268"
    ends = page.locator("#feature-table .ends").first.locator("span").all_text_contents()
    assert int(ends[0]) < int(ends[1])
    assert strips.first.locator("path.axis").count() == 1
    assert strips.first.locator("path").count() == 7


@pytest.mark.parametrize("width", WIDTHS)
def test_of_one_feature_nothing_empty_is_shown(visit, single, width):
    page = visit(single, **WIDTHS[width])
    assert page.locator("#redundancy, [data-name=plane], [data-name=redundancy]").count() == 0
    assert page.get_by_text("One feature spans no plane of the samples").is_visible()
    empty = page.evaluate(
        """() => [...document.querySelectorAll("section")].filter(e =>
            e.getBoundingClientRect().height > 0 && e.innerText.trim().split("\\n").length < 2)
            .map(e => e.id)"""
    )
    assert empty == []
    for link in page.locator(".bar a, .checks a").all():
        assert page.locator(link.get_attribute("href")).count() == 1
    labels = page.locator(".tiles dt").all_text_contents()
    assert "Sensitivity for malignant" in labels
    assert "Specificity for malignant" in labels


def test_samples_of_the_plane_say_their_names(visit, fitted, srbct):
    page = visit(srbct)
    page.locator("[data-name=plane]").scroll_into_view_if_needed()
    page.locator("#plane-class-0 use").first.hover()
    data = load_srbct()
    first = data.sample_ids[int(np.flatnonzero(data.y == 0)[0])]
    assert page.get_by_role("tooltip").text_content().startswith(f"{first}: BL")
    rings = page.locator("#plane-misclassified use").count()
    assert rings == fitted.summary["misclassified"]["total"]


def test_the_panel_is_downloaded_with_every_digit(visit, fitted, srbct):
    page = visit(srbct)
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV of the panel").click()
    assert started.value.suggested_filename == "panel.csv"
    with open(started.value.path(), encoding="utf-8", newline="") as file:
        *rows, intercept = csv.DictReader(file)
    panel = fitted.summary["panel"]
    for row, one, feature in zip(rows, panel["rows"], fitted.summary["features"], strict=True):
        assert row["feature"] == feature["name"]
        assert (float(row["centre"]), float(row["sd"])) == (one["centre"], one["sd"])
        found = [float(row[f"coefficient {name}"]) for name in panel["coefficients_of"]]
        assert found == one["coefficients"]
    found = [float(intercept[f"coefficient {name}"]) for name in panel["coefficients_of"]]
    assert found == panel["intercepts"]


@pytest.mark.parametrize("report", ["cohort", "single"])
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_at_any_width(visit, request, report, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = visit(request.getfixturevalue(report), bypass_csp=True, **WIDTHS[width])
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
