import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import minmax_scale

from s2fs import S2FS, separability
from s2fs._search.stopping import with_shuffled_rows
from strategies import examples, problems


def literal_size(X, y, tol):
    """The rule word for word: each step from scratch, against the columns in shuffled order."""
    m = X.shape[1]
    both, y_there, weights = with_shuffled_rows(X, y, None)
    both = minmax_scale(both)

    def sep(features):
        return separability(both[:, features], y_there, sample_weight=weights)

    ranking = S2FS(m).fit(X, y).indices_.tolist()
    varying = [f for f in range(m) if np.ptp(X[:, f]) > 0]
    size = failed = 0
    for step, feature in enumerate(ranking):
        before = ranking[:step]
        left = [f for f in varying if f not in before] or ranking[step : step + 1]
        chance = max(sep([*before, m + f]) for f in left)
        if sep([*before, feature]) > chance * (1 + tol) or step == 0:
            size, failed = step + 1, 0
        else:
            failed += 1
        if failed == 3:
            break
    return ranking[:size]


@examples(60)
@given(problems(max_samples=30, max_features=8))
def test_size_equals_the_literal_one(data):
    X, y = data
    assert S2FS("auto", tol=0.01).fit(X, y).indices_.tolist() == literal_size(X, y, 0.01)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_path_is_that_of_the_number_found(load):
    X, y = load(return_X_y=True)
    auto = S2FS("auto").fit(X, y)
    given = S2FS(len(auto.indices_)).fit(X, y)
    assert auto.indices_.tolist() == given.indices_.tolist()
    np.testing.assert_allclose(auto.scores_, given.scores_, rtol=1e-9)


def needles(n=90, m=400, informative=6, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, m))
    columns = rng.choice(m, informative, replace=False)
    X[:, columns] += 2.5 * rng.normal(size=(3, informative))[y]
    return X, y, set(columns.tolist())


@pytest.mark.parametrize("seed", range(4))
def test_few_of_many_features(seed):
    X, y, informative = needles(seed=seed)
    found = set(S2FS("auto").fit(X, y).indices_.tolist())
    assert len(found & informative) >= 4
    assert len(found - informative) <= 5


@pytest.mark.parametrize("seed", range(4))
def test_noise_alone_gives_next_to_nothing(seed):
    X, y, _ = needles(informative=0, seed=seed)
    assert len(S2FS("auto").fit(X, y).indices_) <= 10


def test_larger_tolerance_smaller_selection():
    X, y, _ = needles(informative=20)
    sizes = [len(S2FS("auto", tol=tol).fit(X, y).indices_) for tol in (0, 0.005, 0.02, 0.1, 1)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_order_of_the_rows_does_not_matter():
    X, y, _ = needles(m=60)
    rows = np.random.default_rng(1).permutation(len(y))
    plain, moved = S2FS("auto").fit(X, y), S2FS("auto").fit(X[rows], y[rows])
    assert plain.indices_.tolist() == moved.indices_.tolist()


@examples(60)
@given(problems(max_samples=30, max_features=8), st.booleans(), st.integers(0, 99))
def test_weights_are_copies(data, as_sparse, seed):
    X, y = data
    rng = np.random.default_rng(seed)
    times = rng.integers(1, 4, len(y))
    rows = rng.permutation(np.repeat(np.arange(len(y)), times))
    make = sparse.csr_array if as_sparse else np.asarray
    weighted = S2FS("auto").fit(make(X), y, sample_weight=times)
    copies = S2FS("auto").fit(make(X[rows]), y[rows])
    assert weighted.indices_.tolist() == copies.indices_.tolist()


def test_shuffled_columns_keep_their_values_but_not_their_rows():
    X, y, _ = needles(m=5, informative=2)
    both, codes, weights = with_shuffled_rows(X, y, None)
    assert weights is None
    assert both.shape == (90, 10)
    assert np.array_equal(np.bincount(codes), np.bincount(y))
    rows = {tuple(row) for row in X}
    assert {tuple(row) for row in both[:, :5]} == {tuple(row) for row in both[:, 5:]} == rows
    assert (both[:, :5] == both[:, 5:]).all(axis=1).mean() < 0.1


@pytest.mark.parametrize("search", ["floating", "beam"])
def test_other_searches_find_a_better_set_of_that_size(search):
    X, y, _ = needles(m=60)
    forward, other = S2FS("auto").fit(X, y), S2FS("auto", search=search).fit(X, y)
    assert len(other.indices_) == len(forward.indices_)
    assert other.scores_[-1] >= forward.scores_[-1] * (1 - 1e-9)


def test_sparse_compiled_and_single_precision():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 4
    X = rng.poisson(0.5 + 2 * rng.random((4, 50))[y] * (np.arange(50) < 8)).astype(float)
    plain = S2FS("auto").fit(X, y)
    assert 3 <= len(plain.indices_) <= 16
    for table in (X, X.astype(np.float32), sparse.csr_array(X), sparse.csc_matrix(X)):
        other = S2FS("auto").fit(table, y)
        assert other.indices_.tolist() == plain.indices_.tolist()
        np.testing.assert_allclose(other.scores_, plain.scores_, rtol=1e-9)


def test_constraints_hold():
    X, y, informative = needles(m=60)
    best = sorted(informative)[:2]
    useless = sorted(set(range(60)) - informative)[:2]
    selector = S2FS("auto", include=useless, exclude=best).fit(X, y)
    assert selector.indices_[:2].tolist() == useless
    assert len(selector.indices_) > 2
    assert not set(best) & set(selector.indices_.tolist())
    grouped = S2FS("auto", groups=[best + useless]).fit(X, y)
    members = set(grouped.indices_.tolist())
    assert len(members & {*best, *useless}) in (0, 4)


def test_bad_tolerance():
    with pytest.raises(ValueError, match="'tol' parameter"):
        S2FS("auto", tol=-0.1).fit(*load_iris(return_X_y=True))
