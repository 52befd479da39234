import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import minmax_scale

from s2fs import S2FS, PairCover, separability
from strategies import problems


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


@pytest.mark.parametrize(("name", "load"), [("wine", load_wine), ("iris", load_iris)])
@pytest.mark.parametrize("row", range(3))
def test_vectors_of_the_spec(vectors, name, load, row):
    X, y = load(return_X_y=True)
    expected = vectors[name][row]
    weights = {"alpha": expected["alpha"], "beta": expected["beta"]}
    selector = S2FS(X.shape[1], **weights, scale="minmax").fit(X, y)
    assert selector.indices_.tolist() == expected["ranking"]
    np.testing.assert_allclose(selector.scores_, expected["scores"], atol=1e-9, rtol=0)


def test_fitted_attributes(wine):
    X, y = wine
    selector = S2FS(4).fit(X, y)
    assert selector.indices_.shape == selector.scores_.shape == selector.path_.shape == (4,)
    assert selector.support_.sum() == 4
    assert selector.ranking_[selector.indices_].tolist() == [1, 2, 3, 4]
    assert set(selector.ranking_[~selector.support_]) == {5}
    assert selector.classes_.tolist() == [0, 1, 2]
    np.testing.assert_allclose(np.cumsum(selector.path_["gain"]), selector.scores_)
    np.testing.assert_array_equal(selector.transform(X), X.iloc[:, np.sort(selector.indices_)])


@pytest.mark.parametrize(("wanted", "selected"), [(13, 13), (1.0, 13), (0.5, 6), (0.01, 1)])
def test_number_and_fraction(wine, wanted, selected):
    assert len(S2FS(wanted).fit(*wine).indices_) == selected


# Generic values: with ties the smaller index wins, and an index does depend on the order.
generic = st.tuples(
    st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(12, 40), st.integers(2, 10)
)


def draw_generic(seed, p, n, m):
    rng = np.random.default_rng(seed)
    return rng, rng.normal(size=(n, m)) + np.arange(n)[:, None] % p, np.arange(n) % p


@given(generic)
def test_invariances(sizes):
    rng, X, y = draw_generic(*sizes)
    m = X.shape[1]
    selector = S2FS(m).fit(X, y)

    def same(other, columns=slice(None)):
        expected = np.arange(m)[columns]
        assert expected[other.indices_].tolist() == selector.indices_.tolist()
        np.testing.assert_allclose(other.scores_, selector.scores_, rtol=1e-9)

    rows, columns = rng.permutation(len(X)), rng.permutation(m)
    same(S2FS(m).fit(X[rows], y[rows]))
    same(S2FS(m).fit(X[:, columns], y), columns)
    same(S2FS(m).fit(X, np.array(["e", "a", "d", "b", "c"])[y]))
    same(S2FS(m).fit(X * rng.uniform(0.1, 1e6, m) + rng.uniform(-1e3, 1e3, m), y))


@pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")
@given(problems(max_samples=20, max_features=6))
def test_duplicated_table_changes_nothing(data):
    X, y = data
    once, twice = (S2FS(1.0).fit(np.repeat(X, r, axis=0), np.repeat(y, r)) for r in (1, 2))
    assert once.indices_.tolist() == twice.indices_.tolist()
    np.testing.assert_allclose(once.scores_, twice.scores_, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float32, bool])
def test_input_types(dtype):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 3
    X = (rng.integers(0, 50, (40, 8)) + 5 * y[:, None]).astype(dtype)
    a, b = S2FS(5).fit(X, y), S2FS(5).fit(X.astype(np.float64), y)
    assert a.indices_.tolist() == b.indices_.tolist()
    np.testing.assert_allclose(a.scores_, b.scores_, rtol=1e-9)


def test_huge_offsets():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = np.round((rng.normal(size=(60, 6)) + y[:, None]) * 1024) / 1024  # exact at 1e9 too
    near, far = S2FS(6).fit(X, y), S2FS(6).fit(X + 1e9, y)
    assert near.indices_.tolist() == far.indices_.tolist()
    np.testing.assert_allclose(near.scores_, far.scores_, rtol=1e-9)


