"""Redundancy and stability of all prefixes at once, against one prefix after the other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2fs._core.correlation import prefix_redundancy
from s2fs._core.stability import prefix_stability
from s2fs.evaluation import stability


def test_redundancy_is_the_mean_absolute_correlation():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 8)) @ rng.normal(size=(8, 8))
    r = np.abs(np.corrcoef(A.T))
    found = prefix_redundancy(A, np.array([1, 2, 5, 8]))
    assert np.isnan(found[0])
    for k, value in zip((2, 5, 8), found[1:], strict=True):
        assert value == pytest.approx(r[:k, :k][np.triu_indices(k, 1)].mean())


def test_constant_column_is_correlated_with_nothing():
    A = np.column_stack([np.arange(5.0), np.ones(5), np.arange(5.0)])
    assert prefix_redundancy(A, np.array([2, 3])).tolist() == pytest.approx([0, 1 / 3])


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_stability_of_prefixes_is_that_of_each(seed, n_rankings):
    rng = np.random.default_rng(seed)
    rankings = np.array([rng.permutation(7) for _ in range(n_rankings)])
    found = prefix_stability(rankings, 7)
    assert np.isnan(found[-1])
    for k in range(1, 7):
        assert found[k - 1] == pytest.approx(stability(list(rankings[:, :k]), 7).value)
