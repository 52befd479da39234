import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    VarianceThreshold,
    mutual_info_classif,
)
from sklearn.impute import SimpleImputer
from sklearn.metrics import confusion_matrix
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import minmax_scale
from sklearn.tree import DecisionTreeClassifier

from s2fs import S2FS, PairCover, SelectorCV, StabilitySelector, compare
from s2fs.baselines import FDM, FGZEFSR, AnovaF
from s2fs.datasets import Dataset, load_srbct
from s2fs.evaluation import stability, stratified_folds
from s2fs.report import Report, made_dense


@pytest.fixture(scope="module")
def srbct():
    data = load_srbct()
    selector = S2FS(8).fit(data.X, data.y)
    return data, selector, Report(selector, data).summary


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    X.index = [f"bottle {i}" for i in range(len(X))]
    return X, np.array(["barolo", "grignolino", "barbera"])[y]


def at(summary, size):
    return next(one for one in summary["by_size"] if one["size"] == size)


def test_is_plain(srbct):
    summary = srbct[-1]
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_features_are_those_chosen_with_their_path(srbct):
    data, selector, summary = srbct
    names = list(selector.path_.dtype.names[2:])
    assert summary["components"] == names
    assert [row["rank"] for row in summary["features"]] == list(range(1, 9))
    for row, step in zip(summary["features"], selector.path_, strict=True):
        assert row["name"] == data.feature_names[step["feature"]]
        assert row["score"] == step["sep"]
        assert row["components"] == [step[name] for name in names]


def test_how_sure_a_feature_is_and_what_could_take_its_place(wine):
    X, y = wine
    auto = S2FS("auto", include=["ash"], stand_ins=0.2).fit(X, y)
    summary = Report(auto, X, y, n_halves=2).summary
    assert "p_value" not in summary["components"]
    given, *tested = (row["chances"] for row in summary["features"])
    assert given == {"p_value": None}  # what was asked for is not tested
    assert [chance["p_value"] for chance in tested] == auto.path_["p_value"][1:].tolist()
    named = [[one["name"] for one in row["stand_ins"]] for row in summary["features"]]
    assert named == [X.columns[some["feature"]].tolist() for some in auto.stand_ins_]
    stable = StabilitySelector(4, n_resamples=4, n_shuffles=2).fit(X, y)
    summary = Report(stable, X, y).summary
    q_values = [row["chances"]["q_value"] for row in summary["features"]]
    assert q_values == stable.q_values_[stable.indices_].tolist()
    assert summary["false"]["estimate"] == stable.false_selections_
    assert summary["false"]["bound"] == stable.false_selections_bound_
    beside = Report(auto, X, y, stable=stable).summary
    assert beside["run"]["n_halves"] == 4
    for row in beside["features"]:
        assert row["chances"]["q_value"] == stable.q_values_[row["index"]]
        assert row["returns"] == stable.frequencies_[row["index"]]


def test_describes_the_data(srbct):
    summary = srbct[-1]
    assert summary["data"]["n_samples"] == 83
    assert summary["data"]["n_features"] == 2308
    sizes = {one["name"]: one["size"] for one in summary["data"]["classes"]}
    assert sizes == {"BL": 11, "EWS": 29, "NB": 18, "RMS": 25}
    assert len({one["colour"] for one in summary["data"]["classes"]}) == 4


