"""Classification trees on the top 1, 2, … features of a ranking, grown together.

With one more feature a node changes only if the new feature splits its samples better than all
before it. So a node belongs to a range of sizes: its samples are searched for splits once for all
of them, and each stretch of sizes with the same best feature goes on to children of its own. Only
nodes that some test sample reaches are grown. Importing this module loads numba.
"""

import numpy as np

from s2fs_bench.learners.jit import Array, compiled

#: Values no further apart than this are equal, as in scikit-learn's trees.
EQUAL_VALUES = np.float32(1e-7)

_jit = compiled(error_model="numpy")


def predict(A: Array, codes: Array, B: Array, sizes: Array) -> Array:
    """Predict the classes of the samples B, for each size by a tree grown on the samples A.

    Columns are in ranked order, classes are 0, 1, …, and sizes increase; a row for each size.
    """
    # Single precision, as in scikit-learn, decides which values are equal.
    train, test = (np.ascontiguousarray(part.T, dtype=np.float32) for part in (A, B))
    n_classes = int(codes.max()) + 1
    predictions = np.empty((len(sizes), len(B)), dtype=np.intp)
    ascending = np.argsort(train, axis=1, kind="stable").astype(np.int32)
    # A node: its training samples in the order of each feature, its test samples, its sizes.
    nodes = [(ascending, np.arange(len(B)), 0, len(sizes))]
    while nodes:
        ascending, rows, first, last = nodes.pop()
        counts = np.bincount(codes[ascending[0]], minlength=n_classes)
        width = sizes[last - 1]
        gains, thresholds = best_splits(train, ascending[:width], codes, counts)
        leaders = _leaders(gains)[sizes[first:last] - 1]
        ends = np.append(np.flatnonzero(np.diff(leaders)) + 1, len(leaders))
        for start, end in zip(np.append(0, ends[:-1]), ends, strict=True):
            feature, stretch = leaders[start], (first + int(start), first + int(end))
            if gains[feature] == 0:  # pure, or nothing varies
                predictions[stretch[0] : stretch[1], rows] = counts.argmax()
                continue
            threshold = thresholds[feature]
            goes_left = train[feature] <= threshold
            test_left = test[feature, rows] <= threshold
            width = sizes[stretch[1] - 1]
            for side, its_rows in ((goes_left, rows[test_left]), (~goes_left, rows[~test_left])):
                if len(its_rows):
                    members = int(np.count_nonzero(side[ascending[0]]))
                    nodes.append((keep(ascending[:width], side, members), its_rows, *stretch))
    return predictions


def _leaders(gains: Array) -> Array:
    """For each number of first features the one with the largest gain, the earliest of equals."""
    best = np.maximum.accumulate(gains)
    is_record = np.append(True, gains[1:] > best[:-1])
    return np.maximum.accumulate(np.where(is_record, np.arange(len(gains)), 0))


@_jit
def best_splits(
    values: Array, ascending: Array, codes: Array, counts: Array
) -> tuple[Array, Array]:
    """The best split of the samples of a node by each feature, the lowest threshold among equals.

    ``ascending`` holds the samples of the node in ascending order of each feature, ``counts`` how
    many are of each class. A gain is what Gini impurity leaves to maximise, the sum over both sides
    of Σ counts² / n: positive, or 0 where there is no split. Samples at or below a threshold go
    left.
    """
    n_used, n = ascending.shape
    gains, thresholds = np.zeros(n_used), np.zeros(n_used)
    all_squares = 0
    for count in counts:
        all_squares += count * count
    if all_squares == n * n:
        return gains, thresholds
    left, right = np.empty_like(counts), np.empty_like(counts)
    for f in range(n_used):
        x, order = values[f], ascending[f]
        left[:] = 0
        right[:] = counts
        in_left, in_right = 0, all_squares
        value = x[order[0]]
        for i in range(1, n):
            c = codes[order[i - 1]]
            in_left += 2 * left[c] + 1
            in_right -= 2 * right[c] - 1
            left[c] += 1
            right[c] -= 1
            before, value = value, x[order[i]]
            if value <= before + EQUAL_VALUES:
                continue
            gain = in_left / i + in_right / (n - i)
            if gain > gains[f]:
                gains[f] = gain
                middle = before / 2.0 + value / 2.0
                thresholds[f] = middle if middle < value else before
    return gains, thresholds


@_jit
def keep(ascending: Array, members: Array, n: int) -> Array:
    """Of the samples in each order those that are members, of which there are n."""
    kept = np.empty((ascending.shape[0], n), ascending.dtype)
    for f in range(ascending.shape[0]):
        j = 0
        for row in ascending[f]:
            if members[row]:
                kept[f, j] = row
                j += 1
    return kept
