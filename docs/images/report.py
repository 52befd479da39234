"""Take the picture of a report's first screen: ``python docs/images/report.py``.

Needs playwright and Chromium, as the tests of the reports do.
"""

import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from s2fs import PairCover
from s2fs.datasets import load_srbct
from s2fs.report import Report

HERE = Path(__file__).parent
CHROMIUM = "/usr/bin/chromium"

data = load_srbct()
report = Report(PairCover(20).fit(data.X, data.y), data, title="Four childhood tumours (SRBCT)")
with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
    place = report.save(Path(folder) / "report.html")
    browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(place.as_uri())
    page.screenshot(path=HERE / "report.png")
    browser.close()
Image.open(HERE / "report.png").convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
    HERE / "report.png", optimize=True
)
