"""A real browser, if there is one, and reports opened from disk."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def browser() -> Iterator:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if shutil.which(CHROMIUM) is None:
        pytest.skip(f"there is no {CHROMIUM}; apt-get install chromium")
    with playwright.sync_playwright() as driver:
        # Playwright gives each launch a new profile of its own, and removes it.
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Watched:
    """A page together with everything that must not happen on it."""

    def __init__(self, context, path: Path) -> None:
        self.trouble: list[str] = []
        self.requests: list[str] = []
        self.page = context.new_page()
        self.page.on("console", lambda message: self.trouble.append(message.text))
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("dialog", self._dialog)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.address = path.as_uri()
        self.page.goto(self.address)

    def _dialog(self, dialog) -> None:
        self.trouble.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def check(self) -> None:
        assert self.trouble == []
        beyond = [
            url for url in self.requests if url != self.address and not url.startswith("data:")
        ]
        assert beyond == []


@pytest.fixture
def visit(browser) -> Iterator:
    """Open a file; at the end, nothing bad may have happened on any page."""
    visits, contexts = [], []

    def open_page(path: Path, **options) -> object:
        contexts.append(browser.new_context(accept_downloads=True, **options))
        visits.append(Watched(contexts[-1], path))
        return visits[-1].page

    yield open_page
    for one in visits:
        one.check()
    for context in contexts:
        context.close()
