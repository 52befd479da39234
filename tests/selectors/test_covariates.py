"""Selection at equal covariates: what only tells batches or ages apart is not selected."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from s2fs import S2FS, PairCover, SelectorCV, StabilitySelector, s2fs_paths


def confounded(seed=0):
    """Feature 0 tells the batches apart, feature 1 the classes, the others nothing.

    Most samples of class 0 are in batch "x" and most of class 1 in batch "y".
    """
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 40)
    batch = np.where(np.r_[np.arange(40) < 32, np.arange(40) < 8], "x", "y")
    X = rng.normal(size=(80, 6))
    X[:, 0] += 9.0 * (batch == "x")
    X[:, 1] += 1.2 * y
    return X, y, batch


def aged(seed=0):
    """The same for a number: feature 0 follows the age, which differs between the classes."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 40)
    age = rng.integers(20, 70, 80) + 15 * y
    X = rng.normal(size=(80, 6))
    X[:, 0] += 0.3 * age
    X[:, 1] += 1.2 * y
    return X, y, age


@pytest.mark.parametrize("selector", [S2FS(1), PairCover(1)])
@pytest.mark.parametrize("make", [confounded, aged])
def test_a_feature_that_tells_covariates_apart_is_not_selected(selector, make):
    X, y, covariate = make()
    assert selector.fit(X, y).indices_.tolist() == [0]
    assert selector.fit(X, y, covariates=covariate).indices_.tolist() == [1]


@pytest.mark.parametrize("selector", [S2FS(6), PairCover(6)])
def test_no_effect_of_a_covariate_changes_anything(selector):
    X, y, batch = confounded()
    age = aged()[2]
    both = pd.DataFrame({"batch": batch, "age": age})
    plain = selector.fit(X, y, covariates=both)
    indices, scores = plain.indices_, plain.scores_
    moved = X + np.outer(batch == "x", np.arange(6) * 7.0) + np.outer(age, np.arange(6) - 3.0)
    both = both.assign(batch=np.where(batch == "x", "3", "5"), age=age * 12 - 100)
    selector.fit(moved, y, covariates=both)
    assert selector.indices_.tolist() == indices.tolist()
    np.testing.assert_allclose(selector.scores_, scores, rtol=1e-9)


def literal_residuals(X, y, columns):
    """x less the covariates' share of least squares on classes and covariates."""
    classes = (y[:, None] == np.unique(y)).astype(float)
    design = np.column_stack([classes, *columns])
    effects = np.linalg.lstsq(design, X, rcond=None)[0]
    return X - np.column_stack(columns) @ effects[classes.shape[1] :]


@pytest.mark.parametrize("cls", [S2FS, PairCover])
def test_effects_are_those_of_least_squares(cls):
    X, y, batch = confounded()
    age = aged()[2]
    literal = cls(6).fit(literal_residuals(X, y, [batch == "x", age.astype(float)]), y)
    for covariates in (
        pd.DataFrame({"batch": pd.Categorical(batch), "age": age, "male": batch == "x"}),
        pl.DataFrame({"batch": batch, "age": age}),
    ):
        fitted = cls(6).fit(X, y, covariates=covariates)
        assert fitted.indices_.tolist() == literal.indices_.tolist()
        np.testing.assert_allclose(fitted.scores_, literal.scores_, rtol=1e-9)


def test_text_is_a_category_and_an_integer_is_a_number():
    X, y, _ = confounded()
    day = np.arange(80) % 5
    as_number, as_category = (
        S2FS(6).fit(X, y, covariates=values).scores_ for values in (day, day.astype(str))
    )
    literal = S2FS(6).fit(literal_residuals(X, y, [day.astype(float)]), y)
    np.testing.assert_allclose(as_number, literal.scores_, rtol=1e-9)
    literal = S2FS(6).fit(literal_residuals(X, y, [day == d for d in range(4)]), y)
    np.testing.assert_allclose(as_category, literal.scores_, rtol=1e-9)
    series = S2FS(6).fit(X, y, covariates=pd.Series(day.astype(str)))
    np.testing.assert_array_equal(series.scores_, as_category)


def test_one_value_is_none():
    X, y, _ = confounded()
    for one in (np.ones(80), np.full(80, "x")):
        np.testing.assert_allclose(
            S2FS(6).fit(X, y, covariates=one).scores_, S2FS(6).fit(X, y).scores_, rtol=1e-12
        )


