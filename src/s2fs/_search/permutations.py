"""Tables as they could be if the classes had nothing to do with the features.

A sample keeps its class, weight, covariates and group, and takes the features of another one. Which
samples may swap depends on what is known of them:

* Nothing: any two.
* Categories among the covariates: those with the same categories. What moves are the raw features,
  and covariates are taken away again from each permuted table, because taking them away uses the
  classes.
* Numbers among the covariates: there are no two samples alike, so only what the covariates do not
  explain moves, and is added to what they explain (Freedman and Lane, 1983), again among samples
  with the same categories.
* Groups of one class each: whole groups. A group of five takes five samples of another, some of
  them twice if there are fewer: so every class keeps its size, also if its groups are larger than
  those of others. Inside groups of several classes single samples swap.

Missing values stay where they are, so a class may lack more values than another. The values of a
feature move among its known ones: each place takes the next known value along the permutation. In
features that lack the same values this is the same permutation.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import column_or_1d

from s2fs._core.covariates import Covariates, explained_by_covariates, remove_covariates
from s2fs._core.problem import blocks
from s2fs._util.messages import some_of
from s2fs._util.types import Floats, Indices

#: How often a permutation is drawn, for each one wanted, before there are no more distinct ones.
N_DRAWS = 50
#: Whole weights become copies of a sample if this makes the table at most so many times as long.
MOST_COPIES = 10
#: Of how many repeated samples the distance to the others is looked at.
N_COMPARED = 10


@dataclass(frozen=True)
class Samples:
    """What is known of the samples, each by its row.

    Attributes
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        The features, with what covariates explain.
    codes : ndarray of shape (n_samples,)
        The classes as 0, 1, …
    sample_weight : ndarray of shape (n_samples,) or None
        How much each sample counts, None for 1 each.
    covariates : Covariates or None
        What is to be taken away from the features.
    groups : ndarray of shape (n_samples,) or None
        The samples that belong together, as 0, 1, …
    """

    X: Any
    codes: Indices
    sample_weight: Floats | None = None
    covariates: Covariates | None = None
    groups: Indices | None = None

    def __getitem__(self, rows: Any) -> "Samples":
        return Samples(
            self.X[rows],
            self.codes[rows],
            None if self.sample_weight is None else self.sample_weight[rows],
            None if self.covariates is None else self.covariates[rows],
            None if self.groups is None else self.groups[rows],
        )

    @cached_property
    def adjusted(self) -> Any:
        """The features without what covariates explain."""
        if self.covariates is None:
            return self.X
        return remove_covariates(self.X, self.codes, self.covariates, self.sample_weight)


def check_groups(groups: Any, n_samples: int) -> Indices:
    """The numbers 0, 1, … of the groups that the samples belong to."""
    values = column_or_1d(groups)
    if len(values) != n_samples:
        raise ValueError(
            f"groups has {len(values)} entries for the {n_samples} row(s) of X; give one for each "
            "row."
        )
    missing = [row for row, value in enumerate(values) if value is None or value != value]
    if missing:
        raise ValueError(
            f"groups has missing values in row(s) {some_of(missing)}; give such samples a group "
            "of their own."
        )
    if values.dtype.kind == "O":  # what cannot be sorted has a name
        values = np.array([str(value) for value in values])
    return np.unique(values, return_inverse=True)[1]


class Permutations:
    """Distinct permutations of the features that keep all but their tie to the classes.

    Parameters
    ----------
    samples : Samples
        The samples as they are.
    n_permutations : int
        How many permutations to draw; there are fewer if not so many are distinct.
    rng : numpy Generator or RandomState
        Where they are drawn from.

    Attributes
    ----------
    orders : list of ndarray of shape (n_samples,)
        For each permutation and each sample the one whose features it takes.
    """

    def __init__(self, samples: Samples, n_permutations: int, rng: Any) -> None:
        self._samples = samples
        self._gappy = _features_with_gaps(samples.X)
        self.orders = _draw(samples, n_permutations, rng)
        if len(self._gappy) and any(len(np.unique(order)) < len(order) for order in self.orders):
            raise ValueError(
                "groups have unequal sizes and X has missing values, which cannot be permuted "
                "together; impute them, or leave groups out."
            )
        covariates = samples.covariates
        self._explained = None
        if covariates is not None and covariates.has_numbers:
            self._explained = explained_by_covariates(samples.X, covariates, samples.sample_weight)

    def __len__(self) -> int:
        return len(self.orders)

    def apply(self, order: Indices) -> Samples:
        """The samples with permuted features."""
        X = self._samples.X
        if len(self._gappy):
            X = self._move_known(order)
        elif self._explained is not None:
            X = self._explained + (X - self._explained)[order]
        else:
            X = X[order]
        return replace(self._samples, X=X)

    def _move_known(self, order: Indices) -> Any:
        """The features of sample ``order[i]`` at place i, with gaps where they were."""
        X = self._samples.X
        before = X[:, self._gappy]
        before = before.toarray() if sparse.issparse(X) else before
        known = ~np.isnan(before)
        after = np.full_like(before, np.nan)
        places, features = np.nonzero(known)
        sources = order[places]
        # Every place that is known lies on a cycle, so that a known value follows.
        while len(lost := np.flatnonzero(~known[sources, features])):
            sources[lost] = order[sources[lost]]
        after[places, features] = before[sources, features]
        if not sparse.issparse(X):
            X = X[order]
            X[:, self._gappy] = after
            return X
        complete = np.setdiff1d(np.arange(X.shape[1]), self._gappy)
        parts = [X[order][:, complete], sparse.csc_array(after)]
        columns = np.argsort(np.concatenate([complete, self._gappy]))
        return sparse.hstack(parts, format="csc")[:, columns]


def _features_with_gaps(X: Any) -> Indices:
    if not sparse.issparse(X):
        return np.flatnonzero(np.isnan(X).any(axis=0))
    stored = sparse.coo_array(X)
    return np.unique(stored.col[np.isnan(stored.data)])


def _draw(samples: Samples, n_permutations: int, rng: Any) -> list[Indices]:
    """Permutations that differ from each other and from the order as it is."""
    cells, swapping = _what_may_swap(samples)
    n = len(samples.codes)
    seen = {_fingerprint(samples, np.arange(n))}
    orders: list[Indices] = []
    for _ in range(N_DRAWS * n_permutations):
        if len(orders) == n_permutations:
            break
        # The sample whose features each takes, and the one whose labels these features then have.
        order, label = np.arange(n), np.arange(n)
        for members in cells:
            order[members] = members[rng.permutation(len(members))]
            label[order[members]] = members
        for units in swapping:
            for unit, source in zip(units, rng.permutation(len(units)), strict=True):
                for rows, others in zip(unit, units[source], strict=True):
                    order[rows] = np.resize(others[rng.permutation(len(others))], len(rows))
                    label[others] = np.resize(rows, len(others))
        fingerprint = _fingerprint(samples, label)
        if fingerprint not in seen:
            seen.add(fingerprint)
            orders.append(order)
    return orders


def _what_may_swap(samples: Samples) -> tuple[list[Indices], list[list[list[Indices]]]]:
    """Sets of samples that swap their features, and sets of groups that do so as a whole.

    A group is given by its samples, apart for each combination of categories. Only groups with the
    same combinations swap, so that each sample takes the features of one with its own categories.
    """
    n = len(samples.codes)
    strata = np.zeros(n, dtype=np.intp)
    if samples.covariates is not None:
        strata = in_order_of_appearance(samples.covariates.strata)
    if samples.groups is None:
        return _members(strata), []
    cells: list[Indices] = []
    swapping: dict[tuple[int, ...], list[list[Indices]]] = {}
    for group in _members(in_order_of_appearance(samples.groups)):
        parts = [group[part] for part in _members(strata[group])]
        if (samples.codes[group] == samples.codes[group[0]]).all():
            parts.sort(key=lambda rows: int(strata[rows[0]]))
            swapping.setdefault(tuple(int(strata[rows[0]]) for rows in parts), []).append(parts)
        else:
            cells += parts
    return cells, list(swapping.values())


def _members(labels: Indices) -> list[Indices]:
    """The rows with each label, labels in increasing order."""
    order = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.diff(labels[order])) + 1
    return np.split(order, ends)


def in_order_of_appearance(labels: NDArray[Any]) -> Indices:
    """The labels as 0, 1, … in the order in which they come."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]


