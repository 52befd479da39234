import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import minmax_scale

from s2fs import S2FS, PairCover, Selection, separability
from strategies import examples, problems

pytestmark = pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")

nothing_may_be_found = pytest.mark.filterwarnings("ignore:No feature does better:UserWarning")


def sorted_by_contents(X, y):
    """The samples by their distance from the mean, with their weights.

    Where the sum of squares is not enough, that of fourth powers and a place along a line decide,
    and then the class, the smaller one first. Copies are one sample of a larger weight.
    """
    apart = minmax_scale(X)
    apart -= apart.mean(axis=0)
    line = np.random.default_rng(0).random(X.shape[1])
    keys = np.array([(apart**2).sum(axis=1), (apart**4).sum(axis=1), apart @ line])
    largest = np.abs(keys).max(axis=1, keepdims=True)
    distance, fourth, place = np.round(keys / np.where(largest > 0, largest, 1), 10)
    sums = {
        q: (*(float(key[y == q].sum().round(8)) for key in (fourth, distance)), (y == q).sum(), q)
        for q in set(y)
    }

    def key(i):
        return distance[i], fourth[i], place[i], sums[y[i]], i

    order = sorted(range(len(y)), key=key)
    merged = are_copies(X[order])
    rows, weights = [], []
    for i in order:
        if merged and rows and y[rows[-1]] == y[i] and (X[rows[-1]] == X[i]).all():
            weights[-1] += 1
        else:
            rows.append(i)
            weights.append(1.0)
    return X[rows], y[rows], np.array(weights)


def are_copies(X):
    """Whether equal samples can only be copies: the others all differ, or differ in much."""
    distinct = list(dict.fromkeys(map(tuple, X.tolist())))
    if len(distinct) == len(X) or 4 * len(distinct) < len(X):
        return False
    if any(len(set(column)) == len(distinct) for column in zip(*distinct, strict=True)):
        return True
    compared = {int(i) for i in np.linspace(0, len(distinct) - 1, 10)}
    return all(
        sum(a != b for a, b in zip(distinct[i], other, strict=True)) >= 3
        for i in compared
        for other in distinct
        if other != distinct[i]
    )


def partition(y):
    """The classes, whatever they are called."""
    return tuple(list(dict.fromkeys(y)).index(label) for label in y)


def distinct_orders(y, weights, n_permutations):
    """Orders of the samples that make other classes, or give them other weights."""
    rng = np.random.default_rng(0)
    seen, orders = {(partition(y), tuple(weights))}, []
    for _ in range(50 * n_permutations):
        order = rng.permutation(len(y))
        label = np.argsort(order)
        made = partition(y[label]), tuple(weights[label])
        if made not in seen and len(orders) < n_permutations:
            seen.add(made)
            orders.append(order)
    return orders


def literal_path(X, y, level, tol):
    """The rule word for word: each step from scratch, against permuted features."""
    m = X.shape[1]
    table, y, weights = sorted_by_contents(X, y)
    orders = distinct_orders(y, weights, max(19, int(np.ceil(2 / level)) - 1))
    table = minmax_scale(table)

    def sep(*columns):
        return separability(np.column_stack(columns), y, sample_weight=weights)

    ranking = S2FS(m, scale="minmax").fit(table, y, sample_weight=weights).indices_.tolist()
    varying = [f for f in range(m) if np.ptp(X[:, f]) > 0]
    found, p_values = [], []
    for feature in ranking:
        left = [f for f in varying if f not in found] or [feature]
        best = sep(*table[:, [*found, feature]].T)
        permuted = [max(sep(*table[:, found].T, table[o, f]) for f in left) for o in orders]
        p = (1 + sum(score * (1 + tol) >= best for score in permuted)) / (1 + len(orders))
        if p > level + 1e-9:
            break
        found.append(feature)
        p_values.append(p)
    return found, p_values


@nothing_may_be_found
@examples(20)
@given(problems(max_samples=30, max_features=6), st.sampled_from([0.05, 0.1, 0.5]))
def test_path_equals_the_literal_one(data, level):
    X, y = data
    auto = S2FS("auto", tol=0.01, level=level, scale="minmax").fit(X, y)
    found, p_values = literal_path(X, y, level, 0.01)
    assert auto.indices_.tolist() == found
    np.testing.assert_allclose(auto.path_["p_value"], p_values)


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


@pytest.mark.parametrize("cls", [S2FS, PairCover])
def test_noise_alone_gives_nothing_and_says_so(cls):
    X, y, _ = needles(informative=0, seed=1)
    with pytest.warns(
        UserWarning, match=r"No feature does better than permuted ones at level=0\.1"
    ):
        selector = cls("auto").fit(X, y)
    assert selector.indices_.tolist() == selector.scores_.tolist() == []
    assert len(selector.ranking_table()) == 0
    assert "p_value" in selector.ranking_table()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(X).shape == (len(X), 0)
    assert Selection.of(selector).transform(X).shape == (len(X), 0)


@nothing_may_be_found
@pytest.mark.parametrize("cls", [S2FS, PairCover])
@pytest.mark.parametrize(("n", "m", "p"), [(30, 100, 2), (40, 40, 4), (60, 20, 10)])
def test_how_often_noise_is_taken_for_something(cls, n, m, p):
    """At level 0.2 in a fifth of all tables: of 40, more than 16 with a probability of 0.1 %."""
    tables = (np.random.default_rng([n, seed]).normal(size=(n, m)) for seed in range(40))
    found = [len(cls("auto", level=0.2, tol=0).fit(X, np.arange(n) % p).indices_) for X in tables]
    assert 1 <= np.count_nonzero(found) <= 16


@nothing_may_be_found
@pytest.mark.parametrize("cls", [S2FS, PairCover])
def test_what_is_found_beside_noise_is_seldom_false(cls):
    false = []
    for seed in range(10):
        X, y, informative = needles(m=200, seed=seed)
        found = cls("auto").fit(X, y).indices_.tolist()
        assert len(set(found) & informative) >= 3
        false.append(len(set(found) - informative) / max(1, len(found)))
    assert np.mean(false) <= 0.1


def test_larger_tolerance_smaller_selection():
    X, y, _ = needles(informative=20)
    sizes = [len(S2FS("auto", tol=tol).fit(X, y).indices_) for tol in (0, 0.005, 0.02, 0.1, 1)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


@pytest.mark.parametrize("cls", [S2FS, PairCover])
def test_only_contents_matter(cls):
    """Not the order of the rows, names of the classes, or order, sign and scale of the columns."""
    X, y, _ = needles(m=60, informative=20)
    plain = cls("auto").fit(X, y).path_
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(len(y)), rng.permutation(60)
    scale = rng.choice([-1.0, 1.0], 60) * 10.0 ** rng.integers(-3, 4, 60)
    names = np.array(["z", "b", "k"])
    moved = cls("auto").fit((X * scale)[rows][:, columns] + 5.0, names[y[rows]]).path_
    assert columns[moved["feature"]].tolist() == plain["feature"].tolist()
    np.testing.assert_array_equal(moved["p_value"], plain["p_value"])


@nothing_may_be_found
@examples(40)
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
    grouped = S2FS("auto", feature_groups=[best + useless]).fit(X, y)
    members = set(grouped.indices_.tolist())
    assert len(members & {*best, *useless}) in (0, 4)


def test_bad_tolerance():
    with pytest.raises(ValueError, match="'tol' parameter"):
        S2FS("auto", tol=-0.1).fit(*load_iris(return_X_y=True))
