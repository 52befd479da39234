import base64
import hashlib
import re
from datetime import datetime

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.feature_selection import SelectFromModel
from sklearn.tree import DecisionTreeClassifier

from report.pages import CLASSES, FEATURES, HOSTILE_FEATURE, Page, fitted, hostile_data
from s2fs import S2FS
from s2fs.datasets import load_srbct
from s2fs.io import Dataset
from s2fs.report import Origin, Report, check_destination
from s2fs.report.names import shorten_names

ORIGIN = Origin(command="s2fs select a.csv", seconds=0.25, date=datetime(2025, 6, 1, 12, 30))


@pytest.fixture(scope="module")
def hostile():
    data = hostile_data()
    return Report(fitted(data, 8), data, title=HOSTILE_FEATURE, origin=ORIGIN).html


@pytest.fixture(scope="module")
def srbct():
    data = load_srbct()
    return Report(fitted(data, 12), data, title="SRBCT", origin=ORIGIN).html


def test_names_from_the_data_are_text(hostile):
    page = Page(hostile)
    assert page.tags["script"] == 1
    assert page.tags["img"] == 0
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    values = {value for tag, name, value in page.attributes if (tag, name) == ("th", "data-v")}
    assert set(FEATURES) <= values
    text = "".join(page.text)
    assert all(name in text for name in CLASSES)
    assert "{{ 7 * 7 }}" in text


def test_p_values_and_substitutes_have_columns():
    data = hostile_data()
    best = int(S2FS(1).fit(data.X, data.y).indices_[0])
    copy = (best + 1) % 8
    data.X[:, copy] = data.X[:, best] + 1e-6 * np.arange(len(data.y))
    selector = S2FS("auto", max_correlation=0.9).fit(data.X, data.y)
    page = Page(Report(selector, data).html)
    assert page.tags["script"] == 1
    heads = next(row for row in page.rows if "Substitutes" in row)
    (first,) = (row for row in page.rows if row[:1] == ["1"])
    assert first[1] == FEATURES[selector.indices_[0]]
    assert first[heads.index("P-value")] == f"{selector.path_['p_value'][0]:.3f}"
    other = FEATURES[best + copy - selector.indices_[0]]
    shown = shorten_names([other], 26)[other]
    assert f"Near-equivalents: {shown} " in first[heads.index("Closest")]


def test_figures_show_names_as_text(hostile):
    svgs = re.findall(r"<svg [^>]*role=.*?</svg>", hostile, flags=re.DOTALL)
    assert len(svgs) == 6  # forest, sizes, ROC, heat map, plane and redundancy
    shown = "".join("".join(Page(svg).text) for svg in svgs)
    assert all(name[:6] in shown for name in [*FEATURES, *CLASSES])


@pytest.mark.parametrize("page", ["hostile", "srbct"])
def test_nothing_is_loaded_and_only_our_script_may_run(page, request):
    text = request.getfixturevalue(page)
    parsed = Page(text)
    (policy,) = (v for _, _, v in parsed.attributes if v and v.startswith("default-src 'none'"))
    script = re.search(r"<script>(.*?)</script>", text[text.rindex("<script>") :], re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    links = [v for _, name, v in parsed.attributes if name in ("href", "src", "xlink:href")]
    assert all(link.startswith(("#", "data:")) for link in links)
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)


@pytest.mark.parametrize("page", ["hostile", "srbct"])
def test_ids_are_unique_and_links_lead_somewhere(page, request):
    parsed = Page(request.getfixturevalue(page))
    assert {name: count for name, count in parsed.ids.items() if count > 1} == {}
    targets = [v[1:] for _, name, v in parsed.attributes if name.endswith("href") and v[0] == "#"]
    targets += [v for _, name, v in parsed.attributes if name in ("aria-labelledby", "for")]
    assert len(targets) > 20
    assert set(targets) <= set(parsed.ids)
    styles = " ".join(v for _, name, v in parsed.attributes if name in ("style", "clip-path"))
    assert set(re.findall(r"url\(#([^)]+)\)", styles)) <= set(parsed.ids)


def test_the_verdict_comes_first_and_the_record_last(srbct):
    text = " ".join("".join(Page(srbct).text).split())
    order = ["12 features by S²FS: accuracy ", "The first features", "S²FS against …",
             "How many features?", "Checks", "checks passed", "Closest", "The panel",
             "Predict new samples",
             "We selected features with S²FS", "What was run", "BibTeX"]  # fmt: skip
    places = [text.index(words, text.index("Skip to")) for words in order]
    assert places == sorted(places)
    for fact in ("83 samples", "2,308 features", "0.0316", "s2fs select a.csv", "2025-06-01 12:30",
                 "0.25 s", "arXiv 2509.25841", "Seed"):  # fmt: skip
        assert fact in text
    assert "selected pixels" not in text
    assert srbct.count("<details>") == 4  # folded, beside the checks that passed
    assert srbct.count('<details class="checks">') == 1


