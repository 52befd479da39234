"""The built pages in a real browser: accessible, complete, and nothing from elsewhere.

``make docs`` builds them; where they are not built, there is nothing to test.
"""

from pathlib import Path

import pytest

BUILT = Path(__file__).parents[2] / "docs" / "_build" / "html"
#: The front page, and pages of formulas, of side-by-side code, of tables and of the reference.
PAGES = ("index", "criterion", "coming-from", "reproduction", "reference/s2fs.S2FS")
DESKTOP = {"viewport": {"width": 1280, "height": 900}}
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


@pytest.mark.parametrize("options", [DESKTOP, PHONE, DARK], ids=["desktop", "phone", "dark"])
@pytest.mark.parametrize("name", PAGES)
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
    page = visit_built("install", **DESKTOP)
    page.locator("a.right-next").click()
    assert page.url.endswith("tutorial.html")
    page.locator("a.left-prev").click()
    assert page.url.endswith("install.html")
