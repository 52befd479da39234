"""What a search may select: features that are in, out, come in groups or repeat others."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.arguments import Argument, ArgumentError
from s2fs._utils.columns import Columns, find_repeated
from s2fs._utils.features import Features
from s2fs._utils.messages import format_count, format_names
from s2fs._utils.types import Floats, HowMany, Indices
from s2fs._utils.warn import warn_user

_MIN_PER_CLASS = Argument("min_per_class", bare=True)
_N_FEATURES = Argument("n_features_to_select", bare=True)

#: The columns of one feature; mostly a single one.
Group = tuple[int, ...]
#: The class of a feature that tells no classes apart.
NO_CLASS = -1
#: Class means of a constant feature may differ by this share of their size.
ROUNDING = 1e-13


@dataclass(frozen=True)
class ClassQuota:
    """How many more features each class needs, and which class a feature serves.

    Attributes
    ----------
    served_class : ndarray of shape (n_columns,)
        The class that the feature of each column serves, see :func:`find_served_classes`, or
        ``NO_CLASS``.
    missing : ndarray of shape (n_classes,)
        How many features each class still needs.
    """

    served_class: Indices
    missing: Indices

    def after_adding(self, groups: Iterable[Group]) -> "ClassQuota":
        """What is still needed once these features are selected."""
        missing = self.missing.copy()
        for served in self.served_class[[group[0] for group in groups]]:
            if served != NO_CLASS:
                missing[served] = max(missing[served] - 1, 0)
        return replace(self, missing=missing)

    @property
    def is_needed(self) -> NDArray[np.bool_]:
        """For each column whether its feature serves a class which needs more."""
        is_missing = np.append(self.missing > 0, False)  # the last entry is NO_CLASS
        return np.asarray(is_missing[self.served_class])


@dataclass(frozen=True)
class Constraints:
    """The features a search starts with, and those it may add.

    Attributes
    ----------
    included : tuple of tuple of int
        The features that are in from the start, in order.
    singles : ndarray
        The features of one column that may be added, increasing.
    groups : tuple of tuple of int
        Those of several columns, which are added together and are one feature; by their smallest
        column.
    correlated_with : callable, optional
        For a feature those that may not be added beside it, because they say almost the same.
        Features of one group may be correlated.
    quota : ClassQuota, optional
        What each class needs.
    """

    included: tuple[Group, ...]
    singles: Indices
    groups: tuple[Group, ...] = ()
    correlated_with: Callable[[int], Indices] | None = None
    quota: ClassQuota | None = None

    @classmethod
    def unconstrained(cls, m: int) -> "Constraints":
        """Any of ``m`` features, one by one."""
        return cls((), np.arange(m))

    @property
    def n_features(self) -> int:
        """How many features a search can have selected at its end."""
        return len(self.included) + self.n_free

    def count_columns(self, k: int) -> int:
        """How many columns ``k`` of the features can have at most."""
        n_left = min(k, self.n_features) - len(self.included)
        sizes = sorted(map(len, self.groups), reverse=True)[:n_left]
        return sum(map(len, self.included)) + sum(sizes) + n_left - len(sizes)

    @property
    def n_free(self) -> int:
        """How many features may be added."""
        return len(self.singles) + len(self.groups)

    @property
    def only_limits_candidates(self) -> bool:
        """Whether what may be added next does not depend on what was added before."""
        return not self.groups and self.correlated_with is None and self.quota is None

    def limit_correlation(self, correlated_with: Callable[[int], Indices]) -> "Constraints":
        """The same, but nothing may be added beside a feature it correlates with."""
        limited = replace(self, correlated_with=correlated_with)
        return limited._without_correlated(self.included)

    def with_quota(
        self, min_per_class: int, served_class: Indices, class_names: Sequence[Any], k: int
    ) -> "Constraints":
        """The same, but ``min_per_class`` of ``k`` features serve each class."""
        missing = np.full(len(class_names), min_per_class)
        quota = ClassQuota(served_class, missing).after_adding(self.included)
        n_needed = int(quota.missing.sum())
        n_free = k - len(self.included)
        if n_needed > n_free:
            raise ArgumentError(
                Argument("min_per_class", min_per_class, bare=True),
                f" needs {format_count(n_needed, 'more feature')} for {len(class_names)} classes, "
                "but ",
                _N_FEATURES,
                f" leaves {n_free}; ask for more features, or for fewer per class.",
            )
        first = [*self.singles.tolist(), *(group[0] for group in self.groups)]
        served = served_class[first]
        n_serving = np.bincount(served[served != NO_CLASS], minlength=len(class_names))
        for name, needed, available in zip(class_names, quota.missing, n_serving, strict=True):
            if available < needed:
                raise ArgumentError(
                    Argument("min_per_class", min_per_class, bare=True),
                    f", but only {format_count(available, 'feature')} "
                    f"serve class {format_names([name])} best; ask for fewer per class.",
                )
        return replace(self, quota=quota)

    def after_adding(self, added: Collection[Group]) -> "Constraints":
        """What is left to add once the groups ``added`` are selected."""
        left = self.without(added)._without_correlated(added)
        if self.quota is not None:
            left = replace(left, quota=self.quota.after_adding(added))
        return left

    def without(self, groups: Collection[Group]) -> "Constraints":
        """The same except ``groups``, which are not selected, either."""
        removed = [group[0] for group in groups if len(group) == 1]
        singles = self.singles[~np.isin(self.singles, removed, kind="sort")]
        left = tuple(group for group in self.groups if group not in groups)
        return replace(self, singles=singles, groups=left)

    def that_fit(self, n_left: int) -> "Constraints":
        """What can be added next if ``n_left`` more features are wanted."""
        if n_left <= 0:
            return replace(self, singles=self.singles[:0], groups=())
        if self.quota is None or n_left > self.quota.missing.sum():
            return self
        # Every feature that is still wanted must serve a class that needs one.
        is_needed = self.quota.is_needed
        groups = tuple(group for group in self.groups if is_needed[group[0]])
        return replace(self, singles=self.singles[is_needed[self.singles]], groups=groups)

    def __bool__(self) -> bool:
        return self.n_free > 0

    def _without_correlated(self, added: Iterable[Group]) -> "Constraints":
        if self.correlated_with is None or not self:
            return self
        correlated = [self.correlated_with(f) for group in added for f in group]
        removed = np.unique(np.concatenate([np.empty(0, dtype=np.intp), *correlated]))
        if not len(removed):
            return self
        out = set(removed.tolist())
        groups = tuple(group for group in self.groups if out.isdisjoint(group))
        return replace(self, singles=np.setdiff1d(self.singles, removed), groups=groups)


def resolve_constraints(
    include: Any, exclude: Any, feature_groups: Any, m: int, names: Sequence[str] | None
) -> Constraints:
    """Resolve what a user asks of ``m`` features, which may have ``names``.

    A group of which one feature is included is included as a whole; an excluded feature leaves its
    group, as if its column were not there.
    """
    columns = Columns(names, m)
    included = columns.positions(include, "include")
    excluded = set(columns.positions(exclude, "exclude"))
    in_both = [f for f in included if f in excluded]
    if in_both:
        raise ArgumentError(
            Argument("include", bare=True),
            " and ",
            Argument("exclude", bare=True),
            f" share {columns.shown(in_both)}; name each feature in one of them.",
        )
    if len(excluded) == m:
        raise ArgumentError(
            Argument("exclude", bare=True),
            f" has all {format_count(m, 'feature')} of X; leave some to choose from.",
        )
    group_of: dict[int, Group] = {}
    for group in resolve_groups(feature_groups, m, columns):
        left = tuple(f for f in group if f not in excluded)
        group_of.update(dict.fromkeys(left, left))
    start: dict[int, Group] = {}  # by a column; the included one goes before others of its group
    for f in included:
        if f not in start:
            group = group_of.get(f, (f,))
            start.update(dict.fromkeys(group, (f, *(other for other in group if other != f))))
    groups = {group for group in group_of.values() if len(group) > 1 and group[0] not in start}
    is_single = np.ones(m, dtype=bool)
    is_single[[*start, *excluded, *(f for group in groups for f in group)]] = False
    return Constraints(
        tuple(dict.fromkeys(start.values())),
        np.flatnonzero(is_single),
        tuple(sorted(groups, key=min)),
    )


def find_features(feature_groups: Any, m: int, names: Any) -> Features:
    """Which of ``m`` columns, which may have ``names``, are one feature by a parameter."""
    return Features(m, resolve_groups(feature_groups, m, Columns(names, m)))


def count_to_select(constraints: Constraints, wanted: Any, m: int) -> int:
    """How many of ``m`` features a search selects at most; all that it may for ``"auto"``."""
    n_allowed = constraints.n_features
    what = "of X" if constraints.count_columns(n_allowed) == m else "that are not excluded"
    k = resolve_n_features(n_allowed if wanted == "auto" else wanted, n_allowed, what)
    if len(constraints.included) > k:
        raise ArgumentError(
            Argument("include", bare=True),
            f" has {format_count(len(constraints.included), 'feature')}, but ",
            _N_FEATURES,
            f"={wanted} asks for {k}; include fewer or ask for more.",
        )
    return k


def resolve_n_features(wanted: HowMany, m: int, what: str = "of X") -> int:
    """How many of ``m`` features a number, a fraction or "all" asks for, at least one."""
    if wanted == "all":
        return m
    if not isinstance(wanted, Integral):
        return max(1, int(wanted * m))
    if wanted > m:
        warn_user(
            f"n_features_to_select={wanted} is more than the {format_count(m, 'feature')} {what}; "
            "all of them are selected.",
        )
    return min(int(wanted), m)


def find_served_classes(class_means: Floats, groups: Iterable[Group] = ()) -> Indices:
    """For each column the class that its feature serves: the one it tells best from all others.

    That is the class whose mean is farthest from the mean of the other class means, above or below.
    A constant feature serves none. Of two classes either is as far from the other: a feature serves
    the one in which it is higher. One of several columns serves the class of the column in which
    that is farthest.

    Parameters
    ----------
    class_means : ndarray of shape (n_classes, n_columns)
        The mean of every column in every class; NaN where a class has no value.
    groups : iterable of tuple of int
        The columns of each feature that has several.
    """
    n_classes = len(class_means)
    known = ~np.isnan(class_means)
    means = np.where(known, class_means, 0.0)
    n_others = np.maximum(known.sum(axis=0) - known, 1)
    mean_of_others = (means.sum(axis=0) - means) / n_others
    difference = np.where(known, means - mean_of_others, 0.0)
    distance = difference if n_classes == 2 else np.abs(difference)
    differs = distance.max(axis=0) > ROUNDING * np.abs(means).max(axis=0)
    served = np.where(differs, distance.argmax(axis=0), NO_CLASS)
    farthest = np.where(differs, distance.max(axis=0), -np.inf)
    for group in groups:
        served[list(group)] = served[max(group, key=lambda f: farthest[f])]
    return served


def resolve_groups(groups: Any, m: int, columns: Columns) -> list[Group]:
    """The groups as positions, from lists of columns or from a label per column."""
    if groups is None:
        return []
    entries: Sequence[Any] = list(groups)
    is_list = [hasattr(entry, "__iter__") and not isinstance(entry, str) for entry in entries]
    if all(is_list):
        resolved = [tuple(columns.positions(entry, "feature_groups")) for entry in entries]
    elif not any(is_list) and len(entries) == m:
        members_of: dict[Any, list[int]] = {}
        for f, label in enumerate(entries):
            if label is not None:
                members_of.setdefault(label, []).append(f)
        resolved = [tuple(members) for members in members_of.values()]
    else:
        raise ValueError(
            f"feature_groups has {len(entries)} entries; give lists of features, or one label "
            f"for each of the {format_count(m, 'feature')} of X."
        )
    if () in resolved:
        raise ValueError(
            f"feature_groups has an empty group at position {resolved.index(())}; drop it."
        )
    repeated = find_repeated(f for group in resolved for f in group)
    if repeated:
        raise ValueError(
            f"feature_groups has {columns.shown(repeated)} in more than one group; give each "
            "feature one."
        )
    return resolved