def test_headings_and_figures_can_be_heard(srbct):
    page = Page(srbct)
    assert page.tags["h1"] == 1
    labels = [v for tag, name, v in page.attributes if (tag, name) == ("svg", "aria-label")]
    hidden = [v for tag, name, v in page.attributes if (tag, name) == ("svg", "aria-hidden")]
    assert len(labels) == 6
    assert page.tags["figure"] == 6
    assert len(labels) + len(hidden) == page.tags["svg"]
    assert all(len(label) > 20 for label in labels)
    headings = [v for tag, name, v in page.attributes if tag == "th" and name == "scope"]
    assert len(headings) == page.tags["th"]


def test_the_same_input_gives_the_same_file(srbct):
    data = load_srbct()
    assert Report(fitted(data, 12), data, title="SRBCT", origin=ORIGIN).html == srbct


@pytest.mark.parametrize("order", ["C", "F"])
def test_pixels_are_shown_if_a_shape_is_known(order):
    rng = np.random.default_rng(0)
    names = [f"p{i}" for i in range(12)]
    data = Dataset(rng.random((20, 12)), np.arange(20) % 2, names, ["a", "b"])
    data.image_shape, data.image_order = (3, 4), order
    assert 'id="pixels"' in Report(fitted(data, 3), data).html


def test_one_feature_has_no_redundancy():
    data = hostile_data()
    text = Report(fitted(data, 1), data).html
    assert 'id="redundancy"' not in text
    unranked = SelectFromModel(DecisionTreeClassifier(random_state=0)).fit(data.X, data.y)
    assert 'type="range"' not in Report(unranked, data).html


def test_more_than_ten_classes_have_a_tree_and_no_colours():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(12), 5)
    X = rng.normal(size=(60, 6)) + y[:, None]
    text = S2FS(3).fit(X, y).report(X, y).html
    assert "Which classes are alike" in text
    tree = text[text.index('id="tree-') :]
    assert all(f">class {q}</text>" in tree for q in range(12))
    assert 'class="chip' not in text


@pytest.mark.long
def test_large_data_give_a_small_page():
    """Pictures, quartiles and class medians in place of 1,797 points."""
    X, y = load_digits(return_X_y=True)
    report = S2FS(7).fit(X, y).report(X, y)
    assert all("bars" in row["strip"] for row in report.summary["features"])
    assert len(report.html) < 400_000


@pytest.mark.long
def test_a_wide_ranking_stays_small():
    rng = np.random.default_rng(0)
    y = np.arange(12) % 2
    X = rng.normal(size=(12, 400))
    from s2fs.baselines import AnovaF

    report = AnovaF("all").fit(X, y).report(X, y)
    assert len(report.html) < 700_000
    assert len(Page(report.html).rows) > 400
    assert 'class="sideways tall"' in report.html


def test_a_notebook_shows_the_page_in_a_frame(hostile):
    data = hostile_data()
    report = Report(fitted(data, 8), data, title=HOSTILE_FEATURE, origin=ORIGIN)
    frame = Page(report._repr_html_())
    (source,) = (v for tag, name, v in frame.attributes if (tag, name) == ("iframe", "srcdoc"))
    assert source == hostile
    assert frame.tags == {"iframe": 1}
    headline = report.comparison.headline
    assert repr(report).startswith(f"Report: {headline}")
    assert headline.startswith("8 features by S²FS: accuracy ")


def test_a_report_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    data = hostile_data()
    place = tmp_path / "report.html"
    place.write_text("the one before")

    def refuse(*_):
        raise OSError(28, "No space left on device")

    report = Report(fitted(data, 2), data)
    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(OSError, match=r"cannot be written \(No space left on device\)"):
        report.save(place)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert place.read_text() == "the one before"


def test_bad_places_are_refused_before_any_work(tmp_path):
    for place, message in {
        "report.pdf": "ends in .html",
        "no/report.html": "is not a directory",
        "folder.html": "which is a directory",
    }.items():
        (tmp_path / "folder.html").mkdir(exist_ok=True)
        with pytest.raises(ValueError, match=message):
            check_destination(tmp_path / place)
