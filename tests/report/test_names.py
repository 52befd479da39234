"""Names on a page: short and distinct, symbols for identifiers, no folder of anybody."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2fs import PairCover
from s2fs.datasets import load_srbct
from s2fs.report import FeatureLabel, Origin, Report, read_feature_labels
from s2fs.report.names import label_classes, shorten_names
from s2fs.report.provenance import hide_folders


def test_what_all_names_share_is_left_out():
    names = [f"sample_2021_batch_7_gene_{i:02d}_normalised_counts" for i in range(12)]
    assert list(shorten_names(names, 20).values()) == [f"…{i:02d}…" for i in range(12)]
    classes = [f"Subject {q:02d} of the second cohort" for q in range(40)]
    assert shorten_names(classes, 22)[classes[7]] == "Subject 07…"
    assert shorten_names(["a", "bb"], 20) == {"a": "a", "bb": "bb"}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("ab_-0", min_size=1, max_size=80), min_size=1, max_size=20, unique=True))
def test_short_names_are_short_and_distinct(names):
    short = shorten_names(names, 26)
    assert list(short) == names
    assert len(set(short.values())) == len(names)
    assert max(map(len, short.values())) <= 28


def test_numbers_are_called_classes():
    assert label_classes(["0", "1"]) == ["class 0", "class 1"]
    assert label_classes(["0", "one"]) == ["0", "one"]


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("s2fs select /home/me/secret/data.csv -k 5", "s2fs select data.csv -k 5"),
        ("s2fs select ../a/b.csv --report=out/r.html", "s2fs select b.csv --report=r.html"),
        (r"s2fs select 'C:\\Users\\me\\my data.csv'", "s2fs select 'my data.csv'"),
        ("s2fs select https://user:token@host/x.csv?key=1", "s2fs select x.csv"),
    ],
)
def test_no_folder_is_shown(command, shown):
    assert hide_folders(command) == shown
    data = load_srbct()
    report = Report(PairCover(1).fit(data.X, data.y), data, origin=Origin(command=command))
    for word in ("secret", "Users", "token", "/home"):
        assert word not in report.html


def test_symbols_stand_in_place_of_names(tmp_path):
    data = load_srbct()
    selector = PairCover(3).fit(data.X, data.y)
    first, second, third = (data.feature_names[f] for f in selector.indices_)
    path = tmp_path / "genes.csv"
    path.write_text(f"id,symbol,what\n{first},<i>CD99,a surface protein\n{second},FGFR4\n")
    labels = read_feature_labels(path)
    assert labels[first] == FeatureLabel("<i>CD99", "a surface protein")
    report = Report(selector, data, feature_labels=labels)
    rows = report.summary["features"]
    assert [row["label"] for row in rows] == ["<i>CD99", "FGFR4", third]
    assert [row["name"] for row in rows] == [first, second, third]
    assert rows[0]["about"] == f"{first}: a surface protein"
    assert "&lt;i&gt;CD99" in report.html
    assert "<i>CD99" not in report.html


@pytest.mark.parametrize("text", ["", "only\none\n", "id,symbol\n"])
def test_a_file_without_a_table_of_names_is_refused(tmp_path, text):
    path = tmp_path / "genes.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"names is 'genes\.csv', which has no table"):
        read_feature_labels(path)
    with pytest.raises(ValueError, match=r"cannot be read \(No such file"):
        read_feature_labels(tmp_path / "none.csv")
