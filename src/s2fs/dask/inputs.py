"""Dask arrays and data frames as a list of chunks, with the labels and weights of each."""

from typing import Any

import numpy as np
from dask import delayed
from sklearn.utils.validation import _get_feature_names

from s2fs._utils.columns import reject_text_columns
from s2fs._utils.dask_inputs import is_dask
from s2fs._utils.messages import format_count
from s2fs.dask.chunks import count_samples, make_chunk


def check_columns(X: Any) -> tuple[int, Any]:
    """How many features there are, and their names or None, if the columns can be features."""
    if getattr(X, "ndim", 0) != 2:
        raise ValueError(
            f"X is a Dask {type(X).__name__}, ndim={getattr(X, 'ndim', 'unknown')}; give "
            "an array of samples and features, or a data frame."
        )
    if hasattr(X, "columns"):
        reject_text_columns(X._meta)
        return X.shape[1], _get_feature_names(X._meta)
    if X.dtype.kind not in "biufO":
        raise ValueError(f"X has values of type {X.dtype}; give real numbers.")
    return X.shape[1], None


def split_samples(X: Any) -> list[Any]:
    """The chunks of an array or data frame along its samples, not computed yet."""
    if hasattr(X, "rechunk") and X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    return _to_delayed(X)


def get_chunk_sizes(X: Any) -> list[int] | None:
    """How many samples each chunk has, or None if only the chunks can tell."""
    sizes = X.chunks[0] if hasattr(X, "chunks") else (np.nan,)
    return None if np.isnan(sizes).any() else [int(size) for size in sizes]


def split_like(values: Any, name: str, sizes: list[int] | None, chunks: list[Any]) -> list[Any]:
    """Labels or weights, one piece for each of the chunks.

    Parameters
    ----------
    values : dask array or series, or array-like, or None
        One value per sample.
    name : str
        What the values are called in errors.
    sizes : list of int or None
        Samples of each chunk; they must be known for values that are no Dask collection.
    chunks : list of Delayed
        The chunks of X.
    """
    if values is None:
        return [None] * len(chunks)
    if not is_dask(values):
        values = np.asarray(values)
        assert sizes is not None  # for mypy # nosec B101
        if len(values) != sum(sizes):
            raise _make_length_error(name, len(values), sum(sizes))
        return np.split(values, np.cumsum(sizes)[:-1])
    if hasattr(values, "chunks") and sizes is not None and not np.isnan(values.shape[0]):
        if values.shape[0] != sum(sizes):
            raise _make_length_error(name, values.shape[0], sum(sizes))
        values = values.rechunk({0: tuple(sizes), **dict.fromkeys(range(1, values.ndim), -1)})
    pieces = _to_delayed(values)
    if len(pieces) != len(chunks):
        raise ValueError(
            f"{name} has {format_count(len(pieces), 'chunk')} for the {len(chunks)} of X, and "
            "their lengths are not known; chunk both alike, or call compute_chunk_sizes on both."
        )
    return pieces


def make_chunks(chunks: list[Any], labels: list[Any], weights: list[Any]) -> list[Any]:
    """The chunks with their labels and weights, not computed yet."""
    make = delayed(make_chunk, pure=True)
    return [make(*parts) for parts in zip(chunks, labels, weights, strict=True)]


def count_chunk_samples(chunks: list[Any]) -> list[Any]:
    """How many samples each chunk has, not computed yet."""
    return [delayed(count_samples)(chunk) for chunk in chunks]


def _to_delayed(values: Any) -> list[Any]:
    """The chunks of a collection along its samples, not computed yet."""
    # Optimised one by one, a frame and its column of labels may be cut differently: Dask joins
    # partitions that have become small. As they are, they also share the reading of their files.
    return list(np.ravel(values.to_delayed(optimize_graph=hasattr(values, "chunks"))))


def _make_length_error(name: str, length: int, n_samples: int) -> ValueError:
    noun = "label" if name == "y" else "weight"
    return ValueError(
        f"{name} has {format_count(length, noun)} for the {format_count(n_samples, 'sample')} of "
        "X; give one per sample."
    )
