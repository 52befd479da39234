"""Selection within batches: what only tells batches apart is not chosen."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from s2fs import S2FS, PairCover


def confounded(seed=0):
    """Feature 0 tells the batches apart, feature 1 the classes, the others nothing.

    Most rows of class 0 are in batch "x" and most of class 1 in batch "y".
    """
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 40)
    batch = np.where(np.r_[np.arange(40) < 32, np.arange(40) < 8], "x", "y")
    X = rng.normal(size=(80, 6))
    X[:, 0] += 9.0 * (batch == "x")
    X[:, 1] += 1.2 * y
    return X, y, batch


@pytest.mark.parametrize("selector", [S2FS(1), PairCover(1)])
def test_a_feature_that_tells_batches_apart_is_not_chosen(selector):
    X, y, batch = confounded()
    assert selector.fit(X, y).indices_.tolist() == [0]
    assert selector.fit(X, y, batch=batch).indices_.tolist() == [1]


@pytest.mark.parametrize("selector", [S2FS(6), PairCover(6)])
def test_no_shift_of_a_batch_changes_anything(selector):
    X, y, batch = confounded()
    plain = selector.fit(X, y, batch=batch)
    indices, scores = plain.indices_, plain.scores_
    moved = X + np.where(batch == "x", 1.0, 0.0)[:, None] * np.arange(6) * 7
    selector.fit(moved, y, batch=np.where(batch == "x", 3, 5))
    assert selector.indices_.tolist() == indices.tolist()
    np.testing.assert_allclose(selector.scores_, scores, rtol=1e-9)


def test_one_batch_is_none():
    X, y, _ = confounded()
    np.testing.assert_allclose(
        S2FS(6).fit(X, y, batch=np.ones(80)).scores_, S2FS(6).fit(X, y).scores_, rtol=1e-12
    )


def test_balanced_batches_are_centred():
    """With equal shares of the classes in every batch the effect is the mean of the batch."""
    rng = np.random.default_rng(1)
    y, batch = np.tile([0, 1, 2], 20), np.repeat([0, 1], 30)
    X = rng.normal(size=(60, 5)) + y[:, None] * rng.random(5)
    centred = X - np.array([X[batch == b].mean(axis=0) for b in (0, 1)])[batch]
    np.testing.assert_allclose(
        PairCover(5).fit(X, y, batch=batch).scores_, PairCover(5).fit(centred, y).scores_, rtol=1e-9
    )


def test_weight_2_is_a_row_twice_and_weight_0_none():
    X, y, batch = confounded()
    weight = np.random.default_rng(2).integers(0, 3, 80)
    rows = np.repeat(np.arange(80), weight)
    weighted = S2FS(6).fit(X, y, sample_weight=weight, batch=batch)
    repeated = S2FS(6).fit(X[rows], y[rows], batch=batch[rows])
    assert weighted.indices_.tolist() == repeated.indices_.tolist()
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"batch": np.zeros(3)}, r"batch has 3 entries for the 80 row\(s\) of X"),
        ({"batch": np.repeat([0, 1], 40)}, "batch and y cannot be told apart"),
        ({"X": csr_array(confounded()[0])}, "batch needs dense rows, but X is sparse"),
        ({"X": np.where(confounded()[0] > 2, np.nan, confounded()[0])}, "X has missing ones"),
    ],
)
def test_bad_batches(change, words):
    X, y, batch = confounded()
    with pytest.raises(ValueError, match=words):
        PairCover(2).fit(**({"X": X, "y": y, "batch": batch} | change))
