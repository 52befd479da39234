"""What a search may choose: features that are in, out, come in groups, or repeat one another."""

import math
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from s2fs._util.inputs import Columns, repeated
from s2fs._util.types import Floats, HowMany, Indices

#: Features that are chosen together; mostly a single one.
Group = tuple[int, ...]


@dataclass(frozen=True)
class Choices:
    """The features a search starts with, and those it may add.

    Attributes
    ----------
    included : tuple of int
        The features that are in from the start, in order.
    singles : ndarray
        The features that may be added one by one, increasing.
    groups : tuple of tuple of int
        The features that may only be added together; by their smallest member.
    twins : callable, optional
        For a feature those that may not be added beside it, because they say almost the same.
        Features of one group may be twins.
    costs : ndarray, optional
        What each feature of the table costs.
    budget : float
        What all that is added may cost.
    """

    included: Group
    singles: Indices
    groups: tuple[Group, ...] = ()
    twins: Callable[[int], Indices] | None = None
    costs: Floats | None = None
    budget: float = math.inf

    @classmethod
    def everything(cls, m: int) -> "Choices":
        """Any of ``m`` features, one by one."""
        return cls((), np.arange(m))

    @property
    def n_features(self) -> int:
        """How many features a search can have chosen at its end."""
        return len(self.included) + len(self.singles) + sum(map(len, self.groups))

    def guarded(self, twins: Callable[[int], Indices]) -> "Choices":
        """The same, but nothing may be added beside one of its twins."""
        return replace(self, twins=twins)._without_twins([self.included])

    def minus(self, taken: Collection[Group]) -> "Choices":
        """What is left to add if the groups ``taken`` are in."""
        left = self.without(taken)._without_twins(taken)
        if self.costs is None:
            return left
        spent = sum(float(self.costs[list(group)].sum()) for group in taken)
        return replace(left, budget=self.budget - spent)

    def without(self, groups: Collection[Group]) -> "Choices":
        """The same except ``groups``, which are not in, either."""
        alone = np.array([group[0] for group in groups if len(group) == 1], dtype=np.intp)
        places = self.singles.searchsorted(alone)
        found = places < len(self.singles)
        places, alone = places[found], alone[found]
        singles = np.delete(self.singles, places[self.singles[places] == alone])
        left = tuple(group for group in self.groups if group not in groups)
        return replace(self, singles=singles, groups=left)

    def _without_twins(self, taken: Iterable[Group]) -> "Choices":
        if self.twins is None or not self:
            return self
        twins = [self.twins(f) for group in taken for f in group]
        out = np.unique(np.concatenate([np.empty(0, dtype=np.intp), *twins]))
        if not len(out):
            return self
        groups = tuple(group for group in self.groups if not np.isin(group, out).any())
        return replace(self, singles=np.setdiff1d(self.singles, out), groups=groups)

    def only(self, groups: Iterable[Group]) -> "Choices":
        """The same start, and nothing to add but ``groups``."""
        chosen = sorted(groups, key=min)
        singles = np.array([group[0] for group in chosen if len(group) == 1], dtype=np.intp)
        return Choices(self.included, singles, tuple(group for group in chosen if len(group) > 1))

    def fitting(self, n_left: int) -> "Choices":
        """What can be added if at most ``n_left`` more features are wanted."""
        if n_left <= 0:
            return replace(self, singles=self.singles[:0], groups=())
        if self.costs is not None:
            self = self._affordable(self.costs)
        if not self.groups:
            return self
        return replace(self, groups=tuple(group for group in self.groups if len(group) <= n_left))

    def _affordable(self, costs: Floats) -> "Choices":
        most = self.budget + 1e-9 * costs.max()  # sums of prices are rounded
        groups = tuple(group for group in self.groups if costs[list(group)].sum() <= most)
        return replace(self, singles=self.singles[costs[self.singles] <= most], groups=groups)

    def priced(self, costs: Any, budget: float | None, m: int) -> "Choices":
        """The same, with what each of ``m`` features costs and what all may cost together."""
        if costs is None or budget is None:
            raise ValueError("costs and budget go together; give both, or none of them.")
        prices = np.asarray(costs, dtype=np.float64)
        if prices.shape != (m,) or not np.isfinite(prices).all() or prices.min() < 0:
            raise ValueError(
                f"costs has the shape {prices.shape}, or something that is no price; give one "
                f"finite number from 0 up for each of the {m} feature(s) of X."
            )
        left = budget - float(prices[list(self.included)].sum())
        found = replace(self, costs=prices, budget=left)
        if left < 0:
            raise ValueError(
                f"budget is {budget:g}, but the included features cost {budget - left:g}; raise it."
            )
        if not self.included and not found.fitting(m):
            raise ValueError(
                f"budget is {budget:g}, which buys no feature: the cheapest costs "
                f"{prices.min():g}; raise it."
            )
        return found

    def __bool__(self) -> bool:
        return len(self.singles) + len(self.groups) > 0


