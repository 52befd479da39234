"""PairCover on a cluster: one pass over the samples gives the selection of one machine."""

from itertools import pairwise

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client
from hypothesis import given
from hypothesis import strategies as st
from literal_pair_cover import moments
from scipy.sparse import coo_array, csr_array
from sklearn.base import clone

import inner
from inner import merge_summaries
from s2fs import S2FS, PairCover
from strategies import examples, problems


def problem(seed, n=90, m=12, p=4):
    """Classes in noise, sorted so that most chunks lack some, with a copy and a constant."""
    rng = np.random.default_rng(seed)
    y = np.sort(np.concatenate([np.arange(p), rng.integers(0, p, n - p)]))
    X = 5 + rng.normal(size=(n, m)) + rng.normal(size=(p, m))[y]
    X[:, 3] = X[:, 1]
    X[:, 5] = 0.1
    X[:, 6:] += rng.normal(size=(n, 1))  # so that correlations are above chance
    return X, y


def assert_same(on_cluster, local):
    np.testing.assert_array_equal(on_cluster.indices_, local.indices_)
    np.testing.assert_allclose(on_cluster.scores_, local.scores_, rtol=1e-9)
    np.testing.assert_array_equal(on_cluster.classes_, local.classes_)
    np.testing.assert_allclose(on_cluster.correlation_, local.correlation_, rtol=1e-9)
    np.testing.assert_allclose(
        on_cluster.class_distances_, local.class_distances_, rtol=1e-8, atol=1e-12
    )
    for name in ("feature", "first", "second"):
        # Where a feature serves no pair, rounding decides which one it serves most.
        serves = local.class_pairs_["before"] - local.class_pairs_["after"] > 1e-12
        np.testing.assert_array_equal(
            on_cluster.class_pairs_[name][serves], local.class_pairs_[name][serves]
        )


@pytest.mark.parametrize("options", [
    {},
    {"class_weight": {0: 2.0, 3: 0.0}},
    {"class_weight": "balanced"},
    {"include": [7], "exclude": [0, 1]},
    {"feature_groups": [[0, 8], [2, 9]]},
    {"min_per_class": 1},
    {"n_features_to_select": 1.0},
], ids=str)  # fmt: skip
def test_options_mean_the_same(client, options):
    X, y = problem(3)
    options = {"n_features_to_select": 5} | options
    dask_X = da.from_array(X, chunks=((1, 0, 40, 0, 2, 47, 0), 12))
    on_cluster = PairCover(**options).fit(dask_X, y)
    assert on_cluster.correlation_ == 0
    assert_same(on_cluster, PairCover(**options, correlation=0).fit(X, y))


@pytest.mark.parametrize("options", [
    {}, {"class_weight": {0: 2.0, 3: 0.0}}, {"max_correlation": 0.9}
], ids=str)  # fmt: skip
def test_without_a_client_dask_does_the_same_here(options):
    X, y = problem(3)
    frame = pd.DataFrame(X).add_prefix("gene ")
    selector = PairCover(5, **options).fit(dd.from_pandas(frame, npartitions=4), y)
    assert_same(selector, PairCover(5, **options, correlation=0).fit(frame, y))
    assert selector.feature_names_in_.tolist() == frame.columns.tolist()


def test_weights_missing_values_and_single_precision(client):
    X, y = problem(4)
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 3, len(y))
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:40, 2] = np.nan  # no value at all in some chunks
    for real in (np.float32, np.float64):
        values = X.astype(real)
        local = PairCover(6, correlation=0).fit(values, y, sample_weight=weight)
        on_cluster = PairCover(6).fit(
            da.from_array(values, chunks=(13, 5)), y, sample_weight=da.from_array(weight, chunks=9)
        )
        assert_same(on_cluster, local)


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 0.2, 3: 0.0}])
def test_shares_and_class_weights(client, class_weight):
    """Weights that sum to 1 count samples once all chunks are in; classes weigh in the variance."""
    X, y = problem(9)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.05] = np.nan
    weight = rng.uniform(0.1, 1, len(y))
    weight /= weight.sum()
    selector = PairCover(6, correlation=0, class_weight=class_weight)
    on_cluster = clone(selector).fit(da.from_array(X, chunks=(13, 5)), y, sample_weight=weight)
    assert_same(on_cluster, selector.fit(X, y, sample_weight=weight))


