import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import minmax_scale

from s2fs import components
from s2fs._problem import Problem
from s2fs._state import SubsetState
from strategies import problems


@given(problems(max_samples=25, max_features=6), st.sampled_from(["printed", "normalized"]))
def test_components_equal_the_literal_ones_for_every_prefix(data, reading):
    X, y = data
    scaled = minmax_scale(X)
    state = SubsetState(Problem(X, y), reading)
    features = np.arange(X.shape[1])
    for size in features:
        scores = np.array(state.score(features))
        for f in features:
            joined = np.column_stack([scaled[:, :size], scaled[:, f]])
            literal = components(joined, y, centroid_membership=reading)
            assert tuple(scores[:, f]) == pytest.approx(literal, rel=1e-9, abs=1e-9)
        state.add(size)
        literal = components(scaled[:, : size + 1], y, centroid_membership=reading)
        assert state.components() == pytest.approx(literal, rel=1e-9, abs=1e-9)


def test_blocks_do_not_change_a_score(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 50)), np.arange(30) % 4
    whole = SubsetState(Problem(X, y)).score(np.arange(50))
    monkeypatch.setattr("s2fs._problem.BLOCK", 1000)
    in_blocks = SubsetState(Problem(X, y)).score(np.arange(50))
    np.testing.assert_array_equal(whole, in_blocks)


def test_mean_of_equal_values_is_that_value():
    # A plain running sum of 100000 tenths is off by far more than rounding of one number.
    y = np.repeat([0, 1], 100_000)
    X = np.where(y == 0, 0.1, 0.7)[:, None] * np.ones(1)
    X[-1] = 1.3
    problem = Problem(X, y, scale=None)
    assert (problem.offsets(np.array([0]))[0, :100_000, 0] == 0).all()
