import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.metrics import get_scorer
from sklearn.model_selection import cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import minmax_scale

from s2fs import S2FS, PairCover, components, s2fs_paths, separability
from strategies import examples, weighted

readings = st.sampled_from(["published", "normalized"])


def repeated(X, y, weights):
    return np.repeat(X, weights, axis=0), np.repeat(y, weights)


@given(weighted(whole=True, max_samples=20, max_features=6), readings)
def test_criterion_with_weights_is_that_of_copies(data, reading):
    X, y, weights = data
    found = components(X, y, centroid_membership=reading, sample_weight=weights)
    copies = components(*repeated(X, y, weights), centroid_membership=reading)
    assert found == pytest.approx(copies, rel=1e-9, abs=1e-9)


@given(weighted(max_samples=20, max_features=5))
def test_separability_takes_the_weights_along(data):
    X, y, weights = data
    parts = components(X, y, sample_weight=weights)
    sep = separability(X, y, 0.1, 0.2, sample_weight=weights)
    assert sep == pytest.approx(parts.separability(0.1, 0.2), rel=1e-12)


@examples(60)
@given(weighted(max_samples=25, max_features=5), readings, st.sampled_from(["minmax", None]))
def test_every_step_has_the_literal_score(data, reading, scale):
    X, y, weights = data
    scaled = minmax_scale(X) if scale == "minmax" else X
    selector = S2FS("all", centroid_membership=reading, scale=scale).fit(X, y, weights)
    for size, found in enumerate(selector.path_, 1):
        joined = scaled[:, selector.indices_[:size]]
        literal = components(joined, y, centroid_membership=reading, sample_weight=weights)
        parts = [found[name] for name in literal._fields]
        assert parts == pytest.approx(list(literal), rel=1e-9, abs=1e-9)


@given(weighted(whole=True, max_samples=25, max_features=8))
def test_weights_are_copies_and_zero_is_absence(data):
    X, y, weights = data
    selector = S2FS(1.0).fit(X, y, sample_weight=weights)
    copies = S2FS(1.0).fit(*repeated(X, y, weights))
    assert selector.indices_.tolist() == copies.indices_.tolist()
    np.testing.assert_allclose(selector.scores_, copies.scores_, rtol=1e-9, atol=1e-9)
    assert selector.classes_.tolist() == copies.classes_.tolist()


