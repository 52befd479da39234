"""IPD against the numbers of its spec and against its formulas written out."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal_search import Table, greedy
from sklearn.neighbors import KNeighborsClassifier

from s2fs_bench.baselines.ipd import IPD, compute_criterion
from six_samples import CODES, X, Y
from strategies import examples

VARIANTS = ["F1", "F1-sum", "F1-max", "F2", "dependency"]


def similarity(X, x, y, features, eps=None):
    """R(x, y), the least over the features, with R(x, x) = 0."""
    if x == y:
        return 0.0
    distances = [abs(X[x, a] - X[y, a]) for a in features]
    return min(1 - d if eps is None or d <= eps + 1e-12 else 0.0 for d in distances)


def lower_approximations(X, codes, features, eps=None):
    """L[i][x] = min over y of max(1 − R(x, y), [y in class i])."""
    n = len(X)
    R = [[similarity(X, x, y, features, eps) for y in range(n)] for x in range(n)]
    return [
        [min(max(1 - R[x][y], float(codes[y] == i)) for y in range(n)) for x in range(n)]
        for i in range(codes.max() + 1)
    ]


def literal(X, codes, features, variant, eps=None):
    """J by its definition, with inner products."""
    n, r = len(X), codes.max() + 1
    L = np.array(lower_approximations(X, codes, features, eps))
    D = np.array([codes == i for i in range(r)], dtype=float)
    if variant == "F2":
        pairs = [(i, j) for i in range(r) for j in range(i + 1, r)]
        overlap = sum((L[i] * L[j]).sum() / n for i, j in pairs) / len(pairs)
        return L.max(axis=0).mean() - overlap
    gamma = sum(L[i] @ D[i] for i in range(r)) / n
    if variant == "dependency":
        return gamma
    if variant == "F1-max":
        error = sum(max(L[i, x] for i in range(r) if i != codes[x]) for x in range(n)) / n
    else:
        error = sum(L[i] @ D[j] for i in range(r) for j in range(r) if i != j) / n
        if variant == "F1":
            error /= r - 1
    return gamma - error


def of_two_nearest(X, codes, features, variant, eps=None):
    """J of a set as the package computes it from the two classes nearest to each sample."""
    n, r = len(X), codes.max() + 1
    to_class = np.array(
        [
            [
                max(similarity(X, x, y, features, eps) for y in range(n) if codes[y] == i)
                for i in range(r)
            ]
            for x in range(n)
        ]
    )
    second, largest = np.sort(to_class, axis=1)[:, -2:].T
    return compute_criterion(largest, second, to_class.argmax(axis=1), codes, r, variant)


def alone(X, y, **options):
    """J of each feature by itself: a search that is content with one, then the others in order."""
    ipd = IPD("all", delta=1e9, completion="index", **options).fit(X, y)
    assert ipd.peak_ == 1
    return ipd.scores_[ipd.ranking_ - 1]


@st.composite
def scaled_data(draw):
    """Scaled columns that vary, on a grid, so that equal rows and ties occur."""
    n, m = draw(st.integers(4, 10)), draw(st.integers(1, 4))
    codes = np.array([0, 1] + [draw(st.integers(0, 3)) for _ in range(n - 2)])
    cells = st.lists(st.integers(0, 10), min_size=n - 2, max_size=n - 2)
    columns = [[f % 2 * 10, *draw(cells), (f + 1) % 2 * 10] for f in range(m)]
    return np.array(columns).T / 10, np.unique(codes, return_inverse=True)[1]


@pytest.mark.parametrize(
    ("subset", "F1", "F2"),
    [
        ([0], 0.1833, 0.4050),
        ([1], 0.0, 0.2667),
        ([2], -0.1167, 0.2817),
        ([0, 1], 0.2333, 0.4133),
        ([0, 2], 0.1333, 0.3450),
        ([1, 2], -0.0333, 0.3917),
        ([0, 1, 2], 0.15, 0.4167),
    ],
)
def test_criterion_of_the_worked_example(subset, F1, F2):
    # With two classes there is one other class, so its mean, sum and maximum agree.
    for variant in VARIANTS[:4]:
        expected = F2 if variant == "F2" else F1
        assert literal(X, CODES, subset, variant) == pytest.approx(expected, abs=5e-5)
        found = of_two_nearest(X, CODES, subset, variant)
        assert found == pytest.approx(expected, abs=5e-5)
        if len(subset) == 1:
            assert alone(X, Y, variant=variant)[subset] == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("subset", "A", "B"),
    [
        ([0], [0.6, 0.5, 0.1, 0.3, 0.1, 0.1], [0.1, 0.1, 0.4, 0.1, 0.4, 0.5]),
        ([1], [0.2, 0.2, 0.4, 0.4, 0.2, 0.2], [0.2, 0.4, 0.2, 0.2, 0.4, 0.2]),
        ([0, 1], [0.6, 0.5, 0.4, 0.4, 0.2, 0.2], [0.4, 0.4, 0.5, 0.4, 0.8, 0.8]),
    ],
)
def test_lower_approximations_of_the_worked_example(subset, A, B):
    np.testing.assert_allclose(lower_approximations(X, CODES, subset), [A, B], atol=1e-12)
    # The dependency is the mean of what each sample has in its own class.
    dependency = np.mean([*A[:3], *B[3:]])
    ipd = IPD("all", variant="dependency").fit(X[:, subset], Y)
    assert ipd.scores_[: ipd.peak_].max() == pytest.approx(dependency, abs=1e-12)


def test_ranking_of_the_worked_example():
    ipd = IPD(n_features_to_select=3).fit(X, Y)
    assert ipd.indices_.tolist() == [0, 1, 2]
    assert ipd.peak_ == 2
    np.testing.assert_allclose(ipd.scores_, [0.1833, 0.2333, -0.1167], atol=5e-5)


def test_the_overlap_variant_goes_on_where_the_other_stops():
    ipd = IPD(n_features_to_select=3, variant="F2").fit(X, Y)
    assert ipd.peak_ == 3
    np.testing.assert_allclose(ipd.scores_, [0.4050, 0.4133, 0.4167], atol=5e-5)


@pytest.mark.parametrize("variant", VARIANTS)
@examples(40)
@given(data=scaled_data(), eps=st.sampled_from([None, 0.2, 0.5]), draw=st.data())
def test_the_criterion_is_its_definition(variant, data, eps, draw):
    X, codes = data
    features = st.lists(st.integers(0, X.shape[1] - 1), min_size=1, max_size=3)
    subset = draw.draw(features)
    expected = literal(X, codes, subset, variant, eps)
    found = of_two_nearest(X, codes, subset, variant, eps)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
@examples(40)
@given(
    data=scaled_data(),
    eps=st.sampled_from([None, 0.2, 0.5]),
    rule=st.sampled_from(["importance", "index", "restart"]),
)
def test_every_choice_is_by_the_definition(variant, data, eps, rule):
    X, codes = data
    m = X.shape[1]
    table = Table(lambda subset: literal(X, codes, subset, variant, eps))
    order, scores, peak = greedy(table, table.alone(m), m, rule, 0.0, np.inf, -np.inf)
    ipd = IPD("all", variant=variant, eps=eps, completion=rule).fit(X, codes)
    assert ipd.indices_.tolist() == order
    np.testing.assert_allclose(ipd.scores_, scores, rtol=0, atol=1e-9)
    assert ipd.peak_ == peak
    expected = [literal(X, codes, [a], variant, eps) for a in range(m)]
    found = alone(X, codes, variant=variant, eps=eps)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_more_features_than_are_scored_together():
    rng = np.random.default_rng(2)
    X = np.vstack([np.zeros(11), np.ones(11), rng.integers(0, 11, (2, 11)) / 10])  # 4 at a time
    codes = np.array([0, 1, 1, 0])
    expected = [literal(X, codes, [a], "F1-sum") for a in range(11)]
    np.testing.assert_allclose(alone(X, codes), expected, rtol=1e-12, atol=1e-12)


@examples(40)
@given(data=scaled_data())
def test_the_criterion_stays_between_minus_one_and_one(data):
    X, codes = data
    for variant in ("F1", "F1-max"):
        assert (np.abs(alone(X, codes, variant=variant)) <= 1).all()


def test_two_classes_are_a_margin_between_nearest_neighbours():
    rng = np.random.default_rng(0)
    x, codes = rng.random(30), np.sort(np.arange(30) % 2)
    x = (x - x.min()) / np.ptp(x)
    total = 0.0
    for i in range(30):
        own = [j for j in range(30) if codes[j] == codes[i] and j != i]
        other = [j for j in range(30) if codes[j] != codes[i]]
        to = [
            KNeighborsClassifier(1).fit(x[of, None], codes[of]).kneighbors([[x[i]]])[0].item()
            for of in (own, other)
        ]
        total += to[1] - to[0]
    assert IPD(1, variant="F1").fit(x[:, None], codes).scores_[0] == pytest.approx(total / 30)


def test_delta_asks_for_a_larger_rise():
    ipd = IPD(n_features_to_select=3, delta=0.1).fit(X, Y)
    assert ipd.indices_.tolist() == [0, 1, 2]
    assert ipd.peak_ == 1


def test_completion_by_importance_and_by_restart():
    twice = np.hstack([X, X])
    ipd = IPD(n_features_to_select=6).fit(twice, Y)
    assert ipd.indices_.tolist() == [0, 1, 3, 4, 2, 5]
    np.testing.assert_allclose(
        ipd.scores_, [0.1833, 0.2333, 0.1833, 0, -0.1167, -0.1167], atol=5e-5
    )
    again = IPD(n_features_to_select=6, completion="restart").fit(twice, Y)
    assert again.indices_.tolist() == [0, 1, 3, 4, 2, 5]
    np.testing.assert_allclose(
        again.scores_, [0.1833, 0.2333, 0.1833, 0.2333, -0.1167, -0.1167], atol=5e-5
    )
    assert again.peak_ == ipd.peak_ == 2


def test_copies_follow_and_a_constant_comes_last_though_its_score_would_be_zero():
    wide = np.column_stack([np.zeros(6), X[:, 2], X])
    ipd = IPD(n_features_to_select=5).fit(wide, Y)
    assert ipd.indices_.tolist() == [2, 3, 1, 4, 0]
    assert ipd.scores_[-1] == 0
    assert ipd.peak_ == 2


def test_a_class_of_one_and_equal_rows_are_fine():
    rows = np.vstack([X, X[:1], X[4:5]])
    codes = np.array([0, 0, 0, 1, 1, 1, 2, 1])
    ipd = IPD(n_features_to_select=3).fit(rows, codes)
    alone = [literal(rows, codes, [a], "F1-sum") for a in range(3)]
    assert ipd.scores_[0] == pytest.approx(max(alone))


@pytest.mark.skipif("S2FS_DATA" not in os.environ, reason="S2FS_DATA is not set")
def test_real_data_peak_inside_the_list():
    with np.load(Path(os.environ["S2FS_DATA"], "all_aml_3.npz")) as data:
        X, y = data["X"], data["y"]
    ipd = IPD(n_features_to_select=40).fit(X, y)
    assert 1 < ipd.peak_ < 40
    assert (np.diff(ipd.scores_[: ipd.peak_]) > 0).all()
    assert (np.diff(ipd.scores_[ipd.peak_ :]) <= 1e-12).all()
