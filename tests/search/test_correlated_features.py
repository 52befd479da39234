"""``max_correlation``: no selected feature repeats another."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from literal_pair_cover import is_copy, pair_cover
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import minmax_scale

from s2fs import S2FS, PairCover, separability
from strategies import correlations, examples, problems, weighted

pytestmark = pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")

limits = st.sampled_from([0.0, 0.3, 0.7, 0.95, 1.0])
selectors = st.sampled_from([S2FS, PairCover])


def clear_of(r, limit):
    """Whether no correlation is so close to the limit that rounding decides."""
    return not (np.abs(r - limit) < 1e-6).any() or limit == 1


def has_large_classes(y):
    """Whether every class has the two samples that PairCover asks of it."""
    return np.unique(y, return_counts=True)[1].min() >= 2


@pytest.mark.filterwarnings("ignore:max_correlation")
@given(problems(max_samples=25, max_features=9), limits, selectors)
def test_path_equals_the_literal_one(data, limit, selector):
    X, y = data
    assume(selector is S2FS or has_large_classes(y))
    r, m = correlations(X), X.shape[1]
    assume(clear_of(r, limit))
    scaled, constant = minmax_scale(X), np.ptp(X, axis=0) == 0
    options = {"scale": "minmax"} if selector is S2FS else {}
    fitted = selector(m, max_correlation=limit, **options).fit(X, y)

    def score(features):
        if selector is S2FS:
            return separability(scaled[:, features], y)
        return pair_cover(X[:, features], y, fitted.correlation_)

    def comes_last(feature):
        """Constant features wait for the others, and with PairCover copies of selected ones."""
        copies = [is_copy(X[:, feature], X[:, g]) for g in selected if selector is PairCover]
        return constant[feature] or any(copies)

    selected = []
    for feature in fitted.indices_.tolist():
        left = [f for f in range(m) if f not in selected]
        left = [f for f in left if limit == 1 or all(r[f, selected] < limit)]
        left = [f for f in left if not comes_last(f)] or left[:1]
        scores = np.array([score([*selected, f]) for f in left])
        # Equal up to rounding are equal; the definition in another order of sums may tell.
        best = scores.max()
        slack = 0.0 if np.isinf(best) else 1e-9 * max(1.0, abs(best))
        assert scores[left.index(feature)] >= best - slack
        selected.append(feature)
    assert limit == 1 or all(any(r[f, selected] > limit) for f in range(m) if f not in selected)
    assert limit < 1 or len(selected) == m


@pytest.mark.filterwarnings("ignore:max_correlation")
@examples(100)
@given(problems(max_samples=25, max_features=9), limits, selectors)
def test_no_two_selected_features_repeat_each_other(data, limit, selector):
    X, y = data
    assume(selector is S2FS or has_large_classes(y))
    r = correlations(X)
    assume(clear_of(r, limit))
    selected = selector(0.8, max_correlation=limit).fit(X, y).indices_
    assert all(r[a, b] <= limit + 1e-9 for a, b in combinations(selected, 2))


@pytest.fixture(scope="module")
def doubled():
    X, y = load_breast_cancer(return_X_y=True)
    return np.hstack([X, X]), y


@pytest.mark.parametrize("selector", [S2FS, PairCover])
def test_no_copy_is_selected(doubled, selector):
    X, y = doubled
    selected = selector(10, max_correlation=0.999).fit(X, y).indices_
    assert len({f % 30 for f in selected}) == 10
    if selector is S2FS:  # what it does by itself
        copies = S2FS(10).fit(X, y).indices_
        assert len({f % 30 for f in copies}) < 10


def test_fewer_are_selected_if_nothing_else_is_left(doubled):
    X, y = doubled
    with pytest.warns(UserWarning, match=r"max_correlation=0\.999 leaves 30 of the 40 feature"):
        selected = S2FS(40, max_correlation=0.999).fit(X, y).indices_
    assert sorted(selected % 30) == list(range(30))
    assert len(S2FS("all", max_correlation=0.999).fit(X, y).indices_) == 30  # that is all there is
    groups = [[0, 1], [2, 3, 4]]
    with pytest.warns(UserWarning, match="leaves 1 of the 2 features asked for"):
        alone = S2FS(2, max_correlation=0.0, feature_groups=groups).fit(X[:, :5], y)
    assert sorted(alone.indices_.tolist()) in groups


@pytest.mark.parametrize("selector", [S2FS, PairCover])
def test_auto_keeps_the_limit(doubled, selector):
    X, y = doubled
    selected = selector("auto", max_correlation=0.9).fit(X, y).indices_
    assert correlations(X[:, selected]).max() <= 0.9


def test_included_features_and_groups_stay_together(doubled):
    X, y = doubled
    selected = S2FS(8, max_correlation=0.9, include=[0, 30], feature_groups=[[7, 37], [5, 8]]).fit(
        X, y
    )
    first, rest = selected.indices_[:2].tolist(), selected.indices_[2:].tolist()
    assert first == [0, 30]
    r = correlations(X)
    groups = {7: 37, 37: 7, 5: 8, 8: 5}
    assert {groups[f] for f in rest if f in groups} <= {*rest}
    assert any(f in groups for f in rest)
    for a, b in combinations(selected.indices_, 2):
        assert r[a, b] <= 0.9 or {a, b} == {0, 30} or groups.get(a) == b


@pytest.mark.filterwarnings("ignore:max_correlation")
@examples(60)
@given(weighted(whole=True, max_samples=20, max_features=8), limits, selectors)
def test_weights_are_copies(data, limit, selector):
    X, y, weight = data
    copies = np.repeat(np.arange(len(y)), weight)
    assume(selector is S2FS or has_large_classes(y[copies]))
    assume(clear_of(correlations(X[copies]), limit))
    selection = selector("all", max_correlation=limit)
    weighed = selection.fit(X, y, sample_weight=weight).indices_.tolist()
    assert weighed == selection.fit(X[copies], y[copies]).indices_.tolist()


@pytest.mark.filterwarnings("ignore:max_correlation")
@examples(60)
@given(problems(max_samples=20, max_features=8), limits, selectors)
def test_sparse_and_single_precision(data, limit, selector):
    X, y = data
    X = np.float32(X).astype(np.float64)
    assume(selector is S2FS or has_large_classes(y))
    assume(clear_of(correlations(X), limit))
    selection = selector("all", max_correlation=limit)
    dense = selection.fit(X, y).indices_.tolist()
    assert selection.fit(sparse.csc_array(X), y).indices_.tolist() == dense
    assert selection.fit(sparse.csr_array(X), y).indices_.tolist() == dense
    if selector is PairCover:  # S²FS in single precision may break ties otherwise
        assert selection.fit(np.float32(X), y).indices_.tolist() == dense


@pytest.mark.parametrize("as_sparse", [False, True])
def test_missing_values_are_left_out_of_the_correlation(as_sparse):
    """pandas leaves out a row for the pairs of columns of which one is missing."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 6)) + y[:, None] * rng.normal(size=6)
    X = np.hstack([X, X + 0.3 * rng.normal(size=X.shape)]) + 100
    X[rng.random(X.shape) < 0.25] = np.nan
    r = np.abs(pd.DataFrame(X).corr().to_numpy())
    for limit in (0.3, 0.6, 0.9):
        given = sparse.csc_array(np.where(X == 0, np.nan, X)) if as_sparse else X
        selected = PairCover("all", max_correlation=limit).fit(given, y).indices_
        assert all(r[a, b] <= limit for a, b in combinations(selected, 2))
        left = np.delete(np.arange(12), selected)
        assert (r[np.ix_(left, selected)].max(axis=1) > limit).all()


@pytest.mark.parametrize("limit", [-0.1, 1.1, "0.9"])
def test_bad_limits(doubled, limit):
    with pytest.raises(ValueError, match="'max_correlation' parameter"):
        S2FS(2, max_correlation=limit).fit(*doubled)