@examples(60)
@given(weighted(max_samples=25, max_features=8), st.floats(0.01, 100))
def test_only_ratios_matter(data, factor):
    X, y, weights = data
    once, scaled = (S2FS(1.0).fit(X, y, w) for w in (weights, factor * weights))
    assert once.indices_.tolist() == scaled.indices_.tolist()
    np.testing.assert_allclose(once.scores_, scaled.scores_, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("weight", [1, 0.3])
def test_equal_weights_are_no_weights(weight):
    X, y = load_wine(return_X_y=True)
    plain, uniform = S2FS(5).fit(X, y), S2FS(5).fit(X, y, np.full(len(y), weight))
    np.testing.assert_array_equal(plain.path_, uniform.path_)


def imbalanced():
    X, y = load_wine(return_X_y=True, as_frame=True)
    rows = np.r_[0:59, 59:79, 130:137]
    return X.iloc[rows], y.iloc[rows].map({0: "a", 1: "b", 2: "c"})


def test_balanced_classes_count_alike():
    X, y = imbalanced()
    by_hand = len(y) / (3 * y.map(y.value_counts()))
    balanced = S2FS(6, class_weight="balanced").fit(X, y)
    by_row = S2FS(6).fit(X, y, by_hand)
    assert balanced.indices_.tolist() == by_row.indices_.tolist()
    np.testing.assert_allclose(balanced.scores_, by_row.scores_, rtol=1e-12)
    assert balanced.path_["theta_dis"][0] != S2FS(6).fit(X, y).path_["theta_dis"][0]
    # Θ_dis is then the mean over the classes of what it is within each
    column = X.iloc[:, balanced.indices_[0]]
    column = column / np.sqrt(np.cov(column, aweights=by_hand, ddof=0))
    within = [np.abs(column[y == q] - column[y == q].mean()).mean() for q in "abc"]
    assert balanced.path_["theta_dis"][0] == pytest.approx(np.mean(within), rel=1e-12)


def test_class_weights_by_name():
    X, y = imbalanced()
    named = S2FS(6, class_weight={"b": 2, "c": 5.5}).fit(X, y)
    by_row = S2FS(6).fit(X, y, y.map({"a": 1, "b": 2, "c": 5.5}))
    np.testing.assert_allclose(named.scores_, by_row.scores_, rtol=1e-12)
    without = S2FS(6, class_weight={"c": 0}).fit(X, y)
    np.testing.assert_array_equal(without.path_, S2FS(6).fit(X[y != "c"], y[y != "c"]).path_)
    assert without.classes_.tolist() == ["a", "b"]


def test_balanced_and_sample_weights_together():
    X, y = imbalanced()
    weights = np.arange(len(y)) % 3
    both = S2FS(6, class_weight="balanced").fit(X, y, weights)
    rows = np.repeat(np.arange(len(y)), weights)
    copies = S2FS(6, class_weight="balanced").fit(X.iloc[rows], y.iloc[rows])
    assert both.indices_.tolist() == copies.indices_.tolist()
    np.testing.assert_allclose(both.scores_, copies.scores_, rtol=1e-9)


def test_sparse_compiled_and_paths_take_weights():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 4
    X = rng.poisson(0.5 + rng.random((4, 40))[y]).astype(float)
    weights = rng.random(60)
    plain = S2FS(8).fit(X, y, weights)
    thin = S2FS(8).fit(sparse.csr_array(X), y, weights)
    grid = s2fs_paths(X, y, 8, [plain.alpha], [plain.beta], sample_weight=weights)
    fast = S2FS(8).fit(X, y, weights)
    fast_thin = S2FS(8).fit(sparse.csc_array(X), y, weights)
    for other in (thin, fast, fast_thin):
        assert other.indices_.tolist() == plain.indices_.tolist()
        np.testing.assert_allclose(other.scores_, plain.scores_, rtol=1e-9)
    assert grid.indices[0, 0].tolist() == plain.indices_.tolist()
    assert plain.indices_.tolist() != S2FS(8).fit(X, y).indices_.tolist()


def test_weights_are_routed_through_a_pipeline():
    X, y = load_wine(return_X_y=True)
    weights = (np.arange(len(y)) % 2).astype(float)  # every other row
    with sklearn.config_context(enable_metadata_routing=True):
        selector = S2FS(4).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(selector, KNeighborsClassifier())
        pipeline.fit(X, y, sample_weight=weights)
        cross_validate(
            pipeline,
            X,
            y,
            scoring=get_scorer("accuracy").set_score_request(sample_weight=True),
            params={"sample_weight": weights},
            error_score="raise",
        )
    half = S2FS(4).fit(X[1::2], y[1::2])
    np.testing.assert_array_equal(pipeline[0].path_, half.path_)


BAD = {
    "too short": ({"sample_weight": [1.0] * 5}, {}, r"has the shape \(5,\) for the 6 samples"),
    "a table": ({"sample_weight": np.ones((6, 1))}, {}, r"has the shape \(6, 1\)"),
    "negative": ({"sample_weight": [1, 1, -1, 1, 1, 1]}, {}, r"negative weight in sample 2"),
    "NaN": ({"sample_weight": [1, 1, 1, np.nan, 1, 1]}, {}, r"NaN or infinity in sample 3"),
    "text": ({"sample_weight": ["much"] * 6}, {}, "sample_weight is not numeric"),
    "all zero": ({"sample_weight": np.zeros(6)}, {}, "sample_weight is zero in every sample"),
    "one class left": ({"sample_weight": [1, 1, 1, 0, 0, 0]}, {}, "y has one class only"),
    "no such class": ({}, {"class_weight": {"catt": 2}}, r"'catt' \(did you mean 'cat'\?\)"),
    "negative class": ({}, {"class_weight": {"cat": -1}}, "class_weight of 'cat' is -1"),
    "too far apart": ({"sample_weight": [1e-200, 1, 1, 1e200, 1, 1]}, {}, "go from 1e-200 to 1e"),
    "too light": ({"sample_weight": [1, 1, 1, 1, 1, 1e-16]}, {}, "go from 1e-16 to 1, which sums"),
    "too heavy": ({"sample_weight": np.full(6, 1e200)}, {}, r"go from 1e\+200 to 1e\+200"),
    "light class": ({}, {"class_weight": {"cat": 1e-20}}, "go from 1e-20 to 1, which sums"),
    "a product that vanishes": (
        {"sample_weight": np.full(6, 1e-90)},
        {"class_weight": {"cat": 1e-300}},
        "weights of the rows go from 4.94e-324",
    ),
    "no class left": ({}, {"class_weight": {"cat": 0, "dog": 0}}, "leaves no row"),
    "unknown scheme": ({}, {"class_weight": "equal"}, "'class_weight' parameter"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_weights(case):
    given, parameters, words = BAD[case]
    X = pd.DataFrame({"u": [0.0, 1, 2, 3, 4, 5], "v": [1.0, 0, 1, 3, 2, 3]})
    y = ["cat"] * 3 + ["dog"] * 3
    for selector in (S2FS(1, **parameters), PairCover(1, **parameters)):
        with pytest.raises(ValueError, match=words) as raised:
            selector.fit(X, y, **given)
        assert "\n" not in str(raised.value)
    if case != "unknown scheme":
        with pytest.raises(ValueError, match=words):
            s2fs_paths(X, y, 1, **given, **parameters)
    if not parameters and case not in ("one class left", "all zero"):  # more may come
        with pytest.raises(ValueError, match=words):
            PairCover(1, correlation=0).partial_fit(X, y, **given)


def test_batches_of_very_different_weight_are_refused():
    X, y = load_wine(return_X_y=True)
    selector = PairCover(2, correlation=0).partial_fit(X[::2], y[::2], sample_weight=[1e-9] * 89)
    with pytest.raises(ValueError, match=r"go from 1e-09 to 1e\+09"):
        selector.partial_fit(X[1::2], y[1::2], sample_weight=[1e9] * 89)


def test_weights_over_fourteen_decades_are_taken():
    X, y = load_wine(return_X_y=True)
    weight = 10.0 ** np.random.default_rng(0).uniform(-7, 7, len(y))
    for selector in (S2FS(3), PairCover(3)):
        assert len({*selector.fit(X, y, sample_weight=weight).indices_}) == 3


def test_a_class_missing_from_a_fold_is_no_error():
    X, y = imbalanced()
    there = y != "c"
    all_named = S2FS(2, class_weight={"a": 1, "b": 2, "c": 3}).fit(X[there], y[there])
    some = S2FS(2, class_weight={"b": 2}).fit(X[there], y[there])
    np.testing.assert_array_equal(all_named.path_, some.path_)
