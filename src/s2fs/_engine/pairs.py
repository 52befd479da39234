"""Pair cover of many candidates at once.

After one pass over the rows nothing but a table of pairs of classes × features is needed. With
v_ab = exp(−J_ab/8) of the features chosen so far and T = exp(−gap/8) of a candidate, the mean bound
is the mean of min(1, v T) over the pairs.

**Which candidates need a score.** With u = min(1, v), a candidate lowers the sum over pairs by at
most Σ u (1 − T)⁺: the cut at 1 only makes it less.

1. This bound is known for every candidate at the step where it was last computed.
2. From one step to the next u grows by at most the factor r = max(u'/u), and r is 1 or hardly more:
   only the noise of a useless feature makes it larger. So r times the old bound is a bound now.
3. Candidates are scored from the largest bound down, until no bound is left that reaches the best
   score. In the course of a search that is a small part of them.

Bounds are kept relative to the largest u, so nothing underflows however far apart the classes are.
"""

from copy import copy
from functools import reduce
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._core.criterion import EQUAL
from s2fs._core.pairs import (
    LEAST_JOINT,
    Moments,
    cover,
    degrees_of_freedom,
    pair_gaps,
    spread,
    squares_between,
    trusted_correlation,
)
from s2fs._engine.copies import Copies
from s2fs._engine.protocol import Scored, may_be_best
from s2fs._util.messages import some_of
from s2fs._util.types import Floats, Indices

#: So many candidates, those with the largest bounds, are scored first.
FIRST = 32
#: Then as many at once as have this many separations of pairs.
AT_ONCE = 1 << 14
#: Smaller squares of a range would lose the digits of the differences.
_LEAST_SQUARE = 1e-250
#: How many numbers of a table are taken at once.
BLOCK = 1 << 18
#: So many features tell how far the correlations of a table can be trusted.
WITNESSES = 256


def merged(one: Moments, other: Moments) -> Moments:
    """The moments of two sets of rows together."""
    count = one.counts + other.counts
    total = np.where(count > 0, count, 1.0)
    shift = other.mean - one.mean
    return Moments(
        count,
        one.mean + shift * (other.counts / total),
        one.squares + other.squares + (shift**2 * one.counts * other.counts / total).sum(axis=0),
        np.fmin(one.lower, other.lower),
        np.fmax(one.upper, other.upper),
        one.missing | other.missing,
    )


def counted(known: Moments, samples_per_weight: Floats) -> Moments:
    """The moments of weighted rows, with counts of samples in place of sums of weights.

    The weights of the rows decide how much each counts in the variance inside the classes, and
    what is left of them in the counts is how many samples a weight of 1 stands for in each class.
    """
    weights = known.counts if known.missing.any() else known.counts[:, :1]
    counts = weights * samples_per_weight[:, None]
    total = weights.sum(axis=0)
    share = np.divide(counts.sum(axis=0), total, out=np.ones_like(total), where=total > 0)
    return known._replace(
        counts=np.broadcast_to(counts, known.counts.shape), squares=known.squares * share
    )


def spread_out(known: Moments, labels: NDArray[Any], classes: NDArray[Any]) -> Moments:
    """The moments of rows with ``labels`` as those of rows with ``classes``, some of them empty."""
    rows = np.searchsorted(classes, labels)
    counts, mean = np.zeros((2, len(classes), known.mean.shape[1]))
    counts[rows], mean[rows] = known.counts, known.mean
    return known._replace(counts=counts, mean=mean)


