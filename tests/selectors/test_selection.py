"""A selection survives the way through a file, and nothing else is taken for one."""

import json
import os

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier

from s2fs import S2FS, Selection, SelectorCV, StabilitySelector, __version__
from s2fs.baselines import AnovaF
from s2fs.selectors.selection_file import compute_checksum
from strategies import examples


@pytest.fixture
def wine():
    return load_wine(return_X_y=True, as_frame=True)


@pytest.fixture
def saved(wine, tmp_path):
    path = tmp_path / "wine.json"
    Selection.of(S2FS(4).fit(*wine)).save(path)
    return path


def test_a_loaded_selection_does_what_the_selector_did(wine, saved):
    X, y = wine
    selector = S2FS(4).fit(X, y)
    selection = Selection.load(saved)
    assert selection == Selection.of(selector)
    pd.testing.assert_frame_equal(
        selection.transform(X), selector.set_output(transform="pandas").transform(X)
    )
    plain = S2FS(4).fit(X.to_numpy(), y)
    np.testing.assert_array_equal(selection.transform(X.to_numpy()), plain.transform(X.to_numpy()))
    sparse = selection.transform(csr_array(X.to_numpy()))
    np.testing.assert_array_equal(sparse.toarray(), plain.transform(X.to_numpy()))


def test_columns_are_found_by_name_in_any_order(wine, saved):
    X, _ = wine
    selection = Selection.load(saved)
    wanted = list(selection.columns)
    shuffled = X[X.columns[::-1]].assign(more=1.0, name="text")
    assert selection.transform(shuffled).columns.tolist() == wanted
    pd.testing.assert_frame_equal(selection.transform(shuffled), X[wanted])
    frame = pl.DataFrame(shuffled.to_dict("list"))
    assert selection.transform(frame).columns == wanted
    assert selection.transform(frame.lazy()).collect().equals(selection.transform(frame))
    with pytest.raises(ValueError, match=r"X lacks 2 of the 4 .*did you mean 'colour_intens"):
        selection.transform(
            X.rename(columns={"color_intensity": "colour_intensity"}).drop(columns="flavanoids")
        )
    with pytest.raises(ValueError, match=r"X has the shape \(178, 12\)"):
        selection.transform(X.to_numpy()[:, 1:])


def test_the_file_is_plain_and_says_how_it_came_about(saved):
    content = json.loads(saved.read_text(encoding="utf-8"))
    assert content["format"] == "s2fs panel"
    assert content["format_version"] == 2
    assert content["model"] is None
    content = content["selection"]
    assert content["s2fs_version"] == __version__
    assert content["selector"] == "S2FS"
    assert content["parameters"]["alpha"] == 0.0316
    assert content["feature_names"][0] == "flavanoids"
    assert content["indices"][0] == 6
    assert content["n_features_in"] == 13


@pytest.mark.parametrize(
    "selector",
    [
        AnovaF(3),
        S2FS(3, class_weight={0: 2.0, 1: 1.0, 2: 1.0}, include=np.array([4])),
        SelectorCV(
            2,
            selector=S2FS(),
            alphas=np.array([0.1]),
            betas=[0.1],
            estimator=KNeighborsClassifier(3),
        ),
        StabilitySelector(2, selector=S2FS(3), n_resamples=2),
    ],
    ids=lambda s: type(s).__name__,
)
def test_any_selector_and_any_parameter(selector, wine, tmp_path):
    if isinstance(selector, StabilitySelector):
        selector.set_params(random_state=np.random.RandomState(0))
    X, y = wine
    fitted = selector.fit(X, y)
    Selection.of(fitted).save(tmp_path / "s.json")
    selection = Selection.load(tmp_path / "s.json")
    assert selection.indices == tuple(fitted.indices_.tolist())
    assert selection.selector == type(selector).__name__


def test_names_may_be_given_or_made_up(wine):
    X, y = wine
    selector = S2FS(2).fit(X.to_numpy(), y)
    assert Selection.of(selector).feature_names == ("x6", "x0")
    assert Selection.of(selector, list(X.columns)).feature_names == ("flavanoids", "alcohol")
    with pytest.raises(ValueError, match=r"feature_names has 1 name"):
        Selection.of(selector, ["a"])


