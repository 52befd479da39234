"""What must hold of the bounds of a state, whatever the data."""

import numpy as np

PAIRS = [(0.0, 0.0), (1.0, 1.0), (1e6, 0.0)]  # distances alone, both, directions alone


def check_bounds(state):
    """Let all features join one by one; at each step every bound is to hold for every candidate."""
    features = np.arange(state.problem.n_features)
    for size in features:
        exact = state.score(features)
        sums = state.compactness(features, single=False)[:2]
        assert np.all(state.least_compactness(features) <= sums * (1 + 1e-12))
        assert np.all(state.most_separation(features) >= np.array(exact[2:]) * (1 - 1e-12))
        for pair, low, high in zip(
            PAIRS, *state.between(features, PAIRS, len(features)), strict=True
        ):
            sep = exact.separability(*pair)
            assert np.all(low <= sep * (1 + 1e-12))
            assert np.all(sep <= high * (1 + 1e-12))
        state.add(size)
