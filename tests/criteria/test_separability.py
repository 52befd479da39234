import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import minmax_scale, scale

from s2fs import components, separability


@pytest.mark.parametrize("reading", ["published", "normalized"])
def test_nine_points(vectors, reading):
    nine = vectors["nine_points"]
    parts = components(nine["X"], nine["y"], centroid_membership=reading)
    assert parts._asdict() == pytest.approx(nine["components"][reading], abs=1e-9)
    sep = separability(nine["X"], nine["y"], 0.1, 0.2, centroid_membership=reading)
    assert sep == pytest.approx(nine["sep_alpha_0.1_beta_0.2"][reading], abs=1e-9)


@pytest.mark.parametrize(("name", "load"), [("wine", load_wine), ("iris", load_iris)])
def test_all_features(vectors, name, load):
    X, y = load(return_X_y=True)
    expected = vectors[f"{name}_all_features_components"]
    assert components(minmax_scale(X), y)._asdict() == pytest.approx(expected, abs=1e-9)


def test_normalized_memberships_sum_to_one():
    # Three far classes on a line, each other centroid seen at a right angle or opposite: with the
    # memberships of Eq. 20 summing to 1 over b ≠ a the direction term follows by hand.
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    printed = components(X, [0, 1, 2], centroid_membership="published").lambda_dir
    normalized = components(X, [0, 1, 2], centroid_membership="normalized").lambda_dir
    # near: 0→1, 1→0, 2→0; third class r: 2, 2, 1
    cosine = [0.0, 1 / np.sqrt(5), 4 / (2 * np.sqrt(5))]
    ratios = [5 / 1 + 5 / 5, 4 / 1 + 4 / 4, 1 / 4 + 1 / 1]  # Σ_s (‖c_a−c_r‖/‖c_a−c_s‖)²
    by_hand = [sum((1 - c) / (lead + s) for c, s in zip(cosine, ratios, strict=True)) / 3
               for lead in (1, 0)]  # fmt: skip
    assert [printed, normalized] == pytest.approx(by_hand, abs=1e-12)


def two_rings(angles):
    """Two classes on circles of radius 1 around (0, 0) and (4, 0), at the given angles."""
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    return np.vstack([ring, ring + np.array([4, 0])]), np.repeat([0, 1], len(angles))


def test_figure_1_direction_tells_apart_what_distance_cannot():
    isotropic = two_rings(np.arange(8) * np.pi / 4)
    above = np.pi / 2 + np.array([-0.1, 0, 0, 0.1])
    two_sided = two_rings(np.concatenate([above, above + np.pi]))
    a, b = components(*isotropic), components(*two_sided)
    assert a.theta_dis == pytest.approx(b.theta_dis, rel=1e-12)
    assert a.lambda_dis == pytest.approx(b.lambda_dis, rel=1e-12)
    by_distance = [separability(*data, alpha=0, beta=0) for data in (isotropic, two_sided)]
    assert by_distance[0] == pytest.approx(by_distance[1], rel=1e-12)
    assert b.theta_dir < a.theta_dir
    assert separability(*two_sided) > separability(*isotropic) * 1.0005


def test_instance_on_its_own_centroid_adds_no_direction():
    X = np.array([[-1.0, 0], [1, 0], [0, 0], [5, 1], [5, -1]])
    y = [0, 0, 0, 1, 1]
    with_centre = components(X, y).theta_dir * 5
    without = components(X[[0, 1, 3, 4]], np.array(y)[[0, 1, 3, 4]]).theta_dir * 4
    assert with_centre == pytest.approx(without, abs=1e-12)


def test_instance_on_other_centroids_counts_one():
    # Classes 1 and 2 share the centroid (2, 0), and the second instance of class 0 sits on it.
    X = np.array([[-1.0, 0], [2, 0], [2, 1], [2, -1], [1, 0], [3, 0]])
    theta_dir = components(X, [0, 0, 1, 1, 2, 2]).theta_dir
    # The first sample sees all centroids in one direction: 0. The second counts 1. The others see
    # their own and the twin centroid alike, and that of class 0 with some membership and angle.
    own, other = np.array([2, 0]) - X[2:], np.array([0.5, 0]) - X[2:]
    d_own, d_other = (own**2).sum(axis=1), (other**2).sum(axis=1)
    membership = (1 / d_other) / (2 / d_own + 1 / d_other)
    cosine = (own * other).sum(axis=1) / np.sqrt(d_own * d_other)
    by_hand = (0 + 1 + (membership * (1 - cosine)).sum()) / 6
    assert theta_dir == pytest.approx(by_hand, abs=1e-12)


def test_point_classes():
    assert separability([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1]) == 1e12
    assert separability([[0.0], [0.0], [9.0], [9.0]], [0, 0, 1, 1]) == pytest.approx(1e12)
    assert separability([[0.5], [0.5], [0.5], [0.5]], [0, 0, 1, 1]) == 0


def test_two_classes_have_no_direction_of_separation():
    X, y = load_iris(return_X_y=True)
    assert components(X[:100], y[:100]).lambda_dir == 0


@pytest.mark.parametrize("offset", [0, 1e9])
def test_huge_offset(offset):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 5)
    X = np.round(rng.normal(size=(15, 3)) * 64 + 64 * y[:, None]) / 64  # exact even at 1e9
    assert components(X + offset, y) == pytest.approx(components(X, y), rel=1e-9)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"y": [0, 0, 0, 0]}, "y has one class only"),
        ({"alpha": -1}, "alpha is -1"),
        ({"beta": "much"}, "beta is 'much'"),
        ({"alpha": np.nan}, "alpha is nan"),
        ({"centroid_membership": "other"}, "centroid_membership is 'other'"),
    ],
)
def test_bad_arguments(change, words):
    good = {"X": [[0.0], [1.0], [2.0], [3.0]], "y": [0, 0, 1, 1]}
    with pytest.raises(ValueError, match=words):
        separability(**(good | change))


@pytest.mark.parametrize("compactness", ["mean", "rms"])
@pytest.mark.parametrize("exponent", [-1000, -532, 532, 1010])
def test_very_large_and_very_small_values(exponent, compactness):
    """Distances are in the unit of the features, directions have none; 2**532 is about 1e160."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 4
    X = rng.normal(size=(40, 3)) + rng.normal(size=(4, 3))[y]
    plain = components(X, y, compactness=compactness)
    scaled = components(np.ldexp(X, exponent), y, compactness=compactness)
    unit = np.ldexp(1.0, exponent)
    expected = plain._replace(theta_dis=unit * plain.theta_dis, lambda_dis=unit * plain.lambda_dis)
    np.testing.assert_allclose(scaled, expected, rtol=1e-12)
    assert separability(np.ldexp(X, exponent), y, 0, 0, compactness=compactness) == pytest.approx(
        plain.separability(0, 0), rel=1e-12
    )


def test_scaling_is_that_of_scikit_learn(wine_like):
    X, y = wine_like
    for scale_name, scaled in (("standard", scale(X)), ("minmax", minmax_scale(X)), (None, X)):
        truth = components(scaled, y)
        np.testing.assert_allclose(components(X, y, scale=scale_name), truth, rtol=1e-12)
        assert separability(X, y, scale=scale_name) == pytest.approx(separability(scaled, y))
    with pytest.raises(ValueError, match="scale is 'ranks'; use 'standard', 'minmax' or None"):
        components(X, y, scale="ranks")


@pytest.fixture
def wine_like():
    X, y = load_wine(return_X_y=True)
    return X[:, [6, 0, 9]], y
