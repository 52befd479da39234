"""Substitutes, against searches that try everything."""

import numpy as np
import pytest
from literal_pair_cover import pair_cover
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.preprocessing import minmax_scale

from s2fs import S2FS, PairCover, separability

pytestmark = pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")

X, y = load_wine(return_X_y=True)


def literal_sep(features):
    return separability(minmax_scale(X)[:, features], y)


def literal_cover(features):
    return pair_cover(X[:, features], y)


CRITERIA = [(S2FS(scale="minmax"), literal_sep), (PairCover(correlation=0.0), literal_cover)]


@pytest.mark.parametrize(("selector", "score"), CRITERIA, ids=["S2FS", "PairCover"])
def test_substitutes_are_all_swaps_that_lose_little(selector, score):
    selector.set_params(n_features_to_select=3).fit(X, y)
    selected = selector.indices_.tolist()
    table = selector.substitutes(X, y, tolerance=0.1)
    for feature in selected:
        rest = [f for f in selected if f != feature]
        swapped = {f: score([*rest, f]) for f in range(13) if f not in selected}
        expected = {f: value for f, value in swapped.items() if value >= 0.9 * score(selected)}
        own = table[table["feature"] == f"x{feature}"]
        assert set(own["substitute"]) == {f"x{f}" for f in expected}
        assert (np.diff(own["score"]) <= 1e-9).all()
        for name, value, r in zip(own["substitute"], own["score"], own["r"], strict=True):
            substitute = int(name[1:])
            assert value == pytest.approx(expected[substitute])
            assert r == pytest.approx(np.corrcoef(X[:, feature], X[:, substitute])[0, 1])


@pytest.fixture
def near_copies():
    """Six features, and each of them again with a little noise."""
    rng = np.random.default_rng(0)
    classes = np.arange(60) % 3
    table = rng.normal(size=(60, 12)) + 3 * rng.normal(size=(3, 12))[classes]
    table[:, 6:] = table[:, :6] + 0.01 * rng.normal(size=(60, 6))
    return table, classes


def test_near_copies_are_substitutes(near_copies):
    table, classes = near_copies
    selector = S2FS(2, scale="minmax").fit(table, classes)
    found = selector.substitutes(table, classes, tolerance=0.02)
    pairs = set(zip(found["feature"], found["substitute"], strict=True))
    assert all((f"x{f}", f"x{(f + 6) % 12}") in pairs for f in selector.indices_)
    same = selector.substitutes(sparse.csr_array(table), classes, tolerance=0.02)
    assert same["substitute"].tolist() == found["substitute"].tolist()
    np.testing.assert_allclose(same[["score", "r"]], found[["score", "r"]], rtol=1e-9)


def test_substitutes_keep_the_constraints(near_copies):
    table, classes = near_copies
    copy = int(S2FS(2, scale="minmax").fit(table, classes).indices_[0] + 6) % 12
    without = S2FS(2, exclude=[copy]).fit(table, classes)
    assert f"x{copy}" not in set(without.substitutes(table, classes, 0.5)["substitute"])
    grouped = S2FS(2, feature_groups=[[0, 1], [2, 3], [4, 5]], exclude=list(range(6, 12)))
    assert len(grouped.fit(table, classes).substitutes(table, classes, 0.5)) == 0
    apart = S2FS(2, max_correlation=0.5).fit(table, classes)
    for name in set(apart.substitutes(table, classes, 0.9)["substitute"]):
        r = np.corrcoef(table[:, [int(name[1:]), *apart.indices_]].T)[0, 1:]
        assert (np.abs(r) > 0.5).sum() <= 1  # with the one whose place it takes


def test_substitutes_need_the_table_of_the_fit(near_copies):
    table, classes = near_copies
    selector = S2FS(2, scale="minmax").fit(table, classes)
    with pytest.raises(ValueError, match="X has 5 features, but the selector was fitted on 12"):
        selector.substitutes(table[:, :5], classes)
    with pytest.raises(ValueError, match="tolerance is 1; give a share"):
        selector.substitutes(table, classes, tolerance=1)
