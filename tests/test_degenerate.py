"""Tables at the edge of what has an answer: finite numbers or one sentence from every selector."""

import threading

import numpy as np
import pytest
from scipy import sparse

from rankers import RANKERS
from s2fs import S2FS, PairCover, SelectorCV, StabilitySelector

nothing = pytest.mark.filterwarnings("ignore:No features? (does better|were selected):UserWarning")
N = 18
Y = np.arange(N) % 3
BASE = np.random.default_rng(0).normal(size=(N, 5))


def changed(column, factor=1.0, **cells):
    X = BASE.copy()
    X[:, column] *= factor
    for row, value in cells.items():
        X[int(row[1:]), column] = value
    return X


TABLES = {
    "a feature that is constant inside the classes": (np.column_stack([BASE, Y]), Y),
    "only such features": (np.column_stack([Y, Y == 1, 2 - Y]).astype(float), Y),
    "every row a class": (BASE, np.arange(N)),
    "classes of one row": (BASE, np.where(np.arange(N) < 2, np.arange(N), 2)),
    "equal rows": (np.tile(BASE[:1], (N, 1)), Y),
    "constant columns": (BASE * [1, 0, 1, 0, 1], Y),
    "nothing but zeros": (np.zeros((N, 3)), Y),
    "extents of 1e-60": (changed(0, 1e-60), Y),
    "extents of 1e-300": (changed(0, 1e-300), Y),
    "denormal numbers": (changed(0, 1e-310), Y),
    "values of 1e300": (changed(0, 1e300), Y),
    "one cell of 1e300": (changed(0, r0=1e300), Y),
    "one cell of 1e12": (changed(0, r0=1e12), Y),
    "a range that overflows": (changed(0, r0=1e308, r1=-1e308), Y),
    "one feature": (BASE[:, :1], Y),
    "two rows": (BASE[:2], Y[:2]),
    "single precision at its end": ((BASE * 5e37).astype(np.float32), Y),
}
SELECTORS = {
    "S2FS": S2FS("all"),
    "S2FS unscaled": S2FS("all", scale=None),
    "S2FS rms": S2FS("all", compactness="rms"),
    "S2FS auto": S2FS("auto"),
    "PairCover": PairCover("all"),
    "PairCover correlation": PairCover("all", correlation=0.5),
    "SelectorCV": SelectorCV(2, selector=S2FS(), alphas=[0.1], betas=[0.1]),
    "StabilitySelector": StabilitySelector(2, n_resamples=3),
    **{name: cls("all") for name, cls in RANKERS.items()},
}
SENTENCES = (
    r"too far apart.* to be (summed|squared) in columns? 0[^;]*; "
    r"|too near to each other.* in columns? 0[^;]*; "
    r"|a single member of class [01];|no class with two samples"
    r"|fewer than two classes of two samples"
)


@pytest.mark.filterwarnings("ignore:n_features_to_select=2 is more:UserWarning")
@pytest.mark.filterwarnings("ignore:One sample decides:UserWarning")
@pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")
@nothing
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", SELECTORS)
def test_finite_numbers_or_one_sentence(name, table):
    X, y = TABLES[table]
    selector = SELECTORS[name]
    try:
        selector.fit(X, y)
    except ImportError as error:
        pytest.skip(str(error))
    except ValueError as error:
        with pytest.raises(ValueError, match=SENTENCES):
            raise error
        return
    columns = selector.ranking_table()
    measures = columns.drop(columns=["feature"]).to_numpy(dtype=float)
    assert np.isfinite(measures).all()
    assert selector.transform(X).shape == (len(X), len(selector.indices_))


def unsorted(dtype=np.float64):
    """A CSC array with rows in no order and some of them twice, and the same in order."""
    rng = np.random.default_rng(3)
    dense = np.round(rng.normal(size=(60, 30)) * (rng.random((60, 30)) < 0.3), 2)
    columns = [np.flatnonzero(column)[::-1] for column in dense.T]
    rows = np.concatenate([np.repeat(column, 2) for column in columns])
    data = np.concatenate([np.repeat(dense[c, f], 2) / 2 for f, c in enumerate(columns)])
    starts = 2 * np.cumsum([0, *map(len, columns)])
    X = sparse.csc_array((data.astype(dtype), rows, starts), shape=dense.shape)
    assert not X.has_canonical_format
    return X, dense, np.arange(60) % 3


@nothing
@pytest.mark.parametrize("selector", [S2FS(5), PairCover(5), S2FS("auto")], ids=str)
def test_a_sparse_table_stays_as_it_is(selector):
    X, dense, y = unsorted()
    kept = X.data.copy(), X.indices.copy(), X.indptr.copy()
    found = selector.fit(X, y).indices_.tolist()
    for before, after in zip(kept, (X.data, X.indices, X.indptr), strict=True):
        np.testing.assert_array_equal(before, after)
    assert found == selector.fit(dense, y).indices_.tolist()


def test_threads_share_an_unsorted_table():
    X, dense, y = unsorted()
    expected, found = S2FS(5).fit(dense, y).indices_.tolist(), []
    threads = [
        threading.Thread(target=lambda: found.append(S2FS(5).fit(X, y).indices_.tolist()))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_a_damaged_sparse_table_is_refused():
    X, _, y = unsorted()
    X.indices[7] = 10_000
    with pytest.raises(ValueError, match="X is a damaged sparse array"):
        S2FS(2).fit(X, y)
