"""Moments of rows that are on a cluster, chunk by chunk, and how chunks are put together."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._core.pairs import Moments
from s2fs._engine.native_pairs import moments_of
from s2fs._engine.pairs import merged, spread_out
from s2fs._util.inputs import encode_classes
from s2fs._util.types import Floats
from s2fs.distributed._rows import Rows

#: How many neighbours are merged at once.
_AT_ONCE = 8


class Found(NamedTuple):
    """What the rows of some chunks tell.

    Attributes
    ----------
    n_rows : int
        Rows that count.
    lightest, heaviest : float
        The smallest and the largest of their weights.
    classes : ndarray of shape (n_classes,)
        The labels that occur, sorted.
    weight_of_class : ndarray of shape (n_classes,)
        The weight of the rows of each class, without the factors of the classes.
    known : Moments
        By the weights of the rows times the factors of their classes.
    """

    n_rows: int
    lightest: float
    heaviest: float
    classes: NDArray[Any]
    weight_of_class: Floats
    known: Moments


def chunk_found(rows: Rows, factors: Mapping[Any, float] | None = None) -> Found | None:
    """What the rows of one chunk tell; None if it has none.

    The ``factors`` are what the weights of the rows of a class are multiplied by.
    """
    if not len(rows.labels):
        return None
    classes, codes = encode_classes(rows.labels)
    weight = np.ones(len(codes)) if rows.sample_weight is None else rows.sample_weight
    of_class = np.bincount(codes, weight, len(classes)).astype(np.float64)
    ends = float(weight.min()), float(weight.max())
    if factors:
        weight = weight * factors_of(factors, classes)[codes]
    with np.errstate(all="ignore"):  # infinity is reported by whoever sees the ranges
        known = moments_of(rows.X, codes, len(classes), weight)
    return Found(len(rows.labels), *ends, classes, of_class, known)


def factors_of(factors: Mapping[Any, float], classes: NDArray[Any]) -> Floats:
    """The factor of each class; classes that are not named have 1."""
    return np.array([factors.get(label, 1.0) for label in classes.tolist()])


def together(parts: Sequence[Found | None]) -> Found | None:
    """What some chunks tell together, taken in their order; None if no row is in any."""
    there = [part for part in parts if part is not None]
    if not there:
        return None
    classes, _ = encode_classes(np.concatenate([part.classes for part in there]))
    of_class = np.zeros(len(classes))
    for part in there:
        of_class[np.searchsorted(classes, part.classes)] += part.weight_of_class
    known = [spread_out(part.known, part.classes, classes) for part in there]
    with np.errstate(all="ignore"):
        total = known[0]
        for more in known[1:]:
            total = merged(total, more)
    return Found(
        sum(part.n_rows for part in there),
        min(part.lightest for part in there),
        max(part.heaviest for part in there),
        classes,
        of_class,
        total,
    )


def tree(parts: list[Any], join: Callable[..., Any], call: Callable[..., Any]) -> Any:
    """Join neighbours, and neighbours of these, until one is left."""
    while True:
        parts = [call(join, parts[i : i + _AT_ONCE]) for i in range(0, len(parts), _AT_ONCE)]
        if len(parts) == 1:
            return parts[0]
