"""Selection in the engine that holds the table: the path of a fit in memory."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

import inner
from s2fs import S2FS, PairCover
from s2fs.baselines import AnovaF


def make_table(n=300, m=23, n_classes=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n, m)) + rng.normal(size=(n_classes, m))[y] * rng.uniform(size=m)
    return X, np.array([f"class {code}" for code in y])


def as_columns(X, y):
    return {**{f"f{j}": X[:, j] for j in range(X.shape[1])}, "kind": y}


def assert_same(lazy, local, rtol=1e-9):
    np.testing.assert_array_equal(lazy.indices_, local.indices_)
    np.testing.assert_allclose(lazy.scores_, local.scores_, rtol=rtol, atol=1e-12)
    np.testing.assert_array_equal(lazy.classes_, local.classes_)
    np.testing.assert_array_equal(lazy.class_pairs_["first"], local.class_pairs_["first"])
    np.testing.assert_allclose(lazy.class_distances_, local.class_distances_, rtol=rtol, atol=1e-9)


def test_the_path_is_that_of_a_fit_in_memory(as_lazy, monkeypatch):
    monkeypatch.setattr(inner.lazy_moments, "BATCH", 7)  # several batches, the last one short
    X, y = make_table()
    selector = PairCover("all", correlation=0).fit(as_lazy(as_columns(X, y)), y="kind")
    assert_same(selector, PairCover("all", correlation=0).fit(X, y))
    assert selector.feature_names_.tolist() == [f"f{j}" for j in selector.indices_]
    assert selector.n_features_in_ == 23


@pytest.mark.filterwarnings("ignore:Few samples decide")  # says the fit in memory
def test_missing_values_as_null_and_as_nan(as_lazy):
    X, y = make_table(200, 12)
    rng = np.random.default_rng(1)
    X[rng.uniform(size=X.shape) < 0.2] = np.nan
    X[y == "class 0", 3] = np.nan  # nothing is known of one class
    X[:, 5] = np.nan  # nor of any
    X[2:, 6] = np.nan
    columns = as_columns(X, y)
    for j in (1, 3, 5):
        columns[f"f{j}"] = [None if np.isnan(value) else value for value in X[:, j]]
    columns["f5"] = pl.Series(columns["f5"], dtype=pl.Float64)
    selector = PairCover("all", correlation=0).fit(as_lazy(columns), y="kind")
    assert_same(selector, PairCover("all", correlation=0).fit(X, y))


@pytest.mark.parametrize("offset", [1e6, -1e9])
def test_a_large_offset_costs_no_digits(as_lazy, offset):
    X, y = make_table(400, 6, seed=2)
    X = np.round(X * 2**10) / 2**10  # so that the offset takes nothing from the values themselves
    selector = PairCover("all", correlation=0).fit(as_lazy(as_columns(X + offset, y)), y="kind")
    assert_same(selector, PairCover("all", correlation=0).fit(X, y), rtol=1e-8)


def test_first_samples_that_are_far_from_all_others(as_lazy):
    X, y = make_table(400, 3, seed=3)
    X = np.round(X * 2**10) / 2**10 + 1e9
    X[:150, 0] = np.nan  # the first samples tell nothing of this feature
    selector = PairCover("all", correlation=0).fit(as_lazy(as_columns(X, y)), y="kind")
    assert_same(selector, PairCover("all", correlation=0).fit(X - 1e9, y), rtol=1e-8)


def test_copies_constants_and_ties(as_lazy):
    X, y = make_table(150, 6, seed=4)
    X[::5, 3] = np.nan
    X = np.column_stack([X, X[:, 0], -2 * X[:, 1] + 5, np.full(150, 3.0), X[:, 3], X[:, 2]])
    X[7, 10] = np.nan  # almost a copy of 2, but not where a value is missing
    selector = PairCover("all", correlation=0).fit(as_lazy(as_columns(X, y)), y="kind")
    assert_same(selector, PairCover("all", correlation=0).fit(X, y))
    assert set(selector.indices_[-4:].tolist()) == {6, 7, 8, 9}


@pytest.mark.filterwarnings("ignore:(Few|One) sample")  # says the fit in memory
def test_one_row_makes_no_copies(as_lazy):
    """A value of 10⁹ in one row makes |r| = 1 between columns with nothing else in common."""
    X, y = make_table(90, 8, seed=7)
    X = np.column_stack([X, 3 - X[:, :4]])
    X[17, [0, 1, 2, 7, 8]] = 1e9
    X[:, 5] = X[:, 6] = np.where(np.arange(90) == 40, 1.0, 0.0)  # a word found in one text
    selector = PairCover("all").fit(as_lazy(as_columns(X, y)), y="kind")
    assert_same(selector, PairCover("all", correlation=0).fit(X, y))


def test_copies_in_the_classes_that_count(as_lazy):
    X, y = make_table(150, 6, seed=4)
    X = np.column_stack([X, X[:, 0], -2 * X[:, 1] + 5])
    X[np.ix_(y == "class 1", [6, 7])] = 0.0  # other values, of samples that do not count
    selector = PairCover("all", class_weight={"class 1": 0.0})
    lazy = clone(selector).fit(as_lazy(as_columns(X, y)), y="kind")
    assert_same(lazy, selector.set_params(correlation=0).fit(X, y))
    assert set(lazy.indices_[-2:].tolist()) == {6, 7}


@pytest.mark.parametrize("dtype", ["int64", "bool", "float32", "str"])
def test_types_of_features_and_labels(as_lazy, dtype):
    X, y = make_table(120, 5, seed=5)
    X = np.round(4 * X)
    labels = {"int64": np.unique(y, return_inverse=True)[1], "bool": y < "class 2"}.get(dtype, y)
    columns = as_columns(X.astype("float32") if dtype == "float32" else X, labels)
    if dtype == "int64":
        columns |= {f"f{j}": X[:, j].astype("int64") for j in range(5)}
    if dtype == "bool":
        X[:, 0] = X[:, 0] > 0
        columns["f0"] = X[:, 0] > 0
    selector = PairCover(4, correlation=0).fit(as_lazy(columns), y="kind")
    assert_same(selector, PairCover(4, correlation=0).fit(X, labels))


@pytest.mark.parametrize(
    "options",
    [
        {"class_weight": "balanced"},
        {"class_weight": {"class 0": 3.0, "class 1": 0.0}},
        {"include": [4], "exclude": [0, 1]},
        {"feature_groups": [[0, 1], [5, 2]]},
        {"min_per_class": 1},
    ],
    ids=str,
)
def test_options_that_need_no_samples(options):
    X, y = make_table(200, 8, seed=6)
    frame = pl.DataFrame(as_columns(X, y)).lazy()
    assert_same(
        PairCover(5, correlation=0, **options).fit(frame, y="kind"),
        PairCover(5, correlation=0, **options).fit(X, y),
    )


@pytest.mark.parametrize(
    ("selector", "beside", "what"),
    [
        (PairCover(correlation=0.25), {}, r"correlation=0\.25"),
        (PairCover(correlation=0, scale="rank"), {}, "scale='rank'"),
        (PairCover(correlation=0, max_correlation=0.9), {}, r"max_correlation=0\.9"),
        (PairCover("auto", correlation=0), {}, "n_features_to_select='auto'"),
        (PairCover(correlation=0), {"sample_weight": np.ones(300)}, "sample_weight"),
        (PairCover(correlation=0), {"covariates": np.ones(300)}, "covariates"),
        (PairCover(correlation=0), {"groups": np.ones(300)}, "groups"),
        (S2FS(), {}, "S2FS"),
        (AnovaF(), {}, "AnovaF"),
    ],
)
def test_what_needs_samples_is_refused(selector, beside, what):
    frame = pl.DataFrame(as_columns(*make_table())).lazy()
    words = f"^{what} needs .*, but X is a lazy frame; collect it, or .*\\.$"
    with pytest.raises(ValueError, match=words):
        selector.fit(frame, "kind", **beside)


def test_substitutes_need_correlations():
    frame = pl.DataFrame(as_columns(*make_table())).lazy()
    selector = PairCover(3).fit(frame, "kind")
    with pytest.raises(ValueError, match="substitutes needs the correlations over all samples"):
        selector.substitutes(frame, "kind")


def test_the_default_correlation_is_0(as_lazy):
    X, y = make_table(120, 6)
    selector = PairCover(4).fit(as_lazy(as_columns(X, y)), y="kind")
    assert selector.correlation_ == 0
    assert_same(selector, PairCover(4, correlation=0).fit(X, y))


def test_errors_say_what_to_do(as_lazy, monkeypatch):
    X, y = make_table(60, 3)
    columns = as_columns(X, y)

    def fit(columns, target="kind"):
        return PairCover(2, correlation=0).fit(as_lazy(columns), target)

    with pytest.raises(ValueError, match=r"y is a ndarray; give y as the name of the column of X"):
        fit(columns, y)
    with pytest.raises(ValueError, match=r"y is 'kid', but X has no .*did you mean 'kind'"):
        fit(columns, "kid")
    with pytest.raises(ValueError, match=r"X has columns that are not numeric: 'name'; drop"):
        fit({**columns, "name": y})
    with pytest.raises(ValueError, match=r"X has no column beside 'kind'"):
        fit({"kind": y})
    with pytest.raises(ValueError, match="one class only"):
        fit({**columns, "kind": np.zeros(60, int)})
    with pytest.raises(ValueError, match=r"'kind' is missing in 2 samples; filter"):
        fit({**columns, "kind": [None, None, *y[2:]]})
    with pytest.raises(ValueError, match=r"fractions such as"):
        fit({**columns, "kind": X[:, 0]})
    X[4, 1] = np.inf
    with pytest.raises(ValueError, match=r"infinity in column 'f1'"):
        fit(as_columns(X, y))
    monkeypatch.setattr(inner.summary, "MAX_CLASSES", 3)
    with pytest.raises(ValueError, match=r"'kind' has 4 different values, more than 3 classes"):
        fit(columns)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("INSERT INTO samples SELECT * FROM samples LIMIT 1", "samples of class .*, and has"),
        ("DELETE FROM samples WHERE kind = 'class 1'", "class 'class 1' .*, and has 0 samples now"),
        ("UPDATE samples SET kind = 'new' WHERE kind = 'class 0'", "of class 'class 0' when"),
    ],
)
def test_a_table_that_changes_is_told(monkeypatch, change, words):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("columns", pl.DataFrame(as_columns(*make_table(m=5))).to_arrow())
    connection.execute("CREATE TABLE samples AS SELECT * FROM columns")
    query = inner.lazy_moments._query_shift

    def change_first(*arguments):  # after the classes were counted
        connection.execute(change)
        return query(*arguments)

    monkeypatch.setattr(inner.lazy_moments, "_query_shift", change_first)
    with pytest.raises(ValueError, match=f"'kind' had .*{words}.*wait until nobody writes"):
        PairCover(2).fit(connection.table("samples"), "kind")
