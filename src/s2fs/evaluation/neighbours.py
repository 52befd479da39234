"""Nearest neighbours by all features: what a selection is measured against in every fold.

In a table of 20,000 features this row of a comparison takes longer than all selections together.
Four things make it cheap, and none changes a prediction.

1. Distances are |a|² + |b|² − 2 a·b of scaled columns, some columns at a time: no scaled copy of
   the table is made, and a sparse one becomes dense a few columns at a time.
2. Products are taken in single precision. How far they can be off is known, and only where that
   could change who the five nearest are, the distances of these few are summed again, in double
   precision and feature by feature.
3. Features are scaled by the range they have in the training samples. In most features that is the
   range in all samples, whatever the fold. So the distances in units of the latter are computed
   once, and a fold adds the features whose smallest or largest value it holds out.
4. Of a table with few stored values only these are multiplied, in double precision.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import sgemm, ssyrk
from scipy.sparse import issparse

from s2fs._utils.columns import sort_sparse
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.neighbours import N_NEIGHBORS, vote
from s2fs.criteria.problem import find_range
from s2fs.criteria.separability import EQUAL
from s2fs.evaluation.folds import Fold
from s2fs.evaluation.samples import take_columns

#: Factors and their products, in single or double precision.
Products = NDArray[np.floating[Any]]
#: With fewer features there is nothing to gain.
FEWEST_FEATURES = 64
#: How many columns are scaled at once, and how many of their values at most: 32 MB. Of a power of
#: two, rows would take the same place in the cache.
_COLUMNS, _VALUES = 1000, 1 << 22
#: How many are multiplied at once: sums of more products lose more digits.
_FACTORS = 256
#: A feature keeps the units of all samples if its squared scale grows by no more than this factor:
#: else a value that only held-out samples have would take the digits of all others.
_MOST_GROWTH = 3.0
#: Up to so many pairs of samples their distances are kept: 128 MB.
_MOST_PAIRS = 1 << 24
#: How many distances are compared at once: 64 MB.
_DISTANCES = 1 << 23
#: A product of two stored values takes as long as so many of a dense table: it has to be found.
_SPARSE_COST = 100
#: How many distances are compared at once in a sparse table, which takes more memory for each.
_SPARSE_DISTANCES = 1 << 21
#: How many of the smallest and of the largest values of a feature are remembered.
_N_EXTREMES = 6


class _Units(NamedTuple):
    """How features are scaled: ``(x - middle) * scale`` is from −1/2 to 1/2."""

    middle: Floats
    scale: Floats

    @classmethod
    def of_range(cls, lower: Floats, upper: Floats) -> "_Units":
        """Those that give a range of 1; constant features stay as they are."""
        width = upper - lower
        return cls(lower / 2 + upper / 2, 1 / np.where(width > 0, width, 1.0))


class _Distances(NamedTuple):
    """Squared distances of held-out and training samples, and how far they can be off."""

    values: Floats  # (n_test, n_train)
    errors: Floats  # (n_test, 1)


def predict_by_all_features(values: Any, codes: Indices, folds: Sequence[Fold]) -> list[Indices]:
    """Five nearest neighbours by all features of a table.

    Parameters
    ----------
    values : ndarray or csc_array of shape (n_samples, n_features)
        The table, complete.
    codes : ndarray of shape (n_samples,)
        The class of each sample as 0, 1, …
    folds : sequence of (train, test)
        The samples to learn from, and those that are held out; several folds share what they have
        in common.

    Returns
    -------
    list of ndarray of shape (n_test,)
        The predicted classes of the held-out samples of each fold: those of
        :func:`s2fs.criteria.neighbours.knn` with features scaled to [0, 1] by the training samples.
    """
    n, values = len(codes), sort_sparse(values)
    rows = values.tocsr() if issparse(values) else values
    if len(folds) == 1 or n * n > _MOST_PAIRS or _has_few_products(values):
        return [_predict_one_fold(values, rows, codes, fold) for fold in folds]
    predictions = []
    extremes = _Extremes(values)
    units = _Units.of_range(*extremes.find_range(np.arange(n)))
    everyone = np.arange(n)
    shared = _compute_distances(values, units, everyone, everyone)
    for some_folds in _group_folds(folds):
        own_units = [_Units.of_range(*extremes.find_range(train)) for train, _ in some_folds]
        adjusted = _adjust_to_folds(values, shared, units, some_folds, own_units)
        for fold, own, distances in zip(some_folds, own_units, adjusted, strict=True):
            predictions.append(_predict(rows, codes, fold, own.scale, distances))
    return predictions


def _has_few_products(values: Any) -> bool:
    """Whether so few values are stored that it is quicker to multiply these alone."""
    if not issparse(values):
        return False
    n, m = values.shape
    n_stored = np.diff(values.indptr).astype(np.float64)
    return bool(_SPARSE_COST * (n_stored**2).sum() < float(n) * n * m)


def _predict_one_fold(values: Any, rows: Any, codes: Indices, fold: Fold) -> Indices:
    """The predicted classes of the held-out samples of a fold that shares nothing with others."""
    train, test = fold
    units = _Units.of_range(*_find_range(values, train))
    compute_distances: Callable[[Indices], _Distances]
    if _has_few_products(values):
        stored = _StoredRows(values, units, train)
        compute_distances, most = stored.compute_distances, _SPARSE_DISTANCES
    else:
        compute_distances, most = partial(_compute_distances, values, units, train), _DISTANCES
    step = max(1, most // len(train))
    parts = []
    for start in range(0, len(test), step):
        some = test[start : start + step]
        distances = compute_distances(some)
        parts.append(_predict(rows, codes, (train, some), units.scale, distances))
    return np.concatenate(parts)


class _StoredRows:
    """The rows of a sparse table in given units, of which only stored values are multiplied.

    What is not stored must stay 0, so only features that all samples have stored are centred. The
    others have zeros: where these are far from all other values, few digits are left, as the errors
    tell.
    """

    def __init__(self, values: Any, units: _Units, train: Indices) -> None:
        n_stored = np.diff(values.indptr)
        middle = np.where(n_stored == values.shape[0], units.middle, 0.0)
        data = values.data - np.repeat(middle, n_stored)
        data *= np.repeat(units.scale, n_stored)
        scaled = type(values)((data, values.indices, values.indptr), shape=values.shape)
        self._rows, self._train = scaled.tocsr(), train
        self._train_columns = self._rows[train].T.tocsr()  # else done for every product
        with np.errstate(over="ignore"):
            self._norms = np.asarray(self._rows.power(2).sum(axis=1)).ravel()
        self._most_stored = int(np.diff(self._rows.indptr).max())

    def compute_distances(self, test: Indices) -> _Distances:
        """Squared distances of some samples to the training samples."""
        with np.errstate(over="ignore", invalid="ignore"):  # what has overflowed is looked at again
            dots = (self._rows[test] @ self._train_columns).toarray()
            return _make_distances(
                dots, self._norms, self._most_stored, self._train, test, precision=2.0**-53
            )


def _group_folds(folds: Sequence[Fold]) -> Iterator[Sequence[Fold]]:
    """Groups of folds whose distances fit in memory together."""
    start, n_pairs = 0, 0
    for i, (train, test) in enumerate(folds):
        n_pairs += len(train) * len(test)
        if n_pairs > _MOST_PAIRS and i > start:
            yield folds[start:i]
            start, n_pairs = i, len(train) * len(test)
    yield folds[start:]


def _predict(
    rows: Any, codes: Indices, fold: Fold, scale: Floats, distances: _Distances
) -> Indices:
    """The predicted classes of the held-out samples of a fold.

    The ``rows`` are those of the table, which are looked at where distances may decide wrongly.
    """
    train, test = fold
    n_neighbors = min(N_NEIGHBORS, len(train))
    last = np.partition(distances.values, n_neighbors - 1, axis=1)[:, n_neighbors - 1, None]
    # Not "less": a distance that has overflowed is no number, and may be the nearest.
    is_near = ~(distances.values > last * (1 + 2 * EQUAL) + 2 * distances.errors)
    n_near = is_near.sum(axis=1)
    is_class = np.eye(int(codes.max()) + 1, dtype=np.intp)[codes[train]]
    # Where the five nearest are known for sure, their order does not matter.
    predicted = _count_votes(is_near, is_class).argmax(axis=1)
    for row in np.flatnonzero(n_near > n_neighbors):
        near = np.flatnonzero(is_near[row])
        exact = _compute_exact_distances(rows, train[near], test[row], scale)
        predicted[row] = vote(exact[None], is_class[near], n_neighbors)[0]
    return predicted


def _count_votes(is_near: Any, is_class: Indices) -> Indices:
    """How many of the near samples each class has, for every held-out sample."""
    rows, samples = np.nonzero(is_near)
    votes = np.zeros((len(is_near), is_class.shape[1]), dtype=np.intp)
    np.add.at(votes, rows, is_class[samples])
    return votes


def _compute_distances(values: Any, units: _Units, train: Indices, test: Indices) -> _Distances:
    """Squared distances in given units."""
    dots = np.zeros((len(test), len(train)), dtype=np.float32)
    norms = np.zeros(values.shape[0])
    n_blocks = 0
    with np.errstate(over="ignore", invalid="ignore"):  # what has overflowed is looked at again
        for columns in _column_blocks(values.shape, _FACTORS):
            single = _scale_columns(values, columns, units)
            norms += np.einsum("ij,ij->i", single, single, dtype=np.float64)
            if train is test:  # an array with itself: half the work
                ssyrk(1.0, single.T, beta=1.0, c=dots.T, trans=1, overwrite_c=1)
            else:
                _add_products(dots, single[test], single[train])
            n_blocks += 1
        if train is test:
            dots += np.tril(dots, -1).T
        # Each sum of a block is added to those before: as many terms more that are rounded.
        return _make_distances(dots, norms, _FACTORS + n_blocks, train, test)


def _add_products(dots: Products, test: Products, train: Products) -> None:
    """Add the products of rows, ``test @ train.T``, in the place of ``dots``."""
    # BLAS wants arrays in Fortran order, and copies others.
    (first, turned), (second, is_second_turned) = _in_fortran_order(train), _in_fortran_order(test)
    sgemm(
        1.0, first, second, beta=1.0, c=dots.T, trans_a=turned, trans_b=not is_second_turned,
        overwrite_c=1,
    )  # fmt: skip


def _in_fortran_order(array: Products) -> tuple[Products, bool]:
    """An array or its transpose, whichever has Fortran order; and whether it is the latter."""
    return (array, False) if array.flags.f_contiguous else (array.T, True)


def _adjust_to_folds(
    values: Any, shared: _Distances, units: _Units, folds: Sequence[Fold], own_units: list[_Units]
) -> Iterator[_Distances]:
    """The distances in the units of each fold, from those in the units of all samples.

    A feature whose range is smaller in the training samples counts more there. What it counts
    more is added; only the features that change are looked at.
    """
    growth = np.array([(own.scale / units.scale) ** 2 - 1 for own in own_units])
    # Training samples have no larger range than all; but a constant feature is not scaled.
    is_mild = (growth > 0) & (growth <= _MOST_GROWTH)
    mild = np.where(is_mild, growth, 0.0)
    dots = [np.zeros((len(test), len(train)), dtype=np.float32) for train, test in folds]
    norms = np.zeros((values.shape[0], len(folds)))
    n_blocks = 0
    for columns in _column_blocks(values.shape, _COLUMNS):
        more = mild[:, columns]
        if not more.any():
            continue
        single = _scale_columns(values, columns, units)
        norms += np.square(single, dtype=np.float64) @ more.T
        by_feature = np.ascontiguousarray(single.T)  # to take features is to take rows
        for (train, test), more_of_fold, dots_of_fold in zip(folds, more, dots, strict=True):
            changed = np.flatnonzero(more_of_fold)
            if not len(changed):
                continue
            part = by_feature[changed]
            weighted = np.take(part, test, axis=1)
            weighted *= more_of_fold[changed, None]
            _add_products(dots_of_fold, weighted.T, np.take(part, train, axis=1).T)
        n_blocks += 1
    n_factors = _COLUMNS + n_blocks
    for i, (train, test) in enumerate(folds):
        # Taken from the list, so that the memory is free once the fold is done.
        distances = _make_distances(dots.pop(0), norms[:, i], n_factors, train, test)
        distances.values[:] += shared.values[np.ix_(test, train)]
        errors = distances.errors + shared.errors[test]
        rest = np.flatnonzero((growth[i] != 0) & ~is_mild[i])
        if len(rest):
            errors = errors + _add_features(
                distances.values, values, rest, units.scale, own_units[i], (train, test)
            )
        yield _Distances(distances.values, errors)


def _add_features(
    distances: Floats, values: Any, features: Indices, scale: Floats, own: _Units, fold: Fold
) -> Floats:
    """Add what some features count more in the units of a fold, centred there; return the errors.

    A feature may also count less: one that is constant in the training samples is not scaled.
    """
    train, test = fold
    change = own.scale[features] ** 2 - scale[features] ** 2
    errors = np.zeros((len(test), 1))
    with np.errstate(over="ignore", invalid="ignore"):
        for sign in (1, -1):
            signed = sign * change > 0
            some, weights = features[signed], sign * change[signed]
            for columns in _column_blocks((values.shape[0], len(some)), _FACTORS):
                part = take_columns(values, None, some[columns]) - own.middle[some[columns]]
                part *= np.sqrt(weights[columns])
                single = part.astype(np.float32)
                norms = np.einsum("ij,ij->i", single, single, dtype=np.float64)
                dots = single[test] @ single[train].T
                more = _make_distances(dots, norms, _FACTORS, train, test)
                distances += sign * more.values
                errors += more.errors
    return errors


def _make_distances(
    dots: Products,
    norms: Floats,
    n_factors: int,
    train: Indices,
    test: Indices,
    precision: float = 2.0**-24,
) -> _Distances:
    """|a|² + |b|² − 2 a·b from products in a precision, which were summed ``n_factors`` at once."""
    distances = dots.astype(np.float64, copy=False)
    distances *= -2
    distances += norms[test, None]
    distances += norms[train]
    # 2 |a| |b| ≤ |a|² + |b|²; the factors themselves are rounded, too.
    relative = (n_factors + 8) * precision
    return _Distances(distances, 2 * relative * (norms[test, None] + norms[train].max()))


def _compute_exact_distances(rows: Any, train: Indices, sample: int, scale: Floats) -> Floats:
    """The squared distances of a sample to some training samples, in double precision."""
    own = _make_dense(rows[[sample]])
    step = max(1, _VALUES // len(scale))
    parts = []
    for start in range(0, len(train), step):
        differences = _make_dense(rows[train[start : start + step]]) - own
        differences *= scale
        parts.append(np.einsum("ij,ij->i", differences, differences))
    return np.concatenate(parts)


def _make_dense(part: Any) -> Floats:
    return np.asarray(part.toarray() if issparse(part) else part)


def _column_blocks(shape: tuple[int, int], most: int) -> Iterator[slice]:
    """Ranges of columns that are looked at together, of all samples: they become dense."""
    n, m = shape
    size = min(most, max(1, _VALUES // n))
    for start in range(0, m, size):
        yield slice(start, min(start + size, m))


def _scale_columns(values: Any, columns: slice, units: _Units) -> Any:
    """Some columns in given units, in single precision."""
    part = _make_dense(values[:, columns])
    # Subtract the middle first: avoids cancellation.
    scaled = part - units.middle[columns]
    scaled *= units.scale[columns]
    return scaled.astype(np.float32)


def _find_range(values: Any, samples: Indices) -> tuple[Floats, Floats]:
    """The smallest and the largest value of each feature in some samples."""
    if issparse(values):
        return find_range(values[samples])
    lower, upper = np.empty((2, values.shape[1]))
    for columns in _column_blocks(values.shape, _COLUMNS):
        part = values[samples, columns]
        lower[columns], upper[columns] = part.min(axis=0), part.max(axis=0)
    return lower, upper


class _Extremes:
    """The smallest and the largest values of each feature: the range in any fold follows.

    Parameters
    ----------
    values : ndarray or csc_array of shape (n_samples, n_features)
        The table, complete.
    """

    def __init__(self, values: Any) -> None:
        self._values = values
        n, m = values.shape
        k = min(_N_EXTREMES, n)
        self._lowest, self._highest = np.empty((2, k, m))
        self._of_lowest, self._of_highest = np.empty((2, k, m), dtype=np.intp)
        for columns in _column_blocks(values.shape, _FACTORS):
            part = np.array(_make_dense(values[:, columns]).T, order="C")
            features = np.arange(len(part))
            # One after the other: a partial sort of so few takes longer.
            for ends, samples, find, gone in (
                (self._lowest, self._of_lowest, np.argmin, np.inf),
                (self._highest, self._of_highest, np.argmax, -np.inf),
            ):
                for i in range(k):
                    samples[i, columns] = sample = find(part, axis=1)
                    ends[i, columns] = part[features, sample]
                    part[features, sample] = gone
                part[features, samples[:, columns]] = ends[:, columns]

    def find_range(self, samples: Indices) -> tuple[Floats, Floats]:
        """The smallest and the largest value of each feature in some samples."""
        is_included = np.zeros(self._values.shape[0], dtype=bool)
        is_included[samples] = True
        ends = []
        for values, holders, find_end in (
            (self._lowest, self._of_lowest, np.min),
            (self._highest, self._of_highest, np.max),
        ):
            is_known = is_included[holders]
            end = np.take_along_axis(values, is_known.argmax(axis=0)[None], axis=0)[0]
            others = np.flatnonzero(~is_known.any(axis=0))  # all extremes are held out
            for some in _column_blocks((len(samples), len(others)), _COLUMNS):
                part = take_columns(self._values, samples, others[some])
                end[others[some]] = find_end(part, axis=0)
            ends.append(end)
        return ends[0], ends[1]
