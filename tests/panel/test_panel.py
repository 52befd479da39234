"""A panel is scikit-learn's model on the selected columns, and its file says all of it."""

import json
import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine, make_classification
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from s2fs import S2FS, PairCover, Panel, Selection, SelectorCV
from s2fs.baselines import AnovaF
from s2fs.selectors.selection_file import compute_checksum


@pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")
@parametrize_with_checks([Panel(), Panel(S2FS(2), class_weight="balanced")])
def test_conformance(estimator, check):
    check(estimator)


def fit_reference(X, y, **options):
    scaler = StandardScaler().fit(X)
    model = LogisticRegression(tol=1e-10, max_iter=20_000, **options).fit(scaler.transform(X), y)
    return lambda new: model.predict_proba(scaler.transform(new))


@pytest.mark.parametrize("n_classes", [2, 3, 5, 10])
@pytest.mark.parametrize("options", [{}, {"C": 0.1}, {"class_weight": "balanced"}])
def test_predictions_are_those_of_scikit_learn(n_classes, options):
    X, y = make_classification(
        150, 30, n_informative=12, n_classes=n_classes, n_clusters_per_class=1, random_state=0
    )
    panel = Panel(PairCover(8), **options).fit(X[:120], y[:120])
    kept = panel.indices_
    expected = fit_reference(X[:120, kept], y[:120], **options)(X[120:, kept])
    np.testing.assert_allclose(panel.predict_proba(X[120:]), expected, atol=1e-6)
    assert panel.predict(X[120:]).tolist() == expected.argmax(axis=1).tolist()


def test_weights_are_repeated_samples():
    X, y = load_wine(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = Panel(PairCover(4)).fit(X, y, sample_weight=weight)
    repeated = Panel(PairCover(4)).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert weighted.indices_.tolist() == repeated.indices_.tolist()
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-8)


def compute_by_hand(path, row):
    """The probabilities of one sample from the file, in plain Python."""
    model = json.loads(path.read_text())["model"]
    scores = list(model["intercepts"])
    for feature, value in zip(model["features"], row, strict=True):
        value = feature["median"] if math.isnan(value) else value
        for i, coefficient in enumerate(feature["coefficients"]):
            scores[i] += coefficient * (value - feature["centre"]) / feature["sd"]
    scores = [0.0, *scores] if len(scores) == 1 else scores
    total = sum(math.exp(score) for score in scores)
    return [math.exp(score) / total for score in scores]


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_the_file_is_the_model(load, tmp_path):
    X, y = load(return_X_y=True, as_frame=True)
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.05)
    panel = Panel(PairCover(5)).fit(X, y)
    path = tmp_path / "panel.json"
    panel.save(path)
    loaded = Panel.load(path)
    expected = panel.predict_proba(X)
    assert (loaded.predict_proba(X) == expected).all()  # bit for bit
    for row, probabilities in zip(panel.transform(X)[:30], expected, strict=False):
        assert compute_by_hand(path, row) == pytest.approx(probabilities.tolist(), abs=1e-9)
    assert Selection.load(path).feature_names == tuple(panel.feature_names_)
    again = tmp_path / "again.json"
    loaded.save(again)
    assert again.read_text() == path.read_text()


def test_columns_are_found_by_name():
    X, y = load_wine(return_X_y=True, as_frame=True)
    panel = Panel(PairCover(3)).fit(X, y)
    expected = panel.predict_proba(X)
    mixed = X[X.columns[::-1]].assign(other=1.0)
    assert (panel.predict_proba(mixed) == expected).all()
    assert (panel.predict_proba(pl.from_pandas(mixed)) == expected).all()
    assert (panel.predict_proba(X.to_numpy()) == expected).all()
    assert (panel.predict_proba(X[list(panel.feature_names_)]) == expected).all()
    with pytest.raises(ValueError, match=r"X lacks 1 of the 3 selected columns: 'proline'"):
        panel.predict(X.drop(columns="proline"))
    with pytest.raises(ValueError, match="infinity"):
        panel.predict(X.assign(proline=np.inf))
    with pytest.raises(ValueError, match=r"column.*proline|proline"):
        panel.predict(X.assign(proline="much"))