def test_scale_none_keeps_the_units():
    X, y = load_iris(return_X_y=True)
    X = X * [1, 1, 1, 1000]
    wide = S2FS(4, scale=None, alpha=0, beta=0).fit(X, y)
    assert wide.scores_[-1] == pytest.approx(separability(X, y, 0, 0), rel=1e-12)
    assert wide.scores_[-1] != pytest.approx(S2FS(4, alpha=0, beta=0).fit(X, y).scores_[-1])


@pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")
def test_classes_of_one_instance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 4))
    with pytest.warns(UserWarning, match="Classes 1, 2, 3 have fewer than two samples, so what"):
        selector = S2FS(4).fit(X, [0, 0, 0, 0, 0, 0, 1, 2, 3])
    assert selector.classes_.tolist() == [0, 1, 2, 3]
    assert np.isfinite(selector.scores_).all()
    points = S2FS(4).fit(X, np.arange(9)).path_  # every class is a point
    assert (points["sep"] > 1e9).all()
    first = [(S2FS(1).fit(X[:, [f]], np.arange(9)).scores_[0], f) for f in range(4)]
    assert points["feature"][0] == max(first)[1]


def test_pandas_and_polars(wine):
    X, y = wine
    plain = S2FS(3).fit(X.to_numpy(), y.to_numpy())
    for frame, labels in ((X, y), (pl.from_pandas(X), pl.from_pandas(y))):
        selector = S2FS(3).fit(frame, labels)
        assert selector.indices_.tolist() == plain.indices_.tolist()
        assert selector.feature_names_in_.tolist() == list(X.columns)
    out = S2FS(3).set_output(transform="pandas").fit_transform(X, y)
    assert list(out.columns) == [X.columns[f] for f in np.sort(plain.indices_)]
    assert isinstance(S2FS(3).set_output(transform="polars").fit_transform(X, y), pl.DataFrame)


def test_pipeline_grid_search_clone_pickle(wine):
    X, y = wine
    pipeline = make_pipeline(S2FS(5), KNeighborsClassifier())
    assert cross_val_score(pipeline, X, y).mean() > 0.6
    grid = GridSearchCV(
        pipeline, {"s2fs__alpha": [0.01, 1.0], "s2fs__n_features_to_select": [2, 5]}
    )
    assert grid.fit(X, y).best_estimator_[0].n_features_in_ == 13
    selector = S2FS(3, beta=0.1).fit(X, y)
    assert clone(selector).get_params() == selector.get_params()
    again = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(again.path_, selector.path_)


def test_ranking_table(wine, monkeypatch):
    X, y = wine
    selector = S2FS(3).fit(X, y)
    table = selector.ranking_table()
    assert isinstance(table, pd.DataFrame)
    columns = [
        "rank",
        "feature",
        "sep",
        "gain",
        "theta_dis",
        "theta_dir",
        "lambda_dis",
        "lambda_dir",
    ]
    assert list(table.columns) == columns
    assert table["feature"].tolist() == [X.columns[f] for f in selector.indices_]
    monkeypatch.setitem(sys.modules, "pandas", None)  # importing it now fails
    assert isinstance(selector.ranking_table(), pl.DataFrame)
    monkeypatch.setitem(sys.modules, "polars", None)
    plain = selector.ranking_table()
    assert plain.dtype.names == tuple(columns)
    assert plain["sep"].tolist() == table["sep"].tolist()


def test_paper_datasets_are_selected_as_the_literal_criterion_would(paper_data):
    """The first three genes of a real table, with the criterion recomputed from scratch."""
    X, y = paper_data("srbct")
    X = X[:, :300]
    scaled = minmax_scale(X)
    selector = S2FS(3).fit(X, y)
    for step in range(3):
        before = selector.indices_[:step]
        left = np.setdiff1d(np.arange(300), before)
        seps = [separability(scaled[:, [*before, f]], y) for f in left]
        assert left[np.argmax(seps)] == selector.indices_[step]


@pytest.mark.parametrize("cls", [S2FS, PairCover])
def test_number_of_features_may_be_one_of_numpy(cls):
    X, y = load_wine(return_X_y=True)
    for k in (np.int64(3), np.float64(0.25)):
        assert cls(k).fit(X, y).indices_.tolist() == cls(3).fit(X, y).indices_.tolist()


def test_more_threads_than_cores_take_no_more_memory():
    X, y = load_wine(return_X_y=True)
    assert S2FS(3, n_jobs=10**6).fit(X, y).indices_.tolist() == S2FS(3).fit(X, y).indices_.tolist()
