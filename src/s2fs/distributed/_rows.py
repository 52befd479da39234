"""What workers find out about their rows before the search: ranges, classes and class sums."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._core.problem import Problem, Scaling, value_range
from s2fs._core.weights import reject_extreme_weights, times_class_weight
from s2fs._engine.native import class_sums
from s2fs._util.inputs import encode_classes
from s2fs._util.types import Floats, Indices

#: Some rows of a table as numbers, and how much each counts (None is 1 each).
Piece = tuple[Any, Floats | None]


class Rows(NamedTuple):
    """One chunk, ready for use: numbers, labels, and how much each row counts (None is 1 each)."""

    X: Any
    labels: NDArray[Any]
    sample_weight: Floats | None

    def problem(self, classes: NDArray[Any], scaling: Scaling) -> Problem:
        """These rows as part of a larger table with ``classes`` and ``scaling``."""
        codes = np.searchsorted(classes, self.labels)
        return Problem(self.X, codes, sample_weight=self.sample_weight, scaling=scaling)

    @property
    def pieces(self) -> list[Piece]:
        """The numbers and weights, if there are rows."""
        return [(self.X, self.sample_weight)] if len(self.labels) else []


class Survey(NamedTuple):
    """What some rows have in common with others once it is merged.

    Attributes
    ----------
    n_rows : int
        Rows that count.
    lightest, heaviest : float
        The smallest and the largest of their weights.
    classes : ndarray of shape (n_classes,)
        The labels that occur, sorted.
    weight_of_class : ndarray of shape (n_classes,)
        The weight of the rows of each class.
    lower, upper : ndarray of shape (n_features,)
        Range of each feature; not finite where a value is not.
    sums : ndarray of shape (n_classes, n_features)
        Weighted class sums of the differences to ``lower``.
    """

    n_rows: int
    lightest: float
    heaviest: float
    classes: NDArray[Any]
    weight_of_class: Floats
    lower: Floats
    upper: Floats
    sums: Floats


def ready_rows(X: Any, y: Any, sample_weight: Any, class_weight: Mapping[Any, float]) -> Rows:
    """One chunk as numbers, without the rows that count nothing."""
    try:
        values, labels = _as_matrix(X), np.asarray(y)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"X has a chunk of values that are not numbers ({error}); drop or encode them."
        ) from None
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    n = values.shape[0]
    if labels.shape != (n,):
        raise ValueError(
            f"y has a chunk of shape {labels.shape} for the {n} row(s) of the same chunk of X; "
            "give one label per row, chunked as X is."
        )
    if sample_weight is None and not class_weight:
        return Rows(values, labels, None)
    row_weight = chunk_weight(sample_weight, n)
    factor = np.ones(n)
    for label, weight in class_weight.items():
        factor[labels == label] = weight
    row_weight = times_class_weight(row_weight, factor)
    counts = row_weight > 0
    if counts.all():
        return Rows(values, labels, row_weight)
    return Rows(values[np.flatnonzero(counts)], labels[counts], row_weight[counts])


def chunk_weight(sample_weight: Any, n: int) -> Floats:
    """The weights of the ``n`` rows of a chunk, as a new array."""
    if sample_weight is None:
        return np.ones(n)
    mass = np.array(sample_weight, dtype=np.float64)
    if mass.shape != (n,):
        raise ValueError(
            f"sample_weight has a chunk of shape {mass.shape} for the {n} row(s) of the same chunk "
            "of X; give one number per row, chunked as X is."
        )
    if not np.isfinite(mass).all() or (mass < 0).any():
        raise ValueError(
            "sample_weight has NaN, infinity or a negative number; give finite weights from 0 up."
        )
    reject_extreme_weights(mass)
    return mass


def _as_matrix(X: Any) -> Any:
    """Floating-point numbers in an array, or in a sparse array with quick columns."""
    if issparse(X):
        values = X.tocsc()
        if not values.has_canonical_format:  # entries that are stored twice are summed, in a copy
            values = values.copy() if values is X else values
            values.sum_duplicates()
    else:
        values = X.to_numpy() if hasattr(X, "to_numpy") else np.asarray(X)
        if values.dtype == object:  # columns with a marker of their own for what is missing
            values = X.to_numpy(dtype=np.float64, na_value=np.nan)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    return values if issparse(values) else np.ascontiguousarray(values)


def n_rows(X: Any) -> int:
    """Length of a chunk, dense or sparse."""
    return int(X.shape[0])


def label_weight(y: Any, sample_weight: Any) -> dict[Any, float]:
    """Weight of each label in a chunk."""
    labels = np.asarray(y).ravel()
    classes, codes = encode_classes(labels)
    mass = np.bincount(codes, chunk_weight(sample_weight, len(labels)), len(classes))
    return dict(zip(classes.tolist(), mass.tolist(), strict=True))


def survey(chunks: Sequence[Rows]) -> Survey | None:
    """The survey of the chunks of one shard, in one pass; None if none has rows."""
    return merge([_surveyed(rows) for rows in chunks if len(rows.labels)])


def _surveyed(rows: Rows) -> Survey:
    """The ranges and class sums of one chunk."""
    classes, codes = encode_classes(rows.labels)
    of_class = np.bincount(codes, rows.sample_weight, len(classes)).astype(np.float64)
    with np.errstate(all="ignore"):  # what is not finite is reported by whoever sees the ranges
        lower, upper = value_range(rows.X)
        sums = _sums(rows, codes, lower, np.zeros((len(classes), len(lower))))
    weight = np.ones(1) if rows.sample_weight is None else rows.sample_weight
    ends = float(weight.min()), float(weight.max())
    return Survey(len(rows.labels), *ends, classes, of_class, lower, upper, sums)


def _sums(rows: Rows, codes: Indices, lower: Floats, centre: Floats) -> Floats:
    """Weighted class sums of a chunk, of the differences to ``lower + centre``."""
    # In plain NumPy it takes temporary arrays, and workers of Dask are set to give memory back as
    # soon as it is free: to get it anew for each array takes longer than the sums.
    return class_sums(rows.X, codes, lower, centre, rows.sample_weight)


def merge(surveys: Sequence[Survey | None]) -> Survey | None:
    """One survey of all, taken in their order; None if no row is in any."""
    parts = [part for part in surveys if part is not None]
    if not parts:
        return None
    classes, _ = encode_classes(np.concatenate([part.classes for part in parts]))
    lower = np.min([part.lower for part in parts], axis=0)
    upper = np.max([part.upper for part in parts], axis=0)
    of_class, sums = np.zeros(len(classes)), np.zeros((len(classes), len(lower)))
    with np.errstate(all="ignore"):
        for part in parts:
            here = np.searchsorted(classes, part.classes)
            of_class[here] += part.weight_of_class
            sums[here] += part.sums + part.weight_of_class[:, None] * (part.lower - lower)
    return Survey(
        sum(part.n_rows for part in parts),
        min(part.lightest for part in parts),
        max(part.heaviest for part in parts),
        classes,
        of_class,
        lower,
        upper,
        sums,
    )


def shard_sums(chunks: Sequence[Rows], asked: tuple[NDArray[Any], Floats, Floats]) -> Floats:
    """Class sums over the chunks of one shard, for (classes, lower, centre)."""
    classes, lower, centre = asked
    return add_up(
        [
            _sums(rows, np.searchsorted(classes, rows.labels), lower, centre)
            for rows in chunks
            if len(rows.labels)
        ],
        np.zeros_like(centre),
    )


def add_up(parts: Sequence[Floats], start: Floats | float = 0.0) -> Floats:
    """The sum of some arrays in double precision, taken in their order."""
    total = np.array(start, dtype=np.float64)
    for part in parts:
        total = total + part
    return total
