import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.preprocessing import minmax_scale

from s2fs import S2FS, PairCover, s2fs_paths, separability
from strategies import EQUAL, examples, problems

pytestmark = pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")


def literal_units(X, y, k, first, units):
    """Greedy choice among units of features, each scored as a whole and from scratch."""
    scaled, constant = minmax_scale(X), np.ptp(X, axis=0) == 0
    selected, left = list(first), sorted(units, key=min)
    for _ in range(min(k - len(first), len(units))):
        ready = [unit for unit in left if not constant[list(unit)].all()] or left[:1]
        seps = [separability(scaled[:, [*selected, *unit]], y) for unit in ready]
        unit = next(u for u, s in zip(ready, seps, strict=True) if s >= max(seps) * (1 - EQUAL))
        selected += unit
        left.remove(unit)
    return selected


@given(problems(max_samples=25, max_features=8), st.data())
def test_exclude_is_deleting_the_column(data, draw):
    X, y = data
    m = X.shape[1]
    out = draw.draw(st.lists(st.integers(0, m - 1), unique=True, max_size=m - 1))
    kept = np.delete(np.arange(m), out)
    selector = S2FS(0.7, exclude=out).fit(X, y)
    deleted = S2FS(0.7).fit(X[:, kept], y)
    assert selector.indices_.tolist() == kept[deleted.indices_].tolist()
    np.testing.assert_allclose(selector.scores_, deleted.scores_, rtol=1e-9, atol=1e-9)
    assert not selector.support_[out].any()


@given(problems(max_samples=25, max_features=8), st.data())
def test_include_is_a_forced_start(data, draw):
    X, y = data
    m = X.shape[1]
    first = draw.draw(st.lists(st.integers(0, m - 1), unique=True, max_size=m))
    selector = S2FS(m, include=first, scale="minmax").fit(X, y)
    units = [(f,) for f in range(m) if f not in first]
    assert selector.indices_.tolist() == literal_units(X, y, m, first, units)
    scaled = minmax_scale(X)
    prefixes = [separability(scaled[:, selector.indices_[: i + 1]], y) for i in range(m)]
    np.testing.assert_allclose(selector.scores_, prefixes, rtol=1e-9, atol=1e-9)


@examples(80)
@given(problems(max_samples=25, max_features=8), st.booleans())
def test_groups_of_one_are_no_groups(data, as_labels):
    X, y = data
    m = X.shape[1]
    groups = [f"g{f}" for f in range(m)] if as_labels else [[f] for f in range(m)]
    plain, grouped = S2FS(0.8), S2FS(0.8, feature_groups=groups)
    np.testing.assert_array_equal(grouped.fit(X, y).path_, plain.fit(X, y).path_)


@examples(100)
@given(problems(max_samples=20, max_features=9), st.data())
def test_groups_are_scored_and_selected_as_a_whole(data, draw):
    X, y = data
    m = X.shape[1]
    labels = draw.draw(st.lists(st.sampled_from([None, "u", "v", "w"]), min_size=m, max_size=m))
    k = draw.draw(st.integers(1, m))
    units = [
        *(tuple(f for f in range(m) if labels[f] == name) for name in {*labels} - {None}),
        *((f,) for f in range(m) if labels[f] is None),
    ]
    k = min(k, len(units))  # a group counts as one
    expected = literal_units(X, y, k, [], units)
    selector = S2FS(k, feature_groups=labels, scale="minmax").fit(X, y)
    assert selector.indices_.tolist() == expected
    unit_of = {f: unit for unit in units for f in unit}
    in_order = [*dict.fromkeys(unit_of[f] for f in expected)]
    assert len(in_order) == k
    ranks = [in_order.index(unit_of[f]) + 1 if f in expected else k + 1 for f in range(m)]
    assert selector.ranking_.tolist() == ranks
    lists = [list(unit) for unit in units if len(unit) > 1]
    by_lists = S2FS(k, feature_groups=lists, scale="minmax").fit(X, y)
    np.testing.assert_array_equal(by_lists.path_, selector.path_)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


def test_names_and_positions_mean_the_same(wine):
    X, y = wine
    names = {"include": ["hue", "ash"], "exclude": ["flavanoids", "alcohol"]}
    positions = {what: [X.columns.get_loc(n) for n in which] for what, which in names.items()}
    by_name, by_position = S2FS(5, **names).fit(X, y), S2FS(5, **positions).fit(X.to_numpy(), y)
    np.testing.assert_array_equal(by_name.path_, by_position.path_)
    first = by_name.ranking_table()["feature"].tolist()[:2]
    assert first == ["hue", "ash"]
    arrays = {what: np.array(which) for what, which in names.items()}
    np.testing.assert_array_equal(S2FS(5, **arrays).fit(X, y).path_, by_name.path_)


def test_including_a_feature_includes_its_group(wine):
    X, y = wine
    groups = [["ash", "hue", "proline"], ["alcohol", "flavanoids"]]
    selector = S2FS(2, feature_groups=groups, include=["hue", "ash"]).fit(X, y)
    selected = selector.ranking_table()["feature"].tolist()
    assert selected == ["hue", "ash", "proline", "alcohol", "flavanoids"]
    assert selector.ranking_table()["rank"].tolist() == [1, 1, 1, 2, 2]


