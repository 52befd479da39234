import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2fs import components
from s2fs.plotting import class_geometry, two_distributions


def literal_components(X, y, geometry):
    """Θ and Λ written out from the geometry, with the normalised reading of Eq. 20."""
    n, p = len(X), len(geometry.centroids)
    theta_dir = 0.0
    for i in range(n):
        own = geometry.centroids[y[i]] - X[i]
        for r in set(range(p)) - {y[i]}:
            other = geometry.centroids[r] - X[i]
            cosine = own @ other / np.sqrt((own @ own) * (other @ other))
            theta_dir += geometry.memberships[i, r] * (1 - cosine) / n
    lambda_dir = 0.0
    for q in range(p):
        a = geometry.near[q]
        for r in set(range(p)) - {q, a}:
            ratios = [
                (geometry.distances[a, r] / geometry.distances[a, s]) ** 2
                for s in range(p)
                if s != a
            ]
            lambda_dir += (1 - geometry.cosines[q, r]) / sum(ratios) / p
    sizes = np.bincount(y)
    return (
        geometry.spread @ sizes / n,
        theta_dir,
        geometry.distances[np.arange(p), geometry.near].mean(),
        lambda_dir,
    )


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(1, 6))
def test_holds_all_that_the_criterion_needs(seed, p, m):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(p), np.arange(p), rng.integers(0, p, 10)])
    X = rng.random((len(y), m))
    expected = components(X, y, centroid_membership="normalized")
    np.testing.assert_allclose(literal_components(X, y, class_geometry(X, y)), expected, atol=1e-9)


def test_the_own_share_is_one_half_between_two_centroids():
    X = [[0.0, 0], [0, 2], [2, 0], [2, 2], [1, 1]]
    geometry = class_geometry(X, [0, 0, 1, 1, 1])
    middle = (geometry.centroids[0] + geometry.centroids[1]) / 2
    distance = np.linalg.norm(np.asarray(X) - geometry.centroids[:, None], axis=2)
    nearer_to_own = distance[geometry.codes, range(5)] < distance[1 - geometry.codes, range(5)]
    assert ((geometry.own_share > 0.5) == nearer_to_own).all()
    assert middle[0] == pytest.approx(5 / 6)


def test_an_instance_on_another_centroid_belongs_to_that_class_alone():
    geometry = class_geometry([[0.0], [4], [1], [3], [2], [10], [12]], [0, 0, 0, 0, 1, 1, 1])
    assert geometry.centroids[0] == 2
    assert geometry.memberships[4].tolist() == [1, 0]
    assert geometry.own_share[4] == 0
    assert geometry.nearest_other.tolist() == [1, 1, 1, 1, 0, 0, 0]


def test_coinciding_points_are_infinitely_well_separated():
    geometry = class_geometry([[0.0], [0], [1], [1]], [0, 0, 1, 1])
    assert geometry.separation[0, 1] == np.inf
    assert geometry.separation[0, 0] == 0


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="one class only"):
        class_geometry([[1.0], [2.0]], [0, 0])


def test_the_two_distributions_differ_in_direction_only():
    along, across, y = two_distributions()
    one, other = components(along, y), components(across, y)
    assert one.theta_dis == pytest.approx(other.theta_dis)
    assert one.lambda_dis == pytest.approx(other.lambda_dis)
    assert one.theta_dir > 2 * other.theta_dir