def test_copies_wait_until_no_other_is_left(client):
    X, y = problem(10)
    X = np.hstack([X, 7 - 2 * X])
    X[::7, [4, 16]] = np.nan
    X[3, 18] = np.nan  # almost a copy of 6
    dask_X = da.from_array(X, chunks=(13, 24))
    for options in ({}, {"class_weight": {2: 0.0}}, {"max_correlation": 1.0}):
        local = PairCover("all", **options, correlation=0).fit(X, y)
        assert_same(PairCover("all", **options).fit(dask_X, y), local)
        assert len({f % 12 for f in local.indices_[:11]}) == 10
    weight = np.where(y == 1, 0, 1)
    X[np.ix_(y == 1, range(12, 24))] = 0.0  # no copies there, where nothing counts
    dask_X = da.from_array(X, chunks=(13, 24))
    local = PairCover("all", correlation=0).fit(X, y, sample_weight=weight)
    assert_same(PairCover("all").fit(dask_X, y, sample_weight=weight), local)


def table_with_a_fill_value(offset=0.0):
    """A value of 10⁹ in one row makes |r| = 1 between columns that have nothing else in common."""
    X, y = problem(12)
    X = np.hstack([X, 3 - X[:, :4]]) + offset
    X[17, [0, 1, 2, 7, 8, 12]] = offset + 1e9
    X[:, 9] = X[:, 10] = np.where(np.arange(len(y)) == 40, 1.0, 0.0)  # a word found in one text
    X[:, 11] = np.where(np.arange(len(y)) == 40, 1.0, X[:, 4] * 1e-9)
    return X, y


@pytest.mark.filterwarnings("ignore:(Few|One) sample")  # says the fit in memory
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_one_row_makes_no_copies(client, offset):
    X, y = table_with_a_fill_value(offset)
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    for more in ({}, {"sample_weight": weight}):
        local = PairCover("all", correlation=0).fit(X, y, **more)
        assert_same(PairCover("all").fit(da.from_array(X, chunks=(13, 16)), y, **more), local)


@pytest.mark.parametrize("selector", [S2FS(2), PairCover(2)])
def test_extreme_weights_are_refused(client, selector):
    X, y = problem(11)
    dask_X = da.from_array(X, chunks=(30, 12))
    for weight in (
        np.where(np.arange(90) < 30, 1e-20, 1.0),  # each chunk by itself would do
        np.where(y == 0, 1e-200, 1e200),
    ):
        with pytest.raises(ValueError, match="weights of the rows go from"):
            selector.fit(dask_X, y, sample_weight=weight)
    with pytest.raises(ValueError, match="weights of the rows go from"):
        clone(selector).set_params(class_weight={0: 1e-30}).fit(dask_X, y)


def test_sparse_chunks(client):
    X, y = problem(5)
    X[np.abs(X) < 5] = 0
    X[3, 2] = np.nan
    dask_X = da.from_array(X, chunks=(25, 12)).map_blocks(csr_array, dtype=X.dtype)
    assert_same(PairCover(5).fit(dask_X, y), PairCover(5, correlation=0).fit(X, y))