def test_missing_values_are_filled_by_the_medians():
    X, y = load_wine(return_X_y=True)
    X[::7, 6] = np.nan
    for selector in (PairCover(3, include=[6]), AnovaF(13), S2FS(3, include=[6])):
        panel = Panel(selector).fit(X, y)
        place = panel.indices_.tolist().index(6)
        median = panel.table()["median"].tolist()[place]
        assert median == np.nanmedian(X[:, 6])
        one = X[:1].copy()
        one[0, 6] = median
        assert (panel.predict_proba(X[:1]) == panel.predict_proba(one)).all()
    in_csc = Panel(PairCover(3)).fit(sparse.csc_array(X), y)
    dense = Panel(PairCover(3)).fit(X, y)
    np.testing.assert_allclose(in_csc.predict_proba(X), dense.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize(
    "selector",
    [
        SelectKBest(k=4),
        make_pipeline(SelectKBest(k=9), PairCover(4)),
        SelectorCV(selector=PairCover(), cv=3, max_features=6),
        AnovaF(4),
    ],
    ids=lambda one: type(one).__name__,
)
def test_any_selector(selector):
    X, y = load_wine(return_X_y=True)
    panel = Panel(selector).fit(X, y)
    expected = fit_reference(X[:, panel.indices_], y)(X[:, panel.indices_])
    np.testing.assert_allclose(panel.predict_proba(X), expected, atol=1e-6)


@pytest.mark.parametrize("labels", [["no", "yes"], [3, 7], [False, True]])
def test_labels_keep_their_type(labels, tmp_path):
    X, codes = load_breast_cancer(return_X_y=True)
    y = np.array(labels)[codes]
    panel = Panel(PairCover(3), positive=labels[0]).fit(X, y)
    panel.save(tmp_path / "panel.json")
    loaded = Panel.load(tmp_path / "panel.json")
    for one in (panel, loaded):
        assert one.classes_.tolist() == labels
        assert type(one.predict(X)[0].item()) is type(labels[0])
        assert one.positive == labels[0]


def test_the_unsure_are_rejected():
    X, y = load_wine(return_X_y=True)
    panel = Panel(PairCover(3)).fit(X, y)
    probability = panel.predict_proba(X).max(axis=1)
    answers = panel.predict(X, reject=0.9)
    assert [answer is None for answer in answers] == (probability < 0.9).tolist()
    assert (answers[probability >= 0.9] == panel.predict(X)[probability >= 0.9]).all()
    with pytest.raises(ValueError, match="reject is 90; give a probability"):
        panel.predict(X, reject=90)


def test_substitutes_map_to_the_feature():
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    X = np.column_stack([X, 5 - 2 * X[:, 6] + 0.01 * rng.normal(size=len(y))])
    panel = Panel(PairCover(3, exclude=[13])).fit(X, y)
    place = panel.indices_.tolist().index(6)
    table = panel.table()
    assert table["substitute"].tolist()[place] == "x13"
    assert table["r"].tolist()[place] == pytest.approx(np.corrcoef(X[:, 6], X[:, 13])[0, 1])
    substitute = panel._model.substitutes[place]
    slope, intercept = np.polyfit(X[:, 13], X[:, 6], 1)
    assert (substitute.slope, substitute.intercept) == pytest.approx((slope, intercept))


def test_search_over_its_parameters():
    X, y = load_wine(return_X_y=True)
    grid = {"C": [0.01, 1.0], "selector__n_features_to_select": [1, 5]}
    search = GridSearchCV(Panel(PairCover(3)), grid, cv=3).fit(X, y)
    assert search.best_params_["selector__n_features_to_select"] == 5


def test_what_a_panel_from_a_file_cannot(tmp_path):
    X, y = load_wine(return_X_y=True)
    Panel(PairCover(3)).fit(X, y).save(tmp_path / "panel.json")
    loaded = Panel.load(tmp_path / "panel.json")
    with pytest.raises(ValueError, match="cannot be fitted: its training table is not in the file"):
        loaded.fit(X, y)
    with pytest.raises(ValueError, match="cannot be cloned"):
        clone(loaded)
    Selection.of(PairCover(3).fit(X, y)).save(tmp_path / "list.json")
    with pytest.raises(ValueError, match="holds a selection without a model"):
        Panel.load(tmp_path / "list.json")
    with pytest.raises(ValueError, match="positive is 5, but the classes are 0, 1, 2"):
        Panel(positive=5).fit(X, y)


def damage(content, rng):
    """Another text for a file: cut, other bytes, another type, another number."""
    kind = rng.integers(4)
    if kind == 0:
        return content[: rng.integers(len(content))]
    if kind == 1:
        place = rng.integers(len(content))
        return content[:place] + chr(rng.integers(1, 300)) + content[place + 1 :]
    numbers = [*re.finditer(r"-?\d+(\.\d+)?(e-?\d+)?", content)]
    found = numbers[rng.integers(len(numbers))]
    new = ['"text"', "null", "[]", "1e999", "9" * 5000, "NaN"][rng.integers(6)]
    if kind == 3:
        new = str(float(found[0]) * 1.0000001 + 1)
    return content[: found.start()] + new + content[found.end() :]


def test_a_damaged_file_is_one_sentence(tmp_path):
    X, y = load_wine(return_X_y=True, as_frame=True)
    path = tmp_path / "panel.json"
    panel = Panel(PairCover(3)).fit(X, y)
    panel.evaluate(X, y)
    panel.save(path)
    content, rng = path.read_text(), np.random.default_rng(0)
    plain = json.loads(content)
    for _ in range(1000):
        text = damage(content, rng)
        try:
            if json.loads(text) == plain:
                continue  # white space
        except ValueError:
            pass
        path.write_text(text)
        with pytest.raises(ValueError, match=r"panel\.json .*; [a-z ,0-9]*save") as error:
            Panel.load(path)
        assert "\n" not in str(error.value)


def test_a_file_made_elsewhere_is_looked_at(tmp_path):
    """The checksum fits, but what it holds cannot be."""
    X, y = load_wine(return_X_y=True)
    path = tmp_path / "panel.json"
    Panel(PairCover(3)).fit(X, y).save(path)
    plain = path.read_text()
    for change in (
        lambda model: model.update(classes=[2, 1, 0]),
        lambda model: model.update(classes=[0, "1", 2]),
        lambda model: model.update(intercepts=[1.0]),
        lambda model: model.update(features=[]),
        lambda model: model["features"][0].update(sd=0.0),
        lambda model: model["features"][0].update(coefficients=[1.0, 2.0]),
        lambda model: model["features"][0].update(substitute={"name": 3}),
        lambda model: model["features"][0].pop("median"),
        lambda model: model.update(positive=9),
        lambda model: model.update(C="1"),
        lambda model: model["features"][0].update(symbol=3, description=""),
        lambda model: model["features"][0].update(symbol="a", description=""),
    ):
        content = json.loads(plain)
        change(content["model"])
        content["checksum"] = compute_checksum(content)
        path.write_text(json.dumps(content))
        with pytest.raises(ValueError, match=r"is damaged: .*; select and save again"):
            Panel.load(path)


def test_names_of_columns():
    X, y = load_wine(return_X_y=True, as_frame=True)
    panel = Panel(PairCover(3)).fit(X, y)
    assert panel.get_feature_names_out().tolist() == panel.feature_names_.tolist()
    assert isinstance(panel.table(), pd.DataFrame)


def test_the_evaluation_of_its_own_table_is_kept(tmp_path):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = X.iloc[:150], y.iloc[:150].map({0: "malignant", 1: "benign"})
    panel = Panel(PairCover(3), positive="malignant").fit(X, y)
    assert panel._describe()["first_cohort"] is None
    panel.evaluate(X.iloc[:100], y.iloc[:100])
    assert panel._first_cohort is None  # another table
    found = panel.evaluate(X[X.columns[::-1]], y)
    assert found.rows[0].selector == "PairCover"
    assert found.positive_name == "malignant"
    panel.save(tmp_path / "panel.json")
    first = Panel.load(tmp_path / "panel.json")._first_cohort
    held_out = found.held_out["PairCover"]
    assert first.estimate_auc([True, True]) == pytest.approx(found.rows[0].scores["auc"])
    np.testing.assert_array_equal(first.pair_areas, held_out.pair_areas)
    assert first.scores == dict(found.rows[0].scores)
    assert first.class_units.tolist() == np.unique(y, return_counts=True)[1].tolist()
    assert first.specificity_cut[0] == found.sensitivity_at_specificity.cut
    right = held_out.predicted_by_share == held_out.codes
    recalls = [right[:, held_out.codes == q].mean() for q in range(2)]
    assert [one.value for one in first.recalls] == pytest.approx(recalls)
    assert first.curves[1].area == pytest.approx(found.rows[0].scores["auc"].value, abs=0.005)
    panel.fit(X.iloc[:100], y.iloc[:100])
    assert panel._first_cohort is None


def test_the_evaluation_has_the_model_of_the_panel():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:200], y[:200]
    plain = Panel(PairCover(4)).fit(X, y).evaluate(X, y)
    assert Panel(PairCover(4), C=1.0).fit(X, y).evaluate(X, y).verdict == plain.verdict
    weighted = Panel(PairCover(4), class_weight="balanced").fit(X, y).evaluate(X, y)
    assert weighted.title == plain.title
    held_out = weighted.held_out["PairCover"]
    np.testing.assert_allclose(held_out.shares, 0.5)  # classes count the same in the model
    codes, folds = held_out.codes, held_out.folds
    train = folds[0] != 0
    selected = weighted.selected["PairCover"][0]
    expected = fit_reference(X[train][:, selected], y[train], class_weight="balanced")
    np.testing.assert_allclose(
        held_out.scores[0, ~train], expected(X[~train][:, selected]), atol=1e-5
    )
    assert codes.tolist() == y.tolist()


