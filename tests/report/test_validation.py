"""The page of a validation: its numbers, and names as text."""

import pytest
from sklearn.datasets import load_wine

from report.pages import CLASSES, FEATURES, Page
from s2fs import PairCover, Panel
from s2fs.report import Origin, ValidationReport


@pytest.fixture(scope="module")
def found():
    X, y = load_wine(return_X_y=True, as_frame=True)
    X.columns = [*FEATURES[:3], *X.columns[3:]]
    y = y.map(dict(enumerate(CLASSES[:3])))
    panel = Panel(PairCover(13)).fit(X[::2], y[::2])
    panel.evaluate(X[::2], y[::2])
    return panel.validate(X[1::2], y[1::2])


def test_the_numbers_are_those_of_the_validation(found):
    page = Page(ValidationReport(found, title=FEATURES[1], origin=Origin("s2fs <b>", 1.0)).html)
    rows = [row for row in page.rows if len(row) == 6]
    assert rows[0][0] == "Metric"
    for one, row in zip(found.measures, rows[1:], strict=False):
        assert row[0] == one.name
        percent = one.key != "auc"
        text = f"{100 * one.estimate.value:.1f} %" if percent else f"{one.estimate.value:.2f}"
        assert row[2] == text
    features = [row for row in page.rows if row and row[0] in {one.name for one in found.features}]
    assert {row[0] for row in features} >= set(FEATURES[:3])
    for one, row in zip(found.features, features, strict=True):
        assert row[1:4] == [one.class_name, f"{one.first:.2f}", f"{one.second:.2f}"]


def test_no_name_is_taken_for_a_part_of_the_page(found):
    text = ValidationReport(found, title=FEATURES[1], origin=Origin("s2fs <b>", 1.0)).html
    for name in (*FEATURES[:3], *CLASSES[:3], "s2fs <b>"):
        if "<" in name:
            assert name not in text


def test_it_shows_itself_in_a_notebook(found):
    report = ValidationReport(found)
    assert "sandbox" in report._repr_html_()
    assert repr(report).startswith("ValidationReport: The panel ")
