"""Correlations of columns."""

import numpy as np

from s2fs._utils.types import Floats, Indices


def correlations(A: Floats, B: Floats | None = None) -> Floats:
    """Pearson's r of every column of A with every column of B, by default of A.

    Parameters
    ----------
    A : ndarray of shape (n_samples, k)
        Finite numbers.
    B : ndarray of shape (n_samples, m), optional
        Other columns of the same samples.

    Returns
    -------
    ndarray of shape (k, m)
        A column that is constant has r = 0 with any other.
    """
    one = _unit(A)
    return np.clip(one.T @ (one if B is None else _unit(B)), -1.0, 1.0)


def prefix_redundancy(A: Floats, sizes: Indices) -> Floats:
    """Mean |r| of two of the first columns, for each size; NaN for one column."""
    r = np.abs(correlations(A))
    np.fill_diagonal(r, 0)
    sizes = np.asarray(sizes)
    # Sums over the leading squares of the matrix.
    sums = np.cumsum(np.cumsum(r, axis=0), axis=1).diagonal()[sizes - 1]
    pairs = sizes * (sizes - 1.0)
    return np.divide(sums, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)


def _unit(A: Floats) -> Floats:
    lower, upper = A.min(axis=0), A.max(axis=0)
    # Subtract the minimum first: avoids cancellation.
    centred = np.subtract(A, lower, dtype=np.float64)
    centred -= centred.mean(axis=0)
    # By a power of two, which costs no digit: else squares of large values overflow.
    _, exponent = np.frexp(np.abs(centred).max(axis=0))
    centred = np.ldexp(centred, -exponent)
    # What is left of a constant column is rounding, and no direction.
    norm = np.where(upper > lower, np.linalg.norm(centred, axis=0), 0.0)
    return np.divide(centred, norm, out=np.zeros_like(centred), where=norm > 0)
