"""Trees grown together for all sizes, against trees grown one by one with scikit-learn's splits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from s2fs_bench import PAPER_LEARNERS

cart = PAPER_LEARNERS["cart"]


def stump(x, codes):
    """Threshold and Σ counts² / n over both sides of the best split by one feature, if any."""
    tree = DecisionTreeClassifier(max_depth=1).fit(x[:, None], codes).tree_
    if tree.node_count == 1:
        return None
    counts = tree.value[1:, 0] * tree.n_node_samples[1:, None]
    return tree.threshold[0], float((np.rint(counts) ** 2 / tree.n_node_samples[1:, None]).sum())


def literal(A, codes, B):
    """A tree in plain recursion: at each node scikit-learn's stump by the first best feature."""
    values, counts = np.unique(codes, return_counts=True)
    if len(values) == 1 or len(B) == 0:
        return np.full(len(B), values[0])
    stumps = [stump(A[:, f], codes) for f in range(A.shape[1])]
    gains = [0.0 if s is None else s[1] for s in stumps]
    best = max(gains)
    if best == 0:
        return np.full(len(B), values[counts.argmax()])
    f = next(f for f, gain in enumerate(gains) if gain >= best - 1e-9)
    left, test_left = A[:, f] <= stumps[f][0], B[:, f] <= stumps[f][0]
    answer = np.empty(len(B), dtype=codes.dtype)
    answer[test_left] = literal(A[left], codes[left], B[test_left])
    answer[~test_left] = literal(A[~left], codes[~left], B[~test_left])
    return answer


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.booleans())
def test_all_sizes_are_trees_of_their_own(seed, n_classes, coarse):
    rng = np.random.default_rng(seed)
    A, B = rng.random((14, 5)), rng.random((6, 5))
    if coarse:  # many ties, equal rows with different classes, constant columns
        A, B = np.floor(A * 3) / 2, np.floor(B * 3) / 2
    A, B = A.astype(np.float32).astype(float), B.astype(np.float32).astype(float)
    codes = np.append(np.arange(n_classes), rng.integers(n_classes, size=14 - n_classes))
    sizes = np.array([1, 2, 4, 5])
    expected = [literal(A[:, :k], codes, B[:, :k]) for k in sizes]
    np.testing.assert_array_equal(cart(A, codes, B, sizes), expected)


def test_one_feature_leaves_scikit_learn_no_choice():
    rng = np.random.default_rng(0)
    for _ in range(30):
        A, B = rng.normal(size=(60, 1)), rng.normal(size=(40, 1))
        codes = np.append(np.arange(4), rng.integers(4, size=56))
        theirs = DecisionTreeClassifier().fit(A, codes).predict(B)
        np.testing.assert_array_equal(cart(A, codes, B, np.array([1]))[0], theirs)


def test_as_accurate_as_scikit_learns_trees():
    X, y = make_classification(
        1500, 20, n_informative=8, n_classes=5, class_sep=0.8, random_state=4
    )
    A, B, sizes = X[:500], X[500:], np.arange(1, 21)
    ours = (cart(A, y[:500], B, sizes) == y[500:]).mean(axis=1)
    draws = [
        [
            DecisionTreeClassifier(random_state=seed)
            .fit(A[:, :k], y[:500])
            .score(B[:, :k], y[500:])
            for k in sizes
        ]
        for seed in range(5)
    ]
    theirs = np.mean(draws, axis=0)
    assert abs(ours - theirs).max() < 0.04
    assert abs((ours - theirs).mean()) < 0.01


def test_a_size_does_not_depend_on_the_others():
    X, y = make_classification(200, 30, n_informative=8, n_classes=5, random_state=1)
    A, B, codes = X[:150], X[150:], y[:150]
    together = cart(A, codes, B, np.arange(1, 31))
    for k in (1, 7, 18, 30):
        np.testing.assert_array_equal(cart(A, codes, B, np.array([k]))[0], together[k - 1])


@pytest.mark.parametrize("gap", [1e-8, 1e-6])
def test_values_closer_than_single_precision_sees_are_equal(gap):
    x, codes = np.array([[0.0], [gap]]), np.array([0, 1])
    expected = [0, 1] if gap > 1e-7 else [0, 0]
    assert cart(x, codes, x, np.array([1])).tolist() == [expected]
