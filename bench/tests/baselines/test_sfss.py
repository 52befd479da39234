import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import minmax_scale

from s2fs_bench.baselines.sfss import SFSS, CentreSubset, ClassCentres
from six_samples import CODES, X
from strategies import examples, problems

small = examples(50)


def separability_parts(X, y, subset):
    """DA, DD and Sep of the last feature given, added to the ones before."""
    state = CentreSubset(ClassCentres(X, y), "product", 2.0)
    for f in subset[:-1]:
        state.add(f)
    last = np.array(subset[-1:])
    return [
        float(v[0]) for v in (state.aggregation(last), state.dispersion(last), state.score(last))
    ]


@pytest.mark.parametrize(
    ("subset", "da", "dd", "sep"),
    [
        ([0], 5.1753, 0.6333, 3.2777),
        ([1], 4.0115, 0.4667, 1.8720),
        ([2], 3.7116, 0.4, 1.4846),
        ([0, 1], 4.9943, 0.7867, 3.9290),
        ([0, 2], 4.6040, 0.7491, 3.4487),
        ([1, 2], 4.1831, 0.6146, 2.5711),
        ([0, 1, 2], 4.7161, 0.8825, 4.1621),
    ],
)
def test_worked_example(subset, da, dd, sep):
    assert separability_parts(X, CODES, subset) == pytest.approx([da, dd, sep], abs=5.1e-5)


@pytest.mark.parametrize(
    ("subset", "expected"),
    [
        ([0], [0.9455, 0.9817, 0.5525, 0.7461, 0.9910, 0.9584]),
        ([0, 1], [0.9566, 0.8210, 0.8011, 0.5178, 0.9315, 0.9663]),
    ],
)
def test_worked_memberships(subset, expected):
    found = []
    for i in range(6):  # a sum over one sample is its membership
        one = ClassCentres(X, CODES)
        one.columns = np.ascontiguousarray(one.columns[:, i : i + 1])
        one.codes = CODES[i : i + 1]
        state = CentreSubset(one, "product", 2.0)
        for f in subset[:-1]:
            state.add(f)
        found.append(state.aggregation(np.array(subset[-1:])).item())
    assert found == pytest.approx(expected, abs=5.1e-5)
    assert literal_memberships(X, CODES, subset, 2.0) == pytest.approx(expected, abs=5.1e-5)


def test_worked_ranking():
    selector = SFSS(n_features_to_select=3).fit(X, CODES)
    assert selector.indices_.tolist() == [0, 1, 2]
    assert selector.scores_ == pytest.approx([3.2777, 3.9290, 4.1621], abs=5.1e-5)
    assert selector.peak_ == 3


def literal_memberships(X, y, subset, q):
    B = list(subset)
    centres = [X[y == c][:, B].mean(axis=0) for c in range(y.max() + 1)]
    own = []
    for x, label in zip(X[:, B], y, strict=True):
        squares = [max(((x - c) ** 2).sum(), 1e-12) for c in centres]
        weights = [s ** (-1 / (q - 1)) for s in squares]
        own.append(weights[label] / sum(weights))
    return own


def literal_separability(X, y, subset, form, q):
    B = list(subset)
    p = y.max() + 1
    da = sum(literal_memberships(X, y, B, q))
    centres = [X[y == c][:, B].mean(axis=0) for c in range(p)]
    gaps = [np.linalg.norm(centres[j] - centres[k]) for k in range(p) for j in range(k)]
    if form == "product":
        return da * sum(gaps)
    return da / len(y) + sum(gaps) / (len(gaps) * np.sqrt(len(B)))


@small
@given(
    problems(max_samples=20, max_features=6),
    st.sampled_from(["product", "sum"]),
    st.sampled_from([1.5, 2.0, 3.0]),
)
def test_separability_against_the_definition(problem, form, q):
    X, y = problem
    X = minmax_scale(X)
    state = CentreSubset(ClassCentres(X, y), form, q)
    everything = np.arange(X.shape[1])
    for f in everything:
        literal = [literal_separability(X, y, [*range(f), g], form, q) for g in everything]
        np.testing.assert_allclose(state.score(everything), literal, rtol=1e-8, atol=1e-10)
        state.add(f)


@small
@given(problems(max_samples=20, max_features=6))
def test_the_search_never_takes_less_than_the_best(problem):
    X, y = problem
    scaled = minmax_scale(X)
    varying = np.flatnonzero(np.ptp(scaled, axis=0) > 0)
    selector = SFSS(n_features_to_select=X.shape[1], completion="greedy").fit(X, y)
    selected = []
    for f, score in zip(selector.indices_[: len(varying)], selector.scores_, strict=False):
        rest = [g for g in varying if g not in selected]
        values = [literal_separability(scaled, y, [*selected, g], "product", 2.0) for g in rest]
        assert score == pytest.approx(max(values), rel=1e-8, abs=1e-10)
        selected.append(f)
    assert selector.indices_[len(varying) :].tolist() == sorted(set(range(X.shape[1])) - {*varying})


def peaked():
    """One feature that tells the classes apart, and three that say little."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 20)
    X = rng.random((40, 4))
    X[:, 1] = y + rng.normal(0, 0.01, 40)
    return X, y


def test_completion_after_the_peak():
    X, y = peaked()
    by = {
        rule: SFSS(n_features_to_select=4, completion=rule).fit(X, y)
        for rule in ("importance", "restart", "greedy")
    }
    assert {s.peak_ for s in by.values()} == {1}
    assert all(s.indices_[0] == 1 for s in by.values())
    alone = np.array(
        [literal_separability(minmax_scale(X), y, [f], "product", 2.0) for f in range(4)]
    )
    assert by["importance"].indices_.tolist() == np.argsort(-alone).tolist()
    np.testing.assert_allclose(by["importance"].scores_, np.sort(alone)[::-1])
    assert by["greedy"].scores_[1] < by["greedy"].scores_[0]


def test_delta_moves_the_peak_only():
    eager, content = (SFSS(n_features_to_select=3, delta=d).fit(X, CODES) for d in (0.0, 0.5))
    assert eager.indices_.tolist() == content.indices_.tolist()
    assert (eager.peak_, content.peak_) == (3, 2)


def test_equal_centres_leave_aggregation_to_decide():
    # Both classes have the mean 0.5 on each feature; on the second the first class sits closer.
    X = np.array([[0, 0.4], [1, 0.6], [0, 0], [1, 1]])
    y = np.array([0, 0, 1, 1])
    selector = SFSS(n_features_to_select=2).fit(X, y)
    assert selector.scores_ == pytest.approx([0, 0])
    assert selector.peak_ == 0
    own = [sum(literal_memberships(X, y, [f], 2.0)) for f in range(2)]
    assert selector.indices_.tolist() == np.argsort(np.negative(own), kind="stable").tolist()


def test_duplicates_and_constant_features():
    doubled = np.column_stack([np.full(6, 7.0), X[:, 0], X[:, 0], X[:, 1]])
    selector = SFSS(n_features_to_select=4).fit(doubled, CODES)
    assert selector.indices_[0] == 1  # not its copy, which has the larger index
    assert selector.indices_[-1] == 0
    assert selector.scores_[-1] == 0
