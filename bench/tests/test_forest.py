"""The compiled forest, against scikit-learn's trees and forests."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from s2fs_bench import BENCH_LEARNERS
from s2fs_bench.learners import forest as bench_forest


@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_one_feature_leaves_scikit_learn_no_choice(seed, n_classes):
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(40, 1)), rng.normal(size=(20, 1))
    A[::3] = np.round(A[::3], 1)  # rows of equal values and different classes
    A, B = A.astype(np.float32), B.astype(np.float32)
    codes = np.append(np.arange(n_classes), rng.integers(n_classes, size=40 - n_classes))
    found = bench_forest.shares(
        np.ascontiguousarray(A.T), codes, np.ascontiguousarray(B.T), 1, 1, seed, False
    )
    np.testing.assert_allclose(found, DecisionTreeClassifier().fit(A, codes).predict_proba(B))


def test_forests_are_as_good_as_those_of_scikit_learn():
    for load in (load_digits, load_wine):
        X, y = load(return_X_y=True)
        A, B, codes, truth = X[::2], X[1::2], y[::2], y[1::2]
        sizes = [X.shape[1]]
        ours, theirs = (
            np.mean([(one == truth).mean() for one in several])
            for several in (
                [
                    bench_forest.predict(A, codes, B, sizes, n_trees=50, seed=seed)[0]
                    for seed in range(3)
                ],
                [
                    RandomForestClassifier(50, random_state=seed).fit(A, codes).predict(B)
                    for seed in range(3)
                ],
            )
        )
        assert abs(ours - theirs) < 0.02


def test_the_same_each_time_and_for_each_size_alone():
    X, y = load_wine(return_X_y=True)
    forest = BENCH_LEARNERS["forest"]
    together = forest(X[::2], y[::2], X[1::2], np.array([2, 5]))
    np.testing.assert_array_equal(together, forest(X[::2], y[::2], X[1::2], np.array([2, 5])))
    np.testing.assert_array_equal(together[1:], forest(X[::2], y[::2], X[1::2], np.array([5])))
