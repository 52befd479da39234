"""The base class of the baselines: scaled columns, constant features last, docstrings filled in."""

import numpy as np
import pytest

from s2fs.baselines import Baseline
from s2fs.baselines.base import Ranked


class ByMean(Baseline):
    """Ranks by the mean of the scaled column; keeps what it was given.

    Status: {status}.

    Parameters
    ----------
    {n_features_to_select}

    References
    ----------
    {citation}.
    """

    status = "confirmed"
    citation = "A test"

    def __init__(self, n_features_to_select=10):
        self.n_features_to_select = n_features_to_select

    def _rank_varying(self, X, codes, k):
        self.seen_ = X
        order = np.argsort(-X.mean(axis=0), kind="stable")[:k]
        return Ranked(order, X.mean(axis=0)[order], 1)


def test_shared_parts_of_a_docstring_are_filled_in():
    assert "Status: confirmed." in ByMean.__doc__
    words = '\nn_features_to_select : int, float or "all", default=10\n    How many'
    assert words in ByMean.__doc__
    assert ByMean.__doc__.endswith("A test.")


def test_constant_features_come_last_by_index_without_a_score():
    X = np.array([[5, 0, 1, 7, 2], [5, 1, 1, 7, 2], [5, 1, 1, 9, 2]])
    selector = ByMean(n_features_to_select=4).fit(X, [0, 1, 1])
    assert selector.indices_.tolist() == [1, 3, 0, 2]
    np.testing.assert_allclose(selector.scores_, [2 / 3, 1 / 3, 0, 0])
    assert selector.peak_ == 1
    assert selector.seen_.shape == (3, 2)


def test_only_constant_features():
    selector = ByMean(n_features_to_select=2).fit(np.ones((4, 3)), [0, 1, 0, 1])
    assert selector.indices_.tolist() == [0, 1]
    assert (selector.scores_ == 0).all()
    assert selector.peak_ == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16])
def test_columns_are_scaled_to_the_unit_range(dtype):
    X = np.array([[-3, 100], [0, 300], [3, 200]], dtype=dtype)
    selector = ByMean(n_features_to_select=2).fit(X, [0, 1, 1])
    np.testing.assert_array_equal(selector.seen_, [[0, 0], [0.5, 1], [1, 0.5]])
    assert selector.seen_.dtype == np.float64


def test_a_range_beyond_the_largest_float_is_scaled():
    X = np.array([[-1.7e308, 0], [1.7e308, 1], [0, 0]])
    selector = ByMean(n_features_to_select=2).fit(X, [0, 1, 1])
    np.testing.assert_allclose(selector.seen_[:, 0], [0, 1, 0.5])
