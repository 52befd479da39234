"""Groups of features as the native library takes them, and the correlations inside of them."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from s2fs._utils.types import Floats, Indices

#: So many features have their correlations taken together: calls cost more than numbers do.
TOGETHER = 32


def list_members(groups: Sequence[Sequence[int]]) -> tuple[Indices, Indices]:
    """All members, group after group, and where each group starts, with the end of the last."""
    members = np.fromiter(chain.from_iterable(groups), np.int64)
    starts = np.zeros(len(groups) + 1, np.int64)
    np.cumsum([len(group) for group in groups], out=starts[1:])
    return members, starts


class GroupCorrelations:
    """The correlations of the members of each group with each other; they are taken once.

    Parameters
    ----------
    correlations : WithinClassCorrelations
        Those of all features.
    """

    def __init__(self, correlations: Any) -> None:
        self._correlations = correlations
        self._known: dict[Sequence[int], Floats] = {}

    def __call__(self, groups: Sequence[Sequence[int]]) -> Floats:
        """Those of some groups, one square behind the other."""
        for some in _take_together([group for group in groups if group not in self._known]):
            members, starts = list_members(some)
            correlations = self._correlations.among(members)
            for group, start in zip(some, starts, strict=False):
                own = slice(start, start + len(group))
                self._known[group] = correlations[own, own].ravel()
        return np.concatenate([self._known[group] for group in groups])


def _take_together(groups: Sequence[Sequence[int]]) -> Iterator[list[Sequence[int]]]:
    some: list[Sequence[int]] = []
    n_members = 0
    for group in groups:
        if some and n_members + len(group) > TOGETHER:
            yield some
            some, n_members = [], 0
        some.append(group)
        n_members += len(group)
    if some:
        yield some
