from itertools import combinations
from math import inf, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy
from sklearn.preprocessing import minmax_scale

from s2fs import components
from s2fs_bench.baselines.mafrfs import MAFRFS, Margins, compute_criterion, compute_uncertainty
from strategies import examples, problems

small = examples(40)
X = np.array([[0, 0.1, 0.5], [0.1, 0, 0], [0.5, 0.6, 1], [0.6, 0.4, 0.5], [0.9, 1, 0], [1, 0.9, 1]])
Y = np.array([0, 0, 0, 1, 1, 1])
MEASURES = ["FCE", "FE", "FJE", "FMI"]
MARGINS = ["local", "global", "nearest"]


def parts(subset):
    """W and B of a set of features of the worked example, and J, which is their ratio by FCE."""
    margins = Margins(X, Y, "local")
    for f in subset[:-1]:
        margins.add(f)
    within, between = margins.compute(np.array(subset[-1:]))
    J = -MAFRFS("all").fit(X[:, subset], Y).scores_[-1]
    return within[0], between[0], J


def granule_sizes(X, y, subset):
    """Size of the fuzzy granule of each sample, inside its class and altogether."""
    n = len(y)
    R = np.ones((n, n))
    for f in subset:
        for x in range(n):
            for z in range(n):
                R[x, z] = min(R[x, z], 1 - abs(X[x, f] - X[z, f]))
    own = np.array([R[x, y == y[x]].sum() for x in range(n)])
    return own, R.sum(axis=1)


@pytest.mark.parametrize(
    ("subset", "within", "between", "fce", "J"),
    [
        ([0], 0.1778, 0.6333, 0.5353, 0.1503),
        ([1], 0.2444, 0.5333, 0.6533, 0.2994),
        ([0, 1], 0.3098, 0.8280, 0.5391, 0.2017),
        ([0, 1, 2], 0.5040, 0.8280, 0.4642, 0.2825),
    ],
)
def test_worked_example(subset, within, between, fce, J):
    W, B, found = parts(subset)
    assert [W, B, found * B / W, found] == pytest.approx([within, between, fce, J], abs=5.1e-5)
    value = np.array([found * B / W])
    assert compute_criterion("FCE", value, np.array([W / B])) == pytest.approx(J, abs=5.1e-5)


def test_worked_example_of_a_feature_without_margin():
    W, B, J = parts([0, 2])
    fce = J * B / W
    assert [W / B, fce, J] == pytest.approx([0.6731, 0.5092, 0.3427], abs=5.1e-5)
    assert parts([2])[1] == pytest.approx(0, abs=1e-15)


def test_worked_granules_and_entropies():
    own, every = granule_sizes(X, Y, [0])
    assert every == pytest.approx([2.9, 3.3, 4.1, 4.1, 3.5, 3.1])
    assert own == pytest.approx([2.4, 2.5, 2.1, 2.3, 2.6, 2.5])
    worked = [0.5353, 0.7901, 1.3254, 1 - 0.5353]
    values = [float(compute_uncertainty(m, own, every, Y)) for m in MEASURES]
    assert values == pytest.approx(worked, abs=5.1e-5)
    # The conditional entropy multiplies the ratio of margins, the others divide it.
    W, B, _ = parts([0])
    J = [-MAFRFS(1, measure=m).fit(X[:, [0]], Y).scores_[0] for m in MEASURES]
    found = [J[0] * B / W, *(W / B / j for j in J[1:])]
    assert found == pytest.approx(worked, abs=5.1e-5)


@pytest.mark.parametrize(
    ("margin", "measure"), [("local", "FCE"), ("global", "FCE"), ("local", "FE")]
)
def test_worked_ranking(margin, measure):
    selector = MAFRFS(n_features_to_select=3, margin=margin, measure=measure).fit(X, Y)
    assert selector.indices_.tolist() == [0, 1, 2]
    if (margin, measure) == ("local", "FCE"):
        assert -selector.scores_ == pytest.approx([0.1503, 0.2017, 0.2825], abs=5.1e-5)


# The nine points of the test vectors of the separability, and their two distance components.
NINE = np.array([[0, 0], [1, 0], [0, 1], [4, 4], [5, 4], [4, 5], [0, 4], [1, 5], [1, 4]], float)
NINE_LABELS = np.repeat([0, 1, 2], 3)


