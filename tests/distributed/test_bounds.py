"""What must hold of the bounds that a shard sends, whatever the data."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from s2fs._core.problem import Problem
from s2fs.distributed._shard import ChunkState
from strategies import problems, weighted

PAIRS = [(0.0, 0.0), (1.0, 1.0), (1e6, 0.0)]  # distances alone, both, directions alone


def check_bounds(state):
    """Let all features join one by one; at each step every bound is to hold for every candidate."""
    features = np.arange(state.problem.n_features)
    for size in features:
        exact = state.score(features)
        if state._screen_in is np.float32:
            judged, low, high = state._contenders(features, PAIRS, len(features))
            assert judged.tolist() == features.tolist()
            for pair, smallest, largest in zip(PAIRS, low, high, strict=True):
                sep = exact.separability(*pair)
                assert np.all(smallest <= sep)
                assert np.all(sep <= largest)
        assert np.all(state.least(features) <= np.array(exact[:2]) * (1 + 1e-12))
        state.add(size)


readings = st.sampled_from(["printed", "normalized"])


@given(problems(), readings, st.sampled_from(["minmax", None]), st.booleans())
def test_bounds_hold(data, reading, scale, as_sparse):
    X, y = data
    problem = Problem(sparse.csc_array(X) if as_sparse else X, y, scale)
    check_bounds(ChunkState(problem, reading))


@given(weighted(), readings, st.sampled_from(["minmax", None]), st.booleans())
def test_bounds_hold_with_weights(data, reading, scale, as_sparse):
    X, y, weights = data
    problem = Problem(sparse.csc_array(X) if as_sparse else X, y, scale, weights)
    check_bounds(ChunkState(problem, reading))


def test_bounds_leave_few_candidates():
    # A bound that holds but is far too low would cost time only, so nothing else would notice.
    rng = np.random.default_rng(0)
    y = np.arange(300) % 6
    X = rng.normal(size=(300, 200)) + rng.normal(size=(6, 200))[y]
    state = ChunkState(Problem(X, y))
    features = np.arange(200)
    for size in range(20):
        state.add(size)
    least, exact = state.least(features[20:]), state.score(features[20:])
    np.testing.assert_allclose(least[0], exact.theta_dis, rtol=1e-4)
    assert np.all(least[1] > 0.7 * exact.theta_dir)
