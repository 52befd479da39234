"""One chunk of a table on a worker: numbers, labels, and how much each sample counts."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._native.summary import summarize
from s2fs._utils.labels import check_labels
from s2fs._utils.messages import format_count
from s2fs._utils.types import Floats
from s2fs.criteria.problem import Problem, Scaling
from s2fs.criteria.summary import Summary
from s2fs.criteria.weights import reject_extreme_weights


class Chunk(NamedTuple):
    """Some samples, ready for use: numbers, labels, and how much each counts (None is 1 each)."""

    X: Any
    labels: NDArray[Any]
    sample_weight: Floats | None

    def as_problem(self, classes: NDArray[Any], scaling: Scaling) -> Problem:
        """These samples as part of a larger table with ``classes`` and ``scaling``."""
        codes = np.searchsorted(classes, self.labels)
        return Problem(self.X, codes, sample_weight=self.sample_weight, scaling=scaling)

    def restrict_to(self, is_kept: NDArray[np.bool_]) -> "Chunk":
        """Some of the samples."""
        if is_kept.all():
            return self
        weight = None if self.sample_weight is None else self.sample_weight[is_kept]
        return Chunk(self.X[np.flatnonzero(is_kept)], self.labels[is_kept], weight)


def make_chunk(X: Any, y: Any, sample_weight: Any = None) -> Chunk:
    """One chunk as numbers, without the samples that count nothing."""
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
            f"y has a chunk of shape {labels.shape} for the {format_count(n, 'sample')} of the "
            "same chunk of X; give one label per sample, chunked as X is."
        )
    if labels.dtype.kind == "f":  # of many quantities each would be a class
        check_labels(labels[np.isfinite(labels)])
    if sample_weight is None:
        return Chunk(values, labels, None)
    weights = _check_weights(sample_weight, n)
    return Chunk(values, labels, weights).restrict_to(weights > 0)


def weigh_chunk(chunk: Chunk, factors: tuple[NDArray[Any], Floats]) -> Chunk:
    """The samples with a factor for each class; those of a class with the factor 0 are left out."""
    chunk = align(chunk)
    classes, of_class = align(factors)
    factor = of_class[np.searchsorted(classes, chunk.labels)]
    if (of_class[of_class > 0] == 1).all():
        return chunk.restrict_to(factor > 0)
    weight = factor if chunk.sample_weight is None else chunk.sample_weight * factor
    return chunk._replace(sample_weight=weight).restrict_to(factor > 0)


def summarize_chunk(chunk: Chunk) -> Summary | None:
    """What the samples of one chunk tell; None if it has none."""
    return summarize(*align(chunk)) if len(chunk.labels) else None


def _check_weights(sample_weight: Any, n: int) -> Floats:
    """The weights of the ``n`` samples of a chunk, as a new array."""
    weights = np.array(sample_weight, dtype=np.float64)
    if weights.shape != (n,):
        raise ValueError(
            f"sample_weight has a chunk of shape {weights.shape} for the "
            f"{format_count(n, 'sample')} of the same chunk of X; give one number per sample, "
            "chunked as X is."
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(
            "sample_weight has NaN, infinity or a negative number; give finite weights from 0 up."
        )
    reject_extreme_weights(weights)
    return weights


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


def count_samples(X: Any) -> int:
    """Length of a chunk, dense or sparse."""
    return int(X.shape[0])


def add_up(parts: Sequence[Floats | None]) -> Floats:
    """The sum of some arrays in double precision, taken in their order; None adds nothing."""
    total = np.zeros(())
    for part in parts:
        if part is not None:
            total = total + part
    return total


def align(value: Any) -> Any:
    """The same arrays, in a tuple or alone, where numbers may stand in memory.

    Buffers from a network may be unaligned: these are copied.
    """
    if isinstance(value, np.ndarray):
        return np.require(value, requirements="A")
    if isinstance(value, tuple):
        parts = [align(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if issparse(value):
        data, indices, indptr = (align(part) for part in (value.data, value.indices, value.indptr))
        return type(value)((data, indices, indptr), shape=value.shape)
    return value
