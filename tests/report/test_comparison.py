"""The page of a comparison: its numbers, and names as text."""

import literal_evaluation as literal
import numpy as np
import pytest
from sklearn.datasets import load_wine

from report.pages import CLASSES, FEATURES, Page
from s2fs import PairCover, compare
from s2fs.baselines import AnovaF
from s2fs.report import Origin, comparison_report


@pytest.fixture(scope="module")
def found():
    named = {FEATURES[0]: PairCover(), CLASSES[0]: AnovaF()}
    return compare(*load_wine(return_X_y=True), k=[2, 5, 9], selectors=named, n_repeats=2)


@pytest.fixture(scope="module")
def text(found, tmp_path_factory):
    place = tmp_path_factory.mktemp("page") / "page.html"
    origin = Origin(command="s2fs compare <b>", seconds=1.0)
    assert comparison_report(found, place, title=FEATURES[1], origin=origin) == place
    return place.read_text("utf-8")


def test_the_numbers_are_those_of_the_comparison(found, text):
    page = Page(text)
    rows = {row[0]: row for row in page.rows if len(row) == 11}
    assert list(rows) == ["Selector", *(row.selector for row in found.rows)]
    here = found
    for row in here.rows:
        shown = rows[row.selector]
        assert shown[1] == f"{row.n_features:g}"
        assert shown[2] == f"{100 * row.scores['accuracy'].value:.1f}"
        assert shown[4] == f"{100 * row.scores['balanced_accuracy'].value:.1f}"
        value, low, high, _ = row.scores["auc"]
        assert shown[5] == f"{value:.2f}" + (f" ({low:.2f} to {high:.2f})" if low < high else "")
        assert shown[8] == ("–" if row.stability is None else f"{row.stability:.2f}")
        assert shown[10] == ("–" if row.seconds is None else f"{row.seconds:.3f}")
    # The thin lines are the intervals: drawn in percent of the width.
    lines = [v for tag, name, v in page.attributes if (tag, name) == ("path", "d")]
    intervals = [
        f"M{100 * row.scores['accuracy'].low:.2f} 6H{100 * row.scores['accuracy'].high:.2f}"
        for row in here.rows[:-1]
    ]
    assert [line for line in lines if line in intervals] == intervals
    y = load_wine(return_X_y=True)[1]
    mine = here.predictions[FEATURES[0]]
    for name in (CLASSES[0], "all 13 features"):
        gap = literal.interval(mine, here.predictions[name], y)
        assert rows[name][6] == literal.words(*gap[1:])
        mean, low, high = (f"{100 * one:+.1f}".replace("-", "−") for one in gap)
        assert rows[name][7].replace("0.0", "+0.0").replace("++", "+") == (
            f"{mean}, {low} to {high}".replace("−0.0", "+0.0")
        )
    assert [rows[name][6] for name in ("random features", "majority class")] == ["better than"] * 2
    assert rows[FEATURES[0]][6:8] == ["–", "–"]
    by_size = [row for row in page.rows if len(row) == 4]
    assert by_size[0] == ["Selector", "2", "5", "9"]
    for i, size in enumerate(found.sizes, start=1):
        shown = {row[0]: row[i] for row in by_size[1:]}
        truth = {
            row.selector: f"{100 * row.scores['accuracy'].value:.1f}" for row in found.at(size).rows
        }
        assert shown == truth
    assert found.verdict in "".join(Page(text).text)


def test_names_are_text_and_nothing_is_loaded(text):
    page = Page(text)
    assert (page.tags["script"], page.tags["img"], page.tags["b"]) == (1, 0, 0)
    assert FEATURES[1] in "".join(page.text)
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    links = [value for _, name, value in page.attributes if name in ("href", "src", "xlink:href")]
    assert all(link.startswith(("#", "data:")) for link in links)
    assert {name: count for name, count in page.ids.items() if count > 1} == {}


def test_one_size_has_no_curve(tmp_path):
    found = compare(*load_wine(return_X_y=True), k=[2], selectors=["anovaf"], n_repeats=2)
    page = Page(comparison_report(found, tmp_path / "page.html").read_text("utf-8"))
    assert "sizes" not in page.ids
    assert "1 selector on the same 2 × 5 folds" in "".join(page.text)


def test_the_stability_is_that_of_the_best_selector(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 20)) + 2 * y[:, None] * (np.arange(20) == 7)
    named = {"without the best": PairCover(exclude=[7]), "with it": PairCover()}
    found = compare(X, y, k=[1], selectors=named, n_repeats=2)
    worse, better = found.rows[:2]
    assert better.scores["accuracy"].value > worse.scores["accuracy"].value
    page = comparison_report(found, tmp_path / "page.html").read_text("utf-8")
    assert f"<b>{better.stability:.2f}</b><span>of {better.selector}: 1" in page


def test_a_place_that_cannot_be_written_is_refused(found, tmp_path):
    with pytest.raises(ValueError, match=r"report is .*page\.txt"):
        comparison_report(found, tmp_path / "page.txt")
