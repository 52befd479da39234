"""The built pages in a real browser: accessible, complete, and nothing from elsewhere.

``make docs`` builds them; where they are not built, there is nothing to test.
"""

from pathlib import Path

import pytest

BUILT = Path(__file__).parents[2] / "docs" / "_build" / "html"
#: The front page, and pages of formulas, of side-by-side code, of tables and of the reference.
PAGES = (
    "index",
    "start",
    "report",
    "which",
    "faq",
    "criterion",
    "choosing",
    "howto",
    "unseen",
    "reproduction",
    "reference/s2fs.S2FS",
)
DESKTOP = {"viewport": {"width": 1440, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 800}}
DARK = {**DESKTOP, "color_scheme": "dark"}

pytestmark = pytest.mark.skipif(not (BUILT / "index.html").exists(), reason="run make docs first")


@pytest.fixture
def visit_built(browser):
    """Open a built page; in the end nothing may have failed, or been asked of the network."""
    contexts, trouble, requests = [], [], []

    def noted(message):
        if message.type in ("error", "warning"):
            trouble.append(message.text)

    def open_page(name, **options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.on("console", noted)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("requestfailed", lambda request: trouble.append(f"not found: {request.url}"))
        page.on("request", lambda request: requests.append(request.url))
        page.goto((BUILT / f"{name}.html").as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []
    home = (BUILT.as_uri() + "/", "data:")
    assert [url for url in requests if not url.startswith(home)] == []


#: Every page on a desk and a telephone; the first ones, which have all elements, in dark, too.
AXE_VIEWS = [
    *(pytest.param(name, DESKTOP, id=f"{name}-desktop") for name in PAGES),
    *(pytest.param(name, PHONE, id=f"{name}-phone") for name in PAGES),
    *(pytest.param(name, DARK, id=f"{name}-dark") for name in PAGES[:4]),
]


@pytest.mark.parametrize(("name", "options"), AXE_VIEWS)
def test_axe_finds_no_violation(visit_built, name, options):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = visit_built(name, **options)
    # Without this, axe reads the style sheets again, which a browser forbids for files.
    found = axe.Axe().run(page, options={"preload": False})
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("options", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", PAGES)
def test_no_page_scrolls_sideways(visit_built, name, options):
    page = visit_built(name, **options)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_formulas_are_drawn(visit_built):
    page = visit_built("criterion", **DESKTOP)
    formulas = page.locator(".formula math")
    assert formulas.count() >= 7
    assert all(box.bounding_box()["height"] > 20 for box in formulas.all())
    assert page.locator(".formula .number").all_inner_texts()[:2] == ["(7)", "(13)"]


def test_code_is_copied_and_output_is_not(visit_built):
    page = visit_built("index", **DESKTOP, permissions=["clipboard-read", "clipboard-write"])
    code = page.locator(".highlight-python").first
    code.hover()
    code.locator("button.copybtn").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == code.locator("pre").inner_text().strip()
    assert page.locator(".highlight-text button.copybtn").count() == 0


def test_one_can_read_on_from_page_to_page(visit_built):
    page = visit_built("start", **DESKTOP)
    page.locator("a.right-next").click()
    assert page.url.endswith("files.html")
    page.locator("a.left-prev").click()
    assert page.url.endswith("start.html")


def test_nothing_is_cut_on_a_desk(visit_built):
    """No table and no line of code of any page is wider than its place."""
    pages = {path.stem for path in BUILT.glob("*.html")}
    made = {"genindex", "py-modindex", "search", "example-report"}
    page = visit_built("index", **DESKTOP)
    cut = {}
    for name in sorted(pages - made):
        page.goto((BUILT / f"{name}.html").as_uri())
        cut[name] = page.evaluate(
            """() => [...document.querySelectorAll(
                ".bd-article .pst-scrollable-table-container, .bd-article pre")]
                .filter(e => e.scrollWidth>e.clientWidth+1).map(e => e.innerText.slice(0, 60))"""
        )
    assert len(cut) > 20
    assert {name: parts for name, parts in cut.items() if parts} == {}


@pytest.mark.parametrize("name", PAGES)
def test_no_link_is_inside_a_link(visit_built, name):
    page = visit_built(name, **DESKTOP)
    assert page.locator(".bd-article a a").count() == 0


def test_figures_are_not_dimmed_on_dark_paper(visit_built):
    page = visit_built("report", **DARK)
    filters = page.locator(".bd-article img").evaluate_all(
        "all => all.map(e => getComputedStyle(e).filter)"
    )
    assert len(filters) >= 4
    assert set(filters) == {"none"}


@pytest.mark.parametrize(("options", "picture"), [(DESKTOP, "report"), (DARK, "report-dark")])
def test_the_front_page_shows_the_report_on_its_own_paper(visit_built, options, picture):
    page = visit_built("index", **options)
    (shown,) = page.locator(".shot img:visible").all()
    assert shown.get_attribute("src") == f"_images/{picture}.png"
    assert shown.evaluate("e => e.naturalWidth") == 1440


def test_formulas_have_a_font_of_their_own(visit_built):
    page = visit_built("criterion", **DESKTOP)
    page.evaluate("document.fonts.ready")
    assert page.evaluate("document.fonts.check('16px \"s2fs math\"')")
    loaded = "[...document.fonts].filter(f => f.status === 'loaded').map(f => f.family)"
    assert any("s2fs math" in family for family in page.evaluate(loaded))


def test_the_picture_of_the_front_page_leads_to_the_page_itself(visit_built):
    page = visit_built("index", **DESKTOP)
    page.locator(".shot a").click()
    page.wait_for_url("**/example-report.html")
    assert page.locator("#best tbody tr:visible").count() == 6
    page.locator("#size").fill("0")
    assert page.locator("#best tbody tr:visible").count() == 1


#: What users ask first: a card of the front page, then a heading of its page that answers.
QUESTIONS = {
    "start with my CSV": ("Your file", "What can be read"),
    "better than SelectKBest": ("Questions and answers", "Is it better than SelectKBest?"),
    "in a Pipeline": ("How-tos", "Use it in a pipeline"),
    "several samples per patient": ("Questions and answers", "Several samples of one patient?"),
    "predict new samples": ("The panel", "Fit, predict, keep"),
    "MLflow": ("Questions and answers", "Can I keep the model with joblib or MLflow?"),
    "Windows": ("Questions and answers", "Does it run on Windows and macOS?"),
    "R": ("Questions and answers", "Can I use it from R?"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_users_ask_is_two_clicks_away(visit_built, question):
    card, heading = QUESTIONS[question]
    page = visit_built("index", **DESKTOP)
    page.locator(".cards").get_by_role("link", name=card).click()
    page.locator(".bd-sidebar-secondary, .bd-toc").get_by_text(heading, exact=True).click()
    assert page.locator(":is(h2, h3):visible", has_text=heading).count() >= 1


def test_the_words_of_a_verdict_are_two_clicks_away(visit_built):
    page = visit_built("index", **DESKTOP)
    page.locator(".cards").get_by_role("link", name="glossary").click()
    assert page.locator("dt#term-cannot-be-told-from").is_visible()


@pytest.mark.parametrize(
    ("words", "place"),
    [("cannot be told from", "glossary.html#term-cannot-be-told-from"), ("csv", "files.html")],
)
def test_search_works_without_a_network(visit_built, words, place):
    page = visit_built("search", **DESKTOP)
    page.goto(f"{(BUILT / 'search.html').as_uri()}?q={words.replace(' ', '+')}")
    first = page.locator("#search-results li > a").first
    first.wait_for()
    assert first.get_attribute("href").split("?")[0] == place
