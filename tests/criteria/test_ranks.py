"""Ranks of features against those of SciPy."""

import numpy as np
import pytest
from scipy.sparse import csc_array
from scipy.stats import rankdata

from s2fs import PairCover
from s2fs.criteria.ranks import rank_features


@pytest.fixture
def counts():
    """Counts with many ties and zeros, and three classes."""
    rng = np.random.default_rng(3)
    y = np.arange(90) % 3
    rate = np.exp(rng.normal(size=(3, 20)))
    return rng.poisson(rate[y]).astype(float), y


def test_ranks_are_those_of_scipy(counts):
    X, _ = counts
    np.testing.assert_array_equal(rank_features(X), rankdata(X, axis=0))


def test_ranks_of_many_columns_are_those_of_scipy():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(700, 120)), 1)  # more than are sorted at a time
    X[:, ::2] += rng.normal(size=(700, 60))
    X[0, 1], X[1, 1], X[2, 0], X[3, 3] = -0.0, 0.0, np.inf, -np.inf
    np.testing.assert_array_equal(rank_features(X), rankdata(X, axis=0))
    np.testing.assert_array_equal(rank_features(X[:1]), np.ones((1, 120)))


def test_missing_values_stay_and_take_no_rank(counts):
    X, _ = counts
    X[::7, 2] = np.nan
    ranks = rank_features(X)
    there = ~np.isnan(X[:, 2])
    np.testing.assert_array_equal(np.isnan(ranks), np.isnan(X))
    gaps = ranks[there, 2] - rankdata(X[there, 2])
    np.testing.assert_allclose(gaps, gaps[0])  # a constant changes nothing


def test_a_weight_of_two_is_two_samples(counts):
    X, _ = counts
    weight = 1.0 + np.arange(len(X)) % 2
    ranks = rank_features(X, weight)
    twice = rankdata(np.repeat(X, weight.astype(int), axis=0), axis=0)
    first = np.cumsum(weight.astype(int)) - weight.astype(int)
    gaps = ranks - twice[first]
    np.testing.assert_allclose(gaps, np.broadcast_to(gaps[0], gaps.shape))


def test_zeros_of_a_sparse_table_stay_zeros(counts):
    X, _ = counts
    ranks = rank_features(csc_array(X))
    assert ranks.nnz == np.count_nonzero(X)
    gaps = ranks.toarray() - rankdata(X, axis=0)
    np.testing.assert_allclose(gaps, np.broadcast_to(gaps[0], gaps.shape))


def test_only_the_order_counts(counts):
    """Whatever keeps the order of the values keeps the selection, and ``transform`` the values."""
    X, y = counts
    by_rank = PairCover(6, scale="rank").fit(X, y)
    assert by_rank.indices_.tolist() == PairCover(6).fit(rankdata(X, axis=0), y).indices_.tolist()
    for other in (np.exp(X), np.sqrt(X), csc_array(X)):
        again = PairCover(6, scale="rank").fit(other, y)
        assert again.indices_.tolist() == by_rank.indices_.tolist()
    np.testing.assert_array_equal(by_rank.transform(X), X[:, np.sort(by_rank.indices_)])


def test_ranks_survive_an_outlier():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 30))
    X[:, 7] += 1.5 * y
    X[0, 7] = 1e4
    assert PairCover(1).fit(X, y).indices_[0] != 7
    assert PairCover(1, scale="rank").fit(X, y).indices_[0] == 7


def test_batches_cannot_be_ranked(counts):
    X, y = counts
    with pytest.raises(AttributeError) as caught:
        PairCover(correlation=0, scale="rank").partial_fit(X, y)
    assert "scale='rank' needs all samples in one place" in str(caught.value)
