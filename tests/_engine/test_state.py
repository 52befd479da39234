import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import minmax_scale

from s2fs import components
from s2fs._core.problem import Problem
from s2fs._engine.centroid_kernels import most_separation
from s2fs._engine.compiled import CompiledState
from s2fs._engine.reference import SubsetState
from strategies import problems

readings = st.sampled_from(["printed", "normalized"])
STATES = [SubsetState, CompiledState]


@pytest.mark.parametrize("State", STATES)
@given(problems(max_samples=25, max_features=6), readings, st.sampled_from(["minmax", None]))
def test_scores_equal_the_literal_ones_for_every_prefix(State, data, reading, scale):
    X, y = data
    scaled = minmax_scale(X) if scale == "minmax" else X
    state = State(Problem(X, y, scale), reading)
    features = np.arange(X.shape[1])
    for size in features:
        scores = np.array(state.score(features))
        for f in features:
            joined = np.column_stack([scaled[:, :size], scaled[:, f]])
            literal = components(joined, y, centroid_membership=reading)
            assert tuple(scores[:, f]) == pytest.approx(literal, rel=1e-9, abs=1e-9)
        state.add(size)


@given(problems(max_samples=25, max_features=8), readings)
def test_upper_bounds_of_separation_hold_and_are_near(data, reading):
    X, y = data
    problem = Problem(X, y)
    state = CompiledState(problem, reading)
    features = np.arange(X.shape[1])
    centroids, printed = (problem.centroids, features, problem.on_centroid), reading == "printed"
    fine, coarse = np.empty((2, 2, len(features)))
    for size in features:
        exact = np.array(state.score(features)[2:])
        most_separation(*centroids, state._G, printed, 1.0, False, 8, fine)
        most_separation(*centroids, state._G, printed, 1.0, True, 8, coarse)
        assert np.all(exact <= fine)
        assert np.all(exact <= coarse)
        np.testing.assert_allclose(fine, exact, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(coarse[0], exact[0], rtol=1e-4, atol=1e-4)
        state.add(size)


def test_coarse_bounds_of_separation_are_not_far_off():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 12
    X = rng.normal(size=(300, 200)) + rng.normal(size=(12, 200))[y]
    problem = Problem(X, y)
    state = CompiledState(problem)
    features = np.arange(200)
    for size in range(20):
        state.add(size)
    coarse = np.empty((2, 180))
    most_separation(
        problem.centroids, features[20:], problem.on_centroid, state._G, True, 1.0, True, 64, coarse
    )
    assert np.all(coarse[1] < 1.5 * state.score(features[20:]).lambda_dir)


@pytest.mark.parametrize("State", STATES)
def test_blocks_do_not_change_a_score(State, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 50)), np.arange(30) % 4
    everything = np.arange(50)
    whole = State(Problem(X, y)).score(everything)
    alone = [State(Problem(X, y)).score(everything[f : f + 1]) for f in everything]
    monkeypatch.setattr("s2fs._core.problem.BLOCK", 1000)
    in_blocks = State(Problem(X, y)).score(everything)
    np.testing.assert_array_equal(whole, in_blocks)
    np.testing.assert_array_equal(whole, np.concatenate(alone, axis=1))


@pytest.mark.parametrize("State", STATES)
def test_a_copy_goes_its_own_way(State):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), np.arange(30) % 3
    state = State(Problem(X, y), "printed")
    state.add(0)
    before = state.score(np.arange(6))
    twin = state.copy()
    twin.add(1)
    np.testing.assert_array_equal(state.score(np.arange(6)), before)
    state.add(1)
    np.testing.assert_array_equal(state.score(np.arange(6)), twin.score(np.arange(6)))


def test_mean_of_equal_values_is_that_value():
    # A plain running sum of 100000 tenths is off by far more than rounding of one number.
    y = np.repeat([0, 1], 100_000)
    X = np.where(y == 0, 0.1, 0.7)[:, None] * np.ones(1)
    X[-1] = 1.3
    problem = Problem(X, y, scale=None)
    assert (problem.offsets(np.array([0]))[0, :100_000, 0] == 0).all()