def test_entries_stored_twice_are_summed():
    data, row, column = [1.0, 2.0, 4.0], [0, 0, 1], [0, 0, 1]
    twice = csr_array(([1.0, 2.0, 4.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    chunk = inner.chunks.make_chunk(twice.tocsc(), np.array([0, 1]))
    once = coo_array((data, (row, column)), shape=(2, 2))
    np.testing.assert_array_equal(chunk.X.toarray(), once.toarray())
    assert chunk.X.nnz == 2
    assert twice.nnz == 3  # the caller's matrix stays as it is


def test_data_frames(client):
    X, y = problem(6)
    frame = pd.DataFrame(X).add_prefix("gene ").assign(kind=np.array(list("wxyz"))[y])
    dask_X = dd.from_pandas(frame, npartitions=4)
    selector = PairCover(5).fit(dask_X.drop(columns="kind"), dask_X["kind"])
    local = PairCover(5, correlation=0).fit(frame.drop(columns="kind"), frame["kind"])
    assert_same(selector, local)
    np.testing.assert_array_equal(selector.feature_names_, local.feature_names_)


@pytest.mark.parametrize("limit", [None, 0.9])
def test_the_number_of_workers_changes_nothing(client, limit):
    X, y = problem(7, n=400)
    dask_X = da.from_array(X, chunks=(10, 12))  # more chunks than are merged at once
    two = PairCover(6, max_correlation=limit).fit(dask_X, y)
    with Client(n_workers=1, threads_per_worker=3, processes=False, dashboard_address=":0"):
        one = PairCover(6, max_correlation=limit).fit(dask_X, y)
    here = PairCover(6, max_correlation=limit).fit(dask_X, y)  # without a client
    for other in (one, here):
        np.testing.assert_array_equal(other.path_, two.path_)
        np.testing.assert_array_equal(other.class_distances_, two.class_distances_)


def test_what_cannot_be_searched(client):
    X, y = problem(8)
    dask_X = da.from_array(X, chunks=(25, 12))
    with pytest.raises(ValueError, match=r"X has infinity in column 2"):
        PairCover(2).fit(da.where(da.arange(12) == 2, np.inf, dask_X), y)
    with pytest.raises(ValueError, match=r"X has 0 samples that count"):
        PairCover(2).fit(dask_X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match=r"y has one class only"):
        PairCover(2).fit(dask_X, 0 * y)
    for selector, words in (
        (PairCover("auto"), "n_features_to_select='auto' needs all samples in one place, but X is"),
        (PairCover(correlation=0.25), r"correlation=0\.25 needs all .* set correlation='auto'"),
        (PairCover(scale="rank"), "scale='rank' needs all samples in one place"),
    ):
        with pytest.raises(ValueError, match=words):
            selector.fit(dask_X, y)


@examples(100)
@given(problems(max_samples=30), st.data())
def test_chunks_add_up_to_the_whole(table, data):
    X, y = table
    X = X.astype(float)
    weight = data.draw(st.sampled_from([None, np.arange(1.0, len(y) + 1)]))
    X[data.draw(st.integers(0, len(y) - 1)), data.draw(st.integers(0, X.shape[1] - 1))] = np.nan
    form = data.draw(st.sampled_from([np.asarray, csr_array]))
    bounds = [0, *sorted(data.draw(st.lists(st.integers(0, len(y)), max_size=8))), len(y)]
    merged = merge_summaries([
        inner.chunks.summarize_chunk(
            inner.chunks.make_chunk(form(X[a:b]), y[a:b], None if weight is None else weight[a:b])
        )
        for a, b in pairwise(bounds)
    ])  # fmt: skip
    assert merged.n_samples == len(y)
    for q, label in enumerate(merged.classes):
        own = y == label
        keep = ~np.isnan(X[own]).all(axis=0)
        some = X[own][:, keep]
        wanted = moments(some, np.zeros(own.sum(), int), None if weight is None else weight[own])
        scale = 1 + np.nanmax(np.abs(some), axis=0, initial=0)
        got = merged.of_class[q].moments
        for name, value in (
            ("counts", wanted.counts), ("means", wanted.mean),
            ("lower", wanted.lower), ("upper", wanted.upper),
        ):  # fmt: skip
            np.testing.assert_allclose(
                getattr(got, name)[..., keep] / scale, value / scale, atol=1e-12
            )
        np.testing.assert_allclose(
            got.within_squares[keep] / scale**2, wanted.squares / scale**2, rtol=1e-9, atol=1e-9
        )