def test_an_excluded_feature_leaves_its_group(wine):
    X, y = wine
    groups = [["ash", "hue", "flavanoids"], ["alcohol", "proline"]]
    selector = S2FS(5, feature_groups=groups, exclude=["ash", "alcohol"]).fit(X, y)
    rest = [["hue", "flavanoids"]]
    deleted = S2FS(5, feature_groups=rest).fit(X.drop(columns=["ash", "alcohol"]), y)
    pd.testing.assert_frame_equal(selector.ranking_table(), deleted.ranking_table())


@pytest.mark.parametrize("selector", [S2FS, PairCover])
def test_a_group_counts_as_one(selector, wine):
    X, y = wine
    pairs = [[f, f + 1] for f in range(0, 12, 2)]
    selected = selector(5, feature_groups=pairs, exclude=[12]).fit(X, y)
    assert len(selected.indices_) == 10
    assert set(selected.ranking_[~selected.support_]) == {6}
    assert len(selector("all", feature_groups=pairs).fit(X, y).indices_) == 13
    half = selector(0.5, feature_groups=pairs).fit(X, y)  # of seven features
    assert half.ranking_[half.indices_].max() == 3
    with pytest.warns(UserWarning, match="more than the 7 features of X"):
        assert selector(8, feature_groups=pairs).fit(X, y).support_.all()


@pytest.mark.parametrize("selector", [S2FS, PairCover])
def test_a_group_serves_the_class_of_its_best_column(selector, wine):
    X, y = wine
    X = (X - X.mean()) / X.std()
    pairs = [[0, 4], [3, 6], [10, 11]]
    means = np.array([X[y == q].mean() for q in range(3)])
    gaps = np.abs(means - (means.sum(axis=0) - means) / 2)
    served = literal_served_classes(X.to_numpy(), y)
    for pair in pairs:
        served[pair] = served[max(pair, key=lambda f: gaps[:, f].max())]
    fitted = selector(6, min_per_class=2, feature_groups=pairs).fit(X, y)
    assert fitted.served_classes_.tolist() == served[fitted.indices_].tolist()
    firsts = [np.flatnonzero(fitted.ranking_ == rank)[0] for rank in range(1, 7)]
    assert np.bincount(served[firsts]).tolist() == [2, 2, 2]


def test_constraints_in_the_compiled_engine_and_on_sparse_input():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 4
    X = rng.poisson(0.5 + rng.random((4, 40))[y]).astype(float)
    options = {"include": [7, 3], "exclude": [0, 1], "feature_groups": [[10, 11, 12], [20, 30]]}
    truth = S2FS(9, **options).fit(X, y)
    for table in (X, X.astype(np.float32), sparse.csr_array(X)):
        fast = clone(truth).fit(table, y)
        assert fast.indices_.tolist() == truth.indices_.tolist()
        np.testing.assert_allclose(fast.scores_, truth.scores_, rtol=1e-9)


def test_paths_of_a_grid_keep_the_constraints(wine):
    X, y = wine
    options = {"include": ["hue", "ash"], "exclude": ["flavanoids"], "class_weight": "balanced"}
    paths = s2fs_paths(X, y, 5, [0.01, 1.0], [0.0, 0.1], **options)
    for a, alpha in enumerate(paths.alphas):
        for b, beta in enumerate(paths.betas):
            fit = S2FS(5, alpha=alpha, beta=beta, **options).fit(X, y)
            assert paths.indices[a, b].tolist() == fit.indices_.tolist()
            np.testing.assert_allclose(paths.scores[a, b], fit.scores_, rtol=1e-9)


