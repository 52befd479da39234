"""The page of a validation, in a browser."""

import csv

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from cohorts import GENES, KINDS, make_cohort
from s2fs import PairCover, Panel
from s2fs.report import ValidationReport

WIDE, MIDDLE = (
    {"viewport": {"width": 1440, "height": 900}},
    {"viewport": {"width": 1024, "height": 768}},
)
PHONE = {"viewport": {"width": 390, "height": 800}, "device_scale_factor": 2, "is_mobile": True}


@pytest.fixture(scope="module")
def found():
    """Two classes, with calibration; and five, of which three are there, with notes."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    panel = Panel(PairCover(4)).fit(X[:150], y[:150])
    panel.evaluate(X[:150], y[:150])
    two = panel.validate(X[150:], y[150:])
    first, second = make_cohort(60, 1), make_cohort(40, 2, kinds=KINDS[:3])
    panel = Panel(PairCover(8)).fit(first[GENES], first["kind"])
    lone = panel.feature_names_[np.abs(panel.coef_).sum(axis=0).argmin()]
    five = panel.validate(second[GENES].drop(columns=lone), second["kind"])
    return [two, five]


@pytest.fixture(scope="module", params=[0, 1], ids=["two classes", "five classes"])
def page_of(request, found, tmp_path_factory):
    page = tmp_path_factory.mktemp("validation") / "page.html"
    return ValidationReport(found[request.param], title="A cohort").save(page)


@pytest.mark.parametrize("options", [WIDE, MIDDLE, PHONE, {"color_scheme": "dark"}])
def test_axe_finds_no_violation_and_nothing_sticks_out(visit, page_of, options):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = visit(page_of, bypass_csp=True, **options)
    width, shown = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= shown
    for details in page.locator("details").all():
        details.locator("summary").click()
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_the_first_screen_has_the_word_and_the_curves(visit, found, tmp_path):
    page = visit(ValidationReport(found[0]).save(tmp_path / "page.html"), **WIDE)
    assert page.locator(".verdict strong").text_content() == found[0].word.capitalize()
    assert found[0].sentence in page.locator(".verdict").text_content()
    box = page.locator("[data-name=roc] svg:visible").first.bounding_box()
    assert box["y"] + box["height"] < 900
    legend = page.locator("[data-name=roc] svg").first.get_attribute("aria-label")
    assert f"new samples AUC {found[0].auc.value:.2f}" in legend
    assert f"first cohort AUC {found[0].auc_first.value:.2f}" in legend


def test_tables_are_downloaded_and_the_page_is_printed(visit, found, tmp_path):
    page = visit(ValidationReport(found[0]).save(tmp_path / "page.html"))
    for number, expected in enumerate((found[0].measures, found[0].features)):
        with page.expect_download() as started:
            page.get_by_role("button", name="Download CSV").nth(number).click()
        with open(started.value.path(), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == len(expected)
        if number == 0:
            values = [float(row["value"]) for row in rows]
            assert values == pytest.approx([one.estimate.value for one in expected])
    page.emulate_media(media="print")
    assert page.locator("#measures").is_visible()
    assert page.locator(".download").first.is_hidden()