@pytest.mark.parametrize(
    ("margin", "between"), [("nearest", 3.78240), ("local", 4.4458), ("global", 2.5503)]
)
def test_margins_of_the_nine_points(margin, between):
    margins = Margins(NINE, NINE_LABELS, margin)
    margins.add(0)
    W, B = margins.compute(np.array([1]))
    assert W[0] == pytest.approx(0.65404, abs=5.1e-6)
    assert B[0] == pytest.approx(between, abs=5.1e-5)
    if margin == "nearest":
        exact = components(NINE, NINE_LABELS)
        assert [W[0], B[0]] == pytest.approx([exact.theta_dis, exact.lambda_dis])


def literal_margins(X, y, subset, margin):
    Z = X[:, list(subset)]
    q = y.max() + 1
    centroids = [Z[y == k].mean(axis=0) for k in range(q)]
    W = sum(np.mean([np.linalg.norm(x - centroids[k]) for x in Z[y == k]]) for k in range(q)) / q
    apart = {
        (k, r): np.linalg.norm(centroids[k] - centroids[r]) for k in range(q) for r in range(q)
    }
    if margin == "local":
        B = np.mean([apart[pair] for pair in combinations(range(q), 2)])
    elif margin == "global":
        B = np.mean([np.linalg.norm(c - Z.mean(axis=0)) for c in centroids])
    else:
        B = np.mean([min(apart[k, r] for r in range(q) if r != k) for k in range(q)])
    return W, B


def literal_measure(X, y, subset, measure):
    n = len(y)
    R = [
        [min((1 - abs(X[x, f] - X[z, f]) for f in subset), default=1) for z in range(n)]
        for x in range(n)
    ]
    fe = -sum(log2(sum(R[x]) / n) for x in range(n)) / n
    fje = -sum(log2(sum(R[x][z] for z in range(n) if y[z] == y[x]) / n) for x in range(n)) / n
    h = -sum((y == k).mean() * log2((y == k).mean()) for k in range(y.max() + 1))
    return {"FE": fe, "FJE": fje, "FCE": fje - fe, "FMI": fe + h - fje}[measure]


def literal_criterion(X, y, subset, margin, measure):
    W, B = literal_margins(X, y, subset, margin)
    if B <= 1e-12:
        return inf, inf, B
    value = literal_measure(X, y, subset, measure)
    if measure == "FCE":
        return value * W / B, W / B, B
    return (W / B / value if value > 1e-12 else inf), W / B, B


@small
@given(
    problems(max_samples=20, max_features=5, max_classes=4),
    st.sampled_from(MARGINS),
    st.sampled_from(MEASURES),
)
def test_every_choice_against_the_definition(problem, margin, measure):
    X, y = problem
    scaled = minmax_scale(X)
    varying = [f for f in range(X.shape[1]) if np.ptp(scaled[:, f]) > 0]
    selector = MAFRFS(n_features_to_select=X.shape[1], margin=margin, measure=measure).fit(X, y)
    sign = 1 if measure == "FCE" else -1
    final = literal_measure(scaled, y, varying, measure)
    selected, peak = [], None
    for f, score in zip(selector.indices_[: len(varying)], selector.scores_, strict=False):
        left = [g for g in varying if g not in selected]
        J = {g: literal_criterion(scaled, y, [*selected, g], margin, measure) for g in left}
        value = {g: literal_measure(scaled, y, [*selected, g], measure) for g in left}
        least = min(j[0] for j in J.values())
        assert -score == pytest.approx(least, abs=1e-9, rel=1e-9)
        tied = [g for g in left if J[g][0] <= least + 1e-9 * max(1, min(least, 1e9))]
        if least == inf:
            assert sign * value[f] == pytest.approx(min(sign * value[g] for g in left), abs=1e-9)
        else:
            assert f in tied
            assert J[f][1] == pytest.approx(min(J[g][1] for g in tied), abs=1e-6)
        now = literal_measure(scaled, y, selected, measure)
        nothing_better = min(sign * v for v in value.values()) >= sign * now - 1e-12
        if peak is None and (abs(now - final) <= 1e-6 or nothing_better):
            peak = len(selected)
        selected.append(f)
    assert selector.peak_ == (len(varying) if peak is None else peak)


