"""The literal PairCover of these tests against numbers computed from the definitions elsewhere."""

import json
from pathlib import Path

import literal_pair_cover
import numpy as np
import pytest

CASES = json.loads(Path(__file__).with_name("pair_cover_vectors.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_vectors_of_the_spec(case):
    X, y = np.array(case["X"]), np.array(case["y"])
    varying = np.ptp(X, axis=0) > 0
    expected = np.array(case["gaps"], dtype=float)[:, varying]
    gaps, _ = literal_pair_cover.pair_gaps(X[:, varying], y)
    np.testing.assert_allclose(gaps, expected, rtol=1e-9, atol=1e-9)
    for correlation, q in case["Q_all"].items():
        assert literal_pair_cover.pair_cover(X, y, float(correlation)) == pytest.approx(q, rel=1e-9)