def _fingerprint(samples: Samples, label: Indices) -> bytes:
    """Equal for permutations that no criterion can tell apart; names of classes do not matter."""
    parts = [in_order_of_appearance(samples.codes[label]).tobytes()]
    if samples.sample_weight is not None:
        parts.append(samples.sample_weight[label].tobytes())
    if samples.covariates is not None and samples.covariates.has_numbers:
        parts.append(samples.covariates.design[label].tobytes())
    return b"".join(parts)


def sort_by_contents(samples: Samples) -> Samples:
    """The samples in an order that depends on what they hold.

    So a permutation is the same whatever order the rows come in. Names of the classes, and order,
    sign and scale of the features do not matter either: the order is that of distances from the
    mean, in scaled features. Copies of one sample become one that has their weight, and other
    samples of a whole weight become so many, so a sample of weight 2 is as good as two equal ones.
    """
    X, weight = samples.X, samples.sample_weight
    if samples.covariates is not None:
        X = X - explained_by_covariates(X, samples.covariates, weight)
    weight = np.ones(len(samples.codes)) if weight is None else weight
    distance, fourth, line, gaps = np.round(_keys(X, weight), 10)

    def rank(labels: NDArray[Any]) -> Indices:
        """The place of each label among all, by what its samples hold."""
        codes = np.unique(labels, return_inverse=True)[1]
        sums = [np.bincount(codes, weight * key).round(8) for key in (1.0, distance, fourth)]
        order = np.lexsort(sums)
        ranks = np.empty(len(order), dtype=np.intp)
        ranks[order] = np.arange(len(order))
        return ranks[codes]

    labels = [samples.codes]
    labels += [] if samples.groups is None else [samples.groups]
    labels += [] if samples.covariates is None else [samples.covariates.strata]
    order = np.lexsort((*map(rank, labels), gaps, line, fourth, distance))
    return _one_row_for_each(samples[order], distance[order])


