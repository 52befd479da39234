"""Missing values: filled in, left out or kept; in the folds by the training rows alone."""

import json

import literal_evaluation as literal
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from sklearn.feature_selection import SelectKBest
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from s2fs import S2FS, PairCover, compare
from s2fs.cli import main
from s2fs.evaluation import evaluate_selector, prefix_curves, stratified_folds
from s2fs.io import read_table

RNG = np.random.default_rng(1)
Y = np.arange(40) % 2
WHOLE = RNG.normal(size=(40, 6)) + Y[:, None] * np.linspace(1.5, 0, 6)
X = np.where(RNG.random(WHOLE.shape) < 0.15, np.nan, WHOLE)
X[:30, 5] = np.nan
NAMES = list("abcdef")


@pytest.fixture
def path(tmp_path):
    pd.DataFrame(X, columns=NAMES).assign(y=Y).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


@pytest.mark.parametrize(
    ("kind", "imputer"), [("median", SimpleImputer(strategy="median")), ("knn", KNNImputer())]
)
def test_filled_in_as_scikit_learn_does(path, kind, imputer):
    data = read_table(path, "y", impute=kind)
    np.testing.assert_allclose(data.X, imputer.fit_transform(X), rtol=1e-12)
    np.testing.assert_array_equal(data.incomplete, X)
    table, again = data.for_folds()
    assert np.shares_memory(table, data.incomplete)
    np.testing.assert_allclose(again.fit_transform(table), data.X)
    assert read_table(path, "y", impute=kind, drop=NAMES[1:5]).imputer is not None


def test_nothing_to_fill_in(tmp_path):
    file = tmp_path / "t.csv"
    pd.DataFrame(WHOLE, columns=NAMES).assign(y=Y).to_csv(file, index=False)
    data = read_table(file, "y", impute="median")
    assert (data.imputer, data.incomplete) == (None, None)
    assert np.shares_memory(data.for_folds()[0], data.X)


def test_kept_for_a_selector_that_takes_them(path):
    data = read_table(path, "y", impute="keep")
    np.testing.assert_array_equal(data.X, X)
    assert PairCover(2).fit(data.X, data.y).indices_[0] == 0
    for options in ([], ["--impute", "keep"]):
        command = ["select", str(path), "-t", "y", "--method", "paircover", "-k", "2", *options]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output
        assert result.stdout.splitlines()[1].split()[:2] == ["1", "a"]
        verdict = " ".join(result.stdout.split())
        assert "Accuracy on held-out samples (logistic regression, 5 × 5 folds" in verdict
        found = evaluate_selector(PairCover(2), X, Y, n_selected=2)
        assert found.verdict in verdict
    command = ["select", str(path), "-t", "y", "--method", "s2fs", "--impute", "keep"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 2
    assert "SimpleImputer" in result.stderr


def test_columns_with_many_gaps_are_left_out(path):
    with pytest.warns(UserWarning, match=r"lacks more than 50% .* 1 column, 'f'"):
        data = read_table(path, "y", drop_missing=0.5, impute="median")
    assert data.feature_names == NAMES[:5]
    with pytest.raises(ValueError, match=r"`drop_missing` is 7; give a share"):
        read_table(path, "y", drop_missing=7)


def folds(seed=0):
    return list(stratified_folds(Y, 5, random_state=seed))


def test_compare_fills_in_inside_the_folds():
    """The same as a pipeline of scikit-learn that is fitted on the training rows."""
    imputer, learner = SimpleImputer(strategy="median"), KNeighborsClassifier(3)
    found = compare(X, Y, k=2, selectors=[SelectKBest()], learner=learner, imputer=imputer)
    pipeline = make_pipeline(imputer, SelectKBest(k=2), MinMaxScaler(), learner)
    every = [fold for seed in range(5) for fold in folds(seed)]
    said = np.empty((5, len(Y)), dtype=int)
    for number, (a, b) in enumerate(every):
        said[number // 5, b] = pipeline.fit(X[a], Y[a]).predict(X[b])
    np.testing.assert_array_equal(found.predictions["SelectKBest"], said)
    bare = compare(X, Y, k=2, selectors=[SelectKBest()], learner=learner)
    np.testing.assert_array_equal(bare.predictions["SelectKBest"], said)
    before = imputer.fit_transform(X)
    leaky = compare(before, Y, k=2, selectors=[SelectKBest()], learner=learner)
    assert not np.array_equal(leaky.predictions["SelectKBest"], said)


def test_curves_fill_in_inside_the_folds():
    imputer, learner = SimpleImputer(), LogisticRegression()
    found = prefix_curves(X, Y, S2FS(2), learners={"l": learner}, sizes=[2], cv=5, imputer=imputer)
    pipeline = make_pipeline(imputer, S2FS(2), MinMaxScaler(), learner)
    right = [(pipeline.fit(X[a], Y[a]).predict(X[b]) == Y[b]).sum() for a, b in folds()]
    assert found["l"].values[0] == pytest.approx(sum(right) / 40)


def test_the_command_line_fills_in_inside_the_folds(path, tmp_path):
    out = tmp_path / "c.json"
    command = ["compare", str(path), "-t", "y", "--impute", "median", "-k", "2", "-o", str(out)]
    result = CliRunner().invoke(main, [*command, "--repeats", "2"])
    assert result.exit_code == 0, result.output
    rows = [row for row in json.loads(out.read_text()) if row["k"] == 2]
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    found = compare(X, Y, k=2, imputer=imputer, n_repeats=2)
    assert [row["accuracy"] for row in rows] == [row.scores["accuracy"].value for row in found.rows]
    pipeline = make_pipeline(imputer, S2FS(2), literal.make_learner())
    right = [
        (pipeline.fit(X[a], Y[a]).predict(X[b]) == Y[b]).sum()
        for seed in range(2)
        for a, b in folds(seed)
    ]
    assert rows[1]["accuracy"] == pytest.approx(sum(right) / 80)


def test_python_errors_name_the_imputer():
    with pytest.raises(ValueError, match=r"'a'; .*SimpleImputer.* S2FS\(\)\); PairCover takes NaN"):
        S2FS(2).fit(pd.DataFrame(WHOLE, columns=NAMES).assign(a=np.nan), Y)


def test_categories_of_numbers_are_numbers_and_lazy_frames_are_refused():
    frame = pd.DataFrame(WHOLE, columns=NAMES)
    frame["a"] = np.round(frame["a"])
    truth = S2FS(3).fit(frame, Y).indices_
    categories = frame.astype({"a": "category"})
    np.testing.assert_array_equal(S2FS(3).fit(categories, Y).indices_, truth)
    np.testing.assert_array_equal(PairCover(3).fit(categories, Y).indices_,
                                  PairCover(3).fit(frame, Y).indices_)  # fmt: skip
    with pytest.raises(ValueError, match="X is a lazy frame"):
        S2FS(3).fit(pl.DataFrame(frame.to_dict("list")).lazy(), Y)