def test_balanced_batches_are_centred():
    """With equal shares of the classes in every batch the effect is the mean of the batch."""
    rng = np.random.default_rng(1)
    y, batch = np.tile([0, 1, 2], 20), np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 5)) + y[:, None] * rng.random(5)
    centred = X - np.array([X[batch == b].mean(axis=0) for b in (0, 1)])[batch]
    np.testing.assert_allclose(
        PairCover(5).fit(X, y, covariates=batch.astype(str)).scores_,
        PairCover(5).fit(centred, y).scores_,
        rtol=1e-9,
    )


@pytest.mark.parametrize("make", [confounded, aged])
def test_weight_2_is_a_sample_twice_and_weight_0_none(make):
    X, y, covariate = make()
    weight = np.random.default_rng(2).integers(0, 3, 80)
    rows = np.repeat(np.arange(80), weight)
    weighted = S2FS(6).fit(X, y, sample_weight=weight, covariates=covariate)
    repeated = S2FS(6).fit(X[rows], y[rows], covariates=covariate[rows])
    assert weighted.indices_.tolist() == repeated.indices_.tolist()
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-9)


def test_other_selectors_hand_them_on():
    X, y, batch = confounded()
    both = pd.DataFrame({"batch": batch, "age": aged()[2]})
    alone = S2FS(3).fit(X, y, covariates=both).indices_.tolist()
    assert (
        SelectorCV(3, selector=S2FS(), alphas=[0.0316], betas=[0.0316])
        .fit(X, y, covariates=both)
        .indices_.tolist()
        == alone
    )
    paths = s2fs_paths(X, y, 3, [0.0316], [0.0316], covariates=both)
    assert paths.indices[0, 0].tolist() == alone
    stable = StabilitySelector(selector=S2FS(1), n_resamples=6).fit(X, y, covariates=both)
    assert stable.indices_.tolist() == [1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"covariates": np.zeros(3)}, r"covariates has 3 entries for the 80 samples of X"),
        ({"covariates": np.zeros((80, 2, 2))}, r"covariates has the shape \(80, 2, 2\)"),
        ({"covariates": np.zeros((80, 0))}, "covariates has no columns"),
        ({"covariates": np.repeat(["a", "b"], 40)}, "covariates and y cannot be told apart"),
        ({"covariates": np.repeat([0, 1], 40)}, "covariates and y cannot be told apart"),
        ({"covariates": np.eye(80)[:, :79]}, "covariates and y cannot be told apart"),
        (
            {"covariates": np.eye(80)[:, :78]},
            "covariates and y cannot be told apart|leaves nothing",
        ),
        ({"covariates": [None, *"a" * 79]}, r"missing values in 'covariate 0', in sample 0"),
        ({"covariates": pd.DataFrame({"age": [np.nan] * 80})}, "missing values in 'age'"),
        (
            {"X": csr_array(confounded()[0]), "covariates": np.arange(80)},
            "covariates need dense rows, but X is sparse",
        ),
        ({"X": np.where(confounded()[0] > 2, np.nan, confounded()[0])}, "X has missing ones"),
    ],
)
def test_bad_covariates(change, words):
    X, y, batch = confounded()
    with pytest.raises(ValueError, match=words):
        PairCover(2).fit(**({"X": X, "y": y, "covariates": batch} | change))


def test_as_many_effects_as_samples_leave_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 4)), np.arange(20) % 2
    with pytest.raises(ValueError, match="20 effects for 20 samples, which leaves nothing"):
        S2FS(2).fit(X, y, covariates=rng.normal(size=(20, 18)))


@pytest.mark.filterwarnings("ignore:One sample decides:UserWarning")
@pytest.mark.parametrize("seed", range(12))
def test_a_sparse_table_is_adjusted_alike(seed):
    """For two categories, with weights of samples and classes, quotas, limits and copies."""
    rng = np.random.default_rng(seed)
    n, m = 70, 25
    y, laboratory = rng.integers(0, 3, n), rng.integers(0, 3, n)
    X = rng.poisson(0.5, (n, m)) * rng.random((n, m))
    X += 2.0 * (X > 0) * (laboratory == 1)[:, None]
    X[:, 3] = X[:, 4] + 3.0 * (laboratory == 2)  # the same, once adjusted
    table = pd.DataFrame({"laboratory": laboratory, "kit": rng.integers(0, 2, n)}).astype(str)
    options = (
        {},
        {"correlation": 0},
        {"correlation": 0.5, "class_weight": "balanced"},
        {"min_per_class": 2},
        {"max_correlation": 0.5},
        {"scale": "rank"},
    )[seed % 6]
    given = {"covariates": table, "sample_weight": rng.integers(1, 4, n) if seed % 2 else None}
    expected = PairCover(8, **options).fit(X, y, **given)
    found = PairCover(8, **options).fit(csr_array(X), y, **given)
    assert found.indices_.tolist() == expected.indices_.tolist()
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-9)
