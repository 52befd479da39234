"""One table wherever it is: the same features, the same refusals, and what is hard to sum up."""

from itertools import pairwise

import dask.array as da
import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from dask import delayed

from s2fs import S2FS, PairCover, s2fs_paths


def table():
    """An identifier, text, gaps, a constant, and a duplicated column."""
    rng = np.random.default_rng(3)
    y = np.sort(rng.integers(0, 3, 120))
    X = rng.normal(size=(120, 6)) + rng.normal(size=(3, 6))[y]
    X[rng.random(X.shape) < 0.05] = np.nan
    frame = pd.DataFrame(X, columns=[f"gene {f}" for f in range(6)])
    frame.insert(0, "patient", np.arange(120))
    frame.insert(2, "note", np.where(y, "well", "ill"))
    frame.insert(4, "flat", 7)
    frame["again"] = 3 - 2 * frame["gene 2"]
    return frame, pd.Series(np.array(["a", "b", "c"])[y], name="kind")


def in_memory(selector, X, y):
    return selector.set_params(correlation=0).fit(X, y)


def on_dask(selector, X, y):
    return selector.fit(dd.from_pandas(X, npartitions=5), dd.from_pandas(y, npartitions=5))


def on_duckdb(selector, X, y):
    whole = X.assign(kind=y)
    database = duckdb.connect()
    database.register("whole", whole)
    database.execute("CREATE TABLE samples AS SELECT * FROM whole")
    return selector.fit(database.table("samples"), "kind")


def on_polars(selector, X, y):
    return selector.fit(pl.from_pandas(X.assign(kind=y)).lazy(), "kind")


def in_batches(selector, X, y):
    for start in range(0, 120, 17):
        selector.partial_fit(X[start : start + 17], y[start : start + 17])
    return selector


ELSEWHERE = [on_dask, on_duckdb, on_polars]


@pytest.mark.parametrize("place", ELSEWHERE)
def test_the_same_columns_are_refused_and_the_same_features_selected(place):
    X, y = table()
    told = []
    for fit in (in_memory, place):
        with pytest.raises(ValueError, match=r"'note'") as raised:
            fit(PairCover(4), X, y)
        told.append(str(raised.value))
    assert told[0] == told[1] == "X has columns that are not numeric: 'note'; drop or encode them."
    X = X.drop(columns="note")
    for options in ({}, {"class_weight": "balanced"}, {"exclude": ["patient"], "min_per_class": 1}):
        local = in_memory(PairCover(6, **options), X, y)
        there = place(PairCover(6, **options), X, y)
        assert there.feature_names_.tolist() == local.feature_names_.tolist()
        assert {"gene 2", "again"} - set(there.feature_names_)
        assert "flat" not in there.feature_names_
        np.testing.assert_allclose(there.scores_, local.scores_, rtol=1e-9)
        assert there.correlation_ == 0
        assert there.n_features_in_ == X.shape[1]


@pytest.mark.parametrize("place", ELSEWHERE)
def test_the_same_notes(place):
    X, y = table()
    flat = X[["flat"]].assign(other=1)
    for fit in (in_memory, place):
        with pytest.warns(UserWarning, match="Every feature of X is constant"):
            fit(PairCover(1), flat, y)
        with pytest.warns(UserWarning, match="n_features_to_select=9 is more than the 8 features"):
            fit(PairCover(9), X.drop(columns=["note", "again"]), y)


def test_batches_may_select_a_copy():
    X, y = table()
    X = X.drop(columns="note")
    best = in_memory(PairCover(1), X, y).feature_names_[0]
    X["again"] = 3 - 2 * X[best]
    assert in_memory(PairCover(8), X, y).feature_names_[-1] in (best, "again")
    assert {best, "again"} <= set(in_batches(PairCover(3), X, y).feature_names_)
    single = X.drop(columns="again")
    local = in_memory(PairCover(4), single, y).feature_names_.tolist()
    assert in_batches(PairCover(4), single, y).feature_names_.tolist() == local


@pytest.mark.parametrize("kind", [S2FS, PairCover])
def test_substitutes_and_paths_are_found_where_the_samples_are(client, kind):
    X, y = table()
    X = X.drop(columns=["note", "flat"]).fillna(0.0)
    parts = dd.from_pandas(X, npartitions=4)
    labels = dd.from_pandas(y, npartitions=4)
    selector = kind(3) if kind is S2FS else kind(3, correlation=0)
    selector.fit(X, y)
    pd.testing.assert_frame_equal(
        selector.substitutes(parts, labels, 0.2), selector.substitutes(X, y, 0.2)
    )
    here, there = (s2fs_paths(*data, 3, [0.0316, 1], [0.1]) for data in ((X, y), (parts, labels)))
    np.testing.assert_array_equal(here.indices, there.indices)
    np.testing.assert_allclose(here.scores, there.scores, rtol=1e-9)


def chunked(X, sizes):
    """A Dask array with chunks of these sizes, whose lengths only the chunks know."""
    ends = np.cumsum([0, *sizes])
    parts = [
        da.from_delayed(delayed(X[a:b]), shape=(b - a, *X.shape[1:]), dtype=X.dtype)
        for a, b in pairwise(ends)
    ]
    return da.concatenate(parts)


@pytest.mark.parametrize("selector", [
    PairCover(8, correlation=0),
    PairCover(8, correlation=0, max_correlation=0.9),
    S2FS(8),
    S2FS(8, scale="minmax"),
    S2FS(8, max_correlation=0.9),
], ids=str)  # fmt: skip
@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_what_is_hard_to_sum_up(client, selector, offset):
    """Constant inside a class, a large offset, weights 0, an empty chunk, a class in one chunk."""
    rng = np.random.default_rng(8)
    y = np.sort(np.concatenate([np.arange(4), rng.integers(0, 4, 116)]))
    X = np.round((rng.normal(size=(120, 12)) + rng.normal(size=(4, 12))[y]) * 2**10) / 2**10
    X[:, 2] = y % 2  # constant inside every class
    X[y == 1, 3] = 0.5  # constant inside one
    X[:, 4] *= 2.0**-8  # beside the offset it hardly varies
    X = X + offset
    X[:, 5] = 0.1 + offset
    weight = rng.integers(0, 3, 120)
    weight[y == 3] = np.maximum(weight[y == 3], 1)
    last = int((y == 3).sum())
    sizes = (7, 0, 33, 120 - 40 - last, last, 0)
    for given in ({}, {"sample_weight": weight}):
        local = selector.fit(X, y, **given).indices_.tolist()
        assert selector.fit(chunked(X, sizes), y, **given).indices_.tolist() == local


@pytest.mark.parametrize("selector", [PairCover(2), S2FS(2), S2FS(2, scale="minmax")], ids=str)
def test_values_that_are_refused_are_named(client, selector):
    X = np.random.default_rng(0).normal(size=(60, 4))
    frame = pd.DataFrame(X, columns=["ash", "hue", "tin", "zinc"])
    y = np.arange(60) % 2
    for value, words in ((np.inf, "infinity"), (-np.inf, "infinity"), (np.nan, "NaN")):
        frame.loc[50, "hue"] = value
        if value != value and isinstance(selector, PairCover):
            continue  # it is missing
        with pytest.raises(ValueError, match=f"^X has {words} in column 'hue'; drop them"):
            selector.fit(dd.from_pandas(frame, npartitions=3), y)
