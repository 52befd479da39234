"""The running forms against scikit-learn fitted from scratch on every prefix."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_classification
from sklearn.feature_selection import f_classif
from sklearn.metrics import normalized_mutual_info_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from s2fs.bench import _distances, _lanes, _smo, _svm
from s2fs.evaluation import _learners, stratified_folds


def from_scratch(model, A, codes, B, sizes):
    return np.array([model.fit(A[:, :k], codes).predict(B[:, :k]) for k in sizes])


def neighbours_may_vote(A, codes, b, answer, slack=1e-9):
    """Whether some choice among equally far training rows makes the answer a first majority.

    Rows are equally far if their squared distances differ by no more than the rounding of
    scikit-learn's expansion |a|² + |b|² − 2ab, hence a slack on the scale of the norms.
    """
    p = codes.max() + 1
    d = ((A - b) ** 2).sum(axis=1)
    slack = slack * (1 + d.max() + (b**2).sum())
    last = np.sort(d)[4]
    sure = np.bincount(codes[d < last - slack], minlength=p)
    open_rows = np.bincount(codes[np.abs(d - last) <= slack], minlength=p)
    places = 5 - sure.sum()
    # Give the answer as many of the open places as there are, then spread the rest.
    given_to_answer = min(open_rows[answer], places)
    best = sure[answer] + given_to_answer
    room = sum(
        min(open_rows[c], max(0, best - sure[c] - (c < answer))) for c in range(p) if c != answer
    )
    beaten = any(sure[c] >= best + (c > answer) for c in range(p) if c != answer)
    return not beaten and room >= places - given_to_answer


def clear_cut(A, codes, b):
    """Whether no tie at the last place decides: the sixth neighbour is clearly further."""
    d = np.sort(((A - b) ** 2).sum(axis=1))
    return len(d) == 5 or d[5] - d[4] > 1e-9 * (1 + d[-1] + (b**2).sum())


def assert_knn_is_scikit_learns(A, codes, B, sizes):
    """Equal predictions, but where a tie decides; returns the share that is equal."""
    ours = _learners.knn(A, codes, B, sizes)
    theirs = from_scratch(KNeighborsClassifier(5, algorithm="brute"), A, codes, B, sizes)
    for step, row in zip(*np.nonzero(ours != theirs), strict=True):
        k = sizes[step]
        assert not clear_cut(A[:, :k], codes, B[row, :k])
        for answer in (ours[step, row], theirs[step, row]):
            assert neighbours_may_vote(A[:, :k], codes, B[row, :k], answer)
    return (ours == theirs).mean()


def assert_svm_is_scikit_learns(A, codes, B, sizes):
    """Equal predictions, but where a pair of classes decides by a value of zero and rounding."""
    model = SVC(C=10, decision_function_shape="ovo")
    for k, ours in zip(sizes, _learners.svm(A, codes, B, sizes), strict=True):
        model.fit(A[:, :k], codes)
        differ = ours != model.predict(B[:, :k])
        if differ.any():
            decision = model.decision_function(B[differ, :k]).reshape(differ.sum(), -1)
            assert (np.abs(decision).min(axis=1) < 1e-12).all()


def split(X, y, K=None):
    """First fold, scaled, with columns in the order of their F statistic."""
    train, test = next(stratified_folds(y))
    scaler = MinMaxScaler().fit(X[train])
    A, B = scaler.transform(X[train]), scaler.transform(X[test])
    order = np.argsort(-f_classif(A, y[train])[0], kind="stable")[:K]
    return np.asfortranarray(A[:, order]), y[train], np.asfortranarray(B[:, order])


@pytest.fixture(scope="module")
def continuous():
    X, y = make_classification(300, 30, n_informative=8, n_classes=5, class_sep=0.7, random_state=4)
    return split(X, y)


SIZES = np.arange(1, 31)


def test_knn_without_ties(continuous):
    A, codes, B = continuous
    ours = _learners.knn(A, codes, B, SIZES)
    theirs = from_scratch(KNeighborsClassifier(5, algorithm="brute"), A, codes, B, SIZES)
    np.testing.assert_array_equal(ours, theirs)


def test_svm(continuous):
    A, codes, B = continuous
    ours = _learners.svm(A, codes, B, SIZES)
    np.testing.assert_array_equal(ours, from_scratch(SVC(C=10), A, codes, B, SIZES))


def test_svm_votes_alike_in_blocks_of_test_rows(continuous, monkeypatch):
    A, codes, B = continuous
    at_once = _learners.svm(A, codes, B, SIZES)
    monkeypatch.setattr(_svm, "BLOCK_BYTES", 8 * len(A) * 10)  # more than one, the last not full
    assert _svm.in_blocks(B, 10).shape[0] > 1
    assert len(B) % _svm.in_blocks(B, 10).shape[2] != 0
    np.testing.assert_array_equal(_learners.svm(A, codes, B, SIZES), at_once)


@settings(max_examples=60)
@given(st.integers(1, 40), st.integers(1, 50))
def test_blocks_hold_every_test_row_once(n, most):
    B = np.arange(1.0, 3 * n + 1).reshape(n, 3)
    blocks = _svm.in_blocks(B, most)
    assert blocks.shape[2] <= _lanes.padded(most)
    together = np.hstack(list(blocks))
    np.testing.assert_array_equal(together[:, :n], B.T)
    assert not together[:, n:].any()


def test_kmeans(continuous):
    A, codes, _ = continuous
    first = _learners.initial_rows(len(A), 5)
    theirs = [
        normalized_mutual_info_score(
            codes, KMeans(5, init=A[first, :k], n_init=1).fit(A[:, :k]).labels_
        )
        for k in SIZES
    ]
    np.testing.assert_allclose(_learners.kmeans(A, codes, SIZES), theirs)


@pytest.mark.parametrize(
    ("n", "p", "one_based"),
    [
        (10, 2, [1, 10]),  # int = 9, start = ⌊2/2⌋
        (12, 3, [1, 6, 11]),  # int = 5, start = ⌊3/2⌋
        (13, 4, [1, 5, 9, 13]),  # int = 4, start = ⌊2/2⌋
        (75, 4, [2, 26, 50, 74]),  # int = 24, start = ⌊4/2⌋
        (5, 5, [1, 2, 3, 4, 5]),
    ],
)
def test_first_centroids_are_spread_evenly(n, p, one_based):
    assert (_learners.initial_rows(n, p) + 1).tolist() == one_based


@settings(max_examples=60)
@given(st.integers(5, 40), st.integers(2, 4), st.integers(1, 5), st.integers(0, 10**6))
def test_knn_with_many_ties(n, p, levels, seed):
    rng = np.random.default_rng(seed)
    A = rng.integers(0, levels + 1, (n, 6)) / levels
    B = rng.integers(0, levels + 1, (15, 6)) / levels
    codes = np.r_[np.arange(p), rng.integers(0, p, n - p)]
    assert_knn_is_scikit_learns(A, codes, B, np.arange(1, 7))


def test_knn_ties_go_to_the_earlier_row_and_the_smaller_label():
    # Seven rows as far from the test row as each other: the first five vote 2, 2, 0, 0, 1.
    A = np.array([[0.0], [1.0]])[[0, 1, 0, 1, 0, 1, 0]]
    codes = np.array([2, 2, 0, 0, 1, 1, 1])
    assert _learners.knn(A, codes, np.array([[0.5]]), np.array([1])).tolist() == [[0]]


@settings(max_examples=60)
@given(st.integers(8, 40), st.integers(2, 4), st.integers(1, 5), st.integers(0, 10**6))
def test_svm_with_repeated_rows_and_constant_features(n, p, levels, seed):
    rng = np.random.default_rng(seed)
    A = rng.integers(0, levels + 1, (n, 5)) / levels
    A[:, 0] = 0  # no variance at the first size
    B = rng.integers(0, levels + 1, (15, 5)) / levels + rng.normal(0, 1e-3, (15, 5))
    codes = np.r_[np.arange(p), rng.integers(0, p, n - p)]
    assert_svm_is_scikit_learns(A, codes, B, np.arange(1, 6))


@pytest.mark.parametrize("seed", range(6))
def test_solver_follows_libsvm_through_shrinking(seed):
    X, y = make_classification(400, 6, flip_y=0.3, class_sep=0.3, random_state=seed)
    A = X[np.argsort(y, kind="stable")]
    y, n, n_a = np.sort(y), len(A), (y == 0).sum()
    model = SVC(C=10, gamma=0.3).fit(A, y)
    assert model.n_iter_[0] > 2 * n  # shrinking starts after n steps
    D = ((A[:, None] - A) ** 2).sum(axis=2)
    own = np.zeros((2, max(n_a, n - n_a), n), dtype=np.float32)
    own[0, :n_a, :n_a] = np.exp(-0.3 * D[:n_a, :n_a])
    own[1, : n - n_a, : n - n_a] = np.exp(-0.3 * D[n_a:, n_a:])
    across = np.zeros((n_a, _lanes.padded(n - n_a)))
    across[:, : n - n_a] = D[:n_a, n_a:]
    ours = np.empty(n)
    rho = _smo.solve(across, own, (0, 1, n_a, n - n_a), 0.3, 10.0, _smo.scratch(n), ours)
    theirs = np.zeros(n)
    theirs[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_allclose(ours, theirs, atol=1e-9)
    assert rho == pytest.approx(model.intercept_[0], abs=1e-9)


def test_kernel_is_right_to_the_last_bit():
    x = np.concatenate([np.linspace(0, 2, 5000), np.geomspace(1e-300, 690, 5000), [1e4, np.inf]])
    ours = np.empty_like(x)
    _distances.gaussian(x, 1.0, ours)
    np.testing.assert_allclose(ours[:-2], np.exp(-x[:-2]), rtol=4.5e-16)
    assert (ours[-2:] < 1e-300).all()
    single = np.empty(len(x), dtype=np.float32)
    _distances.gaussian(x, 1.0, single)
    np.testing.assert_array_equal(single, ours.astype(np.float32))


@settings(max_examples=60)
@given(st.integers(1, 12), st.integers(0, 10**6))
def test_kernel_width_is_scikit_learns(k, seed):
    rng = np.random.default_rng(seed)
    A = rng.random((9, 12)) * rng.choice([0, 1e-3, 1, 50], 12)
    theirs = SVC(gamma="scale").fit(A[:, :k], np.arange(9) % 2)._gamma
    assert _svm.scale_gammas(A, np.array([k]))[0] == pytest.approx(theirs, rel=1e-12)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=30))
def test_mutual_information(pairs):
    codes, clusters = np.array([*pairs, (0, 0), (1, 0)]).T
    ours = _learners.normalised_mutual_information(codes, clusters)
    assert ours == pytest.approx(normalized_mutual_info_score(codes, clusters), abs=1e-12)


def test_sizes_may_skip(continuous):
    A, codes, B = continuous
    some = np.array([2, 3, 17])
    for learner in (_learners.knn, _learners.svm):
        np.testing.assert_array_equal(
            learner(A, codes, B, some), learner(A, codes, B, SIZES)[some - 1]
        )


@pytest.mark.parametrize(
    "name", ["all_aml_4", "glioma", "isolet", "orl", "srbct", "warpar10p", "yale"]
)
def test_real_data(paper_data, name):
    A, codes, B = split(*paper_data(name), 150)
    sizes = np.array([1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 150])
    assert_svm_is_scikit_learns(A, codes, B, sizes)
    # Grey levels are small integers, so that a few of them leave many rows equally far.
    assert assert_knn_is_scikit_learns(A, codes, B, sizes) > 0.9
