import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine

from inner import NativeState, find_paths
from s2fs import S2FS, s2fs_paths
from strategies import examples, problems


@pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")
@given(problems(max_samples=20, max_features=6))
def test_paths_equal_separate_fits(data):
    X, y = data
    alphas, betas = [0.0, 0.1, 1.0], [0.0316, 1.0]
    paths = s2fs_paths(X, y, 1.0, alphas, betas)
    for a, alpha in enumerate(alphas):
        for b, beta in enumerate(betas):
            fit = S2FS(1.0, alpha=alpha, beta=beta).fit(X, y)
            assert paths.indices[a, b].tolist() == fit.indices_.tolist()
            np.testing.assert_allclose(paths.scores[a, b], fit.scores_, rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")
@pytest.mark.filterwarnings("ignore:max_correlation")
@examples(60)
@given(problems(max_samples=20, max_features=8), st.sampled_from([0.0, 0.5, 0.9, 1.0]))
def test_each_path_keeps_the_limit_as_its_own_fit_does(data, limit):
    X, y = data
    alphas, betas = [0.0, 1.0], [0.0316, 1.0]
    include = [0] if X.shape[1] > 1 else None
    options = {"max_correlation": limit, "include": include}
    paths = s2fs_paths(X, y, 1.0, alphas, betas, **options)
    assert paths.indices.shape == (2, 2, X.shape[1])
    for a, alpha in enumerate(alphas):
        for b, beta in enumerate(betas):
            fit = S2FS(1.0, alpha=alpha, beta=beta, **options).fit(X, y)
            k = len(fit.indices_)
            assert paths.indices[a, b].tolist() == [*fit.indices_, *[-1] * (X.shape[1] - k)]
            np.testing.assert_allclose(paths.scores[a, b, :k], fit.scores_, rtol=1e-9, atol=1e-9)
            assert np.isnan(paths.scores[a, b, k:]).all()


def test_paths_that_end_early_are_told():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(UserWarning, match=r"max_correlation=0\.6 leaves 9 of the 15 feature"):
        paths = s2fs_paths(
            X, y, 15, [0.0316, 1.0], [0.0316, 1.0], max_correlation=0.6, scale="minmax"
        )
    assert {*(paths.indices >= 0).sum(axis=2).ravel().tolist()} == {9, 10}  # each by itself


def test_compiled_paths_equal_separate_fits_on_a_wide_table():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 4
    X = rng.normal(size=(60, 400)) + rng.normal(size=(4, 400))[y]
    paths = s2fs_paths(X, y, 12, n_jobs=2)
    assert paths.indices.shape == (9, 9, 12)
    for a, b in [(0, 0), (2, 2), (8, 0), (0, 8), (8, 8)]:
        fit = S2FS(12, alpha=paths.alphas[a], beta=paths.betas[b]).fit(X, y)
        assert paths.indices[a, b].tolist() == fit.indices_.tolist()
        np.testing.assert_allclose(paths.scores[a, b], fit.scores_, rtol=1e-12)
    assert len({tuple(path) for path in paths.indices.reshape(81, 12).tolist()}) > 1


@pytest.mark.parametrize("compactness", ["mean", "rms"])
@pytest.mark.parametrize("scale", ["standard", "minmax", None])
def test_a_grid_that_parts_gives_what_single_fits_give(scale, compactness):
    rng = np.random.default_rng(3)
    y = np.arange(120) % 6
    X = rng.normal(size=(120, 250)) + rng.normal(size=(6, 250))[y]
    X *= rng.uniform(1, 3, 250)  # units that differ, so that the scales do
    alphas, betas = [0.0, 0.05, 0.3, 1.0], [0.0, 0.1, 1.0]
    options = {"scale": scale, "compactness": compactness}
    paths = s2fs_paths(X, y, 15, alphas, betas, **options)
    for a, alpha in enumerate(alphas):
        for b, beta in enumerate(betas):
            fit = S2FS(15, alpha=alpha, beta=beta, **options).fit(X, y)
            assert paths.indices[a, b].tolist() == fit.indices_.tolist()
            np.testing.assert_allclose(paths.scores[a, b], fit.scores_, rtol=1e-12)
    # They share their first features, and part later.
    different = [len(set(map(tuple, paths.indices[..., :k].reshape(12, k)))) for k in (1, 15)]
    assert different[0] < different[1]


def test_each_distinct_set_is_evaluated_once(monkeypatch):
    calls = []
    best_of_each = NativeState.best_of_each

    def counted(self, candidates, weightings):
        calls.append(len(weightings))
        return best_of_each(self, candidates, weightings)

    monkeypatch.setattr(NativeState, "best_of_each", counted)
    X, y = load_wine(return_X_y=True)
    paths = s2fs_paths(X, y, 6)
    prefixes = {
        frozenset(path[:size])
        for path in paths.indices.reshape(81, 6).tolist()
        for size in range(6)
    }
    assert len(calls) == len(prefixes)
    assert sum(calls) == 81 * 6


@pytest.mark.parametrize(
    "options",
    [
        {"min_per_class": 3},
        {"min_per_class": 3, "include": [3, 17], "max_correlation": 0.9},
    ],
)
def test_each_path_keeps_the_quota_as_its_own_fit_does(options):
    rng = np.random.default_rng(5)
    y = np.arange(60) % 4
    X = rng.normal(size=(60, 50)) + rng.normal(size=(4, 50))[y]
    alphas, betas = [0.0, 0.1, 1.0], [0.01, 1.0]
    paths = find_paths(S2FS(12, **options), X, y, alphas, betas, warn=False)
    for a, alpha in enumerate(alphas):
        for b, beta in enumerate(betas):
            fit = S2FS(12, alpha=alpha, beta=beta, **options).fit(X, y)
            assert paths.indices[a, b].tolist() == fit.indices_.tolist()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"alphas": [0.1, -1]}, "'alpha' parameter"),
        ({"betas": ["x"]}, "'beta' parameter"),
        ({"n_features": 0}, "'n_features_to_select' parameter"),
    ],
)
def test_bad_arguments(change, words):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        s2fs_paths(**({"X": X, "y": y, "n_features": 2} | change))
