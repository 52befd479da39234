import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.preprocessing import minmax_scale, scale

from s2fs import S2FS, Components, separability
from strategies import EQUAL, problems

pytestmark = pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")

SCALES = {"standard": scale, "minmax": minmax_scale, None: np.asarray}


def literal_path(X, y, k, alpha, beta, reading, scaling="standard"):
    """Algorithm 1 word for word: the criterion from scratch for every candidate of every step."""
    scaled = SCALES[scaling](X)
    selected, scores = [], []
    constant = np.ptp(X, axis=0) == 0
    while len(selected) < k:
        left = [f for f in range(X.shape[1]) if f not in selected]
        left = [f for f in left if not constant[f]] or left
        seps = [
            separability(scaled[:, [*selected, f]], y, alpha, beta, centroid_membership=reading)
            for f in left
        ]
        best = next(i for i, s in enumerate(seps) if s >= max(seps) * (1 - EQUAL))
        selected.append(left[best])
        scores.append(seps[best])
    return selected, scores


weights = st.sampled_from([0.0, 0.01, 0.0316, 0.3162, 1.0])


readings = st.sampled_from(["published", "normalized"])


@given(problems(), weights, weights, readings, st.sampled_from(["standard", "minmax"]))
def test_path_equals_the_literal_one(data, alpha, beta, reading, scaling):
    X, y = data
    k = X.shape[1]
    selector = S2FS(k, alpha=alpha, beta=beta, centroid_membership=reading, scale=scaling)
    selector.fit(X, y)
    # The least distance to a centroid is a share of the largest range, which a subset of z-scores
    # does not have: classes of one point each are compared in [0, 1] only.
    assume(scaling == "minmax" or selector.path_["theta_dis"].min() > 1e-9)
    selected, scores = literal_path(X, y, k, alpha, beta, reading, scaling)
    assert selector.indices_.tolist() == selected
    np.testing.assert_allclose(selector.scores_, scores, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("without", [("theta_dir",), ("lambda_dir",), ("theta_dir", "lambda_dir")])
def test_variants_of_the_paper(without):
    """S²–DWC, S²–DBS and S²–DWC–DBS leave one or both direction terms out of Eq. 23."""
    X, y = load_wine(return_X_y=True)
    zero = {{"theta_dir": "alpha", "lambda_dir": "beta"}[part]: 0 for part in without}
    selector = S2FS(5, **zero).fit(X, y)
    parts = {name: selector.path_[name] * (name not in without) for name in Components._fields}
    sep = (parts["lambda_dis"] + 0.0316 * parts["lambda_dir"]) / (
        parts["theta_dis"] + 0.0316 * parts["theta_dir"]
    )
    np.testing.assert_allclose(selector.scores_, sep, rtol=1e-12)
    selected, _ = literal_path(X, y, 5, selector.alpha, selector.beta, "published")
    assert selector.indices_.tolist() == selected


def test_equal_gains_go_to_the_smaller_index():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=30), np.arange(30) % 3
    X = np.column_stack([rng.normal(size=30) * 0.1, x + 3 * y, -(x + 3 * y), x + 3 * y])
    assert S2FS(1).fit(X, y).indices_.tolist() == [1]


def test_constant_features_come_last_in_order():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 5))
    X[:, [0, 3]] = 1e9
    selector = S2FS(5).fit(X, np.arange(20) % 2)
    assert selector.indices_[3:].tolist() == [0, 3]
    assert np.all(selector.path_["gain"][3:] == 0)


def test_features_that_are_constant_inside_the_classes_go_by_how_far_they_set_them_apart():
    y = np.array([0, 0, 1, 1, 2, 2])
    X = np.column_stack([np.arange(6.0), y == 2, y, 2.0 - y])
    path = S2FS(4, scale="minmax").fit(X, y).path_
    assert path["feature"].tolist() == [2, 3, 1, 0]
    assert path["theta_dis"][:3].tolist() == [1e-12] * 3
    np.testing.assert_allclose(path["sep"][0], 0.5e12, rtol=0.1)
    np.testing.assert_allclose(path["sep"][1] / path["sep"][0], np.sqrt(2), rtol=0.1)
    assert np.isfinite(path["gain"]).all()
    assert 0 < path["sep"][3] < 100
