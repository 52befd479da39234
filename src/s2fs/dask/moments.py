"""Moments of samples that are on a cluster, chunk by chunk, and how they are merged."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._native.class_moments import compute_class_moments
from s2fs._utils.labels import encode_classes
from s2fs._utils.types import Floats
from s2fs.criteria import class_moments
from s2fs.criteria.class_moments import ClassMoments, expand_classes
from s2fs.dask.chunks import Chunk, align


class ChunkMoments(NamedTuple):
    """What the samples of some chunks tell.

    Attributes
    ----------
    n_samples : int
        Samples that count.
    lightest, heaviest : float
        The smallest and the largest of their weights.
    classes : ndarray of shape (n_classes,)
        The labels that occur, sorted.
    weight_of_class : ndarray of shape (n_classes,)
        The weight of the samples of each class, without the factors of the classes.
    moments : ClassMoments
        By the weights of the samples times the factors of their classes.
    """

    n_samples: int
    lightest: float
    heaviest: float
    classes: NDArray[Any]
    weight_of_class: Floats
    moments: ClassMoments


def compute_moments(
    chunk: Chunk, factors: Mapping[Any, float] | None = None
) -> ChunkMoments | None:
    """What the samples of one chunk tell; None if it has none.

    The ``factors`` are what the weights of the samples of a class are multiplied by.
    """
    if not len(chunk.labels):
        return None
    chunk = align(chunk)
    classes, codes = encode_classes(chunk.labels)
    weight = np.ones(len(codes)) if chunk.sample_weight is None else chunk.sample_weight
    of_class = np.bincount(codes, weight, len(classes)).astype(np.float64)
    ends = float(weight.min()), float(weight.max())
    if factors:
        weight = weight * get_factors(factors, classes)[codes]
    with np.errstate(all="ignore"):  # infinity is reported by whoever sees the ranges
        moments = compute_class_moments(chunk.X, codes, len(classes), weight)
    return ChunkMoments(len(chunk.labels), *ends, classes, of_class, moments)


def get_factors(factors: Mapping[Any, float], classes: NDArray[Any]) -> Floats:
    """The factor of each class; classes that are not named have 1."""
    return np.array([factors.get(label, 1.0) for label in classes.tolist()])


def merge_moments(parts: Sequence[ChunkMoments | None]) -> ChunkMoments | None:
    """What some chunks tell together, taken in their order; None if no sample is in any."""
    filled = [part for part in parts if part is not None]
    if not filled:
        return None
    classes, _ = encode_classes(np.concatenate([part.classes for part in filled]))
    of_class = np.zeros(len(classes))
    for part in filled:
        of_class[np.searchsorted(classes, part.classes)] += part.weight_of_class
    aligned = [expand_classes(part.moments, part.classes, classes) for part in filled]
    with np.errstate(all="ignore"):
        total = aligned[0]
        for more in aligned[1:]:
            total = class_moments.merge_moments(total, more)
    return ChunkMoments(
        sum(part.n_samples for part in filled),
        min(part.lightest for part in filled),
        max(part.heaviest for part in filled),
        classes,
        of_class,
        total,
    )