def _keys(X: Any, weight: Floats) -> Floats:
    """Four numbers for each row that tell rows apart, relative to the largest.

    They are the sums over the columns of the second and the fourth power of its difference from the
    mean of all rows, and, if that is not enough, its place and that of its gaps along a fixed line.
    """
    n, m = X.shape
    line = np.random.default_rng(0).random(m)
    keys = np.zeros((4, n))
    for some in blocks(np.arange(m), n):
        columns = X[:, some]
        columns = (columns.toarray() if sparse.issparse(X) else columns).T.astype(np.float64)
        missing = np.isnan(columns)
        lower = np.fmin.reduce(columns, axis=1)[:, None]
        with np.errstate(over="ignore", invalid="ignore"):  # a range may overflow: refused later
            columns -= lower
            width = np.fmax.reduce(columns, axis=1)[:, None]
            columns /= np.where(width > 0, width, 1.0)
        columns[missing] = 0.0
        count = (~missing * weight).sum(axis=1)[:, None]
        columns -= (columns @ weight)[:, None] / np.where(count > 0, count, 1.0)
        columns[missing] = 0.0
        keys[2] += line[some] @ columns
        keys[3] += line[some] @ missing
        columns *= columns
        keys[0] += columns.sum(axis=0)
        columns *= columns
        keys[1] += columns.sum(axis=0)
    most = np.abs(keys).max(axis=1, keepdims=True)
    return keys / np.where(most > 0, most, 1.0)


def _one_row_for_each(samples: Samples, key: Floats) -> Samples:
    """The samples, copies of one joined to a weighted one and whole weights taken apart.

    Two samples may be equal because one was copied, or because few values are possible. Copies say
    nothing new and stay together. Where few values are possible, equal samples are samples like
    others: joined, most permutations would be lost.
    """
    n, weight = len(samples.codes), samples.sample_weight
    equal = _equal_to_the_one_before(samples.X, key)
    repeats = equal & _have_equal_labels(samples)
    if not repeats.any() and (weight is None or (weight == 1).all()):
        return replace(samples, sample_weight=None)
    weight = np.ones(n) if weight is None else weight
    kept = np.flatnonzero(~repeats)
    if _are_copies(samples.X, np.flatnonzero(~equal), float(weight.sum())):
        return replace(samples[kept], sample_weight=np.add.reduceat(weight, kept))
    if (weight == np.round(weight)).all() and weight.sum() <= MOST_COPIES * n:
        rows = np.repeat(np.arange(n), weight.astype(np.intp))
        return replace(samples[rows], sample_weight=None)
    return samples


def _equal_to_the_one_before(X: Any, key: Floats) -> NDArray[np.bool_]:
    """Mask of the rows that hold what the row before holds; missing values are equal."""
    suspects = np.flatnonzero(key[1:] == key[:-1]) + 1
    equal = np.zeros(X.shape[0], dtype=bool)
    first, second = X[suspects - 1], X[suspects]
    if sparse.issparse(X):
        first, second = first.toarray(), second.toarray()
    equal[suspects] = ((first == second) | (np.isnan(first) & np.isnan(second))).all(axis=1)
    return equal


def _have_equal_labels(samples: Samples) -> NDArray[np.bool_]:
    """Mask of the rows with class, group and covariates of the row before."""
    labels: list[NDArray[Any]] = [samples.codes[:, None]]
    labels += [] if samples.groups is None else [samples.groups[:, None]]
    if samples.covariates is not None:
        labels += [samples.covariates.strata[:, None], samples.covariates.design]
    equal = np.zeros(len(samples.codes), dtype=bool)
    equal[1:] = np.all([(one[1:] == one[:-1]).all(axis=1) for one in labels], axis=0)
    return equal


def _are_copies(X: Any, distinct: Indices, n_samples: float) -> bool:
    """Whether samples that are equal can only be copies.

    It is so if a feature has another value in every two samples that differ at all, or if samples
    that differ do so in three features or more: chance would make one or two differ more often
    than none. And a table that has the same few samples again and again has few possible values.
    """
    if 4 * len(distinct) < n_samples:
        return False
    distances = np.zeros((N_COMPARED, len(distinct)))
    # Rows spread over the whole table, whose order is that of their distance from the mean.
    compared = np.unique(np.linspace(0, len(distinct) - 1, N_COMPARED).astype(np.intp))
    for some in blocks(np.arange(X.shape[1]), len(distinct) * N_COMPARED):
        columns = X[:, some]
        columns = (columns.toarray() if sparse.issparse(X) else columns)[distinct]
        for column in columns.T:
            known = column[~np.isnan(column)]
            if 4 * len(known) >= n_samples and len(np.unique(known)) == len(known):
                return True
        known = ~np.isnan(columns)
        for i, row in enumerate(compared):
            differ = (columns != columns[row]) & (known | known[row])
            distances[i] += differ.sum(axis=1)
    distances = distances[: len(compared)]
    distances[np.arange(len(compared)), compared] = np.inf
    return bool(distances.min() >= 3)
