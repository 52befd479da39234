"""Take the pictures of a report: ``python docs/images/report.py``.

The first screen on a desk, on dark paper and on a telephone. Needs playwright and Chromium, as the
tests of the reports do.
"""

import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
CHROMIUM = "/usr/bin/chromium"
sys.path.insert(0, str(HERE.parent / "_ext"))

from live_report import make_report  # noqa: E402

PICTURES = {
    "report": {"viewport": {"width": 1440, "height": 900}},
    "report-dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "report-phone": {"viewport": {"width": 390, "height": 1240}, "device_scale_factor": 2},
}

with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
    place = make_report().save(Path(folder) / "report.html")
    browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    for name, options in PICTURES.items():
        page = browser.new_page(**options)
        page.goto(place.as_uri())
        picture = HERE / f"{name}.png"
        page.screenshot(path=picture)
        colours = Image.open(picture).convert("RGB").quantize(256, dither=Image.Dither.NONE)
        colours.save(picture, optimize=True)
    browser.close()