def resolve(
    include: Any, exclude: Any, groups: Any, m: int, names: Sequence[str] | None
) -> Choices:
    """Resolve the constraints of a user on ``m`` features, which may have ``names``.

    A group of which one feature is included is included as a whole; an excluded feature leaves its
    group, as if its column were not there.
    """
    columns = Columns(names, m)
    inside = columns.positions(include, "include")
    outside = set(columns.positions(exclude, "exclude"))
    both = [f for f in inside if f in outside]
    if both:
        raise ValueError(
            f"include and exclude share {columns.shown(both)}; name each feature in one of them."
        )
    if len(outside) == m:
        raise ValueError(f"exclude has all {m} feature(s) of X; leave some to choose from.")
    given = _groups(groups, m, columns)
    together = [tuple(f for f in group if f not in outside) for group in given]
    group_of = {f: group for group in together for f in group}
    included = tuple(dict.fromkeys(g for f in inside for g in (f, *group_of.get(f, ()))))
    taken = {*included, *outside}
    free = sorted(
        (group for group in together if len(group) > 1 and group[0] not in taken), key=min
    )
    single = np.ones(m, dtype=bool)
    single[[*taken, *(f for group in free for f in group)]] = False
    return Choices(included, np.flatnonzero(single), tuple(free))


def n_to_choose(choices: Choices, wanted: Any, m: int) -> int:
    """How many of ``m`` features a search chooses at most; all that it may for ``"auto"``."""
    n_free = choices.n_features
    what = "of X" if n_free == m else "that are not excluded"
    k = n_features_to_choose(n_free if wanted == "auto" else wanted, n_free, what)
    if len(choices.included) > k:
        raise ValueError(
            f"include has {len(choices.included)} feature(s), with their groups, but "
            f"n_features_to_select={wanted} asks for {k}; include fewer or ask for more."
        )
    if not choices.included and not choices.fitting(k):
        raise ValueError(
            f"feature_groups has nothing that fits n_features_to_select={wanted}: the smallest "
            f"group has {min(map(len, choices.groups))} features; ask for as many."
        )
    return k


def _groups(groups: Any, m: int, columns: Columns) -> list[Group]:
    """The groups as positions, from lists of features or from a label per feature."""
    if groups is None:
        return []
    entries: Sequence[Any] = list(groups)
    lists = [hasattr(entry, "__iter__") and not isinstance(entry, str) for entry in entries]
    if all(lists):
        found = [tuple(columns.positions(entry, "feature_groups")) for entry in entries]
    elif not any(lists) and len(entries) == m:
        members_of: dict[Any, list[int]] = {}
        for f, label in enumerate(entries):
            if label is not None:
                members_of.setdefault(label, []).append(f)
        found = list(map(tuple, members_of.values()))
    else:
        raise ValueError(
            f"feature_groups has {len(entries)} entries; give lists of features, or one label "
            f"for each of the {m} feature(s) of X."
        )
    if () in found:
        raise ValueError(
            f"feature_groups has an empty group at position {found.index(())}; drop it."
        )
    members = [f for group in found for f in group]
    if twice := repeated(members):
        raise ValueError(
            f"feature_groups has {columns.shown(twice)} in more than one group; give each "
            "feature one."
        )
    return found


def n_features_to_choose(wanted: HowMany, m: int, what: str = "of X") -> int:
    """Tell how many of ``m`` features a number, a fraction or "all" asks for, at least one."""
    if wanted == "all":
        return m
    if not isinstance(wanted, Integral):
        return max(1, int(wanted * m))
    if wanted > m:
        warnings.warn(
            f"n_features_to_select={wanted} is more than the {m} feature(s) {what}; all of them "
            "are selected.",
            stacklevel=2,
        )
    return min(int(wanted), m)
