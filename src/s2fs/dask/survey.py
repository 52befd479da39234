"""What workers find out about their samples before a search by S²FS: ranges and class sums."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._native.class_sums import compute_class_sums, find_range
from s2fs._utils.labels import encode_classes
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.problem import compute_squares
from s2fs.dask.chunks import Chunk, add_up, align


class Survey(NamedTuple):
    """What some samples tell; surveys of several chunks are merged.

    Attributes
    ----------
    n_samples : int
        Samples that count.
    lightest, heaviest : float
        The smallest and the largest of their weights.
    classes : ndarray of shape (n_classes,)
        The labels that occur, sorted.
    weight_of_class : ndarray of shape (n_classes,)
        The weight of the samples of each class.
    lower, upper : ndarray of shape (n_features,)
        Range of each feature; not finite where a value is not.
    sums : ndarray of shape (n_classes, n_features)
        Weighted class sums of the differences to ``lower``.
    """

    n_samples: int
    lightest: float
    heaviest: float
    classes: NDArray[Any]
    weight_of_class: Floats
    lower: Floats
    upper: Floats
    sums: Floats


def survey_chunks(chunks: Sequence[Chunk]) -> Survey | None:
    """The survey of the chunks of one shard, in one pass; None if they hold no sample."""
    return merge_surveys([_survey_chunk(chunk) for chunk in chunks if len(chunk.labels)])


def _survey_chunk(chunk: Chunk) -> Survey:
    """The ranges and class sums of one chunk."""
    chunk = align(chunk)
    classes, codes = encode_classes(chunk.labels)
    of_class = np.bincount(codes, chunk.sample_weight, len(classes)).astype(np.float64)
    with np.errstate(all="ignore"):  # what is not finite is reported by whoever sees the ranges
        lower, upper = find_range(chunk.X)
        sums = _sum_classes(chunk, codes, lower, np.zeros((len(classes), len(lower))))
        # A comparison passes over NaN, a sum does not: the ranges must show it.
        lower = np.where(np.isnan(sums).any(axis=0) & np.isfinite(lower), np.nan, lower)
    weight = np.ones(1) if chunk.sample_weight is None else chunk.sample_weight
    ends = float(weight.min()), float(weight.max())
    return Survey(len(chunk.labels), *ends, classes, of_class, lower, upper, sums)


def _sum_classes(chunk: Chunk, codes: Indices, lower: Floats, centre: Floats) -> Floats:
    """Weighted class sums of a chunk, of the differences to ``lower + centre``."""
    # In plain NumPy it takes temporary arrays, and workers of Dask are set to give memory back as
    # soon as it is free: to get it anew for each array takes longer than the sums.
    chunk = align(chunk)
    return compute_class_sums(chunk.X, codes, lower, centre, chunk.sample_weight)


def merge_surveys(surveys: Sequence[Survey | None]) -> Survey | None:
    """One survey of all, taken in their order; None if no sample is in any."""
    parts = [part for part in surveys if part is not None]
    if not parts:
        return None
    classes, _ = encode_classes(np.concatenate([part.classes for part in parts]))
    lower = np.min([part.lower for part in parts], axis=0)
    upper = np.max([part.upper for part in parts], axis=0)
    of_class, sums = np.zeros(len(classes)), np.zeros((len(classes), len(lower)))
    with np.errstate(all="ignore"):
        for part in parts:
            positions = np.searchsorted(classes, part.classes)
            of_class[positions] += part.weight_of_class
            sums[positions] += part.sums + part.weight_of_class[:, None] * (part.lower - lower)
    return Survey(
        sum(part.n_samples for part in parts),
        min(part.lightest for part in parts),
        max(part.heaviest for part in parts),
        classes,
        of_class,
        lower,
        upper,
        sums,
    )


def sum_classes(chunks: Sequence[Chunk], arguments: tuple[NDArray[Any], Floats, Floats]) -> Floats:
    """Class sums over the chunks of one shard, for (classes, lower, centre)."""
    classes, lower, centre = align(arguments)
    parts = [
        _sum_classes(chunk, np.searchsorted(classes, chunk.labels), lower, centre)
        for chunk in chunks
        if len(chunk.labels)
    ]
    return add_up(parts, np.zeros_like(centre))


def sum_squares(chunks: Sequence[Chunk], arguments: tuple[Floats, Floats, Floats]) -> Floats:
    """Sums of squares over the chunks of one shard, for (lower, centre, extent)."""
    parts = [
        compute_squares(chunk.X, *arguments, chunk.sample_weight)
        for chunk in chunks
        if len(chunk.labels)
    ]
    return add_up(parts, np.zeros_like(arguments[0]))