def replaced(**changes):
    """Another part that names features, with a checksum that fits."""
    return lambda content: signed(content | {"selection": content["selection"] | changes})


def signed(content):
    return json.dumps(content | {"checksum": compute_checksum(content)})


def outer(**changes):
    return lambda content: signed(content | changes)


WRONG = {
    "not JSON": (lambda _: "{", "is not JSON"),
    "a pickle": (lambda _: "\x80\x04N.", "is not JSON"),
    "not UTF-8": (lambda _: b"\xff\xfe{}", "is not JSON"),
    "too deep": (lambda _: "[" * 100_000, "is not JSON"),
    "a list": (lambda _: "[1, 2]", "holds no selection"),
    "other JSON": (lambda _: '{"format": "something"}', "holds no selection"),
    "a later format": (outer(format_version=3), "format version 3, and this s2fs reads 2"),
    "an earlier format": (
        lambda _: '{"format": "s2fs selection", "format_version": 1}',
        "format version 1, .* select and save again",
    ),
    "no version": (outer(format_version=None), "format version None"),
    "no selection": (outer(selection=None), "selector is missing"),
    "edited": (
        lambda content: json.dumps(content).replace("flavanoids", "flavonoids"),
        "was edited or is damaged",
    ),
    "no names": (replaced(feature_names=None), "feature_names is missing or no list"),
    "numbers for names": (replaced(feature_names=[1, 2, 3, 4]), "something else than text"),
    "too few names": (replaced(feature_names=["a"]), r"1 name for 4 position"),
    "beyond the end": (replaced(indices=[0, 1, 2, 13]), "positions from 0 to 12"),
    "negative": (replaced(indices=[0, 1, 2, -1]), "positions from 0 to 12"),
    "true is no position": (replaced(indices=[0, True, 2, 3]), "positions from 0 to 12"),
    "huge": (replaced(indices=[0, 1, 2, 10**400]), "positions from 0 to 12"),
    "twice": (replaced(indices=[0, 1, 1, 3]), "a feature twice"),
    "size is text": (replaced(n_features_in="13"), "n_features_in is missing or no int"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_selection_is_refused_in_one_sentence(case, saved):
    change, words = WRONG[case]
    text = change(json.loads(saved.read_text(encoding="utf-8")))
    saved.write_bytes(text if isinstance(text, bytes) else text.encode("latin-1"))
    with pytest.raises(ValueError, match=words) as raised:
        Selection.load(saved)
    assert "\n" not in str(raised.value)
    assert str(saved) in str(raised.value)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@examples(30)
@given(value=ANYTHING)
def test_no_content_does_more_than_be_refused(tmp_path_factory, value):
    """Whatever stands in a field, loading gives a checked selection or a ValueError."""
    good = {
        "selector": "S2FS", "parameters": {}, "s2fs_version": "0", "n_features_in": 3,
        "indices": [1], "feature_names": ["b"],
    }  # fmt: skip
    envelope = {"format": "s2fs panel", "format_version": 2}
    path = tmp_path_factory.mktemp("any") / "s.json"
    for name in good:
        content = envelope | {"selection": good | {name: value}}
        path.write_text(signed(content), encoding="utf-8")
        try:
            selection = Selection.load(path)
        except ValueError:
            continue
        assert len(selection.indices) == len(selection.feature_names) > 0
        assert all(0 <= f < selection.n_features_in for f in selection.indices)


def test_nothing_is_half_written(wine, tmp_path, monkeypatch):
    path = tmp_path / "s.json"
    path.write_text("precious")

    def fails(*_):
        raise OSError(28, "No space left on device")

    selection = Selection.of(S2FS(2).fit(*wine))
    with pytest.raises(ValueError, match=r"path is .*; give a name that ends in \.json"):
        selection.save(tmp_path / "s.pkl")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fails)
        with pytest.raises(OSError, match="cannot be written"):
            selection.save(path)
    assert path.read_text() == "precious"
    assert [entry.name for entry in tmp_path.iterdir()] == ["s.json"]


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError, match=r"There is no file 'no\.json'"):
        Selection.load("no.json")