def test_accuracy_is_measured_with_features_chosen_inside_the_folds(srbct):
    data, _, summary = srbct
    sizes = [one["size"] for one in summary["by_size"]]
    assert sizes == [1, 2, 3, 4, 5, 7, 8]
    accuracies, predicted = {k: [] for k in sizes}, np.zeros(83, dtype=int)
    for train, test in stratified_folds(data.y, 5, random_state=0):
        ranking = S2FS(8).fit(data.X[train], data.y[train]).indices_
        low, high = data.X[train].min(axis=0), data.X[train].max(axis=0)
        scaled = (data.X - low) / (high - low)
        for k in sizes:
            model = KNeighborsClassifier(5).fit(scaled[train][:, ranking[:k]], data.y[train])
            said = model.predict(scaled[test][:, ranking[:k]])
            accuracies[k].append((said == data.y[test]).mean())
            if k == 3:
                predicted[test] = said
    for k in sizes:
        assert at(summary, k)["accuracy"] == pytest.approx(np.mean(accuracies[k]))
        assert at(summary, k)["accuracy_spread"] == pytest.approx(np.std(accuracies[k], ddof=1))
    table = np.zeros((4, 4), dtype=int)
    for of, said, n in at(summary, 3)["confusion"]:
        table[of, said] = n
    assert table.tolist() == confusion_matrix(data.y, predicted).tolist()
    means = [np.mean(accuracies[k]) for k in sizes]
    best = int(np.argmax(means))
    enough = means[best] - np.std(accuracies[sizes[best]], ddof=1) / 5**0.5
    assert summary["needed"] == next(
        k for k, mean in zip(sizes, means, strict=True) if mean >= enough
    )


def test_the_verdict_says_where_the_selection_stands(srbct):
    data, _, summary = srbct
    result = compare(data.X, data.y, k=8, selectors={"S²FS": S2FS(), "PairCover": PairCover()})
    headline, rest = summary["verdict"].values()
    row = result.rows[0]
    percent = f"{100 * row['accuracy']:.1f} ± {100 * row['accuracy_spread']:.1f}\u00a0%"
    assert headline == f"8 features get {percent} of unseen samples right."
    for name in ("PairCover", "ANOVA F", "all 2308 features", "chance"):
        assert name in rest
    said = {row["name"]: row["standing"] for row in at(summary, 8)["rows"]}
    assert said["PairCover"] == result.standing("PairCover")
    assert said["chance"] == "ahead of"


