"""``max_correlation`` on a cluster rules out the same features as on one machine."""

from functools import partial
from itertools import combinations

import dask.array as da
import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer

from s2fs import S2FS, PairCover

#: What it is on a cluster.
PlainCover = partial(PairCover, correlation=0)
CHUNKS = [(90,), (45, 45), (1, 0, 40, 0, 2, 47, 0), (10,) * 9]


def problem(seed, n=90, m=8, p=4):
    """Classes in noise, then near copies of all features, mirrored ones, and a constant."""
    rng = np.random.default_rng(seed)
    y = np.sort(np.concatenate([np.arange(p), rng.integers(0, p, n - p)]))
    X = 50 + rng.normal(size=(n, m)) + rng.normal(size=(p, m))[y]
    near = X + rng.uniform(0.1, 1.0, m) * rng.normal(size=X.shape)
    return np.hstack([X, near, -X, np.ones((n, 1))]), y


def select(selector, X, y, **weight):
    return selector.fit(X, y, **weight).indices_.tolist()


@pytest.mark.filterwarnings("ignore:max_correlation")
@pytest.mark.parametrize("limit", [0.0, 0.9])
@pytest.mark.parametrize("kind", [S2FS, PlainCover])
def test_the_same_features_for_any_chunks(client, kind, limit):
    X, y = problem(3)
    selector = kind(12, max_correlation=limit)
    local = select(selector, X, y)
    for rows in CHUNKS:
        assert select(selector, da.from_array(X, chunks=(rows, 25)), y) == local


@pytest.mark.parametrize("selector", [
    S2FS(5, class_weight="balanced"),
    S2FS(5, include=[3], feature_groups=[[0, 8], [2, 9]], scale=None),
    PlainCover(5, class_weight={0: 2.0, 3: 0.5}),
    PlainCover(5, class_weight={3: 0.0}),
    PlainCover(5, exclude=[1]),
], ids=str)  # fmt: skip
def test_options_mean_the_same(client, selector):
    X, y = problem(6)
    selector.set_params(max_correlation=0.6)
    dask_X = da.from_array(X, chunks=(25, 25))
    assert select(selector, dask_X, y) == select(selector, X, y)


@pytest.mark.parametrize(
    "selector", [S2FS(6, max_correlation=0.7), PlainCover(6, max_correlation=0.7)]
)
def test_weights_sparse_chunks_and_single_precision(client, selector):
    X, y = problem(4)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    X = np.float32(np.where(np.abs(X) < 50, 0, X))
    local = select(selector, X, y, sample_weight=weight)
    assert local != select(selector, X, y)
    dask_X = da.from_array(X, chunks=(25, 25))
    assert select(selector, dask_X, y, sample_weight=da.from_array(weight, chunks=9)) == local
    assert select(selector, dask_X.map_blocks(csr_array), y, sample_weight=weight) == local


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_large_offset_changes_nothing(client, form):
    X, y = problem(4)
    selector = PlainCover(6, max_correlation=0.7)
    dask_X = da.from_array(X + 1e9, chunks=(25, 25)).map_blocks(form, dtype=X.dtype)
    assert select(selector, dask_X, y) == select(selector, X, y)


@pytest.mark.parametrize("limit", [0.3, 0.6, 0.9])
def test_missing_values(client, limit):
    """Samples that lack one of two values have no part in their correlation, on any worker."""
    X, y = problem(5)
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    X[:40, 2] = np.nan  # no value at all in some chunks
    selector = PlainCover("all", max_correlation=limit)
    local = select(selector, X, y)
    for rows in CHUNKS:
        assert select(selector, da.from_array(X, chunks=(rows, 25)), y) == local


@pytest.mark.parametrize("selector", [S2FS, PlainCover])
def test_no_copy_is_selected(client, selector):
    X, y = load_breast_cancer(return_X_y=True)
    X = np.hstack([X, X])
    dask_X = da.from_array(X, chunks=(100, 60))
    selected = select(selector(10, max_correlation=0.999), dask_X, y)
    assert len({f % 30 for f in selected}) == 10
    assert selected == select(selector(10, max_correlation=0.999), X, y)
    r = np.abs(np.corrcoef(X.T))
    few = select(selector("all", max_correlation=0.5), dask_X, y)
    assert all(r[a, b] <= 0.5 for a, b in combinations(few, 2))
    with pytest.warns(UserWarning, match=rf"max_correlation=0\.5 leaves {len(few)} of the 40"):
        assert select(selector(40, max_correlation=0.5), dask_X, y) == few
