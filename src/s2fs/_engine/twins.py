"""Which features say almost the same as a given one, by their correlation over all rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._engine.pairs import BLOCK, checked, table_moments
from s2fs._util.types import Floats, Indices

#: Rounding may move a correlation by this much; it decides nothing.
ROUNDING = 1e-9


class Twins:
    """The features whose |r| with a given one is above a limit.

    r is Pearson's correlation over all rows, each with its weight; with missing values, over the
    rows that have both. A constant feature has r = 0 with any other. One feature costs one product
    of the table with a column, and is asked for once.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        The table; sparse input in CSC format. NaN is missing.
    limit : float
        The largest |r| that is no twin.
    sample_weight : ndarray of shape (n_samples,), optional
        How much each row counts.
    """

    def __init__(self, X: Any, limit: float, sample_weight: Floats | None = None) -> None:
        self._X, self._limit = X, limit
        n = X.shape[0]
        self._weight = np.ones(n) if sample_weight is None else sample_weight
        known = checked(table_moments(X, np.zeros(n, dtype=np.intp), 1, self._weight))
        self._mean = known.mean[0]
        self._norm = np.where(known.upper > known.lower, np.sqrt(known.squares), 0.0)
        self._missing = bool(np.isnan((X.data if issparse(X) else X).sum()))
        self._known: dict[int, Indices] = {}

    def __call__(self, feature: int) -> Indices:
        """The twins of ``feature``, increasing, without itself."""
        if feature not in self._known:
            above = np.abs(self.correlations(feature)) > self._limit + ROUNDING
            above[feature] = False
            self._known[feature] = np.flatnonzero(above)
        return self._known[feature]

    def correlations(self, feature: int) -> Floats:
        """The correlation of ``feature`` with every feature."""
        column = _dense(self._X[:, [feature]]).ravel().astype(np.float64) - self._mean[feature]
        if self._missing:
            return self._of_rows_with_both(column)
        products, unit = self._products(column * self._weight), self._norm * self._norm[feature]
        return np.divide(products, unit, out=np.zeros_like(products), where=unit > 0)

    def _products(self, residual: Floats) -> Floats:
        """Of the residuals, whose sum is 0, with every column: their means do not matter."""
        if issparse(self._X) or self._X.dtype == residual.dtype:
            return self._X.T @ residual
        products = np.zeros(self._X.shape[1])  # in blocks: the table is not copied as a whole
        for rows in self._blocks():
            products += residual[rows] @ self._X[rows].astype(np.float64)
        return products

    def _of_rows_with_both(self, column: Floats) -> Floats:
        """The correlations over the rows that have a value in both columns."""
        n, sums, squares, own, own_squares, products = np.zeros((6, self._X.shape[1]))
        has = ~np.isnan(column)
        column = np.where(has, column, 0.0)
        for rows in self._blocks():
            values = _dense(self._X[rows]) - self._mean
            there = ~np.isnan(values)
            values = np.where(there, values, 0.0)
            weight, mine = self._weight[rows] * has[rows], self._weight[rows] * column[rows]
            n += weight @ there
            sums += weight @ values
            squares += weight @ values**2
            own += mine @ there
            own_squares += (mine * column[rows]) @ there
            products += mine @ values
        n = np.where(n > 0, n, 1.0)
        spread = np.maximum(squares - sums**2 / n, 0.0) * np.maximum(own_squares - own**2 / n, 0.0)
        # What is left of two sums that cancel is no spread.
        varies = spread > (ROUNDING**2) * squares * own_squares
        r = np.zeros_like(products)
        np.divide(products - own * sums / n, np.sqrt(spread), out=r, where=varies)
        return r

    def _blocks(self) -> list[slice]:
        n, m = self._X.shape
        step = max(1, BLOCK // m)
        return [slice(start, start + step) for start in range(0, n, step)]


def _dense(X: Any) -> NDArray[Any]:
    return X.toarray() if issparse(X) else X