def test_the_auc_of_some_classes_is_that_of_their_pairs(tmp_path):
    X, y = load_wine(return_X_y=True)
    panel = Panel(PairCover(3)).fit(X, y)
    found = panel.evaluate(X, y)
    first = panel._first_cohort
    areas = found.held_out["PairCover"].pair_areas
    assert first.estimate_auc([True, False, True]).value == pytest.approx(areas[:, 1].mean())
    assert first.estimate_auc([True, False, False]) is None
    assert first.estimate_balanced([True] * 3) == found.rows[0].scores["balanced_accuracy"]
    recalls = [one.value for one in first.recalls]
    assert first.estimate_balanced([True, False, True]).value == pytest.approx(
        (recalls[0] + recalls[2]) / 2
    )
    path = tmp_path / "panel.json"
    panel.save(path)
    plain = path.read_text()
    for change in (
        lambda first: first.update(n_units=0),
        lambda first: first.update(pair_auc=[[0.5]]),
        lambda first: first["pair_auc"][0].__setitem__(0, 1.5),
        lambda first: first.update(class_units=[1, 2]),
        lambda first: first["scores"].update(accuracy={"value": 1}),
        lambda first: first["scores"].update(unknown=first["scores"]["auc"]),
        lambda first: first["recalls"].pop(),
        lambda first: first["roc"][0]["std"].pop(),
        lambda first: first.update(specificity_cut=[1]),
        lambda first: first.pop("n_splits"),
    ):
        content = json.loads(plain)
        change(content["first_cohort"])
        content["checksum"] = compute_checksum(content)
        path.write_text(json.dumps(content))
        with pytest.raises(ValueError, match=r"is damaged: its first_cohort has .*; select and sa"):
            Panel.load(path)
    content = json.loads(plain) | {"steps": {"log2": 1}}
    content["checksum"] = compute_checksum(content)
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="is damaged: steps is no object"):
        Panel.load(path)


