"""Correlations of columns with a large offset, in every form in which they are computed."""

import numpy as np
import pytest
from scipy import sparse

from inner import (
    OverallCorrelations,
    WithinClassCorrelations,
    correlations,
    native_moments,
    numpy_moments,
)


def shifted(offset, dtype=np.float64, n=500, m=6):
    """Correlated columns around an offset, and r of what is stored, from exact differences."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, m)) + rng.normal(size=(n, 1))
    X = (X * [1, -1, 1, 1, -1, 1] + offset).astype(dtype)
    differences = X.astype(np.float64) - X[0].astype(np.float64)  # exact: neighbours in size
    return X, np.corrcoef(differences.T)


FORMS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "sparse": sparse.csc_array,
    "missing": lambda X: np.vstack([X, np.full((1, X.shape[1]), np.nan)]),
    "sparse, missing": lambda X: sparse.csc_array(np.vstack([X, np.full((1, X.shape[1]), np.nan)])),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("offset", "dtype"), [(1e8, "d"), (-1e9, "d"), (1e12, "d"), (1e5, "f"), (0, "d")]
)
def test_a_large_offset_does_not_change_r(offset, dtype, form, weighted):
    X, expected = shifted(offset, dtype)
    table = FORMS[form](X)
    weight = None
    if weighted:
        weight = np.arange(table.shape[0]) % 3 + 1.0
        copies = np.repeat(X, weight[: len(X)].astype(int), axis=0).astype(np.float64)
        expected = np.corrcoef((copies - copies[0]).T)
    correlation = OverallCorrelations(table, weight)
    found = [correlation(feature) for feature in range(6)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("offset", "dtype"), [(1e8, "d"), (-1e9, "d"), (1e5, "f")])
def test_a_large_offset_does_not_change_the_matrix_of_the_report(offset, dtype):
    X, expected = shifted(offset, dtype)
    np.testing.assert_allclose(correlations(X), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("form", ["C", "sparse"])
def test_a_large_offset_does_not_change_correlations_inside_the_classes(form):
    X, _ = shifted(1e9)
    y = np.arange(len(X)) % 3
    differences = X - X[0]
    residuals = differences - np.array([differences[y == q].mean(axis=0) for q in range(3)])[y]
    table = FORMS[form](X)
    for module in (numpy_moments, native_moments):
        moments = module.compute_class_moments(table, y, 3)
        correlation = WithinClassCorrelations(table, y, moments)
        found = [correlation(feature) for feature in range(6)]
        # Class means are kept as they are, with the digits that such an offset leaves them.
        np.testing.assert_allclose(found, np.corrcoef(residuals.T), rtol=0, atol=1e-6)


def test_large_and_small_values_are_squared_without_loss():
    A = np.random.default_rng(0).normal(size=(30, 3))
    expected = np.corrcoef(A.T)
    with np.errstate(all="raise"):
        found = correlations(A * [1e200, 1.0, 1e-200])
    np.testing.assert_allclose(found, expected, rtol=1e-9)