@small
@given(problems(max_samples=20, max_features=6))
def test_entropies_grow_with_the_set(problem):
    X, y = problem
    scaled, label_entropy = minmax_scale(X), entropy(np.bincount(y), base=2)
    before = dict.fromkeys(MEASURES, 0.0) | {"FJE": label_entropy}
    for f in range(X.shape[1]):
        sizes = granule_sizes(scaled, y, range(f + 1))
        now = {m: float(compute_uncertainty(m, *sizes, y)) for m in MEASURES}
        for m in MEASURES:
            literal = literal_measure(scaled, y, range(f + 1), m)
            assert now[m] == pytest.approx(literal, abs=1e-10)
        assert now["FE"] >= before["FE"] - 1e-12
        assert now["FJE"] >= before["FJE"] - 1e-12
        assert now["FCE"] >= -1e-12
        assert now["FMI"] == pytest.approx(label_entropy - now["FCE"])
        before = now


def test_conditional_entropy_can_exceed_that_of_the_label():
    # One sample alone in the middle of seven others: granules of a class can be less pure than
    # the class is frequent. The mutual information is then negative, and says nothing.
    X = (
        np.array(
            [[0, 1, 2], [4, 2, 4], [1, 4, 3], [2, 4, 0], [0, 0, 2], [2, 3, 2], [0, 3, 4], [4, 0, 0]]
        )
        / 4
    )
    y = np.array([0, 0, 0, 0, 0, 1, 0, 0])
    information = compute_uncertainty("FMI", *granule_sizes(X, y, range(3)), y)
    assert information < -1e-3
    assert compute_criterion("FMI", information[None], np.array([0.5])).tolist() == [inf]
    assert MAFRFS("all", measure="FMI").fit(X, y).scores_[-1] == -inf


def test_points_prefer_the_wider_margin():
    # Both features put every class on one point, so W = 0; with three classes the second is wider.
    y = np.array([0, 0, 1, 1, 2, 2])
    X = np.column_stack([np.array([0, 0.1, 1])[y], np.array([0, 0.5, 1])[y]])
    for margin, first in (("nearest", 1), ("local", 0)):  # the mean over pairs is the same
        selector = MAFRFS(n_features_to_select=2, margin=margin).fit(X, y)
        assert selector.scores_[0] == 0
        assert selector.indices_[0] == first


def test_coinciding_centroids_everywhere_leave_the_measure():
    y = np.array([0, 0, 0, 0, 1, 1])
    X = np.array([[0.2, 0.45], [0.8, 0.55], [0.2, 0.45], [0.8, 0.55], [0, 0], [1, 1]])
    selector = MAFRFS(n_features_to_select=2).fit(X, y)
    assert selector.scores_[0] == -inf
    values = [literal_measure(X, y, [f], "FCE") for f in range(2)]
    assert selector.indices_[0] == np.argmin(values)


def test_two_equal_classes_rank_alike_under_all_margins():
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 8)), np.arange(30) % 2
    rankings = [
        MAFRFS(n_features_to_select=8, margin=m).fit(X, y).indices_.tolist() for m in MARGINS
    ]
    assert rankings[0] == rankings[1] == rankings[2]


def test_duplicates_and_constant_features():
    doubled = np.column_stack([np.zeros(6), X[:, 0], X[:, 0], X[:, 1]])
    order = MAFRFS(n_features_to_select=4).fit(doubled, Y).indices_.tolist()
    assert order[0] == 1
    assert order[-1] == 0


def test_choices_on_real_data_against_plain_numpy(paper_data):
    X, y = paper_data("srbct")
    selector = MAFRFS(n_features_to_select=4).fit(X, y)
    scaled = minmax_scale(X)
    same = y[:, None] == y
    furthest = np.zeros((len(y), len(y)))
    selected = []
    for score in selector.scores_:
        J = np.full(X.shape[1], inf)
        for f in set(range(X.shape[1])) - set(selected):
            x = scaled[:, f]
            R = 1 - np.maximum(furthest, np.abs(x[:, None] - x))
            fce = -np.log2((R * same).sum(axis=1) / R.sum(axis=1)).mean()
            W, B = literal_margins(scaled, y, [*selected, f], "local")
            J[f] = fce * W / B
        selected.append(int(J.argmin()))
        assert -score == pytest.approx(J.min())
        x = scaled[:, selected[-1]]
        furthest = np.maximum(furthest, np.abs(x[:, None] - x))
    assert selector.indices_.tolist() == selected