BAD = {
    "unknown name": ({"include": ["hew"]}, r"include has 'hew'.*did you mean 'hue'\?"),
    "unknown name to exclude": ({"exclude": ["xyz"]}, "exclude has 'xyz', but X has no such col"),
    "in and out": ({"include": ["hue", 2], "exclude": [1, "ash"]}, "exclude share 'ash'"),
    "twice": ({"include": ["hue", "ash", 10]}, "include has 'hue' more than once"),
    "too many": ({"include": list(range(5))}, r"include has 5 features.*asks for 4"),
    "beyond": ({"exclude": [13]}, "exclude has 13, but the columns of X are numbered from 0 to 12"),
    "negative": ({"include": [-1]}, "include has -1"),
    "a mask": ({"include": [True, False]}, "include has True"),
    "one name": ({"include": "hue"}, "'include' parameter"),
    "nothing left": ({"exclude": list(range(13))}, r"exclude has all 13 features"),
    "two groups": ({"feature_groups": [[0, 1], [1, 2]]}, "'malic_acid' in more than one group"),
    "empty group": ({"feature_groups": [[0, 1], []]}, "has an empty group at position 1"),
    "labels too short": ({"feature_groups": ["u"] * 12}, "feature_groups has 12 entries"),
    "group of unknown": ({"feature_groups": [["hue", "ush"]]}, r"has 'ush'.*did you mean"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_constraints(case, wine):
    options, words = BAD[case]
    with pytest.raises(ValueError, match=words) as raised:
        S2FS(4, **options).fit(*wine)
    assert "\n" not in str(raised.value)


def test_more_than_are_not_excluded(wine):
    with pytest.warns(UserWarning, match=r"than the 3 features that are not excluded"):
        selector = S2FS(4, exclude=list(range(10))).fit(*wine)
    assert sorted(selector.indices_) == [10, 11, 12]


def test_names_need_names(wine):
    X, y = wine
    with pytest.raises(ValueError, match="include has 'hue', but X has no column names"):
        S2FS(4, include=["hue"]).fit(X.to_numpy(), y)


def test_labels_may_come_as_a_series(wine):
    X, y = wine
    first_letter = pd.Series([name[0] for name in X.columns])
    selector = S2FS(5, feature_groups=first_letter).fit(X, y)
    letters = [X.columns[f][0] for f in selector.indices_]
    assert letters.count("a") in (0, 4)


def literal_served_classes(X, y):
    """For each feature the class whose mean is farthest from the mean of the others."""
    classes = np.unique(y)
    served = []
    for column in X.T:
        means = [column[y == c].mean() for c in classes]
        gaps = [
            mean - np.mean([other for j, other in enumerate(means) if j != i])
            for i, mean in enumerate(means)
        ]
        if len(classes) > 2:
            gaps = np.abs(gaps)
        served.append(int(np.argmax(gaps)))
    return np.array(served)


@pytest.mark.parametrize("selector", [S2FS, PairCover])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_every_class_is_served(selector, load):
    X, y = load(return_X_y=True)
    served = literal_served_classes(X, y)
    n_classes = len(np.unique(y))
    free = selector(2 * n_classes).fit(X, y)
    for min_per_class in (1, 2):
        fitted = selector(2 * n_classes, min_per_class=min_per_class).fit(X, y)
        np.testing.assert_array_equal(fitted.served_classes_, served[fitted.indices_])
        counts = np.bincount(fitted.served_classes_, minlength=n_classes)
        assert (counts >= min_per_class).all()
        if (np.bincount(served[free.indices_], minlength=n_classes) >= min_per_class).all():
            assert fitted.indices_.tolist() == free.indices_.tolist()


def test_a_quota_takes_the_best_that_serve_a_class():
    """Steps are free until all features still wanted must serve a class that lacks some."""
    X, y = load_wine(return_X_y=True)
    served, scaled = literal_served_classes(X, y), minmax_scale(X)
    k, min_per_class = 6, 2
    selected = []
    while len(selected) < k:
        missing = np.maximum(min_per_class - np.bincount(served[selected], minlength=3), 0)
        left = [f for f in range(13) if f not in selected]
        if k - len(selected) <= missing.sum():
            left = [f for f in left if missing[served[f]]]
        scores = [separability(scaled[:, [*selected, f]], y) for f in left]
        selected.append(left[int(np.argmax(np.array(scores) >= max(scores) * (1 - EQUAL)))])
    fitted = S2FS(k, min_per_class=min_per_class, scale="minmax").fit(X, y)
    assert fitted.indices_.tolist() == selected


def test_included_features_count_for_their_class():
    X, y = load_wine(return_X_y=True)
    served = literal_served_classes(X, y)
    rare = np.flatnonzero(served == served[0])[-2:]
    fitted = PairCover(6, min_per_class=2, include=rare.tolist()).fit(X, y)
    assert fitted.indices_[:2].tolist() == rare.tolist()
    assert (np.bincount(fitted.served_classes_) == 2).all()


def test_a_quota_with_gaps_in_sparse_tables_and_batches():
    X, y = load_wine(return_X_y=True)
    plain = PairCover(6, min_per_class=2, correlation=0).fit(X, y)
    batches = PairCover(6, min_per_class=2, correlation=0)
    for part in (slice(None, None, 2), slice(1, None, 2)):
        batches.partial_fit(X[part], y[part])
    for other in (clone(plain).fit(sparse.csr_array(X), y), batches):
        assert other.indices_.tolist() == plain.indices_.tolist()
        assert other.served_classes_.tolist() == plain.served_classes_.tolist()
    X[::7, 3] = np.nan
    assert (np.bincount(plain.fit(X, y).served_classes_) >= 2).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min_per_class": 3}, r"needs 9 more features for 3 classes, but .* leaves 6"),
        ({"min_per_class": 2, "exclude": [0, 2, 4, 9, 12]}, "serve class .* best; ask for fewer"),
        ({"min_per_class": 1, "n_features_to_select": "auto"}, "give a number of features"),
        ({"min_per_class": 2, "max_correlation": 0.2}, "min_per_class leaves .* missing"),
    ],
)
def test_a_quota_that_cannot_be_met(options, words):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match=words) as raised:
        S2FS(**{"n_features_to_select": 6} | options).fit(X, y)
    assert "\n" not in str(raised.value)
