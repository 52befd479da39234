"""The literal PairCover of these tests against numbers computed from the definitions elsewhere."""

import json
from pathlib import Path

import literal_pair_cover
import numpy as np
import pytest

from s2fs.criteria.class_moments import compute_class_moments
from s2fs.criteria.pair_cover import class_gaps

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


GAPS = json.loads(Path(__file__).with_name("pair_cover_gaps_vectors.json").read_text())
#: The d² of a complete feature for d², n_a(f), n_b(f), ν, n_a, n_b, ν₀ and the share that is known.
EVIDENCE = [
    ((4, 3, 3, 4, 100, 100, 198, 0.03), 0.05001017473769131),
    ((100, 3, 3, 4, 100, 100, 198, 0.03), 0.0991770161193557),
    ((4, 50, 50, 98, 100, 100, 198, 0.5), 1.643824801062424),
    ((4, 90, 90, 178, 100, 100, 198, 0.9), 3.4604149257264307),
    ((4, 20, 19, 37, 20, 20, 38, 0.975), 3.8545452888923624),
    ((100, 20, 19, 37, 20, 20, 38, 0.975), 87.2775475276402),
    ((25, 500, 499, 997, 500, 500, 998, 0.999), 24.925467345337506),
    ((1e4, 6, 5, 9, 6, 6, 10, 11 / 12), 2753.1875494751025),
    ((0.25, 10, 10, 18, 20, 20, 38, 0.5), 0.12101787943776571),
]


def table_of(case):
    weight = None if case["sample_weight"] is None else np.array(case["sample_weight"])
    return np.array(case["X"], dtype=float), np.array(case["y"]), weight


@pytest.mark.parametrize(("numbers", "expected"), EVIDENCE)
def test_equal_evidence(numbers, expected):
    found = literal_pair_cover.equal_evidence(*numbers)
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("case", GAPS, ids=lambda case: case["name"])
def test_tables_with_gaps_and_weights(case):
    X, y, weight = table_of(case)
    for correlation, q in case["Q_all"].items():
        found = literal_pair_cover.weighted_pair_cover(
            X, y, float(correlation), weight, case["class_weight"]
        )
        assert found == pytest.approx(q, rel=1e-9)


@pytest.mark.parametrize("case", GAPS, ids=lambda case: case["name"])
def test_gaps_in_numpy(case):
    X, y, weight = table_of(case)
    if case["class_weight"] is not None:
        pytest.skip("class weights are of the selector")
    samples = literal_pair_cover.count_samples(np.ones(len(y)) if weight is None else weight)
    is_sample = samples > 0
    moments = compute_class_moments(X[is_sample], y[is_sample], y.max() + 1, samples[is_sample])
    d, noise = class_gaps(moments)
    expected = np.array(case["gaps"], dtype=float)
    np.testing.assert_allclose(d**2 - noise, expected, rtol=1e-7, atol=1e-9)
