"""Redundancy of all prefixes at once, against one prefix after the other."""

import numpy as np
import pytest

from s2fs import S2FS, compare
from s2fs.baselines import AnovaF
from s2fs.evaluation import stratified_folds

Y = np.arange(30) % 2


def redundancies(X, selector, sizes):
    result = compare(X, Y, k=sizes, selectors={"one": selector}, cv=3, n_repeats=1)
    return [result.at(k).rows[0].redundancy for k in sizes]


def test_redundancy_is_the_mean_absolute_correlation():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 10)) @ rng.normal(size=(10, 10))
    found = redundancies(X, AnovaF(), [1, 2, 5, 8])
    assert found[0] is None
    for k, value in zip((2, 5, 8), found[1:], strict=True):
        of_folds = []
        for train, _ in stratified_folds(Y, 3, random_state=0):
            selected = AnovaF(k).fit(X[train], Y[train]).indices_
            r = np.abs(np.corrcoef(X[np.ix_(train, selected)].T))
            of_folds.append(r[np.triu_indices(k, 1)].mean())
        assert value == pytest.approx(np.mean(of_folds))


def test_constant_column_is_correlated_with_nothing():
    X = np.column_stack([np.arange(30.0), np.ones(30), np.arange(30.0)])
    assert redundancies(X, S2FS(include=[0, 1]), [2, 3]) == pytest.approx([0, 1 / 3])
