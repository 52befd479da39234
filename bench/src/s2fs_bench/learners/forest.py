"""Random forests on the top features of a ranking, compiled, with only what test samples reach.

The same trees as scikit-learn's ``RandomForestClassifier`` grows, but for the random numbers: a
bootstrap of the samples for each, the square root of the features at each node (and more while
none of them splits), Gini impurity, leaves that are pure, and the mean of their class shares as the
vote. On tables of a hundred samples scikit-learn spends its time on checks, tree by tree; this
takes a twentieth of it. Importing this module loads numba.
"""

from typing import Any

import numpy as np

from s2fs_bench.learners.jit import Array, compiled
from s2fs_bench.learners.tree import EQUAL_VALUES

_jit = compiled(error_model="numpy")


def predict(
    A: Array, codes: Array, B: Array, sizes: Array, *, n_trees: int, seed: int = 0
) -> Array:
    """Predict the classes of the samples B, for each size by a forest grown on the samples A.

    Columns are in ranked order, classes are 0, 1, …, and sizes increase; a row for each size.
    """
    train, test = (np.ascontiguousarray(part.T, dtype=np.float32) for part in (A, B))
    codes = np.asarray(codes, dtype=np.intp)
    votes = np.empty((len(sizes), len(B), int(codes.max()) + 1))
    for i, k in enumerate(sizes):
        n_tried = max(1, int(np.sqrt(k)))
        votes[i] = shares(train[:k], codes, test[:k], n_tried, n_trees, seed, bootstrap=True)
    # Means of the same shares differ by rounding; of equal votes the first class has it.
    return np.round(votes, 9).argmax(axis=2)


@_jit
def _draw(state: Array, n: int) -> Any:
    """A random number below n (splitmix64, whose next state is kept)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64((z >> np.uint64(33)) % np.uint64(n))


@_jit
def shares(
    train: Array,
    codes: Array,
    test: Array,
    n_tried: int,
    n_trees: int,
    seed: int,
    bootstrap: bool,
) -> Array:
    """For each test sample the shares of the classes in its leaves, the mean of all trees.

    Values are feature × sample in single precision. A node tries ``n_tried`` features, and a tree
    draws its samples where ``bootstrap``, else takes all.
    """
    k, n = train.shape
    n_test, n_classes = test.shape[1], codes.max() + 1
    votes = np.zeros((n_test, n_classes))
    state = np.full(1, seed, np.uint64)
    rows, at, features = np.empty(n, np.int64), np.empty(n_test, np.int64), np.arange(k)
    counts = np.empty(n_classes, np.int64)
    nodes = np.empty((2 * n + 2, 4), np.int64)
    for _ in range(n_trees):
        for i in range(n):
            rows[i] = _draw(state, n) if bootstrap else i
        for i in range(n_test):
            at[i] = i
        nodes[0] = (0, n, 0, n_test)
        n_nodes = 1
        while n_nodes:
            n_nodes -= 1
            # A node: where its training samples begin and end, and its test samples.
            first, last, test_first, test_last = nodes[n_nodes]
            size = last - first
            counts[:] = 0
            for i in range(first, last):
                counts[codes[rows[i]]] += 1
            all_squares = 0
            for count in counts:
                all_squares += count * count
            gain, feature, threshold = 0.0, -1, np.float32(0)
            if all_squares < size * size:
                gain, feature, threshold = _best_split(
                    train, codes, rows[first:last], counts, features, n_tried, state
                )
            if gain == 0.0:  # pure, or nothing varies
                for i in range(test_first, test_last):
                    for c in range(n_classes):
                        votes[at[i], c] += counts[c] / size
                continue
            middle = _part(rows, first, last, train[feature], threshold)
            test_middle = _part(at, test_first, test_last, test[feature], threshold)
            if test_middle > test_first:
                nodes[n_nodes] = (first, middle, test_first, test_middle)
                n_nodes += 1
            if test_last > test_middle:
                nodes[n_nodes] = (middle, last, test_middle, test_last)
                n_nodes += 1
    return votes / n_trees


@_jit
def _best_split(
    train: Array,
    codes: Array,
    rows: Array,
    counts: Array,
    features: Array,
    n_tried: int,
    state: Array,
) -> tuple[float, int, Any]:
    """The best split of the samples of a node by some features, drawn at random."""
    n, k, tried = len(rows), len(features), 0
    best, best_feature, threshold = 0.0, -1, np.float32(0)
    values, left, right = np.empty(n, np.float32), np.empty_like(counts), np.empty_like(counts)
    for j in range(k):
        if tried >= n_tried and best > 0.0:
            break
        other = j + _draw(state, k - j)
        features[j], features[other] = features[other], features[j]
        x = train[features[j]]
        for i in range(n):
            values[i] = x[rows[i]]
        order = np.argsort(values)
        if values[order[n - 1]] <= values[order[0]] + EQUAL_VALUES:
            continue  # constant here, so it does not count
        tried += 1
        in_left, in_right = 0, 0
        for c in range(len(counts)):
            left[c], right[c] = 0, counts[c]
            in_right += counts[c] * counts[c]
        for i in range(1, n):
            c = codes[rows[order[i - 1]]]
            in_left += 2 * left[c] + 1
            in_right -= 2 * right[c] - 1
            left[c] += 1
            right[c] -= 1
            before, value = values[order[i - 1]], values[order[i]]
            if value <= before + EQUAL_VALUES:
                continue
            gain = in_left / i + in_right / (n - i)
            if gain > best:
                best, best_feature = gain, features[j]
                middle = np.float32(before / 2.0 + value / 2.0)
                threshold = middle if middle < value else before
    return best, best_feature, threshold


@_jit
def _part(rows: Array, first: int, last: int, x: Array, threshold: float) -> int:
    """Bring samples at or below a threshold to the front; where the others begin."""
    i, j = first, last - 1
    while i <= j:
        if x[rows[i]] <= threshold:
            i += 1
        else:
            rows[i], rows[j] = rows[j], rows[i]
            j -= 1
    return i
