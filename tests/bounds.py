"""What must hold of the bounds of a compiled state, whatever the data."""

import numpy as np

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
