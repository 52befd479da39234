"""The best group by the native library, against each group on a copy of the criterion."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from inner import (
    NativePairCover,
    NativeState,
    PairCoverCriterion,
    Problem,
    SubsetState,
    WithinClassCorrelations,
    best_group_by_trial,
    library,
    native_moments,
    native_pair_cover,
    separability_of,
)
from strategies import examples, problems

pytestmark = pytest.mark.skipif(library.engine() == "numpy", reason="there is no native library")
FORMS = [np.asarray, np.asfortranarray, sparse.csc_array]


@st.composite
def grouped(draw, m):
    """A few features that are selected, and groups of the others by their smallest member."""
    features = draw(st.permutations(range(m)))
    n_selected = draw(st.integers(0, min(3, m - 1)))
    selected, left = features[:n_selected], features[n_selected:]
    groups = []
    while left:
        size = draw(st.integers(1, 5))
        groups.append(tuple(sorted(left[:size])))
        left = left[size:]
    return selected, sorted(groups)


def assert_same(criteria, groups):
    """The last criterion finds what trials on each of them do."""
    place, found = criteria[-1].best_group(groups)
    for criterion in criteria:
        expected, scored = best_group_by_trial(criterion, groups)
        assert place == expected
        np.testing.assert_allclose(found.scores, scored.scores, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.parts, scored.parts, rtol=1e-9, atol=1e-12)


@examples(200)
@given(problems(max_features=16), st.data())
def test_groups_of_s2fs(data, more):
    X, y = data
    selected, groups = more.draw(grouped(X.shape[1]))
    if more.draw(st.booleans()):  # a bad cell
        X[0, 0] = 10.0 ** more.draw(st.integers(2, 12))
    weights = more.draw(st.sampled_from([(0.0, 0.0), (0.0316, 0.0316), (1.0, 1.0), (0.0, 30.0)]))
    options = (
        more.draw(st.sampled_from(["published", "normalized"])),
        more.draw(st.sampled_from(["mean", "rms"])),
    )
    problem = Problem(
        more.draw(st.sampled_from(FORMS))(X), y, more.draw(st.sampled_from(["standard", None]))
    )
    n_threads = more.draw(st.sampled_from([1, 2]))
    criteria = [
        separability_of(state, *weights)
        for state in (SubsetState(problem, *options), NativeState(problem, *options, n_threads))
    ]
    for criterion in criteria:
        for feature in selected:
            criterion.add(feature)
    assert_same(criteria, groups)


@examples(200)
@given(problems(max_features=16), st.sampled_from([0.0, 0.25, 1.0]), st.booleans(), st.data())
def test_groups_of_pair_cover(data, correlation, missing, more):
    X, y = data
    selected, groups = more.draw(grouped(X.shape[1]))
    if missing:
        X[np.random.default_rng(more.draw(st.integers(0, 99))).random(X.shape) < 0.2] = np.nan
    X = more.draw(st.sampled_from(FORMS))(X)
    moments = native_moments.compute_class_moments(X, y, y.max() + 1)
    correlations = WithinClassCorrelations(X, y, moments)
    criteria = [
        make(moments, correlation, correlations) for make in (PairCoverCriterion, NativePairCover)
    ]
    for criterion in criteria:
        for feature in selected:
            criterion.add(feature)
    assert_same(criteria, groups)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_many_groups_of_many_sizes(monkeypatch, n_threads):
    rng = np.random.default_rng(0)
    y = np.arange(900) % 9
    X = rng.normal(size=(900, 300)) + 0.4 * rng.normal(size=(9, 300))[y]
    X[:, 1::2] += X[:, ::2]  # correlated inside the groups
    ends = np.unique([*rng.integers(1, 300, 90), 300])
    groups = [tuple(range(a, b)) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
    moments = native_moments.compute_class_moments(X, y, 9)
    correlations = WithinClassCorrelations(X, y, moments)
    cover = NativePairCover(moments, 0.5, correlations, n_threads=n_threads)
    state = NativeState(Problem(X, y), n_threads=n_threads)
    for _ in range(3):
        for criterion in (separability_of(state, 0.0316, 0.0316), cover):
            assert_same([criterion], groups)
            for feature in groups[criterion.best_group(groups)[0]]:
                criterion.add(feature)
        groups = groups[1:]
    before = cover.best_group(groups)
    monkeypatch.setattr(native_pair_cover, "LARGEST_KNOWN_GROUP", 2)
    assert cover.best_group(groups)[0] == before[0]


def test_equal_groups_go_to_the_first():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = np.tile(rng.normal(size=(60, 3)) + y[:, None], 4)
    groups = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11)]
    moments = native_moments.compute_class_moments(X, y, 3)
    criteria = separability_of(NativeState(Problem(X, y)), 0.1, 0.1), NativePairCover(moments)
    for criterion in criteria:
        assert criterion.best_group(groups)[0] == 0
        assert criterion.best_group(groups[::-1])[0] == 0


def test_what_is_no_group_is_refused():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), np.arange(30) % 2
    moments = native_moments.compute_class_moments(X, y, 2)
    criteria = separability_of(NativeState(Problem(X, y)), 0.1, 0.1), NativePairCover(moments)
    for criterion in criteria:
        for groups, words in (
            ([], "do not fit"), ([(0, 1), ()], "is empty"), ([(0, 6)], "out of range"),
        ):  # fmt: skip
            with pytest.raises(ValueError, match=words):
                criterion.best_group(groups)