def table_moments(
    X: Any, codes: Indices, n_classes: int, sample_weight: Floats | None = None
) -> Moments:
    """The moments of a dense or sparse table, in one pass over its rows."""
    weight = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    with np.errstate(over="ignore", invalid="ignore"):
        if issparse(X):
            return _sparse_moments(X, codes, n_classes, weight)
        step = max(1, BLOCK // X.shape[1])
        parts = (slice(start, start + step) for start in range(0, X.shape[0], step))
        return reduce(
            merged,
            (_block_moments(X[rows], codes[rows], n_classes, weight[rows]) for rows in parts),
        )


def shifted_moments(
    X: Any, codes: Indices, n_classes: int, weight: Floats, offset: Floats
) -> Moments:
    """The moments of a table less an offset of each column, see :func:`common_offset`."""
    if issparse(X):
        return _sparse_moments(without_offsets(X, offset), codes, n_classes, weight)
    step = max(1, BLOCK // X.shape[1])
    parts = (slice(start, start + step) for start in range(0, X.shape[0], step))
    return reduce(
        merged,
        (_block_moments(X[rows] - offset, codes[rows], n_classes, weight[rows]) for rows in parts),
    )


def checked(known: Moments) -> Moments:
    """The same moments, if the values of every feature could be squared without loss."""
    counts = known.counts if known.missing.any() else known.counts[:, :1]
    with np.errstate(over="ignore"):
        extent = known.upper - known.lower
        squares = np.square(extent) * counts.sum(axis=0)
    lost = (extent > 0) & ~((squares > _LEAST_SQUARE) & (squares < np.inf))
    if lost.any():
        raise ValueError(
            f"X has values too far apart, or too near to each other, to be squared in column(s) "
            f"{some_of(np.flatnonzero(lost))}; divide or multiply them by a power of ten."
        )
    return known


def _block_moments(X: NDArray[Any], codes: Indices, n_classes: int, weight: Floats) -> Moments:
    """The moments of a few rows; sums over classes are products with the class indicators."""
    lower, upper = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    indicator = np.zeros((n_classes, len(X)))
    indicator[codes, np.arange(len(X))] = weight
    # Values are taken from the smallest one on: a large offset would eat the digits of the means.
    offset = np.nan_to_num(lower.astype(np.float64))
    values = X - offset
    missing = np.isnan(values) if np.isnan(values.sum()) else None
    if missing is None:
        count = np.broadcast_to(indicator.sum(axis=1)[:, None], (n_classes, X.shape[1]))
    else:
        values[missing] = 0.0
        count = indicator @ ~missing
    mean = (indicator @ values) / np.where(count > 0, count, 1.0)
    values -= mean[codes]
    if missing is not None:
        values[missing] = 0.0
    np.square(values, out=values)
    holes = np.zeros(X.shape[1], dtype=bool) if missing is None else missing.any(axis=0)
    ends = lower.astype(np.float64), upper.astype(np.float64)
    return Moments(count, mean + offset, weight @ values, *ends, holes)


def _sparse_moments(X: Any, codes: Indices, n_classes: int, weight: Floats) -> Moments:
    """The moments of a sparse table in CSC format; only its entries are looked at."""
    total = np.bincount(codes, weight, n_classes).astype(np.float64)[:, None]
    step = max(1, BLOCK * X.shape[1] // max(X.nnz, 1))
    parts = [
        _columns_moments(X[:, start : start + step], codes, total, weight)
        for start in range(0, X.shape[1], step)
    ]
    return Moments(*(np.concatenate(field, axis=-1) for field in zip(*parts, strict=True)))


def _columns_moments(X: Any, codes: Indices, total: Floats, weight: Floats) -> Moments:
    """The moments of a few sparse columns, with the weight of each class in ``total``."""
    (n, m), p = X.shape, len(total)
    column = np.repeat(np.arange(m), np.diff(X.indptr))
    row, data = X.indices, X.data.astype(np.float64)
    missing = np.isnan(data)
    cell = codes[row] * m + column  # class and feature of each entry

    def class_sums(values: Floats) -> Floats:
        return np.bincount(cell, values, p * m).astype(np.float64).reshape(p, m)

    count = total - class_sums(weight[row] * missing)
    there = weight[row] * ~missing
    lower, upper = _sparse_range(column, data, ~missing, n, m)
    offset = common_offset(lower, upper)
    data = np.where(missing, 0.0, data - offset[column])
    mean = class_sums(there * data) / np.where(count > 0, count, 1.0)
    # The weight of what is not stored; it is rounded, and must not make squares negative.
    zeros = np.where(offset == 0, np.maximum(count - class_sums(there), 0.0), 0.0)
    squares = class_sums(there * (data - mean.ravel()[cell]) ** 2) + zeros * mean**2
    holes = np.bincount(column, missing, m) > 0
    return Moments(count, mean + offset, squares.sum(axis=0), lower, upper, holes)


def common_offset(lower: Floats, upper: Floats) -> Floats:
    """What all values of a feature share: the one nearest to 0 where all have one sign, else 0.

    Every value of such a feature is stored in a sparse table, so to subtract it keeps the zeros of
    the others. What is left has all the digits of the differences.
    """
    offset = np.where(lower > 0, lower, np.where(upper < 0, upper, 0.0))
    return np.where(lower <= upper, offset, 0.0)  # a feature without any value has none


def without_offsets(X: Any, offset: Floats) -> Any:
    """A sparse table in CSC format less :func:`common_offset` of its columns."""
    if not offset.any():
        return X
    data = X.data - np.repeat(offset, np.diff(X.indptr))
    return type(X)((data, X.indices, X.indptr), shape=X.shape)


def _sparse_range(
    column: Indices, data: Floats, there: NDArray[np.bool_], n: int, m: int
) -> tuple[Floats, Floats]:
    """The smallest and largest value of each column, zeros that are not stored among them."""
    full = np.bincount(column, minlength=m) == n
    lower, upper = np.where(full, np.inf, 0.0), np.where(full, -np.inf, 0.0)
    np.minimum.at(lower, column[there], data[there])
    np.maximum.at(upper, column[there], data[there])
    return lower, upper


def has_missing(X: Any) -> bool:
    """Whether a dense or sparse table has missing values."""
    values = X.data if issparse(X) else X
    return bool(values.size and np.isnan(values.min()))  # no temporary of the size of X


def missing_columns(X: NDArray[Any]) -> NDArray[np.bool_]:
    """Mask of the columns of a dense table with missing values."""
    return np.isnan(X.min(axis=0))  # one NaN makes it NaN; no temporary of the size of X


class Correlations:
    """Correlations inside the classes of one feature with all others, from the rows.

    The residuals of a feature sum to 0 in every class, so their product with the values of another
    feature is their product with its residuals: no sparse table becomes dense.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        The table.
    codes : ndarray of shape (n_samples,)
        The classes.
    known : Moments
        The moments of the table.
    sample_weight : ndarray of shape (n_samples,), optional
        How much each row counts.
    missing : bool, optional
        Whether the table has missing values. It must be given for a part of a table, whose
        residuals alone do not sum to 0.

    Attributes
    ----------
    unit : ndarray of shape (n_features,)
        What residuals are divided by.
    """

    def __init__(
        self,
        X: Any,
        codes: Indices,
        known: Moments,
        sample_weight: Floats | None = None,
        *,
        missing: bool | None = None,
    ) -> None:
        self.X, self.codes, self.mean = X, codes, known.mean
        self.sample_weight = np.ones(X.shape[0]) if sample_weight is None else sample_weight
        s = spread(known)
        self.unit = np.sqrt(degrees_of_freedom(known)) * np.where(s > 0, s, 1.0)
        self._missing = has_missing(X) if missing is None else missing
        self._stored = X  # what a sparse product is taken of
        if issparse(X):
            self._offset = common_offset(known.lower, known.upper)
            self._stored = without_offsets(X, self._offset)

    def __call__(self, feature: int) -> Floats:
        """The correlations of ``feature`` with every feature, 1 with itself."""
        column = self.X[:, [feature]]
        column = (column.toarray() if issparse(column) else column).ravel().astype(np.float64)
        residual = np.nan_to_num(column - self.mean[self.codes, feature]) * self.sample_weight
        products = self._products(residual) / (self.unit * self.unit[feature])
        products[feature] = 1.0
        return products

    def among(self, features: Indices) -> Floats:
        """The correlations of some features with each other."""
        X = self.X[:, features].tocsr() if issparse(self.X) else self.X
        mean, unit = self.mean[:, features], self.unit[features]
        weight = np.sqrt(self.sample_weight)[:, None]

        def products(rows: slice) -> Floats:
            # ``take`` keeps rows together in memory; an index would not, and all else be slower.
            block = X[rows].toarray() if issparse(X) else np.take(X[rows], features, axis=1)
            block = block - mean[self.codes[rows]]
            if self._missing:
                block = np.nan_to_num(block)
            block *= weight[rows]
            block /= unit
            return np.asarray(block.T @ block)  # of one array with itself: half the work

        step = max(1, BLOCK // max(len(features), 1))
        parts = (products(slice(i, i + step)) for i in range(0, X.shape[0], step))
        return reduce(np.ndarray.__iadd__, parts)

    def _products(self, residual: Floats) -> Floats:
        if issparse(self.X) and not self._missing:
            # The residuals of a class sum to 0 up to rounding, which a mean would make large.
            of_class = np.bincount(self.codes, residual, len(self.mean))
            return self._stored.T @ residual - of_class @ (self.mean - self._offset)
        return residual_products(self.X, self.codes, self.mean, residual)


def residual_products(X: Any, codes: Indices, mean: Floats, residual: Floats) -> Floats:
    """Σ residual (x − mean of its class) of every column; a missing value adds nothing.

    Residuals of both are taken, since a large offset would eat the digits.
    """
    products = np.zeros(X.shape[1])
    step = max(1, BLOCK // X.shape[1])
    for start in range(0, X.shape[0], step):
        rows = slice(start, start + step)
        block = X[rows]
        block = (block.toarray() if issparse(block) else block) - mean[codes[rows]]
        products += residual[rows] @ (np.nan_to_num(block) if np.isnan(block.min()) else block)
    return products


def witnesses(known: Moments) -> Indices:
    """Features of every strength, the same whatever the order of the columns."""
    between = squares_between(known)
    varying = np.flatnonzero(known.varying)
    with np.errstate(divide="ignore"):
        strength = between[varying] / known.squares[varying]
    order = varying[np.argsort(strength, kind="stable")]
    n_witnesses = min(WITNESSES, len(order))
    return order[(2 * np.arange(n_witnesses) + 1) * len(order) // (2 * max(n_witnesses, 1))]


class Cover:
    """Q of a growing subset, empty at first.

    Parameters
    ----------
    known : Moments
        What one pass over the rows tells.
    correlation : float
        ρ: how much the correlation of features inside the classes counts.
    products : callable, optional
        Needed if ρ is above 0: gives for a feature its correlations inside the classes with all
        features.
    copies : Copies, optional
        Tells which features repeat another. Without it every feature is one of its own.
    """

    def __init__(
        self,
        known: Moments,
        correlation: float = 0.0,
        products: Any = None,
        copies: Copies | None = None,
    ) -> None:
        d, noise = pair_gaps(checked(known))
        self.distinct = known.varying
        self._copies = copies
        self.correlation = correlation
        self._products = products
        self._gap = np.ascontiguousarray((d**2 - noise).T)  # feature × pair
        self._J = np.zeros(len(d))
        #: The separation of every pair after each feature that joined.
        self.separations: tuple[Floats, ...] = ()
        if correlation:
            self._d = np.ascontiguousarray(d.T)
            self._alone, self._joint = np.zeros(len(d)), np.zeros(len(d))
            self._cross = np.zeros_like(self._d)  # Σ over chosen g of d(g) W(g, f)
        else:
            self._bound = self._reductions(np.arange(len(self._gap)))

    def shortlist(self, candidates: Indices, n_best: int = 1) -> Indices:
        """The candidates that may have one of the ``n_best`` largest scores, increasing."""
        if self.correlation or n_best > 1:
            known = self.score(candidates).scores
            return candidates[may_be_best(known, known, n_best)]
        bound = self._bound[candidates]  # step 3
        some = np.arange(len(candidates))
        if len(some) > FIRST:
            some = np.argpartition(bound, -FIRST)[-FIRST:]
        tried = np.zeros(len(candidates), dtype=bool)
        found, scores, new_bound = [], [], self._bound.copy()
        reached, at_once = -np.inf, max(FIRST, AT_ONCE // len(self._J))
        while len(some):
            tried[some] = True
            found.append(candidates[some])
            scores.append(self.score(found[-1]).scores)
            new_bound[found[-1]] = self._reductions(found[-1])
            reached = max(reached, scores[-1].max())
            some = np.flatnonzero((bound >= self._needed(reached * (1 - EQUAL))) & ~tried)
            if len(some) > at_once:
                some = some[np.argpartition(bound[some], -at_once)[-at_once:]]
        self._bound = new_bound
        reaches = may_be_best(np.concatenate(scores), np.concatenate(scores))
        return np.sort(np.concatenate(found)[reaches])

    def score(self, candidates: Indices) -> Scored:
        """Q, and the separation of the closest pair, of the subset joined by each candidate."""
        separation = self._separation(candidates)
        return Scored(cover(separation), separation.min(axis=0)[None])

    def add(self, feature: int) -> None:
        """Let ``feature`` join the subset."""
        self._pass_over_copies(feature)
        before = np.maximum(self._J, 0.0)
        self.separations += (self._separation(np.array([feature]))[:, 0],)
        self._J = self._J + self._gap[feature]
        if self.correlation:
            d = self._d[feature]
            self._alone = self._alone + d**2
            self._joint = self._joint + 2 * d * self._cross[feature] + d**2
            self._cross = self._cross + np.outer(self._products(feature), d)
        else:
            after = np.maximum(self._J, 0.0)
            grown = (before - after).max() - (before.min() - after.min())  # step 2
            # No candidate takes away more than all there is, one for each pair.
            bound = self._bound * np.exp(min(grown / 8, 700.0))
            self._bound = np.minimum(bound, len(self._J))

    def copy(self) -> "Cover":
        """An independent criterion of the same subset."""
        return copy(self)  # :meth:`add` makes new arrays, so these can be shared

    def _pass_over_copies(self, feature: int) -> None:
        """Let copies of a feature that joins wait as constant features do."""
        if self._copies is not None:
            copies = self._copies.of(feature)
            if len(copies):
                self._wait(copies)

    def _wait(self, features: Indices) -> None:
        """Let candidates wait until no other is left."""
        self.distinct = self.distinct.copy()  # criteria that are copies of this one share it
        self.distinct[features] = False

    def _separation(self, candidates: Indices) -> Floats:
        """The separation of every pair for the subset joined by each candidate."""
        J = np.maximum(self._J + self._gap[candidates], 0.0).T
        if not self.correlation:
            return J
        d = self._d[candidates]
        alone = (self._alone + d**2).T
        joint = (self._joint + 2 * d * self._cross[candidates] + d**2).T
        joint = np.maximum(joint, LEAST_JOINT * alone)
        along = self.correlation * joint + (1 - self.correlation) * alone
        return np.divide(J**2, along, out=np.zeros_like(J), where=along > 0)

    def _reductions(self, candidates: Indices) -> Floats:
        """Step 1: how much each candidate lowers the sum of u at most, in units of the largest."""
        J = np.maximum(self._J, 0.0)
        u = np.exp((J.min() - J) / 8)
        return -np.expm1(-np.maximum(self._gap[candidates], 0.0) / 8) @ u

    def _needed(self, score: float) -> float:
        """The least bound with which a candidate may have this score."""
        J = np.maximum(self._J, 0.0)
        total = np.exp((J.min() - J) / 8).sum()
        left = len(J) * np.exp(J.min() / 8 - score)
        return float(total * (1 - EQUAL) - left * (1 + EQUAL))


def correlation_for(known: Moments, correlation: float | Literal["auto"], products: Any) -> float:
    """ρ of a table; "auto" is as much correlation as can be trusted."""
    if correlation != "auto":
        return correlation
    some = witnesses(known)
    return trusted_correlation(products.among(some), degrees_of_freedom(known)[some])