def test_a_class_of_one_sample_is_left_out():
    X, y = load_wine(return_X_y=True)
    y = np.where(y == 2, 1, y)
    y[5] = 7
    with pytest.warns(UserWarning, match="Class 7 has fewer than two samples, so it is left out"):
        panel = Panel(PairCover(3)).fit(X, y)
    assert panel.classes_.tolist() == [0, 1]
    kept = np.arange(len(y)) != 5
    same = Panel(PairCover(3)).fit(X[kept], y[kept])
    assert (panel.predict_proba(X) == same.predict_proba(X)).all()


def test_a_table_in_a_database_gives_its_selected_columns():
    duckdb = pytest.importorskip("duckdb")
    X, y = load_wine(return_X_y=True, as_frame=True)
    table = X.assign(kind=y.map({0: "a", 1: "b", 2: "c"}))
    table.loc[3, "proline"] = np.nan
    with duckdb.connect() as database:
        relation = database.from_df(table)
        panel = Panel(PairCover(3, correlation=0)).fit(relation, "kind")
    near = Panel(PairCover(3, correlation=0)).fit(table.drop(columns="kind"), table["kind"])
    assert panel.feature_names_.tolist() == near.feature_names_.tolist()
    np.testing.assert_allclose(
        panel.predict_proba(table), near.predict_proba(table), atol=1e-9, rtol=0
    )
    assert set(panel.table()["substitute"]) == {""}
