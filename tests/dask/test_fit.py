"""The same features as on one machine, whatever the chunks, the kind of data and the cluster."""

import time

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, wait
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone

from s2fs import S2FS, SelectorCV, StabilitySelector


def problem(seed, n=60, m=12, p=4):
    """Classes in noise, with ties, copies, constants, and a column in which classes are points."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(p), rng.integers(0, p, n - p)])
    X = rng.normal(size=(n, m)) + rng.normal(size=(p, m))[y]
    if seed % 2:
        X = np.round(2 * X) / 2
    X[:, 3] = X[:, 1]
    X[:, 4] = 1 - X[:, 0]
    X[:, 5] = 0.1
    if seed % 3 == 0:
        X[:, 6] = rng.permutation(p)[y]
    return X, y


def assert_same(selector, local):
    np.testing.assert_array_equal(selector.indices_, local.indices_)
    finite = np.isfinite(local.scores_)
    np.testing.assert_array_equal(np.isfinite(selector.scores_), finite)
    np.testing.assert_allclose(
        selector.scores_[finite], local.scores_[finite], rtol=1e-12, atol=1e-9
    )
    np.testing.assert_array_equal(selector.classes_, local.classes_)
    np.testing.assert_array_equal(selector.ranking_, local.ranking_)
    assert selector.n_features_in_ == local.n_features_in_


@pytest.mark.parametrize("seed", range(20))
def test_the_choice_does_not_depend_on_the_chunks(client, seed):
    X, y = problem(seed)
    order = np.argsort(y, kind="stable")  # so that most chunks lack some classes
    X, y = X[order], y[order]
    local = S2FS(3, alpha=0.3, beta=0.3).fit(X, y)
    for rows in [(60,), (30, 30), (9, 9, 9, 9, 9, 9, 6), (1, 0, 40, 0, 2, 17, 0)]:
        dask_X = da.from_array(X, chunks=(rows, 12))
        selector = S2FS(3, alpha=0.3, beta=0.3).fit(dask_X, da.from_array(y, chunks=(rows,)))
        assert_same(selector, local)


def test_threads_of_one_process_are_a_cluster_too():
    X, y = problem(1, n=200, m=40)
    with Client(
        n_workers=1, threads_per_worker=3, processes=False, dashboard_address=":0"
    ) as client:
        assert list(client.nthreads().values()) == [3]
        selector = S2FS(6).fit(da.from_array(X, chunks=(50, -1)), y)
    assert_same(selector, S2FS(6).fit(X, y))


@pytest.mark.parametrize("left_behind", [None, "dask.distributed"])
def test_without_a_client_the_data_is_fitted_here(left_behind):
    X, y = problem(2)
    with dask.config.set(scheduler=left_behind):
        _assert_fitted_here(X, y)


def _assert_fitted_here(X, y):
    local = S2FS(5).fit(X, y)
    dask_X = da.from_array(X, chunks=(20, 5))
    assert_same(S2FS(5).fit(dask_X, da.from_array(y, chunks=20)), local)
    assert_same(S2FS(5).fit(dask_X.map_blocks(csr_matrix).rechunk({1: -1}), y), local)
    frame = dd.from_pandas(pd.DataFrame(X).add_prefix("f").assign(y=y), npartitions=3)
    selector = S2FS(5).fit(frame.drop(columns="y"), frame["y"])
    assert_same(selector, local)
    assert selector.feature_names_in_[0] == "f0"


@pytest.mark.parametrize("options", [
    {"scale": None},
    {"scale": "minmax"},
    {"centroid_membership": "normalized"},
    {"n_features_to_select": 0.5},
    {"class_weight": "balanced"},
    {"class_weight": {0: 2.0, 1: 0.0}},
    {"include": [7], "exclude": [0, 1]},
    {"feature_groups": [[0, 8], [2, 9]]},
], ids=str)  # fmt: skip
def test_options_mean_the_same(client, options):
    X, y = problem(3, n=90)
    options = {"n_features_to_select": 4} | options
    dask_X = da.from_array(X * np.arange(1, 13), chunks=(25, 12))
    assert_same(S2FS(**options).fit(dask_X, y), S2FS(**options).fit(X * np.arange(1, 13), y))


def test_sample_weights(client):
    X, y = problem(4, n=90)
    weight = np.random.default_rng(0).integers(0, 3, 90)
    local = S2FS(5).fit(X, y, sample_weight=weight)
    dask_X = da.from_array(X, chunks=(25, 12))
    assert_same(S2FS(5).fit(dask_X, y, sample_weight=weight), local)
    chunked = da.from_array(weight, chunks=40)
    assert_same(S2FS(5).fit(dask_X, y, sample_weight=chunked), local)
    both = S2FS(5, class_weight="balanced")
    assert_same(
        both.fit(dask_X, y, sample_weight=chunked),
        S2FS(5, class_weight="balanced").fit(X, y, sample_weight=weight),
    )


@pytest.mark.parametrize("kind", [csr_array, csr_matrix])
def test_sparse_chunks(client, kind):
    X, y = problem(5, n=90)
    X[np.abs(X) < 0.7] = 0
    dask_X = da.from_array(X, chunks=(25, 12)).map_blocks(kind, dtype=X.dtype)
    assert_same(S2FS(5).fit(dask_X, y), S2FS(5).fit(X, y))


@pytest.mark.parametrize("dtype", [np.float32, np.int16, bool])
def test_kinds_of_numbers(client, dtype):
    X, y = problem(7, n=90)
    X = (3 * X).astype(dtype)
    assert_same(S2FS(5).fit(da.from_array(X, chunks=(25, 12)), y), S2FS(5).fit(X, y))


def test_data_frame_with_its_column_of_labels(client, tmp_path):
    X, y = problem(6, n=90)
    whole = pd.DataFrame(X).add_prefix("gene ").assign(kind=np.array(list("wxyz"))[y])
    for i, rows in enumerate(np.array_split(np.arange(90), 12)):
        whole.iloc[rows].to_parquet(tmp_path / f"part-{i:02}.parquet")
    local = S2FS(5).fit(whole.drop(columns="kind"), whole["kind"])
    frame = dd.read_parquet(tmp_path)
    features, labels = frame.drop(columns="kind"), frame["kind"]
    # Optimised alone, the labels are read in fewer pieces; the rows must not be mixed up.
    assert labels.optimize().npartitions < features.optimize().npartitions
    selector = S2FS(5).fit(features, labels)
    assert_same(selector, local)
    np.testing.assert_array_equal(selector.feature_names_in_, local.feature_names_in_)
    assert_same(S2FS(5).fit(features, whole["kind"].to_numpy()), local)
    assert_same(S2FS(5).fit(features.to_dask_array(), whole["kind"].to_numpy()), local)


@pytest.mark.parametrize(
    "selector",
    [
        StabilitySelector(3, selector=S2FS(3), n_resamples=6),
        SelectorCV(3, selector=S2FS(), alphas=[0.1], betas=[0.1]),
    ],
    ids=["stability", "cv"],
)
def test_selectors_that_need_all_samples_keep_the_names(client, selector):
    X, y = problem(6, n=90)
    whole = pd.DataFrame(X).add_prefix("gene ").assign(kind=np.array(list("wxyz"))[y])
    dask_X = dd.from_pandas(whole, npartitions=3)
    fitted = clone(selector).fit(dask_X.drop(columns="kind"), dask_X["kind"])
    local = clone(selector).fit(whole.drop(columns="kind"), whole["kind"])
    np.testing.assert_array_equal(fitted.feature_names_in_, local.feature_names_in_)
    np.testing.assert_array_equal(fitted.feature_names_, local.feature_names_)


class Twice:
    """A callback that sees two steps and asks to stop."""

    setup = teardown = on_fit_task_begin = lambda *args, **named: None

    def __init__(self):
        self.seen = []

    def on_fit_task_end(self, estimator, context, *, fitted_estimator):
        if context.parent is not None:
            self.seen.append(fitted_estimator.indices_.tolist())
        return len(self.seen) == 2


def test_callbacks_follow_as_they_do_on_one_machine(client):
    pytest.importorskip("sklearn.callback", reason="needs scikit-learn 1.9")
    X, y = problem(10, n=90)
    on_cluster, local = Twice(), Twice()
    S2FS(5).set_callbacks(on_cluster).fit(da.from_array(X, chunks=(25, 12)), y)
    S2FS(5).set_callbacks(local).fit(X, y)
    assert on_cluster.seen == local.seen
    assert len(on_cluster.seen) == 2


def test_what_is_on_the_cluster_stays_where_it_is(client):
    X, y = problem(8, n=90)
    dask_X = da.from_array(X, chunks=(15, 12)).persist()
    wait(dask_X)
    before = client.who_has(dask_X)
    assert_same(S2FS(5).fit(dask_X, y), S2FS(5).fit(X, y))
    assert client.who_has(dask_X) == before


def test_nothing_is_left_on_the_cluster(client):
    def tasks():
        return client.run_on_scheduler(lambda dask_scheduler: set(dask_scheduler.tasks))

    X, y = problem(9, n=90)
    before = tasks()
    S2FS(3).fit(da.from_array(X, chunks=(30, 12)), y)
    deadline = time.monotonic() + 300
    while left := tasks() - before:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def broken(X, at, value):
    X = X.copy()
    X[at] = value
    return X


@pytest.mark.parametrize(("change", "message"), [
    (lambda X, y: (broken(X, (50, 2), np.nan), y), r"X has NaN in column 2; drop them or"),
    (lambda X, y: (broken(X, (50, 2), np.inf), y), r"X has infinity in column 2; drop"),
    (lambda X, y: (X, y[:-1]), r"y has 59 labels for the 60 samples of X"),
    (lambda X, y: (X, da.from_array(y[:-1], chunks=7)), r"y has 59 labels for the 60 sample"),
    (lambda X, y: (X, 0 * y), r"y has one class only \(0\); at least two are needed"),
    (lambda X, y: (X, X[:, 0]), "continuous"),
    (lambda X, y: (X, None), "y is None; give the class of each sample"),
    (lambda X, y: (X, np.where(y, y, np.nan)), "y has missing labels"),
    (lambda X, y: (X, np.where(y, y, None)), "y has missing labels"),
    (lambda X, y: (X, da.from_array(np.where(y, y, np.nan), chunks=13)), "y has missing labels"),
    (lambda X, y: (X, da.from_array(np.where(y, y, None), chunks=13)),
     "y has missing labels, or labels of different kinds; give every sample a class"),
    (lambda X, y: (X[:0], y[:0]), r"X has 0 samples that count"),
    (lambda X, y: (X[:, 0], y), r"X is a Dask Array, ndim=1; give"),
    (lambda X, y: (X.astype(complex), y), "X has values of type complex128"),
])  # fmt: skip
def test_bad_input_is_told_in_one_sentence(client, change, message):
    X, y = change(*problem(0))
    with pytest.raises(ValueError, match=message):
        S2FS(2).fit(da.from_array(X, chunks=13), y)


def test_bad_weights_and_frames(client):
    X, y = problem(0)
    dask_X = da.from_array(X, chunks=(13, 12))
    with pytest.raises(ValueError, match="sample_weight has NaN, infinity or a negative"):
        S2FS(2).fit(dask_X, y, sample_weight=-np.ones(60))
    with pytest.raises(ValueError, match=r"X has 0 samples that count"):
        S2FS(2).fit(dask_X, y, sample_weight=np.zeros(60))
    with pytest.raises(ValueError, match=r"sample_weight has 3 weights for the 60 sample"):
        S2FS(2).fit(dask_X, y, sample_weight=np.ones(3))
    with pytest.raises(ValueError, match="class_weight names 'x', which y does not have"):
        S2FS(2, class_weight={"x": 1}).fit(dask_X, y)
    with pytest.warns(UserWarning, match=r"n_features_to_select=13 is more than the 12"):
        assert len(S2FS(13).fit(dask_X, y).indices_) == 12
    with pytest.raises(ValueError, match="covariates needs all samples in one place"):
        S2FS(2).fit(dask_X, y, covariates=y)
    with pytest.raises(ValueError, match="'auto' needs all samples in one place"):
        S2FS("auto").fit(dask_X, y)
    frame = dd.from_pandas(pd.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]}), npartitions=2)
    with pytest.raises(ValueError, match="X has columns that are not numeric: 'b'"):
        S2FS(1).fit(frame, np.array([0, 1]))
    unknown = da.from_delayed(
        dask.delayed(lambda: X[:30])(), shape=(np.nan, 12), dtype=float, meta=X[:0]
    )
    with pytest.raises(ValueError, match=r"y has 5 chunks for the 1 of X"):
        S2FS(2).fit(unknown, da.from_array(y, chunks=13))
    with pytest.raises(ValueError, match=r"y has a chunk of shape \(60,\) for the 30 sample"):
        S2FS(2).fit(unknown, da.from_array(y, chunks=60))


def test_importing_the_selector_does_not_import_dask():
    import subprocess
    import sys

    code = (
        "import sys, numpy as np, s2fs; s2fs.S2FS(1).fit(np.eye(4), [0, 0, 1, 1]);"
        "assert not {'dask', 'distributed'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
