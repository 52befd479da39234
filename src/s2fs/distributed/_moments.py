"""Moments of rows that are on a cluster, chunk by chunk, and how chunks are put together."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._core.pairs import Moments
from s2fs._engine.native_pairs import moments_of
from s2fs._engine.pairs import has_missing, merged, spread_out
from s2fs._util.inputs import encode_classes
from s2fs.distributed._rows import Rows

#: How many neighbours are merged at once.
_AT_ONCE = 8


class Found(NamedTuple):
    """What the rows of some chunks tell: how many, if values are missing, classes, moments."""

    n_rows: int
    missing: bool
    classes: NDArray[Any]
    known: Moments


def chunk_found(rows: Rows) -> Found | None:
    """What the rows of one chunk tell; None if it has none."""
    if not len(rows.labels):
        return None
    classes, codes = encode_classes(rows.labels)
    with np.errstate(all="ignore"):  # infinity is reported by whoever sees the ranges
        known = moments_of(rows.X, codes, len(classes), rows.sample_weight)
    return Found(len(rows.labels), has_missing(rows.X), classes, known)


def together(parts: Sequence[Found | None]) -> Found | None:
    """What some chunks tell together, taken in their order; None if no row is in any."""
    there = [part for part in parts if part is not None]
    if not there:
        return None
    classes, _ = encode_classes(np.concatenate([part.classes for part in there]))
    known = [spread_out(part.known, part.classes, classes) for part in there]
    with np.errstate(all="ignore"):
        total = known[0]
        for more in known[1:]:
            total = merged(total, more)
    n_rows, missing = sum(part.n_rows for part in there), any(part.missing for part in there)
    return Found(n_rows, missing, classes, total)


def tree(parts: list[Any], join: Callable[..., Any], call: Callable[..., Any]) -> Any:
    """Join neighbours, and neighbours of these, until one is left."""
    while True:
        parts = [call(join, parts[i : i + _AT_ONCE]) for i in range(0, len(parts), _AT_ONCE)]
        if len(parts) == 1:
            return parts[0]
