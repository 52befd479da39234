import base64
import hashlib
import re
from datetime import datetime

import numpy as np
import pytest

from report.pages import CLASSES, FEATURES, HOSTILE_FEATURE, Page, fitted, hostile_data
from s2fs import S2FS
from s2fs.datasets import Dataset, load_srbct
from s2fs.report import check_destination, selection_report

DATE = datetime(2025, 6, 1, 12, 30)


def report(data, selector, folder, **options):
    path = selection_report(data, selector, folder / "report.html", date=DATE, **options)
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    data = hostile_data()
    return report(data, fitted(data, 8), tmp_path_factory.mktemp("hostile"), title=HOSTILE_FEATURE)


@pytest.fixture(scope="module")
def srbct(tmp_path_factory):
    data = load_srbct()
    folder = tmp_path_factory.mktemp("srbct")
    return report(data, fitted(data, 12), folder, title="SRBCT", seconds=0.25)


def test_names_from_the_data_are_text(hostile):
    page = Page(hostile)
    assert page.tags["script"] == 1
    assert page.tags["img"] == 0
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    cells = {cell for row in page.rows for cell in row}
    assert set(FEATURES) <= cells
    assert set(CLASSES) <= cells
    text = "".join(page.text)
    assert all(name in text for name in CLASSES)
    assert "{{ 7 * 7 }}" in text


def test_figures_show_names_as_text(hostile):
    svgs = re.findall(r"<svg.*?</svg>", hostile, flags=re.DOTALL)
    assert len(svgs) == 6
    shown = "".join("".join(Page(svg).text) for svg in svgs)
    data = hostile_data()
    best = [FEATURES[f] for f in fitted(data, 2).indices_]
    assert all(name[:27] in shown for name in [*best, *CLASSES])


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
    targets += [v for _, name, v in parsed.attributes if name == "aria-labelledby"]
    assert len(targets) > 20
    assert set(targets) <= set(parsed.ids)
    styles = " ".join(v for _, name, v in parsed.attributes if name in ("style", "clip-path"))
    assert set(re.findall(r"url\(#([^)]+)\)", styles)) <= set(parsed.ids)


def test_says_what_was_run(srbct):
    text = " ".join("".join(Page(srbct).text).split())
    for fact in ("83", "2308", "alpha", "0.0316", "s2fs 0.1.0", "2025-06-01 12:30", "0.25 s"):
        assert fact in text
    for words in ("How to cite", "arXiv 2509.25841", "fuzzy membership", "What the numbers mean"):
        assert words in text
    assert "pixels" not in text


def test_headings_and_figures_can_be_heard(srbct):
    page = Page(srbct)
    assert page.tags["h1"] == 1
    labels = [v for tag, name, v in page.attributes if (tag, name) == ("svg", "aria-label")]
    assert len(labels) == page.tags["svg"] == page.tags["figcaption"] == 6
    assert all(len(label) > 20 for label in labels)
    headings = [v for tag, name, v in page.attributes if tag == "th" and name == "scope"]
    assert len(headings) == page.tags["th"]


def test_the_same_input_gives_the_same_file(srbct, tmp_path):
    data = load_srbct()
    assert report(data, fitted(data, 12), tmp_path, title="SRBCT", seconds=0.25) == srbct


def test_every_point_of_the_plane_says_its_row(srbct):
    titles = re.findall(r"<title>row (\d+), (\w+)</title>", srbct)
    data = load_srbct()
    assert {int(row): name for row, name in titles} == {
        i + 1: data.class_names[q] for i, q in enumerate(data.y)
    }


@pytest.mark.parametrize("order", ["C", "F"])
def test_pixels_are_shown_if_a_shape_is_known(tmp_path, order):
    rng = np.random.default_rng(0)
    data = Dataset(
        rng.random((20, 12)), np.arange(20) % 2, [f"p{i}" for i in range(12)], ["a", "b"]
    )
    data.image_shape, data.image_order = (3, 4), order
    assert 'id="pixels"' in report(data, fitted(data, 3), tmp_path)


def test_one_feature_has_no_plane(tmp_path):
    data = hostile_data()
    text = report(data, fitted(data, 1), tmp_path)
    assert 'id="plane"' not in text
    assert len(re.findall("<svg", text)) == 5


def test_classes_that_are_points(tmp_path):
    X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 6, axis=0)
    data = Dataset(X, np.repeat([0, 1], 6), ["u", "v"], ["a", "b"])
    assert "perfect" in report(data, fitted(data, 2), tmp_path)


def test_a_wide_ranking_stays_small(tmp_path):
    """Under 2 MB with 5,000 ranked features."""
    rng = np.random.default_rng(0)
    y = np.arange(12) % 2
    names = [f"gene_{f:05d}_at" for f in range(5000)]
    data = Dataset(rng.normal(size=(12, 5000)), y, names, ["sick", "well"])
    selector = S2FS(300).fit(data.X, y)
    # The last steps of a whole ranking, repeated: only their number matters here.
    rest = np.setdiff1d(np.arange(5000), selector.indices_)
    selector.path_ = np.concatenate([selector.path_, np.resize(selector.path_, len(rest))])
    selector.indices_ = np.concatenate([selector.indices_, rest])
    path = selection_report(data, selector, tmp_path / "wide.html")
    assert path.stat().st_size < 2_000_000
    assert len(Page(path.read_text()).rows) > 5000


def test_a_report_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    data = hostile_data()
    place = tmp_path / "report.html"
    place.write_text("the one before")

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(OSError, match=r"cannot be written \(No space left on device\)"):
        selection_report(data, fitted(data, 2), place)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert place.read_text() == "the one before"


def test_bad_places_are_told_before_any_work(tmp_path):
    for place, message in {
        "report.pdf": "ends in .html",
        "no/report.html": "no directory",
        "folder.html": "which is a directory",
    }.items():
        (tmp_path / "folder.html").mkdir(exist_ok=True)
        with pytest.raises(ValueError, match=message):
            check_destination(tmp_path / place)
