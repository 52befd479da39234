import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import StandardScaler, minmax_scale

import inner
from inner import NativeState, Problem, Separability, SubsetState, forward
from s2fs import components
from strategies import examples, problems, weighted

readings = st.sampled_from(["published", "normalized"])
compactnesses = st.sampled_from(["mean", "rms"])
STATES = [SubsetState, NativeState]
scales = st.sampled_from(["standard", "minmax", None])


def scaled_by_sklearn(X, scale, weights=None):
    if scale == "standard":
        shares = minmax_scale(X)  # scikit-learn takes a very small standard deviation for none
        return StandardScaler().fit_transform(shares, sample_weight=weights)
    return minmax_scale(X) if scale == "minmax" else X


@pytest.mark.parametrize("State", STATES)
@given(
    problems(max_samples=25, max_features=6),
    readings,
    compactnesses,
    scales,
)
def test_scores_equal_the_literal_ones_for_every_prefix(State, data, reading, compactness, scale):
    X, y = data
    scaled = scaled_by_sklearn(X, scale)
    state = State(Problem(X, y, scale), reading, compactness)
    features = np.arange(X.shape[1])
    for size in features:
        scores = np.array(state.score(features))
        for f in features:
            joined = np.column_stack([scaled[:, :size], scaled[:, f]])
            literal = components(joined, y, centroid_membership=reading, compactness=compactness)
            assert tuple(scores[:, f]) == pytest.approx(literal, rel=1e-9, abs=1e-9)
        state.add(size)


@pytest.mark.parametrize("State", STATES)
@examples(60)
@given(weighted(max_samples=25, max_features=5), readings, scales)
def test_scores_with_weights_equal_the_literal_ones(State, data, reading, scale):
    X, y, weights = data
    scaled = scaled_by_sklearn(X, scale, weights)
    state = State(Problem(X, y, scale, weights), reading)
    features = np.arange(X.shape[1])
    for size in features:
        scores = np.array(state.score(features))
        for f in features:
            joined = np.column_stack([scaled[:, :size], scaled[:, f]])
            literal = components(joined, y, centroid_membership=reading, sample_weight=weights)
            assert tuple(scores[:, f]) == pytest.approx(literal, rel=1e-9, abs=1e-9)
        state.add(size)


@given(weighted())
def test_same_path_with_weights_compiled_as_in_plain_numpy(data):
    X, y, weights = data
    problem = Problem(X, y, sample_weight=weights)
    paths = [
        [step.feature for step in forward(Separability(State(problem), 0.1, 0.1), X.shape[1])]
        for State in STATES
    ]
    assert paths[0] == paths[1]


@given(problems(max_samples=25, max_features=6), readings, compactnesses)
def test_both_states_say_the_same_of_rows_and_classes(data, reading, compactness):
    problem = Problem(*data)
    plain, native = (State(problem, reading, compactness) for State in STATES)
    features = np.arange(problem.n_features)
    for size in features:
        for of_plain, of_native in (
            (plain.row_sums(features), native.row_sums(features)),
            (plain.separation(features), native.separation(features)),
        ):
            np.testing.assert_allclose(of_native, of_plain, rtol=1e-9, atol=1e-9)
        plain.add(size)
        native.add(size)


@pytest.mark.parametrize("State", STATES)
def test_blocks_do_not_change_a_score(State, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 50)), np.arange(30) % 4
    everything = np.arange(50)
    whole = State(Problem(X, y)).score(everything)
    alone = [State(Problem(X, y)).score(everything[f : f + 1]) for f in everything]
    monkeypatch.setattr(inner.problem, "BLOCK", 1000)
    in_blocks = State(Problem(X, y)).score(everything)
    np.testing.assert_array_equal(whole, in_blocks)
    np.testing.assert_array_equal(whole, np.concatenate(alone, axis=1))


@pytest.mark.parametrize("State", STATES)
def test_a_copy_goes_its_own_way(State):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), np.arange(30) % 3
    state = State(Problem(X, y), "published")
    state.add(0)
    before = state.score(np.arange(6))
    twin = state.copy()
    twin.add(1)
    np.testing.assert_array_equal(state.score(np.arange(6)), before)
    state.add(1)
    np.testing.assert_array_equal(state.score(np.arange(6)), twin.score(np.arange(6)))


def test_ranges_that_overflow_are_told():
    X = np.array([[1.7e308, 0.0], [-1.7e308, 1.0], [0.0, 2.0], [1.0, 3.0]])
    with pytest.raises(ValueError, match=r"too far apart to be summed in column 0; divide"):
        Problem(X, np.array([0, 0, 1, 1]))


def test_mean_of_equal_values_is_that_value():
    # A plain running sum of 100000 tenths is off by far more than rounding of one number.
    y = np.repeat([0, 1], 100_000)
    X = np.where(y == 0, 0.1, 0.7)[:, None] * np.ones(1)
    X[-1] = 1.3
    problem = Problem(X, y, scale=None)
    assert (problem.offsets(np.array([0]))[0, :100_000, 0] == 0).all()