def test_noise_is_not_praised():
    """A leak would show as far better than the one third of chance."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 300)), np.arange(60) % 3
    summary = S2FS(10).fit(X, y).report(X, y).summary
    assert summary["verdict"]["headline"].startswith("Not shown to beat chance: ")
    assert max(one["accuracy"] for one in summary["by_size"]) < 0.55


def test_returns_and_stability_are_those_of_random_halves(srbct):
    data, _, summary = srbct
    halves = StabilitySelector(selector=S2FS(8), n_resamples=20).fit(data.X, data.y)
    for row in summary["features"]:
        assert row["returns"] == halves.frequencies_[row["index"]]
    for k in (3, 8):
        index = stability([half[:k] for half in halves.selected_], 2308)
        assert at(summary, k)["stability"] == index.value
    own = StabilitySelector(selector=S2FS(3), n_resamples=4).fit(data.X, data.y)
    summary = own.report(data.X, data.y).summary
    assert summary["run"]["n_halves"] == 4
    assert [row["returns"] for row in summary["features"]] == own.scores_.tolist()


def test_twins_are_the_most_correlated_of_all_features(srbct):
    data, selector, summary = srbct
    r = np.corrcoef(data.X, rowvar=False)
    np.fill_diagonal(r, 0)
    for row, f in zip(summary["features"], selector.indices_, strict=True):
        twin = int(np.abs(r[f]).argmax())
        assert row["twin"] == data.feature_names[twin]
        assert row["twin_r"] == pytest.approx(r[f, twin])
        assert (row["twin_rank"] is not None) == (twin in selector.indices_)


def test_redundant_pairs_are_counted_among_the_first_features():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    x = rng.normal(size=(40, 3)) + y[:, None]
    X = np.column_stack([x, x[:, 0] * 2 + 1, -x[:, 1] + 0.01 * rng.normal(size=40)])
    summary = Report(S2FS("all").fit(X, y), X, y).summary
    found = {tuple(sorted((p["one"], p["other"]))) for p in summary["redundant"]["rows"]}
    assert found == {("x0", "x3"), ("x1", "x4")}
    assert at(summary, 1)["redundant"] == 0
    assert at(summary, 5)["redundant"] == summary["redundant"]["total"] == 2


def test_class_pairs_by_definition(srbct):
    data, selector, summary = srbct
    scaled = minmax_scale(data.X)

    def apart(features, q, r):
        one, other = (scaled[data.y == c][:, features] for c in (q, r))
        spread = [np.linalg.norm(Z - Z.mean(axis=0), axis=1).mean() for Z in (one, other)]
        return np.linalg.norm(one.mean(axis=0) - other.mean(axis=0)) / np.mean(spread)

    rows = summary["pairs"]["rows"]
    assert len(rows) == summary["pairs"]["total"] == 6
    assert [row["after"] for row in rows] == sorted(row["after"] for row in rows)
    for row in rows:
        q, r = data.class_names.index(row["one"]), data.class_names.index(row["other"])
        assert row["before"] == pytest.approx(apart(slice(None), q, r))
        assert row["after"] == pytest.approx(apart(selector.indices_, q, r))
        distances = [one["apart"] for one in row["features"]]
        assert distances == sorted(distances, reverse=True)


@settings(max_examples=6, deadline=None)
@given(st.integers(2, 13), st.integers(0, 99))
def test_strips_hold_every_class_in_order(p, seed):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(p), 4)
    X = rng.normal(size=(4 * p, 3))
    strip = Report(AnovaF(1).fit(X, y), X, y).summary["features"][0]["strip"]
    (lanes,) = strip.values()
    assert len(lanes) == (p if p <= 10 else 2)
    assert all(0 <= place <= 150 for lane in lanes for place in lane)
    assert all(lane == sorted(lane) for lane in lanes)
    if p <= 10:
        assert min(map(min, lanes)) == 0
        assert max(map(max, lanes)) == 150


SELECTORS = [
    PairCover(4),
    AnovaF(1),
    FDM(3),
    S2FS("all"),
    SelectorCV(alphas=[0.1], betas=[0.1]),
    StabilitySelector(selector=S2FS(3), n_resamples=3),
    SelectKBest(k=3),
    SelectKBest(mutual_info_classif, k=2),
    RFE(DecisionTreeClassifier(random_state=0), n_features_to_select=3),
    SelectFromModel(DecisionTreeClassifier(random_state=0)),
    VarianceThreshold(),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: f"{type(s).__name__}")
def test_any_selector_and_its_python(selector, wine):
    """The code on the page, run by itself, selects the same features."""
    X, y = wine
    selector.fit(X, y)
    summary = Report(selector, X, y).summary
    names = {"X": X, "y": y}
    exec(summary["selector"]["code"], names)
    chosen = names["model"][0].get_feature_names_out().tolist()
    if "mutual_info" not in summary["selector"]["code"]:  # that one draws at random
        assert set(chosen) == {row["name"] for row in summary["features"]}
    assert names["model"].score(X, y) > 0.6
    assert summary["selector"]["ranked"] == (type(selector) not in
        (RFE, SelectFromModel, VarianceThreshold))  # fmt: skip
    assert summary["verdict"]["headline"].startswith(f"{len(chosen)} feature")
    assert "random" in [row["name"] for row in summary["by_size"][-1]["rows"]]


def test_a_reconstructed_baseline_is_called_so(wine):
    X, y = wine
    assert FGZEFSR.status == "reconstructed"
    summary = Report(FGZEFSR(2).fit(X, y), X, y).summary
    assert summary["by_size"][-1]["rows"][0]["name"] == "FGZEFSR (reconstructed)"
    assert summary["selector"]["citation"] == FGZEFSR.citation


def test_samples_keep_their_ids(wine):
    X, y = wine
    named = Report(S2FS(2).fit(X, y), X, y).summary["mistakes"]["rows"]
    counted = Report(S2FS(2).fit(X, y), X.reset_index(drop=True), y).summary["mistakes"]["rows"]
    assert named[0]["sample"].startswith("bottle ")
    i = int(named[0]["sample"].split()[1])
    assert counted[0]["sample"] == f"row {i + 1}"
    assert named[0]["class"] == y[i] != named[0]["taken_for"]


def test_ids_and_filled_values_of_a_dataset_are_kept(wine):
    X, y = wine
    classes, codes = np.unique(y, return_inverse=True)
    data = Dataset(X.to_numpy(), codes, X.columns.tolist(), classes.tolist())
    data.sample_ids, data.incomplete = X.index.tolist(), X.where(X.min() < X).to_numpy()
    data.imputer = SimpleImputer(strategy="most_frequent")
    inside = compare(data.incomplete, codes, k=2, selectors=[S2FS()], imputer=data.imputer)
    report = Report(S2FS(2).fit(data.X, data.y), data)
    assert report.summary["by_size"][-1]["accuracy"] == inside.rows[0]["accuracy"]
    assert report.summary["mistakes"]["rows"][0]["sample"].startswith("bottle ")
    n_filled = int(np.isnan(data.incomplete).sum())
    assert f"{n_filled}, filled in; in each fold from its training samples" in report.html


def test_mistakes_are_all_wrong_predictions(srbct):
    data, _, summary = srbct
    said = compare(data.X, data.y, k=8, selectors=[S2FS()]).predictions["S2FS"]
    wrong = np.flatnonzero(said != data.y)
    assert summary["mistakes"]["total"] == len(wrong) > 0
    assert [one["sample"] for one in summary["mistakes"]["rows"]] == [f"row {i + 1}" for i in wrong]


def test_data_that_cannot_be_cross_validated_say_why():
    X, y = np.random.default_rng(0).random((9, 4)), np.array([0, 0, 0, 0, 1, 1, 1, 1, 2])
    report = S2FS(2).fit(X, y).report(X, y)
    assert "single member" in report.summary["reason"]
    assert report.summary["by_size"][-1]["accuracy"] is None
    assert "Accuracy was not measured" in report.html


def test_missing_values_are_not_scored(wine):
    X, y = wine
    holes = X.copy()
    holes.iloc[0, 0] = np.nan
    report = PairCover(3).fit(holes, y).report(holes, y)
    assert report.summary["reason"] == "5 nearest neighbours cannot take missing values."
    assert report.summary["data"]["n_missing"] == 1
    assert "drawn as the median" in report.html
    with pytest.raises(ValueError, match="infinite"):
        Report(PairCover(3).fit(X, y), X.replace(X.iloc[0, 0], np.inf), y)


def test_the_data_are_recognised_again(wine):
    X, y = wine
    selector = S2FS(1).fit(X, y)
    runs = [Report(selector, table, y).summary["run"]["data_sha256"] for table in (X, X + 0, X + 1)]
    assert runs[0] == runs[1] != runs[2]


def test_wrong_input_is_one_sentence(wine):
    X, y = wine
    data = load_srbct()
    with pytest.raises(TypeError, match="DecisionTreeClassifier, which has no get_support"):
        Report(DecisionTreeClassifier(), X, y)
    with pytest.raises(ValueError, match="fitted on 5 features, but X has 13"):
        Report(S2FS(1).fit(X.iloc[:, :5], y), X, y)
    with pytest.raises(ValueError, match="y is None"):
        Report(S2FS(1).fit(X, y), X)
    with pytest.raises(ValueError, match="y is given, but X is a Dataset"):
        Report(S2FS(1).fit(data.X, data.y), data, data.y)
    data.image_shape = (3, 5)
    with pytest.raises(ValueError, match="image_shape is 3 × 5"):
        Report(S2FS(1).fit(data.X, data.y), data)


def test_sparse_data_are_made_dense_unless_too_large():
    from scipy.sparse import csc_array

    data = load_srbct()
    sparse = Dataset(csc_array(data.X), data.y, data.feature_names, data.class_names)
    sparse.image_shape = (4, 577)
    dense = made_dense(sparse)
    np.testing.assert_array_equal(dense.X, data.X)
    assert dense.image_shape == (4, 577)
    large = sparse._replace(X=csc_array((1 << 13, 1 << 12)))
    with pytest.raises(ValueError, match="report needs a dense table"):
        made_dense(large)


def test_a_frame_of_polars_is_read(wine):
    polars = pytest.importorskip("polars")
    X, y = wine
    frame = polars.DataFrame(X.reset_index(drop=True))
    summary = Report(S2FS(2).fit(X, y), frame, y).summary
    assert summary["features"][0]["name"] == "flavanoids"
    assert isinstance(X, pd.DataFrame)
