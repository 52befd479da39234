"""Features whose separation of the classes rests on very few rows.

Two rules, for tables of 50 rows or more; below that every row is 2 % of the table.

1. **Hardly varies.** The values differ from the most common one in fewer than 2 % of the rows.
2. **One row.** The separation of a feature is the mean gap from a class mean to the nearest other
   one, over the mean distance of the rows from the mean of their class. Without the row that is
   farthest from the mean of the feature, less than half of it is left. Features that separate no
   more than 2.5 √(2 p / n) of themselves, which noise does among n rows of p classes, are left out:
   half of nothing is no alarm.

Only the features that were chosen are looked at, so this costs next to nothing.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from s2fs._util.messages import some_of
from s2fs._util.types import Floats, Indices

#: Fewer rows are not looked at, and in more than this one row is not looked for.
FEWEST_ROWS, MOST_ROWS = 50, 100_000
#: How many numbers are taken at once.
BLOCK = 1 << 21
#: Rule 1: the share of rows that differ from the most common value.
RARE = 0.02
#: Rule 2: what is left of the separation without one row, and what noise separates.
LEFT, NOISE = 0.5, 2.5


#: Whether this is a fit inside another one.
_inner: ContextVar[bool] = ContextVar("s2fs_inner_fit", default=False)


class Chosen(NamedTuple):
    """The chosen features and their names."""

    indices: Indices
    names: NDArray[Any]


@contextmanager
def inner_fit() -> Iterator[None]:
    """Inside, a selection is one of many: no warning about the features it has chosen.

    Unlike a filter of warnings it holds for the current thread alone.
    """
    token = _inner.set(True)
    try:
        yield
    finally:
        _inner.reset(token)


def warn_of_fragile(
    X: Any,
    codes: Indices,
    sample_weight: Floats | None,
    chosen: Chosen,
    ways: Sequence[str],
    ways_with_tails: Sequence[str],
) -> None:
    """Warn of chosen features that rest on very few rows, unless this is an inner fit.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        The table the features were chosen from.
    codes, sample_weight : ndarray of shape (n_samples,)
        The classes, as 0, 1, …, and how much each row counts, None for 1 each.
    chosen : Chosen
        The chosen features and their names.
    ways, ways_with_tails : sequence of str
        What the user can do about features that hardly vary, and more about a single row; empty
        ones are left out.
    """
    if _inner.get() or X.shape[0] < FEWEST_ROWS:
        return
    columns, names, k = X[:, chosen.indices], chosen.names, len(chosen.indices)
    columns = columns.toarray() if sparse.issparse(columns) else columns
    found = fragile(columns.astype(np.float64, copy=False), codes, sample_weight)
    if found.rare.any():
        warnings.warn(
            f"{found.rare.sum()} of the {k} selected feature(s) differ from their most "
            f"common value in fewer than {RARE:.0%} of the rows ({some_of(names[found.rare])}), so "
            f"very few rows decide; consider {', '.join(filter(None, ways))}.",
            stacklevel=5,
        )
    if (alone := found.row >= 0).any():
        use = ", ".join(filter(None, [*ways_with_tails, *ways]))
        warnings.warn(
            f"{alone.sum()} of the {k} selected feature(s) owe more than half of how "
            f"they separate the classes to the row with their most extreme value "
            f"({some_of(names[alone])}); consider a logarithm of heavy tails, {use}.",
            stacklevel=5,
        )


class Fragile(NamedTuple):
    """For each feature whether it hardly varies, and the row it depends on, or −1."""

    rare: NDArray[np.bool_]
    row: Indices


def fragile(X: Floats, codes: Indices, sample_weight: Floats | None = None) -> Fragile:
    """Apply both rules to every column.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The columns to look at; NaN is missing.
    codes : ndarray of shape (n_samples,)
        The classes, as 0, 1, ….
    sample_weight : ndarray of shape (n_samples,), optional
        How much each row counts in rule 2.

    Returns
    -------
    Fragile
        What was found; constant columns are not fragile, and one that hardly varies has no row.
    """
    n, k = X.shape
    found = Fragile(np.zeros(k, dtype=bool), np.full(k, -1))
    if n < FEWEST_ROWS or not k:
        return found
    sample = np.sort(X[:: max(1, n // 1000)], axis=0)  # NaN last
    there = np.maximum((~np.isnan(sample)).sum(axis=0), 1)
    common = sample[(there - 1) // 2, np.arange(k)]
    differ = ((common != X) & ~np.isnan(X)).sum(axis=0)
    found.rare[:] = (differ > 0) & (differ < RARE * n)
    look = np.flatnonzero((differ > 0) & ~found.rare)
    if n <= MOST_ROWS:
        step = max(1, BLOCK // n)
        for some in (look[i : i + step] for i in range(0, len(look), step)):
            found.row[some] = _decisive_rows(X[:, some], codes, sample_weight)
    return found


def _decisive_rows(X: Floats, codes: Indices, sample_weight: Floats | None) -> Indices:
    """Rule 2: for each column the row it depends on, or −1."""
    weight = np.where(np.isnan(X), 0.0, 1.0 if sample_weight is None else sample_weight[:, None])
    X = np.where(np.isnan(X), 0.0, X)
    total = np.where(weight.sum(axis=0) > 0, weight.sum(axis=0), 1.0)
    far = np.where(weight > 0, np.abs(X - (weight * X).sum(axis=0) / total), -1.0)
    row, column = far.argmax(axis=0), np.arange(X.shape[1])
    before = _separation(X, codes, weight)
    weight[row, column] = 0.0
    after = _separation(X, codes, weight)
    noise = NOISE * np.sqrt(2 * (codes.max() + 1) / total)
    # Not a number where no class is left beside another: nothing is, without that row.
    return np.where((before > noise) & ~(after >= LEFT * before), row, -1)


def _separation(X: Floats, codes: Indices, weight: Floats) -> Floats:
    """The separation of every column; classes without weight are not there."""
    p = int(codes.max()) + 1
    n = len(codes)
    members = sparse.csr_array((np.ones(n), (codes, np.arange(n))), shape=(p, n))
    counts = members @ weight
    mean = (members @ (weight * X)) / np.where(counts > 0, counts, 1.0)
    inside = (weight * np.abs(X - mean[codes])).sum(axis=0) / weight.sum(axis=0)
    places = np.sort(np.where(counts > 0, mean, np.nan), axis=0)  # classes without rows last
    gaps = np.diff(places, axis=0)
    edge = np.full((1, X.shape[1]), np.nan)
    nearest = np.fmin(np.vstack([edge, gaps]), np.vstack([gaps, edge]))
    n_classes = (counts > 0).sum(axis=0)
    between = np.nansum(nearest, axis=0) / np.maximum(n_classes, 1)
    between = np.where(n_classes > 1, between, np.nan)
    return between / np.maximum(inside, np.finfo(float).tiny)
